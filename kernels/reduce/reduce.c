/* kernels/reduce/reduce.c: which kernel of the list serves a run. */
#include "kernels/reduce/reduce.h"

#include "kernels/cpu/policy.h"

static const struct sl_reduce *const list[] = {
#define SL_REDUCE(kernel) &kernel,
#include "kernels/reduce/reduce.inc"
#undef SL_REDUCE
};

const struct sl_reduce *sl_reduce_at(size_t i)
{
    return i < sizeof(list) / sizeof(list[0]) ? list[i] : NULL;
}

const struct sl_reduce *sl_reduce_select(uint32_t isa, int op)
{
    size_t i = 0;
    isa = sl_policy_isa(isa, SL_POLICY_REDUCE);
    while ((list[i]->needs & ~isa) != 0 || list[i]->op != op)
        i++; /* ends: the last kernel of the list is portable and serves everything */
    return list[i];
}
