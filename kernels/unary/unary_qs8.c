/* kernels/unary/unary_qs8.c: which kernel of the list serves a run. */
#include "kernels/unary/unary_qs8.h"

#include "kernels/cpu/policy.h"

static const struct sl_unary_qs8 *const list[] = {
#define SL_UNARY_QS8(kernel) &kernel,
#include "kernels/unary/unary_qs8.inc"
#undef SL_UNARY_QS8
};

const struct sl_unary_qs8 *sl_unary_qs8_at(size_t i)
{
    return i < sizeof(list) / sizeof(list[0]) ? list[i] : NULL;
}

const struct sl_unary_qs8 *sl_unary_qs8_select(uint32_t isa, int op)
{
    size_t i = 0;
    isa = sl_policy_isa(isa, SL_POLICY_UNARY_INT8);
    while ((list[i]->needs & ~isa) != 0 || list[i]->op != op)
        i++; /* ends: the last kernel of the list is portable and serves everything */
    return list[i];
}
