/* agent/serve/inference.h: the inference process of one job: spawned, drained, watched, and
 * accounted for.
 *
 * Its ring, standard output and standard error go to the job's spools. However it ends, by itself,
 * by a signal, by the watchdog or cancelled, the job directory gets a result. On the loop's thread.
 */
#pragma once

#include <stdint.h>

typedef struct uv_loop_s uv_loop_t;
typedef struct Sme2lab__Proto__Job Sme2lab__Proto__Job;
typedef struct Sme2lab__Proto__Proceed Sme2lab__Proto__Proceed;
struct sl_inference;
struct sl_job_dir;

struct sl_inference_events {
    /* New bytes lie in a spool, or another pair has begun. */
    void (*progress)(void *user, uint32_t pair);
    /* The result stands in the job directory (or `rc` says why it could not be stored); the
     * inference is freed after this. */
    void (*ended)(void *user, int rc);
};

/* Starts `[job->exec_prefix…] self run --ring …`, or the external runner that the job names.
 * `workdir` holds blobs/; `dir` is borrowed. A process that cannot be started is a result too
 * (OUTCOME_NOT_STARTED, `ended` comes from the loop). 0 or -ENOMEM, -errno, with nothing started.
 */
int sl_inference_start(uv_loop_t *loop, const char *self, const char *workdir,
                       const Sme2lab__Proto__Job *job, struct sl_job_dir *dir,
                       const struct sl_inference_events *events, void *user,
                       struct sl_inference **out);

/* Allows it the pairs of the message. */
void sl_inference_proceed(struct sl_inference *inference, const Sme2lab__Proto__Proceed *proceed);

/* Ends it with outcome CANCELLED; `ended` follows. Idempotent. */
void sl_inference_cancel(struct sl_inference *inference);
