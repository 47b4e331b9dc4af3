/* tests/unit/common/base/test_crc32c.c */
#include "common/base/crc32c.h"

#include "common/base/crc32c_words.h"

#include "tests/support/unit.h"

TEST(known_texts_give_their_crc)
{
    uint8_t bytes[48] = {0};
    assert_int_equal(sl_crc32c(0, "", 0), 0);
    assert_int_equal(sl_crc32c(0, "123456789", 9), 0xe3069283);
    assert_int_equal(sl_crc32c(0, bytes, 32), 0x8a9136aa); /* RFC 3720, appendix B.4 */
    memset(bytes, 0xff, 32);
    assert_int_equal(sl_crc32c(0, bytes, 32), 0x62a8ab43);
    for (unsigned i = 0; i < 32; i++)
        bytes[i] = (uint8_t)i;
    assert_int_equal(sl_crc32c(0, bytes, 32), 0x46dd794e);
}

TEST(crc_of_parts_is_crc_of_the_whole)
{
    uint8_t bytes[100];
    for (unsigned i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 37);
    uint32_t whole = sl_crc32c(0, bytes, sizeof(bytes));
    for (size_t cut = 0; cut <= sizeof(bytes); cut++)
        assert_int_equal(sl_crc32c(sl_crc32c(0, bytes, cut), bytes + cut, sizeof(bytes) - cut),
                         whole);
}

TEST(instructions_and_tables_give_one_crc)
{
    uint8_t bytes[160];
    for (unsigned i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * i + 5);
    for (size_t words = 0; words <= 19; words++)
        for (size_t from = 0; from < 8; from++) {
            uint32_t crc = 0x12345678;
            size_t taken = sl_crc32c_words(&crc, bytes + from, words);
            assert_true(taken == words || taken == 0);
            assert_int_equal(crc, sl_crc32c_by_table(0x12345678, bytes + from, 8 * taken));
        }
}

TEST(tables_give_the_crc_of_known_text)
{
    const uint8_t text[] = "123456789";
    assert_int_equal(~sl_crc32c_by_table(~UINT32_C(0), text, 9), 0xe3069283);
}
