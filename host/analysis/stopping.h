/* host/analysis/stopping.h: when have enough pairs been measured? Stop by precision, never by what
 * came out: looks at fixed numbers of pairs, the interval widened for each repeated look. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SL_STOPPING_FIRST = 20,     /* pairs before the first look */
    SL_STOPPING_PAIRS = 600,    /* the most there are by default; tests/simulation has the same */
    SL_STOPPING_BUDGET_S = 120, /* by default, beside a precision */
    SL_STOPPING_MAX_LOOKS = 32, /* more than a million pairs come to */
};

struct sl_stopping_plan {
    double confidence; /* of the interval in the end; 0: 0.95 */
    double half_width; /* of the ratio's interval, relative: stop when it is at most this; 0.015 */
    size_t max_pairs;  /* the budget */
    uint64_t seed;
    uint32_t iterations; /* of the bootstrap at each look */
};

enum sl_stopping_state {
    SL_STOPPING_GO_ON,
    SL_STOPPING_PRECISE, /* the interval is narrow enough */
    SL_STOPPING_BUDGET,  /* the budget ended first */
};

/* Pairs at which look `look` (from 1) is taken: 20, 30, 45 ... half as many again each time. */
size_t sl_stopping_pairs(uint32_t look);
/* How many looks were taken by the time there are `n` pairs; at least 1. */
uint32_t sl_stopping_looks(size_t n);

/* Returns the confidence an interval needs at look `look` for `confidence` to hold in the end; look
 * 0: the number of pairs was fixed beforehand. */
double sl_stopping_confidence(double confidence, uint32_t look);

/* The rule at `n` pairs, `log_ratios` in the order measured. *out_half_width is that of the widened
 * interval, relative to the ratio; NAN before the first look. 0 or -ENOMEM. */
int sl_stopping_check(const struct sl_stopping_plan *plan, const double *log_ratios, size_t n,
                      int *out_state, double *out_half_width);

/* The stopping rule of a run, and the reason its agent gives for the end. */
struct sl_stopping_rule {
    double precision_percent; /* half width of the ratio's interval; 0: nobody looked */
    double budget_s;          /* 0: none */
    size_t max_pairs;
    bool spent; /* the budget of time ended it */
};

enum sl_stopping_why {
    SL_STOPPED_PRECISE,
    SL_STOPPED_BUDGET,
    SL_STOPPED_PAIRS,
    SL_STOPPED_EXACT, /* equal repeats leave nothing to look for */
};

struct sl_stopping_look {
    size_t pairs;
    double confidence, half_width;
};

/* How a run came to its end. */
struct sl_stopped {
    bool ruled; /* else there was no rule, and the rest says nothing */
    struct sl_stopping_rule rule;
    int why;
    size_t pairs, look_count;
    struct sl_stopping_look looks[SL_STOPPING_MAX_LOOKS]; /* the last one at the end */
};

/* The looks of a run that ended with these pairs, taken again: to the bit what the run saw.
 * `plan` has confidence, seed and iterations of the run's comparison. 0 or -ENOMEM. */
int sl_stopping_replay(const struct sl_stopping_rule *rule, const struct sl_stopping_plan *plan,
                       const double *log_ratios, size_t n, struct sl_stopped *out);
const char *sl_stopped_name(int why);
