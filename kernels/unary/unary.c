/* kernels/unary/unary.c: which kernel of the list serves a run. */
#include "kernels/unary/unary.h"

#include <stdbool.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/policy.h"

#define SL_FAMILY sl_unary
#define SL_LIST "kernels/unary/unary.inc"
#define SL_ALLOWED SL_POLICY_UNARY
#define SL_WANT , int element, int op
#define SL_SERVES(kernel) (kernel)->element == element && (kernel)->op == op
#include "kernels/cpu/dispatch.inc"

enum engine { WITH_SME2, WITH_NEON, PORTABLE, ENGINES };

static double most_ulp_of_halves(const struct sl_unary *kernel)
{
    if (kernel->op <= SL_UNARY_SIGN)
        return 0;
    if (kernel->op == SL_UNARY_HARDSWISH && (kernel->needs & (SL_ISA_SME2 | SL_ISA_FP16)) != 0)
        return 2.2;
    return 0.51;
}

double sl_unary_most_ulp(const struct sl_unary *kernel)
{
    static const double most[SL_UNARY_OP_END][ENGINES] = {
        [SL_UNARY_SQRT] = {0.51, 0.51, 0.51},   [SL_UNARY_RSQRT] = {1.5, 1.5, 1.5},
        [SL_UNARY_EXP] = {1.1, 1.1, 1},         [SL_UNARY_LOG] = {1.3, 1.3, 1},
        [SL_UNARY_SIN] = {1.6, 1.6, 1},         [SL_UNARY_COS] = {1.6, 1.6, 1},
        [SL_UNARY_SIGMOID] = {2.4, 2.4, 2.4},   [SL_UNARY_TANH] = {2.9, 2.8, 2.2},
        [SL_UNARY_HARDSWISH] = {2.4, 2.4, 2.4}, [SL_UNARY_GELU] = {4, 3.9, 0.6},
        [SL_UNARY_ELU] = {1.7, 2, 1.5},         [SL_UNARY_LEAKY_RELU] = {0.51, 0.51, 0.51},
        [SL_UNARY_GELU_TANH] = {130, 130, 0.6}, [SL_UNARY_RECIPROCAL] = {0.51, 0.51, 0.51},
        [SL_UNARY_ROOT] = {0.51, 0.51, 0.51},   [SL_UNARY_INVERSE_ROOT] = {1.5, 1.5, 1},
        [SL_UNARY_EXPM1] = {1.3, 1.3, 1},       [SL_UNARY_LOG1P] = {0.8, 0.8, 1},
        [SL_UNARY_LOG2] = {0.8, 0.8, 1},        [SL_UNARY_LOG10] = {0.9, 0.9, 1.7},
        [SL_UNARY_ERF] = {1.1, 1.1, 1},         [SL_UNARY_SINH] = {2.1, 2.1, 1.7},
        [SL_UNARY_COSH] = {1.9, 1.9, 1.1},      [SL_UNARY_ASINH] = {1.4, 1.4, 1.4},
        [SL_UNARY_ACOSH] = {2, 2, 2},           [SL_UNARY_ATANH] = {1.8, 1.8, 1.6},
        [SL_UNARY_ASIN] = {1.7, 1.7, 1},        [SL_UNARY_ACOS] = {1.2, 1.2, 1},
        [SL_UNARY_ATAN] = {2.2, 2.2, 1},
    };
    if (kernel->element == SL_F16)
        return most_ulp_of_halves(kernel);
    return most[kernel->op][(kernel->needs & SL_ISA_SME2) != 0   ? WITH_SME2
                            : (kernel->needs & SL_ISA_NEON) != 0 ? WITH_NEON
                                                                 : PORTABLE];
}
