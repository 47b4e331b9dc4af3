/* kernels/matmul/matmul_bf16_mmla_neon_bf16.c: products of bf16 by BFMMLA, blocks of 8x12.
 *
 * A step is 4 k. Left, in the workspace: blocks of 8 rows (fewer at the end, in pairs), each
 * [steps][pairs][2][4]. Right: panels of 12 columns (4 or 8 at the end), each the biases
 * [pairs][2][2], in f32 and twice over, as two rows of sums start from them, then
 * [steps][pairs][2][4]. A row or column that a pair lacks repeats the last and is not stored. */
#include "kernels/matmul/bf16_neon.h"

enum { MR = 8, NR = 12, DEPTH = 4, PAIR = 2 * DEPTH, ROWS = MR / 2, COLUMNS = NR / 2 };

static size_t m_step(void)
{
    return MR;
}

static size_t n_step(void)
{
    return NR;
}

static size_t steps_of(size_t k)
{
    return (k + DEPTH - 1) / DEPTH;
}

/* Bytes of the panels of `columns` columns, a multiple of 4. */
static size_t panels_bytes(size_t columns, size_t k)
{
    return columns / 2 * PAIR * sizeof(uint16_t) * (steps_of(k) + 1);
}

static size_t rhs_bytes(size_t n, size_t k)
{
    return panels_bytes(sl_bf16_up(n, 4), k);
}

static size_t workspace_bytes(size_t m, size_t n, size_t k)
{
    (void)n;
    return sl_bf16_up(m, 2) * steps_of(k) * DEPTH * sizeof(uint16_t);
}

/* Two lines of k, the steps `stride` elements apart. */
SL_INLINE void pack_lines(const uint16_t *x, const uint16_t *y, size_t k, uint16_t *out,
                          size_t stride)
{
    for (; k >= 2 * PAIR; k -= 2 * PAIR, x += 2 * PAIR, y += 2 * PAIR, out += 4 * stride) {
        uint16x8x2_t a = vld1q_u16_x2(x), b = vld1q_u16_x2(y);
        SL_UNROLL
        for (size_t i = 0; i < 2; i++) {
            uint64x2_t c = vreinterpretq_u64_u16(a.val[i]), d = vreinterpretq_u64_u16(b.val[i]);
            vst1q_u16(out + 2 * i * stride, vreinterpretq_u16_u64(vzip1q_u64(c, d)));
            vst1q_u16(out + (2 * i + 1) * stride, vreinterpretq_u16_u64(vzip2q_u64(c, d)));
        }
    }
    for (size_t left = k; left > 0; out += stride) {
        size_t count = left < DEPTH ? left : DEPTH, at = k - left;
        uint16_t step[PAIR] = {0};
        memcpy(step, x + at, count * sizeof(*x));
        memcpy(step + DEPTH, y + at, count * sizeof(*y));
        vst1q_u16(out, vld1q_u16(step));
        left -= count;
    }
}

/* The distances of whole blocks and whole panels are constants. */
static void pack_pair(const uint16_t *x, const uint16_t *y, size_t k, uint16_t *out, size_t stride)
{
    if (stride == MR * DEPTH)
        pack_lines(x, y, k, out, MR * DEPTH);
    else if (stride == NR * DEPTH)
        pack_lines(x, y, k, out, NR * DEPTH);
    else
        pack_lines(x, y, k, out, stride);
}

SL_INLINE void round_step(const float *x, const float *y, uint16_t *out)
{
    bfloat16x8_t low = vcvtq_low_bf16_f32(vld1q_f32(x));
    vst1q_u16(out, vreinterpretq_u16_bf16(vcvtq_high_bf16_f32(low, vld1q_f32(y))));
}

/* The same of f32, rounded. */
static void round_pair(const float *x, const float *y, size_t k, uint16_t *out, size_t stride)
{
    for (; k >= DEPTH; k -= DEPTH, x += DEPTH, y += DEPTH, out += stride)
        round_step(x, y, out);
    if (k > 0) {
        float last[2][DEPTH] = {{0}};
        memcpy(last[0], x, k * sizeof(*x));
        memcpy(last[1], y, k * sizeof(*y));
        round_step(last[0], last[1], out);
    }
}

static void pack_lhs(const struct sl_matmul_args *args)
{
    uint16_t *block = args->workspace;
    for (size_t row = 0, count; row < args->m; row += count) {
        count = args->m - row < MR ? args->m - row : MR;
        size_t pairs = (count + 1) / 2;
        for (size_t i = 0; i < pairs; i++) {
            size_t x = (row + 2 * i) * args->lhs_stride;
            size_t y = 2 * i + 1 < count ? x + args->lhs_stride : x;
            if (args->lhs_is_f32)
                round_pair((const float *)args->lhs + x, (const float *)args->lhs + y, args->k,
                           block + PAIR * i, PAIR * pairs);
            else
                pack_pair((const uint16_t *)args->lhs + x, (const uint16_t *)args->lhs + y, args->k,
                          block + PAIR * i, PAIR * pairs);
        }
        block += steps_of(args->k) * PAIR * pairs;
    }
}

/* The first `count` of four; zeros behind them. */
SL_INLINE uint16x4_t load_some(const uint16_t *at, size_t count)
{
    uint16_t some[4] = {0};
    if (count >= 4)
        return vld1_u16(at);
    memcpy(some, at, count * sizeof(*at));
    return vld1_u16(some);
}

/* Four columns of [k][n], `left` of them there. */
static void pack_four(size_t n, size_t k, const uint16_t *at, size_t left, uint16_t *out,
                      size_t stride)
{
    for (size_t p = 0; p < k; p += DEPTH, at += DEPTH * n, out += stride) {
        uint16x4x4_t rows;
        SL_UNROLL
        for (size_t i = 0; i < DEPTH; i++)
            rows.val[i] = p + i < k ? load_some(at + i * n, left) : vdup_n_u16(0);
        vst4_u16(out, rows);
    }
}

static void pack_biases(size_t n, size_t column, size_t width, const float *bias, float *out)
{
    for (size_t j = 0; j < width; j++) {
        float value = bias && column + j < n ? bias[column + j] : 0;
        out[j / 2 * 4 + j % 2] = value;
        out[j / 2 * 4 + j % 2 + 2] = value;
    }
}

static void pack_rhs(size_t n, size_t k, const void *rhs, bool transposed, const void *bias,
                     void *packed)
{
    const uint16_t *w = rhs;
    for (size_t column = 0; column < n; column += NR) {
        char *panel = (char *)packed + panels_bytes(column, k);
        size_t width = n - column < NR ? sl_bf16_up(n - column, 4) : NR, stride = width * DEPTH;
        uint16_t *out = (uint16_t *)(void *)panel + stride;
        pack_biases(n, column, width, bias, (float *)(void *)panel);
        for (size_t j = column; transposed && j < column + width; j += 4, out += 2 * PAIR)
            pack_four(n, k, w + j, n - j, out, stride);
        for (size_t j = column; !transposed && j < column + width; j += 2, out += PAIR)
            pack_pair(w + (j < n ? j : n - 1) * k, w + (j + 1 < n ? j + 1 : n - 1) * k, k, out,
                      stride);
    }
}

SL_INLINE bfloat16x8_t load(const uint16_t *at)
{
    return vreinterpretq_bf16_u16(vld1q_u16(at));
}

/* One step of all pairs of rows and columns; two pairs of columns at once, as more of them would
 * not leave registers for the sums. */
SL_INLINE void multiply(size_t rows, size_t columns, const uint16_t *left, const uint16_t *right,
                        float32x4_t acc[ROWS][COLUMNS])
{
    bfloat16x8_t a[ROWS];
    SL_UNROLL
    for (size_t i = 0; i < rows; i++)
        a[i] = load(left + PAIR * i);
    SL_UNROLL
    for (size_t j = 0; j < columns; j += 2) {
        bfloat16x8_t b = load(right + PAIR * j), c = load(right + PAIR * (j + 1));
        SL_UNROLL
        for (size_t i = 0; i < rows; i++) {
            acc[i][j] = vbfmmlaq_f32(acc[i][j], a[i], b);
            acc[i][j + 1] = vbfmmlaq_f32(acc[i][j + 1], a[i], c);
        }
    }
}

/* Rows out of pairs of rows by pairs of columns, stored. */
SL_INLINE void finish(size_t rows, size_t columns, size_t row, const struct sl_bf16_panel *p,
                      float32x4_t acc[ROWS][COLUMNS])
{
    float32x4_t block[MR * COLUMNS / 2];
    size_t vectors = columns / 2;
    SL_UNROLL
    for (size_t i = 0; i < rows * vectors; i++) {
        size_t pair = i / vectors, j = i % vectors;
        float64x2_t x = vreinterpretq_f64_f32(acc[pair][2 * j]);
        float64x2_t y = vreinterpretq_f64_f32(acc[pair][2 * j + 1]);
        block[2 * pair * vectors + j] = vreinterpretq_f32_f64(vzip1q_f64(x, y));
        block[(2 * pair + 1) * vectors + j] = vreinterpretq_f32_f64(vzip2q_f64(x, y));
    }
    float *dst = p->dst + row * p->dst_stride;
    if (p->m - row >= 2 * rows)
        sl_bf16_store(2 * rows, vectors, p, block, dst);
    else
        sl_bf16_store(2 * rows - 1, vectors, p, block, dst);
}

SL_INLINE void block(size_t rows, size_t columns, size_t row, const struct sl_bf16_panel *p)
{
    float32x4_t acc[ROWS][COLUMNS];
    const uint16_t *left = (const uint16_t *)p->left + row * p->steps * DEPTH;
    const uint16_t *right = (const uint16_t *)p->right + PAIR * columns;
    SL_UNROLL
    for (size_t i = 0; i < rows; i++) {
        const float *bias = p->right;
        SL_FORGET(bias); /* loading again is cheaper than copying vectors */
        SL_UNROLL
        for (size_t j = 0; j < columns; j++)
            acc[i][j] = vld1q_f32(bias + 4 * j);
    }
    size_t steps = p->steps;
    for (; steps >= 8; steps -= 8, left += 8 * PAIR * rows, right += 8 * PAIR * columns) {
        SL_UNROLL
        for (size_t part = 0; part < 8; part++)
            multiply(rows, columns, left + part * PAIR * rows, right + part * PAIR * columns, acc);
    }
    for (; steps > 0; steps--, left += PAIR * rows, right += PAIR * columns)
        multiply(rows, columns, left, right, acc);
    finish(rows, columns, row, p, acc);
}

SL_INLINE void rows_of(size_t columns, const struct sl_bf16_panel *p)
{
    size_t row = 0;
    for (; p->m - row >= MR - 1; row += MR) {
        block(ROWS, columns, row, p);
        if (p->m - row < MR)
            return;
    }
    size_t left = p->m - row;
    if (left > 4)
        block(3, columns, row, p);
    else if (left > 2)
        block(2, columns, row, p);
    else if (left > 0)
        block(1, columns, row, p);
}

static void rows_of_four(const struct sl_bf16_panel *p)
{
    rows_of(2, p);
}

static void rows_of_eight(const struct sl_bf16_panel *p)
{
    rows_of(4, p);
}

static void rows_of_twelve(const struct sl_bf16_panel *p)
{
    rows_of(6, p);
}

static void run_packed(const struct sl_matmul_args *args)
{
    for (size_t column = 0; column < args->n; column += NR) {
        const char *right = (const char *)args->rhs + panels_bytes(column, args->k);
        const struct sl_bf16_panel panel =
            sl_bf16_panel(args, steps_of(args->k), column, NR, right);
        if (panel.columns > 8)
            rows_of_twelve(&panel);
        else if (panel.columns > 4)
            rows_of_eight(&panel);
        else
            rows_of_four(&panel);
    }
}

static void run(const struct sl_matmul_args *args)
{
    pack_lhs(args);
    run_packed(args);
}

const struct sl_matmul sl_matmul_f32_bf16p8x4_bf16p12x4_8x12_neon_mmla = {
    .name = "sl_matmul_f32_bf16p8x4_bf16p12x4_8x12_neon_mmla",
    .needs = SL_ISA_NEON | SL_ISA_BF16,
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
