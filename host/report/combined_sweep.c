/* host/report/combined_sweep.c: comparisons of one experiment on several numbers of threads, told
 * together. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/json.h"
#include "host/analysis/comparison.h"
#include "host/analysis/sweep.h"
#include "host/report/combined.h"
#include "host/report/comparison.h"
#include "host/report/report.h"
#include "host/report/table.h"
#include "host/report/unit.h"

enum { NAME_BYTES = SL_COMBINED_NAME_BYTES };

static const char *text_of(const char *text)
{
    return text ? text : "";
}

/* Takes "_t4" off, as an experiment on 4 threads has it. */
static void take_off(char name[NAME_BYTES], char letter, const char *number)
{
    char ending[32];
    size_t len = strlen(name);
    size_t end = (size_t)snprintf(ending, sizeof(ending), "_%c%.20s", letter, number);
    if (len > end && strcmp(name + len - end, ending) == 0)
        name[len - end] = '\0';
}

const char *sl_combined_concurrency(const struct sl_report *report)
{
    return text_of(report->concurrency)[0] ? report->concurrency : "1";
}

void sl_combined_experiment(const struct sl_report *report, char out[NAME_BYTES])
{
    snprintf(out, NAME_BYTES, "%.90s", text_of(report->experiment));
    take_off(out, 'p', text_of(report->process));
}

void sl_combined_base(const struct sl_report *report, bool concurrency, char out[NAME_BYTES])
{
    sl_combined_experiment(report, out);
    size_t kept = strlen(out); /* from here on it stays */
    take_off(out, 'c', sl_combined_concurrency(report));
    kept = concurrency ? strlen(out) : kept;
    take_off(out, 't', text_of(report->threads));
    snprintf(out + strlen(out), NAME_BYTES - strlen(out), "%.30s",
             text_of(report->experiment) + kept);
}

/* "sweep_t4" on 4 threads is "sweep", "sweep_t4_p2" is "sweep_p2". */
static void base_name(const struct sl_report *report, char out[NAME_BYTES])
{
    sl_combined_base(report, true, out);
}

static bool together(const struct sl_report *a, const struct sl_report *b)
{
    char names[2][NAME_BYTES];
    base_name(a, names[0]);
    base_name(b, names[1]);
    return strcmp(names[0], names[1]) == 0 && a->clean == b->clean &&
           strcmp(text_of(a->model), text_of(b->model)) == 0 &&
           strcmp(text_of(a->device), text_of(b->device)) == 0 &&
           strcmp(sl_combined_concurrency(a), sl_combined_concurrency(b)) == 0 &&
           a->comparison->comparison->unit == b->comparison->comparison->unit;
}

bool sl_combined_sweep(const struct sl_combined *combined, size_t index, struct sl_sweep *out)
{
    struct sl_sweep_point points[SL_SWEEP_MAX_POINTS];
    size_t count = 0;
    for (size_t i = 0; i < combined->count; i++) {
        const struct sl_report *report = &combined->reports[i];
        const struct sl_comparison *c = report->comparison->comparison;
        if (!together(&combined->reports[index], report))
            continue;
        if (i < index) /* told with the first of them */
            return false;
        if (count == SL_SWEEP_MAX_POINTS)
            break;
        if (c->verdict == SL_VERDICT_WRONG) /* how fast a wrong output comes says nothing */
            continue;
        points[count++] = (struct sl_sweep_point){.threads = atof(text_of(report->threads)),
                                                  .baseline = c->baseline,
                                                  .candidate = c->candidate,
                                                  .ratio = c->ratio,
                                                  .low = c->low,
                                                  .high = c->high};
    }
    return sl_sweep_make(points, count, out);
}

size_t sl_combined_sweep_count(const struct sl_combined *combined)
{
    struct sl_sweep sweep;
    size_t count = 0;
    for (size_t i = 0; i < combined->count; i++)
        count += sl_combined_sweep(combined, i, &sweep);
    return count;
}

/* "1, 2 and 8 threads": the points whose interval says so (1: faster, -1: slower, 0: neither). */
static size_t list_points(const struct sl_sweep *s, int says, char *out, size_t size)
{
    size_t count = 0, listed = 0;
    int len = 0;
    for (size_t i = 0; i < s->count; i++)
        count += sl_sweep_says(&s->points[i]) == says;
    for (size_t i = 0; i < s->count && len >= 0 && (size_t)len < size; i++) {
        if (sl_sweep_says(&s->points[i]) != says)
            continue;
        listed++;
        len += snprintf(out + len, size - (size_t)len, "%s%g",
                        listed == 1       ? ""
                        : listed == count ? " and "
                                          : ", ",
                        s->points[i].threads);
    }
    return count;
}

/* No crossing: what each number of threads shows. */
static int put_points(const struct sl_sweep *s, char *out, size_t size)
{
    static const struct {
        int says;
        const char *words;
    } kinds[] = {
        {1, "SME2 is faster on"}, {-1, "SME2 is slower on"}, {0, "no difference shown on"}};
    char list[160];
    int len = 0;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        size_t count = list_points(s, kinds[i].says, list, sizeof(list));
        if (count > 0 && len >= 0 && (size_t)len < size)
            len += snprintf(out + len, size - (size_t)len, "%s%s %s thread%s", len > 0 ? ", " : "",
                            kinds[i].words, list, count == 1 && strcmp(list, "1") == 0 ? "" : "s");
    }
    return len;
}

void sl_combined_sweep_words(const struct sl_sweep *s, char *out, size_t size)
{
    const struct sl_sweep_point *first = &s->points[0];
    const struct sl_sweep_point *last = &s->points[s->count - 1];
    int len;
    if (s->crossing == SL_SWEEP_CROSSES)
        len = snprintf(out, size, "SME2 %s between %g and %g threads, at about %.1f%s",
                       first->ratio > 1 ? "stops paying" : "begins to pay",
                       s->points[s->before].threads, s->points[s->after].threads, s->crossover,
                       s->crossover_proven ? "" : " (within the noise)");
    else
        len = put_points(s, out, size);
    if (len > 0 && (size_t)len < size && s->contention)
        len += snprintf(out + len, size - (size_t)len,
                        "; contention: on %g threads off runs %.2fx as fast as on %g, on only "
                        "%.2fx: try fewer threads in streaming mode (sme_threads)",
                        last->threads, last->baseline_scaling, first->threads,
                        last->candidate_scaling);
    if (len > 0 && (size_t)len < size)
        snprintf(out + len, size - (size_t)len, "; lowest median of all: SME2 %s on %g thread%s",
                 s->best_is_candidate ? "on" : "off", s->points[s->best].threads,
                 s->points[s->best].threads > 1 ? "s" : "");
}

void sl_combined_sweeps(const struct sl_combined *combined, struct sl_table *out)
{
    static const char *const heads[] = {"Sweep",  ">Threads",  ">Off scales",  ">On scales",
                                        ">Ratio", ">Interval", "What it says", NULL};
    struct sl_sweep s;
    char name[NAME_BYTES], words[512];
    sl_table_init(out, "sweep", "Thread sweep", heads);
    bool emulated = false;
    for (size_t i = 0; i < combined->count; i++)
        emulated = emulated || combined->reports[i].comparison->emulated;
    snprintf(
        out->note, sizeof(out->note),
        "%sScales: how many times as fast as on the fewest threads. Contention is said where the "
        "ratio falls by more than %.0f %% from the fewest to the most threads and the "
        "intervals are apart.",
        emulated ? "Times of an emulated CPU mean nothing. " : "",
        100 * (1 - 1 / SL_SWEEP_CONTENTION));
    for (size_t i = 0; i < combined->count; i++) {
        if (!sl_combined_sweep(combined, i, &s))
            continue;
        base_name(&combined->reports[i], name);
        sl_combined_sweep_words(&s, words, sizeof(words));
        for (size_t k = 0; k < s.count; k++) {
            const struct sl_sweep_point *p = &s.points[k];
            if (k == 0)
                sl_table_printf(out, "%s: %s", combined->reports[i].model, name);
            else
                sl_table_text(out, "");
            sl_table_printf(out, "%g", p->threads);
            sl_table_printf(out, "%.2fx", p->baseline_scaling);
            sl_table_printf(out, "%.2fx", p->candidate_scaling);
            sl_table_printf(out, "%.3fx", p->ratio);
            sl_table_interval(out, p->low, p->high);
            sl_table_text(out, k == 0 ? words : "");
        }
    }
}

static void put_sweep(struct sl_json *json, const struct sl_report *report,
                      const struct sl_sweep *s)
{
    static const char *const crossings[] = {"always-faster", "never-faster", "crosses"};
    char name[NAME_BYTES], words[512];
    base_name(report, name);
    sl_combined_sweep_words(s, words, sizeof(words));
    sl_json_open_object(json, NULL);
    sl_json_text(json, "model", report->model);
    sl_json_text(json, "device", report->device);
    sl_json_text(json, "experiment", name);
    sl_json_text(json, "time_unit", sl_unit_name(report->comparison->comparison->unit));
    sl_json_open_array(json, "points");
    for (size_t k = 0; k < s->count; k++) {
        const struct sl_sweep_point *p = &s->points[k];
        sl_json_open_object(json, NULL);
        sl_json_f64(json, "threads", p->threads);
        sl_json_f64(json, "ratio", p->ratio);
        sl_json_f64(json, "low", p->low);
        sl_json_f64(json, "high", p->high);
        sl_json_f64(json, "baseline_scaling", p->baseline_scaling);
        sl_json_f64(json, "candidate_scaling", p->candidate_scaling);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
    sl_json_text(json, "crossing", crossings[s->crossing]);
    sl_json_f64(json, "crossover_threads", s->crossover);
    sl_json_bool(json, "crossover_proven", s->crossover_proven);
    sl_json_bool(json, "contention", s->contention);
    sl_json_f64(json, "contention_loss", s->loss);
    sl_json_f64(json, "best_threads", s->points[s->best].threads);
    sl_json_text(json, "best", s->best_is_candidate ? "candidate" : "baseline");
    sl_json_text(json, "text", words);
    sl_json_close_object(json);
}

void sl_combined_sweeps_json(struct sl_json *json, const struct sl_combined *combined)
{
    struct sl_sweep s;
    sl_json_open_array(json, "sweeps");
    for (size_t i = 0; i < combined->count; i++) {
        if (sl_combined_sweep(combined, i, &s))
            put_sweep(json, &combined->reports[i], &s);
    }
    sl_json_close_array(json);
}
