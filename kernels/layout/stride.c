/* kernels/layout/stride.c: which kernel of the list serves a run. */
#include "kernels/layout/stride.h"

#include "kernels/cpu/policy.h"

static const struct sl_stride *const list[] = {
#define SL_STRIDE(kernel) &kernel,
#include "kernels/layout/stride.inc"
#undef SL_STRIDE
};

const struct sl_stride *sl_stride_at(size_t i)
{
    return i < sizeof(list) / sizeof(list[0]) ? list[i] : NULL;
}

const struct sl_stride *sl_stride_select(uint32_t isa, size_t count, size_t element_bytes,
                                         ptrdiff_t step)
{
    const struct sl_stride *const *at = list;
    size_t apart = (size_t)(step < 0 ? -step : step);
    isa = sl_policy_isa(isa, SL_POLICY_LAYOUT);
    while (((*at)->needs & ~isa) != 0 || apart > (*at)->farthest ||
           ((*at)->vector != 0 && count <= (*at)->vector / element_bytes))
        at++; /* ends: the last kernel of the list is portable */
    return *at;
}
