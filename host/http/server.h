/* host/http/server.h: the daemon's HTTP/JSON interface on its own libuv loop.
 *
 * A Unix socket is guarded by its file's permissions (0600), who may open it may do everything; TCP
 * asks for a bearer token, and is loopback only unless its owner wishes otherwise. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/records.h"

typedef struct uv_loop_s uv_loop_t;
struct sl_buf;
struct sl_diag;
struct sl_http;
struct sl_lab;

enum {
    SL_HTTP_MAX_LISTENERS = 8,
    SL_HTTP_MAX_STREAMS = 256, /* of events, of each listener; one more is told 429 */
    SL_HTTP_MAX_JSON_BYTES = 1 << 20,
};
#define SL_HTTP_MAX_BLOB_BYTES (UINT64_C(64) << 30)

/* Two runs of the store, and which variant of each: 0 off, 1 on. Or one alone, the first. */
struct sl_http_comparison {
    bool trace;                         /* of one run alone: its events for the Perfetto UI */
    char directories[2][SL_PATH_BYTES]; /* baseline, candidate; absolute */
    char names[2][32];                  /* how the answer calls them */
    int levels[2];
};
/* Appends the comparison as JSON, or the trace. 0 or a negative code with words. Off the loop. */
typedef int (*sl_http_compare_fn)(void *user, const struct sl_http_comparison *what,
                                  struct sl_buf *out, struct sl_diag *diag);

struct sl_http_options {
    const char
        *listen[SL_HTTP_MAX_LISTENERS]; /* "unix:PATH", "tcp:127.0.0.1:PORT", "tcp:[::1]:PORT" */
    size_t listen_count;
    bool allow_remote;          /* addresses beyond loopback too, without TLS */
    uint64_t max_blob_bytes;    /* 0: SL_HTTP_MAX_BLOB_BYTES */
    sl_http_compare_fn compare; /* NULL: nobody compares, and it is 503 */
    void *compare_user;
    unsigned timeout_s; /* for a client that neither reads nor sends; 0: 20 */
};

/* Listens at once. The process ignores SIGPIPE. `lab` is borrowed and outlives the server. A port
 * of 0 lets the system choose. Blocks for the little that start-up takes. 0, or a code with words:
 * -EADDRINUSE when another daemon listens there, SL_E_UNSUPPORTED for an address beyond loopback.
 */
int sl_http_new(uv_loop_t *loop, struct sl_lab *lab, const struct sl_http_options *options,
                struct sl_http **out, struct sl_diag *diag);

/* Looks at the words of an address alone: 0, or what sl_http_new() would say of it. */
int sl_http_check_address(const char *address, bool remote, struct sl_diag *diag);

/* The port of the nth address; 0 for a Unix socket. */
int sl_http_port(const struct sl_http *http, size_t listener);

/* Connections so far; *out_open of them are open now. */
uint64_t sl_http_connections(const struct sl_http *http, size_t *out_open);

/* Ends every connection, also streams of events; waits for what store and worker threads still owe,
 * then calls `closed` last. Never inside the call. */
void sl_http_close(struct sl_http *http, void (*closed)(void *user), void *user);
