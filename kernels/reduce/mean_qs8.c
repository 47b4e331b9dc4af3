/* kernels/reduce/mean_qs8.c: which kernel of the list serves a run. */
#include "kernels/reduce/mean_qs8.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY sl_mean_qs8
#define SL_LIST "kernels/reduce/mean_qs8.inc"
#define SL_ALLOWED SL_POLICY_REDUCE_INT8
#define SL_WANT
#define SL_SERVES(kernel) 1
#include "kernels/cpu/dispatch.inc"

float sl_mean_qs8_offset(const struct sl_mean_qs8_args *args)
{
#pragma STDC FP_CONTRACT OFF
    float zeros = (float)((int32_t)args->reduced * args->in_zero) * args->scale;
    return (float)args->out_quant.zero - zeros;
}
