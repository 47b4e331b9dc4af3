/* kernels/matmul/matmul_qs8.c: which kernel of the list serves a run. */
#include "kernels/matmul/matmul_qs8.h"

#include "kernels/cpu/policy.h"

static const struct sl_matmul_qs8 *const list[] = {
#define SL_MATMUL_QS8(kernel) &kernel,
#include "kernels/matmul/matmul_qs8.inc"
#undef SL_MATMUL_QS8
};

const struct sl_matmul_qs8 *sl_matmul_qs8_at(size_t i)
{
    return i < sizeof(list) / sizeof(list[0]) ? list[i] : NULL;
}

const struct sl_matmul_qs8 *sl_matmul_qs8_select(uint32_t isa, size_t max_m)
{
    size_t i = 0;
    isa = sl_policy_isa(isa, max_m > 1 ? SL_POLICY_MATMUL_INT8 : SL_POLICY_GEMV_INT8);
    while ((list[i]->needs & ~isa) != 0 || (list[i]->gemv && max_m > 1))
        i++; /* ends: the last kernel of the list is portable and serves everything */
    return list[i];
}
