/* kernels/matmul/qd8_row_sme2.c: a single row for the kernels of single rows and for those of outer
 * products. */
#include "kernels/matmul/qd8_row_sme2.h"

#include <string.h>

#include "kernels/convert/quantise_rows.h"

/* The workspace: the row and its parameters. */
struct packed_row {
    struct sl_row_params params;
    int32_t unused[2]; /* the values begin at a multiple of 16 bytes */
    int8_t values[];   /* [4 * words] */
};

size_t sl_qd8_row_bytes(size_t k)
{
    return sizeof(struct packed_row) + 4 * sl_qd8_words(k);
}

void sl_qd8_row_pack(const struct sl_matmul_qd8_args *args) __arm_streaming __arm_inout("za")
{
    struct packed_row *row = args->workspace;
    size_t words = sl_qd8_words(args->k);
    *(int32_t *)(void *)(row->values + 4 * (words - 1)) = 0; /* past the last k */
    sl_quantise_row_sme2(args->k, args->lhs.data, args->lhs.type, row->values, &row->params);
}

void sl_qd8_row_pack_int8(const struct sl_matmul_qd8_args *args)
{
    struct packed_row *row = args->workspace;
    row->params = args->lhs.params[0];
    memset(row->values + 4 * (sl_qd8_words(args->k) - 1), 0, 4);
    if (args->k > 0)
        memcpy(row->values, args->lhs.data, args->k);
}

struct sl_qd8_gemv sl_qd8_row_job(const struct sl_qd8_call *call) __arm_streaming_compatible
{
    const struct sl_matmul_qd8_args *args = call->args;
    const struct packed_row *row = args->workspace;
    return (struct sl_qd8_gemv){
        .row = row->values,
        .weights = args->rhs,
        .dst = args->dst,
        .n = args->n,
        .words = args->group ? args->group / 4 : sl_qd8_words(args->k),
        .groups = sl_qd8_head_lines(args),
        .min = call->min,
        .max = call->max,
        .scale = row->params.scale,
        .zero_point = row->params.zero_point,
        .half = args->dst_type == SL_ROWS_F16,
        .nibbles = sl_qd8_nibbles,
    };
}
