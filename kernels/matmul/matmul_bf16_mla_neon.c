/* kernels/matmul/matmul_bf16_mla_neon.c: products of bf16 by FMLA in f32, blocks of 5x16, for CPUs
 * without BFMMLA.
 *
 * A step is 4 k. Left, in the workspace: rows of f32, rounded to bf16, padded with zeros to whole
 * steps. Right: panels of 16 columns (8 at the end), each the biases in f32, then [steps][4]
 * [columns] in bf16, padded with zeros; they are widened as they are read, by shifts. */
#include "kernels/cpu/half.h"
#include "kernels/matmul/bf16_neon.h"

enum { MR = 5, NR = 16, DEPTH = 4, VECTORS = NR / 4 };

static size_t m_step(void)
{
    return MR;
}

static size_t n_step(void)
{
    return NR;
}

/* Bytes of the panels of `columns` columns, a multiple of 8. */
static size_t panels_bytes(size_t columns, size_t k)
{
    return columns * (sizeof(float) + sl_bf16_up(k, DEPTH) * sizeof(uint16_t));
}

static size_t rhs_bytes(size_t n, size_t k)
{
    return panels_bytes(sl_bf16_up(n, 8), k);
}

static size_t workspace_bytes(size_t m, size_t n, size_t k)
{
    (void)n;
    return m * sl_bf16_up(k, DEPTH) * sizeof(float);
}

/* Four columns whose k follow each other, `stride` apart, to [k][width], whole eights of k: one k
 * after the other by stores that interleave. Returns how many k were done. */
static size_t turn_four(size_t k, const uint16_t *at, size_t stride, uint16_t *out, size_t width)
{
    for (size_t left = k / 8; left > 0; left--, at += 8, out += 8 * width) {
        uint16x8x4_t v = {{vld1q_u16(at), vld1q_u16(at + stride), vld1q_u16(at + 2 * stride),
                           vld1q_u16(at + 3 * stride)}};
        vst4q_lane_u16(out, v, 0);
        vst4q_lane_u16(out + width, v, 1);
        vst4q_lane_u16(out + 2 * width, v, 2);
        vst4q_lane_u16(out + 3 * width, v, 3);
        vst4q_lane_u16(out + 4 * width, v, 4);
        vst4q_lane_u16(out + 5 * width, v, 5);
        vst4q_lane_u16(out + 6 * width, v, 6);
        vst4q_lane_u16(out + 7 * width, v, 7);
    }
    return k / 8 * 8;
}

/* Four columns that follow each other. */
static size_t copy_four(size_t k, const uint16_t *at, size_t stride, uint16_t *out, size_t width)
{
    for (size_t p = 0; p < k; p++, at += stride, out += width)
        vst1_u16(out, vld1_u16(at));
    return k;
}

/* `columns` columns of k to [steps][4][width]. */
static void pack_panel(size_t columns, size_t width, size_t k, const uint16_t *at, size_t n_stride,
                       size_t k_stride, uint16_t *out)
{
    for (size_t j = 0; j < width; j += 4) {
        size_t p = 0, left = j < columns ? columns - j : 0;
        if (left >= 4 && n_stride == 1)
            p = copy_four(k, at + j, k_stride, out + j, width);
        else if (left >= 4 && k_stride == 1)
            p = turn_four(k, at + j * n_stride, n_stride, out + j, width);
        for (; p < sl_bf16_up(k, DEPTH); p++)
            for (size_t c = 0; c < 4; c++)
                out[p * width + j + c] =
                    p < k && c < left ? at[(j + c) * n_stride + p * k_stride] : 0;
    }
}

static void pack_rhs(size_t n, size_t k, const void *rhs, bool transposed, const void *bias,
                     void *packed)
{
    const uint16_t *weights = rhs;
    const float *biases = bias;
    size_t n_stride = transposed ? 1 : k, k_stride = transposed ? n : 1;
    for (size_t column = 0; column < n; column += NR) {
        float *out = (float *)(void *)((char *)packed + panels_bytes(column, k));
        size_t columns = n - column < NR ? n - column : NR, width = sl_bf16_up(columns, 8);
        for (size_t j = 0; j < width; j++)
            out[j] = bias && j < columns ? biases[column + j] : 0;
        pack_panel(columns, width, k, weights + column * n_stride, n_stride, k_stride,
                   (uint16_t *)(void *)(out + width));
    }
}

/* To bf16 and back, to nearest, ties to even; NaN stays NaN. */
SL_INLINE float32x4_t rounded(float32x4_t x)
{
    uint32x4_t bits = vreinterpretq_u32_f32(x);
    uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    uint32x4_t up = vaddq_u32(vaddq_u32(bits, odd), vdupq_n_u32(0x7fff));
    uint32x4_t quiet = vorrq_u32(bits, vdupq_n_u32(0x400000));
    return vreinterpretq_f32_u32(
        vandq_u32(vbslq_u32(vceqq_f32(x, x), up, quiet), vdupq_n_u32(0xffff0000)));
}

static void round_row(const float *row, size_t k, float *out)
{
    size_t p = 0;
    for (; p + 4 <= k; p += 4)
        vst1q_f32(out + p, rounded(vld1q_f32(row + p)));
    if (p < k)
        vst1q_f32(out + p, rounded(sl_neon_load(row + p, k - p)));
}

static void widen_row(const uint16_t *row, size_t k, float *out)
{
    size_t p = 0;
    for (; p + 8 <= k; p += 8) {
        uint16x8_t v = vld1q_u16(row + p);
        vst1q_f32(out + p, vreinterpretq_f32_u32(vshll_n_u16(vget_low_u16(v), 16)));
        vst1q_f32(out + p + 4, vreinterpretq_f32_u32(vshll_high_n_u16(v, 16)));
    }
    for (size_t end = sl_bf16_up(k, DEPTH); p < end; p++)
        out[p] = p < k ? sl_bfloat_to_float(row[p]) : 0;
}

static void pack_lhs(const struct sl_matmul_args *args)
{
    float *out = args->workspace;
    for (size_t i = 0; i < args->m; i++, out += sl_bf16_up(args->k, DEPTH)) {
        size_t at = i * args->lhs_stride;
        if (args->lhs_is_f32)
            round_row((const float *)args->lhs + at, args->k, out);
        else
            widen_row((const uint16_t *)args->lhs + at, args->k, out);
    }
}

/* Adds one k: lane `lane` of the rows' vectors. */
#define K_OF(lane)                                                                                 \
    SL_UNROLL                                                                                      \
    for (size_t j = 0; j < vectors; j += 2) {                                                      \
        uint16x8_t w = vld1q_u16(right + 4 * (vectors * (lane) + j));                              \
        b[j] = vreinterpretq_f32_u32(vshll_n_u16(vget_low_u16(w), 16));                            \
        b[j + 1] = vreinterpretq_f32_u32(vshll_high_n_u16(w, 16));                                 \
    }                                                                                              \
    SL_UNROLL                                                                                      \
    for (size_t i = 0; i < rows * vectors; i++)                                                    \
        acc[i] = vfmaq_laneq_f32(acc[i], b[i % vectors], a[i / vectors], lane);

SL_INLINE void block(size_t rows, size_t vectors, size_t row, const struct sl_bf16_panel *p)
{
    float32x4_t acc[MR * VECTORS], a[MR], b[VECTORS];
    const float *bias = p->right, *left[MR];
    const uint16_t *right = (const uint16_t *)(const void *)(bias + 4 * vectors);
    SL_UNROLL
    for (size_t i = 0; i < rows; i++) {
        left[i] = (const float *)p->left + (row + i) * p->steps * DEPTH;
        SL_UNROLL
        for (size_t j = 0; j < vectors; j++)
            acc[i * vectors + j] = vld1q_f32(bias + 4 * j);
        SL_FORGET(bias); /* loading again is cheaper than copying vectors */
    }
    for (size_t steps = p->steps; steps > 0; steps--, right += DEPTH * 4 * vectors) {
        SL_FORGET(right);
        SL_UNROLL
        for (size_t i = 0; i < rows; i++, left[i - 1] += DEPTH) {
            SL_FORGET(left[i]);
            a[i] = vld1q_f32(left[i]);
        }
        K_OF(0)
        K_OF(1)
        K_OF(2)
        K_OF(3)
    }
    sl_bf16_store(rows, vectors, p, acc, p->dst + row * p->dst_stride);
}

SL_INLINE void rows_of(size_t vectors, const struct sl_bf16_panel *p)
{
    size_t row = 0;
    for (; p->m - row >= MR; row += MR)
        block(MR, vectors, row, p);
    for (; p->m - row >= 2; row += 2)
        block(2, vectors, row, p);
    if (row < p->m)
        block(1, vectors, row, p);
}

static void rows_of_eight(const struct sl_bf16_panel *p)
{
    rows_of(2, p);
}

static void rows_of_sixteen(const struct sl_bf16_panel *p)
{
    rows_of(4, p);
}

static void run_packed(const struct sl_matmul_args *args)
{
    size_t steps = sl_bf16_up(args->k, DEPTH) / DEPTH;
    for (size_t column = 0; column < args->n; column += NR) {
        const char *right = (const char *)args->rhs + panels_bytes(column, args->k);
        const struct sl_bf16_panel panel = sl_bf16_panel(args, steps, column, NR, right);
        if (panel.columns > 8)
            rows_of_sixteen(&panel);
        else
            rows_of_eight(&panel);
    }
}

static void run(const struct sl_matmul_args *args)
{
    pack_lhs(args);
    run_packed(args);
}

const struct sl_matmul sl_matmul_f32_bf16_bf16p16x1_5x16_neon_mla = {
    .name = "sl_matmul_f32_bf16_bf16p16x1_5x16_neon_mla",
    .needs = SL_ISA_NEON,
    .element = SL_BF16,
    .m_step = m_step,
    .n_step = n_step,
    .rhs_bytes = rhs_bytes,
    .pack_rhs = pack_rhs,
    .workspace_bytes = workspace_bytes,
    .pack_lhs = pack_lhs,
    .run_packed = run_packed,
    .run = run,
};
