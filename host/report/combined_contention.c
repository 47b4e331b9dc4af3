/* host/report/combined_contention.c: comparisons of one experiment beside several numbers of
 * processes, told together. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/json.h"
#include "host/analysis/comparison.h"
#include "host/analysis/contention.h"
#include "host/report/combined.h"
#include "host/report/comparison.h"
#include "host/report/report.h"
#include "host/report/table.h"
#include "host/report/unit.h"

enum { MAX_POINTS = SL_CONTENTION_MAX * SL_CONTENTION_MAX, WORDS_BYTES = 512 };

static const char *text_of(const char *text)
{
    return text ? text : "";
}

static bool together(const struct sl_report *a, const struct sl_report *b)
{
    char names[2][SL_COMBINED_NAME_BYTES];
    sl_combined_base(a, false, names[0]);
    sl_combined_base(b, false, names[1]);
    return strcmp(names[0], names[1]) == 0 && a->clean == b->clean &&
           strcmp(text_of(a->model), text_of(b->model)) == 0 &&
           strcmp(text_of(a->device), text_of(b->device)) == 0 &&
           a->comparison->comparison->unit == b->comparison->comparison->unit;
}

static struct sl_contention_point point_of(const struct sl_report *report)
{
    const struct sl_comparison *c = report->comparison->comparison;
    return (struct sl_contention_point){.threads = atof(text_of(report->threads)),
                                        .processes = atof(sl_combined_concurrency(report)),
                                        .baseline = c->baseline,
                                        .candidate = c->candidate,
                                        .ratio = c->ratio,
                                        .low = c->low,
                                        .high = c->high};
}

bool sl_combined_contention(const struct sl_combined *combined, size_t index,
                            struct sl_contention *out)
{
    struct sl_contention_point points[MAX_POINTS];
    const struct sl_report *first = &combined->reports[index];
    size_t count = 0;
    for (size_t i = 0; i < index; i++) {
        if (together(first, &combined->reports[i])) /* told with the first of them */
            return false;
    }
    for (size_t i = index; i < combined->count && count < MAX_POINTS; i++) {
        const struct sl_report *report = &combined->reports[i];
        /* How fast a wrong output comes says nothing. */
        if (report->comparison->comparison->verdict != SL_VERDICT_WRONG && together(first, report))
            points[count++] = point_of(report);
    }
    return sl_contention_make(points, count, out);
}

size_t sl_combined_contention_count(const struct sl_combined *combined)
{
    struct sl_contention map;
    size_t count = 0;
    for (size_t i = 0; i < combined->count; i++)
        count += sl_combined_contention(combined, i, &map);
    return count;
}

void sl_combined_contention_words(const struct sl_contention *map, char *out, size_t size)
{
    const struct sl_contention_cell *first, *last;
    if (!isfinite(map->loss) || !sl_contention_ends(map, map->worst, &first, &last)) {
        snprintf(out, size, "no number of threads was measured beside several processes");
        return;
    }
    int len = snprintf(out, size,
                       "on %g thread%s with %g processes off takes %.2fx as long as with %g, on "
                       "%.2fx; the ratio goes from %.3fx to %.3fx",
                       last->point.threads, last->point.threads > 1 ? "s" : "",
                       last->point.processes, last->baseline_slowdown, first->point.processes,
                       last->candidate_slowdown, first->point.ratio, last->point.ratio);
    if (len > 0 && (size_t)len < size)
        snprintf(out + len, size - (size_t)len, "%s",
                 map->contention ? ": contention for the SME unit; let fewer processes or threads "
                                   "use it at a time (sme_threads)"
                                 : ": no contention for the SME unit shown");
}

static void put_slowdown(struct sl_table *out, double slowdown)
{
    if (isfinite(slowdown))
        sl_table_printf(out, "%.2fx", slowdown);
    else
        sl_table_text(out, "-");
}

static void put_cell(struct sl_table *out, const struct sl_contention_cell *cell, const char *title,
                     const char *words)
{
    sl_table_text(out, title);
    sl_table_printf(out, "%g", cell->point.threads);
    sl_table_printf(out, "%g", cell->point.processes);
    put_slowdown(out, cell->baseline_slowdown);
    put_slowdown(out, cell->candidate_slowdown);
    sl_table_printf(out, "%.3fx", cell->point.ratio);
    sl_table_interval(out, cell->point.low, cell->point.high);
    sl_table_text(out, words);
}

void sl_combined_contentions(const struct sl_combined *combined, struct sl_table *out)
{
    static const char *const heads[] = {"Map",        ">Threads",     ">At a time",
                                        ">Off slows", ">On slows",    ">Ratio",
                                        ">Interval",  "What it says", NULL};
    struct sl_contention map;
    char name[SL_COMBINED_NAME_BYTES], title[2 * SL_COMBINED_NAME_BYTES], words[WORDS_BYTES];
    sl_table_init(out, "contention", "Contention", heads);
    snprintf(out->note, sizeof(out->note),
             "At a time: processes that run the model, the measured one among them; the others use "
             "SME2 throughout. Slows: how many times as long as with the fewest. Contention is "
             "said where the ratio falls by more than %.0f %% and the intervals are apart.",
             100 * (1 - 1 / SL_CONTENTION_LOSS));
    for (size_t i = 0; i < combined->count; i++) {
        if (!sl_combined_contention(combined, i, &map))
            continue;
        bool first = true;
        sl_combined_base(&combined->reports[i], false, name);
        snprintf(title, sizeof(title), "%.120s: %s", combined->reports[i].model, name);
        sl_combined_contention_words(&map, words, sizeof(words));
        for (size_t row = 0; row < map.thread_count; row++) {
            for (size_t k = 0; k < map.process_count; k++) {
                if (!map.cells[row][k].measured)
                    continue;
                put_cell(out, &map.cells[row][k], first ? title : "", first ? words : "");
                first = false;
            }
        }
    }
}

static void put_json_cell(struct sl_json *json, const struct sl_contention_cell *cell)
{
    const struct sl_contention_point *p = &cell->point;
    sl_json_open_object(json, NULL);
    sl_json_f64(json, "threads", p->threads);
    sl_json_f64(json, "concurrency", p->processes);
    sl_json_f64(json, "ratio", p->ratio);
    sl_json_f64(json, "low", p->low);
    sl_json_f64(json, "high", p->high);
    sl_json_f64(json, "baseline_slowdown", cell->baseline_slowdown);
    sl_json_f64(json, "candidate_slowdown", cell->candidate_slowdown);
    sl_json_close_object(json);
}

void sl_combined_contentions_json(struct sl_json *json, const struct sl_combined *combined)
{
    struct sl_contention map;
    char name[SL_COMBINED_NAME_BYTES], words[WORDS_BYTES];
    sl_json_open_array(json, "contention_maps");
    for (size_t i = 0; i < combined->count; i++) {
        const struct sl_report *report = &combined->reports[i];
        if (!sl_combined_contention(combined, i, &map))
            continue;
        sl_combined_base(report, false, name);
        sl_combined_contention_words(&map, words, sizeof(words));
        sl_json_open_object(json, NULL);
        sl_json_text(json, "model", report->model);
        sl_json_text(json, "device", report->device);
        sl_json_text(json, "experiment", name);
        sl_json_text(json, "time_unit", sl_unit_name(report->comparison->comparison->unit));
        sl_json_open_array(json, "cells");
        for (size_t row = 0; row < map.thread_count; row++) {
            for (size_t k = 0; k < map.process_count; k++) {
                if (map.cells[row][k].measured)
                    put_json_cell(json, &map.cells[row][k]);
            }
        }
        sl_json_close_array(json);
        sl_json_f64(json, "loss", map.loss);
        sl_json_bool(json, "contention", map.contention);
        sl_json_text(json, "text", words);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}
