/* host/report/combined_tables.c: what the pages, the JSON and the CSV of many comparisons are made
 * of. */
#include "host/report/combined.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "common/format/sltrace.h"
#include "host/analysis/comparison.h"
#include "host/analysis/contention.h"
#include "host/analysis/sweep.h"
#include "host/analysis/verdict.h"
#include "host/report/comparison.h"
#include "host/report/next_step.h"
#include "host/report/report.h"
#include "host/report/runtime_gap.h"
#include "host/report/runtime_outputs.h"
#include "host/report/table.h"
#include "host/report/unit.h"

enum { VERDICTS = SL_VERDICT_WRONG + 1, TEXT_BYTES = 512, FEW = 4 };

/* Columns that may tell comparisons apart. */
enum { PART_MODEL, PART_DEVICE, PART_THREADS, PART_EXPERIMENT, PARTS };

static const char *part_of(const struct sl_report *report, int part)
{
    const char *const parts[PARTS] = {report->model, report->device, report->threads,
                                      report->experiment};
    return parts[part] ? parts[part] : "";
}

static size_t count_different(const struct sl_combined *combined, int part)
{
    size_t different = 0;
    for (size_t i = 0; i < combined->count; i++) {
        size_t first = 0;
        const char *name = part_of(&combined->reports[i], part);
        while (strcmp(part_of(&combined->reports[first], part), name) != 0)
            first++;
        different += first == i;
    }
    return different;
}

void sl_combined_label(const struct sl_combined *combined, size_t index, char *out, size_t size)
{
    /* The longest last: what has little room still tells one from the other. */
    static const int order[] = {PART_MODEL, PART_THREADS, PART_EXPERIMENT, PART_DEVICE};
    const struct sl_report *report = &combined->reports[index];
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        int part = order[i];
        const char *text = part_of(report, part);
        if (text[0] == '\0' || count_different(combined, part) < 2)
            continue;
        int len = snprintf(out + used, size - used, "%s%.60s%s", used ? ", " : "", text,
                           part != PART_THREADS     ? ""
                           : strcmp(text, "1") == 0 ? " thread"
                                                    : " threads");
        used += len > 0 && used + (size_t)len < size ? (size_t)len : 0;
    }
    if (used == 0)
        snprintf(out, size, "%.200s", report->model);
}

static const struct sl_comparison *verdict_of(const struct sl_combined *combined, size_t i)
{
    return combined->reports[i].comparison->comparison;
}

/* How many have the verdict of the one at `i`, which is the first of them; 0 for another. */
static size_t count_verdict(const struct sl_combined *combined, size_t i)
{
    const char *name = sl_verdict_name(verdict_of(combined, i));
    size_t count = 0;
    for (size_t k = 0; k < combined->count; k++) {
        bool same = strcmp(sl_verdict_name(verdict_of(combined, k)), name) == 0;
        if (same && k < i)
            return 0;
        count += same;
    }
    return count;
}

/* A few reports show their ratios too, each with whose it is: " (ExecuTorch 2.825x, our
 * kernels 15.652x; at SVL 512, not speed)". */
static void add_ratios(const struct sl_combined *combined, char *out, size_t size)
{
    bool both = sl_runtime_gap_count(combined->reports, combined->count) > 0;
    bool counted = false, alike = true;
    unsigned svl = 0; /* of all that were counted, while they are alike */
    size_t len = 0, told = 0;
    for (size_t i = 0; i < combined->count; i++) {
        const struct sl_comparison_report *report = combined->reports[i].comparison;
        const struct sl_comparison *c = report->comparison;
        char label[TEXT_BYTES];
        sl_combined_label(combined, i, label, sizeof(label));
        if (c->verdict > SL_VERDICT_EQUIVALENT || len >= size)
            continue;
        if (c->unit == SL_TRACE_INSTRUCTIONS) {
            alike = alike && (!counted || svl == report->svl_bits);
            counted = true;
            svl = report->svl_bits;
        }
        len += (size_t)snprintf(out + len, size - len, "%s%.120s %.3fx", told++ ? ", " : " (",
                                report->runtime ? report->runtime
                                : both          ? "our kernels"
                                                : label,
                                c->ratio);
    }
    if (told == 0 || len >= size)
        return;
    if (counted && alike && svl > 0)
        snprintf(out + len, size - len, "; at SVL %u, not speed)", svl);
    else
        snprintf(out + len, size - len, "%s)", counted ? "; not speed" : "");
}

void sl_combined_summary(const struct sl_combined *combined, char *out, size_t size)
{
    size_t models = count_different(combined, PART_MODEL);
    size_t devices = count_different(combined, PART_DEVICE);
    int len = snprintf(out, size, "%zu comparison%s of %zu model%s", combined->count,
                       combined->count == 1 ? "" : "s", models, models == 1 ? "" : "s");
    if (devices > 1 || part_of(&combined->reports[0], PART_DEVICE)[0])
        len += snprintf(out + len, size - (size_t)len, " on %zu device%s", devices,
                        devices == 1 ? "" : "s");
    const char *separator = ": ";
    for (size_t i = 0; i < VERDICTS * combined->count && len > 0 && (size_t)len < size; i++) {
        const struct sl_comparison *c = verdict_of(combined, i % combined->count);
        size_t same = count_verdict(combined, i % combined->count);
        if (c->verdict != (int)(i / combined->count) || same == 0)
            continue;
        len += snprintf(out + len, size - (size_t)len, "%s%zu %s", separator, same,
                        sl_verdict_name(c));
        separator = ", ";
    }
    if (combined->count <= FEW && len > 0 && (size_t)len < size)
        add_ratios(combined, out + len, size - (size_t)len);
}

static void put_parts(const struct sl_combined *combined, size_t i, struct sl_table *out)
{
    for (int part = 0; part < PARTS; part++) {
        const char *text = part_of(&combined->reports[i], part);
        sl_table_text(out, text[0] ? text : "-");
    }
}

void sl_combined_figures(const struct sl_combined *combined, struct sl_table *out)
{
    static const char *const heads[] = {"Model",     "Device",     ">Threads", "Experiment",
                                        ">Baseline", ">Candidate", ">Ratio",   ">Interval",
                                        "Verdict",   NULL};
    sl_table_init(out, "figures", "End to end", heads);
    snprintf(out->note, sizeof(out->note),
             "Median end to end of a run. Ratio: baseline / candidate, so above 1 the candidate "
             "(SME2 on) takes less. Counted devices: executed instructions, not time.");
    for (size_t i = 0; i < combined->count; i++) {
        const struct sl_comparison *c = combined->reports[i].comparison->comparison;
        put_parts(combined, i, out);
        sl_table_figure(out, c->baseline, c->unit);
        sl_table_figure(out, c->candidate, c->unit);
        if (isfinite(c->ratio))
            sl_table_printf(out, "%.3fx", c->ratio);
        else
            sl_table_text(out, "-");
        if (c->method == SL_METHOD_EXACT && isfinite(c->ratio) && !isfinite(c->low))
            sl_table_text(out, "exact");
        else
            sl_table_interval(out, c->low, c->high);
        sl_table_text(out, sl_verdict_name(c));
    }
}

static bool is_there(const struct sl_combined *combined, int category)
{
    bool there = false;
    for (size_t i = 0; i < combined->count; i++) {
        const struct sl_comparison *c = combined->reports[i].comparison->comparison;
        there = there || c->categories[category].baseline != 0 ||
                c->categories[category].candidate != 0;
    }
    return there;
}

void sl_combined_shares(const struct sl_combined *combined, struct sl_table *out)
{
    static const char *const all[SL_CATEGORY_COUNT] = {">CONV",        ">GEMM",  ">Data Movement",
                                                       ">Elementwise", ">Other", ">Framework"};
    const char *heads[SL_CATEGORY_COUNT + 2] = {"Comparison"};
    size_t columns = 1;
    char label[TEXT_BYTES];
    for (int k = 0; k < SL_CATEGORY_COUNT; k++)
        if (is_there(combined, k))
            heads[columns++] = all[k];
    sl_table_init(out, "categories", "Operator category breakdown", heads);
    snprintf(out->note, sizeof(out->note),
             "Share of end to end, baseline to candidate; a row sums to 100 %% on either side. "
             "Unit: per cent of time, or of executed instructions on counted devices.");
    for (size_t i = 0; i < combined->count; i++) {
        const struct sl_comparison *c = combined->reports[i].comparison->comparison;
        sl_combined_label(combined, i, label, sizeof(label));
        sl_table_text(out, label);
        for (int k = 0; k < SL_CATEGORY_COUNT; k++) {
            const struct sl_category_shift *s = &c->categories[k];
            if (!is_there(combined, k))
                continue;
            if (isfinite(s->share_baseline) && isfinite(s->share_candidate))
                sl_table_printf(out, "%.1f to %.1f", 100 * s->share_baseline,
                                100 * s->share_candidate);
            else
                sl_table_text(out, "-");
        }
    }
}

/* Puts the contention that a sweep or a map found, before the words of single comparisons. */
static void put_contention(const struct sl_combined *combined, struct sl_table *out)
{
    char words[TEXT_BYTES], name[SL_COMBINED_NAME_BYTES];
    for (size_t i = 0; i < combined->count; i++) {
        struct sl_sweep sweep;
        struct sl_contention map;
        bool beside = sl_combined_contention(combined, i, &map) && map.contention;
        if (!beside && !(sl_combined_sweep(combined, i, &sweep) && sweep.contention))
            continue;
        if (beside)
            sl_combined_contention_words(&map, words, sizeof(words));
        else
            sl_combined_sweep_words(&sweep, words, sizeof(words));
        sl_combined_base(&combined->reports[i], !beside, name);
        sl_table_printf(out, "%s: %s", combined->reports[i].model, name);
        sl_table_printf(out, "%s (rule contention)", words);
    }
}

void sl_combined_steps(const struct sl_combined *combined, struct sl_table *out)
{
    static const char *const heads[] = {"Comparison", "Next step", NULL};
    char label[TEXT_BYTES];
    sl_table_init(out, "next", "Next steps", heads);
    put_contention(combined, out);
    for (size_t i = 0; i < combined->count; i++) {
        struct sl_next_step step;
        sl_next_step_find(combined->reports[i].comparison, &step);
        sl_combined_label(combined, i, label, sizeof(label));
        sl_table_text(out, label);
        sl_table_text(out, step.text);
    }
}

int sl_combined_json(struct sl_buf *out, const struct sl_combined *combined)
{
    struct sl_json json;
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.combined/1");
    sl_json_open_array(&json, "comparisons");
    for (size_t i = 0; i < combined->count; i++) {
        static const char *const keys[PARTS] = {"model", "device", "threads", "experiment"};
        sl_json_open_object(&json, NULL);
        for (int part = 0; part < PARTS; part++) {
            const char *text = part_of(&combined->reports[i], part);
            sl_json_text(&json, keys[part], text[0] ? text : NULL);
        }
        int rc = sl_comparison_json(&json, "comparison", combined->reports[i].comparison);
        if (rc < 0)
            return rc;
        sl_json_close_object(&json);
    }
    sl_json_close_array(&json);
    int rc = sl_combined_processes_json(&json, combined);
    if (rc < 0)
        return rc;
    sl_combined_sweeps_json(&json, combined);
    sl_combined_contentions_json(&json, combined);
    sl_combined_costs_json(&json, combined);
    sl_runtime_gap_json(&json, combined->reports, combined->count);
    sl_runtime_outputs_json(&json, combined->reports, combined->count);
    sl_json_close_object(&json);
    return json.error ? json.error : sl_buf_append(out, "\n", 1);
}

/* A text as a field of CSV. */
static int put_field(struct sl_buf *out, const char *text)
{
    bool plain = strpbrk(text, ",\"\r\n") == NULL;
    int rc = sl_buf_append(out, "\"", plain ? 0 : 1);
    for (; rc == 0 && *text; text++)
        rc = sl_buf_append(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    return rc < 0 ? rc : sl_buf_append(out, "\",", plain ? 0 : 1);
}

static int put_number(struct sl_buf *out, double value)
{
    return isfinite(value) ? sl_buf_printf(out, ",%.17g", value) : sl_buf_append(out, ",", 1);
}

int sl_combined_csv(struct sl_buf *out, const struct sl_combined *combined)
{
    int rc = sl_buf_printf(out, "model,device,threads,experiment,time_unit,baseline,candidate,"
                                "ratio,low,high,verdict\n");
    for (size_t i = 0; rc == 0 && i < combined->count; i++) {
        const struct sl_comparison *c = combined->reports[i].comparison->comparison;
        const double numbers[] = {c->baseline, c->candidate, c->ratio, c->low, c->high};
        for (int part = 0; rc == 0 && part < PARTS; part++) {
            rc = put_field(out, part_of(&combined->reports[i], part));
            if (rc == 0)
                rc = sl_buf_append(out, ",", 1);
        }
        if (rc == 0)
            rc = sl_buf_printf(out, "%s", sl_unit_name(c->unit));
        for (size_t k = 0; rc == 0 && k < sizeof(numbers) / sizeof(numbers[0]); k++)
            rc = put_number(out, numbers[k]);
        if (rc == 0)
            rc = sl_buf_printf(out, ",%s\n", sl_verdict_name(c));
    }
    return rc;
}
