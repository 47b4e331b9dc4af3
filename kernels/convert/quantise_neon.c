/* kernels/convert/quantise_neon.c: rows to int8, 16 elements at a time. */
#include "kernels/convert/quantise_rows.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon.h"

struct sixteen {
    float32x4_t v[4];
};

SL_INLINE struct sixteen load(const void *row, int type, size_t i)
{
    struct sixteen x;
    if (type == SL_ROWS_F32) {
        SL_UNROLL
        for (size_t v = 0; v < 4; v++)
            x.v[v] = vld1q_f32((const float *)row + i + 4 * v);
        return x;
    }
    SL_UNROLL
    for (size_t v = 0; v < 4; v++)
        x.v[v] = vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16((const uint16_t *)row + i + 4 * v)));
    return x;
}

/* Of the whole sixteens of a row. */
SL_INLINE void extremes(size_t k, const void *row, int type, float *out_low, float *out_high)
{
    float32x4_t low[4], high[4];
    for (size_t v = 0; v < 4; v++)
        low[v] = high[v] = vdupq_n_f32(0);
    for (size_t i = 0; i + 16 <= k; i += 16) {
        struct sixteen x = load(row, type, i);
        SL_UNROLL
        for (size_t v = 0; v < 4; v++) {
            low[v] = vminq_f32(low[v], x.v[v]);
            high[v] = vmaxq_f32(high[v], x.v[v]);
        }
    }
    *out_low = vminvq_f32(vminq_f32(vminq_f32(low[0], low[1]), vminq_f32(low[2], low[3])));
    *out_high = vmaxvq_f32(vmaxq_f32(vmaxq_f32(high[0], high[1]), vmaxq_f32(high[2], high[3])));
}

SL_INLINE int8x16_t quantised(struct sixteen x, float32x4_t multiplier, int16x8_t zero)
{
    int16x4_t q[4];
    SL_UNROLL
    for (size_t v = 0; v < 4; v++)
        q[v] = vqmovn_s32(vcvtnq_s32_f32(vmulq_f32(x.v[v], multiplier)));
    return vcombine_s8(vqmovn_s16(vqaddq_s16(vcombine_s16(q[0], q[1]), zero)),
                       vqmovn_s16(vqaddq_s16(vcombine_s16(q[2], q[3]), zero)));
}

SL_INLINE struct sl_row_params quantise(size_t k, const void *row, int type, int8_t *out)
{
    float low, high, multiplier;
    size_t i = k / 16 * 16;
    extremes(k, row, type, &low, &high);
    for (; i < k; i++) {
        float x = sl_row_element(row, type, i);
        low = x < low || x != x ? x : low;
        high = x > high || x != x ? x : high;
    }
    struct sl_row_params params = sl_row_params_of(low, high, &multiplier);
    int16x8_t zero = vdupq_n_s16((int16_t)params.zero_point);
    float32x4_t by = vdupq_n_f32(multiplier);
    for (i = 0; i + 16 <= k; i += 16)
        vst1q_s8(out + i, quantised(load(row, type, i), by, zero));
    for (; i < k; i++)
        out[i] = sl_quantised_of(sl_row_element(row, type, i), multiplier, params.zero_point);
    return params;
}

void sl_quantise_row_neon(size_t k, const void *row, int type, int8_t *out,
                          struct sl_row_params *out_params)
{
    *out_params = type == SL_ROWS_F32 ? quantise(k, row, SL_ROWS_F32, out)
                                      : quantise(k, row, SL_ROWS_F16, out);
}

static void run(size_t m, size_t k, const struct sl_rows *rows, int8_t *out, size_t out_stride,
                struct sl_row_params *out_params)
{
    for (size_t i = 0; i < m; i++, out += out_stride)
        sl_quantise_row_neon(k, sl_rows_at(rows, i), rows->type, out, out_params + i);
}

const struct sl_quantise sl_quantise_qd8_rows_neon = {
    .name = "sl_quantise_qd8_rows_neon",
    .needs = SL_ISA_NEON,
    .run = run,
};
