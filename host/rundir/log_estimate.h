/* host/rundir/log_estimate.h: estimates of time from an emulator's log. */
#pragma once

#include <stddef.h>

struct sl_count_log;
struct sl_estimate;
struct sl_log_estimator;
struct sl_silicon;

/* Estimates each block of a finished log, which keeps spans, on `silicon`. Both are borrowed. 0 or
 * -ENOMEM; end with sl_log_estimator_free(). */
int sl_log_estimator_new(const struct sl_count_log *log, const struct sl_silicon *silicon,
                         struct sl_log_estimator **out);
void sl_log_estimator_free(struct sl_log_estimator *estimator);

/* Adds what ran in spans with `from` marks before them or more, and less than `to`, to `estimate`,
 * which begins as zero and is to be finished by sl_estimate_finish(). */
void sl_log_estimator_add(const struct sl_log_estimator *estimator, size_t from, size_t to,
                          struct sl_estimate *estimate);
