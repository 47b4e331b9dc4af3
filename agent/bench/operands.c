/* agent/bench/operands.c */
#include "agent/bench/operands.h"

#include <errno.h>

#include "common/base/mem.h"

static float *make(size_t count)
{
    return sl_aligned_alloc(64, count * sizeof(float));
}

static void fill(float *values, size_t count, uint64_t seed)
{
    uint32_t state = (uint32_t)seed * 2654435761u + 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        values[i] = (float)(int32_t)state * (1.0f / 2147483648.0f);
    }
}

int sl_bench_operands_init(struct sl_bench_operands *operands, const struct sl_bench_sizes *sizes,
                           uint64_t seed)
{
    *operands = (struct sl_bench_operands){make(sizes->in),
                                           make(sizes->weights),
                                           make(sizes->bias),
                                           make(sizes->out),
                                           sl_aligned_alloc(64, sizes->packed_bytes),
                                           sl_aligned_alloc(64, sizes->workspace_bytes)};
    if (!operands->in || !operands->weights || !operands->bias || !operands->out ||
        !operands->packed || !operands->workspace)
        return -ENOMEM;
    fill(operands->in, sizes->in, seed);
    fill(operands->weights, sizes->weights, seed + 1);
    fill(operands->bias, sizes->bias, seed + 2);
    return 0;
}

void sl_bench_operands_fini(struct sl_bench_operands *operands)
{
    sl_free(operands->in);
    sl_free(operands->weights);
    sl_free(operands->bias);
    sl_free(operands->out);
    sl_free(operands->packed);
    sl_free(operands->workspace);
    *operands = (struct sl_bench_operands){0};
}
