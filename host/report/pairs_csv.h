/* host/report/pairs_csv.h: reads paired latencies: one row a pair, in the order measured. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "common/base/bytes.h"
#include "host/analysis/comparison.h"

struct sl_diag;

enum { SL_PAIRS_MAX_EXPERIMENTS = 1 << 20, SL_PAIRS_MAX_ROWS = 1 << 24 };

/* Rows of one value of the column `experiment`. */
struct sl_pairs_experiment {
    const char *name; /* owned by the file; NULL where there is no such column */
    size_t first, count;
};

struct sl_pairs_file {
    struct sl_time_pair *pairs; /* grouped by experiment, each group in the order of the file */
    size_t pair_count;
    struct sl_pairs_experiment *experiments; /* in the order of their first rows */
    size_t experiment_count;
    bool off_on; /* the columns are off_ns and on_ns, not baseline_ns and candidate_ns */
    char *names; /* texts of the experiments */
};

/* Parses CSV (RFC 4180 but for line breaks in fields) whose first line names the columns
 * baseline_ns and candidate_ns, or off_ns and on_ns, in any order; `experiment` and `process` (a
 * number) may be among them, others are passed over. A value that is no number above 0 is an error
 * with its line. Returns 0, SL_E_FORMAT, SL_E_LIMIT or -ENOMEM. End with sl_pairs_file_fini(). */
int sl_pairs_parse(struct sl_bytes csv, const char *file, struct sl_pairs_file *out,
                   struct sl_diag *diag);
void sl_pairs_file_fini(struct sl_pairs_file *file);
