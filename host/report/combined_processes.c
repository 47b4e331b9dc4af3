/* host/report/combined_processes.c: comparisons of one experiment in several processes, judged
 * together. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/json.h"
#include "host/analysis/comparison.h"
#include "host/analysis/replication.h"
#include "host/analysis/verdict.h"
#include "host/report/analysis.h"
#include "host/report/combined.h"
#include "host/report/comparison.h"
#include "host/report/report.h"
#include "host/report/table.h"
#include "host/spec/spec.h"

enum { WORDS_BYTES = 2048 };

static const char *text_of(const char *text)
{
    return text ? text : "";
}

/* Processes of one call stand in one directory; another directory is another day or model. */
static bool together(const struct sl_report *a, const struct sl_report *b)
{
    char names[2][SL_COMBINED_NAME_BYTES];
    sl_combined_experiment(a, names[0]);
    sl_combined_experiment(b, names[1]);
    return text_of(a->process)[0] && text_of(b->process)[0] && strcmp(names[0], names[1]) == 0 &&
           strcmp(text_of(a->directory), text_of(b->directory)) == 0 && a->clean == b->clean &&
           strcmp(text_of(a->model), text_of(b->model)) == 0 &&
           strcmp(text_of(a->device), text_of(b->device)) == 0 &&
           strcmp(text_of(a->threads), text_of(b->threads)) == 0 &&
           a->comparison->comparison->unit == b->comparison->comparison->unit;
}

/* True where a directory was named twice. */
static bool is_there(const struct sl_combined *combined, size_t index)
{
    const struct sl_report *one = &combined->reports[index];
    for (size_t i = 0; i < index; i++)
        if (together(one, &combined->reports[i]) &&
            strcmp(one->process, combined->reports[i].process) == 0)
            return true;
    return false;
}

/* Those with the report at `index`, where that is the first of several; else 0. */
static size_t find(const struct sl_combined *combined, size_t index,
                   struct sl_replica out[SL_SPEC_MAX_PROCESSES])
{
    const struct sl_report *first = &combined->reports[index];
    size_t count = 0;
    for (size_t i = 0; i < combined->count && count < SL_SPEC_MAX_PROCESSES; i++) {
        const struct sl_comparison_report *one = combined->reports[i].comparison;
        if (!one->baseline || !together(first, &combined->reports[i]) || is_there(combined, i))
            continue;
        if (i < index) /* told with the first of them */
            return 0;
        out[count++] = (struct sl_replica){&one->baseline->attribution,
                                           &one->candidate->attribution, one->comparison};
    }
    return count > 1 ? count : 0;
}

size_t sl_combined_processes(const struct sl_combined *combined, size_t index,
                             struct sl_comparison *out)
{
    struct sl_replica replicas[SL_SPEC_MAX_PROCESSES];
    size_t count = find(combined, index, replicas);
    return count > 0 && sl_replication_make(replicas, count, out) == 0 ? count : 0;
}

size_t sl_combined_processes_count(const struct sl_combined *combined)
{
    struct sl_replica replicas[SL_SPEC_MAX_PROCESSES];
    size_t count = 0;
    for (size_t i = 0; i < combined->count; i++)
        count += find(combined, i, replicas) > 0;
    return count;
}

static void put_words(size_t count, const struct sl_comparison *c, char *out, size_t size)
{
    int len = snprintf(out, size, "%s in %zu processes", sl_verdict_name(c), count);
    if (isfinite(c->ratio) && len > 0 && (size_t)len < size)
        len += snprintf(out + len, size - (size_t)len, ", ratio %.3fx", c->ratio);
    if (isfinite(c->low) && len > 0 && (size_t)len < size)
        len += snprintf(out + len, size - (size_t)len,
                        ", %g %% interval %.3f to %.3f from process to process",
                        100 * c->confidence, c->low, c->high);
    for (size_t i = 0; i < c->reason_count && len > 0 && (size_t)len < size; i++)
        len += snprintf(out + len, size - (size_t)len, "; %s", c->reasons[i]);
}

size_t sl_combined_processes_words(const struct sl_combined *combined, size_t index,
                                   char name[SL_COMBINED_NAME_BYTES], char *out, size_t size)
{
    struct sl_comparison c;
    size_t count = sl_combined_processes(combined, index, &c);
    if (count == 0)
        return 0;
    sl_combined_experiment(&combined->reports[index], name);
    put_words(count, &c, out, size);
    sl_comparison_fini(&c);
    return count;
}

void sl_combined_processes_table(const struct sl_combined *combined, struct sl_table *out)
{
    static const char *const heads[] = {"Experiment", ">Processes",   ">Ratio", ">Interval",
                                        "Verdict",    "What it says", NULL};
    char name[SL_COMBINED_NAME_BYTES], words[WORDS_BYTES];
    sl_table_init(out, "processes", "Process to process", heads);
    snprintf(
        out->note, sizeof(out->note),
        "Each process has an offset of its own for as long as it lives, which no number of its "
        "runs shows. So the processes are the sample: the interval is Student's, of their "
        "medians, and this verdict counts, not that of one process.");
    for (size_t i = 0; i < combined->count; i++) {
        struct sl_comparison c;
        size_t count = sl_combined_processes(combined, i, &c);
        if (count == 0)
            continue;
        sl_combined_experiment(&combined->reports[i], name);
        put_words(count, &c, words, sizeof(words));
        sl_table_printf(out, "%.120s: %s", combined->reports[i].model, name);
        sl_table_printf(out, "%zu", count);
        sl_table_printf(out, "%.3fx", c.ratio);
        sl_table_interval(out, c.low, c.high);
        sl_table_text(out, sl_verdict_name(&c));
        sl_table_text(out, words);
        sl_comparison_fini(&c);
    }
}

size_t sl_combined_processes_report(const struct sl_combined *combined, size_t index,
                                    char name[SL_COMBINED_NAME_BYTES], struct sl_comparison *out,
                                    struct sl_comparison_report *out_report)
{
    size_t count = sl_combined_processes(combined, index, out);
    if (count == 0)
        return 0;
    sl_combined_experiment(&combined->reports[index], name);
    *out_report = *combined->reports[index].comparison;
    out_report->comparison = out;
    out_report->baseline = out_report->candidate = NULL;
    out_report->agreement = NULL;
    out_report->log = NULL;
    out_report->estimates = NULL;
    out_report->experiment = name;
    return count;
}

int sl_combined_processes_json(struct sl_json *json, const struct sl_combined *combined)
{
    char name[SL_COMBINED_NAME_BYTES];
    int rc = 0;
    sl_json_open_array(json, "processes");
    for (size_t i = 0; rc == 0 && i < combined->count; i++) {
        struct sl_comparison c;
        struct sl_comparison_report report;
        size_t count = sl_combined_processes_report(combined, i, name, &c, &report);
        if (count == 0)
            continue;
        sl_json_open_object(json, NULL);
        sl_json_text(json, "model", combined->reports[i].model);
        sl_json_text(json, "device", combined->reports[i].device);
        sl_json_text(json, "experiment", name);
        sl_json_u64(json, "processes", count);
        rc = sl_comparison_json(json, "comparison", &report);
        sl_json_close_object(json);
        sl_comparison_fini(&c);
    }
    sl_json_close_array(json);
    return rc;
}
