/* tests/unit/kernels/reduce/test_reduce.c: every reduction of the list against a plain one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/reduce/reduce.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

static void mean_of(const struct sl_reduce_args *a, double *want)
{
    for (size_t o = 0; o < a->outer; o++)
        for (size_t i = 0; i < a->inner; i++) {
            double sum = 0;
            for (size_t r = 0; r < a->reduced; r++)
                sum += (double)((const float *)a->in)[(o * a->reduced + r) * a->inner + i];
            want[o * a->inner + i] = sum * (double)a->scale;
        }
}

static void largest_of(const struct sl_reduce_args *a, double *want)
{
    for (size_t i = 0; i < a->outer * a->inner; i++) {
        const float *in =
            (const float *)a->in + i / a->inner * a->reduced * a->inner + i % a->inner;
        want[i] = (double)in[0];
        for (size_t r = 1; r < a->reduced; r++) {
            double x = (double)in[r * a->inner];
            want[i] = isnan(want[i]) || x <= want[i] ? want[i] : x;
        }
    }
}

static void softmax_of(const struct sl_reduce_args *a, double *want)
{
    for (size_t o = 0; o < a->outer; o++, want += a->reduced) {
        const float *in = (const float *)a->in + o * a->reduced;
        double max = (double)-INFINITY, sum = 0;
        for (size_t r = 0; r < a->reduced; r++)
            max = (double)in[r] > max ? (double)in[r] : max;
        for (size_t r = 0; r < a->reduced; r++)
            sum += want[r] = exp((double)in[r] - max);
        for (size_t r = 0; r < a->reduced; r++)
            want[r] /= sum;
    }
}

static void layer_norm_of(const struct sl_reduce_args *a, double *want, double *mean, double *rstd)
{
    double n = (double)a->reduced;
    for (size_t o = 0; o < a->outer; o++, want += a->reduced) {
        const float *in = (const float *)a->in + o * a->reduced;
        double sum = 0, squares = 0;
        for (size_t r = 0; r < a->reduced; r++)
            sum += (double)in[r];
        for (size_t r = 0; r < a->reduced; r++)
            squares += ((double)in[r] - sum / n) * ((double)in[r] - sum / n);
        mean[o] = sum / n;
        rstd[o] = 1 / sqrt(squares / n + (double)a->eps);
        for (size_t r = 0; r < a->reduced; r++)
            want[r] = ((double)in[r] - mean[o]) * rstd[o] *
                          (a->weight ? (double)((const float *)a->weight)[r] : 1) +
                      (a->bias ? (double)((const float *)a->bias)[r] : 0);
    }
}

static void rms_norm_of(const struct sl_reduce_args *a, double *want, double *rstd)
{
    for (size_t o = 0; o < a->outer; o++, want += a->reduced) {
        const float *in = (const float *)a->in + o * a->reduced;
        double squares = 0;
        for (size_t r = 0; r < a->reduced; r++)
            squares += (double)in[r] * (double)in[r];
        rstd[o] = 1 / sqrt(squares / (double)a->reduced + (double)a->eps);
        for (size_t r = 0; r < a->reduced; r++)
            want[r] =
                (double)in[r] * rstd[o] * (a->weight ? (double)((const float *)a->weight)[r] : 1);
    }
}

static void compute(int op, const struct sl_reduce_args *a, double *want, double *mean,
                    double *rstd)
{
    if (op == SL_REDUCE_MEAN)
        mean_of(a, want);
    else if (op == SL_REDUCE_MAX)
        largest_of(a, want);
    else if (op == SL_REDUCE_SOFTMAX)
        softmax_of(a, want);
    else if (op == SL_REDUCE_RMS_NORM)
        rms_norm_of(a, want, rstd);
    else
        layer_norm_of(a, want, mean, rstd);
}

static void check(const struct sl_reduce *kernel, struct sl_reduce_args a, float *in, bool affine,
                  uint32_t *seed)
{
    bool folds = sl_reduce_folds(kernel->op), in_place = !folds && sl_case_pick(seed, 0, 1);
    a.inner = folds ? a.inner : 1;
    size_t count = folds ? a.outer * a.inner : a.outer * a.reduced;
    a.in = in;
    a.eps = 1e-5f;
    a.scale = 1.0f / (float)a.reduced;
    a.weight = affine ? sl_case_floats(seed, a.reduced) : NULL;
    a.bias = affine ? sl_case_floats(seed, a.reduced) : NULL;
    a.mean = affine ? sl_case_constant(a.outer, 77) : NULL;
    a.rstd = affine ? sl_case_constant(a.outer, 77) : NULL;
    double *want = calloc(count + 2 * a.outer, sizeof(double)), *mean = want + count,
           *rstd = mean + a.outer;
    compute(kernel->op, &a, want, mean, rstd);
    a.out = in_place ? in : sl_case_constant(count, 77);
    kernel->run(&a);
    char shape[96];
    snprintf(shape, sizeof(shape), "outer %zu reduced %zu inner %zu", a.outer, a.reduced, a.inner);
    sl_case_close(kernel->name, shape, a.out, want, count, 1e-5);
    if (affine && kernel->op == SL_REDUCE_LAYER_NORM)
        sl_case_close(kernel->name, shape, a.mean, mean, a.outer, 1e-5);
    if (affine && kernel->op >= SL_REDUCE_LAYER_NORM)
        sl_case_close(kernel->name, shape, a.rstd, rstd, a.outer, 1e-5);
    free(want);
    if (!in_place)
        sl_guarded_free(a.out);
    if (affine) {
        sl_guarded_free((void *)a.weight);
        sl_guarded_free((void *)a.bias);
        sl_guarded_free(a.mean);
        sl_guarded_free(a.rstd);
    }
}

TEST(random_shapes_equal_the_reference)
{
    const struct sl_reduce *kernel;
    SL_EACH (kernel, reduce, SL_F32) {
        uint32_t seed = 11;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (int n = 0; n < 200; n++) {
            size_t high = n % 4 == 0 ? 200 : 40;
            struct sl_reduce_args a = {
                sl_case_pick(&seed, 1, 5), sl_case_pick(&seed, 1, high),
                sl_case_pick(&seed, 0, 3) == 0 ? 1 : sl_case_pick(&seed, 1, high), .scale = 0};
            float *in = sl_case_floats(&seed, a.outer * a.reduced *
                                                  (sl_reduce_folds(kernel->op) ? a.inner : 1));
            check(kernel, a, in, n & 1, &seed);
            sl_guarded_free(in);
        }
    }
}

/* Rows of few columns stand side by side in vectors. */
TEST(means_of_two_to_256_columns_equal_the_reference)
{
    const struct sl_reduce *kernel;
    SL_EACH (kernel, reduce, SL_F32) {
        uint32_t seed = 13;
        if (kernel->op != SL_REDUCE_MEAN || !sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t inner = 2; inner <= 256; inner *= 2)
            for (size_t n = 1; n < 600; n = 3 * n + 1) {
                struct sl_reduce_args a = {3, n, inner, .scale = 0};
                float *in = sl_case_floats(&seed, 3 * n * inner);
                check(kernel, a, in, false, &seed);
                sl_guarded_free(in);
            }
    }
}

TEST(softmax_of_far_apart_values_is_accurate_element_by_element)
{
    static const float bases[] = {1000, 0, -1000, 3e6f, -3e6f};
    const struct sl_reduce *kernel;
    SL_EACH (kernel, reduce, SL_F32) {
        if (kernel->op != SL_REDUCE_SOFTMAX || !sl_case_may_run(kernel->name, kernel->needs))
            continue;
        float in[1001], out[1001];
        double want[1001];
        for (int b = 0; b < 5; b++) {
            for (size_t r = 0; r < 1001; r++)
                in[r] = (b > 2 ? 80.0f : 0) + bases[b] - (float)r * 0.08f;
            struct sl_reduce_args a = {1, 1001, 1, in, out, .scale = 0};
            softmax_of(&a, want);
            kernel->run(&a);
            for (size_t r = 0; r < 1001; r++)
                if (fabs((double)out[r] - want[r]) > 4e-6 * want[r])
                    fail_msg("%s, from %g: element %zu is %.9g, want %.9g", kernel->name,
                             (double)bases[b], r, (double)out[r], want[r]);
        }
    }
}

TEST(softmax_of_minus_infinity_is_zero_and_of_nan_is_nan)
{
    const struct sl_reduce *kernel;
    SL_EACH (kernel, reduce, SL_F32) {
        if (kernel->op != SL_REDUCE_SOFTMAX || !sl_case_may_run(kernel->name, kernel->needs))
            continue;
        float in[21], out[21];
        for (size_t r = 0; r < 21; r++)
            in[r] = r % 3 ? -INFINITY : r % 2 ? -3.4e38f : 1;
        struct sl_reduce_args a = {1, 21, 1, in, out, .scale = 0};
        kernel->run(&a);
        for (size_t r = 0; r < 21; r++)
            assert_true(r % 6 ? out[r] == 0 : fabsf(out[r] - 0.25f) < 1e-6f);
        in[20] = NAN;
        kernel->run(&a);
        for (size_t r = 0; r < 21; r++)
            assert_true(isnan(out[r]));
    }
}

/* Rows, and columns that lie side by side, of two lengths. */
TEST(the_largest_is_exact_and_a_nan_wins_wherever_it_stands)
{
    const struct sl_reduce *kernel;
    SL_EACH (kernel, reduce, SL_F32) {
        if (kernel->op != SL_REDUCE_MAX || !sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t n = 1; n < 2100; n += n < 80 ? 1 : 67)
            for (size_t inner = 1; inner < 40; inner += 19) {
                float *in = sl_case_constant(n * inner, -INFINITY);
                float *out = sl_case_constant(inner, 77);
                struct sl_reduce_args a = {1, n, inner, in, out, .scale = 0};
                kernel->run(&a);
                assert_true(out[inner - 1] == -INFINITY);
                size_t at = (n * 7 / 11) * inner + inner - 1;
                in[at] = -3e-45f; /* a denormal */
                kernel->run(&a);
                assert_true(out[inner - 1] == in[at]);
                in[inner - 1] = INFINITY;
                in[at] = NAN;
                kernel->run(&a);
                assert_true(isnan(out[inner - 1]));
                sl_case_free(2, (void *[]){in, out});
            }
    }
}

/* Rows are computed several at a time, and so are what whole turns of vectors leave of them. */
TEST(rows_of_all_lengths_equal_the_reference)
{
    const struct sl_reduce *kernel;
    SL_EACH (kernel, reduce, SL_F32) {
        uint32_t seed = 5;
        if (kernel->op <= SL_REDUCE_MAX || !sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t length = 1; length < 900; length += length < 140 ? 3 : 23) {
            struct sl_reduce_args a = {4 + length % 6, length, 1, .scale = 0};
            float *in = sl_case_floats(&seed, a.outer * length);
            check(kernel, a, in, length & 1, &seed);
            sl_guarded_free(in);
        }
    }
}

static void check_odd_rows(const struct sl_reduce *kernel, size_t length)
{
    enum { ROWS = 6, MOST = 300 };
    float in[ROWS * MOST], out[ROWS * MOST];
    double want[ROWS * MOST];
    for (size_t i = 0; i < ROWS * length; i++)
        in[i] = (float)(i * 7 % 11);
    in[length] = -INFINITY;
    in[2 * length + length / 2] = NAN;
    in[5 * length - 1] = INFINITY;
    struct sl_reduce_args a = {ROWS, length, 1, in, out, .scale = 0};
    softmax_of(&a, want);
    kernel->run(&a);
    for (size_t i = 0; i < ROWS * length; i++) {
        bool nan = i / length == 2 || i / length == 4;
        assert_int_equal(isnan(out[i]) != 0, nan);
        assert_true(nan || fabs((double)out[i] - want[i]) <= 4e-6 * want[i]);
    }
}

TEST(softmax_of_a_row_knows_nothing_of_its_neighbours)
{
    static const size_t lengths[] = {2, 5, 15, 21, 45, 70, 90, 110, 150, 290};
    const struct sl_reduce *kernel;
    SL_EACH (kernel, reduce, SL_F32) {
        bool runs = kernel->op == SL_REDUCE_SOFTMAX && sl_case_may_run(kernel->name, kernel->needs);
        for (size_t n = 0; runs && n < sizeof(lengths) / sizeof(lengths[0]); n++)
            check_odd_rows(kernel, lengths[n]);
    }
}

TEST(select_gives_the_operator_asked_for)
{
    for (int op = SL_REDUCE_MEAN; op <= SL_REDUCE_RMS_NORM; op++) {
        assert_int_equal(sl_reduce_select(SL_ISA_NONE, SL_F32, op)->op, op);
        assert_int_equal(sl_reduce_select(sl_isa_detect(), SL_F32, op)->op, op);
    }
}
