/* kernels/convert/quantise_row_neon.h: one row to int8 in NEON, 16 elements at a time, to where a
 * panel of rows wants them. For NEON kernels that quantise. */
#pragma once

#include "kernels/convert/quantise_rows.h"
#include "kernels/cpu/neon.h"

/* The layout of a row's bytes: `depth` of them (16, 8 or 4) every `step` bytes. */
struct sl_row_place {
    size_t depth, step;
};

struct sl_sixteen {
    float32x4_t v[4];
};

SL_INLINE struct sl_sixteen sl_sixteen_load(const void *at, int type)
{
    struct sl_sixteen x;
    if (type == SL_ROWS_F32) {
        float32x4x4_t four = vld1q_f32_x4((const float *)at);
        SL_UNROLL
        for (size_t v = 0; v < 4; v++)
            x.v[v] = four.val[v];
        return x;
    }
    uint16x8x2_t two = vld1q_u16_x2((const uint16_t *)at);
    SL_UNROLL
    for (size_t v = 0; v < 4; v++) {
        float16x8_t half = vreinterpretq_f16_u16(two.val[v / 2]);
        x.v[v] = v % 2 == 0 ? vcvt_f32_f16(vget_low_f16(half)) : vcvt_high_f32_f16(half);
    }
    return x;
}

/* The last of a row that are no whole sixteen: sixteen that end with them, or begin with them. */
SL_INLINE struct sl_sixteen sl_sixteen_last(size_t k, const void *row, int type)
{
    const size_t bytes = type == SL_ROWS_F32 ? 4 : 2;
    char few[64] = {0};
    if (k >= 16)
        return sl_sixteen_load((const char *)row + (k - 16) * bytes, type);
    memcpy(few, row, k * bytes);
    return sl_sixteen_load(few, type);
}

struct sl_extremes {
    float32x4_t low[4], high[4];
};

SL_INLINE void sl_extremes_add(struct sl_extremes *e, struct sl_sixteen x)
{
    SL_UNROLL
    for (size_t v = 0; v < 4; v++) {
        e->low[v] = vminq_f32(e->low[v], x.v[v]);
        e->high[v] = vmaxq_f32(e->high[v], x.v[v]);
    }
}

SL_INLINE struct sl_row_params sl_row_params_neon(size_t k, const void *row, int type,
                                                  float *out_multiplier)
{
    const char *at = row;
    struct sl_extremes e;
    SL_UNROLL
    for (size_t v = 0; v < 4; v++)
        e.low[v] = e.high[v] = vdupq_n_f32(0);
    for (size_t turns = k / 16; turns > 0; turns--) {
        sl_extremes_add(&e, sl_sixteen_load(at, type));
        at += type == SL_ROWS_F32 ? 64 : 32;
        SL_FORGET(at);
    }
    if (k % 16 != 0)
        sl_extremes_add(&e, sl_sixteen_last(k, row, type));
    SL_UNROLL
    for (size_t v = 2; v > 0; v /= 2) {
        SL_UNROLL
        for (size_t i = 0; i < v; i++) {
            e.low[i] = vminq_f32(e.low[i], e.low[i + v]);
            e.high[i] = vmaxq_f32(e.high[i], e.high[i + v]);
        }
    }
    return sl_row_params_of(vminvq_f32(e.low[0]), vmaxvq_f32(e.high[0]), out_multiplier);
}

SL_INLINE int8x16_t sl_sixteen_quantised(struct sl_sixteen x, float32x4_t multiplier,
                                         int16x8_t zero)
{
    int32x4_t q[4];
    SL_UNROLL
    for (size_t v = 0; v < 4; v++)
        q[v] = vcvtnq_s32_f32(vmulq_f32(x.v[v], multiplier));
    int16x8_t low = vqaddq_s16(vqmovn_high_s32(vqmovn_s32(q[0]), q[1]), zero);
    int16x8_t high = vqaddq_s16(vqmovn_high_s32(vqmovn_s32(q[2]), q[3]), zero);
    return vqmovn_high_s16(vqmovn_s16(low), high);
}

#define SL_PUT_LANE(bits, x, lane, place, out)                                                     \
    vst1q_lane_s##bits((int##bits##_t *)(void *)*(out), vreinterpretq_s##bits##_s8(x), lane);      \
    *(out) += (place).step;                                                                        \
    SL_FORGET(*(out));

/* 16 bytes, and on to where the next ones go. */
SL_INLINE void sl_sixteen_put(struct sl_row_place place, int8x16_t x, int8_t **out)
{
    if (place.depth == 16) {
        vst1q_s8(*out, x);
        *out += place.step;
        SL_FORGET(*out);
    } else if (place.depth == 8) {
        SL_PUT_LANE(64, x, 0, place, out)
        SL_PUT_LANE(64, x, 1, place, out)
    } else {
        SL_PUT_LANE(32, x, 0, place, out)
        SL_PUT_LANE(32, x, 1, place, out)
        SL_PUT_LANE(32, x, 2, place, out)
        SL_PUT_LANE(32, x, 3, place, out)
    }
}

/* The last k % 16 of sixteen bytes that end with them, or of a shorter row begin. */
SL_INLINE int8x16_t sl_sixteen_tail(size_t k, int8x16_t x)
{
    return k >= 16 ? vqtbl1q_s8(x, sl_neon_tail_order(k % 16)) : x;
}

/* Writes whole sixteens even where k is below 16; the values behind the last of k are any. */
SL_INLINE struct sl_row_params sl_quantise_row_to(size_t k, const void *row, int type,
                                                  struct sl_row_place place, int8_t *out)
{
    const char *at = row;
    float multiplier;
    struct sl_row_params params = sl_row_params_neon(k, row, type, &multiplier);
    int16x8_t zero = vdupq_n_s16((int16_t)params.zero_point);
    float32x4_t by = vdupq_n_f32(multiplier);
    for (size_t turns = k / 16; turns > 0; turns--) {
        sl_sixteen_put(place, sl_sixteen_quantised(sl_sixteen_load(at, type), by, zero), &out);
        at += type == SL_ROWS_F32 ? 64 : 32;
        SL_FORGET(at);
    }
    if (k % 16 == 0)
        return params;
    int8x16_t last = sl_sixteen_quantised(sl_sixteen_last(k, row, type), by, zero);
    if (place.depth < 16)
        sl_sixteen_put(place, sl_sixteen_tail(k, last), &out);
    else if (k >= 16)
        vst1q_s8(out + k % 16 - 16, last);
    else
        memcpy(out, &last, k);
    return params;
}

/* The same of a row that is int8. */
SL_INLINE void sl_copy_row_to(size_t k, const int8_t *row, struct sl_row_place place, int8_t *out)
{
    size_t i = 0;
    for (; i + 16 <= k; i += 16)
        sl_sixteen_put(place, vld1q_s8(row + i), &out);
    if (i == k)
        return;
    int8x16_t last = k >= 16 ? vld1q_s8(row + k - 16) : sl_neon_bytes(row, k);
    sl_sixteen_put(place, sl_sixteen_tail(k, last), &out);
}
