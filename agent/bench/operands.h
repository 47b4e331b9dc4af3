/* agent/bench/operands.h: the memory that a kernel works on in a bench. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "agent/bench/shape.h"
#include "kernels/cpu/element.h"

/* Which of enum sl_element the operands of a shape of floats are. */
static inline int sl_bench_element(const struct sl_bench_shape *shape)
{
    return shape->type == SL_BENCH_F16 ? SL_F16 : shape->type == SL_BENCH_BF16 ? SL_BF16 : SL_F32;
}

/* How many floats, and bytes for what only the kernel knows. */
struct sl_bench_sizes {
    size_t in, weights, bias, out;
    size_t packed_bytes, workspace_bytes;
};

struct sl_bench_operands {
    float *in, *weights, *bias, *out;
    void *packed, *workspace;
};

/* Everything 64-byte aligned; in, weights and bias hold values from -1 to 1 drawn from the seed. 0
 * or -ENOMEM; end with sl_bench_operands_fini() either way. */
int sl_bench_operands_init(struct sl_bench_operands *operands, const struct sl_bench_sizes *sizes,
                           uint64_t seed);
/* Makes halves of in, weights and bias, or bfloat16s, where they are; nothing of
 * other types (enum sl_bench_type). Biases of bfloat16 products stay floats. */
void sl_bench_operands_narrow(struct sl_bench_operands *operands,
                              const struct sl_bench_sizes *sizes, int type);
void sl_bench_operands_fini(struct sl_bench_operands *operands);
