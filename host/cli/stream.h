/* host/cli/stream.h: follows a job's events, and comes back by itself after a lost connection. */
#pragma once

#include <stdbool.h>

struct sl_client;
struct sl_diag;
struct sl_sse_event;

enum { SL_STREAM_GIVE_UP_MS = 60000 };

struct sl_stream_options {
    /* Each event once, in order; a daemon tells the whole job first each time it is come back to.
     * False: enough, the stream is left. */
    bool (*on_event)(void *user, const struct sl_sse_event *event);
    void (*on_lost)(void *user, const char *why); /* once a loss; may be NULL */
    void *user;
};

/* 0 when on_event has enough; -EINTR on a signal; else a code with `diag` set: the daemon stayed
 * away for SL_STREAM_GIVE_UP_MS, or refused. */
int sl_stream_follow(struct sl_client *client, const char *path,
                     const struct sl_stream_options *options, struct sl_diag *diag);
