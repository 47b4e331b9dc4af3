/* tests/unit/common/base/test_run_id.c */
#include "common/base/run_id.h"

#include "tests/support/unit.h"

TEST(a_number_is_read_as_it_was_written)
{
    static const struct sl_run_id ids[] = {
        {1, 0}, {0, 1}, {UINT64_MAX, UINT64_MAX}, {0x0123456789abcdef, 0xfedcba9876543210}};
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        char text[SL_RUN_ID_TEXT];
        struct sl_run_id read = {0, 0};
        sl_run_id_text(ids[i], text);
        assert_int_equal(strlen(text), SL_RUN_ID_TEXT - 1);
        assert_true(sl_run_id_read(text, &read));
        assert_true(sl_run_ids_equal(ids[i], read));
        assert_false(sl_run_id_is_none(read));
    }
    char text[SL_RUN_ID_TEXT];
    sl_run_id_text(ids[3], text);
    assert_string_equal(text, "0123456789abcdeffedcba9876543210");
}

TEST(numbers_of_64_bits_are_read_too)
{
    struct sl_run_id read = {7, 7};
    assert_true(sl_run_id_read("18446744073709551615", &read));
    assert_true(read.high == 0 && read.low == UINT64_MAX);
    assert_true(sl_run_id_read("7", &read));
    assert_true(read.high == 0 && read.low == 7);
    assert_false(sl_run_ids_equal(read, (struct sl_run_id){1, 7}));
    assert_false(sl_run_ids_equal(read, (struct sl_run_id){0, 8}));
}

TEST(anything_else_is_no_number)
{
    static const char *const wrong[] = {"",
                                        "0",
                                        "07",
                                        "-1",
                                        "+1",
                                        " 1",
                                        "1 ",
                                        "7a",
                                        "18446744073709551616",
                                        "111111111111111111111",
                                        "00000000000000000000000000000000",
                                        "0123456789ABCDEF0123456789ABCDEF",
                                        "0123456789abcdef0123456789abcde",
                                        "0123456789abcdef0123456789abcdefa",
                                        "0123456789abcdef 123456789abcdef",
                                        "../../../../../../../../../../ab"};
    struct sl_run_id read = {3, 4};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(sl_run_id_read(wrong[i], &read));
    assert_true(read.high == 3 && read.low == 4);
}
