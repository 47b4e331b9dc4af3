/* kernels/unary/exponential_sme2.h: the exponential family in streaming mode: its constants; of the
 * type that the including file names (kernels/cpu/element.h), the kernels KERNEL(verb), the
 * assembly FUNCTION(verb). */
#pragma once

#include <arm_sme.h>

#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"

struct sl_elementary { /* the assembly knows its layout */
    size_t count;
    const SL_ELEMENT *in;
    SL_ELEMENT *out;
    const float *table;
    float a;
};

#define LOG2_E 0x1.715476p+0f
#define LN2_HIGH 0x1.62e400p-1f /* 14 bits: its products with whole numbers are exact */
#define LN2_LOW 0x1.7f7d1cp-20f

/* e^r = 1 + r + C2 r^2 + ... for |r| <= ln 2 / 2, relative error 3.1e-9. */
#define C2 0x1.fffffcp-2f
#define C3 0x1.555492p-3f
#define C4 0x1.5558b2p-5f
#define C5 0x1.12398ep-7f
#define C6 0x1.6a4b36p-10f

/* The same for the relative error of e^r - 1: 1.4e-8. */
#define D2 0x1.fffffep-2f
#define D3 0x1.5554b4p-3f
#define D4 0x1.5556f2p-5f
#define D5 0x1.12254ap-7f
#define D6 0x1.6b9c66p-10f

/* For each function: factors of the reduction, coefficients, lower and upper bound of x. */
#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_f16
/* As power_f16_sme2_asm.S says. */
#define POWER_OF_2                                                                                 \
    0x1.ffffe8p-1f, 0x1.62e0dcp-1f - 1, 0x1.ec06dap-3f, 0x1.ca1442p-5f, 0x1.3997d6p-7f
static const float exp_table[] = {POWER_OF_2, 0x1.714p+0f, 0x1.478p-12f, -20, 12};
static const float sigmoid_table[] = {POWER_OF_2, -0x1.714p+0f, -0x1.478p-12f, -20, 20};
#else
static const float exp_table[] = {LOG2_E, LN2_HIGH, LN2_LOW, 0, C2, C3,   C4,
                                  C5,     C6,       0,       0, 0,  -104, 89};
static const float sigmoid_table[] = {LOG2_E, LN2_HIGH, LN2_LOW, 0, C2, C3,   C4,
                                      C5,     C6,       0,       0, 0,  -104, 88};
#endif
static const float elu_table[] = {LOG2_E, LN2_HIGH, LN2_LOW, 0, D2, D3,  D4,
                                  D5,     D6,       0,       0, 0,  -18, -0.0f};
static const float tanh_table[] = {2 * LOG2_E, LN2_HIGH / 2, LN2_LOW / 2, 2, 4 * D2, 8 * D3,
                                   16 * D4,    32 * D5,      64 * D6,     0, 0,      0,
                                   -9.1f,      9.1f};
/* 1/6 in two parts, for f32 only */
static const float hardswish_table[] = {
    0x1.555554p-3f, 0x1.555556p-27f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_f16
/* As gelu_f16_sme2_asm.S says. */
static const float gelu_table[] = {0x1.14ca00p-15f,
                                   -0x1.8bf472p-11f,
                                   0x1.054890p-7f,
                                   -0x1.b3282ap-5f,
                                   -0x1.d61e8cp-2f,
                                   -0x1.26ac4ap+0f,
                                   -0x1.00005cp+0f,
                                   0x1.ffffe8p-1f,
                                   0x1.3997d6p-7f,
                                   0x1.ca1442p-5f,
                                   0x1.ec06dap-3f,
                                   0x1.62e0dcp-1f - 1,
                                   5.8f};
#else
/* Behind the bounds h of t in [0, 14.6], where Phi(-t) ends in f32: relative error 1.8e-8. c is
 * near the reciprocal where h falls fastest, and short. */
static const float gelu_table[] = {-LOG2_E / 2,
                                   2 * LN2_HIGH,
                                   2 * LN2_LOW,
                                   3,
                                   C2 / 4,
                                   C3 / 8,
                                   C4 / 16,
                                   C5 / 32,
                                   C6 / 64,
                                   0.5f,
                                   -341.0f / 4096,
                                   0,
                                   14.6f,
                                   -0.0f,
                                   0,
                                   0,
                                   0x1.6657f0p-5f,
                                   0x1.5e3ee0p-1f,
                                   0x1.2e5604p+1f,
                                   0x1.992e34p+2f,
                                   0x1.728800p+3f,
                                   0x1.2d7a6ep+2f,
                                   -0x1.2f84eap+5f,
                                   -0x1.4a4886p+7f,
                                   0x1.24b2cap+9f,
                                   -0x1.05d2c6p+9f,
                                   0,
                                   0};
#endif

#define SL_EXPONENTIAL(verb, code)                                                                 \
    void FUNCTION(verb)(const void *args) __arm_streaming __arm_inout("za");                       \
    static void run_##verb(size_t count, const SL_ELEMENT *in, SL_ELEMENT *out, float a, float b)  \
    {                                                                                              \
        struct sl_elementary args = {count, in, out, verb##_table, a};                             \
        (void)b;                                                                                   \
        sl_streaming_run_za(FUNCTION(verb), &args);                                                \
    }                                                                                              \
    const struct SL_NAME(sl_unary, ) KERNEL(verb) = {                                              \
        .name = SL_TEXT(KERNEL(verb)),                                                             \
        .needs = SL_ISA_SME2,                                                                      \
        .op = code,                                                                                \
        .run = run_##verb,                                                                         \
    };

SL_EXPONENTIAL(exp, SL_UNARY_EXP)
SL_EXPONENTIAL(sigmoid, SL_UNARY_SIGMOID)
SL_EXPONENTIAL(tanh, SL_UNARY_TANH)
SL_EXPONENTIAL(elu, SL_UNARY_ELU)
SL_EXPONENTIAL(hardswish, SL_UNARY_HARDSWISH)
SL_EXPONENTIAL(gelu, SL_UNARY_GELU)
