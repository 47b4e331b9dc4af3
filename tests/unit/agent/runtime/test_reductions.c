/* tests/unit/agent/runtime/test_reductions.c: reductions outside delegates against plain loops:
 * along the innermost dimension, short and long, along outer ones, and with NaNs. */
#include <math.h>
#include <string.h>

#include "common/format/scalar_type.h"
#include "kernels/cpu/isa.h"
#include "tests/support/program_case.h"
#include "tests/support/test.h"

struct shape {
    int32_t outer, reduced, inner;
};

static float at(const struct shape *s, const float *x, int32_t i, int32_t k)
{
    return x[(i / s->inner * s->reduced + k) * s->inner + i % s->inner];
}

/* ExecuTorch's choice of the greatest: the first, and the first NaN before all. */
static int32_t greatest(const struct shape *s, const float *x, int32_t i)
{
    int32_t best = 0;
    for (int32_t k = 1; k < s->reduced; k++) {
        float v = at(s, x, i, k), b = at(s, x, i, best);
        if (!isnan(b) && (isnan(v) || v > b))
            best = k;
    }
    return best;
}

static void check_sums(const struct shape *s, const float *x, const float *sums, const float *vars)
{
    for (int32_t i = 0; i < s->outer * s->inner; i++) {
        double sum = 0.0, apart = 0.0;
        for (int32_t k = 0; k < s->reduced; k++)
            sum += (double)at(s, x, i, k);
        for (int32_t k = 0; k < s->reduced; k++)
            apart += pow((double)at(s, x, i, k) - sum / s->reduced, 2.0);
        sl_program_check_float(sums[i], sum);
        if (s->reduced > 1)
            sl_program_check_float(vars[i], apart / (s->reduced - 1));
    }
}

static void check(const struct shape *s, int32_t nan)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(s->outer, s->reduced, s->inner));
    uint32_t dims = sl_program_add_list(SL_SIZES(1)), keep = sl_program_add_bool(false);
    uint32_t one = sl_program_add_int(1), none = sl_program_add_null();
    uint32_t sum = sl_program_add_tensor(SL_SIZES(s->outer, s->inner));
    uint32_t var = sl_program_add_tensor(SL_SIZES(s->outer, s->inner));
    uint32_t most = sl_program_add_tensor(SL_SIZES(s->outer, s->inner));
    uint32_t max = sl_program_add_tensor(SL_SIZES(s->outer, s->inner));
    uint32_t place = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(s->outer, s->inner), true);
    sl_program_add_call("aten::sum.IntList_out", SL_ARGS(x, dims, keep, none, sum));
    sl_program_add_call("aten::var.correction_out", SL_ARGS(x, dims, one, keep, var));
    sl_program_add_call("aten::amax.out", SL_ARGS(x, dims, keep, most));
    sl_program_add_call("aten::max.dim_max", SL_ARGS(x, one, keep, max, place));
    assert_int_equal(sl_program_load(sl_isa_detect()), 0);
    float *in = sl_program_floats(x);
    for (int32_t i = 0; i < s->outer * s->reduced * s->inner; i++)
        in[i] = sl_program_sample((size_t)i * 3 + (size_t)i / 50) + (float)(i % 89) / 64.0f;
    if (nan >= 0)
        in[nan] = NAN;
    assert_int_equal(sl_variant_execute(sl_program.variant, false, &sl_program.diag), 0);
    if (nan < 0)
        check_sums(s, in, sl_program_floats(sum), sl_program_floats(var));
    const int64_t *places = (const int64_t *)(const void *)sl_program_floats(place);
    for (int32_t i = 0; i < s->outer * s->inner; i++) {
        int32_t best = greatest(s, in, i);
        float want = at(s, in, i, best),
              have[2] = {sl_program_floats(most)[i], sl_program_floats(max)[i]};
        assert_int_equal(places[i], best);
        assert_true(isnan(want) ? isnan(have[0]) && isnan(have[1])
                                : have[0] == want && have[1] == want);
    }
    sl_program_end();
}

TEST(any_dimension_is_reduced_as_by_a_plain_loop)
{
    static const struct shape shapes[] = {{1, 700, 1}, {3, 64, 1},  {5, 65, 1},  {20, 9, 1},
                                          {300, 2, 1}, {2, 30, 13}, {3, 5, 100}, {1, 4, 300},
                                          {2, 1, 9},   {1, 1, 1},   {2, 70, 3}};
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        check(&shapes[i], -1);
}

TEST(the_first_nan_is_the_greatest)
{
    static const struct shape row = {1, 300, 1}, columns = {2, 9, 10};
    for (int32_t nan = 0; nan < 300; nan += 23)
        check(&row, nan);
    for (int32_t nan = 0; nan < 180; nan += 23)
        check(&columns, nan);
}

/* Variances of what is not finite are NaN; those of doubles far from zero keep their digits. */
TEST(variances_far_from_zero_are_exact)
{
    static const double far[4] = {1e9 + 1.0, 1e9 + 2.0, 1e9 + 3.0, 1e9 + 4.0};
    sl_program_begin();
    uint32_t x = sl_program_add_typed(SL_SCALAR_DOUBLE, SL_SIZES(4), true);
    uint32_t y = sl_program_add_tensor(SL_SIZES(4)), null = sl_program_add_null();
    uint32_t one = sl_program_add_int(1), no = sl_program_add_bool(false);
    uint32_t wide = sl_program_add_typed(SL_SCALAR_DOUBLE, 0, NULL, true);
    uint32_t narrow = sl_program_add_tensor(0, NULL);
    sl_program_add_call("aten::var.correction_out", SL_ARGS(x, null, one, no, wide));
    sl_program_add_call("aten::var.correction_out", SL_ARGS(y, null, one, no, narrow));
    sl_program_must_load();
    memcpy(sl_program_bytes(x), far, sizeof(far));
    for (int i = 0; i < 4; i++)
        sl_program_floats(y)[i] = i == 2 ? INFINITY : 1.0f;
    sl_program_must_execute();
    assert_true(fabs(*(double *)sl_program_bytes(wide) - 5.0 / 3.0) < 1e-12);
    assert_true(isnan(sl_program_floats(narrow)[0]));
    sl_program_end();
}

/* The mean of so many is not exact in single precision; its rounding is taken off again. */
TEST(variances_around_a_far_mean_keep_their_digits)
{
    enum { COUNT = 2000 };
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(COUNT)), null = sl_program_add_null();
    uint32_t none = sl_program_add_int(0), no = sl_program_add_bool(false);
    uint32_t out = sl_program_add_tensor(0, NULL);
    sl_program_add_call("aten::var.correction_out", SL_ARGS(x, null, none, no, out));
    sl_program_must_load();
    for (int i = 0; i < COUNT; i++)
        sl_program_floats(x)[i] = 30001.0f + (float)(i % 5) * 0.25f;
    sl_program_must_execute();
    assert_true(fabsf(sl_program_floats(out)[0] - 0.125f) < 1e-6f);
    sl_program_end();
}

/* Rounding leaves nothing below zero: a norm takes the root of a variance. */
TEST(variances_of_equal_numbers_are_not_below_zero)
{
    enum { LINES = 50, LENGTH = 47 };
    static const int32_t sizes[2] = {LINES, LENGTH};
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(2, sizes), last = sl_program_add_list(1, (int32_t[]){1});
    uint32_t one = sl_program_add_int(1), no = sl_program_add_bool(false);
    uint32_t out = sl_program_add_tensor(SL_SIZES(LINES));
    sl_program_add_call("aten::var.correction_out", SL_ARGS(x, last, one, no, out));
    sl_program_must_load();
    for (int i = 0; i < LINES * LENGTH; i++)
        sl_program_floats(x)[i] = 1.95f + 0.001f * (float)(i / LENGTH);
    sl_program_must_execute();
    for (int i = 0; i < LINES; i++)
        assert_true(sl_program_floats(out)[i] >= 0 && !signbit(sl_program_floats(out)[i]));
    sl_program_end();
}

/* An empty list is no dimension for any(), every one for sums; nothing has the farthest extremes.
 */
TEST(nothing_is_reduced_as_executorch_reduces_it)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(2, 2)), none = sl_program_add_list(0, NULL);
    uint32_t no = sl_program_add_bool(false),
             any = sl_program_add_typed(SL_SCALAR_BOOL, SL_SIZES(2, 2), true);
    uint32_t empty = sl_program_add_typed(SL_SCALAR_SHORT, SL_SIZES(0, 3), true);
    uint32_t most = sl_program_add_typed(SL_SCALAR_SHORT, 0, NULL, true);
    uint32_t least = sl_program_add_typed(SL_SCALAR_SHORT, 0, NULL, true);
    sl_program_add_call("aten::any.dims_out", SL_ARGS(x, none, no, any));
    sl_program_add_call("aten::max.unary_out", SL_ARGS(empty, most));
    sl_program_add_call("aten::min.unary_out", SL_ARGS(empty, least));
    sl_program_must_load();
    for (int i = 0; i < 4; i++)
        sl_program_floats(x)[i] = i % 2 == 0 ? 0.0f : -3.0f;
    sl_program_must_execute();
    assert_memory_equal(sl_program_bytes(any), "\0\1\0\1", 4);
    assert_int_equal(*(int16_t *)sl_program_bytes(most), INT16_MIN);
    assert_int_equal(*(int16_t *)sl_program_bytes(least), INT16_MAX);
    sl_program_end();
}

TEST(a_dimension_that_is_the_least_number_is_refused)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(2, 3)), keep = sl_program_add_bool(false);
    uint32_t dim = sl_program_add_int(INT64_MIN), y = sl_program_add_tensor(SL_SIZES(2));
    uint32_t none = sl_program_add_null();
    sl_program_add_call("aten::prod.int_out", SL_ARGS(x, dim, keep, none, y));
    assert_int_equal(sl_program_load(0), 0);
    assert_int_equal(sl_program_execute(), SL_ET_INVALID_ARGUMENT);
    sl_program_end();
}
