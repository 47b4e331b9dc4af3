/* kernels/depthwise/depthwise_qs8_neon.c: int8 depthwise convolution in base NEON, any window:
 * weights are 16 bits wide, four outputs of a row share a load of theirs. */
#define NAME qs8_qs8p8x1_1x4_neon_mlal
#define NEEDS SL_ISA_NEON
#define BLOCK 8
#include "kernels/depthwise/depthwise_qs8_neon.inc"

enum { PIXELS = 4 };

static bool fits(const struct sl_depthwise_shape *shape)
{
    return shape->multiplier == 1;
}

/* [tap][channel] of int16_t */
static size_t row_bytes(const struct sl_depthwise_shape *s)
{
    return s->kernel_w * BLOCK * sizeof(int16_t);
}

static void place(const struct sl_depthwise_shape *s, void *row, size_t tap, size_t channel,
                  int8_t weight)
{
    (void)s;
    ((int16_t *)row)[tap * BLOCK + channel] = weight;
}

/* The windows of PIXELS outputs from `in` on. */
SL_INLINE void add_windows(const struct row *row, const int8_t *in, int32x4_t acc[PIXELS][2])
{
    const struct sl_depthwise_shape *s = row->shape;
    const int16_t *w = (const int16_t *)(const void *)(row->weights + 1);
    size_t step = s->stride_w * s->channels, across = s->dilation_w * s->channels;
    for (size_t y = s->kernel_h; y > 0; y--, in += row->down) {
        const int8_t *at = in;
        for (size_t x = s->kernel_w; x > 0; x--, at += across, w += BLOCK) {
            int16x8_t tap = vld1q_s16(w);
            SL_UNROLL
            for (size_t p = 0; p < PIXELS; p++) {
                int16x8_t pixel = vmovl_s8(vld1_s8(at + p * step));
                acc[p][0] = vmlal_s16(acc[p][0], vget_low_s16(pixel), vget_low_s16(tap));
                acc[p][1] = vmlal_high_s16(acc[p][1], pixel, tap);
            }
        }
    }
}

SL_INLINE void put(int8_t *out, const int8_t *y, size_t channels)
{
    if (channels == BLOCK)
        vst1_s8(out, vld1_s8(y));
    else
        memcpy(out, y, channels);
}

static void run_row(const struct row *row)
{
    const struct sl_depthwise_shape *s = row->shape;
    const int8_t *in = row->in;
    int8_t *out = row->out;
    struct sl_requant_neon quant = sl_requant_neon_of(row->quant);
    for (size_t j = 0; j < 4; j++)
        quant.scale[j] = vld1q_f32(row->weights->scale + 4 * (j % 2));
    for (size_t ox = 0; ox < s->out_w; ox += PIXELS, in += PIXELS * s->stride_w * s->channels) {
        int32x4_t acc[PIXELS][2];
        int8_t y[PIXELS * BLOCK];
        SL_UNROLL
        for (size_t p = 0; p < PIXELS; p++) {
            acc[p][0] = vld1q_s32(row->weights->start);
            acc[p][1] = vld1q_s32(row->weights->start + 4);
        }
        add_windows(row, in, acc);
        vst1q_s8(y, sl_requant_sixteen(acc[0], acc[1], &quant));
        vst1q_s8(y + 2 * BLOCK, sl_requant_sixteen(acc[2], acc[3], &quant));
        for (size_t p = 0; p < PIXELS && ox + p < s->out_w; p++, out += s->channels)
            put(out, y + p * BLOCK, row->channels);
    }
}
