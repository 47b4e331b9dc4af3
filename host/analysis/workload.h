/* host/analysis/workload.h: what an operator does, by the shapes of its operands: the elements it
 * touches, and the shape under which a kernel of ours can be measured. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sl_operands;

enum { SL_WORKLOAD_BENCH_BYTES = 96 };

struct sl_workload {
    bool known;             /* the operands are */
    uint64_t macs;          /* multiply-accumulates; 0 for what has none; saturates */
    uint64_t elements;      /* of all operands and the output; saturates */
    uint64_t element_bytes; /* of most of them, by the kernel's types; 4 where nothing tells */
    const char *element;    /* "f32", "f16", "bf16" or "s8": what its products multiply */
    char bench[SL_WORKLOAD_BENCH_BYTES]; /* as `kernels bench` takes it; "": no such shape */
    uint64_t times;                      /* so often that shape; 0 without one */
    bool stands_in;                      /* the shape is of another operator that does as much */
    bool packs_right;                    /* the right operand is computed too: its packing counts */
};

/* Is it a convolution whose window is one pixel? Takes what sl_workload_read() takes. */
bool sl_workload_is_pointwise(const struct sl_operands *operands, const char *origin);

/* Instructions that kernels without SME2 cannot do without: their widest multiply-accumulates, or
 * loads and stores of 32 bytes. */
uint64_t sl_workload_least_neon(const struct sl_workload *work);

/* `operands` as traces and `inspect` have them, `origin` the serialized node's kind or operator,
 * `kernel` one of ours that does it, `name` the operator's in ETDumps (`name_len` bytes, not
 * terminated). Any of the first three may be NULL. */
void sl_workload_read(const struct sl_operands *operands, const char *origin, const char *kernel,
                      const char *name, uint32_t name_len, struct sl_workload *out);
