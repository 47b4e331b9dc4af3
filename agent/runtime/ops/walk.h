/* agent/runtime/ops/walk.h: walking several tensors of unlike strides together. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/runtime/tensor.h"

enum { SL_WALK_OPERANDS = 6, SL_WALK_RANK = 2 * SL_TENSOR_MAX_RANK };

/* Dimensions with the bytes that each operand moves along them. After sl_walk_fold() dimension 0 is
 * the innermost, rank is at least 1, and dimensions that all operands cross alike are one. */
struct sl_walk {
    uint32_t rank, operands;
    size_t dims[SL_WALK_RANK];
    ptrdiff_t strides[SL_WALK_OPERANDS][SL_WALK_RANK]; /* bytes */
};

/* The position of a walk; it starts with zeros. */
struct sl_walk_at {
    size_t at[SL_WALK_RANK];
    ptrdiff_t offset[SL_WALK_OPERANDS]; /* bytes from each operand's start */
};

/* Bytes from one element to the next along each logical dimension. */
void sl_walk_strides(const struct sl_tensor *tensor, ptrdiff_t *out);
/* Sizes and strides, of one dimension where the tensor has none; returns the rank, at least 1. */
uint32_t sl_walk_shape(const struct sl_tensor *tensor, int32_t *sizes, ptrdiff_t *strides);
/* Strides of a tensor that broadcasts to `rank` sizes: 0 where it has one element or none. */
void sl_walk_broadcast(const struct sl_tensor *tensor, uint32_t rank, ptrdiff_t *out);
/* Adds a dimension with a stride for each operand. */
void sl_walk_add(struct sl_walk *walk, size_t dim, const ptrdiff_t *strides);
/* Sorts by the strides of the last operand and merges. False if there is nothing to walk. */
bool sl_walk_fold(struct sl_walk *walk);
/* Goes to the next run of dims[0] elements; false after the last. */
bool sl_walk_next(const struct sl_walk *walk, struct sl_walk_at *at);
