/* agent/runtime/ops/map.h: out[i] = f(a[i], b[i], c[i]) over broadcast operands of any plain types.
 *
 * Operands are loaded in blocks as f32, f64 or int64 (agent/runtime/ops/cast.h), the function runs
 * over the block, and the block is stored in the output's type. Memory orders may differ. */
#pragma once

#include "agent/runtime/ops/cast.h"
#include "agent/runtime/ops/op.h"

enum { SL_MAP_INPUTS = 3 };

/* f over `count` elements; `in` and `out` hold what the map's class says. */
typedef void (*sl_map_fn)(size_t count, const void *const *in, void *out, const double *numbers);

/* How a map is shaped: by prepare(), for sl_map_prepare(). */
struct sl_map_shape {
    int class; /* enum sl_cast_class that it computes in */
    sl_map_fn fn;
    uint32_t input_count, inputs[SL_MAP_INPUTS]; /* arguments: tensors or numbers */
    uint32_t out;                                /* argument */
    double numbers[4];                           /* what the function is given besides */
    bool no_zero_divisor;                        /* a zero in input 1 is an error */
};

/* Resizes the output to what the inputs broadcast to and adds the step. */
int sl_map_prepare(struct sl_op_call *call, const struct sl_map_shape *shape, struct sl_diag *diag);
/* The class that the arguments promote to: f64 if any is a tensor of doubles, f32 if any of them is
 * floating point. */
int sl_map_class(const struct sl_op_call *call, uint32_t count, const uint32_t *args);
/* Input 0 with input 1 (a tensor or a number): op is of enum sl_binary_op, alpha scales input 1 of
 * sums and differences. */
int sl_map_arithmetic(struct sl_op_call *call, int op, double alpha, uint32_t out,
                      struct sl_diag *diag);
int sl_map_clamp(struct sl_op_call *call, double min, double max, uint32_t out,
                 struct sl_diag *diag);
/* out = in, converted. Sizes and memory orders must have been settled. */
int sl_map_convert(struct sl_op_call *call, uint32_t in, uint32_t out, struct sl_diag *diag);
