/* common/format/trace_etdump.h: the ETDump of one variant of a trace, a pure function of the
 * stream. */
#pragma once

#include <stdint.h>

struct sl_buf;
struct sl_diag;
struct sl_trace;

/* Appends the ETDump of `variant` to `out`: its blocks in order with their events in order of end.
 * On the counted clock (unit INSTRUCTIONS) the first block holds one more event, named "sme2lab:
 * time unit is executed instructions", of zero length, at its start (a trace with unresolved MARKS
 * is refused with SL_E_STATE). Agent and host use this one function. Returns 0, SL_E_NOT_FOUND if
 * the variant has no block, SL_E_STATE, SL_E_LIMIT or -ENOMEM. */
int sl_trace_to_etdump(const struct sl_trace *trace, uint32_t variant, struct sl_buf *out,
                       struct sl_diag *diag);

/* The name of that marker event. */
#define SL_ETDUMP_INSTRUCTIONS_MARKER "sme2lab: time unit is executed instructions"
