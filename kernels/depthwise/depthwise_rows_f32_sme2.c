/* kernels/depthwise/depthwise_rows_f32_sme2.c: depthwise convolution of few channels of f32, SME2.
 */
#include "kernels/depthwise/depthwise.h"

enum { LEAST_VL = 4 };

#define SL_TYPE f32
#define KERNEL sl_depthwise_f32_f32_f32p4vl_4x4vl_sme2_mla
#include "kernels/depthwise/depthwise_rows_float_sme2.inc"

/* Instructions of four rows of output, as counted, of strips here and of columns there. */
static bool takes_less(const struct sl_depthwise_shape *s, size_t strips, size_t copied)
{
    size_t taps = s->kernel_h * s->kernel_w, vl = svcntsw();
    if (s->stride_w == 2)
        return s->channels < vl && strips * 108 + 90 + copied < 41 * s->out_w;
    size_t column = taps == 25 ? 65 : 25;
    return strips * (37 + 7 * taps) + 90 + copied < (s->channels + vl - 1) / vl * s->out_w * column;
}
