/* common/net/address.h: where a peer listens: "tcp:HOST:PORT" (a literal address), "unix:PATH" or
 * "abstract:NAME" (Linux). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

struct sl_diag;

struct sl_address {
    struct sockaddr_storage socket; /* AF_INET, AF_INET6 or AF_UNIX */
    socklen_t len;
};

/* -EINVAL with the reason in `diag` (may be NULL). Names are not resolved: "localhost" is
 * 127.0.0.1, an IPv6 address stands in brackets, a port of 0 lets the system choose. */
int sl_address_parse(const char *text, struct sl_address *out, struct sl_diag *diag);

/* Nobody but this machine gets there. */
bool sl_address_is_loopback(const struct sl_address *address);

/* Writes it in the form that sl_address_parse() takes, cut at `size`. */
void sl_address_format(const struct sl_address *address, char *out, size_t size);

/* A listening, non-blocking, close-on-exec socket; the owner closes it. A stale Unix socket file
 * that nobody listens on is replaced; a new one is made with mode 0600. Gives the address that the
 * system chose to *bound (may be NULL). Returns the descriptor or -errno. */
int sl_address_listen(const struct sl_address *address, struct sl_address *bound);
