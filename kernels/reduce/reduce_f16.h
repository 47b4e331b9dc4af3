/* kernels/reduce/reduce_f16.h: the reductions of reduce.h in half precision, computed in f32 and
 * rounded once. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/reduce/reduce.h"

struct sl_reduce_f16_args {
    size_t outer, reduced, inner;
    const uint16_t *in;
    uint16_t *out;                 /* may be `in` but for MEAN and MAX */
    float scale;                   /* MEAN */
    float eps;                     /* norms */
    const uint16_t *weight, *bias; /* norms: [reduced] or NULL; RMS_NORM has no bias */
    uint16_t *mean, *rstd;         /* norms: [outer] or NULL; RMS_NORM has no mean */
};

struct sl_reduce_f16 {
    const char *name;
    uint32_t needs;
    int op; /* enum sl_reduce_op */
    void (*run)(const struct sl_reduce_f16_args *args);
};

const struct sl_reduce_f16 *sl_reduce_f16_select(uint32_t isa, int op);
const struct sl_reduce_f16 *sl_reduce_f16_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_REDUCE_F16(kernel) extern const struct sl_reduce_f16 kernel;
#include "kernels/reduce/reduce_f16.inc"
#undef SL_REDUCE_F16
