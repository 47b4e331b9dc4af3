/* host/analysis/replication.h: one experiment that several processes repeated, judged together:
 * each process has an offset of its own, so processes are the sample (processes.h). Pure. */
#pragma once

#include <stddef.h>

struct sl_attribution;
struct sl_comparison;

/* The interleaved measurements of one process, and its comparison alone. Borrowed. */
struct sl_replica {
    const struct sl_attribution *baseline, *candidate;
    const struct sl_comparison *comparison;
};

/* At least two replicas, of one unit. Times: the ratio and its interval from process to process,
 * with the first comparison's confidence, margin, noise floor and seed. Counts: exact, and all
 * processes must be equal. A process that is wrong, unfit or incomparable by itself makes the whole
 * so. Without categories or operators. 0 or -ENOMEM; end with sl_comparison_fini(). */
int sl_replication_make(const struct sl_replica *replicas, size_t count, struct sl_comparison *out);
