/* tests/unit/host/report/test_kernel_bench.c */
#include "host/report/kernel_bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "host/analysis/reach.h"
#include "host/report/kernel_anchors.h"
#include "host/report/style.h"
#include "tests/support/test.h"

#define MOPA "sl_matmul_f32_f32p1vlx1_f32p2vlx1_2vlx2vl_sme2_mopa"
#define GEMV "sl_matmul_f32_f32_f32p16vlx1_1x16vl_sme2_mla"
#define NEON "sl_matmul_f32_f32_f32p16x1_5x16_neon_mla"

static struct sl_kernel_row row_of(const char *family, const char *kernel, const char *stage,
                                   uint64_t m, uint64_t n, uint64_t k)
{
    struct sl_kernel_row row = {.m = m, .n = n, .k = k, .counted = true};
    memcpy(row.family, family, strlen(family) + 1);
    memcpy(row.kernel, kernel, strlen(kernel) + 1);
    memcpy(row.stage, stage, strlen(stage) + 1);
    return row;
}

/* The minimum columns of the documented measurements. */
TEST(least_macs_are_those_of_the_documented_shapes)
{
    static const struct {
        const char *family, *kernel;
        uint64_t m, n, k;
        unsigned svl;
        uint64_t least;
    } cases[] = {
        {"matmul", MOPA, 256, 256, 256, 512, 65536},
        {"matmul", MOPA, 196, 512, 256, 512, 106496},
        {"matmul", MOPA, 49, 960, 160, 512, 38400},
        {"matmul", MOPA, 128, 128, 128, 128, 131072},
        {"matmul", GEMV, 1, 1024, 1024, 512, 16384},
        {"matmul", NEON, 784, 128, 64, 512, 1605632},
        {"conv", "sl_conv_f32_x_sme2_mopa", 784, 128, 576, 512, 225792},
        {"depthwise", "sl_depthwise_f32_x_sme2_mla", 784, 128, 9, 512, 14112},
        {"depthwise", "sl_depthwise_f32_x_neon_mla", 784, 128, 9, 512, 225792},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_kernel_row row =
            row_of(cases[i].family, cases[i].kernel, "kernel", cases[i].m, cases[i].n, cases[i].k);
        assert_int_equal(sl_kernel_min_mac(&row, cases[i].svl), cases[i].least);
    }
    struct sl_kernel_row pack = row_of("matmul", MOPA, "lhs_pack", 64, 64, 64);
    assert_int_equal(sl_kernel_min_mac(&pack, 512), 0);
}

TEST(least_macs_of_other_types_take_more_k_an_instruction)
{
    static const struct {
        const char *type, *kernel;
        uint64_t m, n, k, least;
    } cases[] = {
        {"qs8", "sl_matmul_qs8_x_sme2_mopa", 49, 960, 160, 9600},
        {"qs8", "sl_matmul_qs8_x_neon_dot", 256, 256, 256, 1048576},
        {"qs8", "sl_matmul_qs8_x_neon_i8mm", 49, 960, 160, 240000},
        {"bf16", "sl_matmul_f32_x_neon_mla", 128, 128, 128, 524288},
        {"f16", "sl_matmul_f16_x_sme2_mopa", 49, 960, 160, 19200},
        {"bf16", "sl_matmul_f32_x_sme2_mopa", 49, 960, 160, 19200},
        {"f16", "sl_matmul_f16_x_sme2_dot", 1, 1024, 1024, 8192},
        {"f16", "sl_matmul_f16_x_neon_mla", 256, 256, 256, 2097152},
        {"f16", "sl_matmul_f16_x_neon_mla", 128, 128, 128, 262144},
        {"bf16", "sl_matmul_f32_x_neon_mmla", 49, 960, 160, 480000},
        {"bf16", "sl_matmul_f32_x_neon_dot", 2, 8, 6, 12},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_kernel_row row =
            row_of("matmul", cases[i].kernel, "kernel", cases[i].m, cases[i].n, cases[i].k);
        memcpy(row.type, cases[i].type, strlen(cases[i].type) + 1);
        assert_int_equal(sl_kernel_min_mac(&row, 512), cases[i].least);
    }
}

TEST(rows_are_written_with_nulls_for_what_is_not_known)
{
    struct sl_buf out;
    struct sl_json json;
    struct sl_kernel_row rows[] = {row_of("matmul", MOPA, "kernel", 64, 64, 64),
                                   row_of("matmul", MOPA, "whole", 64, 64, 64)};
    const struct sl_style style = {.width = 80, .color = false, .operators = 10};
    struct sl_kernel_anchor anchor = {.shape = "matmul:64x64x64",
                                      .engine = "sme2",
                                      .stage = "kernel",
                                      .instructions = 2237,
                                      .kernel = "KleidiAI gemm",
                                      .goal = 1971};
    const struct sl_kernel_anchors anchors = {"a paper", &anchor, 1};
    struct sl_kernel_bench bench = {rows, 2, 512, 1, true, NULL, NULL, &anchors};
    rows[0].instructions = 1862;
    rows[0].mac_instructions = 1040;
    memcpy(rows[0].type, "f32", 4);
    memcpy(rows[1].type, "qs8", 4);
    memcpy(rows[0].shape, "matmul:64x64x64", 16);
    rows[1].most_ulp = 2.5;
    sl_buf_init(&out, 1 << 16);
    sl_json_init(&json, &out);
    assert_int_equal(sl_kernel_bench_json(&json, &bench), 0);
    const char *text = (const char *)out.data;
    assert_non_null(strstr(text, "{\"schema\":\"sme2lab.kernels/1\",\"svl\":512,"
                                 "\"clock\":\"instructions\",\"threads\":1,\"emulated\":true,"
                                 "\"roofline\":null,\"rows\":["));
    assert_non_null(strstr(
        text, "\"stage\":\"kernel\",\"engine\":\"sme2\",\"instructions\":1862,"
              "\"mac_instructions\":1040,\"min_mac_instructions\":1024,\"per_element\":0.454"));
    assert_non_null(strstr(text, "\"ns\":null,\"gflops\":null,\"share_of_peak\":null,"
                                 "\"anchor\":{\"kernel\":\"KleidiAI gemm\","
                                 "\"instructions\":2237,\"source\":\"a paper\"},"
                                 "\"goal\":1971,\"met\":true,"));
    assert_non_null(strstr(text, "\"type\":\"f32\",\"shape\":\"matmul:64x64x64\",\"m\":64"));
    assert_non_null(strstr(text, "\"type\":\"qs8\""));
    assert_non_null(strstr(text, "\"anchor\":null,\"goal\":null,\"met\":null,\"most_ulp\":2.5}"));
    sl_buf_fini(&out);
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(sl_kernel_bench_text(&out, &style, &bench), 0);
    assert_non_null(strstr((const char *)out.data, "\n  results are at most 2.50 ulp off\n"));
    assert_non_null(strstr((const char *)out.data, "    1.82     0.83    0.94  met\n"));
    for (char *line = strtok((char *)out.data, "\n"); line; line = strtok(NULL, "\n"))
        assert_true(sl_text_columns(line) <= 80);
    sl_buf_fini(&out);
    bench.anchors = NULL;
    sl_buf_init(&out, 1 << 16);
    sl_json_init(&json, &out);
    assert_int_equal(sl_kernel_bench_json(&json, &bench), 0);
    assert_null(strstr((const char *)out.data, "\"anchor\""));
    assert_null(strstr((const char *)out.data, "\"goal\""));
    sl_buf_fini(&out);
}

/* Outputs; inputs of reductions; what a pack moves; what the agent says otherwise. */
TEST(elements_are_what_an_instruction_count_is_divided_by)
{
    struct sl_kernel_row row = row_of("matmul", MOPA, "kernel", 3, 5, 7);
    assert_int_equal(sl_kernel_elements(&row), 15);
    row = row_of("matmul", MOPA, "lhs_pack", 3, 5, 7);
    assert_int_equal(sl_kernel_elements(&row), 21);
    row = row_of("conv", MOPA, "rhs_pack", 3, 5, 7);
    assert_int_equal(sl_kernel_elements(&row), 35);
    row = row_of("reduce", "sl_reduce_mean_f32_sme2", "whole", 3, 5, 7);
    assert_int_equal(sl_kernel_elements(&row), 105);
    row = row_of("deconv", MOPA, "whole", 3, 5, 7);
    row.outputs = 60;
    assert_int_equal(sl_kernel_elements(&row), 60);
}

TEST(families_of_products_have_least_macs_and_others_none)
{
    static const char *const products[] = {"batch", "batch_nk", "conv", "deconv", "matmul"};
    for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++) {
        struct sl_kernel_row row = row_of(products[i], MOPA, "whole", 64, 64, 64);
        assert_int_equal(sl_kernel_min_mac(&row, 512), 1024);
        assert_int_equal(sl_kernel_multiply_adds(&row), 64 * 64 * 64);
        memcpy(row.type, "f16", 4);
        assert_int_equal(sl_kernel_min_mac(&row, 512), 512);
        memcpy(row.type, "qs8", 4);
        assert_int_equal(sl_kernel_min_mac(&row, 512), 256);
    }
    struct sl_kernel_row row = row_of("batch_qd8", "sl_qd8_sme2_mopa", "whole", 64, 64, 64);
    assert_int_equal(sl_kernel_min_mac(&row, 512), 256);
    memcpy(row.type, "f16", 4);
    assert_int_equal(sl_kernel_min_mac(&row, 512), 256);
    row = row_of("resize", "sl_resize_sme2", "whole", 64, 64, 1);
    assert_int_equal(sl_kernel_min_mac(&row, 512), 0);
}

static struct sl_kernel_row timed(const char *family, const char *type, const char *stage,
                                  uint64_t m, uint64_t n, uint64_t k, uint64_t ns)
{
    struct sl_kernel_row row = row_of(family, "sl_any_mean_sme2", stage, m, n, k);
    memcpy(row.type, type, strlen(type) + 1);
    row.counted = false;
    row.ns = ns;
    return row;
}

/* 64 cubed are 262,144 multiply-adds. */
TEST(timed_rows_are_set_beside_what_the_device_does_at_most)
{
    const struct sl_reach_roof roof = {1e12, 2e12, 3e12, 4e12, 1e11};
    const struct {
        struct sl_kernel_row row;
        double share;
    } cases[] = {
        {timed("matmul", "f32", "kernel", 64, 64, 64, 1000), 0.262144},
        {timed("matmul", "f16", "whole", 64, 64, 64, 1000), 0.131072},
        {timed("matmul", "bf16", "whole", 64, 64, 64, 1000), 0.262144 / 3},
        {timed("conv", "qs8", "whole", 64, 64, 64, 1000), 0.065536},
        {timed("matmul_q4", "f32", "kernel", 64, 64, 64, 1000), 0.065536},
        {timed("unary", "f32", "whole", 1, 10000, 1, 1000), 0.8},
        {timed("binary", "f16", "whole", 1, 10000, 1, 1000), 0.6},
        {timed("reduce", "f32", "whole", 10, 1, 99, 1000), 0.04},
        {timed("transpose", "qs8", "whole", 100, 100, 1, 1000), 0.2},
        {timed("matmul", "f32", "rhs_pack", 64, 64, 64, 1000), 0},
        {timed("matmul", "f32", "kernel", 64, 64, 64, 0), 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_true(fabs(sl_kernel_share_of_peak(&cases[i].row, &roof) - cases[i].share) < 1e-9);
        assert_true(sl_kernel_share_of_peak(&cases[i].row, NULL) == 0);
    }
}

/* Both forms of one timed row. */
static void check_timed(const struct sl_kernel_bench *bench, const char *json_part,
                        const char *text_part)
{
    struct sl_buf out;
    struct sl_json json;
    const struct sl_style style = {.width = 80, .color = false, .operators = 10};
    sl_buf_init(&out, 1 << 16);
    sl_json_init(&json, &out);
    assert_int_equal(sl_kernel_bench_json(&json, bench), 0);
    assert_int_equal(sl_buf_append(&out, "", 1), 0);
    assert_non_null(strstr((const char *)out.data, json_part));
    sl_buf_fini(&out);
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(sl_kernel_bench_text(&out, &style, bench), 0);
    assert_int_equal(sl_buf_append(&out, "", 1), 0);
    assert_non_null(strstr((const char *)out.data, text_part));
    sl_buf_fini(&out);
}

TEST(a_device_prints_ns_rate_and_share_and_an_emulator_says_what_it_is)
{
    const struct sl_reach_roof roof = {1e12, 0, 0, 0, 0};
    const struct sl_kernel_row row = timed("matmul", "f32", "kernel", 64, 64, 64, 1000);
    struct sl_kernel_bench bench = {&row, 1, 512, 1, false, &roof, "of device x, one worker", NULL};
    check_timed(&bench, "\"ns\":1000,\"gflops\":524.288,\"share_of_peak\":0.262144",
                "kernel               1000         524.3             -         26.2 %");
    check_timed(&bench,
                "\"clock\":\"ns\",\"threads\":1,\"emulated\":false,\"roofline\":\"of device x",
                "peak: of device x, one worker");
    bench =
        (struct sl_kernel_bench){&row, 1, 512, 1, true, NULL, "none, an emulator has none", NULL};
    check_timed(&bench, "\"emulated\":true,\"roofline\":\"none", "they say nothing of a device");
    check_timed(&bench, "\"share_of_peak\":null", "524.3             -              -");
    bench = (struct sl_kernel_bench){&row, 1, 512, 4, false, NULL, "of one core", NULL};
    check_timed(&bench, "\"threads\":4,\"emulated\":false", "4 threads at once");
    check_timed(&bench, "\"gflops\":2097.152,\"share_of_peak\":null", "2097.2");
}
