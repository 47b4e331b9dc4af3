/* host/http/listener.h: the addresses that the server listens on. */
#pragma once

#include <stdbool.h>

struct sl_diag;
struct sl_http;
struct sl_http_listener;

/* Opens "unix:PATH" (mode 0600) or "tcp:HOST:PORT", on loopback unless `remote` ones may be. 0 or a
 * code with words. */
int sl_http_listen(struct sl_http *http, const char *address, bool remote, struct sl_diag *diag);

/* A client waits there, or may. */
void sl_http_accept(struct sl_http_listener *listener);

/* Closes them, and removes the files of the Unix sockets; the loop finishes it. */
void sl_http_unlisten(struct sl_http *http);
