/* tests/unit/common/format/test_flatbuf.c: the reader's rules, and that the builder keeps them. */
#include "common/format/flatbuf.h"

#include <errno.h>

#include "common/base/arena.h"
#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/flatbuild.h"
#include "tests/support/unit.h"

/* Root at 12: one field of four bytes at 16; its field list stands at 20. */
static const uint8_t small[] = {
    12,   0,    0,    0,    'T', 'E', 'S', 'T', 0, 0, 0, 0, /* root */
    0xf8, 0xff, 0xff, 0xff, 42,  0,   0,   0,               /* table, its list eight bytes on */
    6,    0,    8,    0,    4,   0,                         /* field list */
};

static struct sl_flatbuf reader(const uint8_t *data, size_t size, struct sl_diag *diag)
{
    return (struct sl_flatbuf){.data = data, .size = size, .diag = diag};
}

TEST(field_list_behind_its_table_is_read)
{
    struct sl_flatbuf fb = reader(small, sizeof(small), NULL);
    struct sl_flatbuf_table root = sl_flatbuf_root(&fb, 0, "Test");
    assert_int_equal(sl_flatbuf_u32(&fb, &root, 0, 7), 42);
    assert_int_equal(sl_flatbuf_u8(&fb, &root, 0, 7), 42);
    assert_int_equal(sl_flatbuf_u32(&fb, &root, 1, 7), 7); /* not in the list */
    assert_int_equal(sl_flatbuf_u32(&fb, &root, 1000, 7), 7);
    assert_int_equal(fb.error, 0);
    struct sl_flatbuf_table absent = sl_flatbuf_child(&fb, &root, 1, "Child");
    assert_int_equal(absent.at, 0);
    assert_int_equal(sl_flatbuf_i32(&fb, &absent, 0, -9), -9);
    assert_false(sl_flatbuf_vector(&fb, &absent, 0, 4).present);
    assert_null(sl_flatbuf_text(&fb, &absent, 0));
}

/* One byte changed at a time: what the reader says of it. */
TEST(each_broken_rule_is_named)
{
    static const struct {
        size_t at;
        uint8_t value;
        const char *words;
    } cases[] = {
        {0, 0, "points outside"},      {0, 30, "points outside"},    {12, 0x80, "lies outside"},
        {15, 0, "lies outside"},       {20, 5, "impossible sizes"},  {20, 2, "impossible sizes"},
        {20, 200, "impossible sizes"}, {22, 3, "impossible sizes"},  {22, 200, "past the end"},
        {24, 5, "outside its table"},  {24, 1, "outside its table"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_diag diag = {0};
        uint8_t *copy = sl_test_copy(small, sizeof(small));
        copy[cases[i].at] = cases[i].value;
        struct sl_flatbuf fb = reader(copy, sizeof(small), &diag);
        struct sl_flatbuf_table root = sl_flatbuf_root(&fb, 0, "Test");
        assert_int_equal(sl_flatbuf_u32(&fb, &root, 0, 7), 7);
        assert_int_equal(fb.error, SL_E_FORMAT);
        if (!strstr(diag.what, cases[i].words))
            assert_string_equal(diag.what, cases[i].words);
        free(copy);
    }
}

TEST(first_failure_sticks_with_its_place)
{
    struct sl_diag diag = {0};
    struct sl_flatbuf fb = reader(small, sizeof(small), &diag);
    fb.origin = 1000;
    assert_int_equal(sl_flatbuf_fail(&fb, SL_E_LIMIT, 24, "first"), SL_E_LIMIT);
    assert_int_equal(sl_flatbuf_fail(&fb, SL_E_FORMAT, 25, "second"), SL_E_LIMIT);
    assert_string_equal(diag.what, "first");
    assert_string_equal(diag.where, "byte 1024");
    struct sl_flatbuf_table root = sl_flatbuf_root(&fb, 0, "Test");
    assert_int_equal(root.at, 0);
    assert_null(sl_flatbuf_alloc(&fb, 1, 1));
}

TEST(root_outside_is_refused)
{
    struct sl_flatbuf fb = reader(small, 3, NULL);
    assert_int_equal(sl_flatbuf_root(&fb, 0, "Test").at, 0);
    assert_int_equal(fb.error, SL_E_FORMAT);
}

/* A table with a text, a list of two tables and numbers of each width. */
static uint32_t build(struct sl_flatbuild *made)
{
    struct sl_flatbuild_table table;
    uint32_t items[2];
    for (int32_t i = 0; i < 2; i++) {
        sl_flatbuild_begin_table(&table);
        sl_flatbuild_add_i32(&table, 1, i + 5, 0);
        items[i] = sl_flatbuild_end_table(made, &table);
    }
    uint32_t list = sl_flatbuild_refs(made, items, 2);
    uint32_t text = sl_flatbuild_string(made, "hello", 5);
    sl_flatbuild_begin_table(&table);
    sl_flatbuild_add_ref(&table, 2, text);
    sl_flatbuild_add_ref(&table, 0, list);
    sl_flatbuild_add_u64(&table, 3, 0x1122334455667788u, 0);
    sl_flatbuild_add_u64(&table, 4, 9, 9); /* as by default: left out */
    return sl_flatbuild_end_table(made, &table);
}

static int build_file(struct sl_buf *out)
{
    struct sl_flatbuild made;
    sl_flatbuild_init(&made);
    uint32_t root = build(&made);
    int rc = sl_flatbuild_finish(&made, root, "TEST", out);
    sl_flatbuild_fini(&made);
    return rc;
}

TEST(built_file_is_read_back)
{
    struct sl_buf file;
    sl_buf_init(&file, 4096);
    assert_int_equal(build_file(&file), 0);
    assert_int_equal(sl_load_u32(file.data), file.size - 4);
    struct sl_flatbuf fb = reader(file.data, file.size, NULL);
    struct sl_flatbuf_table root = sl_flatbuf_root(&fb, 4, "Root");
    assert_string_equal(sl_flatbuf_text(&fb, &root, 2), "hello");
    assert_int_equal(sl_flatbuf_string(&fb, &root, 2).size, 5);
    assert_true(sl_flatbuf_u64(&fb, &root, 3, 0) == 0x1122334455667788u);
    assert_int_equal(sl_flatbuf_u64(&fb, &root, 4, 9), 9);
    assert_null(sl_flatbuf_field(&fb, &root, 4, 8));
    const uint8_t *wide = sl_flatbuf_field(&fb, &root, 3, 8);
    assert_int_equal((wide - file.data) % 8, 0);
    struct sl_flatbuf_vector list = sl_flatbuf_vector(&fb, &root, 0, 4);
    assert_int_equal(list.count, 2);
    struct sl_flatbuf_table first = sl_flatbuf_element(&fb, &list, 0, "Item");
    struct sl_flatbuf_table second = sl_flatbuf_element(&fb, &list, 1, "Item");
    assert_int_equal(sl_flatbuf_i32(&fb, &first, 1, 0), 5);
    assert_int_equal(sl_flatbuf_i32(&fb, &second, 1, 0), 6);
    assert_int_equal(first.vtable, second.vtable); /* shared */
    assert_int_equal(fb.error, 0);
    sl_buf_fini(&file);
}

TEST(builder_survives_each_failed_allocation)
{
    int rc = -ENOMEM;
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        struct sl_buf file;
        sl_buf_init(&file, 4096);
        sl_mem_fail_nth(nth);
        rc = build_file(&file);
        sl_mem_fail_nth(0);
        sl_buf_fini(&file);
    }
    assert_int_equal(rc, 0);
}

TEST(object_past_2_gib_is_refused)
{
    struct sl_flatbuild made;
    sl_flatbuild_init(&made);
    assert_int_equal(sl_flatbuild_string(&made, "", SIZE_MAX), 0);
    assert_int_equal(made.error, SL_E_LIMIT);
    assert_int_equal(sl_flatbuild_bytes(&made, "", 1), 0); /* the failure sticks */
    sl_flatbuild_fini(&made);
    sl_flatbuild_init(&made);
    assert_int_equal(sl_flatbuild_refs(&made, NULL, SIZE_MAX / 4), 0);
    assert_int_equal(made.error, SL_E_LIMIT);
    sl_flatbuild_fini(&made);
}

TEST(array_is_charged_to_the_budget)
{
    struct sl_diag diag = {0};
    struct sl_flatbuf fb = reader(small, sizeof(small), &diag);
    fb.pool = sl_arena_new(100);
    assert_non_null(fb.pool);
    assert_non_null(sl_flatbuf_alloc(&fb, 5, 20));
    assert_null(sl_flatbuf_alloc(&fb, 1, 1));
    assert_int_equal(fb.error, SL_E_LIMIT);
    assert_true(strstr(diag.what, "overlap") != NULL);
    sl_arena_free(fb.pool);
}
