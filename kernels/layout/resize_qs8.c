/* kernels/layout/resize_qs8.c: which kernel of the list serves a run. */
#include "kernels/layout/resize_qs8.h"

#include "kernels/cpu/policy.h"

static const struct sl_resize_qs8 *const list[] = {
#define SL_RESIZE_QS8(kernel) &kernel,
#include "kernels/layout/resize_qs8.inc"
#undef SL_RESIZE_QS8
};

const struct sl_resize_qs8 *sl_resize_qs8_at(size_t i)
{
    return i < sizeof(list) / sizeof(list[0]) ? list[i] : NULL;
}

const struct sl_resize_qs8 *sl_resize_qs8_select(uint32_t isa)
{
    size_t i = 0;
    isa = sl_policy_isa(isa, SL_POLICY_LAYOUT);
    while ((list[i]->needs & ~isa) != 0)
        i++; /* ends: the last kernel of the list is portable */
    return list[i];
}
