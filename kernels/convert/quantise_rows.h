/* kernels/convert/quantise_rows.h: one row of floats to int8, by engine. Internal to the kernels
 * that quantise while they pack. */
#pragma once

#include "kernels/convert/quantise.h"

/* Element i of a row of f32 or f16. */
float sl_row_element(const void *row, int type, size_t i);

/* Quantises k elements of type f32 or f16. */
typedef void (*sl_quantise_row_fn)(size_t k, const void *row, int type, int8_t *out,
                                   struct sl_row_params *out_params);
void sl_quantise_row_scalar(size_t k, const void *row, int type, int8_t *out,
                            struct sl_row_params *out_params);

#if defined(__ARM_FEATURE_SME2)
#include <arm_sme.h>
void sl_quantise_row_sme2(size_t k, const void *row, int type, int8_t *out,
                          struct sl_row_params *out_params) __arm_streaming __arm_inout("za");
#endif

/* Returns the begin of row i. */
static inline const void *sl_rows_at(const struct sl_rows *rows, size_t i)
{
    size_t bytes = rows->type == SL_ROWS_F32 ? 4 : rows->type == SL_ROWS_F16 ? 2 : 1;
    return (const char *)rows->data + i * rows->stride * bytes;
}
