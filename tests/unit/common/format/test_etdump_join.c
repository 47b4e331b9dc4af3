/* tests/unit/common/format/test_etdump_join.c */
#include "common/format/etdump_join.h"

#include <errno.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/etdump.h"
#include "tests/support/unit.h"
#include "tests/support/vector_etdump.h"

static const struct sl_bytes prefixed = {vector_etdump, sizeof(vector_etdump)};
static const struct sl_bytes bare = {vector_etdump + 4, sizeof(vector_etdump) - 4};

static void assert_same_event(const struct sl_etdump_run *a, const struct sl_etdump_run *b,
                              uint32_t i)
{
    struct sl_etdump_event rooms[2];
    const struct sl_etdump_event *x = sl_etdump_event_read(a, i, &rooms[0]);
    const struct sl_etdump_event *y = sl_etdump_event_read(b, i, &rooms[1]);
    assert_int_equal(x->name_len, y->name_len);
    assert_int_equal(x->delegate_id_len, y->delegate_id_len);
    if (x->name)
        assert_memory_equal(x->name, y->name, x->name_len + 1);
    if (x->delegate_id)
        assert_memory_equal(x->delegate_id, y->delegate_id, x->delegate_id_len + 1);
    assert_int_equal(x->start, y->start);
    assert_int_equal(x->end, y->end);
    assert_int_equal(x->chain_index, y->chain_index);
}

static void assert_joined(const struct sl_etdump *joined, uint32_t first, struct sl_bytes file)
{
    struct sl_etdump alone;
    assert_int_equal(sl_etdump_parse(file, &alone, NULL), 0);
    for (uint32_t r = 0; r < alone.run_count; r++) {
        const struct sl_etdump_run *a = &joined->runs[first + r], *b = &alone.runs[r];
        assert_int_equal(a->event_count, b->event_count);
        assert_int_equal(a->name_len, b->name_len);
        assert_memory_equal(a->name, b->name, a->name_len);
        for (uint32_t i = 0; i < a->event_count; i++)
            assert_same_event(a, b, i);
    }
    sl_etdump_fini(&alone);
}

TEST(blocks_of_all_files_follow_each_other)
{
    struct sl_bytes real = sl_test_file("models/toy_cnn_f32_xnnpack/aarch64-sme2.etdump");
    const struct sl_bytes files[] = {prefixed, real, bare};
    struct sl_etdump joined, whole;
    struct sl_buf out;
    sl_buf_init(&out, 1 << 24);
    assert_int_equal(sl_etdump_join(files, 3, &out, NULL), 0);
    assert_int_equal(sl_etdump_parse((struct sl_bytes){out.data, out.size}, &joined, NULL), 0);
    assert_int_equal(sl_etdump_parse(real, &whole, NULL), 0);
    assert_true(joined.size_prefixed);
    assert_int_equal(joined.version, whole.version);
    assert_int_equal(joined.run_count, 2 + whole.run_count + 2);
    assert_joined(&joined, 0, prefixed);
    assert_joined(&joined, 2, real);
    assert_joined(&joined, 2 + whole.run_count, bare);
    assert_memory_equal(out.data + out.size - bare.size, bare.data, bare.size);
    sl_etdump_fini(&whole);
    sl_etdump_fini(&joined);
    sl_buf_fini(&out);
    free((void *)real.data);
}

TEST(what_is_no_etdump_or_too_much_is_refused)
{
    static const uint8_t text[] = "not an ETDump at all";
    const struct sl_bytes files[] = {prefixed, {text, sizeof(text)}};
    struct sl_diag diag = {.what = ""};
    struct sl_buf out;
    sl_buf_init(&out, 1 << 10);
    assert_int_equal(sl_etdump_join(files, 2, &out, &diag), SL_E_FORMAT);
    assert_non_null(strstr(diag.what, "not an ETDump"));
    assert_int_equal(sl_etdump_join(files, 0, &out, NULL), SL_E_LIMIT);
    const struct sl_bytes cut[] = {{vector_etdump, sizeof(vector_etdump) - 1}};
    assert_int_equal(sl_etdump_join(cut, 1, &out, NULL), SL_E_TRUNCATED);
    const struct sl_bytes three[] = {prefixed, prefixed, prefixed};
    diag.what[0] = '\0';
    assert_int_equal(sl_etdump_join(three, 3, &out, &diag), SL_E_LIMIT); /* the buffer's */
    assert_non_null(strstr(diag.what, "too large"));
    sl_buf_fini(&out);
}

TEST(join_survives_each_failed_allocation)
{
    const struct sl_bytes files[] = {prefixed, bare};
    int rc = -ENOMEM;
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        struct sl_buf out;
        sl_buf_init(&out, 1 << 20);
        sl_mem_fail_nth(nth);
        rc = sl_etdump_join(files, 2, &out, NULL);
        sl_mem_fail_nth(0);
        sl_buf_fini(&out);
    }
    assert_int_equal(rc, 0);
}
