/* host/report/combined_cost.c: what recording every operator costs: clean arms beside profiled
 * ones.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/analysis/attribution.h"
#include "host/analysis/bootstrap.h"
#include "host/analysis/comparison.h"
#include "host/report/analysis.h"
#include "host/report/combined.h"
#include "host/report/comparison.h"
#include "host/report/report.h"
#include "host/report/table.h"
#include "host/report/unit.h"

/* One variant of both arms. */
struct cost {
    const struct sl_report *report; /* the profiled arm's */
    int side;                       /* 0 off, 1 on */
    double clean, profiled;         /* medians of end to end */
    double share, low, high;        /* profiled / clean - 1; NAN for an interval that is none */
};

static const char *text_of(const char *text)
{
    return text ? text : "";
}

static bool belong_together(const struct sl_report *clean, const struct sl_report *profiled)
{
    return clean->clean && !profiled->clean &&
           strcmp(text_of(clean->model), text_of(profiled->model)) == 0 &&
           strcmp(text_of(clean->device), text_of(profiled->device)) == 0 &&
           strcmp(text_of(clean->threads), text_of(profiled->threads)) == 0 &&
           strcmp(sl_combined_concurrency(clean), sl_combined_concurrency(profiled)) == 0 &&
           clean->comparison->comparison->unit == profiled->comparison->comparison->unit;
}

/* The first profiled arm of a clean one; NULL: none. */
static const struct sl_report *profiled_of(const struct sl_combined *combined, size_t clean)
{
    for (size_t i = 0; i < combined->count; i++) {
        if (belong_together(&combined->reports[clean], &combined->reports[i]))
            return &combined->reports[i];
    }
    return NULL;
}

static const struct sl_attribution *runs_of(const struct sl_report *report, int side)
{
    const struct sl_comparison_report *c = report->comparison;
    return &(side ? c->candidate : c->baseline)->attribution;
}

/* The measured runs as blocks, owned; NULL for none or without memory. */
static struct sl_block *blocks_of(const struct sl_attribution *a, size_t *out_count)
{
    struct sl_block *blocks =
        a->measured_count ? sl_calloc(a->measured_count, sizeof(*blocks)) : NULL;
    size_t n = 0;
    for (size_t i = 0; blocks && i < a->run_count; i++) {
        if (!a->runs[i].warmup)
            blocks[n++].value = (double)a->runs[i].end_to_end;
    }
    *out_count = n;
    return blocks;
}

/* Two processes, so the interval is of blocks of neighbouring runs. */
static void find_interval(const struct sl_report *clean, struct cost *cost)
{
    const struct sl_comparison *c = cost->report->comparison->comparison;
    struct sl_bootstrap_plan plan = {c->seed, c->iterations, c->confidence, false};
    struct sl_bootstrap found = {.ratio = {NAN, NAN}};
    size_t counts[2];
    struct sl_block *profiled = blocks_of(runs_of(cost->report, cost->side), &counts[0]);
    struct sl_block *without = blocks_of(runs_of(clean, cost->side), &counts[1]);
    if (profiled && without && plan.iterations > 0 &&
        sl_bootstrap_sides(profiled, counts[0], without, counts[1], &plan, &found) < 0)
        found.ratio = (struct sl_interval){NAN, NAN};
    cost->low = found.ratio.low - 1;
    cost->high = found.ratio.high - 1;
    sl_free(profiled);
    sl_free(without);
}

/* False where comparison `index` is no clean arm that has a profiled one. */
static bool find_cost(const struct sl_combined *combined, size_t index, int side, struct cost *out)
{
    const struct sl_report *clean = &combined->reports[index];
    const struct sl_report *profiled = clean->clean ? profiled_of(combined, index) : NULL;
    if (!profiled)
        return false;
    const struct sl_comparison *a = clean->comparison->comparison;
    const struct sl_comparison *b = profiled->comparison->comparison;
    *out = (struct cost){.report = profiled, .side = side};
    out->clean = side ? a->candidate : a->baseline;
    out->profiled = side ? b->candidate : b->baseline;
    out->share = out->profiled / out->clean - 1;
    find_interval(clean, out);
    return true;
}

size_t sl_combined_cost_count(const struct sl_combined *combined)
{
    size_t count = 0;
    for (size_t i = 0; i < combined->count; i++)
        count += combined->reports[i].clean && profiled_of(combined, i);
    return count;
}

bool sl_combined_cost_words(const struct sl_combined *combined, size_t index, char *out,
                            size_t size)
{
    size_t len = 0;
    for (int side = 0; side < 2; side++) {
        struct cost cost;
        if (!find_cost(combined, index, side, &cost))
            return false;
        const char *name = sl_report_side(cost.report, side);
        int more = isfinite(cost.low)
                       ? snprintf(out + len, size - len, "%s%.80s %.2f %% (%.2f to %.2f)",
                                  side ? ", " : "", name, 100 * cost.share, 100 * cost.low,
                                  100 * cost.high)
                       : snprintf(out + len, size - len, "%s%.80s %.2f %%", side ? ", " : "", name,
                                  100 * cost.share);
        len += more > 0 ? (size_t)more : 0;
    }
    return true;
}

void sl_combined_costs(const struct sl_combined *combined, struct sl_table *out)
{
    static const char *const heads[] = {"Model",     ">Threads", "Side",      ">Clean",
                                        ">Profiled", ">Costs",   ">Interval", NULL};
    struct cost cost;
    sl_table_init(out, "profiling", "Cost of profiling", heads);
    snprintf(out->note, sizeof(out->note),
             "Medians of end to end of the clean arm, which records whole executions alone, and of "
             "the profiled arm, which records every operator. On counted devices the recorder's "
             "own instructions are not counted, so what is left is the calls of it.");
    for (size_t i = 0; i < 2 * combined->count; i++) {
        if (!find_cost(combined, i / 2, (int)(i % 2), &cost))
            continue;
        int unit = cost.report->comparison->comparison->unit;
        sl_table_text(out, cost.report->model);
        sl_table_text(out, text_of(cost.report->threads));
        sl_table_text(out, sl_report_side(cost.report, cost.side));
        sl_table_figure(out, cost.clean, unit);
        sl_table_figure(out, cost.profiled, unit);
        sl_table_printf(out, "%.2f %%", 100 * cost.share);
        if (isfinite(cost.low))
            sl_table_printf(out, "%.2f to %.2f %%", 100 * cost.low, 100 * cost.high);
        else
            sl_table_text(out, "-");
    }
}

void sl_combined_costs_json(struct sl_json *json, const struct sl_combined *combined)
{
    char key[SL_UNIT_KEY_SIZE];
    struct cost cost;
    sl_json_open_array(json, "profiling_cost");
    for (size_t i = 0; i < 2 * combined->count; i++) {
        if (!find_cost(combined, i / 2, (int)(i % 2), &cost))
            continue;
        int unit = cost.report->comparison->comparison->unit;
        sl_json_open_object(json, NULL);
        sl_json_text(json, "model", cost.report->model);
        sl_json_text(json, "threads", cost.report->threads);
        sl_json_text(json, "side", cost.side ? "candidate" : "baseline");
        sl_json_f64(json, sl_unit_key(key, "clean_median", unit), cost.clean);
        sl_json_f64(json, sl_unit_key(key, "profiled_median", unit), cost.profiled);
        sl_json_f64(json, "share", cost.share);
        sl_json_f64(json, "low", cost.low);
        sl_json_f64(json, "high", cost.high);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}
