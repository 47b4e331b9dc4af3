/* tests/bench/bench_statistics.c: how long the intervals of one experiment take: the ratio, every
 * category and share, and 60 operators, from 10,000 resamples of 200 pairs.
 *
 *   bench_statistics [--quick]
 *
 * Prints one JSON object; the best of three. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/analysis/bootstrap.h"
#include "host/analysis/random.h"

enum { PAIRS = 200, OPERATORS = 60, RUNS = 3 };

static struct sl_block pairs[PAIRS];
static double deltas[PAIRS * OPERATORS];

static double now_s(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static void fill(void)
{
    struct sl_random random = {1};
    for (size_t i = 0; i < PAIRS; i++) {
        pairs[i].value = log(1.3 + (double)sl_random_below(&random, 1000) / 1e4);
        for (size_t c = 0; c < SL_CATEGORY_COUNT; c++) {
            pairs[i].categories[0][c] = 1e6 + (double)sl_random_below(&random, 100000);
            pairs[i].categories[1][c] = 7e5 + (double)sl_random_below(&random, 100000);
        }
        for (size_t o = 0; o < OPERATORS; o++)
            deltas[i * OPERATORS + o] = (double)sl_random_below(&random, 20000) - 1e4;
    }
}

int main(int argc, char **argv)
{
    bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    struct sl_bootstrap_plan plan = {1, quick ? 100 : 10000, 0.95, true};
    struct sl_bootstrap found;
    struct sl_interval intervals[OPERATORS];
    double best = INFINITY;
    fill();
    for (int run = 0; run < RUNS; run++) {
        double start = now_s();
        if (sl_bootstrap_pairs(pairs, PAIRS, &plan, &found) < 0 ||
            sl_bootstrap_means(deltas, PAIRS, OPERATORS, &plan, intervals) < 0)
            return 6;
        best = fmin(best, now_s() - start);
    }
    printf("{\"resamples\":%u,\"pairs\":%d,\"operators\":%d,\"ms\":%.1f,\"ratio\":[%.4f,%.4f]}\n",
           plan.iterations, PAIRS, OPERATORS, 1e3 * best, found.ratio.low, found.ratio.high);
    return 0;
}
