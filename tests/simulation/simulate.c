/* tests/simulation/simulate.c: experiments with a known truth under drift, steps, correlation, two
 * frequencies and heavy tails, the stopping rule included: do the intervals, verdicts and gates
 * keep what they promise? Interleaved pairs, recordings one after the other, and gates.
 *   simulate [EXPERIMENTS]   of each kind, with fixed seeds; exit 1 where a promise is broken */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/format/sltrace.h"
#include "host/analysis/attribution.h"
#include "host/analysis/cold.h"
#include "host/analysis/comparison.h"
#include "host/analysis/random.h"
#include "host/analysis/stopping.h"

/* The most pairs that a run with a precision measures: 120 s of pairs of blocks of 100 ms. */
enum { MAX_PAIRS = SL_STOPPING_PAIRS, RESAMPLES = 1000 };
static const double half_width = 0.015;

/* What disturbs blocks of measurements; state between blocks. */
struct device {
    struct sl_random random;
    double correlated, waves;
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

/* Waves that reach one arm alone: nothing in the pair cancels them. */
static double one_arm_waves(struct device *d)
{
    d->waves = 0.5 * d->waves + 0.02 * normal(d);
    return exp(d->waves);
}

static const struct scenario {
    const char *name;
    double (*next)(struct device *d);
    double (*candidate)(struct device *d);
    double later; /* what the later run of a pair takes longer */
} scenarios[] = {{"independent", independent, independent, 0},
                 {"drift", drift, drift, 0},
                 {"step", step, step, 0},
                 {"AR(1)", autoregressive, autoregressive, 0},
                 {"two frequencies", two_frequencies, two_frequencies, 0},
                 {"heavy tails", heavy_tails, heavy_tails, 0},
                 {"spikes", spikes, spikes, 0},
                 {"waves in one", independent, one_arm_waves, 0},
                 {"order effect", independent, independent, 0.04},
                 {"all at once", all_at_once, all_at_once, 0}};
enum { SCENARIOS = sizeof(scenarios) / sizeof(scenarios[0]) };

static double measure(const struct scenario *s, struct device *d, bool candidate)
{
    double time = 1e8 * (candidate ? s->candidate(d) : s->next(d));
    d->blocks++;
    return time;
}

/* Off and on alternate in ABBA order. */
static void measure_pair(const struct scenario *s, struct device *d, size_t i, double ratio,
                         struct sl_time_pair *out)
{
    bool swapped = i % 2 == 1;
    double first = measure(s, d, swapped);
    double second = (1 + s->later) * measure(s, d, !swapped);
    *out = (struct sl_time_pair){.process = 0};
    out->baseline = swapped ? second : first;
    out->candidate = (swapped ? first : second) / ratio;
}

/* Pairs of which either side is cold, as attribution and rundir/compared set them aside. */
static int cold_pairs(const struct sl_time_pair *pairs, size_t n, size_t *out)
{
    int64_t times[MAX_PAIRS];
    *out = 0;
    for (int side = 0; side < 2; side++) {
        size_t cold;
        for (size_t i = 0; i < n; i++)
            times[i] = (int64_t)(side ? pairs[i].candidate : pairs[i].baseline);
        int rc = sl_cold_runs(times, n, &cold);
        if (rc < 0)
            return rc;
        *out = cold > *out ? cold : *out;
    }
    return 0;
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
    size_t cold;
    int rc = cold_pairs(pairs, n, &cold);
    if (rc == 0)
        rc = sl_comparison_make_pairs(pairs + cold, n - cold, &options, &c);
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

/* Recordings one after the other, of one process a side, without a difference. */
enum { APART = 20 };

static double level; /* of the process at hand */
static size_t onset; /* of throttling, in runs of both sides */

static double waves_of_8(struct device *d)
{
    d->waves = 0.8 * d->waves + 0.012 * normal(d);
    return exp(d->waves);
}

static double process_offset(struct device *d)
{
    if (d->blocks % APART == 0)
        level = 0.02 * normal(d);
    return exp(level + 0.01 * normal(d));
}

static double throttling(struct device *d)
{
    if (d->blocks == 0) {
        onset = sl_random_below(&d->random, 2 * APART);
        level = 0.08 + 0.22 * uniform(d);
    }
    return exp((d->blocks >= onset ? level : 0) + 0.01 * normal(d));
}

static double two_modes(struct device *d)
{
    return (uniform(d) < 0.4 ? 1.2 : 1) * exp(0.01 * normal(d));
}

static double drift_of_10(struct device *d)
{
    return exp(0.1 * (double)d->blocks / (2 * APART) + 0.01 * normal(d));
}

static double drift_of_5(struct device *d)
{
    return exp(0.05 * (double)d->blocks / (2 * APART) + 0.01 * normal(d));
}

static const struct recording {
    const char *name;
    double (*next)(struct device *d);
    double ratio; /* the truth */
    size_t cold;  /* first runs of either side that take three times as long */
} recordings[] = {{"independent", independent, 1, 0},       {"waves", waves_of_8, 1, 0},
                  {"process offset", process_offset, 1, 0}, {"throttling", throttling, 1, 0},
                  {"two modes", two_modes, 1, 0},           {"drift of 5 %", drift_of_5, 1, 0},
                  {"drift of 10 %", drift_of_10, 1, 0},     {"1.5x", independent, 1.5, 0},
                  {"1.2x", process_offset, 1.2, 0},         {"one cold run", independent, 1, 1},
                  {"1.5x, one cold", independent, 1.5, 1}};

static int record_apart(const struct recording *r, uint64_t seed, int *out_verdict)
{
    struct device d = {.random = {seed}};
    struct sl_attribution_run runs[2][APART];
    struct sl_attribution sides[2];
    struct sl_comparison c;
    const struct sl_comparison_options options = {
        .seed = seed, .iterations = RESAMPLES, .noise_floor = NAN};
    int rc = 0;
    for (int side = 0; rc == 0 && side < 2; side++) {
        int64_t times[APART];
        size_t cold;
        for (size_t i = 0; i < APART; i++, d.blocks++)
            times[i] = (int64_t)(1e9 * r->next(&d) * (i < r->cold ? 3 : 1) / (side ? r->ratio : 1));
        rc = sl_cold_runs(times, APART, &cold);
        for (size_t i = 0; rc == 0 && i < APART; i++)
            runs[side][i] = (struct sl_attribution_run){
                .pair = UINT32_MAX, .end_to_end = times[i], .warmup = i < cold};
        sides[side] = (struct sl_attribution){.unit = SL_TRACE_NS,
                                              .run_count = APART,
                                              .measured_count = APART - cold,
                                              .runs = runs[side]};
    }
    if (rc == 0)
        rc = sl_comparison_make(&sides[0], &sides[1], &options, &c);
    if (rc < 0)
        return rc;
    *out_verdict = c.verdict;
    sl_comparison_fini(&c);
    return 0;
}

static int run_recordings(unsigned experiments)
{
    double n = experiments;
    printf("\n%-16s %8s %8s %8s %13s   recorded one after the other, %d runs a side\n",
           "recordings", "faster", "slower", "unfit", "inconclusive", APART);
    for (size_t r = 0; r < sizeof(recordings) / sizeof(recordings[0]); r++) {
        unsigned verdicts[SL_VERDICT_WRONG + 1] = {0};
        for (unsigned i = 0; i < experiments; i++) {
            int verdict;
            int rc = record_apart(&recordings[r], (r << 40) + i, &verdict);
            if (rc < 0)
                return rc;
            verdicts[verdict]++;
        }
        double faster = verdicts[SL_VERDICT_FASTER] / n;
        double slower = verdicts[SL_VERDICT_SLOWER] / n;
        printf("%-16s %8.4f %8.4f %8.4f %13.4f\n", recordings[r].name, faster, slower,
               verdicts[SL_VERDICT_UNFIT] / n, verdicts[SL_VERDICT_INCONCLUSIVE] / n);
        if (recordings[r].ratio > 1)
            promise("a difference found", recordings[r].name, faster, 0.80, true, experiments);
        else
            promise("false verdicts", recordings[r].name, faster + slower, 0.05, false,
                    experiments);
    }
    return 0;
}

/* Pairs of several processes, each with an offset of 1 % between its arms for as long as it lives.
 */
enum { PROCESS_PAIRS = 20 };

static int run_processes(unsigned experiments)
{
    static const struct {
        size_t count;
        double truth;
    } rows[] = {{2, 1}, {3, 1}, {5, 1}, {10, 1}, {3, 1.1}, {5, 1.05}};
    double n = experiments;
    printf("\n%-16s %6s %9s %8s %8s   offset of 1 %% a process, %d pairs each\n", "processes",
           "truth", "coverage", "faster", "slower", PROCESS_PAIRS);
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        unsigned verdicts[SL_VERDICT_WRONG + 1] = {0}, covered = 0;
        for (unsigned i = 0; i < experiments; i++) {
            struct device d = {.random = {((uint64_t)(r + 20) << 40) + i}};
            struct sl_time_pair pairs[MAX_PAIRS];
            struct sl_comparison c;
            const struct sl_comparison_options options = {
                .seed = i, .iterations = RESAMPLES, .noise_floor = NAN};
            size_t count = rows[r].count * PROCESS_PAIRS;
            double offset = 0;
            for (size_t p = 0; p < count; p++) {
                if (p % PROCESS_PAIRS == 0)
                    offset = exp(0.01 * normal(&d));
                measure_pair(&scenarios[0], &d, p, rows[r].truth * offset, &pairs[p]);
                pairs[p].process = (uint32_t)(p / PROCESS_PAIRS);
            }
            int rc = sl_comparison_make_pairs(pairs, count, &options, &c);
            if (rc < 0)
                return rc;
            verdicts[c.verdict]++;
            covered += c.low <= rows[r].truth && rows[r].truth <= c.high;
            sl_comparison_fini(&c);
        }
        char name[32];
        double faster = verdicts[SL_VERDICT_FASTER] / n, slower = verdicts[SL_VERDICT_SLOWER] / n;
        snprintf(name, sizeof(name), "%zu", rows[r].count);
        printf("%-16s %6.3f %9.4f %8.4f %8.4f\n", name, rows[r].truth, covered / n, faster, slower);
        promise("coverage by processes", name, covered / n, 0.93, true, experiments);
        if (rows[r].truth > 1)
            promise("difference found by processes", name, faster, 0.80, true, experiments);
        else
            promise("false verdicts by processes", name, faster + slower, 0.05, false, experiments);
    }
    return 0;
}

/* A gate that allows a slow-down of 5 %: pairs with 2 % of noise. */
static const struct slow_down {
    double truth;
    size_t pairs;
    double passes_least, passes_most, fails_least;
} slow_downs[] = {{1, 20, 0.95, 1, 0},     {1.02, 30, 0, 1, 0},        {1.05, 20, 0, 0.025, 0},
                  {1.05, 30, 0, 0.025, 0}, {1.08, 30, 0, 0.025, 0.80}, {1.2, 20, 0, 0.001, 0.99}};

static int run_gates(unsigned experiments)
{
    double n = experiments;
    printf("\n%-16s %6s %8s %8s %8s   a gate of 5 %%\n", "slow-down", "pairs", "passed", "failed",
           "open");
    for (size_t s = 0; s < sizeof(slow_downs) / sizeof(slow_downs[0]); s++) {
        const struct slow_down *slow = &slow_downs[s];
        unsigned gates[SL_GATE_OPEN + 1] = {0};
        for (unsigned i = 0; i < experiments; i++) {
            struct device d = {.random = {((uint64_t)s << 40) + i}};
            struct sl_time_pair pairs[MAX_PAIRS];
            struct sl_comparison c;
            const struct sl_comparison_options options = {
                .seed = i, .iterations = RESAMPLES, .noise_floor = NAN};
            for (size_t p = 0; p < slow->pairs; p++)
                measure_pair(&scenarios[0], &d, p, 1 / slow->truth, &pairs[p]);
            int rc = sl_comparison_make_pairs(pairs, slow->pairs, &options, &c);
            if (rc < 0)
                return rc;
            gates[sl_comparison_gate(&c, 0.05)]++;
            sl_comparison_fini(&c);
        }
        char name[32];
        double passed = gates[SL_GATE_PASSED] / n;
        double failed = gates[SL_GATE_FAILED] / n;
        snprintf(name, sizeof(name), "%.2fx", slow->truth);
        printf("%-16s %6zu %8.4f %8.4f %8.4f\n", name, slow->pairs, passed, failed,
               gates[SL_GATE_OPEN] / n);
        promise("passed", name, passed, slow->passes_least, true, experiments);
        promise("passed", name, passed, slow->passes_most, false, experiments);
        promise("failed", name, failed, slow->fails_least, true, experiments);
    }
    return 0;
}

/* Is a change of the size that is printed as detectable found in four of five experiments? */
static int run_power(unsigned experiments)
{
    static const size_t counts[] = {20, 60};
    printf("\n%-16s %10s %8s   the detectable effect\n", "pairs", "detectable", "found");
    for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
        double effect = 0;
        unsigned found = 0;
        for (unsigned i = 0; i < 2 * experiments; i++) {
            struct device d = {.random = {((uint64_t)(k + 7) << 40) + i}};
            struct sl_time_pair pairs[MAX_PAIRS];
            struct sl_comparison c;
            const struct sl_comparison_options options = {
                .seed = i, .iterations = RESAMPLES, .noise_floor = NAN};
            double truth = i < experiments ? 1 : 1 + effect / experiments;
            for (size_t p = 0; p < counts[k]; p++)
                measure_pair(&scenarios[0], &d, p, truth, &pairs[p]);
            int rc = sl_comparison_make_pairs(pairs, counts[k], &options, &c);
            if (rc < 0)
                return rc;
            effect += i < experiments ? c.detectable : 0;
            found += i >= experiments && c.verdict == SL_VERDICT_FASTER;
            sl_comparison_fini(&c);
        }
        char name[32];
        snprintf(name, sizeof(name), "%zu", counts[k]);
        printf("%-16s %9.2f%% %8.4f\n", name, 100 * effect / experiments,
               (double)found / experiments);
        promise("detectable effect found", name, (double)found / experiments, 0.80, true,
                experiments);
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
    if (run_recordings((unsigned)experiments) < 0 || run_gates((unsigned)experiments) < 0 ||
        run_power((unsigned)experiments) < 0 || run_processes((unsigned)experiments) < 0)
        return 6;
    printf(kept ? "every promise holds\n" : "a promise is broken\n");
    return kept ? 0 : 1;
}
