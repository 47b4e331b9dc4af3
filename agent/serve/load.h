/* agent/serve/load.h: the processes that run the same model beside the measured one, so that it
 * meets the contention that other work on the device makes.
 *
 * All of them execute before the measured process starts and until after it has ended; each then
 * leaves load-K.json among the job's files. On the loop's thread. */
#pragma once

#include <stdint.h>

typedef struct uv_loop_s uv_loop_t;
typedef struct Sme2lab__Proto__Job Sme2lab__Proto__Job;
struct sl_job_dir;
struct sl_load;

enum { SL_LOAD_MAX_PROCESSES = 15 };

struct sl_load_events {
    void (*ready)(void *user); /* all have executed once and go on */
    /* One ended by itself: what is measured now is not what was asked for. At most once. */
    void (*failed)(void *user, const char *why);
    void (*closed)(void *user); /* after sl_load_stop(); the load is freed after this */
};

/* Starts `job->concurrency - 1` processes, at least one. 0, SL_E_LIMIT, -ENOMEM or -errno; whatever
 * it is, a load that *out has is to be stopped. */
int sl_load_start(uv_loop_t *loop, const char *self, const char *workdir,
                  const Sme2lab__Proto__Job *job, const struct sl_job_dir *dir,
                  const struct sl_load_events *events, void *user, struct sl_load **out);

/* Lets each finish the execution it is in, and ends those that do not in time. Idempotent. */
void sl_load_stop(struct sl_load *load);
