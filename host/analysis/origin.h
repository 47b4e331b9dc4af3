/* host/analysis/origin.h: joins an ETDump with the .sltrace it was made of, event by event. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_diag;
struct sl_etdump;
struct sl_trace;
struct sl_trace_record;

/* The trace's records of each block and event of the file, borrowed from the trace. */
struct sl_origin {
    uint32_t variant;                      /* of the trace, whose ETDump the file is */
    const struct sl_trace_record **blocks; /* [run_count of the file] */
    const struct sl_trace_record **events; /* all events of the file in order; NULL: the marker */
};

/* Finds the variant of `trace` with exactly the file's blocks, names and stamps. Returns 0,
 * SL_E_MISMATCH (the file is of another trace) or -ENOMEM. End with sl_origin_fini(). */
int sl_origin_match(const struct sl_etdump *etdump, const struct sl_trace *trace,
                    struct sl_origin *out, struct sl_diag *diag);
void sl_origin_fini(struct sl_origin *origin);
