/* host/rundir/benchmarks_compared.h: another tool's benchmark against another of them, or against a
 * run of ours of the same name: times alone, which were not measured in turns. */
#pragma once

#include <stdbool.h>

#include "host/analysis/comparison.h"

struct sl_categories;
struct sl_diag;

enum { SL_BENCHMARK_NAME_BYTES = 256 };

/* Is the directory a run that 'sme2lab import' made of a benchmark? */
bool sl_is_benchmark_run(const char *directory);

struct sl_benchmarks_compared {
    struct sl_comparison comparison;
    char names[2][SL_BENCHMARK_NAME_BYTES]; /* of the baseline and the candidate */
};

/* Compares two directories, one of which is a benchmark's. Of a run of ours it takes the variant
 * `level` (0 off, 1 on) of `experiment`, which may be NULL. Things of different names are
 * incomparable. 0 or a negative code with `diag` set; end with sl_comparison_fini(). */
struct sl_benchmarks_request {
    const char *paths[2], *experiment;
    int level;
    const struct sl_categories *categories;
    struct sl_comparison_options options;
};
int sl_benchmarks_compare(const struct sl_benchmarks_request *request,
                          struct sl_benchmarks_compared *out, struct sl_diag *diag);
