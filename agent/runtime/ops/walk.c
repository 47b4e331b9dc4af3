/* agent/runtime/ops/walk.c */
#include "agent/runtime/ops/walk.h"

#include <assert.h>
#include <string.h>

void sl_walk_strides(const struct sl_tensor *tensor, ptrdiff_t *out)
{
    ptrdiff_t stride = (ptrdiff_t)tensor->element_bytes;
    for (uint32_t i = tensor->rank; i > 0; i--) {
        uint32_t d = tensor->dim_order[i - 1];
        out[d] = stride;
        stride *= tensor->sizes[d] != 0 ? tensor->sizes[d] : 1; /* fits: so do the bytes of all */
    }
}

uint32_t sl_walk_shape(const struct sl_tensor *tensor, int32_t *sizes, ptrdiff_t *strides)
{
    sizes[0] = 1;
    strides[0] = (ptrdiff_t)tensor->element_bytes;
    memcpy(sizes, tensor->sizes, tensor->rank * sizeof(*sizes));
    sl_walk_strides(tensor, strides);
    return tensor->rank != 0 ? tensor->rank : 1;
}

void sl_walk_broadcast(const struct sl_tensor *tensor, uint32_t rank, ptrdiff_t *out)
{
    ptrdiff_t own[SL_TENSOR_MAX_RANK];
    sl_walk_strides(tensor, own);
    for (uint32_t i = 0; i < rank; i++) {
        bool moves = i + tensor->rank >= rank && tensor->sizes[i + tensor->rank - rank] != 1;
        out[i] = moves ? own[i + tensor->rank - rank] : 0;
    }
}

void sl_walk_add(struct sl_walk *walk, size_t dim, const ptrdiff_t *strides)
{
    assert(walk->rank < SL_WALK_RANK);
    walk->dims[walk->rank] = dim;
    for (uint32_t k = 0; k < walk->operands; k++)
        walk->strides[k][walk->rank] = strides[k];
    walk->rank++;
}

static ptrdiff_t distance(const struct sl_walk *walk, uint32_t d)
{
    ptrdiff_t stride = walk->strides[walk->operands - 1][d];
    return stride < 0 ? -stride : stride;
}

static void exchange(struct sl_walk *walk, uint32_t from, uint32_t to)
{
    size_t dim = walk->dims[from];
    walk->dims[from] = walk->dims[to];
    walk->dims[to] = dim;
    for (uint32_t k = 0; k < walk->operands; k++) {
        ptrdiff_t stride = walk->strides[k][from];
        walk->strides[k][from] = walk->strides[k][to];
        walk->strides[k][to] = stride;
    }
}

/* True if every operand goes on along dimension d where dimension d - 1 ends. */
static bool continues(const struct sl_walk *walk, uint32_t d)
{
    for (uint32_t k = 0; k < walk->operands; k++)
        if (walk->strides[k][d] != walk->strides[k][d - 1] * (ptrdiff_t)walk->dims[d - 1])
            return false;
    return true;
}

static void drop(struct sl_walk *walk, uint32_t d)
{
    for (walk->rank--; d < walk->rank; d++) {
        walk->dims[d] = walk->dims[d + 1];
        for (uint32_t k = 0; k < walk->operands; k++)
            walk->strides[k][d] = walk->strides[k][d + 1];
    }
}

bool sl_walk_fold(struct sl_walk *walk)
{
    static const ptrdiff_t still[SL_WALK_OPERANDS] = {0};
    for (uint32_t d = walk->rank; d > 0; d--) {
        if (walk->dims[d - 1] == 0)
            return false;
        if (walk->dims[d - 1] == 1)
            drop(walk, d - 1);
    }
    if (walk->rank == 0)
        sl_walk_add(walk, 1, still);
    for (uint32_t d = 1; d < walk->rank; d++)
        for (uint32_t i = d; i > 0 && distance(walk, i) < distance(walk, i - 1); i--)
            exchange(walk, i, i - 1);
    for (uint32_t d = walk->rank - 1; d > 0; d--)
        if (continues(walk, d)) {
            walk->dims[d - 1] *= walk->dims[d];
            drop(walk, d);
        }
    return true;
}

bool sl_walk_next(const struct sl_walk *walk, struct sl_walk_at *at)
{
    for (uint32_t d = 1; d < walk->rank; d++) {
        bool more = ++at->at[d] < walk->dims[d];
        ptrdiff_t by = more ? 1 : -(ptrdiff_t)(walk->dims[d] - 1);
        for (uint32_t k = 0; k < walk->operands; k++)
            at->offset[k] += by * walk->strides[k][d];
        if (more)
            return true;
        at->at[d] = 0;
    }
    return false;
}
