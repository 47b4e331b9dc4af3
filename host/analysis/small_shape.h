/* host/analysis/small_shape.h: whether an operator is of the small classes that a policy may keep
 * on NEON. Pure. */
#pragma once

#include <stdbool.h>

struct sl_operands;

/* By the rule that the runtime chooses kernels by (kernels/cpu/small.h). `kernel` is one of ours,
 * `origin` the serialized node's kind or operator; any may be NULL, and then it is not: nobody
 * knows. Where shapes change from run to run the runtime chose by the largest. */
bool sl_shape_is_small(const struct sl_operands *operands, const char *origin, const char *kernel);
