/* tests/simulation/simulate.c: experiments with a known truth under drift, steps, correlation, two
 * frequencies and heavy tails, the stopping rule included: do the intervals, verdicts and gates
 * keep what they promise? Interleaved pairs, recordings one after the other, and gates.
 *   simulate [EXPERIMENTS [NAME]]   of each kind, or of rows whose name has NAME, with fixed seeds;
 *                                   exit 1 where a promise is broken */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/format/sltrace.h"
#include "host/analysis/attribution.h"
#include "host/analysis/calibration.h"
#include "host/analysis/cold.h"
#include "host/analysis/comparison.h"
#include "host/analysis/random.h"
#include "host/analysis/stopping.h"
#include "host/analysis/verdict.h"

/* The most pairs that a run with a precision measures: 120 s of pairs of blocks of 100 ms. */
enum { MAX_PAIRS = SL_STOPPING_PAIRS, RESAMPLES = 1000 };
static const double half_width = 0.015;

/* The disturbance of blocks of measurements; state between blocks. */
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

/* The results of the experiments of one row of the table. */
struct found {
    unsigned verdicts[SL_VERDICT_WRONG + 1];
    unsigned gates[SL_GATE_OPEN + 1];
    unsigned intervals, covered;
    uint64_t n; /* pairs, runs a side, or pairs of a process */
};

struct shares {
    double coverage;       /* of those that show an interval, whatever the verdict */
    double wrong;          /* verdicts that the truth contradicts */
    double found;          /* NAN: there is nothing to find */
    double passed, failed; /* a gate of 5 % */
};

static bool kept;
static const char *only; /* rows whose name has it; NULL: all */

static bool chosen(const char *name)
{
    return !only || strstr(name, only);
}

/* With few experiments chance is allowed three standard deviations. */
static void promise(const char *what, const char *scenario, double share, double bound, bool least,
                    unsigned experiments)
{
    double slack = experiments < 10000 ? 3 * sqrt(bound * (1 - bound) / (double)experiments) : 0;
    bool ok = least ? share >= bound - slack : share <= bound + slack;
    if (ok)
        return;
    kept = false;
    printf("BROKEN: %s, %s: %.4f; promised %s %.3f\n", scenario, what, share,
           least ? "at least" : "at most", bound);
}

static const double gate_threshold = 0.05;

static void take(struct found *found, const struct sl_comparison *c, double truth, size_t n)
{
    bool shown = isfinite(c->low);
    found->verdicts[c->verdict]++;
    found->gates[sl_verdict_gate(c, gate_threshold)]++;
    found->intervals += shown;
    found->covered += shown && c->low <= truth && truth <= c->high;
    found->n += n;
}

static void print_share(int width, double share)
{
    if (isnan(share))
        printf(" %*s", width, "-");
    else
        printf(" %*.4f", width, share);
}

static void print_heads(void)
{
    printf("%-17s %6s %6s %8s %8s %8s %8s %8s %8s %8s %8s  %s\n", "scenario", "truth", "n",
           "coverage", "false", "found", "equal", "unfit", "open", "passed", "failed", "n is of");
}

/* Prints the row; `what`: what n counts, and what is special. */
static struct shares print_row(const char *name, double truth, const struct found *found,
                               unsigned experiments, const char *what)
{
    double n = experiments;
    double faster = found->verdicts[SL_VERDICT_FASTER] / n;
    double slower = found->verdicts[SL_VERDICT_SLOWER] / n;
    double equal = found->verdicts[SL_VERDICT_EQUIVALENT] / n;
    struct shares s = {.coverage =
                           found->intervals ? (double)found->covered / found->intervals : NAN,
                       .passed = found->gates[SL_GATE_PASSED] / n,
                       .failed = found->gates[SL_GATE_FAILED] / n};
    s.wrong = truth == 1 ? faster + slower : equal + (truth > 1 ? slower : faster);
    s.found = truth == 1 ? NAN : truth > 1 ? faster : slower;
    printf("%-17s %6.3f %6.1f", name, truth, (double)found->n / n);
    const double cells[] = {s.coverage,
                            s.wrong,
                            s.found,
                            equal,
                            found->verdicts[SL_VERDICT_UNFIT] / n,
                            found->verdicts[SL_VERDICT_INCONCLUSIVE] / n,
                            s.passed,
                            s.failed};
    for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
        print_share(8, cells[i]);
    printf("  %s\n", what);
    fflush(stdout);
    return s;
}

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
    take(found, &c, ratio, n);
    sl_comparison_fini(&c);
    return 0;
}

static int run_all(const struct scenario *s, uint64_t first_seed, unsigned experiments)
{
    static const struct truth truths[] = {
        {1.0, false}, {1.03, false}, {1 / 1.03, false}, {1.03, true}};
    for (size_t r = 0; r < sizeof(truths) / sizeof(truths[0]); r++) {
        struct found f = {.n = 0};
        for (unsigned i = 0; i < experiments; i++) {
            int rc = experiment(s, &truths[r], first_seed + (r << 32) + i, &f);
            if (rc < 0)
                return rc;
        }
        bool budget = truths[r].short_budget;
        struct shares is = print_row(s->name, truths[r].ratio, &f, experiments,
                                     budget ? "pairs, short budgets" : "pairs, till precise");
        promise("coverage", s->name, is.coverage, 0.93, true, experiments);
        promise("false verdicts", s->name, is.wrong, 0.05, false, experiments);
        if (r != 0 && !budget)
            promise("3 % change found", s->name, is.found, 0.80, true, experiments);
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

/* Warm-up that lasts to the last run of each side. */
static double never_steady(struct device *d)
{
    return exp(-0.5 * (double)(d->blocks % APART) / (double)APART + 0.01 * normal(d));
}

/* The candidate is measured while the device still warms up; the baseline is steady. */
static double late_steady(struct device *d)
{
    return d->blocks < APART ? exp(0.01 * normal(d)) : never_steady(d);
}

static const struct recording {
    const char *name;
    double (*next)(struct device *d);
    double ratio; /* the truth */
    size_t cold;  /* first runs of either side that take three times as long */
    bool unsure;  /* a difference need not be found: to call it unfit is right */
} recordings[] = {{"independent", independent, 1, 0, false},
                  {"waves", waves_of_8, 1, 0, false},
                  {"process offset", process_offset, 1, 0, false},
                  {"throttling", throttling, 1, 0, false},
                  {"two modes", two_modes, 1, 0, false},
                  {"drift of 5 %", drift_of_5, 1, 0, false},
                  {"drift of 10 %", drift_of_10, 1, 0, false},
                  {"independent", independent, 1.5, 0, false},
                  {"process offset", process_offset, 1.2, 0, false},
                  {"throttling", throttling, 1.5, 0, true},
                  {"two modes", two_modes, 1.5, 0, true},
                  {"one cold run", independent, 1, 1, false},
                  {"one cold run", independent, 1.5, 1, false},
                  {"never steady", never_steady, 1, 0, false},
                  {"one never steady", late_steady, 1, 0, false}};

static int record_apart(const struct recording *r, uint64_t seed, struct found *found)
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
    take(found, &c, r->ratio, APART);
    sl_comparison_fini(&c);
    return 0;
}

static int run_recordings(unsigned experiments)
{
    for (size_t r = 0; r < sizeof(recordings) / sizeof(recordings[0]); r++) {
        struct found f = {.n = 0};
        if (!chosen(recordings[r].name))
            continue;
        for (unsigned i = 0; i < experiments; i++) {
            int rc = record_apart(&recordings[r], (r << 40) + i, &f);
            if (rc < 0)
                return rc;
        }
        struct shares is = print_row(recordings[r].name, recordings[r].ratio, &f, experiments,
                                     "runs a side, one after the other");
        promise("coverage", recordings[r].name, is.coverage, 0.93, true, experiments);
        promise("false verdicts", recordings[r].name, is.wrong, 0.05, false, experiments);
        if (recordings[r].ratio > 1 && !recordings[r].unsure)
            promise("a difference found", recordings[r].name, is.found, 0.80, true, experiments);
    }
    return 0;
}

/* `n` pairs under `s`, and their comparison; every `stay` of them are of one process that has an
 * offset of its own (0: one process, without). End with sl_comparison_fini(). */
static int compare_pairs(const struct scenario *s, uint64_t seed, size_t n, double truth,
                         size_t stay, struct sl_comparison *out)
{
    struct device d = {.random = {seed}};
    struct sl_time_pair pairs[MAX_PAIRS];
    const struct sl_comparison_options options = {
        .seed = seed, .iterations = RESAMPLES, .noise_floor = NAN};
    double offset = 1;
    for (size_t p = 0; p < n; p++) {
        if (stay && p % stay == 0)
            offset = exp(0.01 * normal(&d));
        measure_pair(s, &d, p, truth * offset, &pairs[p]);
        pairs[p].process = stay ? (uint32_t)(p / stay) : 0;
    }
    return sl_comparison_make_pairs(pairs, n, &options, out);
}

static int repeat_pairs(uint64_t first_seed, size_t n, double truth, size_t stay,
                        unsigned experiments, struct found *found)
{
    for (unsigned i = 0; i < experiments; i++) {
        struct sl_comparison c;
        int rc = compare_pairs(&scenarios[0], first_seed + i, n, truth, stay, &c);
        if (rc < 0)
            return rc;
        take(found, &c, truth, n);
        sl_comparison_fini(&c);
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
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        char name[32], what[64];
        struct found f = {.n = 0};
        snprintf(name, sizeof(name), "%zu processes", rows[r].count);
        snprintf(what, sizeof(what), "pairs, %d a process of 1 %% offset", PROCESS_PAIRS);
        if (!chosen(name))
            continue;
        int rc = repeat_pairs((uint64_t)(r + 20) << 40, rows[r].count * PROCESS_PAIRS,
                              rows[r].truth, PROCESS_PAIRS, experiments, &f);
        if (rc < 0)
            return rc;
        struct shares is = print_row(name, rows[r].truth, &f, experiments, what);
        promise("coverage", name, is.coverage, 0.93, true, experiments);
        promise("false verdicts", name, is.wrong, 0.05, false, experiments);
        if (rows[r].truth > 1)
            promise("difference found", name, is.found, 0.80, true, experiments);
    }
    return 0;
}

/* Fewer pairs than a bootstrap takes: the exact interval decides. */
static int run_few(unsigned experiments)
{
    static const struct {
        size_t pairs;
        double truth;
    } rows[] = {{6, 1}, {6, 15}, {10, 1}, {10, 15}, {10, 1.1}, {19, 1}};
    for (size_t r = 0; chosen("few pairs") && r < sizeof(rows) / sizeof(rows[0]); r++) {
        struct found f = {.n = 0};
        int rc = repeat_pairs((uint64_t)(r + 40) << 40, rows[r].pairs, rows[r].truth, 0,
                              experiments, &f);
        if (rc < 0)
            return rc;
        struct shares is =
            print_row("few pairs", rows[r].truth, &f, experiments, "pairs, the exact interval");
        promise("coverage", "few pairs", is.coverage, 0.93, true, experiments);
        promise("false verdicts", "few pairs", is.wrong, 0.05, false, experiments);
        if (rows[r].truth > 1)
            promise("difference found", "few pairs", is.found, 0.80, true, experiments);
    }
    return 0;
}

/* A gate that allows a slow-down of 5 %: pairs with 2 % of noise. */
static const struct slow_down {
    double truth;
    double passes_least, passes_most, fails_least;
} slow_downs[] = {{1, 0.95, 1, 0},        {1.02, 0, 1, 0},      {1.04, 0, 1, 0},
                  {1.05, 0, 0.025, 0},    {1.06, 0, 0.025, 0},  {1.08, 0, 0.025, 0},
                  {1.12, 0, 0.001, 0.80}, {1.2, 0, 0.001, 0.99}};

/* The promise for a slow-down of 8 % at 30 pairs. */
static const double found_8_percent = 0.80;

static int run_gates(unsigned experiments)
{
    static const size_t counts[] = {20, 30};
    for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
        double before = 1;
        for (size_t s = 0; s < sizeof(slow_downs) / sizeof(slow_downs[0]); s++) {
            const struct slow_down *slow = &slow_downs[s];
            struct found f = {.n = 0};
            char name[32];
            snprintf(name, sizeof(name), "%.0f %% slower", 100 * (slow->truth - 1));
            if (!chosen(name))
                continue;
            int rc = repeat_pairs((uint64_t)(60 + s) << 40, counts[k], 1 / slow->truth, 0,
                                  experiments, &f);
            if (rc < 0)
                return rc;
            struct shares is =
                print_row(name, 1 / slow->truth, &f, experiments, "pairs, a gate of 5 %");
            promise("passed", name, is.passed, slow->passes_least, true, experiments);
            promise("passed", name, is.passed, slow->passes_most, false, experiments);
            promise("failed", name, is.failed,
                    counts[k] == 30 && slow->truth == 1.08 ? found_8_percent : slow->fails_least,
                    true, experiments);
            promise("passes no more often than a smaller slow-down", name, is.passed, before, false,
                    experiments);
            before = is.passed;
        }
    }
    return 0;
}

/* Is a change of the size that is printed as detectable found in four of five experiments? */
static int run_power(unsigned experiments)
{
    static const size_t counts[] = {20, 60};
    for (size_t k = 0; chosen("detectable") && k < sizeof(counts) / sizeof(counts[0]); k++) {
        double effect = 0;
        struct found f = {.n = 0};
        uint64_t seed = (uint64_t)(k + 80) << 40;
        for (unsigned i = 0; i < experiments; i++) {
            struct sl_comparison c;
            int rc = compare_pairs(&scenarios[0], seed + i, counts[k], 1, 0, &c);
            if (rc < 0)
                return rc;
            effect += c.detectable / experiments;
            sl_comparison_fini(&c);
        }
        int rc = repeat_pairs(seed + experiments, counts[k], 1 + effect, 0, experiments, &f);
        if (rc < 0)
            return rc;
        struct shares is = print_row("detectable", 1 + effect, &f, experiments,
                                     "pairs, truth is the effect they call detectable");
        promise("detectable effect found", "detectable", is.found, 0.80, true, experiments);
    }
    return 0;
}

/* The noise floor that a calibration keeps is of the device: more runs do not lower it. A device
 * whose waves outlast a calibration is no quieter for being looked at longer. */
static int run_floor(unsigned experiments)
{
    static const size_t counts[] = {40, 160, 640};
    double first = 0;
    for (size_t k = 0; chosen("noise floor") && k < sizeof(counts) / sizeof(counts[0]); k++) {
        double floor = 0;
        for (unsigned i = 0; i < experiments; i++) {
            struct device d = {.random = {((uint64_t)(90 + k) << 40) + i}};
            struct sl_attribution_run runs[640];
            const struct sl_attribution side = {.unit = SL_TRACE_NS,
                                                .run_count = counts[k],
                                                .measured_count = counts[k],
                                                .runs = runs};
            const struct sl_comparison_options options = {
                .seed = i, .iterations = RESAMPLES, .noise_floor = NAN};
            struct sl_comparison c;
            for (size_t n = 0; n < counts[k]; n++)
                runs[n] = (struct sl_attribution_run){
                    .pair = UINT32_MAX, .end_to_end = (int64_t)(1e9 * independent(&d))};
            int rc = sl_calibration_make(&side, &options, &c);
            if (rc < 0)
                return rc;
            floor += c.noise_floor / experiments;
            sl_comparison_fini(&c);
        }
        printf("%-17s %6.3f %6zu   floor %.2f %%%*s  runs, A against A with 2 %% of noise\n",
               "noise floor", 1.0, counts[k], 100 * floor, 57, "");
        first = k == 0 ? floor : first;
        promise("the floor of few runs is kept by many", "noise floor", floor / first, 0.8, true,
                experiments);
    }
    return 0;
}

int main(int argc, char **argv)
{
    long experiments = argc > 1 ? strtol(argv[1], NULL, 10) : 10000;
    if (argc > 3 || experiments < 1 || experiments > 10000000) {
        fprintf(stderr, "usage: simulate [EXPERIMENTS [NAME]]\n");
        return 2;
    }
    only = argc > 2 ? argv[2] : NULL;
    kept = true;
    unsigned n = (unsigned)experiments;
    printf("%u experiments a row; stop at +-%.1f %% or %d pairs; seeds fixed\n", n,
           100 * half_width, MAX_PAIRS);
    print_heads();
    for (size_t s = 0; s < SCENARIOS; s++)
        if (chosen(scenarios[s].name) && run_all(&scenarios[s], 1 + (uint64_t)s * 1000003, n) < 0)
            return 6;
    if (run_recordings(n) < 0 || run_processes(n) < 0 || run_few(n) < 0 || run_gates(n) < 0 ||
        run_power(n) < 0 || run_floor(n) < 0)
        return 6;
    printf(kept ? "every promise holds\n" : "a promise is broken\n");
    return kept ? 0 : 1;
}
