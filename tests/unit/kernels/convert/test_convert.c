/* tests/unit/kernels/convert/test_convert.c: every conversion of the list against plain formulas,
 * to the bit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/convert/convert.h"
#include "kernels/convert/quantise.h"
#include "kernels/cpu/isa.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

enum { GUARD = 0x5a, BYTES_MAX = 4 };

static const size_t in_bytes[SL_CONVERT_OP_END] = {4, 2, 4, 2, 4, 2, 1, 1, 1};
static const size_t out_bytes[SL_CONVERT_OP_END] = {2, 4, 2, 4, 1, 1, 4, 2, 1};

/* The value of a half, from its fields. */
static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 31)
        return fraction ? (double)NAN : sign * (double)INFINITY;
    return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

static double bfloat_value(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &wide, sizeof(x));
    return (double)x;
}

/* The nearest of all 16-bit patterns of x's sign, ties to the even one. */
static uint16_t nearest(double x, double (*value)(uint16_t), uint16_t infinity)
{
    uint16_t low = 0, high = infinity, sign = signbit(x) ? 0x8000 : 0;
    double size = fabs(x);
    if (isnan(x))
        return (uint16_t)(infinity + 1);
    while (high - low > 1) {
        uint16_t middle = (uint16_t)(low + (high - low) / 2);
        if (value(middle) <= size)
            low = middle;
        else
            high = middle;
    }
    double top = high == infinity
                     ? 2 * value((uint16_t)(infinity - 1)) - value((uint16_t)(infinity - 2))
                     : value(high);
    if (isinf(size))
        return sign | infinity;
    double down = size - value(low), up = top - size;
    return sign | (up < down || (up == down && (high & 1) == 0) ? high : low);
}

static double quantised(double x, const struct sl_convert_args *a)
{
    float y = (float)x * (1.0f / a->out_scale);
    double q = isnan(y) ? 0 : rint((double)y);
    return sl_case_clamp(q + a->out_zero, -128, 127);
}

/* The right value of element i, as a number. */
static double want_of(int op, const struct sl_convert_args *a, size_t i)
{
    double x = in_bytes[op] == 4 ? (double)((const float *)a->in)[i]
               : in_bytes[op] == 1
                   ? (double)((float)(((const int8_t *)a->in)[i] - a->in_zero) * a->in_scale)
               : op == SL_CONVERT_F32_BF16 ? bfloat_value(((const uint16_t *)a->in)[i])
                                           : half_value(((const uint16_t *)a->in)[i]);
    if (op == SL_CONVERT_QS8_QS8) {
        long m = lrint(256.0 * (double)a->in_scale / (double)a->out_scale);
        long y = a->out_zero * 256L - m * a->in_zero + 128 + ((const int8_t *)a->in)[i] * m;
        return sl_case_clamp(floor((double)y / 256), -128, 127);
    }
    if (op == SL_CONVERT_F16_F32 || op == SL_CONVERT_F16_QS8)
        return half_value(nearest(x, half_value, 0x7c00));
    if (op == SL_CONVERT_BF16_F32)
        return bfloat_value(nearest(x, bfloat_value, 0x7f80));
    return op == SL_CONVERT_QS8_F32 || op == SL_CONVERT_QS8_F16 ? quantised(x, a) : x;
}

static double got_of(int op, const void *out, size_t i)
{
    if (out_bytes[op] == 4)
        return (double)((const float *)out)[i];
    if (out_bytes[op] == 1)
        return (double)((const int8_t *)out)[i];
    return (op == SL_CONVERT_BF16_F32 ? bfloat_value : half_value)(((const uint16_t *)out)[i]);
}

static void check(const struct sl_convert *kernel, struct sl_convert_args args)
{
    int op = kernel->op;
    void *out = sl_guarded_new(args.count * out_bytes[op], out_bytes[op]);
    memset(out, GUARD, args.count * out_bytes[op]);
    args.out = out;
    kernel->run(&args);
    for (size_t i = 0; i < args.count; i++) {
        double want = want_of(op, &args, i), got = got_of(op, out, i);
        bool same = isnan(want) ? isnan(got) : got == want && signbit(got) == signbit(want);
        if (!same)
            fail_msg(
                "%s: of %zu elements, scales %g and %g, zeros %d and %d: %zu is %.9g, want %.9g",
                kernel->name, args.count, (double)args.in_scale, (double)args.out_scale,
                args.in_zero, args.out_zero, i, got, want);
    }
    sl_guarded_free(out);
}

/* Bit patterns of the type: all of 8 and 16 bits; of floats a walk through every exponent. */
static void *patterns(size_t bytes, size_t count, uint32_t start)
{
    uint8_t *in = sl_guarded_new(count * bytes, bytes);
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = start + (uint32_t)i * (bytes == 4 ? 0x10f0ffu : 1u);
        memcpy(in + i * bytes, &bits, bytes);
    }
    return in;
}

static const struct sl_convert_args parameters[] = {
    {.in_scale = 0.05f, .out_scale = 0.05f},
    {.in_scale = 0.7f, .out_scale = 1.0f / 64, .in_zero = -128, .out_zero = 127},
    {.in_scale = 3e-3f, .out_scale = 0.9f, .in_zero = 17, .out_zero = -100},
    {.in_scale = 1e4f, .out_scale = 90.0f, .in_zero = 127, .out_zero = -128},
};

TEST(all_lengths_equal_the_formulas)
{
    const struct sl_convert *kernel;
    for (size_t i = 0; (kernel = sl_convert_at(i)) != NULL; i++) {
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t count = 0; count < 300; count += count < 70 ? 1 : 13) {
            struct sl_convert_args args = parameters[count % 4];
            void *in = patterns(in_bytes[kernel->op], count, (uint32_t)(count * 2654435761u));
            args.in = in;
            args.count = count;
            check(kernel, args);
            sl_guarded_free(in);
        }
    }
}

TEST(every_pattern_equals_the_formulas)
{
    const struct sl_convert *kernel;
    for (size_t i = 0; (kernel = sl_convert_at(i)) != NULL; i++) {
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        size_t bytes = in_bytes[kernel->op];
        size_t count = bytes == 1 ? 4099 : bytes == 2 ? 65536 : 20000;
        void *in = patterns(bytes, count, 0);
        for (size_t p = 0; p < sizeof(parameters) / sizeof(parameters[0]); p++) {
            struct sl_convert_args args = parameters[p];
            args.in = in;
            args.count = count;
            check(kernel, args);
            if (out_bytes[kernel->op] != 1 && bytes != 1)
                break; /* no parameters */
        }
        sl_guarded_free(in);
    }
}

/* Halfway between two values, and a bit to either side, at all sizes. */
TEST(ties_round_to_even)
{
    const struct sl_convert *kernel;
    for (size_t i = 0; (kernel = sl_convert_at(i)) != NULL; i++) {
        if (!sl_case_may_run(kernel->name, kernel->needs) || in_bytes[kernel->op] != 4)
            continue;
        float *in = sl_guarded_new(6 * 3 * 1024 * sizeof(float), sizeof(float));
        for (size_t n = 0; n < 3 * 1024; n++) {
            float tie =
                (float)(half_value((uint16_t)(n * 10 + 5)) + half_value((uint16_t)(n * 10 + 6))) /
                2;
            uint16_t low = (uint16_t)(0x3000 + n);
            float wide = (float)(bfloat_value(low) + bfloat_value((uint16_t)(low + 1))) / 2;
            in[6 * n] = tie, in[6 * n + 1] = nextafterf(tie, 0),
                   in[6 * n + 2] = -nextafterf(tie, 1e9f);
            in[6 * n + 3] = wide, in[6 * n + 4] = (float)n * 0.5f - 700, in[6 * n + 5] = -wide;
        }
        check(kernel, (struct sl_convert_args){.count = 6 * 3 * 1024, .in = in, .out_scale = 1});
        sl_guarded_free(in);
    }
}

TEST(select_finds_a_kernel_for_every_operation)
{
    for (int op = 0; op < SL_CONVERT_OP_END; op++) {
        assert_int_equal(sl_convert_select(SL_ISA_NONE, op)->needs, SL_ISA_NONE);
        assert_int_equal(sl_convert_select(sl_isa_detect(), op)->op, op);
    }
}
