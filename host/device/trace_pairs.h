/* host/device/trace_pairs.h: are ExecuTorch's two variants the same but for SME? Pure.
 *
 * A delegate's operator that starts no streaming mode in either variant, a depthwise convolution
 * say, runs the same code in both and executes as many instructions. Where it does not, one variant
 * was denied more than SME, and is no baseline. */
#pragma once

#include <stddef.h>

struct sl_count_mark;
struct sl_diag;
struct sl_trace;

/* Compares the last execution of each variant of a trace in marks, which were checked. 0, also for
 * other runtimes and one variant, or SL_E_MISMATCH with the operator and both counts. */
int sl_trace_pairs_check(const struct sl_trace *trace, const struct sl_count_mark *marks,
                         size_t count, struct sl_diag *diag);
