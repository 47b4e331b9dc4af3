/* host/report/run_estimates.c */
#include "host/report/run_estimates.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "host/analysis/attribution.h"
#include "host/analysis/category.h"
#include "host/analysis/thread_estimate.h"
#include "host/report/csv.h"
#include "host/report/estimate_out.h"
#include "host/report/style.h"
#include "host/report/table.h"
#include "host/spec/json_value.h"

enum { MAX_ROWS = 512 };

static const char *const levels[] = {"off", "on"};
static const char note[] =
    "Estimated, not measured: by published figures of the silicon and what each executed block "
    "keeps busy; caches, contention and frequency are not seen (configs/silicon/README.md).";

struct range {
    double low, mid, high;
};

static const unsigned thread_counts[] = {1, 2, 4, 8};

static double number(const cJSON *object, const char *key)
{
    double value = sl_value_number(object, key, 0);
    return value >= 0 && value < 1e18 ? value : 0;
}

static struct range range_of(const cJSON *owner, int side)
{
    const cJSON *of = sl_value(owner, levels[side]);
    return (struct range){number(of, "low_ns"), number(of, "mid_ns"), number(of, "high_ns")};
}

static void add_range(struct range *sum, struct range one)
{
    sum->low += one.low;
    sum->mid += one.mid;
    sum->high += one.high;
}

/* Off over on. The ends take opposite errors: those of a profile may lie on one engine alone. */
static struct range ratio_of(struct range off, struct range on)
{
    return (struct range){off.low / on.high, off.mid / on.mid, off.high / on.low};
}

bool sl_report_estimates_any(const cJSON *estimates)
{
    return cJSON_IsArray(estimates) && range_of(estimates->child, 0).mid > 0;
}

/* --- form --- */

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fmax(1, fmax(fabs(a), fabs(b)));
}

static bool is_side(const cJSON *side)
{
    const cJSON *one, *spent = sl_value(side, "spent_ns"), *letter = sl_value(side, "confidence");
    double low = number(side, "low_ns"), mid = number(side, "mid_ns"), sum = 0, most = 0;
    const char *bound = "";
    cJSON_ArrayForEach(one, spent)
    {
        double ns = cJSON_IsNumber(one) ? one->valuedouble : NAN;
        bound = ns > most ? one->string : bound;
        most = fmax(most, ns);
        sum += ns;
    }
    return cJSON_IsObject(side) && cJSON_IsObject(spent) && low <= mid &&
           mid <= number(side, "high_ns") && near(sum, mid) &&
           strcmp(bound, sl_value_text(side, "bound", "")) == 0 &&
           cJSON_IsNumber(sl_value(side, "unclassified")) && cJSON_IsString(letter) &&
           strlen(letter->valuestring) == 1 && strchr("MVFI", letter->valuestring[0]);
}

static bool is_profile(const cJSON *profile)
{
    const cJSON *operator;
    struct range sums[2] = {{0}};
    bool fits = sl_value_text(profile, "profile", "")[0] &&
                sl_value_text(profile, "title", "")[0] &&
                strlen(sl_value_text(profile, "profile_sha256", "")) == 64;
    cJSON_ArrayForEach(operator, sl_value(profile, "operators"))
    {
        fits = fits && sl_value_text(operator, "operator", "")[0];
        for (int side = 0; side < 2; side++) {
            const cJSON *one = sl_value(operator, levels[side]);
            fits = fits && (!one || is_side(one));
            add_range(&sums[side], range_of(operator, side));
        }
    }
    for (int side = 0; side < 2; side++) {
        struct range whole = range_of(profile, side);
        fits = fits && (!(whole.mid > 0) || is_side(sl_value(profile, levels[side]))) &&
               near(whole.low, sums[side].low) && near(whole.mid, sums[side].mid) &&
               near(whole.high, sums[side].high);
    }
    return fits;
}

bool sl_report_estimates_fit(const cJSON *estimates)
{
    const cJSON *profile;
    bool fits = cJSON_IsArray(estimates) && estimates->child;
    cJSON_ArrayForEach(profile, estimates) fits = fits && is_profile(profile);
    return fits;
}

/* --- several threads --- */

/* By the name in either side's analysis: operators differ between off and on. */
static int category_of(const struct sl_attribution *const names[2], const char *name)
{
    size_t len = strlen(name);
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < names[side]->operator_count; i++) {
            const struct sl_operator *op = &names[side]->operators[i];
            if (op->name_len == len && memcmp(op->name, name, len) == 0)
                return op->category;
        }
    }
    return SL_CATEGORY_FRAMEWORK;
}

/* Sums up what a side's operators spend, by who can share it. */
static struct sl_thread_work work_of(const cJSON *profile,
                                     const struct sl_attribution *const names[2], int side)
{
    struct sl_thread_work work = {0};
    const cJSON *operator;
    cJSON_ArrayForEach(operator, sl_value(profile, "operators"))
    {
        double spent_ns[SL_BOUND_COUNT];
        const cJSON *spent = sl_value(sl_value(operator, levels[side]), "spent_ns");
        for (int b = 0; b < SL_BOUND_COUNT; b++)
            spent_ns[b] = number(spent, sl_bound_name(b));
        sl_thread_work_add(&work, spent_ns,
                           category_of(names, sl_value_text(operator, "operator", "")) ==
                               SL_CATEGORY_FRAMEWORK);
    }
    return work;
}

struct by_threads {
    struct sl_thread_work work[2];
    double units;
    unsigned crossover;
};

static struct by_threads by_threads_of(const cJSON *profile,
                                       const struct sl_attribution *const names[2])
{
    struct by_threads by = {.work = {work_of(profile, names, 0), work_of(profile, names, 1)},
                            .units = number(profile, "units")};
    by.crossover = sl_thread_crossover(&by.work[0], &by.work[1], by.units);
    return by;
}

/* --- JSON --- */

static void put_range(struct sl_json *json, const char *key, struct range range)
{
    sl_json_open_object(json, key);
    sl_json_f64(json, "low", range.low);
    sl_json_f64(json, "mid", range.mid);
    sl_json_f64(json, "high", range.high);
    sl_json_close_object(json);
}

/* Puts the parts of a side's time. */
static void put_spent(struct sl_json *json, const char *key, const cJSON *side)
{
    sl_json_open_object(json, key);
    for (int b = 0; b < SL_BOUND_COUNT; b++) {
        double ns = number(sl_value(side, "spent_ns"), sl_bound_name(b));
        if (ns > 0)
            sl_json_f64(json, sl_bound_name(b), ns);
    }
    sl_json_close_object(json);
}

static void put_threads(struct sl_json *json, const struct by_threads *by)
{
    sl_json_open_array(json, "threads");
    for (size_t i = 0; i < sizeof(thread_counts) / sizeof(thread_counts[0]); i++) {
        sl_json_open_object(json, NULL);
        sl_json_u64(json, "threads", thread_counts[i]);
        sl_json_f64(json, "baseline_ns",
                    sl_thread_time_ns(&by->work[0], thread_counts[i], by->units));
        sl_json_f64(json, "candidate_ns",
                    sl_thread_time_ns(&by->work[1], thread_counts[i], by->units));
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
    if (by->crossover > 0)
        sl_json_u64(json, "crossover_threads", by->crossover);
    else
        sl_json_null(json, "crossover_threads");
}

static void put_profile(struct sl_json *json, const char *key, const cJSON *profile,
                        const struct sl_attribution *const names[2])
{
    const cJSON *operator, * operators = sl_value(profile, "operators");
    struct range off = range_of(profile, 0), on = range_of(profile, 1);
    sl_json_open_object(json, key);
    sl_json_text(json, "profile", sl_value_text(profile, "profile", ""));
    sl_json_text(json, "profile_sha256", sl_value_text(profile, "profile_sha256", ""));
    sl_json_bool(json, "estimated", true);
    put_range(json, "ratio", ratio_of(off, on));
    put_range(json, "baseline_ns", off);
    put_range(json, "candidate_ns", on);
    put_spent(json, "baseline_spent_ns", sl_value(profile, "off"));
    put_spent(json, "candidate_spent_ns", sl_value(profile, "on"));
    const struct by_threads by = by_threads_of(profile, names);
    put_threads(json, &by);
    sl_json_open_array(json, "bound_by");
    cJSON_ArrayForEach(operator, operators)
    {
        const cJSON *side = sl_value(operator, "on");
        if (!side)
            continue;
        sl_json_open_object(json, NULL);
        sl_json_text(json, "operator", sl_value_text(operator, "operator", ""));
        sl_json_text(json, "bound", sl_value_text(side, "bound", ""));
        sl_json_f64(json, "share", on.mid > 0 ? number(side, "mid_ns") / on.mid : 0);
        put_range(json, "baseline_ns", range_of(operator, 0));
        put_range(json, "candidate_ns", range_of(operator, 1));
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
    sl_json_close_object(json);
}

void sl_report_estimates_json(struct sl_json *json, const cJSON *estimates,
                              const struct sl_attribution *const names[2])
{
    const cJSON *profile;
    put_profile(json, "estimate", estimates->child, names);
    sl_json_open_array(json, "estimates");
    cJSON_ArrayForEach(profile, estimates) put_profile(json, NULL, profile, names);
    sl_json_close_array(json);
}

/* --- tables --- */

/* `brief`: without the range. */
static void put_words(struct sl_table *out, struct range range, bool brief)
{
    char low[32], mid[32], high[32];
    if (!(range.mid > 0)) {
        sl_table_put(out, NULL);
        return;
    }
    sl_estimate_words(range.low, low, sizeof(low));
    sl_estimate_words(range.mid, mid, sizeof(mid));
    sl_estimate_words(range.high, high, sizeof(high));
    if (brief)
        sl_table_text(out, mid);
    else
        sl_table_printf(out, "%s (%s to %s)", mid, low, high);
}

static void put_sides(struct sl_table *out, struct range off, struct range on, bool brief)
{
    put_words(out, off, brief);
    put_words(out, on, brief);
    if (off.mid > 0 && on.mid > 0)
        sl_table_ratio(out, off.mid, on.mid, 2);
    else
        sl_table_put(out, NULL);
}

void sl_report_estimates_table(const cJSON *estimates, const struct sl_attribution *const names[2],
                               bool brief, struct sl_table *out)
{
    static const char *const full[] = {"Silicon",          "Category", ">SME2 off (range)",
                                       ">SME2 on (range)", ">Ratio",   NULL};
    static const char *const heads[] = {"Silicon",  "Category", ">SME2 off",
                                        ">SME2 on", ">Ratio",   NULL};
    const cJSON *profile, *operator;
    sl_table_init(out, "estimates", "Estimated time", brief ? heads : full);
    snprintf(out->note, sizeof(out->note), "%s", note);
    cJSON_ArrayForEach(profile, estimates)
    {
        struct range sums[2][SL_CATEGORY_COUNT] = {{{0}}};
        cJSON_ArrayForEach(operator, sl_value(profile, "operators"))
        {
            int category = category_of(names, sl_value_text(operator, "operator", ""));
            for (int side = 0; side < 2; side++)
                add_range(&sums[side][category], range_of(operator, side));
        }
        for (int c = 0; c < SL_CATEGORY_COUNT; c++) {
            if (!(sums[0][c].mid > 0) && !(sums[1][c].mid > 0))
                continue;
            sl_table_text(out, sl_value_text(profile, "profile", ""));
            sl_table_text(out, sl_category_name(c));
            put_sides(out, sums[0][c], sums[1][c], brief);
        }
        sl_table_text(out, sl_value_text(profile, "profile", ""));
        sl_table_text(out, "End to end");
        put_sides(out, range_of(profile, 0), range_of(profile, 1), brief);
    }
}

double sl_report_estimates_share(const cJSON *estimates, size_t index, int side, int bound)
{
    const cJSON *profile = cJSON_GetArrayItem(estimates, (int)index);
    double whole = range_of(profile, side).mid;
    const cJSON *spent = sl_value(sl_value(profile, levels[side]), "spent_ns");
    return whole > 0 ? fmin(number(spent, sl_bound_name(bound)) / whole, 1) : 0;
}

const char *sl_report_estimates_profile(const cJSON *estimates, size_t index)
{
    const cJSON *profile = cJSON_IsArray(estimates) ? estimates->child : NULL;
    for (size_t i = 0; profile && i < index; i++)
        profile = profile->next;
    return profile ? sl_value_text(profile, "profile", "") : NULL;
}

void sl_report_estimates_bounds(const cJSON *estimates, bool bars, struct sl_table *out)
{
    static const struct sl_table_column widths[] = {{15, 0}, {24, 1}, {9, 1}, {9, 1}, {0, 2}};
    const char *const heads[] = {"Silicon",  "Bound by",         ">SME2 off",
                                 ">SME2 on", bars ? "on" : NULL, NULL};
    const char *name;
    sl_table_init(out, "bounds", "What the estimated time is spent on", heads);
    if (bars)
        sl_table_widths(out, widths);
    snprintf(out->note, sizeof(out->note), "%s", note);
    for (size_t i = 0; (name = sl_report_estimates_profile(estimates, i)); i++) {
        for (int bound = 0; bound < SL_BOUND_COUNT; bound++) {
            double share[2];
            for (int side = 0; side < 2; side++)
                share[side] = sl_report_estimates_share(estimates, i, side, bound);
            if (share[0] < 0.005 && share[1] < 0.005)
                continue;
            sl_table_text(out, name);
            sl_table_text(out, sl_bound_name(bound));
            sl_table_share(out, share[0]);
            sl_table_share(out, share[1]);
            if (bars)
                sl_table_bar(out, SL_TONE_STRONG, share[1]);
        }
    }
}

void sl_report_estimates_threads(const cJSON *estimates,
                                 const struct sl_attribution *const names[2], struct sl_table *out)
{
    static const char *const heads[] = {"Silicon", ">Threads",           ">SME2 off", ">SME2 on",
                                        ">Ratio",  ">NEON as fast from", NULL};
    const cJSON *profile;
    sl_table_init(out, "estimate-threads", "Estimated time by threads", heads);
    snprintf(out->note, sizeof(out->note),
             "Estimated of the counted thread, not measured: what the unit does is divided among "
             "units, for a cluster's cores share it, what a core does among threads, and memory "
             "and the code between operators by nothing.");
    cJSON_ArrayForEach(profile, estimates)
    {
        const struct by_threads by = by_threads_of(profile, names);
        for (size_t i = 0; i < sizeof(thread_counts) / sizeof(thread_counts[0]); i++) {
            double ns[2];
            for (int side = 0; side < 2; side++)
                ns[side] = sl_thread_time_ns(&by.work[side], thread_counts[i], by.units);
            sl_table_text(out, sl_value_text(profile, "profile", ""));
            sl_table_printf(out, "%u", thread_counts[i]);
            put_sides(out, (struct range){.mid = ns[0]}, (struct range){.mid = ns[1]}, true);
            if (by.crossover > 0)
                sl_table_printf(out, "%u", by.crossover);
            else
                sl_table_printf(out, "over %d", SL_THREADS_MOST);
        }
    }
}

static double weight_of(const cJSON *operator)
{
    return fmax(range_of(operator, 0).mid, range_of(operator, 1).mid);
}

bool sl_report_estimates_operators(const cJSON *estimates, size_t index, size_t most, bool brief,
                                   struct sl_table *out)
{
    char on[80], title[96]; /* two silicons' tables stand one after the other */
    const char *const full[] = {
        on, ">SME2 off (range)", ">SME2 on (range)", ">Ratio", "Bound, off", "Bound, on", NULL};
    const char *const heads[] = {on, ">SME2 off", ">SME2 on", ">Ratio", "Bound, on", NULL};
    static const char *const ids[] = {"operators-estimated-1", "operators-estimated-2",
                                      "operators-estimated-3", "operators-estimated-4",
                                      "operators-estimated-5", "operators-estimated-6",
                                      "operators-estimated-7", "operators-estimated-8"};
    const cJSON *profile = cJSON_IsArray(estimates) ? estimates->child : NULL;
    for (size_t i = 0; profile && i < index; i++)
        profile = profile->next;
    if (!profile || index >= sizeof(ids) / sizeof(ids[0]))
        return false;
    const cJSON *rows[MAX_ROWS], *operator;
    size_t count = 0;
    cJSON_ArrayForEach(operator, sl_value(profile, "operators"))
    {
        if (count == MAX_ROWS && weight_of(operator) <= weight_of(rows[count - 1]))
            continue;
        size_t at = count < MAX_ROWS ? count++ : MAX_ROWS - 1;
        for (; at > 0 && weight_of(rows[at - 1]) < weight_of(operator); at--)
            rows[at] = rows[at - 1];
        rows[at] = operator;
    }
    snprintf(on, sizeof(on), "~Operator, on %.60s", sl_value_text(profile, "profile", ""));
    snprintf(title, sizeof(title), "Estimated time by operator on %.60s",
             sl_value_text(profile, "profile", ""));
    sl_table_init(out, ids[index], title, brief ? heads : full);
    snprintf(out->note, sizeof(out->note), "%s", note);
    for (size_t i = 0; i < count && i < most; i++) {
        sl_table_text(out, sl_value_text(rows[i], "operator", ""));
        put_sides(out, range_of(rows[i], 0), range_of(rows[i], 1), brief);
        if (!brief)
            sl_table_put(out, sl_value_text(sl_value(rows[i], "off"), "bound", ""));
        sl_table_put(out, sl_value_text(sl_value(rows[i], "on"), "bound", ""));
    }
    return true;
}

/* --- CSV --- */

static int put_csv_side(struct sl_buf *out, const cJSON *profile, const char *name,
                        const cJSON *owner, int side)
{
    struct range range = range_of(owner, side);
    const char *fields[] = {sl_value_text(profile, "profile", ""), name, levels[side]};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof(fields) / sizeof(fields[0]); i++)
        rc = sl_csv_field(out, fields[i], strlen(fields[i]));
    if (rc == 0)
        rc = sl_buf_printf(out, "%.3f,%.3f,%.3f,", range.low, range.mid, range.high);
    const char *bound = sl_value_text(sl_value(owner, levels[side]), "bound", "");
    if (rc == 0)
        rc = sl_csv_field(out, bound, strlen(bound));
    if (rc == 0)
        rc = sl_buf_printf(out, "estimated");
    const cJSON *spent = sl_value(sl_value(owner, levels[side]), "spent_ns");
    for (int b = 0; rc == 0 && b < SL_BOUND_COUNT; b++)
        rc = sl_buf_printf(out, ",%.3f", number(spent, sl_bound_name(b)));
    return rc < 0 ? rc : sl_buf_printf(out, "\n");
}

/* "ZA moves" is the column za_moves_ns. */
static int put_csv_heads(struct sl_buf *out)
{
    int rc = sl_buf_printf(out, "profile,operator,sme2,low_ns,mid_ns,high_ns,bound,kind");
    for (int b = 0; rc == 0 && b < SL_BOUND_COUNT; b++) {
        char name[48];
        snprintf(name, sizeof(name), "%s", sl_bound_name(b));
        for (char *at = name; *at; at++)
            *at = isalnum((unsigned char)*at) ? (char)tolower((unsigned char)*at) : '_';
        rc = sl_buf_printf(out, ",%s_ns", name);
    }
    return rc < 0 ? rc : sl_buf_printf(out, "\n");
}

int sl_report_estimates_csv(struct sl_buf *out, const cJSON *estimates)
{
    const cJSON *profile, *operator;
    int rc = put_csv_heads(out);
    cJSON_ArrayForEach(profile, estimates)
    {
        for (int side = 0; side < 2 && rc == 0; side++)
            rc = put_csv_side(out, profile, "End to end", profile, side);
        cJSON_ArrayForEach(operator, sl_value(profile, "operators"))
        {
            for (int side = 0; side < 2 && rc == 0; side++)
                rc = sl_value(operator, levels[side])
                         ? put_csv_side(out, profile,
                                        sl_value_text(operator, "operator", ""), operator, side)
                         : 0;
        }
    }
    return rc;
}

/* --- a line each --- */

bool sl_report_estimates_line(const cJSON *estimates, size_t index, char *out, size_t size)
{
    char off[32], on[32];
    const cJSON *profile = cJSON_IsArray(estimates) ? estimates->child : NULL;
    for (size_t i = 0; profile && i < index; i++)
        profile = profile->next;
    struct range sides[2] = {range_of(profile, 0), range_of(profile, 1)};
    if (!profile || !(sides[0].mid > 0) || !(sides[1].mid > 0))
        return false;
    struct range ratio = ratio_of(sides[0], sides[1]);
    sl_estimate_words(sides[0].mid, off, sizeof(off));
    sl_estimate_words(sides[1].mid, on, sizeof(on));
    snprintf(out, size,
             "estimated on %.40s: %s -> %s, ratio %.2f (%.2f to %.2f), then bound by %.40s",
             sl_value_text(profile, "profile", ""), off, on, ratio.mid, ratio.low, ratio.high,
             sl_value_text(sl_value(profile, "on"), "bound", ""));
    return true;
}

bool sl_report_estimates_slower(const cJSON *estimates, const char **out_profile, double *out_ratio)
{
    const cJSON *profile;
    double least = 1;
    cJSON_ArrayForEach(profile, estimates)
    {
        struct range sides[2] = {range_of(profile, 0), range_of(profile, 1)};
        if (!(sides[0].mid > 0) || !(sides[1].mid > 0) || sides[0].mid >= least * sides[1].mid)
            continue;
        least = sides[0].mid / sides[1].mid;
        *out_profile = sl_value_text(profile, "profile", "");
        *out_ratio = least;
    }
    return least < 1;
}

bool sl_report_estimates_brief(const cJSON *estimates, char *out, size_t size)
{
    const cJSON *profile;
    const char *name;
    double least;
    size_t used = (size_t)snprintf(
        out, size, "%s", /* it may be slower though it executes fewer instructions */
        sl_report_estimates_slower(estimates, &name, &least) ? "estimated off/on (< 1: slower):"
                                                             : "estimated time off / on:");
    const size_t head = used;
    cJSON_ArrayForEach(profile, estimates)
    {
        struct range sides[2] = {range_of(profile, 0), range_of(profile, 1)};
        if (used >= size || !(sides[0].mid > 0) || !(sides[1].mid > 0))
            continue;
        struct range ratio = ratio_of(sides[0], sides[1]);
        used += (size_t)snprintf(out + used, size - used, "%s %.40s %.2f (%.2f-%.2f)",
                                 used > head ? "," : "", sl_value_text(profile, "profile", ""),
                                 ratio.mid, ratio.low, ratio.high);
    }
    return used > head;
}
