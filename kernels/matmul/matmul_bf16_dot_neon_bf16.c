/* kernels/matmul/matmul_bf16_dot_neon_bf16.c: one row of bf16 times a matrix by BFDOT, 32 columns
 * at a time.
 *
 * Packed weights are panels of 32 columns, then of 16, 8 and 4 for what is left, padded with zeros:
 * a panel is its biases in f32, then [pairs of k][columns][2]. */
#include <assert.h>

#include "kernels/matmul/bf16_neon.h"

enum { NR = 32, VECTORS = NR / 4, EIGHT = 8 };

static size_t m_step(void)
{
    return 1;
}

static size_t n_step(void)
{
    return NR;
}

static size_t pairs_of(size_t k)
{
    return (k + 1) / 2;
}

static size_t rhs_bytes(size_t n, size_t k)
{
    return sl_bf16_up(n, 4) * (pairs_of(k) + 1) * sizeof(uint32_t);
}

/* A row that is no whole eights, or in f32, is copied. */
static size_t workspace_bytes(size_t m, size_t n, size_t k)
{
    (void)m, (void)n;
    return sl_bf16_up(k, EIGHT) * sizeof(uint16_t);
}

/* Columns of the panel that starts at column j. */
static size_t panel_columns(size_t n, size_t j)
{
    size_t left = (n - j + 3) / 4;
    return (left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1) * 4;
}

struct weights { /* element (j, p) of n columns by k is at j * n_stride + p * k_stride */
    const uint16_t *at;
    size_t n, k, n_stride, k_stride;
};

/* Four columns whose k follow each other, eight of k at a time; returns how many k were done. */
static size_t turn_four(const struct weights *w, size_t j, uint16_t *out, size_t width)
{
    const uint16_t *at = w->at + j * w->n_stride;
    for (size_t left = w->k / EIGHT; left > 0; left--, at += EIGHT) {
        uint32x4x4_t v;
        SL_UNROLL
        for (size_t i = 0; i < 4; i++)
            v.val[i] = vreinterpretq_u32_u16(vld1q_u16(at + i * w->n_stride));
        uint32_t *pairs = (uint32_t *)(void *)out;
        vst4q_lane_u32(pairs, v, 0);
        vst4q_lane_u32(pairs + width, v, 1);
        vst4q_lane_u32(pairs + 2 * width, v, 2);
        vst4q_lane_u32(pairs + 3 * width, v, 3);
        out += EIGHT * width;
    }
    return w->k / EIGHT * EIGHT;
}

/* Four columns that follow each other. */
static size_t zip_four(const struct weights *w, size_t j, uint16_t *out, size_t width)
{
    const uint16_t *at = w->at + j;
    for (size_t p = 0; p + 2 <= w->k; p += 2, at += 2 * w->k_stride, out += 2 * width) {
        const uint16x4x2_t pair = {{vld1_u16(at), vld1_u16(at + w->k_stride)}};
        vst2_u16(out, pair);
    }
    return w->k / 2 * 2;
}

/* The four columns from j on, of [pairs][width][2]. */
static void pack_four(const struct weights *w, size_t j, uint16_t *out, size_t width)
{
    size_t p = 0, left = j < w->n ? w->n - j : 0;
    if (left >= 4 && w->k_stride == 1)
        p = turn_four(w, j, out, width);
    else if (left >= 4 && w->n_stride == 1)
        p = zip_four(w, j, out, width);
    for (; p < 2 * pairs_of(w->k); p++)
        for (size_t c = 0; c < 4; c++)
            out[p / 2 * 2 * width + 2 * c + p % 2] =
                p < w->k && c < left ? w->at[(j + c) * w->n_stride + p * w->k_stride] : 0;
}

static void pack_rhs(size_t n, size_t k, const void *rhs, bool transposed, const void *bias,
                     void *packed)
{
    const struct weights w = {rhs, n, k, transposed ? 1 : k, transposed ? n : 1};
    const float *biases = bias;
    float *panel = packed;
    for (size_t j = 0, width; j < n; j += width) {
        width = panel_columns(n, j);
        for (size_t c = 0; c < width; c++)
            panel[c] = bias && j + c < n ? biases[j + c] : 0;
        for (size_t c = 0; c < width; c += 4)
            pack_four(&w, j + c, (uint16_t *)(void *)(panel + width + c), width);
        panel += width * (pairs_of(k) + 1);
    }
}

/* The row in bf16, in whole eights. */
static const uint16_t *row_of(const struct sl_matmul_args *args)
{
    size_t whole = args->k / EIGHT * EIGHT, left = args->k - whole;
    uint16_t *row = args->workspace;
    float last[EIGHT] = {0};
    if (!args->lhs_is_f32) {
        if (left == 0)
            return args->lhs;
        memset(row + whole, 0, EIGHT * sizeof(*row));
        memcpy(row, args->lhs, args->k * sizeof(*row));
        return row;
    }
    const float *from = args->lhs;
    memcpy(last, from + whole, left * sizeof(*from));
    for (size_t p = 0; p < args->k; p += EIGHT) {
        const float *eight = p < whole ? from + p : last;
        bfloat16x8_t low = vcvtq_low_bf16_f32(vld1q_f32(eight));
        vst1q_u16(row + p, vreinterpretq_u16_bf16(vcvtq_high_bf16_f32(low, vld1q_f32(eight + 4))));
    }
    return row;
}

SL_INLINE void load_line(size_t vectors, const uint16_t **at, bfloat16x8_t b[VECTORS])
{
    SL_UNROLL
    for (size_t v = 0; v < vectors; v += 4) {
        if (vectors >= 4) {
            uint16x8x4_t four = sl_neon_next_x16(at);
            SL_UNROLL
            for (size_t i = 0; i < 4; i++)
                b[v + i] = vreinterpretq_bf16_u16(four.val[i]);
            continue;
        }
        SL_UNROLL
        for (size_t i = 0; i < vectors; i++, *at += EIGHT)
            b[i] = vreinterpretq_bf16_u16(vld1q_u16(*at));
    }
}

/* In C the lane would be copied to a vector of its own. */
#define PAIR_OF(lane)                                                                              \
    load_line(vectors, &at, b);                                                                    \
    SL_UNROLL                                                                                      \
    for (size_t v = 0; v < vectors; v++)                                                           \
        __asm__("bfdot %0.4s, %1.8h, %2.2h[" #lane "]" : "+w"(acc[v]) : "w"(b[v]), "w"(a));

SL_INLINE void panel_of(size_t vectors, const struct sl_bf16_panel *p)
{
    float32x4_t acc[VECTORS];
    bfloat16x8_t a, b[VECTORS];
    const uint16_t *left = p->left;
    const uint16_t *at = (const uint16_t *)(const void *)((const float *)p->right + 4 * vectors);
    SL_UNROLL
    for (size_t v = 0; v < vectors; v++)
        acc[v] = vld1q_f32((const float *)p->right + 4 * v);
    size_t pairs = p->steps;
    for (; pairs >= 4; pairs -= 4, left += EIGHT) {
        a = vreinterpretq_bf16_u16(vld1q_u16(left));
        PAIR_OF(0)
        PAIR_OF(1)
        PAIR_OF(2)
        PAIR_OF(3)
    }
    for (; pairs > 0; pairs--, left += 2) {
        a = vreinterpretq_bf16_u32(vld1q_dup_u32((const uint32_t *)(const void *)left));
        PAIR_OF(0)
    }
    sl_bf16_store(1, vectors, p, acc, p->dst);
}

static void run(const struct sl_matmul_args *args)
{
    const float *right = args->rhs;
    assert(args->m <= 1);
    if (args->m == 0)
        return;
    const uint16_t *row = row_of(args);
    for (size_t j = 0, width; j < args->n; j += width) {
        width = panel_columns(args->n, j);
        struct sl_bf16_panel panel = sl_bf16_panel(args, pairs_of(args->k), j, width, right);
        panel.left = row;
        if (width == 32)
            panel_of(8, &panel);
        else if (width == 16)
            panel_of(4, &panel);
        else if (width == 8)
            panel_of(2, &panel);
        else
            panel_of(1, &panel);
        right += width * (pairs_of(args->k) + 1);
    }
}

const struct sl_matmul sl_matmul_f32_bf16_bf16p32x2_1x32_neon_dot = {
    .name = "sl_matmul_f32_bf16_bf16p32x2_1x32_neon_dot",
    .needs = SL_ISA_NEON | SL_ISA_BF16,
    .element = SL_BF16,
    .m_step = m_step,
    .n_step = n_step,
    .rhs_bytes = rhs_bytes,
    .pack_rhs = pack_rhs,
    .workspace_bytes = workspace_bytes,
    .run = run,
    .gemv = true,
};
