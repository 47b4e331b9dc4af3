/* kernels/layout/resize_qs8_scalar.c: portable bilinear resizing of int8; the statement of what the
 * others compute. */
#define RESIZE_MODE
#include "kernels/layout/resize_q11.inc"

static int32_t between(int32_t a, int32_t b, int32_t weight)
{
    return a * (2048 - weight) + b * weight;
}

static void blend_pixel(const struct neighbours *of, size_t channels, int8_t *out)
{
    const int8_t *top = of->top, *bottom = of->bottom;
    for (size_t c = 0; c < channels; c++) {
        int32_t above = between(top[c], top[of->right + c], of->x);
        int32_t below = between(bottom[c], bottom[of->right + c], of->x);
        int32_t sum = between(above, below, of->y) + (1 << 21);
        out[c] = (int8_t)(sum >> 22);
    }
}

const struct sl_resize sl_resize_qs8_qs8_1x1_scalar = {
    .name = "sl_resize_qs8_qs8_1x1_scalar",
    .needs = SL_ISA_NONE,
    .element = SL_QS8,
    .run = run,
};
