/* tests/unit/host/http/test_inherited.c */
#include "host/http/inherited.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/support/unit.h"

enum { FIRST = 3, SOCKETS = 3 };

static void say(long pid, const char *count)
{
    char text[24];
    snprintf(text, sizeof(text), "%ld", pid);
    setenv("LISTEN_PID", text, 1);
    setenv("LISTEN_FDS", count, 1);
}

static void put(int fd, int at)
{
    assert_int_equal(dup2(fd, at), at);
    if (fd != at)
        close(fd);
}

/* At 3 a socket that was never bound, at 4 one of a path, at 5 one of 127.0.0.1. */
static void open_sockets(const struct sockaddr_un *path, struct sockaddr_in *out_port)
{
    socklen_t size = sizeof(*out_port);
    *out_port = (struct sockaddr_in){.sin_family = AF_INET};
    out_port->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    put(socket(AF_UNIX, SOCK_STREAM, 0), FIRST);
    put(socket(AF_UNIX, SOCK_STREAM, 0), FIRST + 1);
    put(socket(AF_INET, SOCK_STREAM, 0), FIRST + 2);
    assert_int_equal(bind(FIRST + 1, (const struct sockaddr *)path, sizeof(*path)), 0);
    assert_int_equal(bind(FIRST + 2, (const struct sockaddr *)out_port, size), 0);
    assert_int_equal(getsockname(FIRST + 2, (struct sockaddr *)out_port, &size), 0);
}

TEST(socket_is_found_by_its_address)
{
    struct sockaddr_un path = {.sun_family = AF_UNIX}, other = {.sun_family = AF_UNIX};
    struct sockaddr_in port, next;
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    snprintf(path.sun_path, sizeof(path.sun_path), "/tmp/sl-inherited-%ld", (long)getpid());
    snprintf(other.sun_path, sizeof(other.sun_path), "/tmp/sl-inherited");
    unlink(path.sun_path);
    open_sockets(&path, &port);
    next = port;
    next.sin_port = htons((uint16_t)(ntohs(port.sin_port) ^ 1));
    say((long)getpid(), "3");
    assert_int_equal(sl_http_inherited((const struct sockaddr *)&path),
                     -1); /* it does not listen */
    assert_int_equal(listen(FIRST + 1, 1), 0);
    assert_int_equal(listen(FIRST + 2, 1), 0);
    assert_int_equal(sl_http_inherited((const struct sockaddr *)&path), FIRST + 1);
    assert_true(fcntl(FIRST + 1, F_GETFD) & FD_CLOEXEC);
    assert_int_equal(sl_http_inherited((const struct sockaddr *)&port), FIRST + 2);
    assert_int_equal(sl_http_inherited((const struct sockaddr *)&other), -1);
    assert_int_equal(sl_http_inherited((const struct sockaddr *)&next), -1);
    assert_int_equal(sl_http_inherited((const struct sockaddr *)&v6), -1);
    say((long)getpid(), "2"); /* the third was not passed on */
    assert_int_equal(sl_http_inherited((const struct sockaddr *)&port), -1);
    say(1, "3"); /* they are another process's */
    assert_int_equal(sl_http_inherited((const struct sockaddr *)&path), -1);
    say((long)getpid(), "999999999999");
    assert_int_equal(sl_http_inherited((const struct sockaddr *)&other), -1);
    unsetenv("LISTEN_FDS");
    assert_int_equal(sl_http_inherited((const struct sockaddr *)&path), -1);
    for (int i = 0; i < SOCKETS; i++)
        close(FIRST + i);
    unlink(path.sun_path);
}
