/* tests/unit/common/base/test_socket.c: what sockets are and are not. */
#include "common/base/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/unit.h"

static void check(int fd, bool nonblocking)
{
    assert_true(fd >= 0);
    assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_int_equal((fcntl(fd, F_GETFL) & O_NONBLOCK) != 0, nonblocking);
}

TEST(a_socket_closes_on_exec_and_blocks_unless_asked_otherwise)
{
    (void)state;
    for (int nonblocking = 0; nonblocking < 2; nonblocking++) {
        int fd = sl_socket(AF_UNIX, SOCK_DGRAM, nonblocking != 0), type = 0;
        socklen_t size = sizeof(type);
        check(fd, nonblocking != 0);
        assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size), 0);
        assert_int_equal(type, SOCK_DGRAM);
        close(fd);
    }
    assert_int_equal(sl_socket(-1, SOCK_STREAM, false), -EAFNOSUPPORT);
}

TEST(what_goes_into_one_end_of_a_pair_comes_out_of_the_other)
{
    int ends[2];
    char byte = 0;
    (void)state;
    assert_int_equal(sl_socket_pair(ends), 0);
    check(ends[0], true);
    check(ends[1], true);
    assert_int_equal(recv(ends[1], &byte, 1, 0), -1);
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(send(ends[0], "x", 1, 0), 1);
    assert_int_equal(recv(ends[1], &byte, 1, 0), 1);
    assert_int_equal(byte, 'x');
    close(ends[0]);
    close(ends[1]);
}

TEST(the_silence_of_a_peer_is_limited)
{
    int fd = sl_socket(AF_INET, SOCK_STREAM, true);
    unsigned ms = 0;
    socklen_t size = sizeof(ms);
    (void)state;
    sl_socket_limit_silence(fd, 7000);
    assert_int_equal(getsockopt(fd, IPPROTO_TCP, 18 /* TCP_USER_TIMEOUT */, &ms, &size), 0);
    assert_int_equal(ms, 7000);
    close(fd);
}
