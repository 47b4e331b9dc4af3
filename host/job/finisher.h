/* host/job/finisher.h: threads of its own on which runs are finished. The syncs of streams are on
 * the loop's pool: finishing, which takes long, never holds them up. On the loop's thread. */
#pragma once

#include <stdbool.h>

typedef struct uv_loop_s uv_loop_t;
struct sl_finisher;

enum {
    SL_FINISHER_THREADS = 4 /* at most: half of the processors, but two where there are fewer */
};

/* The caller owns the task, and leaves it alone until `done`. */
struct sl_finisher_task {
    void (*work)(void *user); /* on one of the threads */
    void (*done)(void *user); /* on the loop's, when `work` has returned */
    void *user;
    struct sl_finisher_task *next; /* the finisher's */
};

/* Starts the threads. 0, -ENOMEM or what libuv says. */
int sl_finisher_new(uv_loop_t *loop, struct sl_finisher **out);

/* Puts a task behind the others. */
void sl_finisher_add(struct sl_finisher *finisher, struct sl_finisher_task *task);

/* Ends the threads; all tasks are done by then. `closed` comes later, last. */
void sl_finisher_close(struct sl_finisher *finisher, void (*closed)(void *user), void *user);
