/* host/http/inherited.c */
#include "host/http/inherited.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

enum { FIRST = 3, MOST = 64 };

static bool is_same(const struct sockaddr *a, const struct sockaddr *b)
{
    if (a->sa_family != b->sa_family)
        return false;
    if (a->sa_family == AF_UNIX)
        return strcmp(((const struct sockaddr_un *)a)->sun_path,
                      ((const struct sockaddr_un *)b)->sun_path) == 0;
    if (a->sa_family == AF_INET) {
        const struct sockaddr_in *x = (const void *)a, *y = (const void *)b;
        return x->sin_port == y->sin_port && x->sin_addr.s_addr == y->sin_addr.s_addr;
    }
    const struct sockaddr_in6 *x = (const void *)a, *y = (const void *)b;
    return x->sin6_port == y->sin6_port &&
           memcmp(&x->sin6_addr, &y->sin6_addr, sizeof(x->sin6_addr)) == 0;
}

static bool listens(int fd)
{
    int on = 0;
    socklen_t size = sizeof(on);
    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &size) == 0 && on;
}

int sl_http_inherited(const struct sockaddr *address)
{
    const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
    if (!pid || !count || strtol(pid, NULL, 10) != (long)getpid())
        return -1;
    long end = FIRST + strtol(count, NULL, 10);
    for (int fd = FIRST; fd < end && fd < FIRST + MOST; fd++) {
        union {
            struct sockaddr any;
            struct sockaddr_un un;
            struct sockaddr_in6 v6;
        } own = {.any = {0}};
        socklen_t size = sizeof(own) - 1; /* a path keeps its end */
        if (getsockname(fd, &own.any, &size) == 0 && is_same(&own.any, address) && listens(fd) &&
            fcntl(fd, F_SETFD, FD_CLOEXEC) == 0)
            return fd;
    }
    return -1;
}
