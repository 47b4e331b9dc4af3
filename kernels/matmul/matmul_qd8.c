/* kernels/matmul/matmul_qd8.c: which kernel of the list serves a run. */
#include "kernels/matmul/matmul_qd8.h"

#include "kernels/cpu/policy.h"

static const struct sl_matmul_qd8 *const list[] = {
#define SL_KERNEL(kernel) &kernel,
#include "kernels/matmul/matmul_qd8.inc"
#undef SL_KERNEL
};

const struct sl_matmul_qd8 *sl_matmul_qd8_at(size_t i)
{
    return i < sizeof(list) / sizeof(list[0]) ? list[i] : NULL;
}

static const struct sl_matmul_qd8 *select_of(uint32_t isa, size_t max_m, size_t n, size_t k,
                                             bool q4)
{
    size_t i = 0;
    isa = sl_policy_isa(isa, max_m > 1 ? SL_POLICY_MATMUL_INT8 : SL_POLICY_GEMV_INT8);
    if (sl_policy_small_int8(max_m, n, k))
        isa = sl_policy_isa(isa, SL_POLICY_MATMUL_INT8_SMALL);
    while (list[i]->q4 != q4 || (list[i]->needs & ~isa) != 0 || (list[i]->gemv && max_m > 1))
        i++; /* ends: the last kernel of either kind is portable and serves everything */
    return list[i];
}

const struct sl_matmul_qd8 *sl_matmul_qd8_select(uint32_t isa, size_t max_m, size_t n, size_t k)
{
    return select_of(isa, max_m, n, k, false);
}

const struct sl_matmul_qd8 *sl_matmul_q4_select(uint32_t isa, size_t max_m, size_t n, size_t k)
{
    return select_of(isa, max_m, n, k, true);
}
