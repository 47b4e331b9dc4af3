/* common/base/socket_linux.c */
#define _GNU_SOURCE /* TCP_USER_TIMEOUT */
#include "common/base/socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

int sl_socket(int family, int type, bool nonblocking)
{
    int fd = socket(family, type | SOCK_CLOEXEC | (nonblocking ? SOCK_NONBLOCK : 0), 0);
    return fd < 0 ? -errno : fd;
}

int sl_socket_pair(int ends[2])
{
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0 ? -errno
                                                                                        : 0;
}

void sl_socket_limit_silence(int fd, unsigned ms)
{
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
}
