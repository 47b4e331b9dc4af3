/* tests/unit/host/analysis/test_workload.c */
#include "host/analysis/workload.h"

#include <stdint.h>
#include <string.h>

#include "tests/support/operands.h"
#include "tests/support/test.h"

static struct sl_workload read_work(const char *shape, const char *origin, const char *kernel,
                                    const char *name)
{
    struct sl_workload work;
    struct sl_operands operands = operands_of(shape, origin);
    sl_workload_read(&operands, origin, kernel, name, (uint32_t)strlen(name), &work);
    return work;
}

TEST(shapes_become_what_kernels_bench_takes)
{
    static const struct {
        const char *shape, *origin, *kernel, *name, *bench;
        uint64_t times, macs;
    } cases[] = {
        {"1x56x56x64 * 128x3x3x64 -> 1x28x28x128", "Conv2d",
         "sl_conv_f32_f32p1vlx1_f32p2vlx1_2vlx2vl_sme2_mopa", "Convolution (NHWC, PF32) IGEMM",
         "conv:56x56x64-128-3x3-s2-p1", 1, 57802752},
        {"2x64x64x3 * 16x3x3x3 -> 2x64x64x16", "Conv2d", "sl_conv_f32_f32_f32p16x1_5x16_neon_mla",
         "", "conv:64x64x3-16-3x3-s1-p1", 2, 3538944},
        {"1x14x14x96 * 576x1x1x96 -> 1x14x14x576", "Conv2d",
         "sl_matmul_qs8_qs8p1vlx4_qs8p2vlx4_2vlx2vl_sme2_mopa", "", "qs8/matmul:196x576x96", 1,
         10838016},
        {"1x56x56x96 * 1x3x3x96 -> 1x28x28x96", "DepthwiseConv2d",
         "sl_depthwise_f16_f16_f16p2vl_3x3s2_sme2_mla", "", "f16/depthwise:56x56x96-3x3-s2-p1", 1,
         677376},
        {"1x112x112x64 * 3x3 -> 1x56x56x64", "MaxPooling2d", "sl_pool_max_f32_f32_4vl_sme2", "",
         "pool:max-112x112x64-3x3-s2-p1", 1, 0},
        {"1x64 * 10x64 -> 1x10", "FullyConnected", "sl_matmul_f32_f32_f32p32x1_1x32_neon_mla", "",
         "matmul:1x10x64", 1, 640},
        {"1x16x192 * 384x192 -> 1x16x384", "FullyConnected", "sl_matmul_qd8_qs8_8x8_scalar", "",
         "matmul_qd8:16x384x192", 1, 1179648},
        {"1x64 * 32x64 -> 1x32", "FullyConnected", "sl_matmul_qd8_q4_1x16vl_sme2_dot",
         "Fully Connected (NC, QD8, F32, QB4W) GEMM", "matmul_q4_g32:1x32x64", 1, 2048},
        {"1x6x96x32 * 1x6x32x96 -> 1x6x96x96", "BatchMatrixMultiply",
         "sl_matmul_f32_f32p1vlx1_f32p2vlx1_2vlx2vl_sme2_mopa", "", "matmul:96x96x32", 6, 1769472},
        {"4 * 2x3 * 3x4 -> 2x4", "aten::addmm.out", "sl_matmul_f32_f32_f32p8x1_4x8_scalar", "",
         "matmul:2x4x3", 1, 24},
        {"1x3x64x64 -> 1x64x64x3", "StaticTranspose", "sl_transpose_x32_x32_2vlx2vl_sme2", "",
         "transpose:3x4096", 1, 0},
        {"1x112x112x96 -> 1x112x112x96", "Clamp", "sl_unary_clamp_f32_f32_16vl_sme2", "",
         "unary:clamp-1204224", 1, 0},
        {"1x8x8x64 * 64 -> 1x8x8x64", "Add2", "sl_binary_add_qs8_qs8_qs8_1x4vl_sme2", "",
         "qs8/binary:add-4096", 1, 0},
        {"1x8x8x64 -> 1x8x8x64", "LeakyReLU", "sl_unary_leaky_relu_f16_f16_2vl_sme2", "",
         "f16/unary:leaky_relu-4096", 1, 0},
        {"1x7x7x512 -> 1x1x1x512", "GlobalAvgPooling2d", "sl_reduce_mean_f32_f32_8vl_sme2", "",
         "reduce:mean-1x49x512", 1, 0},
        {"1x7x7x512 -> 1x1x1x512", "GlobalAvgPooling2d", "sl_mean_qs8_qs8_1x4vl_sme2", "",
         "qs8/reduce:mean-1x49x512", 1, 0},
        {"1x6x96x96 -> 1x6x96x96", "Softmax", "sl_reduce_softmax_f32_f32_4vl_sme2", "",
         "reduce:softmax-576x96x1", 1, 0},
        {"1x3x224x224 -> 1x3x224x224", "Convert", "sl_convert_bf16_f32_neon", "",
         "convert:bf16_f32-150528", 1, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_workload work =
            read_work(cases[i].shape, cases[i].origin, cases[i].kernel, cases[i].name);
        assert_true(work.known);
        assert_string_equal(work.bench, cases[i].bench);
        assert_int_equal(work.times, cases[i].times);
        assert_int_equal(work.macs, cases[i].macs);
    }
}

TEST(what_no_kernel_is_benched_for_has_no_shape_and_no_times)
{
    static const struct {
        const char *shape, *kernel;
    } cases[] = {
        {"1x56x56x64 * 128x3x3x16 -> 1x56x56x128", "sl_conv_f32_f32_f32p8x1_1x8_scalar"},
        {"1x64x64x16 -> 1x32x32x16", "sl_pool_max_f32_f32_1x1_scalar"}, /* the window is missing */
        {"1x6x96x32 -> 1x96x6x32", "sl_transpose_x32_x32_1x1_scalar"},
        {"1x3x4x5 -> 1x4x5x3", "sl_transpose_x8_x8_vlxvl_sme2"},
        {"1x8x8x64 -> 1x16x16x64", "sl_resize_f32_f32_1x1_scalar"},
        {"1x8x8x64 -> 1x8x8x64", NULL},
        {"0x8 * 4x8 -> 0x4", "sl_matmul_f32_f32_f32p8x1_4x8_scalar"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_workload work = read_work(cases[i].shape, "Any", cases[i].kernel, "");
        assert_true(work.known);
        assert_string_equal(work.bench, "");
        assert_int_equal(work.times, 0);
    }
}

/* Operators of the portable library, and groups: without a kernel that says what they are. */
TEST(what_does_as_much_stands_for_operators_without_a_kernel)
{
    static const struct {
        const char *shape, *origin, *bench;
        uint64_t times;
    } cases[] = {
        {"1x6x10x12 * 8x3x3x3 * 8 -> 1x8x5x6", "aten::convolution.out", "conv:10x12x3-4-3x3-s2-p1",
         2},
        {"1x6x10x12 * 6x4x3x3 * 4 -> 1x4x20x24", "aten::convolution.out",
         "conv:10x12x6-4-3x3-s1-p1", 1},
        {"2x6x10x12 * 6x1x3x3 -> 2x6x10x12", "aten::convolution.out", "depthwise:10x12x6-3x3-s1-p1",
         2},
        {"1x6x12 * 5x6x3 * 5 -> 1x5x10", "aten::convolution.out", "conv:1x12x6-5-1x3-s1-p0", 1},
        {"1x16x16x32 * 64x3x3x8 -> 1x16x16x64", "Conv2d", "conv:16x16x8-16-3x3-s1-p1", 4},
        {"1x6x10x12 -> 1x6x5x6", "aten::max_pool2d_with_indices.out", "pool:max-10x12x6-2x2-s2-p0",
         1},
        {"1x6x10x12 -> 1x6x5x4", "aten::_adaptive_avg_pool2d.out", "reduce:mean-120x6x1", 1},
        {"1x6x10x12 -> 1x6x1x1", "aten::sum.IntList_out", "reduce:mean-6x120x1", 1},
        {"2x3x8 -> 2x8", "aten::amax.out", "reduce:mean-2x3x8", 1},
        {"2x3x8 -> 2x3x8", "aten::_log_softmax.out", "reduce:softmax-6x8x1", 1},
        {"2x4x6 * 2x4x6 -> 2x8x6", "aten::cat.out", "unary:abs-96", 1},
        {"2x3x8 * 8 -> 2x3x8", "aten::gt.Tensor_out", "binary:maximum-48", 1},
        {"2x3x8 -> 2x3x8", "aten::logical_not.out", "unary:abs-48", 1},
        {"-> 13", "aten::arange.start_out", "unary:abs-13", 1},
        {"2x3x8 -> 2x3x8", "aten::erf.out", "unary:gelu-48", 1},
        {"2x8 * 1 -> 2x8", "aten::mul.out", "binary:multiply-16", 1},
        {"1x64x1x1 -> 1x64", "StaticReshape", "unary:abs-64", 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_workload work = read_work(cases[i].shape, cases[i].origin, NULL, "");
        assert_string_equal(work.bench, cases[i].bench);
        assert_int_equal(work.times, cases[i].times);
        assert_true(work.stands_in);
    }
    struct sl_workload halves =
        read_work("1x8x8x32 * 64x3x3x16 -> 1x8x8x64", "Conv2d", "sl_conv_f16_f16_f16_x", "");
    assert_string_equal(halves.bench, "f16/conv:8x8x16-32-3x3-s1-p1");
}

TEST(what_nothing_is_like_stays_without)
{
    static const char *const cases[][2] = {
        {"2x4x6 -> 2x4x3", "aten::topk.values"},
        {"1x6x10 -> 1x6x5", "aten::max_pool2d_with_indices.out"},
        {"2x5 -> 3", "aten::sum.IntList_out"},
        {"1x6x10x12 * 8x4x3x3 -> 1x8x5x6", "aten::convolution.out"},
        {"1x6x10x12 -> 1x6x5x6", "aten::convolution.out"},
        {"1x6x10x12 * 8 -> 1x8x5x6", "aten::convolution.out"},
        {"1x6x10x12 * 2x2x3x3 -> 1x2x5x6", "aten::convolution.out"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_workload work = read_work(cases[i][0], cases[i][1], NULL, "");
        assert_true(work.known);
        assert_string_equal(work.bench, "");
        assert_int_equal(work.times, 0);
        assert_false(work.stands_in);
    }
}

TEST(operands_that_are_missing_or_beyond_limits_are_not_known)
{
    static const char *const words[] = {"", "1x2", "1 -> 1x1x1x1x1x1x1x1x1", "5000000000 -> 1",
                                        "1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 -> 1"};
    struct sl_workload work;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        assert_false(read_work(words[i], "Conv2d", "sl_conv_f32", "").known);
    sl_workload_read(NULL, "Conv2d", "sl_conv_f32", "", 0, &work);
    assert_false(work.known);
}

TEST(enormous_shapes_saturate)
{
    struct sl_workload work = read_work(
        "4294967295x4294967295x4294967295 * 4294967295x4294967295 -> 4294967295x4294967295",
        "FullyConnected", NULL, "");
    assert_true(work.known);
    assert_int_equal(work.macs, UINT64_MAX);
}

TEST(no_neon_kernel_takes_fewer_instructions_than_its_multiplications_or_moves)
{
    struct sl_workload work = read_work("1x64 * 10x64 -> 1x10", "FullyConnected",
                                        "sl_matmul_f32_f32_f32p32x1_1x32_neon_mla", "");
    assert_int_equal(sl_workload_least_neon(&work), 160);
    work = read_work("1x64 * 10x64 -> 1x10", "FullyConnected", "sl_matmul_qs8_qs8_x", "");
    assert_int_equal(sl_workload_least_neon(&work), 22); /* 714 bytes by 32 */
}
