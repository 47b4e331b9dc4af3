/* host/job/dependencies.h: jobs that others come after, alone or as a group, and that had ended
 * before those came in: the store knows how, and the queue hears of it. On the loop's thread. */
#pragma once

#include <stdbool.h>

#include <uv.h>

struct sl_job_record;
struct sl_job_saver;
struct sl_queue;

/* Read only. */
struct sl_dependencies {
    struct sl_queue *queue;           /* borrowed */
    const struct sl_job_saver *saver; /* borrowed; knows what its store does not yet */
    void (*answered)(void *user);
    void *user;
    uv_timer_t again;
    struct sl_dependency *failed; /* owned; questions that the store could not answer */
    unsigned pending;             /* that it has not answered */
    bool open, closing;
};

/* `answered` is called after each answer of the store, and after the close; it may free this. */
void sl_dependencies_init(struct sl_dependencies *dependencies, uv_loop_t *loop,
                          struct sl_queue *queue, const struct sl_job_saver *saver,
                          void (*answered)(void *user), void *user);
/* True until it is closed and everything has been answered. */
bool sl_dependencies_busy(const struct sl_dependencies *dependencies);
void sl_dependencies_close(struct sl_dependencies *dependencies);

/* Asks for those that the job comes after and that the queue does not have, until the store
 * answers. */
void sl_dependencies_ask(struct sl_dependencies *dependencies, const struct sl_job_record *job);
