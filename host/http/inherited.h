/* host/http/inherited.h: sockets that the service manager opened for this process, as
 * sd_listen_fds(3) describes it. */
#pragma once

#include <sys/socket.h>

/* The one that listens at `address`: its file descriptor, closed on exec; -1: there is none. */
int sl_http_inherited(const struct sockaddr *address);
