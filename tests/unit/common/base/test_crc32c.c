/* tests/unit/common/base/test_crc32c.c */
#include "common/base/crc32c.h"

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
