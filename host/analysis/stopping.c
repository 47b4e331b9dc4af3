/* host/analysis/stopping.c */
#include "host/analysis/stopping.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/mem.h"
#include "host/analysis/bootstrap.h"
#include "host/analysis/dependence.h"
#include "host/analysis/order.h"

/* The first look divides the error of the confidence by this, each later look by so much more:
 * chosen so that tests/simulation finds 93 % coverage and more. Stopping where an interval happens
 * to be narrow prefers samples that understate their spread, which costs some 4 % of coverage
 * unwidened. */
static const double first_look = 2.0;
static const double later_look = 0.1;

size_t sl_stopping_pairs(uint32_t look)
{
    size_t pairs = SL_STOPPING_FIRST;
    for (uint32_t i = 1; i < look && pairs < SIZE_MAX / 2; i++)
        pairs += pairs / 2;
    return pairs;
}

uint32_t sl_stopping_looks(size_t n)
{
    uint32_t look = 1;
    while (sl_stopping_pairs(look + 1) <= n)
        look++;
    return look;
}

double sl_stopping_confidence(double confidence, uint32_t look)
{
    if (look == 0)
        return confidence;
    return 1.0 - (1.0 - confidence) / (first_look + later_look * (double)(look - 1));
}

static int half_width_of(const struct sl_stopping_plan *plan, const double *log_ratios, size_t n,
                         double *out)
{
    struct sl_bootstrap found;
    struct sl_dependence dependence;
    double confidence = plan->confidence > 0 ? plan->confidence : 0.95;
    struct sl_bootstrap_plan resampling = {plan->seed, plan->iterations ? plan->iterations : 10000,
                                           sl_stopping_confidence(confidence, sl_stopping_looks(n)),
                                           false};
    double effect;
    struct sl_block *blocks = sl_calloc(n, sizeof(*blocks));
    double *values = sl_malloc(n, sizeof(*values));
    int rc = blocks && values ? 0 : -ENOMEM;
    if (rc == 0) {
        memcpy(values, log_ratios, n * sizeof(*values));
        rc = sl_order_cancel(values, n, &effect);
    }
    for (size_t i = 0; rc == 0 && i < n; i++)
        blocks[i].value = values[i];
    if (rc == 0)
        rc = sl_bootstrap_pairs(blocks, n, &resampling, &found);
    if (rc == 0)
        rc = sl_dependence_of(values, n, resampling.confidence, &dependence);
    sl_free(blocks);
    sl_free(values);
    if (rc == 0)
        *out = dependence.widening * (log(found.ratio.high) - log(found.ratio.low)) / 2;
    return rc;
}

int sl_stopping_check(const struct sl_stopping_plan *plan, const double *log_ratios, size_t n,
                      int *out_state, double *out_half_width)
{
    double half_width = NAN;
    bool spent = n >= plan->max_pairs;
    bool look = n >= SL_STOPPING_FIRST && (spent || sl_stopping_pairs(sl_stopping_looks(n)) == n);
    if (look) {
        int rc = half_width_of(plan, log_ratios, n, &half_width);
        if (rc < 0)
            return rc;
    }
    bool precise = half_width <= plan->half_width; /* never with NAN */
    *out_half_width = half_width;
    *out_state = precise ? SL_STOPPING_PRECISE : spent ? SL_STOPPING_BUDGET : SL_STOPPING_GO_ON;
    return 0;
}

static bool reached(const struct sl_stopped *stopped, double half_width)
{
    return stopped->look_count > 0 &&
           stopped->looks[stopped->look_count - 1].half_width <= half_width;
}

int sl_stopping_replay(const struct sl_stopping_rule *rule, const struct sl_stopping_plan *plan,
                       const double *log_ratios, size_t n, struct sl_stopped *out)
{
    struct sl_stopped made = {.ruled = true, .rule = *rule, .pairs = n};
    struct sl_stopping_plan own = *plan;
    uint32_t look = 1;
    own.half_width = rule->precision_percent / 100;
    while (rule->precision_percent > 0 && n >= SL_STOPPING_FIRST &&
           made.look_count < SL_STOPPING_MAX_LOOKS) {
        size_t pairs = sl_stopping_pairs(look);
        int state;
        struct sl_stopping_look *at = &made.looks[made.look_count];
        at->pairs = pairs < n ? pairs : n;
        at->confidence = sl_stopping_confidence(plan->confidence, sl_stopping_looks(at->pairs));
        own.max_pairs = n; /* the end is looked at wherever it came */
        int rc = sl_stopping_check(&own, log_ratios, at->pairs, &state, &at->half_width);
        if (rc < 0)
            return rc;
        made.look_count++;
        if (pairs >= n)
            break;
        look++;
    }
    made.why = reached(&made, own.half_width) ? SL_STOPPED_PRECISE
               : rule->spent                  ? SL_STOPPED_BUDGET
                                              : SL_STOPPED_PAIRS;
    *out = made;
    return 0;
}

const char *sl_stopped_name(int why)
{
    static const char *const names[] = {"precision", "budget", "pairs", "exact"};
    return names[why];
}
