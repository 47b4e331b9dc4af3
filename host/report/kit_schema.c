/* host/report/kit_schema.c */
#include "host/report/kit_schema.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "common/format/sltrace.h"

/* A "~" in a name stands for the unit: _ms, or _insns on the counted clock. */
static const struct {
    const char *file, *column, *meaning;
} columns[] = {
    {"_exec_all_runs_timeline.csv", "model_id", "the model's file name without its ending"},
    {"_exec_all_runs_timeline.csv", "name", "the event, with the #N that tells instances apart"},
    {"_exec_all_runs_timeline.csv", "type", "category of the event's own time"},
    {"_exec_all_runs_timeline.csv", "delegate_backend", "XNNPACK, delegated, portable, or runtime"},
    {"_exec_all_runs_timeline.csv", "start_us", "begin of the event (start_insns when counted)"},
    {"_exec_all_runs_timeline.csv", "end_us", "end of the event (end_insns when counted)"},
    {"_exec_all_runs_timeline.csv", "duration_ms",
     "whole duration, what it holds included (duration_insns when counted)"},
    {"_exec_all_runs_timeline.csv", "pct_total",
     "the event's own time in its run's end to end, per cent; a run adds up to 100"},
    {"_exec_all_runs_timeline.csv", "node_id", "index of the instruction in its chain"},
    {"_exec_all_runs_timeline.csv", "run_index",
     "index of the run in the file, unique whatever events a run has"},
    {"_exec_all_runs_timeline.csv", "block", "the ETDump's name of the block"},
    {"_exec_run0_timeline.csv", "*",
     "as _exec_all_runs_timeline.csv, of run 0 alone, which is cold"},
    {"_exec_ops_stats.csv", "count", "events over all measured runs"},
    {"_exec_ops_stats.csv", "total~", "own time over all measured runs; a sum, not a mean"},
    {"_exec_ops_stats.csv", "avg~", "own time an event"},
    {"_exec_ops_stats.csv", "pct_total", "own time in end to end of the measured runs, per cent"},
    {"_exec_ops_stats.csv", "packing_insns",
     "what of total_insns lays operands out for products; not there where it is not known"},
    {"_robust_stats.json", "count", "measured runs; warm-up is in no figure"},
    {"_robust_stats.json", "mean~ median~ std_dev~ min~ max~", "of end to end of those runs"},
    {"_robust_stats.json", "percentiles", "linear interpolation (type 7)"},
    {"_robust_stats.json", "outliers", "outside of the quartiles -+ 1.5 interquartile ranges"},
    {"_robust_stats.json", "robust_stats", "without the outliers; nothing else leaves them out"},
    {"_robust_stats.json", "trimmed_mean_5~ trimmed_mean_10~",
     "without floor(share * n) values at each end; below 20 runs the first trims nothing"},
    {"_category_summary.csv", "total~ avg~", "own time over all measured runs, and a run"},
    {"_category_summary.csv", "pct_of_e2e", "in end to end; the categories add up to 100"},
    {"_category_summary.csv", "operator_count", "different operators of the category"},
    {"_operator_details.csv", "total~ avg~", "own time over all measured runs, and a run"},
    {"_operator_details.csv", "event_count", "events over all measured runs"},
    {"_e2e_latency.csv", "num_runs", "measured runs"},
    {"_e2e_latency.csv", "total~ avg~ min~ max~", "of end to end of those runs"},
    {"_other_top_ops.csv", "*", "the two largest operators of category Other, if there are any"},
    {"_kernels.csv", "count",
     "events over all measured runs that ran the kernel; of an import, lines of the log that name "
     "it, which say that it was chosen and not that it ran"},
    {"_comparison.csv", "speedup",
     "baseline divided by candidate; above 1 the candidate takes less"},
};

static const char *with_unit(const char *column, const char *unit, char *out, size_t size)
{
    size_t used = 0;
    for (; *column && used + 8 < size; column++) {
        if (*column == '~')
            used += (size_t)snprintf(out + used, size - used, "%s", unit);
        else
            out[used++] = *column;
    }
    out[used] = '\0';
    return out;
}

int sl_kit_schema(struct sl_buf *out, int unit)
{
    const char *suffix = unit == SL_TRACE_INSTRUCTIONS ? "_insns" : "_ms";
    char name[160];
    struct sl_json json;
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        bool first = i == 0 || strcmp(columns[i].file, columns[i - 1].file) != 0;
        if (first && i > 0)
            sl_json_close_object(&json);
        if (first)
            sl_json_open_object(&json, columns[i].file);
        sl_json_text(&json, with_unit(columns[i].column, suffix, name, sizeof(name)),
                     columns[i].meaning);
    }
    sl_json_close_object(&json);
    sl_json_close_object(&json);
    return json.error ? json.error : sl_buf_append(out, "\n", 1);
}
