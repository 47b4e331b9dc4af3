/* agent/bench/usual.h: the shapes that a kernel is benched on where none is asked for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sl_kernel_entry;

enum { SL_BENCH_MAX_SHAPE = 64 };

/* Writes the i-th of them, NUL-terminated; the kernel need not take the first. False past the last,
 * and for one that does not fit. */
bool sl_bench_usual_shape(const struct sl_kernel_entry *kernel, size_t i,
                          char out[SL_BENCH_MAX_SHAPE]);
