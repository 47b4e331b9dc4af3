/* agent/runtime/ops/quant.c: quantisation outside delegates. */
#include <math.h>
#include <string.h>

#include "agent/runtime/ops/cast.h"
#include "agent/runtime/ops/map.h"
#include "common/format/scalar_type.h"

/* q = clamp(round(x / scale) + zero, low, high); numbers: scale, zero, low, high. */
static void quantize_f32(size_t count, const void *const *in, void *out, const double *numbers)
{
    const float *from = in[0];
    float *to = out, inverse = 1.0f / (float)numbers[0];
    for (size_t i = 0; i < count; i++) {
        float q = nearbyintf(from[i] * inverse) + (float)numbers[1];
        q = q < (float)numbers[2] ? (float)numbers[2] : q;
        to[i] = q > (float)numbers[3] ? (float)numbers[3] : q;
    }
}

/* The same where floats do not hold the range: into int32. The sum is a float even so. */
static void quantize_f64(size_t count, const void *const *in, void *out, const double *numbers)
{
    const double *from = in[0];
    double *to = out;
    float inverse = 1.0f / (float)numbers[0];
    for (size_t i = 0; i < count; i++) {
        float q = nearbyintf((float)(from[i] * (double)inverse)) + (float)numbers[1];
        to[i] = fmin(fmax((double)q, numbers[2]), numbers[3]);
    }
}

static void dequantize_f32(size_t count, const void *const *in, void *out, const double *numbers)
{
    const float *from = in[0];
    float *to = out;
    for (size_t i = 0; i < count; i++)
        to[i] = (from[i] - (float)numbers[1]) * (float)numbers[0];
}

static int bad_range(struct sl_op_call *call, struct sl_diag *diag)
{
    return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                      "its scale is not positive or its range is not one of the type");
}

static int prepare_quantize(struct sl_op_call *call, struct sl_diag *diag)
{
    struct sl_map_shape shape = {
        .class = SL_CAST_F32, .fn = quantize_f32, .input_count = 1, .out = 6};
    for (uint32_t k = 0; k < 4; k++)
        shape.numbers[k] = sl_op_number(call, 1 + k, 0.0);
    if (!(shape.numbers[0] > 0.0) || shape.numbers[2] > shape.numbers[3] ||
        shape.numbers[2] < INT32_MIN || shape.numbers[3] > INT32_MAX)
        return bad_range(call, diag);
    if (shape.numbers[2] < INT16_MIN || shape.numbers[3] > UINT16_MAX) {
        shape.class = SL_CAST_F64;
        shape.fn = quantize_f64;
    }
    return sl_map_prepare(call, &shape, diag);
}

static int prepare_dequantize(struct sl_op_call *call, struct sl_diag *diag)
{
    struct sl_map_shape shape = {
        .class = SL_CAST_F32, .fn = dequantize_f32, .input_count = 1, .out = 7};
    shape.numbers[0] = sl_op_number(call, 1, 0.0);
    shape.numbers[1] = sl_op_number(call, 2, 0.0);
    return sl_map_prepare(call, &shape, diag);
}

/* Scale and zero point of a whole tensor for dynamic quantisation. */
struct qparams {
    const struct sl_tensor *in, *scale, *zero;
    size_t rows, width; /* each row has its own scale; numbers of a row */
    double low, high;
};

/* A scale is never 0, nor one whose inverse is infinite; a small one is held, and the bounds with
 * it. ExecuTorch does not look at the eps that the program gives. */
static double scale_of(const struct qparams *q, float *min, float *max)
{
    const float least = 6.1e-5f;
    double range = q->high - q->low, scale = ((double)*max - (double)*min) / range;
    if ((float)scale == 0.0f || isinf(1.0f / (float)scale))
        scale = 0.1;
    if (scale >= (double)least)
        return scale;
    float grown = least / (float)scale;
    if (*min == 0.0f) {
        *max = least * (float)range;
    } else if (*max == 0.0f) {
        *min = -least * (float)range;
    } else {
        *min *= grown;
        *max *= grown;
    }
    return (double)least;
}

static void choose(const struct qparams *q, size_t row)
{
    const float *in = (const float *)(const void *)q->in->data + row * q->width;
    float min = 0.0f, max = 0.0f; /* zero has to be exact */
    for (size_t i = 0; i < q->width; i++) {
        min = in[i] < min ? in[i] : min;
        max = in[i] > max ? in[i] : max;
    }
    double scale = scale_of(q, &min, &max);
    double from_min = q->low - (double)min / scale, from_max = q->high - (double)max / scale;
    double error_min = fabs(q->low) - fabs((double)min / scale);
    double error_max = fabs(q->high) - fabs((double)max / scale);
    double zero = error_min < error_max ? from_min : from_max;
    int64_t place = sl_cast_to_int((double)nearbyintf((float)fmin(fmax(zero, q->low), q->high)));
    memcpy(q->scale->data + row * sizeof(scale), &scale, sizeof(scale));
    memcpy(q->zero->data + row * sizeof(place), &place, sizeof(place));
}

static void run_qparams(struct sl_op_call *call)
{
    const struct qparams *q = call->state;
    for (size_t row = 0; row < q->rows; row++)
        choose(q, row);
}

static int prepare_qparams(struct sl_op_call *call, struct sl_diag *diag)
{
    struct sl_tensor *scale = sl_op_tensor(call, 5), *zero = sl_op_tensor(call, 6);
    struct qparams *q = sl_op_state(call, sizeof(*q));
    if (!q)
        return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    *q = (struct qparams){.in = sl_op_tensor(call, 0), .scale = scale, .zero = zero, .rows = 1};
    q->width = sl_tensor_count(q->in);
    q->low = sl_op_number(call, 1, 0.0);
    q->high = sl_op_number(call, 2, 0.0);
    if (scale->scalar_type != SL_SCALAR_DOUBLE || sl_tensor_count(scale) != 1 ||
        sl_tensor_count(zero) != 1 || !(q->low < q->high))
        return bad_range(call, diag);
    sl_op_own(call, "sl_qparams_f32_scalar", run_qparams);
    return 0;
}

/* A scale and a zero for each row of the last dimension, over the whole range of int8. */
static int prepare_token_qparams(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_tensor *scale = sl_op_tensor(call, 2), *zero = sl_op_tensor(call, 3);
    struct qparams *q = sl_op_state(call, sizeof(*q));
    int32_t sizes[SL_TENSOR_MAX_RANK];
    if (!q)
        return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    if (in->rank == 0 || in->sizes[in->rank - 1] == 0 || scale->scalar_type != SL_SCALAR_DOUBLE ||
        !sl_tensor_contiguous(in) || !sl_tensor_contiguous(scale) || !sl_tensor_contiguous(zero))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its tensors do not fit together");
    memcpy(sizes, in->sizes, in->rank * sizeof(*sizes));
    sizes[in->rank - 1] = 1;
    int rc = sl_tensor_resize(scale, in->rank, sizes, diag);
    if (rc == 0)
        rc = sl_tensor_resize(zero, in->rank, sizes, diag);
    *q = (struct qparams){.in = in, .scale = scale, .zero = zero, .low = -128.0, .high = 127.0};
    q->width = (size_t)in->sizes[in->rank - 1];
    q->rows = sl_tensor_count(in) / q->width;
    if (rc == 0)
        sl_op_own(call, "sl_qparams_f32_scalar", run_qparams);
    return rc;
}

/* Rows of a quantised table: bytes, two numbers of 4 bits a byte, the high half first, or four of 2
 * bits, the lowest first. */
struct table {
    const struct sl_tensor *weight, *scales, *zeros, *index, *out;
    size_t rows, width, group; /* numbers; group: of one scale */
    unsigned bits;             /* of a number: 8, 4 or 2 */
    sl_cast_load_fn load, load_index, load_scale;
    sl_cast_store_fn store;
};

static float parameter(const struct table *t, const struct sl_tensor *of, size_t at)
{
    float value = 0.0f;
    if (of)
        t->load_scale(of->data + at * of->element_bytes, 0, 1, &value);
    return value;
}

static void load_numbers(const struct table *t, size_t first, size_t count, float *out)
{
    if (t->bits == 8) {
        t->load(t->weight->data + first, 1, count, out);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        size_t at = first + i;
        if (t->bits == 4)
            out[i] = (float)((t->weight->data[at / 2] >> (at % 2 == 0 ? 4 : 0) & 15) - 8);
        else
            out[i] = (float)((t->weight->data[at / 4] >> at % 4 * 2 & 3) - 2);
    }
}

static void run_table(struct sl_op_call *call)
{
    const struct table *t = call->state;
    size_t groups = t->width / t->group, count = sl_tensor_count(t->index);
    uint8_t *out = t->out->data;
    float block[SL_CAST_BLOCK];
    for (size_t i = 0; i < count; i++) {
        int64_t row;
        t->load_index(t->index->data + i * t->index->element_bytes, 0, 1, &row);
        if (row < 0 || (uint64_t)row >= t->rows) {
            call->failure = "an index lies outside the table";
            return;
        }
        for (size_t at = 0, n; at < t->width; at += n) {
            size_t group = (size_t)row * groups + at / t->group;
            n = t->group - at % t->group;
            n = n < SL_CAST_BLOCK ? n : SL_CAST_BLOCK;
            load_numbers(t, (size_t)row * t->width + at, n, block);
            float scale = parameter(t, t->scales, group), zero = parameter(t, t->zeros, group);
            for (size_t k = 0; k < n; k++)
                block[k] = (block[k] - zero) * scale;
            t->store(block, n, out, (ptrdiff_t)t->out->element_bytes);
            out += n * t->out->element_bytes;
        }
    }
}

static bool table_fits(const struct table *t, const struct sl_tensor *out)
{
    size_t groups = t->scales->rank == 2 ? (size_t)t->scales->sizes[1] : 1;
    bool integers =
        t->index->scalar_type == SL_SCALAR_LONG || t->index->scalar_type == SL_SCALAR_INT;
    bool bytes =
        t->weight->scalar_type == SL_SCALAR_CHAR || t->weight->scalar_type == SL_SCALAR_BYTE;
    return t->scales->rank >= 1 && t->scales->rank <= 2 && groups != 0 && integers && bytes &&
           (size_t)t->scales->sizes[0] == t->rows && t->width % groups == 0 && t->width != 0 &&
           sl_cast_is_float(t->scales->scalar_type) && sl_cast_is_float(out->scalar_type) &&
           (!t->zeros || (t->zeros->scalar_type == t->scales->scalar_type &&
                          sl_tensor_count(t->zeros) == sl_tensor_count(t->scales))) &&
           sl_tensor_contiguous(t->weight) && sl_tensor_contiguous(t->scales) &&
           sl_tensor_contiguous(t->index) && sl_tensor_contiguous(out);
}

static int prepare_table(struct sl_op_call *call, unsigned bits, struct sl_diag *diag)
{
    struct sl_tensor *out = sl_op_tensor(call, call->arg_count - 2);
    struct table *t = sl_op_state(call, sizeof(*t));
    int32_t sizes[SL_TENSOR_MAX_RANK + 1];
    if (!t)
        return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    *t = (struct table){.weight = sl_op_tensor(call, 0),
                        .scales = sl_op_tensor(call, 1),
                        .zeros = sl_op_tensor(call, 2),
                        .index = sl_op_tensor(call, 5),
                        .out = out,
                        .bits = bits};
    bool fits = t->weight->rank == 2;
    t->rows = fits ? (size_t)t->weight->sizes[0] : 0;
    t->width = fits ? (size_t)t->weight->sizes[1] * (8 / bits) : 0;
    if (!fits || !table_fits(t, out))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its tensors do not fit together");
    t->group = t->width / (t->scales->rank == 2 ? (size_t)t->scales->sizes[1] : 1);
    t->load = sl_cast_load(SL_CAST_F32, t->weight->scalar_type);
    t->load_index = sl_cast_load(SL_CAST_I64, t->index->scalar_type);
    t->load_scale = sl_cast_load(SL_CAST_F32, t->scales->scalar_type);
    t->store = sl_cast_store(SL_CAST_F32, out->scalar_type);
    memcpy(sizes, t->index->sizes, t->index->rank * sizeof(*sizes));
    sizes[t->index->rank] = (int32_t)t->width;
    int rc = sl_tensor_resize(out, t->index->rank + 1, sizes, diag);
    if (rc == 0)
        sl_op_own(call, "sl_table_f32_scalar", run_table);
    return rc;
}

static int prepare_embedding_byte(struct sl_op_call *call, struct sl_diag *diag)
{
    return prepare_table(call, 8, diag);
}

static int prepare_embedding_4bit(struct sl_op_call *call, struct sl_diag *diag)
{
    return prepare_table(call, 4, diag);
}

static int prepare_embedding_2bit(struct sl_op_call *call, struct sl_diag *diag)
{
    return prepare_table(call, 2, diag);
}

const struct sl_op sl_ops_quant[] = {
    {.name = "quantized_decomposed::quantize_per_tensor.out",
     .signature = "aniiisO",
     .prepare = prepare_quantize},
    {.name = "quantized_decomposed::dequantize_per_tensor.out",
     .signature = "aniiissO",
     .prepare = prepare_dequantize},
    {.name = "quantized_decomposed::choose_qparams.Tensor_out",
     .signature = "tiinsOl",
     .prepare = prepare_qparams},
    {.name = "quantized_decomposed::choose_qparams_per_token_asymmetric.out",
     .signature = "tsOl",
     .prepare = prepare_token_qparams},
    {.name = "quantized_decomposed::embedding_byte.out",
     .signature = "aaAiiaO",
     .prepare = prepare_embedding_byte},
    {.name = "quantized_decomposed::embedding_byte.dtype_out",
     .signature = "aaAiiasO",
     .prepare = prepare_embedding_byte},
    {.name = "quantized_decomposed::embedding_4bit.out",
     .signature = "aaAiiaO",
     .prepare = prepare_embedding_4bit},
    {.name = "quantized_decomposed::embedding_4bit.dtype_out",
     .signature = "aaAiiasO",
     .prepare = prepare_embedding_4bit},
    {.name = "quantized_decomposed::embedding_2bit.out",
     .signature = "aaAiiaO",
     .prepare = prepare_embedding_2bit},
    {.name = "quantized_decomposed::embedding_2bit.dtype_out",
     .signature = "aaAiiasO",
     .prepare = prepare_embedding_2bit},
    {0},
};
