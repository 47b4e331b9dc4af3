/* kernels/depthwise/depthwise_qs8.c: which kernel of the list serves a run. */
#include "kernels/depthwise/depthwise_qs8.h"

#include "kernels/cpu/policy.h"

static const struct sl_depthwise_qs8 *const list[] = {
#define SL_DEPTHWISE_QS8(kernel) &kernel,
#include "kernels/depthwise/depthwise_qs8.inc"
#undef SL_DEPTHWISE_QS8
};

const struct sl_depthwise_qs8 *sl_depthwise_qs8_at(size_t i)
{
    return i < sizeof(list) / sizeof(list[0]) ? list[i] : NULL;
}

const struct sl_depthwise_qs8 *sl_depthwise_qs8_select(uint32_t isa,
                                                       const struct sl_depthwise_shape *shape)
{
    size_t i = 0;
    isa = sl_policy_isa(isa, SL_POLICY_DEPTHWISE_INT8);
    while ((list[i]->needs & ~isa) != 0 || (list[i]->fits && !list[i]->fits(shape)))
        i++; /* ends: the last kernel of the list is portable and serves everything */
    return list[i];
}
