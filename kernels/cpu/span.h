/* kernels/cpu/span.h: which taps of a window along one axis lie inside the image. */
#pragma once

#include <stddef.h>

/* Taps from, up to but not including, to. */
struct sl_span {
    size_t from, to;
};

/* `start` is where the window begins, wrapped when before the image; `in` is the image's size. */
static inline struct sl_span sl_span_of(size_t start, size_t kernel, size_t dilation, size_t in)
{
    struct sl_span s = {0, 0};
    if (start >= in) /* before the image; or past it, and then from is beyond the kernel */
        s.from = ((size_t)0 - start + dilation - 1) / dilation;
    if (s.from >= kernel)
        return (struct sl_span){0, 0};
    size_t first = start + s.from * dilation;
    s.to = first < in ? s.from + (in - first + dilation - 1) / dilation : s.from;
    s.to = s.to < kernel ? s.to : kernel;
    return s;
}
