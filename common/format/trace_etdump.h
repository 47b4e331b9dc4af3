/* common/format/trace_etdump.h: the ETDump of one variant of a trace, a pure function of the
 * stream. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sl_buf;
struct sl_diag;
struct sl_trace;
struct sl_trace_record;

/* Appends the ETDump of `variant` to `out`: its blocks in order with their events in order of end.
 * Blocks of warm-ups are named "Warmup", so that readers that average blocks of one name leave them
 * out. On the counted clock (unit INSTRUCTIONS) the first block's name ends in " (sme2lab: time
 * unit is executed instructions)": readers take figures for times (a trace with unresolved MARKS is
 * refused with SL_E_STATE). Agent and host use this one function. Returns 0, SL_E_NOT_FOUND if the
 * variant has no block, SL_E_STATE, SL_E_LIMIT or -ENOMEM. */
int sl_trace_to_etdump(const struct sl_trace *trace, uint32_t variant, struct sl_buf *out,
                       struct sl_diag *diag);

/* The name of a block as the file has it; `first`: of its variant. Returns `out`. */
enum { SL_TRACE_BLOCK_NAME_BYTES = 320 };
const char *sl_trace_block_name(const struct sl_trace *trace, const struct sl_trace_record *block,
                                bool first, char out[SL_TRACE_BLOCK_NAME_BYTES]);

/* The mark in the first block's name. Earlier versions wrote an event of this name in the block. */
#define SL_ETDUMP_INSTRUCTIONS_MARKER "sme2lab: time unit is executed instructions"
