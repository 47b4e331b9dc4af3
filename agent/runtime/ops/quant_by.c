/* agent/runtime/ops/quant_by.c: quantisation outside delegates by scales in tensors: one for all,
 * for each channel, or for each row of the last dimension. */
#include <math.h>
#include <string.h>

#include "agent/runtime/ops/cast.h"
#include "agent/runtime/ops/move.h"
#include "common/format/scalar_type.h"

/* One operator of the list. */
struct by {
    bool quantizes;
    enum { WHOLE, CHANNEL, TOKEN } of;
    uint32_t range; /* argument of the lowest number; the highest follows */
    uint32_t out;
};

struct affine {
    const struct sl_tensor *in, *scales, *zeros, *out; /* zeros may be NULL */
    size_t count, sets, inner; /* numbers; sets of parameters; numbers that follow with one set */
    double low, high;
    bool quantizes;
    sl_cast_load_fn load, load_scale, load_zero;
    sl_cast_store_fn store;
};

/* In doubles, which hold every range. */
static void quantize(const float *at, size_t count, float scale, float zero, const struct affine *a,
                     double *out)
{
    float inverse = 1.0f / scale;
    for (size_t i = 0; i < count; i++)
        out[i] = fmin(fmax((double)(nearbyintf(at[i] * inverse) + zero), a->low), a->high);
}

static void dequantize(float *at, size_t count, float scale, float zero)
{
    for (size_t i = 0; i < count; i++)
        at[i] = (at[i] - zero) * scale;
}

static void run_affine(struct sl_op_call *call)
{
    const struct affine *a = call->state;
    size_t from_bytes = a->in->element_bytes, to_bytes = a->out->element_bytes, count;
    float block[SL_CAST_BLOCK], scale, zero = 0.0f;
    double numbers[SL_CAST_BLOCK];
    for (size_t at = 0; at < a->count; at += count) {
        size_t set = at / a->inner % a->sets, left = a->inner - at % a->inner;
        count = left < SL_CAST_BLOCK ? left : SL_CAST_BLOCK;
        a->load_scale(a->scales->data + set * a->scales->element_bytes, 0, 1, &scale);
        if (a->zeros)
            a->load_zero(a->zeros->data + set * a->zeros->element_bytes, 0, 1, &zero);
        a->load(a->in->data + at * from_bytes, (ptrdiff_t)from_bytes, count, block);
        if (a->quantizes)
            quantize(block, count, scale, zero, a, numbers);
        else
            dequantize(block, count, scale, zero);
        a->store(a->quantizes ? (const void *)numbers : block, count, a->out->data + at * to_bytes,
                 (ptrdiff_t)to_bytes);
    }
}

static size_t product(const struct sl_tensor *tensor, uint32_t from, uint32_t to)
{
    size_t count = 1;
    for (uint32_t d = from; d < to; d++)
        count *= (size_t)tensor->sizes[d];
    return count;
}

/* How the parameters lie over the input in its memory order; false where they do not fit it. */
static bool lay(const struct sl_op_call *call, const struct by *by, struct affine *a)
{
    const struct sl_tensor *in = a->in;
    ptrdiff_t strides[SL_TENSOR_MAX_RANK];
    uint32_t axis = 0;
    if (by->of == CHANNEL && (in->rank == 0 || !sl_op_dim(sl_op_int(call, 3, 0), in->rank, &axis)))
        return false;
    if (by->of == TOKEN && in->rank == 0)
        return false;
    sl_walk_strides(in, strides);
    a->count = sl_tensor_count(in);
    a->inner = by->of == WHOLE     ? a->count
               : by->of == CHANNEL ? (size_t)strides[axis] / in->element_bytes
                                   : (size_t)in->sizes[in->rank - 1];
    a->sets = by->of == WHOLE     ? 1
              : by->of == CHANNEL ? (size_t)in->sizes[axis]
                                  : product(in, 0, in->rank - 1);
    return sl_tensor_count(a->scales) == a->sets &&
           (!a->zeros || sl_tensor_count(a->zeros) == a->sets);
}

static bool find_casts(struct affine *a)
{
    a->load = sl_cast_load(SL_CAST_F32, a->in->scalar_type);
    a->load_scale = sl_cast_load(SL_CAST_F32, a->scales->scalar_type);
    a->load_zero = a->zeros ? sl_cast_load(SL_CAST_F32, a->zeros->scalar_type) : NULL;
    a->store = sl_cast_store(a->quantizes ? SL_CAST_F64 : SL_CAST_F32, a->out->scalar_type);
    return a->load && a->load_scale && (a->load_zero || !a->zeros) && a->store;
}

static int prepare_affine(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct by *by = call->op->data;
    struct sl_tensor *out = sl_op_tensor(call, by->out);
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct affine *a = sl_op_state(call, sizeof(*a));
    if (!a)
        return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    *a = (struct affine){.in = in, .scales = sl_op_tensor(call, 1), .out = out};
    a->zeros = sl_op_tensor(call, 2);
    a->quantizes = by->quantizes;
    a->low = sl_op_number(call, by->range, 0.0);
    a->high = sl_op_number(call, by->range + 1, 0.0);
    if (memcmp(in->dim_order, out->dim_order, in->rank) != 0 ||
        (by->of == TOKEN && !sl_tensor_contiguous(in)))
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "this memory order is not supported");
    if (!find_casts(a))
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "one of its types is not supported");
    if (!lay(call, by, a) || !(a->low <= a->high) || a->low < INT32_MIN || a->high > INT32_MAX)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                          "its scales or its range do not fit its input");
    int rc = sl_tensor_resize(out, in->rank, in->sizes, diag);
    if (rc == 0 && a->count != 0)
        sl_op_own(call, "sl_affine_f32_scalar", run_affine);
    return rc;
}

#define BY(quantizes, of, range, out) (&(const struct by){quantizes, of, range, out})

const struct sl_op sl_ops_quant_by[] = {
    {.name = "quantized_decomposed::quantize_per_tensor.Tensor_out",
     .signature = "aaaiisO",
     .prepare = prepare_affine,
     .data = BY(true, WHOLE, 3, 6)},
    {.name = "quantized_decomposed::dequantize_per_tensor.Tensor_out",
     .signature = "aaaiissO",
     .prepare = prepare_affine,
     .data = BY(false, WHOLE, 3, 7)},
    {.name = "quantized_decomposed::quantize_per_channel.out",
     .signature = "aaaiiisO",
     .prepare = prepare_affine,
     .data = BY(true, CHANNEL, 4, 7)},
    {.name = "quantized_decomposed::dequantize_per_channel.out",
     .signature = "aaAiiissO",
     .prepare = prepare_affine,
     .data = BY(false, CHANNEL, 4, 8)},
    {.name = "quantized_decomposed::quantize_per_token.out",
     .signature = "aaaiisO",
     .prepare = prepare_affine,
     .data = BY(true, TOKEN, 3, 6)},
    {.name = "quantized_decomposed::dequantize_per_token.out",
     .signature = "aaaiissO",
     .prepare = prepare_affine,
     .data = BY(false, TOKEN, 3, 7)},
    {0},
};
