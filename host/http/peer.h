/* host/http/peer.h: who is at the other end of a Unix socket. */
#pragma once

#include <stdint.h>

/* The user of the process that connected, as the kernel knows it: 0 and the user's number, or
 * -errno. */
int sl_http_peer_user(int fd, uint32_t *out_user);
