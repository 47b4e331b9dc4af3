/* kernels/binary/binary_qs8.c: which kernel of the list serves a run, and its fixed point. */
#include "kernels/binary/binary_qs8.h"

#include "kernels/cpu/policy.h"

#include <math.h>

#define SL_FAMILY sl_binary_qs8
#define SL_LIST "kernels/binary/binary_qs8.inc"
#define SL_ALLOWED SL_POLICY_BINARY_INT8
#define SL_WANT , int op
#define SL_SERVES(kernel) (kernel)->op == (op == SL_BINARY_SUBTRACT ? SL_BINARY_ADD : op)
#include "kernels/cpu/dispatch.inc"

/* A sum: the larger multiplier has 21 bits. */
static int prepare_sum(float a, float b, struct sl_binary_qs8_plan *out)
{
    float largest = fmaxf(fabsf(a), fabsf(b));
    if (!(fminf(fabsf(a), fabsf(b)) >= 0x1p-10f && largest < 0x1p+8f))
        return -1;
    out->shift = 20 - ilogbf(largest);
    out->a_multiplier = (int32_t)lrintf(ldexpf(a, out->shift));
    out->b_multiplier = (int32_t)lrintf(ldexpf(b, out->shift));
    return 0;
}

/* A product: 24 bits of its scale, left-aligned in 31. */
static int prepare_product(float scale, struct sl_binary_qs8_plan *out)
{
    if (!(scale >= 0x1p-16f && scale < 0x1p+8f))
        return -1;
    int32_t exponent = ilogbf(scale), shift = -1 - exponent;
    out->a_multiplier = (int32_t)ldexpf(scale, 30 - exponent);
    out->b_multiplier = 0;
    out->shift = shift > 1 ? shift : 1;
    out->pre_shift = out->shift - shift;
    return 0;
}

int sl_binary_qs8_prepare(int op, struct sl_quant_scale a, struct sl_quant_scale b, float out_scale,
                          struct sl_binary_qs8_plan *out)
{
    struct sl_binary_qs8_plan plan = {.a_zero = a.zero, .b_zero = b.zero};
    float product = a.scale * b.scale;
    int rc = op == SL_BINARY_ADD ? prepare_sum(a.scale / out_scale, b.scale / out_scale, &plan)
             : op == SL_BINARY_SUBTRACT
                 ? prepare_sum(a.scale / out_scale, -b.scale / out_scale, &plan)
             : op == SL_BINARY_MULTIPLY ? prepare_product(product / out_scale, &plan)
                                        : -1;
    if (rc == 0)
        *out = plan;
    return rc;
}
