/* kernels/conv/conv_f16.c: which kernel of the list serves a run. */
#include "kernels/conv/conv_f16.h"

#include "kernels/cpu/policy.h"

static const struct sl_conv_f16 *const list[] = {
#define SL_CONV_F16(kernel) &kernel,
#include "kernels/conv/conv_f16.inc"
#undef SL_CONV_F16
};

const struct sl_conv_f16 *sl_conv_f16_at(size_t i)
{
    return i < sizeof(list) / sizeof(list[0]) ? list[i] : NULL;
}

const struct sl_conv_f16 *sl_conv_f16_select(uint32_t isa, const struct sl_conv_shape *shape)
{
    size_t i = 0;
    isa = sl_policy_isa(isa, SL_POLICY_CONV);
    while ((list[i]->needs & ~isa) != 0 || (list[i]->fits && !list[i]->fits(shape)))
        i++; /* ends: the last kernel of the list is portable and serves everything */
    return list[i];
}
