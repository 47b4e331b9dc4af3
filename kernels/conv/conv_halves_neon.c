/* kernels/conv/conv_halves_neon.c: a panel is put together in halves, then its rows are widened and
 * put where they belong: half as many bytes are turned, and none is widened twice. */
#include "kernels/conv/conv_halves_neon.h"

#include <string.h>

#define SL_TYPE f32
#include "kernels/cpu/type.inc"
#include "kernels/matmul/mla_neon.inc"

/* Four columns of k, `stride` apart, to rows of `width`: sixteen elements of each, then one row
 * after the other by stores that interleave, which C cannot say without as many additions. Returns
 * how many k were done. */
static size_t turn_columns(size_t k, const uint16_t *columns, size_t stride, uint16_t *out,
                           size_t width)
{
    const uint16_t *a = columns, *b = a + stride, *c = b + stride, *d = c + stride;
    size_t left = k / 16, step = width * sizeof(*out);
    if (left == 0)
        return 0;
    __asm__ volatile(
        "1:\n"
        "subs %[left], %[left], #1\n"
        "ldp q0, q4, [%[a]], #32\n"
        "ldp q1, q5, [%[b]], #32\n"
        "ldp q2, q6, [%[c]], #32\n"
        "ldp q3, q7, [%[d]], #32\n"
        "st4 {v0.h - v3.h}[0], [%[out]], %[step]\n"
        "st4 {v0.h - v3.h}[1], [%[out]], %[step]\n"
        "st4 {v0.h - v3.h}[2], [%[out]], %[step]\n"
        "st4 {v0.h - v3.h}[3], [%[out]], %[step]\n"
        "st4 {v0.h - v3.h}[4], [%[out]], %[step]\n"
        "st4 {v0.h - v3.h}[5], [%[out]], %[step]\n"
        "st4 {v0.h - v3.h}[6], [%[out]], %[step]\n"
        "st4 {v0.h - v3.h}[7], [%[out]], %[step]\n"
        "st4 {v4.h - v7.h}[0], [%[out]], %[step]\n"
        "st4 {v4.h - v7.h}[1], [%[out]], %[step]\n"
        "st4 {v4.h - v7.h}[2], [%[out]], %[step]\n"
        "st4 {v4.h - v7.h}[3], [%[out]], %[step]\n"
        "st4 {v4.h - v7.h}[4], [%[out]], %[step]\n"
        "st4 {v4.h - v7.h}[5], [%[out]], %[step]\n"
        "st4 {v4.h - v7.h}[6], [%[out]], %[step]\n"
        "st4 {v4.h - v7.h}[7], [%[out]], %[step]\n"
        "b.ne 1b\n"
        : [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [d] "+r"(d), [out] "+r"(out), [left] "+r"(left)
        : [step] "r"(step)
        : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "cc", "memory");
    return k / 16 * 16;
}

/* The panel of `width` columns from j on, in halves, without its biases; zeros behind the last. */
static void gather_panel(size_t n, size_t k, const uint16_t *weights, size_t j, size_t width,
                         uint16_t *out)
{
    for (size_t first = 0; first < width; first += LANES) {
        const uint16_t *columns = weights + (j + first) * k;
        size_t p = 0, left = j + first < n ? n - j - first : 0;
        if (left >= LANES)
            p = turn_columns(k, columns, k, out + first, width);
        for (; p < k; p++)
            for (size_t c = 0; c < LANES; c++)
                out[p * width + first + c] = c < left ? columns[c * k + p] : 0;
    }
}

/* Rows of SL_MLA_NR halves, `stride` elements apart, to rows that follow each other, four at once.
 */
static void widen_whole(size_t count, const uint16_t *from, size_t stride, float *to)
{
    size_t left = count / 4, step = stride * sizeof(*from);
    if (left != 0)
        __asm__ volatile(
            "1:\n"
            "ld1 {v0.8h, v1.8h}, [%[from]], %[step]\nld1 {v2.8h, v3.8h}, [%[from]], %[step]\n"
            "ld1 {v4.8h, v5.8h}, [%[from]], %[step]\nld1 {v6.8h, v7.8h}, [%[from]], %[step]\n"
            "subs %[left], %[left], #1\n"
            "fcvtl v16.4s, v0.4h\nfcvtl2 v17.4s, v0.8h\n"
            "fcvtl v18.4s, v1.4h\nfcvtl2 v19.4s, v1.8h\n"
            "fcvtl v20.4s, v2.4h\nfcvtl2 v21.4s, v2.8h\n"
            "fcvtl v22.4s, v3.4h\nfcvtl2 v23.4s, v3.8h\n"
            "fcvtl v24.4s, v4.4h\nfcvtl2 v25.4s, v4.8h\n"
            "fcvtl v26.4s, v5.4h\nfcvtl2 v27.4s, v5.8h\n"
            "fcvtl v28.4s, v6.4h\nfcvtl2 v29.4s, v6.8h\n"
            "fcvtl v30.4s, v7.4h\nfcvtl2 v31.4s, v7.8h\n"
            "st1 {v16.4s - v19.4s}, [%[to]], #64\nst1 {v20.4s - v23.4s}, [%[to]], #64\n"
            "st1 {v24.4s - v27.4s}, [%[to]], #64\nst1 {v28.4s - v31.4s}, [%[to]], #64\n"
            "b.ne 1b\n"
            : [from] "+r"(from), [to] "+r"(to), [left] "+r"(left)
            : [step] "r"(step)
            : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20",
              "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "cc",
              "memory");
    for (size_t i = 0; i < count % 4; i++, from += stride, to += SL_MLA_NR) {
        uint16x8x2_t row = vld1q_u16_x2(from);
        float16x8_t a = vreinterpretq_f16_u16(row.val[0]), b = vreinterpretq_f16_u16(row.val[1]);
        float32x4x4_t wide = {{vcvt_f32_f16(vget_low_f16(a)), vcvt_high_f32_f16(a),
                               vcvt_f32_f16(vget_low_f16(b)), vcvt_high_f32_f16(b)}};
        vst1q_f32_x4(to, wide);
    }
}

static void widen_rows(size_t count, const uint16_t *from, size_t stride, size_t width, float *to)
{
    if (width == SL_MLA_NR) {
        widen_whole(count, from, stride, to);
        return;
    }
    for (size_t i = 0; i < count; i++, from += stride, to += width)
        for (size_t c = 0; c < width; c++)
            to[c] = sl_half_to_float(from[c]);
}

static void pack_panel(const struct sl_conv_shape *s, const uint16_t *weights, bool planar,
                       size_t j, size_t width, uint16_t *scratch, float *out)
{
    size_t taps = s->kernel_h * s->kernel_w, channels = s->group_in_c, k = taps * channels;
    gather_panel(s->group_out_c, k, weights, j, width, scratch);
    if (!planar) {
        widen_rows(k, scratch, width, width, out);
        return;
    }
    for (size_t t = 0; t < taps; t++)
        widen_rows(channels, scratch + t * width, taps * width, width, out + t * channels * width);
}

void sl_conv_pack_halves_neon(const struct sl_conv_shape *s, const uint16_t *weights,
                              const float *bias, bool planar, void *scratch, void *packed)
{
    size_t n = s->group_out_c, k = s->kernel_h * s->kernel_w * s->group_in_c;
    float *out = packed;
    for (size_t g = 0; g < s->groups; g++, weights += n * k)
        for (size_t j = 0, width; j < n; j += width) {
            width = LANES * sl_mla_panel_vectors(n, j);
            const float *own = bias ? bias + g * n + j : NULL;
            size_t real = n - j < width ? n - j : width;
            memset(out, 0, width * sizeof(*out));
            if (own)
                memcpy(out, own, real * sizeof(*out));
            pack_panel(s, weights, planar, j, width, scratch, out + width);
            out += (k + 1) * width;
        }
}
