/* host/report/reach_report.c */
#include "host/report/reach_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "common/format/sltrace.h"
#include "host/analysis/attribution.h"
#include "host/analysis/reach.h"
#include "host/report/page_table.h"
#include "host/report/style.h"
#include "host/report/unit.h"

enum { FIGURE_COLUMNS = 10, TEXT_ROWS = 20 };

static void put_f64(struct sl_json *json, const char *stem, int unit, double value)
{
    char key[SL_UNIT_KEY_SIZE];
    sl_json_f64(json, sl_unit_key(key, stem, unit), value);
}

static void put_row(struct sl_json *json, const struct sl_reach_report *report,
                    const struct sl_reach_row *row, int unit)
{
    char name[SL_TEXT_SIZE];
    sl_json_open_object(json, NULL);
    sl_json_text(json, "operator", sl_text_copy(name, row->op->name, row->op->name_len));
    sl_json_text(json, "origin", row->at->origin);
    sl_json_text(json, "operands", row->at->shape);
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

struct lines {
    struct sl_buf *out;
    int error; /* the first failure sticks */
};

static void note(struct lines *lines, int rc)
{
    if (lines->error == 0 && rc < 0)
        lines->error = rc;
}

static void cell(struct lines *lines, const char *text, size_t columns, bool right)
{
    note(lines, sl_style_cell(lines->out, text, columns, right));
}

static void figure(struct lines *lines, double value, int unit)
{
    char text[32];
    cell(lines, sl_unit_format(text, sizeof(text), value, unit), FIGURE_COLUMNS, true);
}

static void put_line(struct lines *lines, const struct sl_reach_report *report,
                     const struct sl_style *style, const struct sl_reach_row *row, int unit)
{
    char text[SL_TEXT_SIZE];
    size_t width = (size_t)sl_style_width(style);
    bool roofline = isfinite(report->reach->roof);
    cell(lines, sl_text_copy(text, row->op->name, row->op->name_len),
         width - (roofline ? 4 : 3) * FIGURE_COLUMNS, false);
    figure(lines, row->now, unit);
    figure(lines, row->best, report->unit);
    if (report->unit == unit && row->bench)
        figure(lines, row->gain, unit);
    else
        cell(lines, "-", FIGURE_COLUMNS, true);
    if (roofline)
        figure(lines, row->roof, SL_TRACE_NS);
    note(lines, sl_style_end_line(lines->out));
    char kernel[SL_TEXT_SIZE];
    snprintf(text, sizeof(text), "  %.150s; %.120s", row->at->shape, kernel_of(row, kernel));
    sl_text_fit(text, width);
    note(lines, sl_style_put(lines->out, style, SL_TONE_FAINT, text));
    note(lines, sl_buf_printf(lines->out, "\n"));
}

int sl_reach_text(struct sl_buf *out, const struct sl_style *style,
                  const struct sl_reach_report *report, int unit)
{
    const struct sl_reach *r = report->reach;
    struct lines lines = {.out = out};
    char text[SL_TEXT_SIZE];
    size_t width = (size_t)sl_style_width(style);
    bool roofline = isfinite(r->roof);
    note(&lines, sl_buf_printf(out, "\n"));
    note(&lines, sl_style_put(out, style, SL_TONE_STRONG, "Headroom"));
    note(&lines, sl_buf_printf(out, "\n"));
    sl_reach_words(report, unit, text, sizeof(text));
    note(&lines, sl_style_wrap(out, style, 0, text));
    snprintf(text, sizeof(text), "kernels: %s; roofline: %s%s%s", report->device, report->roofline,
             report->note[0] ? "; " : "", report->note);
    note(&lines, sl_style_wrap(out, style, 0, text));
    if (has_stand_ins(r))
        note(&lines, sl_style_wrap(out, style, 0, stand_in_note));
    if (r->count == 0)
        return lines.error;
    note(&lines, sl_buf_printf(out, "\n"));
    cell(&lines, "operator, operands, our best kernel", width - (roofline ? 4 : 3) * FIGURE_COLUMNS,
         false);
    cell(&lines, "now", FIGURE_COLUMNS, true);
    cell(&lines, "best", FIGURE_COLUMNS, true);
    cell(&lines, "to gain", FIGURE_COLUMNS, true);
    if (roofline)
        cell(&lines, "roofline", FIGURE_COLUMNS, true);
    note(&lines, sl_style_end_line(out));
    for (size_t i = 0; i < r->count && i < TEXT_ROWS; i++)
        put_line(&lines, report, style, &r->rows[i], unit);
    if (r->count > TEXT_ROWS)
        note(&lines, sl_buf_printf(out, "... and %zu more\n", r->count - TEXT_ROWS));
    return lines.error;
}

static void put_figure(struct sl_page_table *t, double value, int unit)
{
    char text[32];
    sl_page_table_text(t, sl_unit_format(text, sizeof(text), value, unit));
}

void sl_reach_table(const struct sl_reach_report *report, int unit, size_t most,
                    struct sl_page_table *out)
{
    const struct sl_reach *r = report->reach;
    static const char *const heads[] = {"Operator", "Operands", "Our best kernel", ">Now",
                                        ">Best",    ">To gain", ">Roofline",       NULL};
    char kernel[SL_TEXT_SIZE];
    sl_page_table_init(out, "headroom", "Headroom", heads);
    snprintf(out->note, sizeof(out->note), "Kernels on %.100s. Roofline: %.100s. %s%s%.40s",
             report->refused[0] ? report->refused : report->device, report->roofline,
             has_stand_ins(r) ? stand_in_note : "", has_stand_ins(r) ? ". " : "",
             r->count > most ? "Those with most to gain are listed." : "");
    for (size_t i = 0; i < r->count && i < most; i++) {
        const struct sl_reach_row *row = &r->rows[i];
        sl_page_table_cell(out, row->op->name, row->op->name_len);
        sl_page_table_text(out, row->at->shape);
        sl_page_table_text(out, kernel_of(row, kernel));
        put_figure(out, row->now, unit);
        put_figure(out, row->best, report->unit);
        put_figure(out, report->unit == unit && row->bench ? row->gain : NAN, unit);
        put_figure(out, row->roof, SL_TRACE_NS);
    }
    sl_page_table_text(out, "End to end");
    sl_page_table_text(out, "");
    sl_page_table_text(out, "the best for every operator");
    put_figure(out, r->whole, unit);
    put_figure(out, r->reachable, unit);
    put_figure(out, r->whole - r->reachable, unit);
    put_figure(out, r->roof, SL_TRACE_NS);
}
