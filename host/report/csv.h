/* host/report/csv.h: an analysis as CSV with the columns that users of Arm's profiling kit load.
 * A column whose meaning was wrong there is put right here: times are never counted twice.
 *
 * On the counted clock the columns of time end in _insns. RFC 4180; a field that a spreadsheet
 * would take for a formula is preceded by a space. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_analysis;
struct sl_buf;

/* model_id,name,type,delegate_backend,count,total_ms,avg_ms,pct_total: one row an operator.
 * `type` is its category; total and pct_total are its own time, so that they add up to end to end;
 * avg is per event. Where the trace knows packing (sltrace.h), packing_insns is one more column, at
 * the end. Returns 0, SL_E_LIMIT or -ENOMEM. */
int sl_csv_operators(struct sl_buf *out, const struct sl_analysis *analysis, const char *model_id);

/* model_id,name,type,delegate_backend,start_us,end_us,duration_ms,pct_total,node_id,run_index,block:
 * one row an event of every run, in the order of the file. pct_total is the event's own time in its
 * run's end to end; node_id is the instruction's index. `only_run` is a run's index, or -1: all. */
int sl_csv_timeline(struct sl_buf *out, const struct sl_analysis *analysis, const char *model_id,
                    int64_t only_run);

/* A text as a field, with the comma behind it. */
int sl_csv_field(struct sl_buf *out, const char *text, size_t len);
