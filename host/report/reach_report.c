/* host/report/reach_report.c */
#include "host/report/reach_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/json.h"
#include "common/format/operands.h"
#include "common/format/sltrace.h"
#include "host/analysis/attribution.h"
#include "host/analysis/reach.h"
#include "host/report/doc.h"
#include "host/report/style.h"
#include "host/report/table.h"
#include "host/report/unit.h"

enum { TEXT_ROWS = 20 };

static void put_f64(struct sl_json *json, const char *stem, int unit, double value)
{
    char key[SL_UNIT_KEY_SIZE];
    sl_json_f64(json, sl_unit_key(key, stem, unit), value);
}

static void put_row(struct sl_json *json, const struct sl_reach_report *report,
                    const struct sl_reach_row *row, int unit)
{
    char name[SL_TEXT_SIZE], operands[SL_OPERANDS_WORDS_BYTES];
    sl_json_open_object(json, NULL);
    sl_json_text(json, "operator", sl_text_copy(name, row->op->name, row->op->name_len));
    sl_json_text(json, "origin", row->at->origin);
    sl_json_text(json, "operands",
                 sl_operands_words(row->at->operands, operands, sizeof(operands)));
    sl_json_u64(json, "macs", row->work.macs);
    put_f64(json, "now", unit, row->now);
    sl_json_text(json, "bench", row->work.times > 0 ? row->work.bench : NULL);
    sl_json_u64(json, "times", row->work.times);
    sl_json_bool(json, "stands_in", row->work.stands_in);
    sl_json_text(json, "best_kernel", row->bench ? row->bench->kernel : NULL);
    put_f64(json, "best", report->unit, row->best);
    put_f64(json, "gain", unit, row->bench && report->unit == unit ? row->gain : NAN);
    if (report->unit == SL_TRACE_INSTRUCTIONS)
        put_f64(json, "least_mac", report->unit, row->least > 0 ? row->least : NAN);
    sl_json_f64(json, "roofline_ns", row->roof);
    sl_json_close_object(json);
}

void sl_reach_json(struct sl_json *json, const struct sl_reach_report *report, int unit)
{
    const struct sl_reach *r = report->reach;
    sl_json_open_object(json, "headroom");
    sl_json_text(json, "measured_on", report->device);
    sl_json_text(json, "kernels_unit", sl_unit_name(report->unit));
    sl_json_text(json, "roofline", report->roofline);
    sl_json_text(json, "refused", report->refused[0] ? report->refused : NULL);
    sl_json_text(json, "note", report->note[0] ? report->note : NULL);
    put_f64(json, "now", unit, r->whole);
    sl_json_f64(json, "measured_share", r->whole > 0 ? r->measured / r->whole : NAN);
    put_f64(json, "reachable", unit, r->reachable);
    sl_json_f64(json, "reachable_ratio", r->reachable > 0 ? r->whole / r->reachable : NAN);
    sl_json_f64(json, "roofline_ns", r->roof);
    sl_json_open_array(json, "operators");
    for (size_t i = 0; i < r->count; i++)
        put_row(json, report, &r->rows[i], unit);
    sl_json_close_array(json);
    sl_json_close_object(json);
}

void sl_reach_words(const struct sl_reach_report *report, int unit, char *out, size_t size)
{
    const struct sl_reach *r = report->reach;
    char now[32], then[32];
    sl_unit_format(now, sizeof(now), r->whole, unit);
    if (r->count == 0)
        snprintf(out, size,
                 "No operator's shape is known: the run has no trace and no --model, or its runs "
                 "differ in their events");
    else if (report->refused[0])
        snprintf(out, size, "%s now; not measured: %s", now, report->refused);
    else if (!isfinite(r->reachable))
        snprintf(out, size, "%s now; what could be reached is not known: %s", now,
                 report->unit == unit ? "no kernel of ours takes these shapes"
                                      : "the run was timed, the kernels were counted");
    else
        snprintf(out, size,
                 "%s now, %s with our best kernel for every operator: %.1f %% less, %.2fx "
                 "(operators with %.0f %% of the cost have one)",
                 now, sl_unit_format(then, sizeof(then), r->reachable, unit),
                 100 * (1 - r->reachable / r->whole), r->whole / r->reachable,
                 100 * r->measured / r->whole);
}

/* The kernel's name without what all of them begin with; "~" before one that stands for another. */
static const char *kernel_of(const struct sl_reach_row *row, char out[SL_TEXT_SIZE])
{
    const char *kernel = row->bench ? row->bench->kernel : "none measured";
    snprintf(out, SL_TEXT_SIZE, "%s%.200s", row->bench && row->work.stands_in ? "~ " : "",
             strncmp(kernel, "sl_", 3) == 0 ? kernel + 3 : kernel);
    return out;
}

static bool has_stand_ins(const struct sl_reach *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->rows[i].bench && r->rows[i].work.stands_in)
            return true;
    return false;
}

static const char stand_in_note[] = "~: a kernel that does as much stands for one of its own";

static void put_lines(struct sl_table *t, const struct sl_reach_report *report,
                      const struct sl_reach_row *row, int unit)
{
    char kernel[SL_TEXT_SIZE], operands[SL_OPERANDS_WORDS_BYTES];
    sl_table_cell(t, row->op->name, row->op->name_len);
    sl_table_figure(t, row->now, unit);
    sl_table_figure(t, row->best, report->unit);
    sl_table_figure(t, report->unit == unit && row->bench ? row->gain : NAN, unit);
    if (isfinite(report->reach->roof))
        sl_table_figure(t, row->roof, SL_TRACE_NS);
    sl_table_line(t, SL_TONE_FAINT, "  %.150s; %.120s",
                  sl_operands_words(row->at->operands, operands, sizeof(operands)),
                  kernel_of(row, kernel));
}

void sl_reach_doc(struct sl_doc *doc, const struct sl_reach_report *report, int unit)
{
    const struct sl_reach *r = report->reach;
    bool roofline = isfinite(r->roof);
    const char *const heads[] = {"operator, operands, our best kernel", ">now", ">best", ">to gain",
                                 roofline ? ">roofline" : NULL,         NULL};
    struct sl_table table;
    char text[SL_TEXT_SIZE];
    sl_doc_begin(doc, SL_DOC_LINE, NULL);
    sl_doc_say(doc, SL_DOC_HEADING, "headroom", "Headroom");
    sl_reach_words(report, unit, text, sizeof(text));
    sl_doc_say(doc, SL_DOC_SENTENCE, NULL, "%s", text);
    sl_doc_say(doc, SL_DOC_SENTENCE, NULL, "kernels: %s; roofline: %s%s%s", report->device,
               report->roofline, report->note[0] ? "; " : "", report->note);
    if (has_stand_ins(r))
        sl_doc_say(doc, SL_DOC_SENTENCE, NULL, "%s", stand_in_note);
    if (r->count == 0)
        return;
    sl_doc_begin(doc, SL_DOC_LINE, NULL);
    sl_table_init(&table, "headroom", "Headroom", heads);
    sl_table_widths(&table,
                    (const struct sl_table_column[]){{0, 0}, {10, 0}, {10, 0}, {10, 0}, {10, 0}});
    for (size_t i = 0; i < r->count && i < TEXT_ROWS; i++)
        put_lines(&table, report, &r->rows[i], unit);
    sl_doc_table(doc, &table);
    if (r->count > TEXT_ROWS)
        sl_doc_say(doc, SL_DOC_LINE, NULL, "... and %zu more (--json has all)",
                   r->count - TEXT_ROWS);
}

void sl_reach_table(const struct sl_reach_report *report, int unit, size_t most,
                    struct sl_table *out)
{
    const struct sl_reach *r = report->reach;
    static const char *const heads[] = {"Operator", "Operands", "Our best kernel", ">Now",
                                        ">Best",    ">To gain", ">Roofline",       NULL};
    char kernel[SL_TEXT_SIZE], operands[SL_OPERANDS_WORDS_BYTES];
    sl_table_init(out, "headroom", "Headroom", heads);
    snprintf(out->note, sizeof(out->note), "Kernels on %.100s. Roofline: %.100s. %s%s%.40s",
             report->refused[0] ? report->refused : report->device, report->roofline,
             has_stand_ins(r) ? stand_in_note : "", has_stand_ins(r) ? ". " : "",
             r->count > most ? "Those with most to gain are listed." : "");
    for (size_t i = 0; i < r->count && i < most; i++) {
        const struct sl_reach_row *row = &r->rows[i];
        sl_table_cell(out, row->op->name, row->op->name_len);
        sl_table_text(out, sl_operands_words(row->at->operands, operands, sizeof(operands)));
        sl_table_text(out, kernel_of(row, kernel));
        sl_table_figure(out, row->now, unit);
        sl_table_figure(out, row->best, report->unit);
        sl_table_figure(out, report->unit == unit && row->bench ? row->gain : NAN, unit);
        sl_table_figure(out, row->roof, SL_TRACE_NS);
    }
    sl_table_text(out, "End to end");
    sl_table_text(out, "");
    sl_table_text(out, "the best for every operator");
    sl_table_figure(out, r->whole, unit);
    sl_table_figure(out, r->reachable, unit);
    sl_table_figure(out, r->whole - r->reachable, unit);
    sl_table_figure(out, r->roof, SL_TRACE_NS);
}
