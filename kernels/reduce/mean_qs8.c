/* kernels/reduce/mean_qs8.c: which kernel of the list serves a run. */
#include "kernels/reduce/mean_qs8.h"

#include "kernels/cpu/policy.h"

static const struct sl_mean_qs8 *const list[] = {
#define SL_MEAN_QS8(kernel) &kernel,
#include "kernels/reduce/mean_qs8.inc"
#undef SL_MEAN_QS8
};

const struct sl_mean_qs8 *sl_mean_qs8_at(size_t i)
{
    return i < sizeof(list) / sizeof(list[0]) ? list[i] : NULL;
}

const struct sl_mean_qs8 *sl_mean_qs8_select(uint32_t isa)
{
    size_t i = 0;
    isa = sl_policy_isa(isa, SL_POLICY_REDUCE_INT8);
    while ((list[i]->needs & ~isa) != 0)
        i++; /* ends: the last kernel of the list is portable and serves everything */
    return list[i];
}

float sl_mean_qs8_offset(const struct sl_mean_qs8_args *args)
{
#pragma STDC FP_CONTRACT OFF
    float zeros = (float)((int32_t)args->reduced * args->in_zero) * args->scale;
    return (float)args->out_quant.zero - zeros;
}
