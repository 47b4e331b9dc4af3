/* agent/runtime/ops/exact.h: operands as plain arrays of doubles or 64-bit integers.
 *
 * Kernels are for f32 and half precision in usual memory orders. What else an operator takes it
 * computes in plain loops over these arrays: doubles in double precision, integers modulo 2^64, of
 * which a narrower type keeps the low bits, as its own arithmetic would. */
#pragma once

#include "agent/runtime/ops/cast.h"
#include "agent/runtime/ops/op.h"

enum { SL_EXACT_OPERANDS = 11 };

struct sl_exact {
    int class; /* SL_CAST_I64 or SL_CAST_F64 */
    const struct sl_tensor *tensors[SL_EXACT_OPERANDS];
    size_t places[SL_EXACT_OPERANDS]; /* arrays in the workspace; SIZE_MAX: the tensor is one */
};

/* Zeros of `bytes`, of which a struct sl_exact is the first, as the call's state, of the class of
 * `tensor`; NULL with *rc set. Bool has no arithmetic. */
void *sl_exact_new(struct sl_op_call *call, const struct sl_tensor *tensor, size_t bytes,
                   struct sl_diag *diag, int *rc);
/* Operand `slot`, of its sizes as they are now; NULL: none. */
void sl_exact_hold(struct sl_op_call *call, struct sl_exact *exact, uint32_t slot,
                   const struct sl_tensor *tensor);
/* 0 if all tensors held are of one type, else SL_ET_INVALID_ARGUMENT with words. */
int sl_exact_same_type(const struct sl_op_call *call, const struct sl_exact *exact,
                       struct sl_diag *diag);

/* For the operators' steps. An operand's array, in logical order; NULL for none. */
void *sl_exact_array(const struct sl_op_call *call, const struct sl_exact *exact, uint32_t slot);
/* The same, filled from the tensor. */
void *sl_exact_read(const struct sl_op_call *call, const struct sl_exact *exact, uint32_t slot);
/* The array into the tensor. */
void sl_exact_write(const struct sl_op_call *call, const struct sl_exact *exact, uint32_t slot);
