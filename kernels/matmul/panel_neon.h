/* kernels/matmul/panel_neon.h: weights into panels of columns, a panel being its biases, then
 * [k][columns]; of the type that the including file names (kernels/cpu/element.h). Internal to the
 * NEON kernels. */
#pragma once

#include <stddef.h>
#include <string.h>

#include "kernels/cpu/neon_vector.h"

/* Element (j, p) of n columns by k is at j * n_stride + p * k_stride. */
struct sl_panel_weights {
    const SL_ELEMENT *at;
    size_t n, k, n_stride, k_stride;
};

#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_f32
/* LANES rows of k, `stride` apart, to columns of [k][width]: eight elements of four rows, then one
 * column after the other by stores that interleave, which C cannot say without as many additions.
 * Returns how many k were done. */
static inline size_t sl_panel_turn(size_t k, const float *rows, size_t stride, float *out,
                                   size_t width)
{
    const float *a = rows, *b = a + stride, *c = b + stride, *d = c + stride;
    size_t left = k / 8, step = width * sizeof(*out);
    if (left == 0)
        return 0;
    __asm__ volatile(
        "1:\n"
        "ldp q0, q4, [%[a]], #32\n"
        "ldp q1, q5, [%[b]], #32\n"
        "ldp q2, q6, [%[c]], #32\n"
        "ldp q3, q7, [%[d]], #32\n"
        "subs %[left], %[left], #1\n"
        "st4 {v0.s - v3.s}[0], [%[out]], %[step]\n"
        "st4 {v0.s - v3.s}[1], [%[out]], %[step]\n"
        "st4 {v0.s - v3.s}[2], [%[out]], %[step]\n"
        "st4 {v0.s - v3.s}[3], [%[out]], %[step]\n"
        "st4 {v4.s - v7.s}[0], [%[out]], %[step]\n"
        "st4 {v4.s - v7.s}[1], [%[out]], %[step]\n"
        "st4 {v4.s - v7.s}[2], [%[out]], %[step]\n"
        "st4 {v4.s - v7.s}[3], [%[out]], %[step]\n"
        "b.ne 1b\n"
        : [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [d] "+r"(d), [out] "+r"(out), [left] "+r"(left)
        : [step] "r"(step)
        : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "cc", "memory");
    return k / 8 * 8;
}

/* LANES columns of k that follow each other. */
static inline size_t sl_panel_copy(size_t k, const float *rows, size_t stride, float *out,
                                   size_t width)
{
    for (size_t p = 0; p < k; p++)
        vst1q_f32(out + p * width, vld1q_f32(rows + p * stride));
    return k;
}
#endif

/* The LANES columns from j on, of [k][width]. */
static inline void sl_panel_lanes(const struct sl_panel_weights *w, size_t j, SL_ELEMENT *out,
                                  size_t width)
{
    size_t p = 0, left = j < w->n ? w->n - j : 0;
#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_f32
    if (left >= LANES && w->k_stride == 1)
        p = sl_panel_turn(w->k, w->at + j * w->n_stride, w->n_stride, out, width);
    else if (left >= LANES && w->n_stride == 1)
        p = sl_panel_copy(w->k, w->at + j, w->k_stride, out, width);
#endif
    for (; p < w->k; p++)
        for (size_t c = 0; c < LANES; c++)
            out[p * width + c] = c < left ? w->at[(j + c) * w->n_stride + p * w->k_stride] : 0;
}

/* The panel of `width` columns from j on, zeros behind the last; `bias` may be NULL. Returns what
 * follows it. */
static inline SL_ELEMENT *sl_panel_pack(const struct sl_panel_weights *w, size_t j, size_t width,
                                        const SL_ELEMENT *bias, SL_ELEMENT *out)
{
    if (bias && w->n - j >= width)
        memcpy(out, bias + j, width * sizeof(*out));
    for (size_t c = 0; (!bias || w->n - j < width) && c < width; c++)
        out[c] = bias && c < w->n - j ? bias[j + c] : 0;
    out += width;
    for (size_t c = 0; c < width; c += LANES)
        sl_panel_lanes(w, j + c, out + c, width);
    return out + w->k * width;
}
