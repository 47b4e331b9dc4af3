/* tests/unit/agent/bench/test_shape.c */
#include "agent/bench/shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/bench/kernels.h"
#include "agent/bench/stage.h"
#include "agent/probe/kernel_list.h"
#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"

static void shapes_are_read_as_the_product_they_are(void **state)
{
    (void)state;
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
}

static void other_words_are_refused(void **state)
{
    (void)state;
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
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct sl_bench_shape s = {.m = 7};
        assert_int_equal(sl_bench_shape_parse(bad[i], &s), SL_E_FORMAT);
        assert_int_equal(s.m, 7);
    }
    struct sl_bench_shape s;
    assert_int_equal(sl_bench_shape_parse("matmul:65536x65536x2", &s), SL_E_LIMIT);
    assert_int_equal(sl_bench_shape_parse("conv:65536x65536x1-1-1x1-s1-p0", &s), SL_E_LIMIT);
}

static void every_kernel_is_listed_once(void **state)
{
    (void)state;
    struct sl_kernel_entry kernel, other;
    size_t count = 0;
    assert_true(sl_kernel_list_at(0, &kernel));
    assert_string_equal(kernel.family, "matmul");
    for (; sl_kernel_list_at(count, &kernel); count++)
        for (size_t i = 0; i < count && sl_kernel_list_at(i, &other); i++)
            assert_string_not_equal(kernel.name, other.name);
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
    static int (*const benches[])(const struct sl_bench_choice *, uint64_t,
                                  struct sl_bench_stage_run *) = {
        sl_bench_matmul,  sl_bench_conv,       sl_bench_depthwise,  sl_bench_unary,
        sl_bench_binary,  sl_bench_pool,       sl_bench_reduce,     sl_bench_transpose,
        sl_bench_convert, sl_bench_matmul_qd8, sl_bench_matmul_qd8, sl_bench_matmul_qd8};
    static int (*const qs8[])(const struct sl_bench_choice *, uint64_t,
                              struct sl_bench_stage_run *) = {
        sl_bench_matmul_qs8, sl_bench_conv_qs8, sl_bench_depthwise_qs8, sl_bench_unary_qs8,
        sl_bench_binary_qs8, sl_bench_pool_qs8, sl_bench_reduce_qs8};
    static int (*const f16[])(const struct sl_bench_choice *, uint64_t,
                              struct sl_bench_stage_run *) = {
        sl_bench_matmul_f16, sl_bench_conv_f16, sl_bench_depthwise_f16, sl_bench_unary_f16,
        sl_bench_binary_f16, sl_bench_pool_f16, sl_bench_reduce_f16,    sl_bench_transpose_f16};
    if (shape.type == SL_BENCH_BF16)
        return sl_bench_matmul_bf16(choice, 1, &run);
    return (shape.type == SL_BENCH_QS8   ? qs8
            : shape.type == SL_BENCH_F16 ? f16
                                         : benches)[shape.family](choice, 1, &run);
}

static void stages_are_printed_one_a_line(void **state)
{
    (void)state;
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

static void a_kernel_that_is_not_there_is_said_so(void **state)
{
    (void)state;
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

static void a_failed_allocation_is_reported(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_read_as_the_product_they_are),
        cmocka_unit_test(other_words_are_refused),
        cmocka_unit_test(every_kernel_is_listed_once),
        cmocka_unit_test(stages_are_printed_one_a_line),
        cmocka_unit_test(a_kernel_that_is_not_there_is_said_so),
        cmocka_unit_test(a_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
