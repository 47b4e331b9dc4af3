/* host/http/server.h: the daemon's HTTP/JSON interface on its own libuv loop.
 *
 * A Unix socket is guarded by its file's permissions (0600), who may open it may do everything; TCP
 * asks for a bearer token, and is loopback only unless its owner wishes otherwise. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "host/http/options.h"

typedef struct uv_loop_s uv_loop_t;
struct sl_diag;
struct sl_http;
struct sl_lab;
struct sl_peer_calls;

/* Listens at once. The process ignores SIGPIPE. `lab` is borrowed and outlives the server. A port
 * of 0 lets the system choose. Blocks for the little that start-up takes. 0, or a code with words:
 * -EADDRINUSE when another daemon listens there, SL_E_UNSUPPORTED for an address beyond loopback.
 */
int sl_http_new(uv_loop_t *loop, struct sl_lab *lab, const struct sl_http_options *options,
                struct sl_http **out, struct sl_diag *diag);

/* Files that other hosts of the store have are asked for by these, which outlive the server; NULL,
 * as before it: nobody is asked. */
void sl_http_ask_peers(struct sl_http *http, struct sl_peer_calls *peers);

/* Connections so far; *out_open of them are open now. */
uint64_t sl_http_connections(const struct sl_http *http, size_t *out_open);

/* From here on /readyz says that the daemon ends with the jobs that run; all else is answered as
 * before. */
void sl_http_drain(struct sl_http *http);

/* Ends every connection, also streams of events; waits for what store and worker threads still owe,
 * then calls `closed` last. Never inside the call. */
void sl_http_close(struct sl_http *http, void (*closed)(void *user), void *user);
