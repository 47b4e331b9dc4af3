/* host/job/elsewhere.h: open jobs that are not in this host's queue: those that other hosts run,
 * and those that have ended here and whose end is not stored yet. It also tells a row of the store
 * that was seen before from a new one. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host/job/numbered.h"

struct sl_job_record;

struct sl_elsewhere {
    struct sl_numbered jobs; /* struct sl_job_record, owned */
};

enum { SL_ELSEWHERE_MAX = 200000 }; /* more are not kept: their rows may be told twice */

void sl_elsewhere_fini(struct sl_elsewhere *elsewhere);
/* The job is so now. A job that has ended stays as one that has, until it is forgotten. */
void sl_elsewhere_put(struct sl_elsewhere *elsewhere, const struct sl_job_record *job);
void sl_elsewhere_drop(struct sl_elsewhere *elsewhere, uint64_t job);
/* NULL: it is in the queue, has ended, or is not known. */
const struct sl_job_record *sl_elsewhere_open(const struct sl_elsewhere *elsewhere, uint64_t job);
/* Has it ended, as far as is known here? */
bool sl_elsewhere_ended(const struct sl_elsewhere *elsewhere, uint64_t job);
/* Is the row the one that was put last? */
bool sl_elsewhere_same(const struct sl_elsewhere *elsewhere, const struct sl_job_record *row);
/* Forgets those that ended before that, by the store's time. */
void sl_elsewhere_purge(struct sl_elsewhere *elsewhere, uint64_t before_ms);
