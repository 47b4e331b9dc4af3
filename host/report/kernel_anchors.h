/* host/report/kernel_anchors.h: published instruction counts of KleidiAI and XNNPACK kernels. */
#pragma once

#include <stddef.h>

#include "host/report/kernel_bench.h"

/* What the numbers are and where they come from, in words. */
extern const char sl_kernel_anchor_source[];
extern const struct sl_kernel_anchor sl_kernel_anchors[];
extern const size_t sl_kernel_anchor_count;

/* Of families that have several operations: of kernels with `part` in their names alone. */
struct sl_kernel_op_anchor {
    const char *part;
    struct sl_kernel_anchor anchor;
};
extern const struct sl_kernel_op_anchor sl_kernel_op_anchors[];
extern const size_t sl_kernel_op_anchor_count;
