/* host/analysis/workload_parts.h: what the parts of workload.h share. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sl_operands;
struct sl_workload;

/* What takes `in` to `out` with a window of `kernel`: the least stride, with the least padding,
 * that does. */
bool sl_workload_stride(const uint32_t in[2], const uint32_t out[2], const uint32_t kernel[2],
                        uint64_t *out_stride, uint64_t *out_padding);

/* The shape to measure, so often; a text that was cut, or 0 times, is none. `len` is snprintf()'s.
 */
void sl_workload_put(struct sl_workload *work, uint64_t times, int len);

/* workload_stand_in.c: for an operator without a kernel of its own the shape of one that does as
 * much: the same window on each group, the same bytes moved, the same elements passed through. What
 * none is like stays without. `type` is "", "f16/", "bf16/" or "qs8/". */
void sl_workload_stand_in(const char *origin, const struct sl_operands *operands, const char *type,
                          struct sl_workload *work);
