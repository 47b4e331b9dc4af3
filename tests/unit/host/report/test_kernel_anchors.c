/* tests/unit/host/report/test_kernel_anchors.c */
#include "host/report/kernel_anchors.h"

#include <errno.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/report/kernel_bench.h"
#include "tests/support/unit.h"

#define ROW "\"shape\":\"matmul:64x64x64\",\"engine\":\"sme2\",\"stage\":\"kernel\""

static struct sl_diag diag;

static int parse(const char *text, struct sl_kernel_anchors *out)
{
    diag = (struct sl_diag){.what = ""};
    return sl_kernel_anchors_parse((struct sl_bytes){(const uint8_t *)text, strlen(text)}, "a.json",
                                   out, &diag);
}

static struct sl_kernel_row row_of(const char *shape, const char *kernel, const char *stage)
{
    struct sl_kernel_row row = {.counted = true};
    snprintf(row.shape, sizeof(row.shape), "%s", shape);
    snprintf(row.kernel, sizeof(row.kernel), "%s", kernel);
    snprintf(row.stage, sizeof(row.stage), "%s", stage);
    return row;
}

TEST(anchors_are_found_by_shape_stage_engine_length_and_part)
{
    struct sl_kernel_anchors a;
    assert_int_equal(parse("{\"source\":\"counted\",\"rows\":["
                           "{" ROW ",\"svl\":512,\"part\":\"_mla\",\"instructions\":7,"
                           "\"kernel\":\"K\"},"
                           "{" ROW ",\"svl\":512,\"goal\":9},"
                           "{\"shape\":\"s\",\"engine\":\"neon\",\"stage\":\"whole\",\"goal\":5}]}",
                           &a),
                     0);
    assert_string_equal(a.source, "counted");
    assert_int_equal(a.count, 3);
    struct sl_kernel_row row = row_of("matmul:64x64x64", "sl_x_sme2_mla", "kernel");
    assert_int_equal(sl_kernel_anchors_find(&a, &row, 512)->instructions, 7);
    assert_null(sl_kernel_anchors_find(&a, &row, 256));
    row = row_of("matmul:64x64x64", "sl_x_sme2_mopa", "kernel");
    assert_int_equal(sl_kernel_anchors_find(&a, &row, 512)->goal, 9);
    row = row_of("matmul:64x64x64", "sl_x_neon_mla", "kernel");
    assert_null(sl_kernel_anchors_find(&a, &row, 512));
    row = row_of("matmul:64x64x64", "sl_x_sme2_mla", "whole");
    assert_null(sl_kernel_anchors_find(&a, &row, 512));
    row = row_of("s", "sl_x_neon", "whole");
    assert_int_equal(sl_kernel_anchors_find(&a, &row, 2048)->goal, 5);
    assert_null(sl_kernel_anchors_find(NULL, &row, 2048));
    sl_kernel_anchors_fini(&a);
}

TEST(what_is_no_anchor_is_refused)
{
    static const char *const texts[] = {
        "",
        "[]",
        "{\"rows\":[]}",
        "{\"source\":3,\"rows\":[{" ROW ",\"goal\":9}]}",
        "{\"rows\":[7]}",
        "{\"rows\":[{" ROW "}]}",                             /* neither anchor nor goal */
        "{\"rows\":[{" ROW ",\"instructions\":7}]}",          /* whose? */
        "{\"rows\":[{" ROW ",\"kernel\":\"K\",\"goal\":9}]}", /* how many? */
        "{\"rows\":[{" ROW ",\"goal\":-1}]}",
        "{\"rows\":[{" ROW ",\"goal\":\"9\"}]}",
        "{\"rows\":[{\"engine\":\"sme2\",\"stage\":\"kernel\",\"goal\":9}]}",
        "{\"rows\":[{" ROW ",\"part\":\"0123456789012345678901234567890123\",\"goal\":9}]}",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct sl_kernel_anchors a;
        assert_int_equal(parse(texts[i], &a), SL_E_FORMAT);
        assert_null(a.rows);
    }
}

TEST(a_refusal_names_the_place_in_the_file)
{
    struct sl_kernel_anchors a;
    assert_int_equal(parse("{\"rows\":[{" ROW ",\"goal\":9},{" ROW ",\"goal\":-1}]}", &a),
                     SL_E_FORMAT);
    assert_string_equal(diag.where, "a.json at /rows/1/goal");
    assert_string_equal(diag.what, "This must be a whole number from 0 to 2^53");
}

TEST(parse_survives_a_failed_allocation)
{
    struct sl_kernel_anchors a;
    sl_mem_fail_nth(1);
    assert_int_equal(parse("{\"rows\":[{" ROW ",\"goal\":9}]}", &a), -ENOMEM);
    assert_null(a.rows);
}

/* The project's own file holds what it says. */
TEST(the_published_anchors_are_read)
{
    struct sl_kernel_anchors a;
    struct sl_kernel_row row = row_of("matmul:256x256x256", "sl_m_sme2_mopa", "kernel");
    assert_int_equal(
        sl_kernel_anchors_load(SL_TEST_DATA "/../bench/kernels/anchors.json", &a, &diag), 0);
    assert_int_equal(sl_kernel_anchors_find(&a, &row, 512)->instructions, 108701);
    row = row_of("matmul:1x1024x1024", "sl_m_sme2_mopa", "kernel");
    assert_null(sl_kernel_anchors_find(&a, &row, 512)); /* of a layout for single rows alone */
    row = row_of("qs8/matmul:256x256x256", "sl_m_neon_dot", "kernel");
    assert_int_equal(sl_kernel_anchors_find(&a, &row, 512)->instructions, 1423552);
    sl_kernel_anchors_fini(&a);
    assert_int_equal(sl_kernel_anchors_load("/nowhere", &a, &diag), -ENOENT);
}
