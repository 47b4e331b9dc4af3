/* kernels/conv/fold_scalar.c: portable summing of patches, output pixel by output pixel. */
#include "kernels/conv/fold.h"
#include "kernels/cpu/clamp.h"
#include "kernels/cpu/isa.h"

/* The input index whose tap k lands on output o, or SIZE_MAX. */
static size_t source(size_t o, size_t k, size_t stride, size_t dilation, size_t pad, size_t in)
{
    size_t at = o + pad, tap = k * dilation;
    if (at < tap || (at - tap) % stride != 0 || (at - tap) / stride >= in)
        return SIZE_MAX;
    return (at - tap) / stride;
}

static void add(size_t count, const float *restrict patch, float *restrict out)
{
    for (size_t o = 0; o < count; o++)
        out[o] += patch[o];
}

/* What lands on one output pixel; `out` holds the bias. */
static void pixel(const struct sl_fold_args *a, size_t oy, size_t ox, float *out)
{
    size_t taps = a->kernel_h * a->kernel_w, oc = a->group_out_c;
    for (size_t ky = 0; ky < a->kernel_h; ky++) {
        size_t y = source(oy, ky, a->stride_h, a->dilation_h, a->pad_top, a->in_h);
        for (size_t kx = 0; y != SIZE_MAX && kx < a->kernel_w; kx++) {
            size_t x = source(ox, kx, a->stride_w, a->dilation_w, a->pad_left, a->in_w);
            if (x == SIZE_MAX)
                continue;
            const float *patch = a->patches + (y * a->in_w + x) * a->groups * taps * oc;
            for (size_t g = 0; g < a->groups; g++)
                add(oc, patch + (g * taps + ky * a->kernel_w + kx) * oc, out + g * oc);
        }
    }
}

static void run(const struct sl_fold_args *args)
{
    size_t channels = args->groups * args->group_out_c;
    float *out = args->out;
    for (size_t oy = 0; oy < args->out_h; oy++)
        for (size_t ox = 0; ox < args->out_w; ox++, out += channels) {
            for (size_t c = 0; c < channels; c++)
                out[c] = args->bias ? args->bias[c] : 0;
            pixel(args, oy, ox, out);
            for (size_t c = 0; c < channels; c++)
                out[c] = sl_clamp(out[c], args->min, args->max);
        }
}

const struct sl_fold sl_fold_f32_f32_1x1_scalar = {
    .name = "sl_fold_f32_f32_1x1_scalar",
    .needs = SL_ISA_NONE,
    .run = run,
};
