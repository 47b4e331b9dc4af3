/* common/base/socket.h: sockets that close on exec, on systems that ask for it in different ways. A
 * write to one whose other end is gone fails and sends no signal where MSG_NOSIGNAL is given. */
#pragma once

#include <stdbool.h>

/* `family` and `type` are socket()'s. The descriptor, or -errno. */
int sl_socket(int family, int type, bool nonblocking);

/* Two connected ends of this machine's, neither of which blocks. 0 or -errno. */
int sl_socket_pair(int ends[2]);

/* A TCP connection whose peer acknowledges nothing for so long fails; macOS counts in seconds. */
void sl_socket_limit_silence(int fd, unsigned ms);
