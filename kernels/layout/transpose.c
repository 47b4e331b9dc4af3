/* kernels/layout/transpose.c: which transpose of the list serves a run. */
#include "kernels/layout/layout.h"

#include "kernels/cpu/policy.h"

static const struct sl_transpose *const list[] = {
#define SL_TRANSPOSE(kernel) &kernel,
#include "kernels/layout/transpose.inc"
#undef SL_TRANSPOSE
};

const struct sl_transpose *sl_transpose_at(size_t i)
{
    return i < sizeof(list) / sizeof(list[0]) ? list[i] : NULL;
}

const struct sl_transpose *sl_transpose_select(uint32_t isa)
{
    size_t i = 0;
    isa = sl_policy_isa(isa, SL_POLICY_LAYOUT);
    while ((list[i]->needs & ~isa) != 0)
        i++; /* ends: the last kernel of the list is portable */
    return list[i];
}
