/* host/report/series_doc.c */
#include "host/report/series_doc.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "host/analysis/history.h"
#include "host/records.h"
#include "host/report/doc.h"
#include "host/report/lab_doc.h"
#include "host/report/markup.h"
#include "host/report/svg.h"
#include "host/report/unit.h"

static const double LEFT = 76, RIGHT = 382, TOP = 30, BOTTOM = 190; /* pixels */

enum { OFF, ON, RATIO, LINES };

/* Runs with a ratio, or else with one arm, by the time of measuring, the oldest first. */
struct series {
    const struct sl_run_record **runs; /* owned, its records borrowed; so is the next */
    double *values[LINES];
    double *xs, *ys;
    size_t count;
    bool arms;       /* the cost of each arm is known of all */
    int first, last; /* lines that are told: of one arm alone OFF, of others all or the ratio */
    int unit;
    struct sl_history lines[LINES];
};

static bool is_alone(const struct sl_run_record *run)
{
    return sl_history_is_alone(run->verdict, run->ratio, run->baseline);
}

/* `runs` has the newest number first, and an import may have a later one than it has age. */
static void take(struct series *s, const struct sl_run_record *runs, size_t count)
{
    bool alone = count > 0 && is_alone(&runs[0]);
    for (size_t i = count; i-- > 0;) {
        const struct sl_run_record *run = &runs[i];
        if (alone ? !is_alone(run) : !sl_history_takes(run->verdict, run->ratio))
            continue;
        size_t at = s->count++;
        for (; at > 0 && s->runs[at - 1]->started_ms > run->started_ms; at--)
            s->runs[at] = s->runs[at - 1];
        s->runs[at] = run;
    }
    for (size_t i = 0; i < s->count; i++) {
        s->values[OFF][i] = s->runs[i]->baseline;
        s->values[ON][i] = s->runs[i]->candidate;
        s->values[RATIO][i] = s->runs[i]->ratio;
        s->arms = s->arms && s->runs[i]->baseline > 0 && s->runs[i]->candidate > 0;
    }
    s->first = alone || s->arms ? OFF : RATIO;
    s->last = alone ? OFF : RATIO;
}

static int make(struct series *s, const struct sl_run_record *runs, size_t count)
{
    s->runs = sl_calloc(count, sizeof(*s->runs));
    for (int line = 0; line < LINES; line++)
        s->values[line] = sl_calloc(count, sizeof(double));
    s->xs = sl_calloc(count, sizeof(double));
    s->ys = sl_calloc(count, sizeof(double));
    if (!s->runs || !s->values[OFF] || !s->values[ON] || !s->values[RATIO] || !s->xs || !s->ys)
        return -ENOMEM;
    s->arms = true;
    take(s, runs, count);
    bool exact = s->count > 0 && sl_device_kind_traits(s->runs[0]->device_kind).counted;
    s->unit = exact ? SL_TRACE_INSTRUCTIONS : SL_TRACE_NS;
    int rc = 0;
    for (int line = s->first; rc == 0 && line <= s->last; line++)
        rc = sl_history_make(s->values[line], s->count, exact, &s->lines[line]);
    return rc;
}

static void fini(struct series *s)
{
    sl_free(s->runs);
    for (int line = 0; line < LINES; line++)
        sl_free(s->values[line]);
    sl_free(s->xs);
    sl_free(s->ys);
}

static double x_of(const struct series *s, size_t i)
{
    return LEFT + (RIGHT - LEFT) * (double)i / (double)(s->count - 1);
}

static void put_line(struct sl_markup *m, struct series *s, int line, double high)
{
    for (size_t i = 0; i < s->count; i++) {
        s->xs[i] = x_of(s, i);
        s->ys[i] = BOTTOM - s->values[line][i] / high * (BOTTOM - TOP);
    }
    sl_svg_series(m, line == OFF ? OFF : ON, s->xs, s->ys, s->count);
}

/* A dotted line where a stretch begins. */
static void put_changes(struct sl_markup *m, const struct series *s, int line)
{
    for (size_t i = 1; i < s->lines[line].count; i++)
        sl_markup_put(m, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#888\" stroke-dasharray=\"2 4\"/>\n",
                      x_of(s, s->lines[line].stretches[i].first), TOP, BOTTOM);
}

static void put_axes(struct sl_markup *m, const struct series *s, const char *high)
{
    char text[48];
    sl_markup_put(m, "<path d=\"M%.1f %.1fV%.1fH%.1f\" fill=\"none\" stroke=\"#888\"/>\n", LEFT,
                  TOP, BOTTOM, RIGHT);
    sl_svg_label(m, LEFT - 8, BOTTOM + 4, "end", "0");
    sl_svg_label(m, LEFT - 8, TOP + 8, "end", high);
    snprintf(text, sizeof(text), "run %" PRIu64, s->runs[0]->id);
    sl_svg_label(m, LEFT, BOTTOM + 18, "middle", text);
    snprintf(text, sizeof(text), "run %" PRIu64, s->runs[s->count - 1]->id);
    sl_svg_label(m, RIGHT, BOTTOM + 18, "middle", text);
}

static double highest(const struct series *s, int line)
{
    double high = 0;
    for (size_t i = 0; i < s->count; i++)
        high = fmax(high, s->values[line][i]);
    return high;
}

static void draw_arms(struct sl_doc *doc, struct series *s)
{
    static const char *const names[] = {"SME2 off", "SME2 on"};
    char text[2][48];
    const char *const texts[] = {text[0], text[1]};
    double high = 1.05 * fmax(highest(s, OFF), highest(s, ON)), ends[2];
    struct sl_markup *m = sl_doc_figure(doc);
    sl_svg_open(m, (int)BOTTOM + 62, "What each arm took, run by run");
    sl_svg_label(m, 0, 14, "start", sl_unit_words(s->unit));
    put_axes(m, s, sl_unit_format(text[0], sizeof(text[0]), high, s->unit));
    for (int arm = OFF; arm <= ON; arm++) {
        put_changes(m, s, arm);
        put_line(m, s, arm, high);
        ends[arm] = s->ys[s->count - 1];
        sl_unit_format(text[arm], sizeof(text[arm]), s->values[arm][s->count - 1], s->unit);
        sl_svg_mark(m, arm, 12 + SL_SVG_WIDTH / 2 * arm, BOTTOM + 38);
        sl_svg_label(m, 26 + SL_SVG_WIDTH / 2 * arm, BOTTOM + 42, "start", names[arm]);
    }
    sl_svg_pair(m, RIGHT + 12, ends, texts);
    sl_markup_put(m, "</svg>\n");
}

static void write_value(const struct series *s, int line, double value, char out[48])
{
    if (line == RATIO)
        snprintf(out, 48, "%.3f", value);
    else
        sl_unit_format(out, 48, value, s->unit);
}

/* The ratio, or the time of the only arm. */
static void draw_last(struct sl_doc *doc, struct series *s)
{
    bool ratio = s->last == RATIO;
    char text[48];
    double high = 1.05 * highest(s, s->last);
    struct sl_markup *m = sl_doc_figure(doc);
    sl_svg_open(m, (int)BOTTOM + 28, ratio ? "SME2 off over on, run by run" : "Time, run by run");
    sl_svg_label(m, 0, 14, "start", ratio ? "SME2 off / on" : "time");
    write_value(s, s->last, high, text);
    put_axes(m, s, text);
    put_changes(m, s, s->last);
    put_line(m, s, s->last, high);
    write_value(s, s->last, s->values[s->last][s->count - 1], text);
    sl_svg_label(m, RIGHT + 12, s->ys[s->count - 1] + 4, "start", text);
    sl_markup_put(m, "</svg>\n");
}

static void say_change(struct sl_doc *doc, const struct series *s, int line,
                       const struct sl_history_stretch *stretch)
{
    static const char *const names[] = {"SME2 off", "SME2 on", "off / on"};
    char before[48], after[48];
    write_value(s, line, stretch[-1].median, before);
    write_value(s, line, stretch->median, after);
    sl_doc_say(doc, SL_DOC_ITEM, NULL, "From run %" PRIu64 " on %s changed by %+.2f %%: %s to %s.",
               s->runs[stretch->first]->id, s->last == OFF ? "time" : names[line],
               100 * (stretch->median / stretch[-1].median - 1), before, after);
}

static void say_changes(struct sl_doc *doc, const struct series *s)
{
    size_t found = 0;
    for (int line = s->first; line <= s->last; line++)
        for (size_t i = 1; i < s->lines[line].count; i++, found++)
            say_change(doc, s, line, &s->lines[line].stretches[i]);
    if (found == 0)
        sl_doc_say(doc, SL_DOC_SENTENCE, NULL, "%s",
                   s->lines[s->last].enough || s->unit == SL_TRACE_INSTRUCTIONS
                       ? "Nothing changed."
                       : "There are too few runs to tell a change from chance.");
}

int sl_series_doc(struct sl_doc *doc, const struct sl_run_record *runs, size_t count)
{
    struct series s = {.count = 0};
    int rc = count > 0 ? make(&s, runs, count) : 0;
    if (rc == 0 && s.count > 0) {
        sl_doc_say(doc, SL_DOC_HEADING, "changes", "%s on %s", s.runs[0]->model, s.runs[0]->device);
        if (s.count > 1 && s.arms)
            draw_arms(doc, &s);
        if (s.count > 1)
            draw_last(doc, &s);
        say_changes(doc, &s);
    }
    if (rc == 0)
        sl_lab_doc_runs(doc, "Its runs", runs, count, NULL);
    fini(&s);
    return rc;
}
