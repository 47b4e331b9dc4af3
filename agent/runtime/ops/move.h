/* agent/runtime/ops/move.h: moving elements between boxes of tensors, by strides; of one type, or
 * converted on the way. */
#pragma once

#include "agent/runtime/ops/op.h"
#include "agent/runtime/ops/walk.h"

struct sl_move;

/* One side of a piece: where its first element is and the bytes along each of its dimensions. */
struct sl_move_side {
    const struct sl_tensor *tensor;
    ptrdiff_t at; /* bytes */
    ptrdiff_t strides[SL_WALK_RANK];
};

/* The call's plan for up to `pieces` pieces, or NULL when over the budget. */
struct sl_move *sl_move_new(struct sl_op_call *call, uint32_t pieces);
/* First fills the whole output with `pattern` (element_bytes of it). */
void sl_move_fill(struct sl_move *move, const struct sl_tensor *out, const void *pattern);
/* True if elements of the input's type can become elements of the output's. */
bool sl_move_converts(const struct sl_tensor *in, const struct sl_tensor *out);
/* Adds a box of `dims`; both sides must lie inside their tensors all along it. Where their types
 * differ they must convert. */
void sl_move_add(struct sl_move *move, uint32_t rank, const size_t *dims,
                 const struct sl_move_side *in, const struct sl_move_side *out);
/* Adds the step that moves every piece in turn. */
void sl_move_end(struct sl_op_call *call, struct sl_move *move);

/* Resizes `out` and adds a step that fills it from `in` with other strides: what most operators
 * that only move elements come down to. */
int sl_move_view(struct sl_op_call *call, const struct sl_move_side *in, struct sl_tensor *out,
                 uint32_t rank, const int32_t *sizes, struct sl_diag *diag);
/* The same where the types may differ. */
int sl_move_converted(struct sl_op_call *call, const struct sl_move_side *in, struct sl_tensor *out,
                      uint32_t rank, const int32_t *sizes, struct sl_diag *diag);
/* The whole tensor, as a side. */
struct sl_move_side sl_move_whole(const struct sl_tensor *tensor);
/* 0, or SL_ET_INVALID_TYPE with words. */
int sl_move_same_type(struct sl_op_call *call, const struct sl_tensor *in,
                      const struct sl_tensor *out, struct sl_diag *diag);
/* Argument `arg`, a number, as one element of a type. False for a type without arithmetic. */
bool sl_move_element(const struct sl_op_call *call, uint32_t arg, int scalar_type, void *out);
