/* host/report/kit_files.c: the files of one variant (kit.md AF-31 to AF-38, AF-43). */
#include "host/report/kit_files.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "host/report/analysis.h"
#include "host/report/csv.h"
#include "host/report/kernel_csv.h"
#include "host/report/kernel_log.h"
#include "host/report/kit_schema.h"
#include "host/report/text.h"

double sl_kit_figure(const struct sl_analysis *analysis, double value)
{
    return analysis->attribution.unit == SL_TRACE_INSTRUCTIONS ? value : value / 1e6;
}

const char *sl_kit_suffix(const struct sl_analysis *analysis)
{
    return analysis->attribution.unit == SL_TRACE_INSTRUCTIONS ? "_insns" : "_ms";
}

/* Key `stem` with the unit behind it, and the figure. */
static void put(struct sl_json *json, const struct sl_analysis *a, const char *stem, double value)
{
    char key[64];
    snprintf(key, sizeof(key), "%s%s", stem, sl_kit_suffix(a));
    sl_json_f64(json, key, sl_kit_figure(a, value));
}

static double or_nan(const struct sl_statistics *s, int64_t value)
{
    return s->n > 0 ? (double)value : NAN;
}

static void put_head(struct sl_json *json, const struct sl_analysis *a,
                     const struct sl_statistics *s)
{
    sl_json_u64(json, "count", s->n);
    put(json, a, "mean", s->mean);
    put(json, a, "median", s->median);
    put(json, a, "std_dev", s->stddev);
    sl_json_f64(json, "cv_percent", s->cv_percent);
}

static void put_outliers(struct sl_json *json, const struct sl_analysis *a)
{
    const struct sl_statistics *s = &a->latency;
    sl_json_open_object(json, "outliers");
    sl_json_u64(json, "count", s->outlier_count);
    sl_json_f64(json, "percentage", 100.0 * (double)s->outlier_count / (double)s->n);
    sl_json_open_array(json, "values");
    for (size_t i = 0; i < a->attribution.run_count; i++) {
        double value = (double)a->attribution.runs[i].end_to_end;
        if (!a->attribution.runs[i].warmup &&
            (value < s->outlier_lower || value > s->outlier_upper))
            sl_json_f64(json, NULL, sl_kit_figure(a, value));
    }
    sl_json_close_array(json);
    sl_json_open_object(json, "bounds");
    sl_json_f64(json, "lower", sl_kit_figure(a, s->outlier_lower));
    sl_json_f64(json, "upper", sl_kit_figure(a, s->outlier_upper));
    sl_json_close_object(json);
    sl_json_close_object(json);
}

/* The measured runs: their latencies, or their indices in the file. */
static void put_runs(struct sl_json *json, const struct sl_analysis *a)
{
    char key[64];
    snprintf(key, sizeof(key), "latencies%s", sl_kit_suffix(a));
    sl_json_open_array(json, key);
    for (size_t i = 0; i < a->attribution.run_count; i++) {
        if (!a->attribution.runs[i].warmup)
            sl_json_f64(json, NULL, sl_kit_figure(a, (double)a->attribution.runs[i].end_to_end));
    }
    sl_json_close_array(json);
    sl_json_open_array(json, "run_indices");
    for (size_t i = 0; i < a->attribution.run_count; i++) {
        if (!a->attribution.runs[i].warmup)
            sl_json_u64(json, NULL, a->attribution.runs[i].run);
    }
    sl_json_close_array(json);
}

int sl_kit_robust_stats(struct sl_json *json, const char *key, const struct sl_kit_side *side)
{
    const struct sl_analysis *a = side->analysis;
    const struct sl_statistics *s = &a->latency;
    const double percentiles[] = {s->p50, s->p75, s->p90, s->p95, s->p99};
    static const char *const names[] = {"p50", "p75", "p90", "p95", "p99"};
    sl_json_open_object(json, key);
    put_head(json, a, s);
    put(json, a, "min", or_nan(s, s->min));
    put(json, a, "max", or_nan(s, s->max));
    sl_json_open_object(json, "percentiles");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        sl_json_f64(json, names[i], sl_kit_figure(a, percentiles[i]));
    sl_json_close_object(json);
    put_outliers(json, a);
    put(json, a, "trimmed_mean_5", s->trimmed_mean_5);
    put(json, a, "trimmed_mean_10", s->trimmed_mean_10);
    sl_json_open_object(json, "robust_stats");
    put_head(json, a, &a->without_outliers);
    sl_json_close_object(json);
    put_runs(json, a);
    sl_json_text(json, "name", side->name);
    sl_json_close_object(json);
    return json->error;
}

static int make_robust_stats(struct sl_buf *out, const struct sl_kit_side *side)
{
    struct sl_json json;
    sl_json_init(&json, out);
    int rc = sl_kit_robust_stats(&json, NULL, side);
    return rc < 0 ? rc : sl_buf_append(out, "\n", 1);
}

static int make_timeline(struct sl_buf *out, const struct sl_kit_side *side)
{
    return sl_csv_timeline(out, side->analysis, side->model, -1);
}

static int make_first_run(struct sl_buf *out, const struct sl_kit_side *side)
{
    return sl_csv_timeline(out, side->analysis, side->model, 0);
}

static int make_operators(struct sl_buf *out, const struct sl_kit_side *side)
{
    return sl_csv_operators(out, side->analysis, side->model);
}

static double runs_of(const struct sl_attribution *a)
{
    return a->measured_count > 0 ? (double)a->measured_count : NAN;
}

/* End to end of all measured runs, or the part of one category. */
static double sum_of(const struct sl_attribution *a, int category)
{
    double sum = 0;
    for (size_t i = 0; i < a->run_count; i++) {
        const struct sl_attribution_run *run = &a->runs[i];
        sum += run->warmup    ? 0.0
               : category < 0 ? (double)run->end_to_end
                              : (double)run->categories[category];
    }
    return sum;
}

/* A figure as a field, empty where there is none. */
static int put_number(struct sl_buf *out, double value, const char *end)
{
    return isfinite(value) ? sl_buf_printf(out, "%.9g%s", value, end)
                           : sl_buf_printf(out, "%s", end);
}

static int put_three(struct sl_buf *out, const struct sl_analysis *a, double total)
{
    double whole = sum_of(&a->attribution, -1);
    int rc = put_number(out, sl_kit_figure(a, total), ",");
    if (rc == 0)
        rc = put_number(out, sl_kit_figure(a, total / runs_of(&a->attribution)), ",");
    return rc < 0 ? rc : put_number(out, whole == 0 ? NAN : 100.0 * total / whole, ",");
}

static int make_categories(struct sl_buf *out, const struct sl_kit_side *side)
{
    const struct sl_attribution *a = &side->analysis->attribution;
    const char *unit = sl_kit_suffix(side->analysis);
    int rc = sl_buf_printf(out, "category,total%s,avg%s,pct_of_e2e,operator_count\n", unit, unit);
    for (int c = 0; rc == 0 && c < SL_CATEGORY_COUNT; c++) {
        size_t operators = 0;
        for (size_t i = 0; i < a->operator_count; i++)
            operators += a->operators[i].category == c;
        rc = sl_buf_printf(out, "%s,", sl_category_name(c));
        if (rc == 0)
            rc = put_three(out, side->analysis, sum_of(a, c));
        if (rc == 0)
            rc = sl_buf_printf(out, "%zu\n", operators);
    }
    return rc;
}

static int put_operator(struct sl_buf *out, const struct sl_kit_side *side,
                        const struct sl_operator *op)
{
    int rc = sl_csv_field(out, op->name, op->name_len);
    if (rc == 0)
        rc = sl_buf_printf(out, "%s,", sl_category_name(op->category));
    if (rc == 0)
        rc = put_three(out, side->analysis, (double)op->total);
    return rc < 0 ? rc : sl_buf_printf(out, "%" PRIu64 "\n", op->count);
}

/* Operators, largest first: all, or the first `limit` of category Other. */
static int put_operators(struct sl_buf *out, const struct sl_kit_side *side, size_t limit)
{
    const struct sl_attribution *a = &side->analysis->attribution;
    const char *unit = sl_kit_suffix(side->analysis);
    int rc =
        sl_buf_printf(out, "operator,category,total%s,avg%s,pct_of_e2e,event_count\n", unit, unit);
    for (size_t i = 0, put_count = 0; rc == 0 && i < a->operator_count; i++) {
        bool wanted =
            limit == 0 || (a->operators[i].category == SL_CATEGORY_OTHER && put_count < limit);
        put_count += wanted;
        rc = wanted ? put_operator(out, side, &a->operators[i]) : 0;
    }
    return rc;
}

static int make_details(struct sl_buf *out, const struct sl_kit_side *side)
{
    return put_operators(out, side, 0);
}

static int make_other(struct sl_buf *out, const struct sl_kit_side *side)
{
    return put_operators(out, side, 2);
}

static int make_latency(struct sl_buf *out, const struct sl_kit_side *side)
{
    const struct sl_analysis *a = side->analysis;
    const struct sl_statistics *s = &a->latency;
    const char *unit = sl_kit_suffix(a);
    int rc = sl_buf_printf(out, "model_name,num_runs,total%s,avg%s,min%s,max%s\n", unit, unit, unit,
                           unit);
    if (rc == 0)
        rc = sl_csv_field(out, side->model, strlen(side->model));
    if (rc == 0)
        rc = sl_buf_printf(out, "%zu,", s->n);
    if (rc == 0)
        rc = put_number(out, sl_kit_figure(a, sum_of(&a->attribution, -1)), ",");
    if (rc == 0)
        rc = put_number(out, sl_kit_figure(a, s->mean), ",");
    if (rc == 0)
        rc = put_number(out, sl_kit_figure(a, or_nan(s, s->min)), ",");
    return rc < 0 ? rc : put_number(out, sl_kit_figure(a, or_nan(s, s->max)), "\n");
}

static int make_kernels(struct sl_buf *out, const struct sl_kit_side *side)
{
    return side->log ? sl_kernel_log_csv(out, side->log, side->model)
                     : sl_kernel_csv_analysis(out, side->analysis, side->model);
}

static int make_schema(struct sl_buf *out, const struct sl_kit_side *side)
{
    return sl_kit_schema(out, side->analysis->attribution.unit);
}

const struct sl_kit_file sl_kit_files[] = {{"_exec_all_runs_timeline.csv", make_timeline},
                                           {"_exec_run0_timeline.csv", make_first_run},
                                           {"_exec_ops_stats.csv", make_operators},
                                           {"_robust_stats.json", make_robust_stats},
                                           {"_category_summary.csv", make_categories},
                                           {"_operator_details.csv", make_details},
                                           {"_e2e_latency.csv", make_latency},
                                           {"_other_top_ops.csv", make_other},
                                           {"_kernels.csv", make_kernels},
                                           {"_schema.json", make_schema},
                                           {NULL, NULL}};

static void put_side(struct sl_json *json, const char *key, const struct sl_kit_side *side)
{
    const struct sl_analysis *a = side->analysis;
    sl_json_open_object(json, key);
    sl_json_text(json, "name", side->name);
    put(json, a, "median", a->latency.median);
    put(json, a, "trimmed_mean", a->latency.trimmed_mean_5);
    sl_json_f64(json, "cv_percent", a->latency.cv_percent);
    sl_json_u64(json, "count", a->latency.n);
    sl_json_close_object(json);
}

/* Infinite and undefined ratios come out as null. */
static double ratio(double baseline, double candidate)
{
    return candidate == 0 ? NAN : baseline / candidate;
}

int sl_kit_robust_comparison(struct sl_buf *out, const struct sl_kit_side *baseline,
                             const struct sl_kit_side *candidate)
{
    const struct sl_statistics *b = &baseline->analysis->latency;
    const struct sl_statistics *c = &candidate->analysis->latency;
    double median = ratio(b->median, c->median);
    char words[320];
    struct sl_json json;
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    put_side(&json, "config1", baseline);
    put_side(&json, "config2", candidate);
    snprintf(words, sizeof(words), "%.80s divided by %.80s: %.3fx; above 1, %.80s takes less",
             baseline->name, candidate->name, median, candidate->name);
    sl_json_open_object(&json, "speedup");
    sl_json_f64(&json, "median_based", median);
    sl_json_f64(&json, "trimmed_mean_based", ratio(b->trimmed_mean_5, c->trimmed_mean_5));
    sl_json_text(&json, "description", isfinite(median) ? words : NULL);
    sl_json_close_object(&json);
    bool known = isfinite(b->cv_percent) && isfinite(c->cv_percent);
    sl_json_open_object(&json, "variability");
    sl_json_f64(&json, "config1_cv", b->cv_percent);
    sl_json_f64(&json, "config2_cv", c->cv_percent);
    sl_json_text(&json, "more_variable",
                 !known                          ? NULL
                 : b->cv_percent > c->cv_percent ? baseline->name
                 : b->cv_percent < c->cv_percent ? candidate->name
                                                 : "neither");
    sl_json_f64(&json, "cv_ratio", ratio(b->cv_percent, c->cv_percent));
    sl_json_close_object(&json);
    sl_json_close_object(&json);
    return json.error ? json.error : sl_buf_append(out, "\n", 1);
}

int sl_kit_comparison_csv(struct sl_buf *out, const struct sl_kit_side *baseline,
                          const struct sl_kit_side *candidate)
{
    const struct sl_kit_side *sides[] = {baseline, candidate};
    const char *unit = sl_kit_suffix(baseline->analysis);
    int rc =
        sl_buf_printf(out, "category,%.90s%s,%.90s%s,speedup,%.90s_pct,%.90s_pct\n", baseline->name,
                      unit, candidate->name, unit, baseline->name, candidate->name);
    for (int c = 0; rc == 0 && c < SL_CATEGORY_COUNT; c++) {
        double mean[2], share[2];
        for (int i = 0; i < 2; i++) {
            const struct sl_attribution *a = &sides[i]->analysis->attribution;
            double whole = sum_of(a, -1);
            mean[i] = sum_of(a, c) / runs_of(a);
            share[i] = whole == 0 ? NAN : 100.0 * sum_of(a, c) / whole;
        }
        rc = sl_buf_printf(out, "%s,", sl_category_name(c));
        if (rc == 0)
            rc = put_number(out, sl_kit_figure(baseline->analysis, mean[0]), ",");
        if (rc == 0)
            rc = put_number(out, sl_kit_figure(candidate->analysis, mean[1]), ",");
        if (rc == 0)
            rc = put_number(out, ratio(mean[0], mean[1]), ",");
        if (rc == 0)
            rc = put_number(out, share[0], ",");
        if (rc == 0)
            rc = put_number(out, share[1], "\n");
    }
    return rc;
}
