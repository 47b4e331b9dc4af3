/* tests/unit/agent/run/test_print_value.c */
#include "agent/run/print_value.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "agent/runtime/runtime.h"
#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/format/pte.h"
#include "common/format/scalar_type.h"
#include "tests/support/test.h"

static struct sl_buf text;

static const char *summary(int type, const void *data, size_t nbytes, int32_t count)
{
    const struct sl_tensor_view view = {
        .scalar_type = type, .rank = 1, .sizes = &count, .nbytes = nbytes, .data = data};
    sl_buf_fini(&text);
    sl_buf_init(&text, 1 << 20);
    assert_int_equal(sl_print_summary(&text, 0, &view), 0);
    return (const char *)text.data;
}

TEST(floats_have_six_digits_and_whole_ones_a_dot)
{
    const float data[] = {0,          -0.0f,     1,        100000,      1234567.0f,
                          0.9999999f, -1.53649f, INFINITY, (float)-NAN, 123456.4f};
    const char *line = summary(SL_SCALAR_FLOAT, data, sizeof(data), 10);
    assert_string_equal(line, "OutputX 0: tensor(sizes=[10], [0., -0., 1., 100000., 1.23457e+06, "
                              "1, -1.53649, inf, -nan, 123456.])\n");
}

TEST(more_than_ten_items_are_wrapped)
{
    int32_t data[11];
    for (int i = 0; i < 11; i++)
        data[i] = i;
    const char *line = summary(SL_SCALAR_INT, data, sizeof(data), 11);
    assert_string_equal(line, "OutputX 0: tensor(sizes=[11], [\n"
                              "  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, \n"
                              "  10, \n])\n");
}

TEST(more_than_two_hundred_items_are_elided)
{
    uint8_t data[201];
    for (size_t i = 0; i < 201; i++)
        data[i] = (uint8_t)i;
    const char *line = summary(SL_SCALAR_BYTE, data, 200, 200);
    assert_null(strstr(line, "..."));
    line = summary(SL_SCALAR_BYTE, data, 201, 201);
    assert_non_null(strstr(line, "98, 99, \n  ...,\n  101, 102, "));
    assert_non_null(strstr(line, "199, 200, \n])\n"));
}

TEST(every_other_type_is_printed_or_named)
{
    const uint16_t halves[] = {0x3c00, 0xc100, 0x0001, 0x7c00};
    const uint16_t bfloats[] = {0x3f80, 0xbf00};
    const int64_t longs[] = {-5000000000, 1};
    const double doubles[] = {0.5};
    const uint8_t bools[] = {0, 2}, chars[] = {0xff}, shorts[] = {0xfe, 0xff};
    assert_non_null(strstr(summary(SL_SCALAR_HALF, halves, 8, 4), "[1., -2.5, 5.96046e-08, inf]"));
    assert_non_null(strstr(summary(SL_SCALAR_BFLOAT16, bfloats, 4, 2), "[1., -0.5]"));
    assert_non_null(strstr(summary(SL_SCALAR_LONG, longs, 16, 2), "[-5000000000, 1]"));
    assert_non_null(strstr(summary(SL_SCALAR_DOUBLE, doubles, 8, 1), "[0.5]"));
    assert_non_null(strstr(summary(SL_SCALAR_BOOL, bools, 2, 2), "[False, True]"));
    assert_non_null(strstr(summary(SL_SCALAR_CHAR, chars, 1, 1), "[-1]"));
    assert_non_null(strstr(summary(SL_SCALAR_SHORT, shorts, 2, 1), "[-2]"));
    assert_non_null(
        strstr(summary(SL_SCALAR_UINT16, shorts, 2, 1), "[<unhandled scalar type 27>]"));
    assert_string_equal(summary(-1, NULL, 0, 0), "OutputX 0: None\n");
}

static const char *plain(struct sl_plain_value value)
{
    const struct sl_tensor_view view = {.scalar_type = -1, .plain = value};
    sl_buf_fini(&text);
    sl_buf_init(&text, 1 << 20);
    assert_int_equal(sl_print_summary(&text, 2, &view), 0);
    return (const char *)text.data;
}

TEST(what_is_no_tensor_is_printed_as_it_is)
{
    typedef struct sl_plain_value value;
    assert_string_equal(plain((value){.kind = SL_PTE_NONE}), "OutputX 2: None\n");
    assert_string_equal(plain((value){.kind = SL_PTE_NULL}), "OutputX 2: None\n");
    assert_string_equal(plain((value){.kind = SL_PTE_INT, .int_value = -128}), "OutputX 2: -128\n");
    assert_string_equal(plain((value){.kind = SL_PTE_BOOL, .int_value = 1}), "OutputX 2: True\n");
    assert_string_equal(plain((value){.kind = SL_PTE_BOOL}), "OutputX 2: False\n");
    assert_string_equal(plain((value){.kind = SL_PTE_DOUBLE, .double_value = 2}),
                        "OutputX 2: 2.\n");
    assert_string_equal(plain((value){.kind = SL_PTE_STRING, .text = "a \"quoted\\ name"}),
                        "OutputX 2: \"a \\\"quoted\\\\ name\"\n");
    assert_string_equal(plain((value){.kind = SL_PTE_INT_LIST}), "OutputX 2: <list>\n");
}

TEST(all_prints_a_line_for_each_element)
{
    const float data[] = {-1.536492f, 2};
    const uint8_t bools[] = {1, 0};
    int32_t count = 2;
    struct sl_tensor_view view = {
        .scalar_type = SL_SCALAR_FLOAT, .rank = 1, .sizes = &count, .nbytes = 8, .data = data};
    sl_buf_fini(&text);
    sl_buf_init(&text, 1 << 20);
    assert_int_equal(sl_print_all(&text, 3, &view), 0);
    view = (struct sl_tensor_view){.scalar_type = SL_SCALAR_BOOL, .nbytes = 2, .data = bools};
    assert_int_equal(sl_print_all(&text, 4, &view), 0);
    view.scalar_type = -1;
    assert_int_equal(sl_print_all(&text, 5, &view), 0);
    view.scalar_type = SL_SCALAR_LONG; /* printed by nobody */
    assert_int_equal(sl_print_all(&text, 6, &view), 0);
    assert_string_equal((const char *)text.data, "Output[3][0]: (float) -1.536492\n"
                                                 "Output[3][1]: (float) 2.000000\n"
                                                 "Output[4][0]: (bool) true  (0x1)\n"
                                                 "Output[4][1]: (bool) false (0x0)\n"
                                                 "Output[5]: Not Tensor\n");
}

TEST(full_buffer_is_said)
{
    struct sl_buf small;
    const float data[50] = {0};
    const int32_t count = 50;
    const struct sl_tensor_view view = {
        .scalar_type = SL_SCALAR_FLOAT, .rank = 1, .sizes = &count, .nbytes = 200, .data = data};
    for (size_t limit = 0; limit < 60; limit += 6) {
        sl_buf_init(&small, limit);
        assert_int_equal(sl_print_summary(&small, 0, &view), SL_E_LIMIT);
        sl_buf_fini(&small);
    }
}

static int forget(void **state)
{
    (void)state;
    sl_buf_fini(&text);
    return 0;
}

TEST_GROUP(NULL, forget);
