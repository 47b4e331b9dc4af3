/* agent/bench/peaks.h: runs the loops of kernels/peak and prints what is known of each. */
#pragma once

#include <stdbool.h>

struct sl_buf;

/* Appends one JSON object a line for each loop that the CPU has.
 *
 * Counted: by one worker under the marks, once with some turns and once with twice as many, so that
 * the difference is the turns' alone. Else the best of some rounds in ns, by 1 to `workers` workers
 * (0: as many as may run here), each on a core of its own, the fastest first. 0, -ENOMEM,
 * SL_E_LIMIT or a thread's -errno. */
int sl_bench_peaks(bool counted, unsigned workers, struct sl_buf *out);
