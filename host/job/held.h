/* host/job/held.h: jobs that may not begin yet: before a time, or before other jobs that they come
 * after have ended well. One that comes after a job that did not end well never begins.
 *
 * Pure. Only the putting allocates; no step looks at all jobs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_held;

int sl_held_new(struct sl_held **out); /* 0 or -ENOMEM */
void sl_held_free(struct sl_held *held);

/* Holds the job until `begin_ms` and until all `after` have ended well. The job is not held yet.
 * 0 or -ENOMEM. */
int sl_held_put(struct sl_held *held, uint64_t job, uint64_t begin_ms, const uint64_t *after,
                size_t count);
/* The job waits no longer: it was cancelled, say. Does nothing for a job that is not held. */
void sl_held_drop(struct sl_held *held, uint64_t job);

/* A job has ended: those that come after it may begin, or never will. */
void sl_held_ended(struct sl_held *held, uint64_t job, bool well);

/* Does `job` wait until `first` has ended? */
bool sl_held_waits(const struct sl_held *held, uint64_t job, uint64_t first);

/* The next that is held no longer, and is taken out; *out_failed is the job that it comes after and
 * that did not end well, 0 for none. False: there is none now. */
bool sl_held_take(struct sl_held *held, uint64_t now_ms, uint64_t *out_job, uint64_t *out_failed);

/* When time alone lets the next one go; UINT64_MAX: never. */
uint64_t sl_held_next_ms(const struct sl_held *held);
