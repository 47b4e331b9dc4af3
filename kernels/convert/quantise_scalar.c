/* kernels/convert/quantise_scalar.c: rows to int8, portable. */
#include "kernels/convert/quantise_rows.h"
#include "kernels/cpu/half.h"
#include "kernels/cpu/isa.h"

float sl_row_element(const void *row, int type, size_t i)
{
    if (type == SL_ROWS_F32)
        return ((const float *)row)[i];
    return sl_half_to_float(((const uint16_t *)row)[i]);
}

void sl_quantise_row_scalar(size_t k, const void *row, int type, int8_t *out,
                            struct sl_row_params *out_params)
{
    float low = 0, high = 0, multiplier;
    for (size_t i = 0; i < k; i++) {
        float x = sl_row_element(row, type, i);
        low = x < low || x != x ? x : low;
        high = x > high || x != x ? x : high;
        if (x != x)
            break; /* the parameters are settled: NaN */
    }
    struct sl_row_params params = sl_row_params_of(low, high, &multiplier);
    for (size_t i = 0; i < k; i++)
        out[i] = sl_quantised_of(sl_row_element(row, type, i), multiplier, params.zero_point);
    *out_params = params;
}

static void run(size_t m, size_t k, const struct sl_rows *rows, int8_t *out, size_t out_stride,
                struct sl_row_params *out_params)
{
    for (size_t i = 0; i < m; i++)
        sl_quantise_row_scalar(k, sl_rows_at(rows, i), rows->type, out + i * out_stride,
                               &out_params[i]);
}

const struct sl_quantise sl_quantise_qd8_rows_scalar = {
    .name = "sl_quantise_qd8_rows_scalar",
    .needs = SL_ISA_NONE,
    .run = run,
};
