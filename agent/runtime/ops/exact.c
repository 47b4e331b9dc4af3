/* agent/runtime/ops/exact.c */
#include "agent/runtime/ops/exact.h"

#include "agent/runtime/ops/walk.h"
#include "common/format/scalar_type.h"

enum { NUMBER_BYTES = 8 };

void *sl_exact_new(struct sl_op_call *call, const struct sl_tensor *tensor, size_t bytes,
                   struct sl_diag *diag, int *rc)
{
    struct sl_exact *exact = sl_op_state(call, bytes);
    *rc = 0;
    if (!exact)
        *rc = sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    else if (tensor->scalar_type == SL_SCALAR_BOOL ||
             !sl_cast_load(SL_CAST_F64, tensor->scalar_type))
        *rc = sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its type has no arithmetic");
    if (*rc != 0)
        return NULL;
    exact->class = sl_cast_is_float(tensor->scalar_type) ? SL_CAST_F64 : SL_CAST_I64;
    return exact;
}

static bool is_array(const struct sl_exact *exact, const struct sl_tensor *tensor)
{
    int own = exact->class == SL_CAST_F64 ? SL_SCALAR_DOUBLE : SL_SCALAR_LONG;
    return tensor->scalar_type == own && sl_tensor_contiguous(tensor);
}

void sl_exact_hold(struct sl_op_call *call, struct sl_exact *exact, uint32_t slot,
                   const struct sl_tensor *tensor)
{
    exact->tensors[slot] = tensor;
    exact->places[slot] = SIZE_MAX;
    if (tensor && !is_array(exact, tensor)) /* a tensor's bytes are a quarter of memory at most */
        exact->places[slot] = sl_ref_scratch(call, sl_tensor_count(tensor) * NUMBER_BYTES).offset;
}

int sl_exact_same_type(const struct sl_op_call *call, const struct sl_exact *exact,
                       struct sl_diag *diag)
{
    const struct sl_tensor *first = NULL;
    if (call->op->exact)
        return 0; /* reached from code for floats, which may mix half precision with f32 */
    for (uint32_t i = 0; i < SL_EXACT_OPERANDS; i++) {
        const struct sl_tensor *tensor = exact->tensors[i];
        first = first ? first : tensor;
        if (tensor && tensor->scalar_type != first->scalar_type)
            return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its operands differ in type");
    }
    return 0;
}

void *sl_exact_array(const struct sl_op_call *call, const struct sl_exact *exact, uint32_t slot)
{
    const struct sl_tensor *tensor = exact->tensors[slot];
    if (!tensor)
        return NULL;
    return exact->places[slot] == SIZE_MAX ? tensor->data
                                           : call->method->workspace.base + exact->places[slot];
}

/* Converts between a tensor and its array, whose elements lie in logical order. */
static void convert(const struct sl_exact *exact, const struct sl_tensor *tensor, uint8_t *array,
                    bool reads)
{
    sl_cast_load_fn load = sl_cast_load(exact->class, tensor->scalar_type);
    sl_cast_store_fn store = sl_cast_store(exact->class, tensor->scalar_type);
    struct sl_walk walk = {.operands = 2};
    struct sl_walk_at at = {{0}, {0}};
    ptrdiff_t own[SL_TENSOR_MAX_RANK], dense[SL_TENSOR_MAX_RANK], stride = NUMBER_BYTES;
    sl_walk_strides(tensor, own);
    for (uint32_t d = tensor->rank; d > 0; d--) {
        dense[d - 1] = stride;
        stride *= tensor->sizes[d - 1];
    }
    for (uint32_t d = 0; d < tensor->rank; d++)
        sl_walk_add(&walk, (size_t)tensor->sizes[d], (const ptrdiff_t[2]){own[d], dense[d]});
    if (!sl_walk_fold(&walk))
        return;
    do {
        uint8_t *data = tensor->data + at.offset[0], *numbers = array + at.offset[1];
        if (reads)
            load(data, walk.strides[0][0], walk.dims[0], numbers);
        else
            store(numbers, walk.dims[0], data, walk.strides[0][0]);
    } while (sl_walk_next(&walk, &at));
}

void *sl_exact_read(const struct sl_op_call *call, const struct sl_exact *exact, uint32_t slot)
{
    uint8_t *array = sl_exact_array(call, exact, slot);
    if (array && exact->places[slot] != SIZE_MAX)
        convert(exact, exact->tensors[slot], array, true);
    return array;
}

void sl_exact_write(const struct sl_op_call *call, const struct sl_exact *exact, uint32_t slot)
{
    uint8_t *array = sl_exact_array(call, exact, slot);
    if (array && exact->places[slot] != SIZE_MAX)
        convert(exact, exact->tensors[slot], array, false);
}
