/* tests/unit/agent/bench/test_shape.c */
#include "agent/bench/shape.h"

#include <stdint.h>

#include "agent/bench/families.h"
#include "agent/bench/kernels.h"
#include "agent/bench/stage.h"
#include "agent/probe/kernel_list.h"
#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "tests/support/test.h"

TEST(shapes_are_read_as_the_product_they_are)
{
    struct sl_bench_shape s;
    assert_int_equal(sl_bench_shape_parse("matmul:100x192x384", &s), 0);
    assert_true(s.family == SL_BENCH_MATMUL && s.m == 100 && s.n == 192 && s.k == 384);
    assert_int_equal(sl_bench_shape_parse("conv:28x28x64-128-3x3-s2-p1", &s), 0);
    assert_true(s.family == SL_BENCH_CONV && s.m == 14 * 14 && s.n == 128 && s.k == 576);
    assert_int_equal(sl_bench_shape_parse("depthwise:14x7x512-3x3-s1-p1", &s), 0);
    assert_true(s.family == SL_BENCH_DEPTHWISE && s.m == 14 * 7 && s.n == 512 && s.k == 9);
    assert_int_equal(sl_bench_shape_parse("unary:leaky_relu-77", &s), 0);
    assert_true(s.family == SL_BENCH_UNARY && s.m == 1 && s.n == 77 && s.k == 1);
    assert_string_equal(s.op, "leaky_relu");
    assert_int_equal(sl_bench_shape_parse("pool:max-28x14x5-2x2-s2-p0", &s), 0);
    assert_true(s.family == SL_BENCH_POOL && s.m == 14 * 7 && s.n == 5 && s.k == 4);
    assert_int_equal(sl_bench_shape_parse("reduce:mean-2x49x512", &s), 0);
    assert_true(s.family == SL_BENCH_REDUCE && s.m == 2 && s.n == 512 && s.k == 49);
    assert_int_equal(sl_bench_shape_parse("transpose:3x5", &s), 0);
    assert_true(s.family == SL_BENCH_TRANSPOSE && s.m == 3 && s.n == 5 && s.k == 1);
    assert_int_equal(sl_bench_shape_parse("matmul_qd8:3x5x7", &s), 0);
    assert_true(s.family == SL_BENCH_MATMUL_QD8 && s.m == 3 && s.n == 5 && s.k == 7);
    assert_int_equal(sl_bench_shape_parse("matmul_q4:3x5x7", &s), 0);
    assert_true(s.family == SL_BENCH_MATMUL_Q4);
    assert_int_equal(sl_bench_shape_parse("matmul_q4_g32:3x5x64", &s), 0);
    assert_true(s.family == SL_BENCH_MATMUL_Q4_G32 && s.k == 64);
    assert_int_equal(sl_bench_shape_parse("convert:f16_f32-9", &s), 0);
    assert_true(s.family == SL_BENCH_CONVERT && s.n == 9 && s.k == 1);
    assert_string_equal(s.op, "f16_f32");
    assert_true(s.type == SL_BENCH_F32);
    assert_int_equal(sl_bench_shape_parse("qs8/matmul:3x5x7", &s), 0);
    assert_true(s.type == SL_BENCH_QS8 && s.family == SL_BENCH_MATMUL && s.k == 7);
    assert_int_equal(sl_bench_shape_parse("f16/unary:exp-9", &s), 0);
    assert_true(s.type == SL_BENCH_F16 && s.family == SL_BENCH_UNARY && s.n == 9);
    assert_int_equal(sl_bench_shape_parse("bf16/matmul:3x5x7", &s), 0);
    assert_true(s.type == SL_BENCH_BF16 && s.family == SL_BENCH_MATMUL && s.n == 5);
    assert_int_equal(sl_bench_shape_parse("matmul_q4_g128:3x5x256", &s), 0);
    assert_true(s.family == SL_BENCH_MATMUL_Q4_G128 && sl_bench_shape_group(&s) == 128);
}

TEST(windows_are_dilated_grouped_and_of_two_axes)
{
    struct sl_bench_shape s;
    assert_int_equal(sl_bench_shape_parse("conv:28x28x64-128-3x3-s1-p2-d2-g4", &s), 0);
    assert_true(s.m == 784 && s.n == 128 && s.k == 9 * 16 && s.groups == 4 && s.dilation_w == 2);
    assert_int_equal(sl_bench_shape_parse("qs8/conv:1x256x64-128-1x3-s1x2-p0x1", &s), 0);
    assert_true(s.out_h == 1 && s.out_w == 128 && s.stride_h == 1 && s.pad_w == 1 && s.k == 192);
    assert_int_equal(sl_bench_shape_parse("depthwise:28x28x64-3x3-s1-p1-m2", &s), 0);
    assert_true(s.n == 128 && s.multiplier == 2 && s.k == 9);
    assert_int_equal(sl_bench_shape_in(&s), 784 * 64);
    assert_int_equal(sl_bench_shape_out(&s), 784 * 128);
    assert_int_equal(sl_bench_shape_parse("f16/deconv:14x7x8-4-4x4-s2-p1-g2", &s), 0);
    assert_true(s.out_h == 28 && s.out_w == 14 && s.m == 98 && s.n == 4 && s.k == 64);
    assert_int_equal(sl_bench_shape_out(&s), 28 * 14 * 4);
    assert_int_equal(sl_bench_shape_parse("argmax:6x4x5-3x2", &s), 0);
    assert_true(s.m == 4 && s.n == 5 && s.k == 6);
    assert_int_equal(sl_bench_shape_parse("resize:3x4x5-6x7", &s), 0);
    assert_true(s.m == 42 && s.n == 5 && sl_bench_shape_in(&s) == 60);
}

TEST(other_families_are_read_as_elements_rows_or_pairs)
{
    struct sl_bench_shape s;
    assert_int_equal(sl_bench_shape_parse("batch_nk:3x5x7x9", &s), 0);
    assert_true(s.family == SL_BENCH_BATCH_NK && s.m == 15 && s.n == 7 && s.k == 9);
    assert_int_equal(sl_bench_shape_in(&s), 3 * 5 * 9);
    assert_int_equal(sl_bench_shape_parse("quantise:3x5", &s), 0);
    assert_true(s.m == 3 && s.n == 5 && sl_bench_shape_in(&s) == 15);
    assert_int_equal(sl_bench_shape_parse("repeat:3x5", &s), 0);
    assert_true(sl_bench_shape_in(&s) == 3 && sl_bench_shape_out(&s) == 15);
    assert_int_equal(sl_bench_shape_parse("stride:3x5", &s), 0);
    assert_true(sl_bench_shape_in(&s) == 15 && sl_bench_shape_out(&s) == 3);
    assert_int_equal(sl_bench_shape_parse("permute:2x3x4x5-3012", &s), 0);
    assert_true(s.rank == 4 && s.n == 120 && s.dims[2] == 4 && s.perm[0] == 3 && s.perm[3] == 2);
}

/* Nothing is written for what is no shape. */
static void check_refused(const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct sl_bench_shape s = {.m = 7};
        assert_int_equal(sl_bench_shape_parse(words[i], &s), SL_E_FORMAT);
        assert_int_equal(s.m, 7);
    }
}

TEST(other_words_are_refused)
{
    static const char *const bad[] = {
        "",
        "matmul",
        "matmul:1x2",
        "matmul:1x2x3x4",
        "matmul:0x2x3",
        "matmul:1x-2x3",
        "gemm:1x2x3",
        "conv:28x28x64-128-3x3-s0-p1",
        "conv:2x2x64-128-5x5-s1-p0",
        "conv:8x8x4-4-3x3-s1-p3",
        "depthwise:8x8x0-3x3-s1-p1",
        "unary:clamp",
        "unary:-5",
        "unary:clamp-0",
        "unary:a_name_that_no_kernel_would_have-5",
        "reduce:mean-2x3",
        "pool:max-1x1x5-2x2-s2-p0",
        "transpose:3",
        "matmul_q4_g32:3x5x33", /* no whole groups */
        "matmul_q5:3x5x32",
        "convert:f16_f32",
        "matmul:99999999999999999999x1x1",
    };
    check_refused(bad, sizeof(bad) / sizeof(bad[0]));
    struct sl_bench_shape s;
    assert_int_equal(sl_bench_shape_parse("matmul:65536x65536x2", &s), SL_E_LIMIT);
    assert_int_equal(sl_bench_shape_parse("conv:65536x65536x1-1-1x1-s1-p0", &s), SL_E_LIMIT);
    assert_int_equal(sl_bench_shape_parse("batch:65536x1x65536x1", &s), SL_E_LIMIT);
    assert_int_equal(sl_bench_shape_parse("permute:65536x65536x2-012", &s), SL_E_LIMIT);
    assert_int_equal(sl_bench_shape_parse("deconv:1000x1000x1-1-2x2-s999-p0", &s), SL_E_LIMIT);
    assert_int_equal(sl_bench_shape_parse("resize:1x1x9-65536x65536", &s), SL_E_LIMIT);
}

TEST(windows_batches_and_permutations_that_are_none_are_refused)
{
    static const char *const bad[] = {
        "matmul_q4_g64:3x5x96",
        "conv:8x8x4-4-3x3-p1-s1",
        "conv:8x8x4-4-3x3-s1",
        "conv:8x8x4-4-3x3-s1-p1-d0",
        "conv:8x8x4-4-3x3-s1-p1-g3", /* of 4 channels */
        "conv:8x8x4-4-3x3-s1-p1-g0",
        "conv:8x8x4-4-3x3-s1-p1-g2x2",
        "conv:8x8x4-4-3x3-s1-p1-m2",
        "conv:8x8x4-4-3x3-s1x-p1",
        "conv:8x8x4-4-3x3-s1-p1-d4-g2-x",
        "depthwise:8x8x4-3x3-s1-p1-g2",
        "depthwise:8x8x4-3x3-s1-p1-m0",
        "deconv:1x1x4-4-2x2-s1-p1",
        "deconv:0x1x4-4-2x2-s1-p1",
        "argmax:5x4x5-3x2",
        "argmax:5x4x5-0x2",
        "resize:0x4x5-3x2",
        "resize:1x4x5-3x0",
        "batch:1x2x3",
        "batch:0x2x3x4",
        "permute:2x3-011",
        "permute:2x3-00",
        "permute:2x3-02",
        "permute:2x3-0",
        "permute:2x3",
        "permute:2x3x4x5x6x7x8-0123456",
        "permute:0x3-01",
    };
    check_refused(bad, sizeof(bad) / sizeof(bad[0]));
}

TEST(every_kernel_is_listed_once)
{
    struct sl_kernel_entry kernel = {0};
    size_t count = 0;
    for (; sl_kernel_list_next(&kernel); count++) {
        if (count == 0)
            assert_string_equal(kernel.family, "matmul");
        for (struct sl_kernel_entry other = kernel; sl_kernel_list_next(&other);)
            assert_string_not_equal(kernel.name, other.name);
    }
    assert_true(count >= 8);
}

static unsigned lines(const struct sl_buf *out)
{
    unsigned count = 0;
    for (size_t i = 0; i < out->size; i++)
        count += out->data[i] == '\n';
    return count;
}

static int bench(const char *text, const struct sl_bench_choice *choice, struct sl_buf *out)
{
    struct sl_bench_shape shape;
    struct sl_bench_stage_run run = {.shape = &shape, .counted = true, .out = out};
    assert_int_equal(sl_bench_shape_parse(text, &shape), 0);
    return sl_bench_run(choice, 1, &run);
}

TEST(stages_are_printed_one_a_line)
{
    struct sl_buf out;
    const struct sl_bench_choice portable = {.engine = "portable"};
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(bench("matmul:5x9x7", &portable, &out), 0);
    assert_in_range(lines(&out), 3, 4);
    unsigned before = lines(&out);
    assert_int_equal(bench("conv:6x6x3-4-3x3-s1-p1", &portable, &out), 0);
    assert_int_equal(bench("depthwise:6x6x3-3x3-s1-p1", &portable, &out), 0);
    assert_int_equal(bench("unary:clamp-5", &portable, &out), 0);
    assert_int_equal(bench("binary:add_clamped-5", &portable, &out), 0);
    assert_int_equal(bench("pool:average-4x4x3-2x2-s2-p0", &portable, &out), 0);
    assert_int_equal(bench("reduce:mean-2x3x4", &portable, &out), 0);
    assert_int_equal(bench("reduce:layer_norm-2x9x1", &portable, &out), 0);
    assert_int_equal(bench("transpose:3x5", &portable, &out), 0);
    assert_int_equal(bench("convert:qs8_f32-7", &portable, &out), 0);
    assert_int_equal(bench("matmul_qd8:3x5x7", &portable, &out), 0);
    assert_int_equal(bench("matmul_q4:3x5x7", &portable, &out), 0);
    assert_int_equal(bench("matmul_q4_g32:3x5x64", &portable, &out), 0);
    assert_int_equal(bench("reduce:softmax-2x3x4", &portable, &out), SL_E_NOT_FOUND);
    assert_int_equal(bench("unary:nothing-5", &portable, &out), SL_E_NOT_FOUND);
    assert_int_equal(lines(&out), before + 23);
    assert_int_equal(bench("qs8/matmul:5x9x7", &portable, &out), 0);
    assert_int_equal(bench("qs8/conv:6x6x3-4-3x3-s1-p1", &portable, &out), 0);
    assert_int_equal(bench("qs8/depthwise:6x6x3-3x3-s1-p1", &portable, &out), 0);
    assert_int_equal(bench("qs8/unary:table-5", &portable, &out), 0);
    assert_int_equal(bench("qs8/binary:multiply-5", &portable, &out), 0);
    assert_int_equal(bench("qs8/pool:max-4x4x3-2x2-s2-p0", &portable, &out), 0);
    assert_int_equal(bench("qs8/reduce:mean-2x3x4", &portable, &out), 0);
    assert_int_equal(lines(&out), before + 34);
    static const char *const halves[] = {
        "f16/conv:6x6x3-4-3x3-s1-p1",
        "f16/depthwise:6x6x3-3x3-s1-p1",
        "f16/unary:clamp-5",
        "f16/binary:add_clamped-5",
        "f16/pool:average-4x4x3-2x2-s2-p0",
        "f16/reduce:mean-2x3x4",
        "f16/reduce:layer_norm-2x9x1",
        "f16/transpose:3x5",
    };
    for (size_t i = 0; i < sizeof(halves) / sizeof(halves[0]); i++)
        assert_int_equal(bench(halves[i], &portable, &out), 0);
    assert_int_equal(lines(&out), before + 34 + 10);
    assert_int_equal(bench("f16/matmul:5x9x7", &portable, &out), 0);
    assert_int_equal(bench("bf16/matmul:5x9x7", &portable, &out), 0);
    assert_int_equal(lines(&out), before + 34 + 10 + 8);
    sl_buf_fini(&out);
}

TEST(families_of_one_stage_and_layers_of_two_are_printed)
{
    struct sl_buf out;
    const struct sl_bench_choice portable = {.engine = "portable"};
    sl_buf_init(&out, 1 << 16);
    static const char *const others[] = {
        "batch:2x3x5x7",
        "f16/batch_nk:2x3x5x7",
        "batch_qd8:2x3x5x7",
        "f16/batch_qd8:2x3x5x7",
        "argmax:4x6x3-2x3",
        "resize:3x4x5-6x7",
        "f16/resize:3x4x5-2x2",
        "qs8/resize:3x4x5-6x7",
        "quantise:3x1",
        "f16/quantise:3x7",
        "repeat:5x3",
        "f16/repeat:5x3",
        "qs8/repeat:5x3",
        "stride:5x3",
        "permute:2x3x4-201",
        "f16/permute:2x3x4-021",
        "qs8/permute:2x3x4-102",
        "qs8/transpose:3x5",
    };
    static const char *const layers[] = {
        "conv:6x6x4-4-3x3-s1-p2-d2-g2",     "qs8/conv:1x9x4-4-1x3-s1-p0x1",
        "deconv:3x4x5-6-3x3-s2-p1",         "f16/deconv:3x4x4-4-2x2-s2-p0-g2",
        "qs8/deconv:3x4x5-6-3x3-s2-p1",     "depthwise:6x6x3-3x3-s1-p1-m2",
        "f16/depthwise:6x6x3-3x3-s1-p2-d2",
    };
    size_t singles = sizeof(others) / sizeof(others[0]);
    for (size_t i = 0; i < singles; i++)
        assert_int_equal(bench(others[i], &portable, &out), 0);
    for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++)
        assert_int_equal(bench(layers[i], &portable, &out), 0);
    assert_int_equal(lines(&out), singles + 2 * sizeof(layers) / sizeof(layers[0]));
    sl_buf_fini(&out);
}

TEST(a_kernel_that_is_not_there_is_said_so)
{
    struct sl_buf out;
    const struct sl_bench_choice unknown = {.name = "sl_nothing"};
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(bench("matmul:5x9x7", &unknown, &out), SL_E_NOT_FOUND);
    assert_int_equal(bench("conv:6x6x3-4-3x3-s1-p1", &unknown, &out), SL_E_NOT_FOUND);
    struct sl_bench_search search = {.choice = &(struct sl_bench_choice){.engine = "sme2"}};
    const char *name = NULL;
    assert_false(sl_bench_consider(&search, "sl_x_sme2_mopa", 64, 1));
    assert_int_equal(sl_bench_chosen(&search, &name), SL_E_UNSUPPORTED);
    assert_string_equal(name, "sl_x_sme2_mopa");
    sl_buf_fini(&out);
}

TEST(a_failed_allocation_is_reported)
{
    const struct sl_bench_choice portable = {.engine = "portable"};
    for (unsigned nth = 1; nth <= 6; nth++) {
        struct sl_buf out;
        sl_buf_init(&out, 1 << 16);
        sl_mem_fail_nth(nth);
        assert_true(bench("conv:6x6x3-4-3x3-s1-p1", &portable, &out) < 0);
        sl_mem_fail_nth(0);
        sl_buf_fini(&out);
    }
}
