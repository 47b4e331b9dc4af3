/* kernels/layout/transpose_x16.c: which transpose of the list serves a run. */
#include "kernels/layout/layout_x16.h"

#include "kernels/cpu/policy.h"

static const struct sl_transpose_x16 *const list[] = {
#define SL_TRANSPOSE_X16(kernel) &kernel,
#include "kernels/layout/transpose_x16.inc"
#undef SL_TRANSPOSE_X16
};

const struct sl_transpose_x16 *sl_transpose_x16_at(size_t i)
{
    return i < sizeof(list) / sizeof(list[0]) ? list[i] : NULL;
}

const struct sl_transpose_x16 *sl_transpose_x16_select(uint32_t isa)
{
    size_t i = 0;
    isa = sl_policy_isa(isa, SL_POLICY_LAYOUT);
    while ((list[i]->needs & ~isa) != 0)
        i++; /* ends: the last kernel of the list is portable */
    return list[i];
}
