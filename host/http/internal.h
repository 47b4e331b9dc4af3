/* host/http/internal.h: what the server's own files share. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libwebsockets.h>
#include <uv.h>

#include "host/http/auth.h"
#include "host/http/refusal.h"
#include "host/http/server.h"
#include "host/store/blobs.h"

enum { SL_HTTP_CHUNK_BYTES = 16384 };

struct sl_http_counts {
    uint64_t requests[6]; /* by the hundreds of their status; [0]: without an answer */
    uint64_t sent_bytes, received_bytes;
    uint64_t streams_cut; /* clients that did not read */
};

struct sl_http {
    uv_loop_t *loop;    /* borrowed */
    struct sl_lab *lab; /* borrowed */
    struct lws_context *context;
    struct lws_protocols protocols[2];
    struct lws_vhost *hosts[SL_HTTP_MAX_LISTENERS];
    char paths[SL_HTTP_MAX_LISTENERS][SL_PATH_BYTES]; /* of Unix sockets */
    size_t host_count;
    struct sl_auth auth;
    struct sl_blobs blobs;
    uint64_t max_blob_bytes;
    sl_http_compare_fn compare;
    void *compare_user;
    unsigned timeout_s;
    size_t connections, exchanges, streams;
    uint64_t accepted;    /* connections so far */
    uint64_t swept_ms;    /* the loop's time of the last look at old partial uploads; 0: none */
    struct sl_live *live; /* the streams of events */
    struct sl_http_counts counts;
    struct sl_http_refusals refusals;
    uv_timer_t beat;    /* while there are streams */
    uv_timer_t closing; /* looks after the library's handles at the end */
    uv_handle_t *library_handles[4];
    size_t library_handle_count, handles_before;
    int wake_fd; /* by which the library wakes itself: see server.c */
    bool stopping, destroyed;
    int open_handles;
    void (*closed)(void *user);
    void *closed_user;
    unsigned char scratch[LWS_PRE + SL_HTTP_CHUNK_BYTES];
};
