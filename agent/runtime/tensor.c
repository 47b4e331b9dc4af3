/* agent/runtime/tensor.c */
#include "agent/runtime/tensor.h"

#include <string.h>

#include "agent/runtime/runtime.h"
#include "common/format/scalar_type.h"

/* Bytes of `rank` sizes; false if a size is negative or the product overflows. */
static bool bytes_of(uint32_t rank, const int32_t *sizes, size_t element_bytes, size_t *out)
{
    size_t bytes = element_bytes;
    for (uint32_t i = 0; i < rank; i++)
        if (sizes[i] < 0 || __builtin_mul_overflow(bytes, (size_t)sizes[i], &bytes))
            return false;
    *out = bytes;
    return true;
}

int sl_tensor_init(struct sl_tensor *tensor, const struct sl_pte_tensor *from, struct sl_diag *diag)
{
    tensor->scalar_type = from->scalar_type;
    tensor->rank = from->rank;
    tensor->dynamic = from->dynamism == SL_PTE_DYNAMIC_BOUND;
    tensor->bounds = from->sizes;
    tensor->element_bytes = sl_scalar_size(from->scalar_type);
    tensor->stamp = 1;
    if (from->dynamism == SL_PTE_DYNAMIC_UNBOUND)
        return sl_diag_set(diag, SL_ET_NOT_SUPPORTED, NULL,
                           "a tensor with unbounded dynamic shape is not supported");
    if (from->rank > SL_TENSOR_MAX_RANK || tensor->element_bytes == 0)
        return sl_diag_set(diag, SL_ET_INVALID_PROGRAM, NULL,
                           "a tensor of type %d and rank %u is not valid", from->scalar_type,
                           from->rank);
    if (!bytes_of(from->rank, from->sizes, tensor->element_bytes, &tensor->max_nbytes))
        return sl_diag_set(diag, SL_ET_INVALID_PROGRAM, NULL, "a tensor's size overflows");
    if (from->rank != 0) {
        memcpy(tensor->sizes, from->sizes, from->rank * sizeof(*from->sizes));
        memcpy(tensor->dim_order, from->dim_order, from->rank);
    }
    tensor->nbytes = tensor->max_nbytes;
    return 0;
}

int sl_tensor_resize(struct sl_tensor *tensor, uint32_t rank, const int32_t *sizes,
                     struct sl_diag *diag)
{
    size_t nbytes;
    if (rank == tensor->rank &&
        (rank == 0 || memcmp(sizes, tensor->sizes, rank * sizeof(*sizes)) == 0))
        return 0;
    if (rank != tensor->rank)
        return sl_diag_set(diag, SL_ET_NOT_SUPPORTED, NULL,
                           "Attempted to change the tensor rank which is immutable: old=%u, new=%u",
                           tensor->rank, rank);
    if (!tensor->dynamic)
        return sl_diag_set(diag, SL_ET_NOT_SUPPORTED, NULL,
                           "Attempted to resize a static tensor to another shape");
    if (!bytes_of(rank, sizes, tensor->element_bytes, &nbytes) || nbytes > tensor->max_nbytes)
        return sl_diag_set(diag, SL_ET_NOT_SUPPORTED, NULL,
                           "Attempted to resize a bounded tensor beyond its capacity of %zu bytes",
                           tensor->max_nbytes);
    memcpy(tensor->sizes, sizes, rank * sizeof(*sizes));
    tensor->nbytes = nbytes;
    tensor->stamp++;
    return 0;
}

void sl_tensor_bind(struct sl_tensor *tensor, void *data, size_t room_bytes)
{
    if (tensor->data == data && tensor->room_bytes == room_bytes)
        return;
    tensor->data = data;
    tensor->room_bytes = room_bytes;
    tensor->stamp++;
}

size_t sl_tensor_count(const struct sl_tensor *tensor)
{
    return tensor->nbytes / tensor->element_bytes;
}

bool sl_tensor_contiguous(const struct sl_tensor *tensor)
{
    for (uint32_t i = 0; i < tensor->rank; i++)
        if (tensor->dim_order[i] != i)
            return false;
    return true;
}

void sl_tensor_memory_dims(const struct sl_tensor *tensor, size_t *dims)
{
    for (uint32_t i = 0; i < tensor->rank; i++)
        dims[i] = (size_t)tensor->sizes[tensor->dim_order[i]];
}
