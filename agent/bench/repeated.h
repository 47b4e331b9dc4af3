/* agent/bench/repeated.h: the input of a depthwise convolution with a multiplier, each channel of
 * it several times, as the runtime does it before it runs one without. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "agent/bench/shape.h"
#include "kernels/cpu/isa.h"
#include "kernels/layout/repeat.h"

struct sl_bench_repeated {
    const struct sl_repeat *kernel;
    const void *in; /* borrowed */
    void *wide;     /* borrowed: what comes out, 64-byte aligned */
    size_t count, times, element_bytes;
};

/* Bytes of what comes out; 0 where there is no multiplier. */
static inline size_t sl_bench_repeated_bytes(const struct sl_bench_shape *shape,
                                             size_t element_bytes)
{
    return shape->multiplier > 1 ? sl_bench_shape_in(shape) * shape->multiplier * element_bytes : 0;
}

static inline struct sl_bench_repeated sl_bench_repeated_of(const struct sl_bench_shape *shape,
                                                            uint32_t isa, size_t element_bytes,
                                                            const void *in, void *wide)
{
    return (struct sl_bench_repeated){
        sl_repeat_select(isa), in,           wide, sl_bench_shape_in(shape),
        shape->multiplier,     element_bytes};
}

static inline void sl_bench_repeated_run(const struct sl_bench_repeated *r)
{
    r->kernel->run(r->count, r->element_bytes, r->times, r->in, r->wide);
}
