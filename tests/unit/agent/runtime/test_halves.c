/* tests/unit/agent/runtime/test_halves.c: operators outside delegates on half precision: which
 * kernels serve them, and that they round once. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/runtime/variant.h"
#include "common/format/scalar_type.h"
#include "kernels/cpu/half.h"
#include "kernels/cpu/isa.h"
#include "tests/support/program_case.h"
#include "tests/support/test.h"

enum { COUNT = 3 * 40 };

static float value_of(int type, uint16_t bits)
{
    return type == SL_SCALAR_HALF ? sl_half_to_float(bits) : sl_bfloat_to_float(bits);
}

static uint16_t bits_of(int type, float value)
{
    return type == SL_SCALAR_HALF ? sl_half_from_float(value) : sl_bfloat_from_float(value);
}

static uint32_t add_halves(int type)
{
    return sl_program_add_typed(type, SL_SIZES(3, 40), true);
}

static void fill(int type, uint32_t tensor)
{
    uint16_t *halves = sl_program_bytes(tensor);
    for (size_t i = 0; i < COUNT; i++)
        halves[i] = bits_of(type, sl_program_sample(i + tensor));
}

/* The kernel that the trace names for the k-th call begins so. */
static void expect_kernel(size_t k, const char *begin)
{
    const struct sl_op_call *call = &sl_program.variant->calls[k];
    const char *kernel = call->steps[call->main_step].kernel;
    if (strncmp(kernel, begin, strlen(begin)) != 0)
        fail_msg("call %zu runs %s, not %s", k, kernel, begin);
    if ((sl_isa_detect() & SL_ISA_NEON) != 0 && strstr(kernel, "_scalar"))
        fail_msg("call %zu runs %s", k, kernel);
}

/* Within a unit in the last place of what is right: rounded once from f32. */
static void check_element(int type, uint32_t tensor, size_t i, double want)
{
    double got = (double)value_of(type, ((uint16_t *)sl_program_bytes(tensor))[i]);
    double ulp = type == SL_SCALAR_HALF ? 0x1p-11 : 0x1p-8;
    if (!(fabs(got - want) <= ulp * 1.01 * fabs(want) + 0x1p-20))
        fail_msg("element %zu is %g, not %g", i, got, want);
}

static double gelu(double x)
{
    return 0.5 * x * (1 + tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)));
}

static void check_functions(int type, const char *suffix, const char *sum)
{
    char kernel[64];
    sl_program_begin();
    uint32_t x = add_halves(type), y = add_halves(type), z = add_halves(type);
    uint32_t scaled = add_halves(type), cubes = add_halves(type), tangents = add_halves(type);
    sl_program_add_call("aten::gelu.out", SL_ARGS(x, sl_program_add_string("tanh"), y));
    sl_program_add_call("aten::add.out", SL_ARGS(x, y, sl_program_add_int(1), z));
    sl_program_add_call("aten::mul.Scalar_out", SL_ARGS(x, sl_program_add_double(0.1), scaled));
    sl_program_add_call("aten::pow.Tensor_Scalar_out", SL_ARGS(x, sl_program_add_int(3), cubes));
    sl_program_add_call("aten::tan.out", SL_ARGS(x, tangents));
    sl_program_must_load();
    fill(type, x);
    sl_program_must_execute();
    snprintf(kernel, sizeof(kernel), "sl_unary_gelu_tanh_%s", suffix);
    expect_kernel(0, kernel);
    expect_kernel(1, sum);
    expect_kernel(2, "sl_binary_multiply_f32");
    expect_kernel(3, "sl_binary_multiply_f32");
    expect_kernel(4, "sl_unary_sin_f32");
    for (size_t i = 0; i < COUNT; i++) {
        double v = (double)sl_program_sample(i + x);
        check_element(type, y, i, gelu(v));
        check_element(type, z, i, v + (double)value_of(type, ((uint16_t *)sl_program_bytes(y))[i]));
        check_element(type, scaled, i, v * (double)0.1f);
        check_element(type, cubes, i, v * v * v);
        check_element(type, tangents, i, tan(v));
    }
    sl_program_end();
}

TEST(functions_of_halves_run_kernels_and_round_once)
{
    check_functions(SL_SCALAR_HALF, "f16", "sl_binary_add_f16");
    check_functions(SL_SCALAR_BFLOAT16, "f32", "sl_binary_add_f32");
}

static void check_rows(int type, const char *suffix)
{
    static const char *const of[] = {"softmax", "layer_norm", "mean"};
    char kernel[64];
    sl_program_begin();
    uint32_t x = add_halves(type), soft = add_halves(type), norm = add_halves(type);
    uint32_t means = sl_program_add_typed(type, SL_SIZES(3, 1), true);
    uint32_t mean = sl_program_add_typed(type, SL_SIZES(3, 1), true);
    uint32_t rstd = sl_program_add_typed(type, SL_SIZES(3, 1), true);
    uint32_t last = sl_program_add_int(-1), no = sl_program_add_bool(false);
    uint32_t none = sl_program_add_null(), eps = sl_program_add_double(1e-5);
    sl_program_add_call("aten::_softmax.out", SL_ARGS(x, last, no, soft));
    sl_program_add_call("aten::native_layer_norm.out", SL_ARGS(x, sl_program_add_list(SL_SIZES(40)),
                                                               none, none, eps, norm, mean, rstd));
    sl_program_add_call("aten::mean.out", SL_ARGS(x, sl_program_add_list(SL_SIZES(1)),
                                                  sl_program_add_bool(true), none, means));
    sl_program_must_load();
    fill(type, x);
    sl_program_must_execute();
    for (size_t k = 0; k < 3; k++) {
        snprintf(kernel, sizeof(kernel), "sl_reduce_%s_%s", of[k], suffix);
        expect_kernel(k, kernel);
    }
    for (size_t row = 0; row < 3; row++) {
        double sum = 0, squares = 0, powers = 0;
        for (size_t i = 0; i < 40; i++) {
            double v = (double)sl_program_sample(row * 40 + i + x);
            sum += v;
            squares += v * v;
            powers += exp(v);
        }
        double scale = 1 / sqrt(squares / 40 - sum * sum / 1600 + 1e-5);
        check_element(type, means, row, sum / 40);
        check_element(type, mean, row, sum / 40);
        check_element(type, rstd, row, scale);
        for (size_t i = row * 40; i < row * 40 + 40; i++) {
            double v = (double)sl_program_sample(i + x);
            check_element(type, soft, i, exp(v) / powers);
            check_element(type, norm, i, (v - sum / 40) * scale);
        }
    }
    sl_program_end();
}

TEST(rows_of_halves_run_kernels_and_round_once)
{
    check_rows(SL_SCALAR_HALF, "f16");
    check_rows(SL_SCALAR_BFLOAT16, "f32");
}

/* Sums, extremes and logarithms of lines along the last dimension and along the first. */
static void check_lines(int type, const char *suffix, int64_t dim)
{
    char kernel[64];
    size_t lines = dim == 0 ? 40 : 3, length = COUNT / lines, step = dim == 0 ? 40 : 1;
    const int32_t sizes[2] = {dim == 0 ? 1 : 3, dim == 0 ? 40 : 1};
    sl_program_begin();
    uint32_t x = add_halves(type), logs = add_halves(type), out[3];
    for (size_t k = 0; k < 3; k++)
        out[k] = sl_program_add_typed(type, 2, sizes, true);
    uint32_t at = sl_program_add_int(dim), no = sl_program_add_bool(false);
    uint32_t dims = sl_program_add_list(1, (const int32_t[1]){(int32_t)dim});
    uint32_t yes = sl_program_add_bool(true), none = sl_program_add_null();
    sl_program_add_call("aten::_log_softmax.out", SL_ARGS(x, at, no, logs));
    sl_program_add_call("aten::sum.IntList_out", SL_ARGS(x, dims, yes, none, out[0]));
    sl_program_add_call("aten::amax.out", SL_ARGS(x, dims, yes, out[1]));
    sl_program_add_call("aten::amin.out", SL_ARGS(x, dims, yes, out[2]));
    sl_program_must_load();
    fill(type, x);
    sl_program_must_execute();
    expect_kernel(0, "sl_unary_exp_f32");
    snprintf(kernel, sizeof(kernel), "sl_reduce_mean_%s", suffix);
    expect_kernel(1, kernel);
    snprintf(kernel, sizeof(kernel), "sl_reduce_max_%s", suffix);
    expect_kernel(2, kernel);
    expect_kernel(3, kernel);
    for (size_t line = 0; line < lines; line++) {
        size_t first = line * (dim == 0 ? 1 : 40);
        double sum = 0, powers = 0, most = -9, least = 9;
        for (size_t i = 0; i < length; i++) {
            double v = (double)sl_program_sample(first + i * step + x);
            sum += v;
            powers += exp(v);
            most = fmax(most, v);
            least = fmin(least, v);
        }
        check_element(type, out[0], line, sum);
        check_element(type, out[1], line, most);
        check_element(type, out[2], line, least);
        for (size_t i = 0; i < length; i++)
            check_element(type, logs, first + i * step,
                          (double)sl_program_sample(first + i * step + x) - log(powers));
    }
    sl_program_end();
}

TEST(lines_of_halves_are_summed_and_compared_by_kernels)
{
    for (int64_t dim = 0; dim < 2; dim++) {
        check_lines(SL_SCALAR_HALF, "f16", dim);
        check_lines(SL_SCALAR_BFLOAT16, "f32", dim);
    }
}

/* Elements of every size change places by the kernels that transpose, or by rows. */
TEST(orders_of_elements_change_by_transposing_kernels)
{
    static const struct {
        int type;
        const char *kernel;
    } kinds[] = {{SL_SCALAR_HALF, "sl_transpose_x16"},
                 {SL_SCALAR_CHAR, "sl_transpose_x8"},
                 {SL_SCALAR_FLOAT, "sl_transpose_"}};
    for (size_t k = 0; k < 3; k++) {
        sl_program_begin();
        uint32_t x = sl_program_add_typed(kinds[k].type, SL_SIZES(1, 3, 4, 5), true);
        uint32_t y = sl_program_add_typed(kinds[k].type, SL_SIZES(1, 3, 4, 5), true);
        uint32_t rows = sl_program_add_typed(kinds[k].type, SL_SIZES(2, 3, 4, 5), true);
        sl_program.tensors[y].dim_order = sl_program_order_of(4, true);
        uint32_t no = sl_program_add_bool(false), none = sl_program_add_null();
        sl_program_add_call("dim_order_ops::_to_dim_order_copy.out", SL_ARGS(x, no, none, y));
        sl_program_add_call("aten::expand_copy.out",
                            SL_ARGS(x, sl_program_add_list(SL_SIZES(2, 3, 4, 5)), no, rows));
        sl_program_must_load();
        size_t bytes = sl_scalar_size(kinds[k].type);
        uint8_t *from = sl_program_bytes(x);
        for (size_t i = 0; i < 60 * bytes; i++)
            from[i] = (uint8_t)(i * 7);
        sl_program_must_execute();
        expect_kernel(0, kinds[k].kernel);
        expect_kernel(1, "memcpy");
        const uint8_t *to = sl_program_bytes(y), *twice = sl_program_bytes(rows);
        for (size_t i = 0; i < 60; i++)
            assert_memory_equal(to + i * bytes, from + (i % 3 * 20 + i / 3) * bytes, bytes);
        assert_memory_equal(twice, from, 60 * bytes);
        assert_memory_equal(twice + 60 * bytes, from, 60 * bytes);
        sl_program_end();
    }
}
