/* kernels/conv/conv.c: which kernel of the list serves a run. */
#include "kernels/conv/conv.h"

#include "kernels/cpu/policy.h"

static const struct sl_conv *const list[] = {
#define SL_CONV(kernel) &kernel,
#include "kernels/conv/conv.inc"
#undef SL_CONV
};

const struct sl_conv *sl_conv_at(size_t i)
{
    return i < sizeof(list) / sizeof(list[0]) ? list[i] : NULL;
}

const struct sl_conv *sl_conv_select(uint32_t isa, const struct sl_conv_shape *shape)
{
    size_t i = 0;
    isa = sl_policy_isa(isa, SL_POLICY_CONV);
    while ((list[i]->needs & ~isa) != 0 || (list[i]->fits && !list[i]->fits(shape)))
        i++; /* ends: the last kernel of the list is portable and serves everything */
    return list[i];
}
