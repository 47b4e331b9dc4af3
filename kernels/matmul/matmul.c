/* kernels/matmul/matmul.c: which kernel of the list serves a run. */
#include "kernels/matmul/matmul.h"

#include "kernels/cpu/policy.h"

static const struct sl_matmul *const list[] = {
#define SL_MATMUL(kernel) &kernel,
#include "kernels/matmul/matmul.inc"
#undef SL_MATMUL
};

const struct sl_matmul *sl_matmul_at(size_t i)
{
    return i < sizeof(list) / sizeof(list[0]) ? list[i] : NULL;
}

const struct sl_matmul *sl_matmul_select(uint32_t isa, size_t max_m)
{
    size_t i = 0;
    isa = sl_policy_isa(isa, max_m > 1 ? SL_POLICY_MATMUL : SL_POLICY_GEMV);
    while ((list[i]->needs & ~isa) != 0 || (list[i]->gemv && max_m > 1))
        i++; /* ends: the last kernel of the list is portable and serves everything */
    return list[i];
}
