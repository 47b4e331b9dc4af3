/* agent/bench/single.h: kernels that have one stage: an input, maybe a second operand, an output.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "agent/bench/operands.h"

struct sl_bench_search;
struct sl_bench_shape;
struct sl_bench_stage_run;

struct sl_bench_single {
    const void *kernel; /* a struct sl_<family>, as the search found it */
    const struct sl_bench_shape *shape;
    struct sl_bench_operands operands;
};

/* True if the kernel's name begins with the family and the first `len` letters of the shape's
 * operation. */
int sl_bench_single_computes(const char *name, const struct sl_bench_shape *shape, size_t len);

/* Runs the stage on what the search chose. The input is of the shape's type, or of floats; the
 * second operand has as much of it as an output has columns, times the reduced of a reduction; the
 * workspace two words for every output and 64 bytes. 0 or a negative code, which ends operands. */
int sl_bench_single_run(const struct sl_bench_search *search, struct sl_bench_single *single,
                        uint64_t seed, const char *stage, void (*run)(void *data),
                        struct sl_bench_stage_run *bench);
