/* host/job/saver.h: each change of a job into the store, in order; what the store could not take,
 * its disk being full, again until it can. On the loop's thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

struct sl_job_record;
struct sl_store;
struct sl_unsaved;

/* Read only. */
struct sl_job_saver {
    struct sl_store *store; /* borrowed */
    void (*answered)(void *user);
    void *user;
    uv_timer_t again;
    struct sl_unsaved *unsaved; /* owned */
    uint64_t changes;           /* so far */
    unsigned in_flight;         /* of them the store has not answered */
    bool open, closing;
};

/* `answered` is called after each answer of the store, and after the close. */
void sl_job_saver_init(struct sl_job_saver *saver, uv_loop_t *loop, struct sl_store *store,
                       void (*answered)(void *user), void *user);
void sl_job_saver_save(struct sl_job_saver *saver, const struct sl_job_record *job);

/* True until it is closed and everything has been answered. */
bool sl_job_saver_busy(const struct sl_job_saver *saver);
void sl_job_saver_close(struct sl_job_saver *saver);
