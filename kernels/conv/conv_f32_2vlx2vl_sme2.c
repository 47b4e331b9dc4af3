/* kernels/conv/conv_f32_2vlx2vl_sme2.c: f32 convolution by outer products, SME2. */
#include "kernels/conv/conv.h"
#include "kernels/pack/pack_rhs_f32.h"

#define SL_TYPE f32
#define KERNEL sl_conv_f32_f32p1vlx1_f32p2vlx1_2vlx2vl_sme2_mopa
#include "kernels/conv/conv_2vlx2vl_sme2.h"

static void pack_weights(const struct sl_conv_shape *s, const float *weights, const float *bias,
                         void *packed)
{
    size_t k = s->kernel_h * s->kernel_w * s->group_in_c, n = s->group_out_c;
    float *out = packed;
    for (size_t g = 0; g < s->groups; g++) {
        const struct sl_pack_rhs_f32 job = {
            n, k, weights + g * n * k, false, bias ? bias + g * n : NULL, 2, 1, out};
        sl_pack_rhs_f32_sme2(&job);
        out += sl_mopa_f32_rhs_floats(n, k, svcntsw());
    }
}
