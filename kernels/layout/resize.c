/* kernels/layout/resize.c: which kernel of the list serves a run. */
#include "kernels/layout/resize.h"

#include "kernels/cpu/policy.h"

static const struct sl_resize *const list[] = {
#define SL_RESIZE(kernel) &kernel,
#include "kernels/layout/resize.inc"
#undef SL_RESIZE
};

const struct sl_resize *sl_resize_at(size_t i)
{
    return i < sizeof(list) / sizeof(list[0]) ? list[i] : NULL;
}

const struct sl_resize *sl_resize_select(uint32_t isa)
{
    size_t i = 0;
    isa = sl_policy_isa(isa, SL_POLICY_LAYOUT);
    while ((list[i]->needs & ~isa) != 0)
        i++; /* ends: the last kernel of the list is portable */
    return list[i];
}
