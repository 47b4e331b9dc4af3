/* kernels/reduce/norm_f16_neon.c: layer norm of rows of halves in f32, which base Armv8-A converts:
 * once for the sums of a row and of its squares, once for the results. */
#include <math.h>
#include <stdbool.h>

#include "kernels/cpu/half.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"
#include "kernels/reduce/reduce.h"

/* Rows whose averages are kept, and columns whose weights are widened for all of them at once. */
enum { ROWS = 32, COLUMNS = 2048, EIGHT = 8, BLOCK = 32 };

struct row {
    float average, rstd;
};

SL_INLINE void widen_8(uint16x8_t bits, float32x4_t pair[2])
{
    float16x8_t halves = vreinterpretq_f16_u16(bits);
    pair[0] = vcvt_f32_f16(vget_low_f16(halves));
    pair[1] = vcvt_high_f32_f16(halves);
}

/* Sums of a row less an origin, if it is `far` from 0, and of the squares of that, one in each
 * lane. */
struct sums {
    float32x4_t plain[4], squares[4];
};

SL_INLINE void add_eight(bool far, uint16x8_t eight, float32x4_t from, size_t at, struct sums *s)
{
    float32x4_t pair[2];
    widen_8(eight, pair);
    SL_UNROLL
    for (size_t j = 0; j < 2; j++) {
        float32x4_t d = far ? vsubq_f32(pair[j], from) : pair[j];
        s->plain[at + j] = vaddq_f32(s->plain[at + j], d);
        s->squares[at + j] = vfmaq_f32(s->squares[at + j], d, d);
    }
}

/* The elements behind a row's whole eights: in the eight that end with it, or a shorter row. */
SL_INLINE void add_rest(bool far, const uint16_t *row, size_t count, float32x4_t from,
                        struct sums *s)
{
    static const int32_t order[] = {0, 1, 2, 3};
    int32_t before = count < EIGHT ? 0 : EIGHT - (int32_t)(count % EIGHT);
    int32_t behind = count < EIGHT ? (int32_t)count : EIGHT;
    uint16_t few[EIGHT] = {0};
    float32x4_t pair[2];
    if (count < EIGHT)
        memcpy(few, row, count * sizeof(*few));
    widen_8(vld1q_u16(count < EIGHT ? few : row + count - EIGHT), pair);
    SL_UNROLL
    for (size_t j = 0; j < 2; j++) {
        int32x4_t lane = vaddq_s32(vld1q_s32(order), vdupq_n_s32(4 * (int32_t)j));
        uint32x4_t in =
            vandq_u32(vcgeq_s32(lane, vdupq_n_s32(before)), vcltq_s32(lane, vdupq_n_s32(behind)));
        float32x4_t d = far ? vsubq_f32(pair[j], from) : pair[j];
        d = vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(d), in));
        s->plain[j] = vaddq_f32(s->plain[j], d);
        s->squares[j] = vfmaq_f32(s->squares[j], d, d);
    }
}

SL_INLINE float total(const float32x4_t sums[4])
{
    return vaddvq_f32(vaddq_f32(vaddq_f32(sums[0], sums[1]), vaddq_f32(sums[2], sums[3])));
}

/* Average distance from `origin`, and average square of it. */
SL_INLINE struct row averages(const uint16_t *in, size_t count, bool far, float origin)
{
    float32x4_t from = vdupq_n_f32(origin), none = vdupq_n_f32(0);
    struct sums s = {{none, none, none, none}, {none, none, none, none}};
    float n = (float)count;
    if (count % EIGHT != 0)
        add_rest(far, in, count, from, &s);
    for (size_t blocks = count / BLOCK; blocks > 0; blocks--) {
        uint16x8x4_t v = sl_neon_next_x16(&in);
        SL_UNROLL
        for (size_t i = 0; i < 4; i++)
            add_eight(far, v.val[i], from, i % 2 * 2, &s);
    }
    for (count %= BLOCK; count >= EIGHT; count -= EIGHT, in += EIGHT)
        add_eight(far, vld1q_u16(in), from, 0, &s);
    return (struct row){total(s.plain) / n, total(s.squares) / n};
}

/* If the average is so large that the difference of squares would lose the variance, a second pass
 * sums the squares of distances from the average. */
static struct row measure(const uint16_t *in, size_t count, float eps)
{
    struct row at = averages(in, count, false, 0);
    float average = at.average, variance = at.rstd - average * average;
    if (at.rstd > 17 * variance) {
        at = averages(in, count, true, average);
        variance = at.rstd - at.average * at.average;
        average += at.average;
    }
    return (struct row){average, 1 / sqrtf((variance > 0 ? variance : 0) + eps)};
}

SL_INLINE uint16x8_t normalised(uint16x8_t x, const float32x4_t weight[2],
                                const float32x4_t bias[2], const struct row *row)
{
    float32x4_t y[2], average = vdupq_n_f32(row->average);
    widen_8(x, y);
    SL_UNROLL
    for (size_t j = 0; j < 2; j++)
        y[j] = vfmaq_f32(bias[j], vmulq_n_f32(vsubq_f32(y[j], average), row->rstd), weight[j]);
    return vreinterpretq_u16_f16(vcvt_high_f16_f32(vcvt_f16_f32(y[0]), y[1]));
}

SL_INLINE uint16x8_t normalised_8(uint16x8_t x, const float *weight, const float *bias,
                                  const struct row *row)
{
    float32x4_t w[] = {vld1q_f32(weight), vld1q_f32(weight + 4)};
    float32x4_t b[] = {vld1q_f32(bias), vld1q_f32(bias + 4)};
    return normalised(x, w, b, row);
}

SL_INLINE float32x4x4_t next_x32(const float **at)
{
    float32x4x4_t v = vld1q_f32_x4(*at);
    *at += 16;
    SL_FORGET(*at);
    return v;
}

/* The same of fewer than EIGHT; weights and biases are EIGHT. */
static void normalise_few(size_t count, const uint16_t *in, const float *weight, const float *bias,
                          const struct row *row, uint16_t *out)
{
    uint16_t few[EIGHT] = {0};
    memcpy(few, in, count * sizeof(*in));
    vst1q_u16(few, normalised_8(vld1q_u16(few), weight, bias, row));
    memcpy(out, few, count * sizeof(*out));
}

static void normalise(size_t count, const uint16_t *in, const float *weight, const float *bias,
                      const struct row *row, uint16_t *out)
{
    const struct row at = *row;
    uint16_t *last = out + count - EIGHT;
    uint16x8_t rest = vdupq_n_u16(0); /* what ends with the row; `out` may be `in` */
    if (count % EIGHT != 0)
        rest = normalised_8(vld1q_u16(in + count - EIGHT), weight + count - EIGHT,
                            bias + count - EIGHT, &at);
    size_t left = count % BLOCK;
    for (size_t blocks = count / BLOCK; blocks > 0; blocks--) {
        uint16x8x4_t v = sl_neon_next_x16(&in);
        SL_UNROLL
        for (size_t i = 0; i < 4; i += 2) {
            float32x4x4_t w = next_x32(&weight), b = next_x32(&bias);
            v.val[i] = normalised(v.val[i], w.val, b.val, &at);
            v.val[i + 1] = normalised(v.val[i + 1], w.val + 2, b.val + 2, &at);
        }
        vst1q_u16_x4(out, v);
        out += BLOCK;
        SL_FORGET(out);
    }
    for (; left >= EIGHT; left -= EIGHT, in += EIGHT, weight += EIGHT, bias += EIGHT, out += EIGHT)
        vst1q_u16(out, normalised_8(vld1q_u16(in), weight, bias, &at));
    if (left > 0)
        vst1q_u16(last, rest);
}

/* `count` halves and some more zeros, or all `otherwise`. */
static void widen(const uint16_t *in, size_t count, float otherwise, float *out)
{
    size_t i = 0;
    for (; in && i + EIGHT <= count; i += EIGHT) {
        float32x4_t pair[2];
        widen_8(vld1q_u16(in + i), pair);
        vst1q_f32(out + i, pair[0]);
        vst1q_f32(out + i + 4, pair[1]);
    }
    for (; i < count + EIGHT; i++)
        out[i] = in ? (i < count ? sl_half_to_float(in[i]) : 0) : otherwise;
}

static void normalise_rows(const struct sl_reduce_args *args, size_t o, size_t rows,
                           const struct row *of)
{
    float weight[COLUMNS + EIGHT], bias[COLUMNS + EIGHT];
    for (size_t c = 0, columns; c < args->reduced; c += columns) {
        columns = args->reduced - c < COLUMNS ? args->reduced - c : COLUMNS;
        widen(args->weight ? (const uint16_t *)args->weight + c : NULL, columns, 1, weight);
        widen(args->bias ? (const uint16_t *)args->bias + c : NULL, columns, 0, bias);
        for (size_t r = 0; r < rows; r++) {
            size_t at = (o + r) * args->reduced + c;
            if (columns < EIGHT)
                normalise_few(columns, (const uint16_t *)args->in + at, weight, bias, of + r,
                              (uint16_t *)args->out + at);
            else
                normalise(columns, (const uint16_t *)args->in + at, weight, bias, of + r,
                          (uint16_t *)args->out + at);
        }
    }
}

static void layer_norm(const struct sl_reduce_args *args)
{
    struct row of[ROWS];
    for (size_t o = 0, rows; o < args->outer && args->reduced > 0; o += rows) {
        rows = args->outer - o < ROWS ? args->outer - o : ROWS;
        for (size_t r = 0; r < rows; r++) {
            of[r] = measure((const uint16_t *)args->in + (o + r) * args->reduced, args->reduced,
                            args->eps);
            if (args->mean)
                ((uint16_t *)args->mean)[o + r] = sl_half_from_float(of[r].average);
            if (args->rstd)
                ((uint16_t *)args->rstd)[o + r] = sl_half_from_float(of[r].rstd);
        }
        normalise_rows(args, o, rows, of);
    }
}

const struct sl_reduce sl_reduce_layer_norm_f16_f16_1x32_neon = {
    .name = "sl_reduce_layer_norm_f16_f16_1x32_neon",
    .needs = SL_ISA_NEON,
    .element = SL_F16,
    .op = SL_REDUCE_LAYER_NORM,
    .run = layer_norm,
};
