/* kernels/matmul/qd8_weights.h: reads weights as a model holds them. Internal to the packing of
 * every engine. */
#pragma once

#include "kernels/cpu/half.h"
#include "kernels/matmul/matmul_qd8.h"

/* 0 past the last k. */
static inline int8_t sl_weight_q8(const struct sl_weights_qd8 *w, size_t j, size_t p)
{
    const int8_t *data = w->data;
    if (p >= w->k)
        return 0;
    return w->transposed ? data[p * w->n + j] : data[j * w->k + p];
}

static inline int8_t sl_weight_q4(const struct sl_weights_qd8 *w, size_t j, size_t p)
{
    const uint8_t *row = (const uint8_t *)w->data + j * ((w->k + 1) / 2);
    if (p >= w->k)
        return 0;
    return (int8_t)((row[p / 2] >> (p % 2 * 4) & 15) - 8);
}

/* The scale of column j, and of its group g when there are groups. */
static inline float sl_weight_scale(const struct sl_weights_qd8 *w, size_t j, size_t g)
{
    size_t at = w->group ? j * (w->k / w->group) + g : j;
    if (w->group && w->scale_bf16)
        return sl_bfloat_to_float(((const uint16_t *)w->scale)[at]);
    return ((const float *)w->scale)[at];
}
