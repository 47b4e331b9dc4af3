/* kernels/depthwise/depthwise_rows_f16_sme2.c: depthwise convolution of few channels of halves,
 * SME2. */
#include "kernels/depthwise/depthwise.h"

enum { LEAST_VL = 8 };

#define SL_TYPE f16
#define KERNEL sl_depthwise_f16_f16_f16p8vl_4x8vl_sme2_mla
#include "kernels/depthwise/depthwise_rows_float_sme2.inc"

/* Instructions of four rows of output, as counted, of strips here and of columns there. */
static bool takes_less(const struct sl_depthwise_shape *s, size_t strips, size_t copied)
{
    size_t taps = s->kernel_h * s->kernel_w, vl = 2 * svcntsw();
    size_t pairs = (s->channels + 2 * vl - 1) / (2 * vl);
    if (s->stride_w == 2)
        return s->channels < vl && strips * 130 + 90 + copied < 50 * s->out_w;
    size_t columns = taps == 25 ? pairs * 124 : (s->channels + vl - 1) / vl * 35;
    return strips * (58 + 7 * taps) + 90 + copied < columns * s->out_w;
}
