/* kernels/unary/unary_f16.c: which kernel of the list serves a run. */
#include "kernels/unary/unary_f16.h"

#include "kernels/cpu/isa.h"
#include "kernels/cpu/policy.h"

static const struct sl_unary_f16 *const list[] = {
#define SL_UNARY_F16(kernel) &kernel,
#include "kernels/unary/unary_f16.inc"
#undef SL_UNARY_F16
};

const struct sl_unary_f16 *sl_unary_f16_at(size_t i)
{
    return i < sizeof(list) / sizeof(list[0]) ? list[i] : NULL;
}

const struct sl_unary_f16 *sl_unary_f16_select(uint32_t isa, int op)
{
    size_t i = 0;
    isa = sl_policy_isa(isa, SL_POLICY_UNARY);
    while ((list[i]->needs & ~isa) != 0 || list[i]->op != op)
        i++; /* ends: the last kernel of the list is portable and serves everything */
    return list[i];
}

double sl_unary_f16_most_ulp(const struct sl_unary_f16 *kernel)
{
    if (kernel->op <= SL_UNARY_SIGN)
        return 0;
    if (kernel->op == SL_UNARY_HARDSWISH && (kernel->needs & (SL_ISA_SME2 | SL_ISA_FP16)) != 0)
        return 2.2;
    return 0.51;
}
