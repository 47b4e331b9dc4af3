/* tests/unit/common/format/test_flatbuf_layout.c: tables of a kind read by what is known of their
 * field lists, as flatbuf.h reads them. */
#include "common/format/flatbuf_layout.h"

#include "common/base/error.h"
#include "tests/support/unit.h"

/* Offsets of two tables at 0 and 4; the tables at 8 and 24, each of a list at 40 that has a number
 * of four bytes and one of one byte; between them the bytes that a longer table would have. */
static const uint8_t pair[] = {
    8,    0,    0,    0,    20, 0, 0, 0,             /* offsets */
    0xe0, 0xff, 0xff, 0xff, 42, 0, 0, 0, 7, 0, 0, 0, /* at 8 */
    0,    0,    0,    0,                             /* between */
    0xf0, 0xff, 0xff, 0xff, 43, 0, 0, 0, 8, 0, 0, 0, /* at 24 */
    0,    0,    0,    0,                             /* between */
    8,    0,    12,   0,    4,  0, 8, 0,             /* the list at 40 */
};

static const struct sl_flatbuf_kind kind = {"Pair", 3, {4, 1, 4}};

static struct sl_flatbuf reader(const uint8_t *data, size_t size, struct sl_diag *diag)
{
    return (struct sl_flatbuf){.data = data, .size = size, .diag = diag};
}

TEST(tables_with_one_list_are_read_alike)
{
    struct sl_flatbuf fb = reader(pair, sizeof(pair), NULL);
    struct sl_flatbuf_layouts layouts = {0};
    struct sl_flatbuf_record first = sl_flatbuf_record_at(&fb, 0, &kind, &layouts);
    const struct sl_flatbuf_layout *layout = first.layout;
    assert_int_equal(first.at, 8);
    assert_int_equal(sl_flatbuf_record_u32(&first, 0), 42);
    assert_int_equal(sl_flatbuf_record_u8(&first, 1), 7);
    assert_int_equal(sl_flatbuf_record_u32(&first, 2), 0); /* absent */
    struct sl_flatbuf_record second = sl_flatbuf_record_at(&fb, 4, &kind, &layouts);
    assert_ptr_equal(second.layout, layout);
    assert_int_equal(sl_flatbuf_record_u32(&second, 0), 43);
    assert_int_equal(sl_flatbuf_record_u8(&second, 1), 8);
    assert_null(sl_flatbuf_record_child(&fb, &second, 2, &kind, &layouts).data);
    assert_false(sl_flatbuf_record_vector(&fb, &second, &kind, 2, 4).present);
    assert_int_equal(fb.error, 0);
}

/* The second table is read when the list is known: one byte changed at a time. */
TEST(each_rule_holds_for_tables_with_a_known_list)
{
    static const struct {
        size_t at;
        uint8_t value;
        const char *words;
    } cases[] = {
        {4, 0, "points outside"},       {4, 41, "points outside"},  {4, 200, "points outside"},
        {24, 0x70, "lies outside"},     {27, 0x7f, "lies outside"}, {24, 0xe4, "lies outside"},
        {24, 0xf8, "impossible sizes"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_diag diag = {0};
        uint8_t *copy = sl_test_copy(pair, sizeof(pair));
        copy[cases[i].at] = cases[i].value;
        struct sl_flatbuf fb = reader(copy, sizeof(pair), &diag);
        struct sl_flatbuf_layouts layouts = {0};
        assert_non_null(sl_flatbuf_record_at(&fb, 0, &kind, &layouts).data);
        assert_null(sl_flatbuf_record_at(&fb, 4, &kind, &layouts).data);
        assert_int_equal(fb.error, SL_E_FORMAT);
        if (!strstr(diag.what, cases[i].words))
            assert_string_equal(diag.what, cases[i].words);
        free(copy);
    }
}

TEST(table_past_the_end_is_refused_though_its_list_is_known)
{
    struct sl_diag diag = {0};
    /* The second table moves to the last four bytes, which name the same list. */
    uint8_t *copy = sl_test_copy(pair, sizeof(pair));
    copy[4] = 40;
    copy[44] = 4; /* 44 - 4 is the list, whose second field then begins at 4 */
    copy[45] = 0;
    copy[46] = 0;
    struct sl_flatbuf fb = reader(copy, sizeof(pair), &diag);
    struct sl_flatbuf_layouts layouts = {0};
    assert_non_null(sl_flatbuf_record_at(&fb, 0, &kind, &layouts).data);
    assert_null(sl_flatbuf_record_at(&fb, 4, &kind, &layouts).data);
    assert_int_equal(fb.error, SL_E_FORMAT);
    assert_non_null(strstr(diag.what, "reaches past the end"));
    free(copy);
}

TEST(list_with_a_field_outside_its_table_is_refused)
{
    struct sl_diag diag = {0};
    uint8_t *copy = sl_test_copy(pair, sizeof(pair));
    copy[46] = 12; /* the second field behind the table's twelve bytes */
    struct sl_flatbuf fb = reader(copy, sizeof(pair), &diag);
    struct sl_flatbuf_layouts layouts = {0};
    assert_null(sl_flatbuf_record_at(&fb, 0, &kind, &layouts).data);
    assert_non_null(strstr(diag.what, "field 1 of table Pair lies outside its table"));
    free(copy);
}
