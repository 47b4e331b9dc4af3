/* kernels/layout/resize_scalar.h: portable bilinear resizing, pixel by pixel, of the type that the
 * including file names (kernels/cpu/element.h), the kernel KERNEL. */
#pragma once

#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"

static void resize_pixel(size_t channels, const SL_ELEMENT *top, const SL_ELEMENT *bottom,
                         size_t right, float x, float y, SL_ELEMENT *restrict out)
{
    for (size_t c = 0; c < channels; c++) {
        float left = SL_GET(top[c]), above = left + (SL_GET(top[right + c]) - left) * x;
        float corner = SL_GET(bottom[c]);
        float below = corner + (SL_GET(bottom[right + c]) - corner) * x;
        out[c] = SL_PUT(above + (below - above) * y);
    }
}

#include "kernels/layout/resize_walk.h"

const struct SL_NAME(sl_resize, ) KERNEL = {
    .name = SL_TEXT(KERNEL),
    .needs = SL_ISA_NONE,
    .run = run,
};
