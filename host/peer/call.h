/* host/peer/call.h: GET requests to other hosts of the store, through libcurl on the loop.
 *
 * On the loop's thread. A call goes to the address that its host wrote into the store, follows no
 * redirect and uses no proxy. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct uv_loop_s uv_loop_t;
struct sl_peer_call;
struct sl_peer_calls; /* of one loop */

enum {
    SL_PEER_MAX_CALLS = 64,
    SL_PEER_KEPT_CALLS = 16, /* of them, for what no client asks */
    SL_PEER_CONNECT_MS = 5000,
    SL_PEER_STALL_S = 30
};

/* The token shows the other host who asks (host/http/auth.h). `certificates`: a file of those that
 * sign the hosts' own, in PEM; NULL: the system's. Both are copied. 0 or -ENOMEM. */
int sl_peer_calls_new(uv_loop_t *loop, const char *token, const char *certificates,
                      struct sl_peer_calls **out);
/* Ends all calls without a word; `closed` comes last, from the loop. */
void sl_peer_calls_close(struct sl_peer_calls *calls, void (*closed)(void *user), void *user);

struct sl_peer_request {
    const char *url;            /* of the host: "https://HOST:PORT" */
    const char *path;           /* from its first slash; what no path may have is escaped */
    const char *query;          /* as it came, likewise; NULL: none */
    bool head;                  /* HEAD in place of GET */
    const char *const *headers; /* further lines, without their ends */
    size_t header_count;
    bool ours;           /* no client asks: calls are kept for it */
    uint32_t least_rate; /* bytes/s over SL_PEER_STALL_S; 0: any that is not a standstill */
};

/* Counted by those who make the calls, for the metrics. */
struct sl_peer_counts {
    uint64_t fetched, fetched_bytes, missing; /* files of jobs; that no host had */
    uint64_t relayed, refused;                /* answers to clients; those that there were not */
};
struct sl_peer_counts *sl_peer_counts(struct sl_peer_calls *calls);

/* None comes inside sl_peer_call_start(). */
struct sl_peer_call_events {
    /* The first bytes of the body, or its end, are there: the head is known by now. */
    void (*head)(void *user, int status);
    /* Bytes of the body, all or none: false: they come again after sl_peer_call_go_on(). */
    bool (*body)(void *user, const void *bytes, size_t len);
    /* Terminal: 0, or -ECONNREFUSED, -ETIMEDOUT, -EPROTO with words; without a head before it when
     * none came. */
    void (*ended)(void *user, int rc, const char *why);
};

/* 0, SL_E_FULL (too many are under way) or -ENOMEM. Everything but `events` is copied. */
int sl_peer_call_start(struct sl_peer_calls *calls, const struct sl_peer_request *request,
                       const struct sl_peer_call_events *events, void *user,
                       struct sl_peer_call **out);
/* A header of the answer; NULL: it has none. Borrowed until the call ends. */
const char *sl_peer_call_header(struct sl_peer_call *call, const char *name);
/* There is room again for what body() did not take. */
void sl_peer_call_go_on(struct sl_peer_call *call);
/* No event follows; the call is gone. Also from inside an event. */
void sl_peer_call_stop(struct sl_peer_call *call);
