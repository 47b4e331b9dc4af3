/* tests/unit/kernels/reduce/test_rms_norm.c: every RMS norm of the lists, element by element,
 * against one in double precision. */
#include <math.h>

#include "kernels/cpu/half.h"
#include "kernels/cpu/isa.h"
#include "kernels/reduce/reduce.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

enum { ROWS = 3 };

/* Units in the last place: four roundings, and the sum's, which grows with the root of its length
 * in each of at least 16 parts. */
static double allowed_ulps(size_t n)
{
    return 4 + sqrt((double)n) / 4;
}

static double float_ulp(double value)
{
    return fmax(ldexp(1, ilogb(fmax(fabs(value), 0x1p-126)) - 23), 0x1p-149);
}

static double root(const float *in, size_t n, float eps)
{
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += (double)in[i] * (double)in[i];
    return 1 / sqrt(squares / (double)n + (double)eps);
}

/* Each row by itself, in double precision. */
static void want_rows(const float *in, size_t n, double want[])
{
    for (size_t row = 0; row < ROWS; row++) {
        double factor = root(in + row * n, n, 1e-6f);
        for (size_t i = 0; i < n; i++)
            want[row * n + i] = (double)in[row * n + i] * factor;
    }
}

static void check_f32(const struct sl_reduce *kernel, size_t n, float scale, bool weighted,
                      bool in_place)
{
    uint32_t seed = (uint32_t)n;
    float *in = sl_case_floats(&seed, ROWS * n), rstd[ROWS];
    float *weight = weighted ? sl_case_floats(&seed, n) : NULL, *out = in;
    double want[ROWS * 1300];
    for (size_t i = 0; i < ROWS * n; i++)
        in[i] *= scale;
    want_rows(in, n, want);
    for (size_t i = 0; weighted && i < ROWS * n; i++)
        want[i] *= (double)weight[i % n];
    double first = root(in, n, 1e-6f);
    if (!in_place)
        out = sl_case_constant(ROWS * n, 77);
    struct sl_reduce_args args = {ROWS, n, 1, in, out, .eps = 1e-6f, .weight = weight};
    args.rstd = weighted ? rstd : NULL;
    kernel->run(&args);
    for (size_t i = 0; i < ROWS * n; i++)
        if (!(fabs((double)out[i] - want[i]) <= allowed_ulps(n) * float_ulp(want[i])))
            fail_msg("%s, %zu elements: element %zu is %.9g, want %.9g", kernel->name, n, i,
                     (double)out[i], want[i]);
    if (weighted)
        assert_true(fabs((double)rstd[0] - first) <= allowed_ulps(n) * float_ulp(first));
    sl_case_free(3, (void *[]){in, weight, in_place ? NULL : out});
}

TEST(every_length_is_exact_to_a_few_units)
{
    const struct sl_reduce *kernel;
    SL_EACH (kernel, reduce, SL_F32) {
        if (kernel->op != SL_REDUCE_RMS_NORM || !sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t n = 1; n < 1300; n += n < 140 ? 1 : 61) {
            check_f32(kernel, n, 3, n % 3, n % 2);
            check_f32(kernel, n, 1e-4f, n % 2, false);
            check_f32(kernel, n, 1e15f, false, true);
        }
    }
}

static void check_f16(const struct sl_reduce *kernel, size_t n, float scale, bool weighted)
{
    uint32_t seed = (uint32_t)n;
    uint16_t *in = sl_case_halves(&seed, ROWS * n, false), rstd[ROWS];
    uint16_t *weight = weighted ? sl_case_halves(&seed, n, false) : NULL;
    uint16_t *out = sl_case_constant_halves(ROWS * n, 0x7777);
    double want[ROWS * 1300];
    for (size_t i = 0; i < ROWS * n; i++)
        in[i] = sl_half_from_float(sl_half_to_float(in[i]) * scale);
    float *wide = sl_case_widen(in, ROWS * n);
    want_rows(wide, n, want);
    for (size_t i = 0; weighted && i < ROWS * n; i++)
        want[i] *= (double)sl_half_to_float(weight[i % n]);
    struct sl_reduce_args args = {ROWS, n, 1, in, out, .eps = 1e-6f, .weight = weight};
    args.rstd = rstd;
    kernel->run(&args);
    sl_case_close_halves(kernel->name, "RMS norm", out, want, ROWS * n, 0.505, 0);
    assert_true(fabs((double)sl_half_to_float(rstd[0]) - root(wide, n, 1e-6f)) <=
                0.505 * sl_case_half_ulp(root(wide, n, 1e-6f)));
    sl_case_free(4, (void *[]){in, weight, out, wide});
}

TEST(every_length_of_halves_is_rounded_once)
{
    const struct sl_reduce *kernel;
    SL_EACH (kernel, reduce, SL_F16) {
        if (kernel->op != SL_REDUCE_RMS_NORM || !sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t n = 1; n < 1300; n += n < 270 ? 1 : 61) {
            check_f16(kernel, n, 3, n % 3);
            check_f16(kernel, n, 60000, n % 2);
        }
    }
}

/* Squares that are infinite make every finite element 0; zeros keep their signs, NaN its row. */
static void check_special(void (*run)(const void *of, const float *in, float *out, size_t n),
                          const void *kernel, bool halves)
{
    float in[45], out[45];
    for (size_t at = 0; at < 45; at++) {
        for (size_t i = 0; i < 45; i++)
            in[i] = i % 3 ? 1.5f : -0.0f;
        run(kernel, in, out, 45);
        for (size_t i = 0; i < 45; i += 3)
            assert_true(out[i] == 0 && signbit(out[i]));
        in[at] = -INFINITY;
        run(kernel, in, out, 45);
        for (size_t i = 0; i < 45; i++)
            assert_true(i == at ? isnan(out[i]) : out[i] == 0);
        in[at] = NAN;
        run(kernel, in, out, 45);
        for (size_t i = 0; i < 45; i++)
            assert_true(isnan(out[i]));
        in[at] = halves ? 0x1p-22f : 0x1p-140f;
        run(kernel, in, out, 45);
        assert_true(fabs((double)out[at] - (double)in[at] * root(in, 45, 0)) <=
                    (halves ? 0x1p-25 : 0x1p-150));
    }
}

static void run_f32(const void *kernel, const float *in, float *out, size_t n)
{
    struct sl_reduce_args args = {1, n, 1, in, out, .eps = 0};
    ((const struct sl_reduce *)kernel)->run(&args);
}

static void run_f16(const void *kernel, const float *in, float *out, size_t n)
{
    uint16_t from[64], to[64];
    for (size_t i = 0; i < n; i++)
        from[i] = sl_half_from_float(in[i]);
    struct sl_reduce_args args = {1, n, 1, from, to, .eps = 0};
    ((const struct sl_reduce *)kernel)->run(&args);
    for (size_t i = 0; i < n; i++)
        out[i] = sl_half_to_float(to[i]);
}

TEST(infinities_nan_zeros_and_denormals_are_as_in_the_separate_operators)
{
    const struct sl_reduce *kernel;
    for (size_t i = 0; (kernel = sl_reduce_at(i)) != NULL; i++) {
        bool halves = kernel->element == SL_F16;
        if (kernel->op == SL_REDUCE_RMS_NORM && (kernel->needs & ~sl_isa_detect()) == 0)
            check_special(halves ? run_f16 : run_f32, kernel, halves);
    }
}

TEST(no_rows_or_no_elements_write_nothing)
{
    const struct sl_reduce *kernel;
    SL_EACH (kernel, reduce, SL_F32) {
        float in = 1, out = 77;
        if (kernel->op != SL_REDUCE_RMS_NORM || !sl_case_may_run(kernel->name, kernel->needs))
            continue;
        kernel->run(&(struct sl_reduce_args){0, 1, 1, &in, &out, .eps = 1});
        kernel->run(&(struct sl_reduce_args){1, 0, 1, &in, &out, .eps = 1});
        assert_true(out == 77);
    }
}
