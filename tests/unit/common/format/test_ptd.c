/* tests/unit/common/format/test_ptd.c */
#include "common/format/ptd.h"

#include <stdio.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "tests/support/test.h"

static struct sl_buf file;
static struct sl_ptd ptd;
static struct sl_diag diag;

static int parse(const char *path)
{
    assert_int_equal(sl_buf_read_file(path, 1 << 20, &file), 0);
    return sl_ptd_parse((struct sl_bytes){file.data, file.size}, &ptd, &diag);
}

TEST(exported_file_has_its_tensors)
{
    assert_int_equal(parse(SL_TEST_DATA "/models/external_weights_portable/weights.ptd"), 0);
    assert_int_equal(ptd.count, 8);
    const struct sl_ptd_entry *entry = sl_ptd_find(&ptd, "body.0.weight");
    assert_non_null(entry);
    assert_true(entry->is_tensor);
    assert_int_equal(entry->scalar_type, 6);
    assert_int_equal(entry->rank, 4);
    assert_true((uintptr_t)(entry->data.data - file.data) % 16 == 0);
    assert_null(sl_ptd_find(&ptd, "body.0"));
    sl_ptd_fini(&ptd);
    sl_buf_fini(&file);
}

TEST(blobs_have_no_layout)
{
    assert_int_equal(parse(SL_TEST_DATA "/../fuzz/corpus/ptd/whole"), 0);
    assert_int_equal(ptd.count, 2);
    assert_true(sl_ptd_find(&ptd, "body.weight")->is_tensor);
    assert_false(sl_ptd_find(&ptd, "aa")->is_tensor);
    assert_int_equal(sl_ptd_find(&ptd, "aa")->data.size, 4);
    sl_ptd_fini(&ptd);
    sl_buf_fini(&file);
}

TEST(what_is_wrong_is_refused_in_words)
{
    static const struct {
        const char *name;
        int code;
    } files[] = {
        {"empty", SL_E_TRUNCATED},        {"identifier", SL_E_FORMAT},
        {"magic", SL_E_FORMAT},           {"header_short", SL_E_FORMAT},
        {"tables_long", SL_E_TRUNCATED},  {"segments_long", SL_E_TRUNCATED},
        {"base_long", SL_E_TRUNCATED},    {"segment_none", SL_E_FORMAT},
        {"segment_long", SL_E_TRUNCATED}, {"segment_wrap", SL_E_TRUNCATED},
        {"no_key", SL_E_FORMAT},          {"layout_bytes", SL_E_FORMAT},
        {"layout_type", SL_E_FORMAT},     {"layout_order", SL_E_FORMAT},
        {"layout_negative", SL_E_FORMAT}, {"layout_product", SL_E_FORMAT},
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        char path[512];
        snprintf(path, sizeof(path), "%s/../fuzz/corpus/ptd/%s", SL_TEST_DATA, files[i].name);
        diag = (struct sl_diag){0};
        int rc = parse(path);
        if (rc != files[i].code || !diag.what[0])
            fail_msg("%s: %d %s", files[i].name, rc, diag.what);
        sl_buf_fini(&file);
    }
}
