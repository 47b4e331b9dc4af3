/* host/peer/run_copy.h: the artifacts of a run that another host has, copied into a folder here.
 * Each is as long as that host said, and has the SHA-256 that it said. On the loop's thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct uv_loop_s uv_loop_t;
struct sl_keeper;
struct sl_peer_calls;

enum {
    SL_RUN_COPY_MAX_MS = 120000,          /* from its begin to its end */
    SL_RUN_COPY_LEAST_RATE = 16 << 10,    /* bytes/s: a slower host has failed */
    SL_RUN_COPY_MAX_LIST_BYTES = 4 << 20, /* of the list of the files */
    SL_RUN_COPY_TICK_MS = 100
};

struct sl_run_copy_setup {
    struct sl_peer_calls *calls; /* borrowed until the end */
    struct sl_keeper *keeper;    /* likewise: of the disk's bounds; NULL: there are none */
    const char *url;             /* of the host; copied */
    const char *folder;          /* is there and empty; copied */
    uint64_t run;
};

struct sl_run_copy_events {
    /* Asked every SL_RUN_COPY_TICK_MS; with false the copy ends with -ECANCELED. */
    bool (*wanted)(void *user);
    /* Terminal, once, never inside sl_run_copy_start(). 0; SL_E_LIMIT or -ENOSPC where there is too
     * much of it; -ETIMEDOUT; or what the host did not do, with words. What came stays in the
     * folder. */
    void (*ended)(void *user, int rc, const char *why);
};

/* 0, -ENAMETOOLONG or -ENOMEM. `events` is borrowed until the end. */
int sl_run_copy_start(uv_loop_t *loop, const struct sl_run_copy_setup *setup,
                      const struct sl_run_copy_events *events, void *user);
