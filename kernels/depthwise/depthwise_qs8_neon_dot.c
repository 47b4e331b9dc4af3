/* kernels/depthwise/depthwise_qs8_neon_dot.c: int8 depthwise convolution by SDOT, windows of a few
 * columns: the bytes of four neighbouring columns of a channel are one lane. Two outputs of a row
 * are a turn; what differs between them are the weights, moved by a stride in a lane. */
#define NAME qs8_qs8p16x4_1x2_neon_dot
#define NEEDS (SL_ISA_NEON | SL_ISA_DOTPROD)
#define BLOCK 16
#include "kernels/depthwise/depthwise_qs8_neon.inc"

/* Which columns make the lanes of two outputs. */
enum columns {
    FOUR,  /* the same four, of which the next two outputs begin with the last two */
    EIGHT, /* the same eight */
    APART, /* four each, two columns apart; one set of weights */
    NONE
};

static int columns_of(const struct sl_depthwise_shape *s)
{
    size_t all = s->kernel_w < 8 && s->stride_w < 8 ? s->kernel_w + s->stride_w : 9;
    if (s->dilation_w != 1 || all > 8)
        return NONE;
    if (all <= 4 && s->stride_w == 1)
        return FOUR;
    return s->stride_w == 2 && s->kernel_w <= 4 ? APART : EIGHT;
}

static bool fits(const struct sl_depthwise_shape *shape)
{
    return shape->multiplier == 1 && columns_of(shape) != NONE;
}

/* [four columns][output][channel][column] */
static size_t row_bytes(const struct sl_depthwise_shape *s)
{
    static const size_t bytes[] = {[FOUR] = 128, [EIGHT] = 256, [APART] = 64, [NONE] = 0};
    return bytes[columns_of(s)];
}

static void place(const struct sl_depthwise_shape *s, void *row, size_t tap, size_t channel,
                  int8_t weight)
{
    size_t outputs = columns_of(s) == APART ? 1 : 2;
    for (size_t o = 0; o < outputs; o++) {
        size_t column = tap + o * s->stride_w;
        ((int8_t *)row)[((column / 4 * outputs + o) * BLOCK + channel) * 4 + column % 4] = weight;
    }
}

/* Two columns of 16 channels, side by side in each channel. */
struct pair {
    int16x8_t low, high;
};

SL_INLINE struct pair pair_at(const int8_t *in, size_t pixel)
{
    int8x16_t a = vld1q_s8(in), b = vld1q_s8(in + pixel);
    return (struct pair){vreinterpretq_s16_s8(vzip1q_s8(a, b)),
                         vreinterpretq_s16_s8(vzip2q_s8(a, b))};
}

/* Adds four columns times their weights to the sums of 16 channels. */
SL_INLINE void add_four(struct pair a, struct pair b, const int8_t *w, int32x4_t acc[4])
{
    acc[0] = vdotq_s32(acc[0], vreinterpretq_s8_s16(vzip1q_s16(a.low, b.low)), vld1q_s8(w));
    acc[1] = vdotq_s32(acc[1], vreinterpretq_s8_s16(vzip2q_s16(a.low, b.low)), vld1q_s8(w + 16));
    acc[2] = vdotq_s32(acc[2], vreinterpretq_s8_s16(vzip1q_s16(a.high, b.high)), vld1q_s8(w + 32));
    acc[3] = vdotq_s32(acc[3], vreinterpretq_s8_s16(vzip2q_s16(a.high, b.high)), vld1q_s8(w + 48));
}

/* A row of the windows, whose first two columns are *a; leaves there what the next two windows
 * begin with. Returns the weights of the next row. */
SL_INLINE const int8_t *add_row(int columns, struct pair *a, const int8_t *in, size_t pixel,
                                const int8_t *w, int32x4_t acc[2][4])
{
    struct pair b = pair_at(in + 2 * pixel, pixel), c;
    add_four(*a, b, w, acc[0]);
    if (columns == APART) {
        *a = pair_at(in + 4 * pixel, pixel);
        add_four(b, *a, w, acc[1]);
        return w + 64;
    }
    add_four(*a, b, w + 64, acc[1]);
    *a = b;
    if (columns == FOUR)
        return w + 128;
    b = pair_at(in + 4 * pixel, pixel);
    c = pair_at(in + 6 * pixel, pixel);
    add_four(b, c, w + 128, acc[0]);
    add_four(b, c, w + 192, acc[1]);
    return w + 256;
}

SL_INLINE void put(int8_t *out, int8x16_t y, size_t channels)
{
    if (channels == BLOCK)
        vst1q_s8(out, y);
    else
        memcpy(out, &y, channels);
}

SL_INLINE void start_sums(const int32_t *start, int32x4_t acc[2][4])
{
    SL_UNROLL
    for (size_t o = 0; o < 2; o++) {
        SL_UNROLL
        for (size_t j = 0; j < 4; j++)
            acc[o][j] = vld1q_s32(start + 4 * j);
        SL_FORGET(start); /* loading again is cheaper than copying */
    }
}

/* Two outputs, or the last one, of each window at `in` and of those that follow. */
SL_INLINE void run_columns(int columns, size_t kernel_h, size_t channels, const struct row *row)
{
    const struct sl_depthwise_shape *s = row->shape;
    const int8_t *in = row->in, *weights = (const int8_t *)(row->weights + 1);
    const int32_t *start = row->weights->start;
    size_t pixel = s->channels, step = 2 * s->stride_w * pixel, down = row->down;
    struct sl_requant_neon quant = sl_requant_neon_of(row->quant);
    struct pair first[3];
    int32x4_t acc[2][4];
    int8_t *out = row->out;
    for (size_t j = 0; j < 4; j++)
        quant.scale[j] = vld1q_f32(row->weights->scale + 4 * j);
    if (kernel_h == 3 && columns != EIGHT)
        for (size_t y = 0; y < 3; y++)
            first[y] = pair_at(in + y * down, pixel);
    for (size_t left = s->out_w; left > 0; left = left > 1 ? left - 2 : 0, in += step) {
        const int8_t *at = in, *w = weights;
        start_sums(start, acc);
        SL_UNROLL
        for (size_t y = 0; kernel_h == 3 && columns != EIGHT && y < 3; y++, at += down)
            w = add_row(columns, &first[y], at, pixel, w, acc);
        for (size_t y = kernel_h == 3 && columns != EIGHT ? 0 : kernel_h; y > 0; y--, at += down) {
            struct pair a = pair_at(at, pixel);
            w = add_row(columns, &a, at, pixel, w, acc);
        }
        put(out, sl_requant_sixteen(acc[0], acc[0] + 2, &quant), channels);
        out += pixel;
        if (left > 1)
            put(out, sl_requant_sixteen(acc[1], acc[1] + 2, &quant), channels);
        out += pixel;
    }
}

/* A whole block, most often of 3x3, is worth code of its own. */
SL_INLINE void run_block(int columns, const struct row *row)
{
    size_t kernel_h = row->shape->kernel_h;
    if (row->channels < BLOCK)
        run_columns(columns, kernel_h, row->channels, row);
    else if (kernel_h == 3 && columns != EIGHT)
        run_columns(columns, 3, BLOCK, row);
    else
        run_columns(columns, kernel_h, BLOCK, row);
}

static void run_four(const struct row *row)
{
    run_block(FOUR, row);
}

static void run_eight(const struct row *row)
{
    run_block(EIGHT, row);
}

static void run_apart(const struct row *row)
{
    run_block(APART, row);
}

static void run_row(const struct row *row)
{
    static void (*const of[])(const struct row *row) = {
        [FOUR] = run_four, [EIGHT] = run_eight, [APART] = run_apart};
    of[columns_of(row->shape)](row);
}
