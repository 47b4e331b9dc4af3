/* agent/runtime/xnn/plan.c */
#include "agent/runtime/xnn/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/runtime/runtime.h"
#include "common/base/error.h"
#include "common/base/mem.h"

/* Counts are of a file's items: no product of theirs wraps. */
void *sl_xnn_plan_table(struct sl_xnn_plan *plan, size_t count, size_t size)
{
    if (!sl_budget_take(plan->budget, count * size))
        return NULL;
    plan->table_bytes += count * size;
    return sl_calloc(count, size);
}

bool sl_xnn_set_dims(struct sl_xnn_operand *operand, uint32_t rank, const size_t *dims)
{
    size_t count = 1, bytes;
    if (rank > SL_XNN_MAX_RANK)
        return false;
    for (uint32_t i = 0; i < rank; i++)
        if (dims[i] > INT32_MAX || __builtin_mul_overflow(count, dims[i], &count))
            return false;
    if (__builtin_mul_overflow(count, sizeof(float), &bytes) || bytes > PTRDIFF_MAX)
        return false;
    memmove(operand->dims, dims, rank * sizeof(*dims));
    operand->rank = rank;
    operand->count = count;
    return true;
}

size_t sl_xnn_operand_rows(const struct sl_xnn_operand *operand)
{
    size_t rows = 1;
    for (uint32_t i = 0; i + operand->quant.nonbatch_dims < operand->rank; i++)
        rows *= operand->dims[i];
    return rows;
}

size_t sl_xnn_operand_bytes(const struct sl_xnn_operand *operand)
{
    size_t rows;
    if (operand->type != SL_XNN_QDINT8)
        return operand->count * sl_xnn_datatype_size(operand->type);
    rows = sl_xnn_operand_rows(operand);
    return rows != 0 ? sl_quantised_bytes(rows, operand->count / rows) : 0;
}

static size_t run_of(const struct sl_xnn_operand *operand)
{
    return operand->run_bytes != 0 ? operand->run_bytes : sl_xnn_operand_bytes(operand);
}

void sl_xnn_operand_gather(const struct sl_xnn_operand *operand, uint8_t *dense)
{
    size_t bytes = sl_xnn_operand_bytes(operand), run = run_of(operand);
    const uint8_t *from = operand->data;
    for (size_t done = 0; done < bytes; done += run, from += operand->pitch_bytes)
        memcpy(dense + done, from, run);
}

void sl_xnn_operand_scatter(const struct sl_xnn_operand *operand, const uint8_t *dense)
{
    size_t bytes = sl_xnn_operand_bytes(operand), run = run_of(operand);
    uint8_t *to = operand->data;
    for (size_t done = 0; done < bytes; done += run, to += operand->pitch_bytes)
        memcpy(to, dense + done, run);
}

int sl_xnn_op_error(const struct sl_xnn_op *op, struct sl_diag *diag, int code, const char *what)
{
    char where[96];
    snprintf(where, sizeof(where), "delegate node %s (%u)", op->origin, op->node->index);
    return sl_diag_set(diag, code, where, "%s", what);
}

bool sl_xnn_keeps_scaling(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op)
{
    const struct sl_xnn_scaling *out = &plan->operands[op->output].quant;
    for (uint32_t k = 0; k < op->input_count; k++) {
        const struct sl_xnn_scaling *in = &plan->operands[op->inputs[k]].quant;
        if (in->scale != out->scale || in->zero_point != out->zero_point)
            return false;
    }
    return true;
}

static int8_t bound(float value, const struct sl_xnn_scaling *quant)
{
    float q = value / quant->scale + (float)quant->zero_point;
    q = q > -128.0f ? q : -128.0f; /* a NaN too */
    q = q < 127.0f ? q : 127.0f;
    return (int8_t)lrintf(q);
}

void sl_xnn_bounds(const struct sl_xnn_op *op, const struct sl_xnn_operand *out, int8_t *min,
                   int8_t *max)
{
    *min = bound(op->min, &out->quant);
    *max = bound(op->max, &out->quant);
}

int sl_xnn_convert_op(int from, int to)
{
    static const struct {
        int from, to, op;
    } known[] = {
        {SL_XNN_FP32, SL_XNN_FP16, SL_CONVERT_F16_F32},
        {SL_XNN_FP16, SL_XNN_FP32, SL_CONVERT_F32_F16},
        {SL_XNN_FP32, SL_XNN_BF16, SL_CONVERT_BF16_F32},
        {SL_XNN_BF16, SL_XNN_FP32, SL_CONVERT_F32_BF16},
        {SL_XNN_FP32, SL_XNN_QINT8, SL_CONVERT_QS8_F32},
        {SL_XNN_FP16, SL_XNN_QINT8, SL_CONVERT_QS8_F16},
        {SL_XNN_QINT8, SL_XNN_FP32, SL_CONVERT_F32_QS8},
        {SL_XNN_QINT8, SL_XNN_FP16, SL_CONVERT_F16_QS8},
        {SL_XNN_QINT8, SL_XNN_QINT8, SL_CONVERT_QS8_QS8},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].from == from && known[i].to == to)
            return known[i].op;
    return -1;
}
