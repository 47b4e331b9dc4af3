/* host/http/context.h: what the server's own files share. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "common/base/histogram.h"
#include "host/http/auth.h"
#include "host/http/connection.h"
#include "host/http/known_runs.h"
#include "host/http/options.h"
#include "host/http/places.h"
#include "host/http/rate.h"
#include "host/http/tls.h"
#include "host/spec/web_origin.h"
#include "host/store/blobs.h"

struct sl_keeper;
struct sl_lab;
struct sl_live;
struct sl_peer_calls;

struct sl_http_counts {
    uint64_t requests[6]; /* by the hundreds of their status; [0]: without an answer */
    uint64_t streams_cut; /* clients that did not read */
};

/* Requests in the log. */
struct sl_http_told {
    uint64_t second; /* of the loop's clock, the one that `told` counts in */
    unsigned told;
    uint64_t untold;
};

struct sl_http {
    uv_loop_t *loop;             /* borrowed */
    struct sl_lab *lab;          /* borrowed */
    struct sl_keeper *keeper;    /* borrowed; NULL: none */
    struct sl_peer_calls *peers; /* the same */
    struct sl_http_listener listeners[SL_HTTP_MAX_LISTENERS];
    size_t listener_count;
    struct sl_tls_identity *identity; /* owned; NULL: no listener speaks TLS */
    struct sl_http_clients clients;
    struct sl_auth auth;
    struct sl_http_rate rate; /* by the loop's clock */
    struct sl_http_places places;
    struct sl_known_runs known_runs; /* by the loop's clock */
    struct sl_web_origins origins;   /* whose pages may ask; none: nothing is said of origins */
    struct sl_blobs blobs;
    bool allow_runners;
    uint64_t max_blob_bytes;
    struct sl_http_comparer compare;
    struct sl_http_devices devices;
    size_t exchanges, streams, queries, packers;
    size_t copying;           /* comparisons that have copies of other hosts' runs */
    size_t digesting;         /* lists of files that are made with their digests */
    bool reading_blobs;       /* to compare them with their names */
    atomic_bool stop_reading; /* the server ends, and the thread that reads them too */
    uint64_t swept_ms;        /* the loop's time of the last look at old partial uploads; 0: none */
    struct sl_live *live;     /* the streams of events */
    struct sl_http_counts counts;
    uint64_t last_request; /* its number; they rise, also over restarts */
    struct sl_http_told told;
    uv_timer_t beat;             /* while there are streams */
    uv_timer_t retry;            /* to accept who could not be */
    uv_prepare_t turn;           /* of the loop, before it waits */
    struct sl_histogram turns;   /* how long the loop worked in each */
    uint64_t turned_ns, idle_ns; /* at the end of the last */
    int state_trouble; /* why files of the state could not be written when last looked; 0: they can
                        */
    bool draining, stopping, ending;
    int open_handles;
    void (*closed)(void *user);
    void *closed_user;
};

/* Something has ended: goes on with the server's end when that was the last. */
void sl_http_settle(struct sl_http *http);
