/* host/http/listener.h: the addresses that the server listens on. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sl_diag;
struct sl_http;

/* Opens "unix:PATH" (mode 0600), "tcp:HOST:PORT", on loopback unless `remote` ones may be, or
 * "tls:HOST:PORT", which the server's certificate is for; takes the service manager's socket where
 * it has one for the address. 0 or a code with words. */
int sl_http_listen(struct sl_http *http, const char *address, bool remote, struct sl_diag *diag);

/* Looks at the words of an address alone: 0, or what sl_http_listen() would say of it;
 * `certified`: the server has a certificate. */
int sl_http_check_address(const char *address, bool remote, bool certified, struct sl_diag *diag);

/* The port of the nth address; 0 for a Unix socket. */
int sl_http_port(const struct sl_http *http, size_t listener);

/* Closes them, and removes the files of the Unix sockets; the loop finishes it. */
void sl_http_unlisten(struct sl_http *http);
