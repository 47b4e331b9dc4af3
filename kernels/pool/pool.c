/* kernels/pool/pool.c: which kernel of the list serves a run. */
#include "kernels/pool/pool.h"

#include "kernels/cpu/policy.h"

static const struct sl_pool *const list[] = {
#define SL_POOL(kernel) &kernel,
#include "kernels/pool/pool.inc"
#undef SL_POOL
};

const struct sl_pool *sl_pool_at(size_t i)
{
    return i < sizeof(list) / sizeof(list[0]) ? list[i] : NULL;
}

const struct sl_pool *sl_pool_select(uint32_t isa, int op)
{
    size_t i = 0;
    isa = sl_policy_isa(isa, SL_POLICY_POOL);
    while ((list[i]->needs & ~isa) != 0 || list[i]->op != op)
        i++; /* ends: the last kernel of the list is portable and serves everything */
    return list[i];
}
