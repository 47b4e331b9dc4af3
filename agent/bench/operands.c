/* agent/bench/operands.c */
#include "agent/bench/operands.h"

#include <errno.h>

#include "agent/bench/shape.h"
#include "common/base/mem.h"
#include "kernels/cpu/half.h"

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

static void narrow(float *values, size_t count, int type)
{
    uint16_t *out = (uint16_t *)(void *)values;
    for (size_t i = 0; i < count; i++) {
        float value = values[i]; /* what is written lies behind what is still to be read */
        out[i] = type == SL_BENCH_F16 ? sl_half_from_float(value) : sl_bfloat_from_float(value);
    }
}

void sl_bench_operands_narrow(struct sl_bench_operands *operands,
                              const struct sl_bench_sizes *sizes, int type)
{
    if (type != SL_BENCH_F16 && type != SL_BENCH_BF16)
        return;
    narrow(operands->in, sizes->in, type);
    narrow(operands->weights, sizes->weights, type);
    if (type == SL_BENCH_F16)
        narrow(operands->bias, sizes->bias, type);
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
