/* tests/unit/kernels/convert/test_quantise.c: rows to int8 with parameters of their own, every
 * kernel of the list. */
#include "kernels/convert/quantise.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/cpu/half.h"
#include "kernels/cpu/isa.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

enum { ROWS = 3, GAP = 2, CANARY = 0x5a };

/* One row of the formula in the header, in its own words. */
static void check_row(const char *name, size_t k, const float *x, const int8_t *got,
                      const struct sl_row_params *params)
{
    float low = 0, high = 0;
    for (size_t i = 0; i < k; i++) {
        low = fminf(low, x[i]);
        high = fmaxf(high, x[i]);
    }
    float s = low == high ? 1 : 255 / (high - low), at_low = low * s, at_high = high * s;
    float z = (at_low - 128) + (at_high + 127) > 0 ? -128 - at_low : 127 - at_high;
    z = rintf(fminf(fmaxf(z, -128), 127));
    if (params->scale != 1 / s || params->zero_point != (int)z)
        fail_msg("%s, k=%zu: scale %g and zero point %d, want %g and %d", name, k,
                 (double)params->scale, params->zero_point, (double)(1 / s), (int)z);
    for (size_t i = 0; i < k; i++) {
        int want = (int)fminf(fmaxf(rintf(x[i] * s) + z, -128), 127);
        if (got[i] != want)
            fail_msg("%s, k=%zu: element %zu is %d, want %d", name, k, i, got[i], want);
    }
}

static void check(const struct sl_quantise *kernel, int type, size_t k, float low, float high,
                  uint32_t *seed)
{
    size_t bytes = type == SL_ROWS_F32 ? 4 : 2, stride = k + GAP, count = (ROWS - 1) * stride + k;
    void *in = sl_guarded_new(count * bytes, bytes);
    float *x = malloc((count + 1) * sizeof(float));
    int8_t *out = sl_guarded_new(count, 1);
    struct sl_row_params *params = sl_guarded_new(ROWS * sizeof(*params), 4);
    for (size_t i = 0; i < count; i++) {
        x[i] = low + (high - low) * (float)sl_case_pick(seed, 0, 1000) / 1000;
        out[i] = CANARY;
        if (type == SL_ROWS_F16)
            x[i] = sl_half_to_float(((uint16_t *)in)[i] = sl_half_from_float(x[i]));
        else
            ((float *)in)[i] = x[i];
    }
    const struct sl_rows rows = {in, stride, type, NULL};
    kernel->run(ROWS, k, &rows, out, stride, params);
    for (size_t r = 0; r < ROWS; r++) {
        check_row(kernel->name, k, x + r * stride, out + r * stride, params + r);
        for (size_t i = k; r + 1 < ROWS && i < stride; i++)
            assert_int_equal(out[r * stride + i], CANARY);
    }
    free(x);
    void *const blocks[] = {in, out, params};
    sl_case_free(3, blocks);
}

TEST(rows_of_all_lengths_equal_the_formula)
{
    static const float ranges[][2] = {{-1, 1},     {0.25f, 9}, {-7, -0.5f},
                                      {-1e-3f, 3}, {0, 0},     {-40000, 60}};
    const struct sl_quantise *kernel;
    for (size_t i = 0; (kernel = sl_quantise_at(i)) != NULL; i++) {
        uint32_t seed = 5;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t k = 0; k < 300; k += k < 140 ? 1 : 37) {
            const float *range = ranges[k % (sizeof(ranges) / sizeof(ranges[0]))];
            check(kernel, SL_ROWS_F32, k, range[0], range[1], &seed);
            check(kernel, SL_ROWS_F16, k, range[0], range[1], &seed);
        }
    }
}

TEST(a_nan_spoils_only_its_row)
{
    const struct sl_quantise *kernel;
    for (size_t i = 0; (kernel = sl_quantise_at(i)) != NULL; i++) {
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t at = 0; at < 40; at++) {
            float in[3][40];
            int8_t out[3][40];
            struct sl_row_params params[3];
            for (size_t j = 0; j < 120; j++)
                in[j / 40][j % 40] = (float)j;
            in[1][at] = at % 2 ? NAN : INFINITY;
            const struct sl_rows rows = {in, 40, SL_ROWS_F32, NULL};
            kernel->run(3, 40, &rows, &out[0][0], 40, params);
            assert_false(isfinite(params[1].scale));
            assert_int_equal(params[1].zero_point, 0);
            for (size_t j = 0; j < 40; j++)
                assert_int_equal(out[1][j], 0);
            check_row(kernel->name, 40, in[0], out[0], &params[0]);
            check_row(kernel->name, 40, in[2], out[2], &params[2]);
        }
    }
}

TEST(select_takes_the_first_that_may_run)
{
    assert_int_equal(sl_quantise_select(SL_ISA_NONE)->needs, SL_ISA_NONE);
    assert_int_equal(sl_quantise_select(sl_isa_detect())->needs & ~sl_isa_detect(), 0);
}
