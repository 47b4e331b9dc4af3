/* tests/simulation/simulate.c: experiments with a known truth under drift, steps, correlation, two
 * frequencies and heavy tails, the stopping rule included: do the promises of statistics.md hold?
 *   simulate [EXPERIMENTS]   of each kind, with fixed seeds; exit 1 where a promise is broken */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/analysis/comparison.h"
#include "host/analysis/random.h"
#include "host/analysis/stopping.h"

/* The most pairs that a run with a precision measures: 120 s of pairs of blocks of 100 ms. */
enum { MAX_PAIRS = SL_STOPPING_PAIRS, RESAMPLES = 1000 };
static const double half_width = 0.015;

/* What disturbs blocks of measurements; state between blocks. */
struct device {
    struct sl_random random;
    double heat, correlated;
    bool slow; /* the lower frequency */
    size_t blocks, step_at;
};

static double uniform(struct device *d)
{
    return ((double)(sl_random_next(&d->random) >> 11) + 0.5) * 0x1p-53;
}

static double normal(struct device *d)
{
    double radius = sqrt(-2 * log(uniform(d)));
    return radius * cos(6.283185307179586 * uniform(d));
}

static double independent(struct device *d)
{
    return exp(0.02 * normal(d));
}

static double drift(struct device *d)
{
    return (1 + 0.004 * (double)d->blocks) * exp(0.02 * normal(d));
}

static double step(struct device *d)
{
    return (d->blocks > d->step_at ? 1.25 : 1) * exp(0.02 * normal(d));
}

static double autoregressive(struct device *d)
{
    d->correlated = 0.8 * d->correlated + 0.015 * normal(d);
    return exp(d->correlated);
}

static double two_frequencies(struct device *d)
{
    if (uniform(d) < 0.1)
        d->slow = !d->slow;
    return (d->slow ? 1.25 : 1) * exp(0.015 * normal(d));
}

/* Student's t with two degrees of freedom: no variance. */
static double heavy_tails(struct device *d)
{
    double chi = -2 * log(uniform(d));
    return exp(0.015 * normal(d) / sqrt(chi / 2));
}

static double spikes(struct device *d)
{
    return (uniform(d) < 0.1 ? 1.5 : 1) * exp(0.015 * normal(d));
}

static double all_at_once(struct device *d)
{
    return drift(d) * two_frequencies(d) * (uniform(d) < 0.05 ? 1.5 : 1);
}

static const struct scenario {
    const char *name;
    double (*next)(struct device *d);
} scenarios[] = {{"independent", independent},
                 {"drift", drift},
                 {"step", step},
                 {"AR(1)", autoregressive},
                 {"two frequencies", two_frequencies},
                 {"heavy tails", heavy_tails},
                 {"spikes", spikes},
                 {"all at once", all_at_once}};
enum { SCENARIOS = sizeof(scenarios) / sizeof(scenarios[0]) };

/* Off and on alternate in ABBA order. */
static void measure_pair(const struct scenario *s, struct device *d, size_t i, double ratio,
                         struct sl_time_pair *out)
{
    double first = 1e8 * s->next(d);
    d->blocks++;
    double second = 1e8 * s->next(d);
    d->blocks++;
    bool swapped = i % 2 == 1;
    out->baseline = swapped ? second : first;
    out->candidate = (swapped ? first : second) / ratio;
}

struct found {
    unsigned verdicts[SL_VERDICT_WRONG + 1];
    unsigned covered, precise;
    uint64_t pairs;
};

/* A budget that is short ends anywhere, between looks too. */
struct truth {
    double ratio;
    bool short_budget;
};

/* One experiment from its first pair to its verdict. 0 or -ENOMEM. */
static int experiment(const struct scenario *s, const struct truth *truth, uint64_t seed,
                      struct found *found)
{
    double ratio = truth->ratio;
    struct device d = {.random = {seed}};
    struct sl_time_pair pairs[MAX_PAIRS];
    double log_ratios[MAX_PAIRS];
    struct sl_stopping_plan plan = {0.95, half_width, MAX_PAIRS, seed, RESAMPLES};
    int state = SL_STOPPING_GO_ON;
    size_t n = 0;
    d.step_at = sl_random_below(&d.random, 60);
    if (truth->short_budget)
        plan.max_pairs =
            SL_STOPPING_FIRST + sl_random_below(&d.random, MAX_PAIRS - SL_STOPPING_FIRST);
    while (state == SL_STOPPING_GO_ON) {
        double width;
        measure_pair(s, &d, n, ratio, &pairs[n]);
        log_ratios[n] = log(pairs[n].baseline / pairs[n].candidate);
        n++;
        int rc = sl_stopping_check(&plan, log_ratios, n, &state, &width);
        if (rc < 0)
            return rc;
    }
    struct sl_comparison c;
    struct sl_comparison_options options = {
        .seed = seed, .iterations = RESAMPLES, .noise_floor = NAN, .looks = sl_stopping_looks(n)};
    int rc = sl_comparison_make_pairs(pairs, n, &options, &c);
    if (rc < 0)
        return rc;
    found->verdicts[c.verdict]++;
    found->covered += c.low <= ratio && ratio <= c.high;
    found->precise += state == SL_STOPPING_PRECISE;
    found->pairs += n;
    sl_comparison_fini(&c);
    return 0;
}

static bool kept;

/* With few experiments chance is allowed three standard deviations. */
static void promise(const char *what, const char *scenario, double share, double bound, bool least,
                    unsigned experiments)
{
    double slack = experiments < 10000 ? 3 * sqrt(bound * (1 - bound) / (double)experiments) : 0;
    bool ok = least ? share >= bound - slack : share <= bound + slack;
    if (ok)
        return;
    kept = false;
    printf("BROKEN: %s, %s: %.4f; promised %s %.2f\n", scenario, what, share,
           least ? "at least" : "at most", bound);
}

static int run_all(const struct scenario *s, uint64_t first_seed, unsigned experiments)
{
    static const struct truth truths[] = {
        {1.0, false}, {1.03, false}, {1 / 1.03, false}, {1.03, true}};
    for (size_t r = 0; r < sizeof(truths) / sizeof(truths[0]); r++) {
        struct found f = {.covered = 0};
        for (unsigned i = 0; i < experiments; i++) {
            int rc = experiment(s, &truths[r], first_seed + (r << 32) + i, &f);
            if (rc < 0)
                return rc;
        }
        double n = experiments;
        double covered = f.covered / n;
        double faster = f.verdicts[SL_VERDICT_FASTER] / n;
        double slower = f.verdicts[SL_VERDICT_SLOWER] / n;
        double equivalent = f.verdicts[SL_VERDICT_EQUIVALENT] / n;
        printf("%-16s %6.3f %9.4f %8.4f %8.4f %11.4f %13.4f %8.3f %7.1f%s\n", s->name,
               truths[r].ratio, covered, faster, slower, equivalent,
               f.verdicts[SL_VERDICT_INCONCLUSIVE] / n, f.precise / n, (double)f.pairs / n,
               truths[r].short_budget ? "  short budgets" : "");
        promise("coverage", s->name, covered, 0.93, true, experiments);
        if (r == 0) {
            promise("false verdicts of A/A", s->name, faster + slower, 0.05, false, experiments);
        } else if (!truths[r].short_budget) {
            promise("3 % change found", s->name, r == 1 ? faster : slower, 0.80, true, experiments);
        }
        if (r != 0)
            promise("equivalence claimed for 3 %", s->name, equivalent, 0.05, false, experiments);
    }
    return 0;
}

int main(int argc, char **argv)
{
    long experiments = argc > 1 ? strtol(argv[1], NULL, 10) : 10000;
    if (argc > 2 || experiments < 1 || experiments > 10000000) {
        fprintf(stderr, "usage: simulate [EXPERIMENTS]\n");
        return 2;
    }
    kept = true;
    printf("%ld experiments a row; stop at +-%.1f %% or %d pairs; seeds fixed\n", experiments,
           100 * half_width, MAX_PAIRS);
    printf("%-16s %6s %9s %8s %8s %11s %13s %8s %7s\n", "scenario", "truth", "coverage", "faster",
           "slower", "equivalent", "inconclusive", "precise", "pairs");
    for (size_t s = 0; s < SCENARIOS; s++) {
        if (run_all(&scenarios[s], 1 + (uint64_t)s * 1000003, (unsigned)experiments) < 0)
            return 6;
        fflush(stdout);
    }
    printf(kept ? "every promise holds\n" : "a promise is broken\n");
    return kept ? 0 : 1;
}
