/* host/report/analysis_json.c */
#include "host/report/analysis_json.h"

#include <math.h>
#include <stdio.h>

#include "common/base/json.h"
#include "host/analysis/parts.h"
#include "host/report/analysis.h"
#include "host/report/analysis_tree.h"
#include "host/report/categories_file.h"
#include "host/report/reach_report.h"
#include "host/report/record_join.h"
#include "host/report/text.h"
#include "host/report/unit.h"

static void put_f64(struct sl_json *json, const char *stem, int unit, double value)
{
    char key[SL_UNIT_KEY_SIZE];
    sl_json_f64(json, sl_unit_key(key, stem, unit), value);
}

static void put_i64(struct sl_json *json, const char *stem, int unit, int64_t value)
{
    char key[SL_UNIT_KEY_SIZE];
    sl_json_i64(json, sl_unit_key(key, stem, unit), value);
}

static void put_null_or_i64(struct sl_json *json, const char *stem, int unit, bool known,
                            int64_t value)
{
    char key[SL_UNIT_KEY_SIZE];
    if (known)
        put_i64(json, stem, unit, value);
    else
        sl_json_null(json, sl_unit_key(key, stem, unit));
}

void sl_statistics_json(struct sl_json *json, const struct sl_statistics *s, int unit)
{
    sl_json_u64(json, "n", s->n);
    put_f64(json, "median", unit, s->median);
    put_f64(json, "mean", unit, s->mean);
    put_null_or_i64(json, "min", unit, s->n > 0, s->min);
    put_null_or_i64(json, "max", unit, s->n > 0, s->max);
    put_f64(json, "stddev", unit, s->stddev);
    sl_json_f64(json, "cv_percent", s->cv_percent);
    put_f64(json, "p50", unit, s->p50);
    put_f64(json, "p75", unit, s->p75);
    put_f64(json, "p90", unit, s->p90);
    put_f64(json, "p95", unit, s->p95);
    put_f64(json, "p99", unit, s->p99);
    put_f64(json, "trimmed_mean_5", unit, s->trimmed_mean_5);
    put_f64(json, "trimmed_mean_10", unit, s->trimmed_mean_10);
}

static void put_rules(struct sl_json *json, const struct sl_categories *categories)
{
    sl_json_open_object(json, "rules");
    sl_json_text(json, "file", categories->file);
    sl_json_i64(json, "version", categories->rules.version);
    sl_json_text(json, "sha256", categories->sha256);
    sl_json_close_object(json);
}

static void put_runs(struct sl_json *json, const struct sl_attribution *a)
{
    char key[SL_UNIT_KEY_SIZE];
    char text[SL_TEXT_SIZE];
    sl_json_open_array(json, "runs");
    for (size_t i = 0; i < a->run_count; i++) {
        const struct sl_attribution_run *run = &a->runs[i];
        sl_json_open_object(json, NULL);
        sl_json_u64(json, "run", run->run);
        sl_json_text(json, "block", sl_text_copy(text, run->block_name, run->block_name_len));
        put_i64(json, "e2e", a->unit, run->end_to_end);
        sl_json_open_object(json, sl_unit_key(key, "categories", a->unit));
        for (int c = 0; c < SL_CATEGORY_COUNT; c++)
            sl_json_i64(json, sl_category_name(c), run->categories[c]);
        sl_json_close_object(json);
        sl_json_bool(json, "cold", run->cold);
        if (a->traced) {
            sl_json_bool(json, "warmup", run->warmup);
            if (run->pair == UINT32_MAX)
                sl_json_null(json, "pair");
            else
                sl_json_u64(json, "pair", run->pair);
        }
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}

static void put_load(struct sl_json *json, const struct sl_attribution *a)
{
    sl_json_open_object(json, "load");
    put_null_or_i64(json, "program_load", a->unit, a->has_program_load, a->program_load);
    put_null_or_i64(json, "method_init", a->unit, a->has_method_init, a->method_init);
    sl_json_close_object(json);
}

/* Runs that are set aside: the first one if it is not steady, and measured ones that were cold. */
static void put_cold(struct sl_json *json, const struct sl_attribution *a)
{
    bool apart = a->run_count > 0 && a->runs[0].warmup;
    sl_json_open_object(json, "cold");
    sl_json_u64(json, "runs", a->cold_count);
    put_null_or_i64(json, "first", a->unit, apart, apart ? a->runs[0].end_to_end : 0);
    sl_json_close_object(json);
}

/* End to end of all measured runs. */
static double total_of(const struct sl_attribution *a)
{
    double total = 0;
    for (size_t i = 0; i < a->run_count; i++)
        total += a->runs[i].warmup ? 0.0 : (double)a->runs[i].end_to_end;
    return total;
}

static double share(double part, double whole)
{
    return whole == 0.0 ? NAN : part / whole;
}

static const char *delegate_of(const struct sl_operator *op)
{
    if (!op->delegated)
        return NULL;
    return op->xnnpack ? "XNNPACK" : "unknown delegate";
}

static int put_operator(struct sl_json *json, const struct sl_attribution *a,
                        const struct sl_operator *op, double total)
{
    char text[SL_TEXT_SIZE];
    struct sl_statistics self;
    int rc = sl_statistics_of(op->samples, op->sample_count, &self);
    if (rc < 0)
        return rc;
    sl_json_open_object(json, NULL);
    sl_json_text(json, "name", sl_text_copy(text, op->name, op->name_len));
    sl_json_text(json, "category", sl_category_name(op->category));
    sl_json_text(json, "category_by_name", sl_category_name(op->category_by_name));
    sl_json_text(json, "delegate", delegate_of(op));
    sl_json_text(json, "origin", op->origin);
    sl_json_text(json, "kernel", op->kernel);
    sl_json_u64(json, "instances", op->instances);
    sl_json_u64(json, "count", op->count);
    put_i64(json, "total", a->unit, op->total);
    if (a->packing)
        put_i64(json, "packing", a->unit, op->packing);
    sl_json_open_object(json, "self");
    sl_statistics_json(json, &self, a->unit);
    sl_json_close_object(json);
    sl_json_f64(json, "pct_of_e2e", 100.0 * share((double)op->total, total));
    sl_json_close_object(json);
    return 0;
}

static void put_outliers(struct sl_json *json, const struct sl_attribution *a,
                         const struct sl_statistics *latency)
{
    sl_json_open_object(json, "outliers");
    sl_json_u64(json, "count", latency->outlier_count);
    put_f64(json, "lower", a->unit, latency->outlier_lower);
    put_f64(json, "upper", a->unit, latency->outlier_upper);
    sl_json_open_array(json, "runs");
    for (size_t i = 0; i < a->run_count; i++) {
        double value = (double)a->runs[i].end_to_end;
        if (!a->runs[i].warmup &&
            (value < latency->outlier_lower || value > latency->outlier_upper))
            sl_json_u64(json, NULL, a->runs[i].run);
    }
    sl_json_close_array(json);
    sl_json_close_object(json);
}

static void put_latency(struct sl_json *json, const struct sl_analysis *analysis)
{
    const struct sl_attribution *a = &analysis->attribution;
    sl_json_open_object(json, "latency");
    sl_statistics_json(json, &analysis->latency, a->unit);
    put_outliers(json, a, &analysis->latency);
    sl_json_open_object(json, "without_outliers");
    sl_statistics_json(json, &analysis->without_outliers, a->unit);
    sl_json_close_object(json);
    sl_json_close_object(json);
}

/* Puts where warm-up ended as the runs themselves show, and the state from there on. */
static void put_steadiness(struct sl_json *json, const struct sl_analysis *analysis)
{
    const struct sl_attribution *a = &analysis->attribution;
    const struct sl_steadiness *s = &analysis->steadiness;
    sl_json_open_object(json, "steadiness");
    sl_json_text(json, "state", sl_steadiness_name(s->state));
    sl_json_u64(json, "warmup_runs", a->run_count - a->measured_count);
    if (s->state == SL_STEADINESS_STEADY)
        sl_json_u64(json, "steady_from_run", a->runs[s->from].run);
    else
        sl_json_null(json, "steady_from_run");
    sl_json_u64(json, "measured_before", analysis->warming);
    sl_json_open_array(json, "changes_at_runs");
    for (size_t i = 0; i < s->change_count; i++)
        sl_json_u64(json, NULL, a->runs[s->changes[i]].run);
    sl_json_close_array(json);
    sl_json_open_array(json, "modes");
    for (size_t i = 0; i < s->mode_count; i++) {
        sl_json_open_object(json, NULL);
        sl_json_u64(json, "runs", s->modes[i].count);
        put_f64(json, "median", a->unit, s->modes[i].median);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
    sl_json_open_object(json, "figures");
    sl_statistics_json(json, &analysis->steady, a->unit);
    sl_json_close_object(json);
    sl_json_close_object(json);
}

/* The own time of operators inside delegates as a share of end to end, and their share of all
 * operators. */
static void put_delegated(struct sl_json *json, const struct sl_attribution *a, double total)
{
    double time = 0;
    double count = 0;
    double operators = 0;
    for (size_t i = 0; i < a->operator_count; i++) {
        const struct sl_operator *op = &a->operators[i];
        time += op->delegated ? (double)op->total : 0.0;
        count += op->delegated ? (double)op->count : 0.0;
        operators += op->category_by_name == SL_CATEGORY_FRAMEWORK ? 0.0 : (double)op->count;
    }
    sl_json_open_object(json, "delegated");
    sl_json_f64(json, "time_share", share(time, total));
    sl_json_f64(json, "count_share", share(count, operators));
    sl_json_close_object(json);
}

/* The parts of the categories over all measured runs; they add up to the categories. */
static void put_parts(struct sl_json *json, const struct sl_attribution *a)
{
    struct sl_part parts[SL_PARTS_MAX];
    char key[SL_UNIT_KEY_SIZE];
    size_t count = sl_parts_compare(a, NULL, parts);
    sl_json_open_array(json, "parts");
    for (size_t i = 0; i < count; i++) {
        sl_json_open_object(json, NULL);
        sl_json_text(json, "category", sl_category_name(parts[i].category));
        sl_json_text(json, "name", parts[i].name);
        sl_json_f64(json, sl_unit_key(key, "mean", a->unit), parts[i].baseline);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}

static void put_findings(struct sl_json *json, const struct sl_attribution *a)
{
    char text[SL_TEXT_SIZE];
    sl_json_open_array(json, "unknown_operators");
    for (size_t i = 0; i < a->operator_count; i++) {
        const struct sl_operator *op = &a->operators[i];
        if (!op->known)
            sl_json_text(json, NULL, sl_text_copy(text, op->name, op->name_len));
    }
    sl_json_close_array(json);
    sl_json_open_array(json, "warnings");
    for (size_t i = 0; i < a->warning_count; i++)
        sl_json_text(json, NULL, a->warnings[i]);
    sl_json_close_array(json);
}

int sl_analysis_json(struct sl_json *json, const char *key, const struct sl_analysis *analysis)
{
    const struct sl_attribution *a = &analysis->attribution;
    double total = total_of(a);
    int rc = 0;
    sl_json_open_object(json, key);
    sl_json_text(json, "schema", "sme2lab.analysis/1");
    sl_json_text(json, "file", analysis->file);
    sl_json_u64(json, "bytes", analysis->bytes);
    sl_json_text(json, "sha256", analysis->sha256);
    sl_json_text(json, "time_unit", sl_unit_name(a->unit));
    sl_json_text(json, "label", a->by_origin ? "origin" : "name");
    put_rules(json, analysis->categories);
    put_runs(json, a);
    put_cold(json, a);
    put_load(json, a);
    sl_json_open_array(json, "operators");
    for (size_t i = 0; rc == 0 && i < a->operator_count; i++)
        rc = put_operator(json, a, &a->operators[i], total);
    sl_json_close_array(json);
    sl_analysis_instances_json(json, a);
    put_latency(json, analysis);
    put_steadiness(json, analysis);
    put_delegated(json, a, total);
    put_parts(json, a);
    put_findings(json, a);
    if (analysis->reach)
        sl_reach_json(json, analysis->reach, a->unit);
    if (rc == 0 && analysis->record)
        rc = sl_record_json(json, analysis, analysis->record);
    sl_json_close_object(json);
    return rc < 0 ? rc : json->error;
}
