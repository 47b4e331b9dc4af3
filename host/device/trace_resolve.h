/* host/device/trace_resolve.h: puts executed instructions where a trace has ordinals of marks. */
#pragma once

#include "common/base/bytes.h"

struct sl_buf;
struct sl_count_log;
struct sl_diag;

/* Appends to `out` the stream of unit INSTRUCTIONS that belongs to `stream` of unit MARKS: start
 * and end of the events become the instructions counted before those marks, since the first mark;
 * CRC records are renewed, and each event says what of it was packing if the log names functions.
 * Returns 0, SL_E_STATE (the unit is another), SL_E_MISMATCH (trace and log are not of one run, an
 * event names a kernel for SME and executed no SMSTART, or executed one where its variant may not
 * use SME), what sl_trace_parse() finds, SL_E_LIMIT or -ENOMEM. */
int sl_trace_resolve(struct sl_bytes stream, const struct sl_count_log *log, struct sl_buf *out,
                     struct sl_diag *diag);
