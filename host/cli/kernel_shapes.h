/* host/cli/kernel_shapes.h: what `kernels bench` measures: the shapes that its words and options
 * ask for, as sme2lab-agent takes them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_diag;

enum { SL_KERNEL_MAX_SHAPES = 1024, SL_KERNEL_SHAPE_BYTES = 96 };

struct sl_kernel_shapes {
    /* Asked for; NULL: not. */
    const char *type, *conv, *depthwise, *gemv;
    /* Collected. */
    const char *kernel; /* by name, or NULL */
    size_t count;
    char text[SL_KERNEL_MAX_SHAPES][SL_KERNEL_SHAPE_BYTES];
};

/* True if --type takes this word; NULL is every type. */
bool sl_kernel_shapes_know_type(const char *type);

/* Shapes in the order of the command line's words, then of the options; one by
 * default, but none for a kernel by name, which the agent has a shape for. `words` stay borrowed.
 * Returns 0, SL_E_LIMIT or SL_E_UNSUPPORTED with *diag. */
int sl_kernel_shapes_collect(struct sl_kernel_shapes *shapes, const char *const *words,
                             size_t count, struct sl_diag *diag);

enum { SL_KERNEL_BATCH_SHAPES = 24, SL_KERNEL_BATCH_ARGS = 2 * SL_KERNEL_BATCH_SHAPES };

/* Writes "--bench SHAPE" for up to SL_KERNEL_BATCH_SHAPES shapes from the i-th on, as many as one
 * launch of the agent takes, and NULL behind them. Returns the first shape left, or `count`. */
size_t sl_kernel_shapes_batch(const struct sl_kernel_shapes *shapes, size_t i,
                              const char *out[SL_KERNEL_BATCH_ARGS + 1]);
