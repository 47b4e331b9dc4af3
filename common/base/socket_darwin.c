/* common/base/socket_darwin.c: another thread's exec between the two calls inherits the socket. */
#include "common/base/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

static void set_up(int fd, bool nonblocking)
{
    int on = 1;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (nonblocking)
        fcntl(fd, F_SETFL, O_NONBLOCK);
    setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof(on));
}

int sl_socket(int family, int type, bool nonblocking)
{
    int fd = socket(family, type, 0);
    if (fd < 0)
        return -errno;
    set_up(fd, nonblocking);
    return fd;
}

int sl_socket_pair(int ends[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
        return -errno;
    set_up(ends[0], true);
    set_up(ends[1], true);
    return 0;
}

void sl_socket_limit_silence(int fd, unsigned ms)
{
    unsigned seconds = (ms + 999) / 1000;
    setsockopt(fd, IPPROTO_TCP, TCP_RXT_CONNDROPTIME, &seconds, sizeof(seconds));
}
