/* host/job/saver.h: each change of a job into the store, in order, with the run that it ended with;
 * what the store could not take, its disk being full or its server away, again until it can. On the
 * loop's thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

struct sl_job_record;
struct sl_run_record;
struct sl_store;
struct sl_unsaved;

struct sl_job_saver_events {
    /* The change is stored (0), the job with the number of its run; or never will be, since the job
     * has become another host's or has ended (SL_E_MISMATCH), or is not there (SL_E_NOT_FOUND). */
    void (*stored)(void *user, const struct sl_job_record *job, int rc);
    /* After each answer of the store, and after the close. */
    void (*answered)(void *user);
};

/* Read only. */
struct sl_job_saver {
    struct sl_store *store; /* borrowed */
    struct sl_job_saver_events events;
    void *user;
    uv_timer_t again;
    struct sl_unsaved *unsaved; /* owned */
    uint64_t changes;           /* so far */
    unsigned in_flight;         /* of them the store has not answered */
    bool open, closing;
};

void sl_job_saver_init(struct sl_job_saver *saver, uv_loop_t *loop, struct sl_store *store,
                       const struct sl_job_saver_events *events, void *user);
/* `run`: NULL: none was made. */
void sl_job_saver_save(struct sl_job_saver *saver, const struct sl_job_record *job,
                       const struct sl_run_record *run);

/* True until it is closed and everything has been answered. */
bool sl_job_saver_busy(const struct sl_job_saver *saver);
void sl_job_saver_close(struct sl_job_saver *saver);
