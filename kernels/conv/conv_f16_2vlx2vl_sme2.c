/* kernels/conv/conv_f16_2vlx2vl_sme2.c: f16 convolution by outer products with sums in f32, SME2.
 */
#include "kernels/conv/conv.h"
#include "kernels/pack/pack_rhs_x16.h"

#define SL_TYPE f16
#define KERNEL sl_conv_f16_f16p1vlx2_f16p2vlx2_2vlx2vl_sme2_mopa
#define TURN_PACKED NULL /* lanes are pairs of neighbours in k */
#include "kernels/conv/conv_2vlx2vl_sme2.inc"

static void pack_weights(const struct sl_conv_shape *s, const void *weights_in, const void *bias_in,
                         void *packed)
{
    const uint16_t *weights = weights_in, *bias = bias_in;
    struct runs runs = runs_of(s);
    size_t n = s->group_out_c;
    float *out = packed;
    for (size_t g = 0; g < s->groups; g++) {
        struct sl_pack_rhs_x16 job = {.n = n,
                                      .k = runs.length,
                                      .segments = runs.count,
                                      .weights = weights + g * n * runs.length * runs.count,
                                      .bias = bias ? bias + g * n : NULL,
                                      .half_bias = true,
                                      .panel_vl = 2,
                                      .least_vl = 1,
                                      .packed = out};
        sl_pack_rhs_x16_sme2(&job);
        out += sl_mopa_f32_rhs_floats(n, runs.lanes, svcntsw());
    }
}
