/* kernels/depthwise/depthwise.c: which kernel of the list serves a run. */
#include "kernels/depthwise/depthwise.h"

#include "kernels/cpu/policy.h"

static const struct sl_depthwise *const list[] = {
#define SL_DEPTHWISE(kernel) &kernel,
#include "kernels/depthwise/depthwise.inc"
#undef SL_DEPTHWISE
};

const struct sl_depthwise *sl_depthwise_at(size_t i)
{
    return i < sizeof(list) / sizeof(list[0]) ? list[i] : NULL;
}

const struct sl_depthwise *sl_depthwise_select(uint32_t isa, const struct sl_depthwise_shape *shape)
{
    size_t i = 0;
    isa = sl_policy_isa(isa, SL_POLICY_DEPTHWISE);
    while ((list[i]->needs & ~isa) != 0 || (list[i]->fits && !list[i]->fits(shape)))
        i++; /* ends: the last kernel of the list is portable and serves everything */
    return list[i];
}
