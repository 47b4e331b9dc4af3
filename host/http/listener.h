/* host/http/listener.h: the addresses that the server listens on. */
#pragma once

#include <stddef.h>

struct sl_diag;
struct sl_http;

/* Opens "unix:PATH" (mode 0600) or "tcp:HOST:PORT" on loopback. 0 or a code with words. */
int sl_http_listen(struct sl_http *http, const char *address, struct sl_diag *diag);

/* Removes the files of the Unix sockets. */
void sl_http_unlink(struct sl_http *http);
