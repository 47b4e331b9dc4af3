/* tests/unit/kernels/reduce/test_reduce_f16.c: every f16 reduction of the list against the portable
 * f32 one. */
#include <math.h>
#include <stdio.h>

#include "kernels/cpu/half.h"
#include "kernels/cpu/isa.h"
#include "kernels/reduce/reduce.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

/* Operands of both types; weight and bias are of a layer norm. */
struct rows {
    size_t outer, reduced, inner, count, out_count;
    uint16_t *in, *weight, *bias;
};

static float *in_f32(const struct sl_reduce *kernel, const struct rows *r)
{
    float *in = sl_case_widen(r->in, r->count), *out = sl_case_constant(r->out_count, 0);
    float *weight = r->weight ? sl_case_widen(r->weight, r->reduced) : NULL;
    float *bias = r->bias ? sl_case_widen(r->bias, r->reduced) : NULL;
    struct sl_reduce_args args = {.outer = r->outer, .reduced = r->reduced, .inner = r->inner};
    args.in = in;
    args.out = out;
    args.scale = 1 / (float)r->reduced;
    args.eps = 1e-3f;
    args.weight = weight;
    args.bias = bias;
    sl_reduce_select(SL_ISA_NONE, SL_F32, kernel->op)->run(&args);
    sl_case_free(3, (void *[]){in, weight, bias});
    return out;
}

static void check(const struct sl_reduce *kernel, struct rows r, uint32_t *seed, float scale)
{
    bool norm = kernel->op >= SL_REDUCE_LAYER_NORM;
    r.inner = sl_reduce_folds(kernel->op) ? r.inner : 1;
    r.count = r.outer * r.reduced * r.inner;
    r.out_count = sl_reduce_folds(kernel->op) ? r.outer * r.inner : r.count;
    r.in = sl_case_halves(seed, r.count, false);
    for (size_t i = 0; i < r.count; i++)
        r.in[i] = sl_half_from_float(sl_half_to_float(r.in[i]) * scale);
    r.weight = norm && r.reduced % 2 ? sl_case_halves(seed, r.reduced, false) : NULL;
    r.bias = norm && r.reduced % 3 ? sl_case_halves(seed, r.reduced, false) : NULL;
    uint16_t *out = sl_case_constant_halves(r.out_count, 0x7777);
    float *want = in_f32(kernel, &r);
    struct sl_reduce_args args = {.outer = r.outer, .reduced = r.reduced, .inner = r.inner};
    args.in = r.in;
    args.out = out;
    args.scale = 1 / (float)r.reduced;
    args.eps = 1e-3f;
    args.weight = r.weight;
    args.bias = r.bias;
    kernel->run(&args);
    char shape[64];
    snprintf(shape, sizeof(shape), "%zux%zux%zu", r.outer, r.reduced, r.inner);
    sl_case_close_to_f32(kernel->name, shape, out, want, r.out_count,
                         norm ? 1e-4
                         : kernel->op == SL_REDUCE_SOFTMAX && (kernel->needs & SL_ISA_FP16) != 0
                             ? 2e-3 /* in half precision, as XNNPACK does */
                             : 2e-6);
    if (!sl_reduce_folds(kernel->op)) { /* in place */
        args.out = r.in;
        kernel->run(&args);
        assert_memory_equal(r.in, out, r.out_count * sizeof(*out));
    }
    sl_case_free(5, (void *[]){r.in, r.weight, r.bias, out, want});
}

TEST(every_length_equals_f32)
{
    const struct sl_reduce *kernel;
    SL_EACH (kernel, reduce, SL_F16) {
        uint32_t seed = 3;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t n = 1; n < 600; n += n < 70 ? 1 : 53) {
            check(kernel, (struct rows){.outer = 2, .reduced = n, .inner = 1}, &seed, 4);
            check(kernel, (struct rows){.outer = 1, .reduced = n % 11 + 1, .inner = n}, &seed, 1);
        }
        for (size_t inner = 2; inner < 600; inner *= 2) /* rows side by side in vectors */
            for (size_t n = 1; n < 600; n = 3 * n + 1)
                check(kernel, (struct rows){.outer = 3, .reduced = n, .inner = inner}, &seed, 1);
        check(kernel, (struct rows){.outer = 1, .reduced = 3000, .inner = 1}, &seed, 8);
        check(kernel, (struct rows){.outer = 1, .reduced = 9000, .inner = 1}, &seed, 1);
        check(kernel, (struct rows){.outer = 2, .reduced = 49, .inner = 1100}, &seed, 60);
    }
}

TEST(means_of_rows_keep_what_halves_cannot_sum)
{
    const struct sl_reduce *kernel;
    SL_EACH (kernel, reduce, SL_F16) {
        uint16_t in[4096], out = 0;
        for (size_t j = 0; j < 4096; j++)
            in[j] = sl_half_from_float(j % 2 ? 60000 : 59968);
        struct sl_reduce_args args = {.outer = 1, .reduced = 4096, .inner = 1};
        args.in = in;
        args.out = &out;
        args.scale = 1.0f / 4096;
        if (kernel->op != SL_REDUCE_MEAN || !sl_case_may_run(kernel->name, kernel->needs))
            continue;
        kernel->run(&args);
        assert_true(fabsf(sl_half_to_float(out) - 59984) <= 16);
    }
}

/* Layer norm of 3 rows around `centre`, spread over `spread`, by double precision. */
static void check_norm(const struct sl_reduce *kernel, size_t n, double centre, double spread,
                       float eps)
{
    uint32_t seed = 5;
    uint16_t *in = sl_case_halves(&seed, 3 * n, false), *out = sl_case_constant_halves(3 * n, 0);
    uint16_t *weight = sl_case_halves(&seed, n, false), *bias = sl_case_halves(&seed, n, false);
    uint16_t mean[3], rstd[3];
    float *want = sl_case_constant(3 * n, 0);
    for (size_t i = 0; i < 3 * n; i++)
        in[i] = sl_half_from_float((float)(centre + spread * (double)sl_half_to_float(in[i])));
    struct sl_reduce_args args = {.outer = 3, .reduced = n, .inner = 1, .eps = eps};
    args.in = in;
    args.out = out;
    args.weight = weight;
    args.bias = bias;
    args.mean = mean;
    args.rstd = rstd;
    kernel->run(&args);
    for (size_t r = 0; r < 3; r++) {
        double m = 0, v = 0;
        for (size_t i = 0; i < n; i++)
            m += (double)sl_half_to_float(in[r * n + i]) / (double)n;
        for (size_t i = 0; i < n; i++)
            v += pow((double)sl_half_to_float(in[r * n + i]) - m, 2) / (double)n;
        double a = 1 / sqrt(v + (double)eps);
        for (size_t i = 0; i < n; i++)
            want[r * n + i] = (float)(((double)sl_half_to_float(in[r * n + i]) - m) * a *
                                          (double)sl_half_to_float(weight[i]) +
                                      (double)sl_half_to_float(bias[i]));
        assert_true(fabs((double)sl_half_to_float(mean[r]) - m) <= 0.6 * sl_case_half_ulp(m));
        assert_true(a > 65000 || fabs((double)sl_half_to_float(rstd[r]) - a) <= 1e-3 * a);
    }
    sl_case_close_to_f32(kernel->name, "layer norm", out, want, 3 * n, 1e-3);
    sl_case_free(5, (void *[]){in, out, weight, bias, want});
}

TEST(norms_of_rows_far_from_zero_or_hardly_spread_are_exact)
{
    const struct sl_reduce *kernel;
    SL_EACH (kernel, reduce, SL_F16) {
        if (kernel->op != SL_REDUCE_LAYER_NORM || !sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t n = 1; n < 1200; n = 3 * n + 1) {
            check_norm(kernel, n, 1000, 8, 1e-5f);
            check_norm(kernel, n, -3000, 2, 1e-5f);
            check_norm(kernel, n, 0, 60000, 1e-5f);
            check_norm(kernel, n, 0, 1e-4, 1e-12f);
            check_norm(kernel, n, 0.01, 1e-3, 1e-12f);
        }
    }
}

/* Rows of `count` halves, one of which is `odd`; the others are `rest`. */
static void check_special(const struct sl_reduce *kernel, size_t count, float odd, float rest)
{
    struct rows r = {.outer = 1, .reduced = count, .inner = 1, .count = count, .out_count = count};
    r.in = sl_case_constant_halves(count, sl_half_from_float(rest));
    r.in[count / 2] = sl_half_from_float(odd);
    uint16_t *out = sl_case_constant_halves(count, 0x7777);
    float *want = in_f32(kernel, &r);
    struct sl_reduce_args args = {.outer = 1, .reduced = count, .inner = 1};
    args.in = r.in;
    args.out = out;
    kernel->run(&args);
    sl_case_close_to_f32(kernel->name, "special", out, want, count,
                         (kernel->needs & SL_ISA_FP16) != 0 ? 2e-3 : 4e-6);
    sl_case_free(3, (void *[]){r.in, out, want});
}

TEST(softmax_of_infinities_nans_and_large_numbers_is_as_in_f32)
{
    const struct sl_reduce *kernel;
    SL_EACH (kernel, reduce, SL_F16) {
        if (kernel->op != SL_REDUCE_SOFTMAX || !sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t count = 1; count < 1200; count = 2 * count + 1) {
            check_special(kernel, count, -INFINITY, 3);
            check_special(kernel, count, 3, -INFINITY);
            check_special(kernel, count, -INFINITY, -INFINITY);
            check_special(kernel, count, INFINITY, 3);
            check_special(kernel, count, NAN, 3);
            check_special(kernel, count, 1000, 1003.5f);
            check_special(kernel, count, 60000, 60032);
            check_special(kernel, count, -65504, 65504);
        }
    }
}
