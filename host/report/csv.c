/* host/report/csv.c */
#include "host/report/csv.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/format/sltrace.h"
#include "host/report/analysis.h"
#include "host/report/text.h"

int sl_csv_field(struct sl_buf *out, const char *text, size_t len)
{
    char clean[SL_TEXT_SIZE];
    int rc = 0;
    sl_text_copy(clean, text, len);
    bool formula = clean[0] != '\0' && strchr("=+-@", clean[0]) != NULL;
    if (!strpbrk(clean, ",\"\r\n"))
        return sl_buf_printf(out, "%s%s,", formula ? " " : "", clean);
    rc = sl_buf_printf(out, "\"%s", formula ? " " : "");
    for (const char *c = clean; rc == 0 && *c; c++)
        rc = sl_buf_printf(out, *c == '"' ? "\"\"" : "%c", *c);
    return rc < 0 ? rc : sl_buf_append(out, "\",", 2);
}

static int put_operator(struct sl_buf *out, const char *model_id, const struct sl_operator *op)
{
    const char *category = sl_category_name(op->category);
    const char *backend = !op->delegated ? "portable" : op->xnnpack ? "XNNPACK" : "delegated";
    int rc = sl_csv_field(out, model_id, strlen(model_id));
    if (rc == 0)
        rc = sl_csv_field(out, op->name, op->name_len);
    if (op->category_by_name == SL_CATEGORY_FRAMEWORK)
        backend = "runtime";
    return rc < 0 ? rc : sl_buf_printf(out, "%s,%s,", category, backend);
}

static double percent(int64_t part, double whole)
{
    return whole == 0.0 ? 0.0 : 100.0 * (double)part / whole;
}

int sl_csv_operators(struct sl_buf *out, const struct sl_analysis *analysis, const char *model_id)
{
    const struct sl_attribution *a = &analysis->attribution;
    bool counted = a->unit == SL_TRACE_INSTRUCTIONS;
    double whole = 0;
    for (size_t i = 0; i < a->run_count; i++)
        whole += a->runs[i].warmup ? 0.0 : (double)a->runs[i].end_to_end;
    int rc = sl_buf_printf(out, "model_id,name,type,delegate_backend,count,%s,pct_total%s\n",
                           counted ? "total_insns,avg_insns" : "total_ms,avg_ms",
                           a->packing ? ",packing_insns" : "");
    for (size_t i = 0; rc == 0 && i < a->operator_count; i++) {
        const struct sl_operator *op = &a->operators[i];
        double each = (double)op->total / (double)op->count;
        rc = put_operator(out, model_id, op);
        if (rc == 0 && counted)
            rc = sl_buf_printf(out, "%" PRIu64 ",%" PRId64 ",%.15g,%.6g", op->count, op->total,
                               each, percent(op->total, whole));
        else if (rc == 0)
            rc = sl_buf_printf(out, "%" PRIu64 ",%.6f,%.6f,%.6g", op->count,
                               (double)op->total / 1e6, each / 1e6, percent(op->total, whole));
        if (rc == 0 && a->packing)
            rc = sl_buf_printf(out, ",%" PRId64, op->packing);
        if (rc == 0)
            rc = sl_buf_append(out, "\n", 1);
    }
    return rc;
}

static int put_event(struct sl_buf *out, const struct sl_analysis *analysis, const char *model_id,
                     const struct sl_attribution_run *run, uint32_t i, size_t global)
{
    const struct sl_attribution *a = &analysis->attribution;
    struct sl_etdump_event room;
    const struct sl_etdump_event *e =
        sl_etdump_event_read(&analysis->etdump->runs[run->block], i, &room);
    struct sl_operator op = a->operators[a->event_operators[global]];
    double share = percent(a->event_self[global], (double)run->end_to_end);
    if (e->name || e->delegate_id) { /* with the " #N" that tells instances apart */
        op.name = e->delegate_id ? e->delegate_id : e->name;
        op.name_len = e->delegate_id ? e->delegate_id_len : e->name_len;
    }
    int rc = put_operator(out, model_id, &op);
    if (rc == 0 && a->unit == SL_TRACE_INSTRUCTIONS)
        rc = sl_buf_printf(out, "%" PRIu64 ",%" PRIu64 ",%" PRId64 ",", e->start, e->end,
                           (int64_t)(e->end - e->start));
    else if (rc == 0)
        rc = sl_buf_printf(out, "%.3f,%.3f,%.6f,", (double)e->start / 1e3, (double)e->end / 1e3,
                           (double)(int64_t)(e->end - e->start) / 1e6);
    if (rc == 0)
        rc = sl_buf_printf(out, "%.6g,%d,%u,", share, e->instruction_id, run->run);
    if (rc == 0)
        rc = sl_csv_field(out, run->block_name, run->block_name_len);
    if (rc == 0)
        out->data[--out->size] = '\0'; /* the last field has no comma */
    return rc < 0 ? rc : sl_buf_append(out, "\n", 1);
}

int sl_csv_timeline(struct sl_buf *out, const struct sl_analysis *analysis, const char *model_id,
                    int64_t only_run)
{
    const struct sl_attribution *a = &analysis->attribution;
    int rc = sl_buf_printf(
        out, "model_id,name,type,delegate_backend,%s,pct_total,node_id,run_index,block\n",
        a->unit == SL_TRACE_INSTRUCTIONS ? "start_insns,end_insns,duration_insns"
                                         : "start_us,end_us,duration_ms");
    size_t global = 0;
    size_t next = 0;
    for (uint32_t b = 0; b < analysis->etdump->run_count; b++) {
        uint32_t count = analysis->etdump->runs[b].event_count;
        bool run = next < a->run_count && a->runs[next].block == b;
        bool wanted = run && (only_run < 0 || a->runs[next].run == only_run);
        for (uint32_t i = 0; rc == 0 && wanted && i < count; i++) {
            if (a->event_operators[global + i] != SL_POSITION_NO_OPERATOR)
                rc = put_event(out, analysis, model_id, &a->runs[next], i, global + i);
        }
        next += run;
        global += count;
    }
    return rc;
}
