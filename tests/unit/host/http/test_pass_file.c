/* tests/unit/host/http/test_pass_file.c */
#include "host/http/pass_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/unit.h"

enum { SIZE = 3 << 20 };

/* A file of SIZE bytes, and a pair of sockets that do not block. */
struct ends {
    FILE *file;
    int sockets[2];
};

static struct ends open_ends(void)
{
    struct ends ends = {.file = tmpfile()};
    assert_non_null(ends.file);
    for (int i = 0; i < SIZE; i++)
        putc((i * 31 + i / 4096) & 0xff, ends.file);
    assert_int_equal(fflush(ends.file), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.sockets), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(fcntl(ends.sockets[i], F_SETFL, O_NONBLOCK), 0);
    return ends;
}

static void close_ends(struct ends *ends)
{
    fclose(ends->file);
    close(ends->sockets[0]);
    close(ends->sockets[1]);
}

TEST(a_file_is_passed_as_the_socket_has_room)
{
    static unsigned char piece[SIZE];
    struct ends ends = open_ends();
    uint64_t at = 5;
    size_t got = 5;
    unsigned full = 0;
    while (got < SIZE) {
        int64_t n = sl_http_pass_file(ends.sockets[0], fileno(ends.file), at, SIZE - at);
        assert_in_range(n, 0, SIZE - at);
        at += (uint64_t)n;
        full += n == 0;
        if (n > 0)
            continue; /* until it is full */
        ssize_t read_n = read(ends.sockets[1], piece + got, SIZE - got);
        assert_true(read_n > 0);
        got += (size_t)read_n;
    }
    assert_true(full > 1);
    for (int i = 5; i < SIZE; i++)
        assert_int_equal(piece[i], (i * 31 + i / 4096) & 0xff);
    close_ends(&ends);
}

TEST(past_its_end_a_file_has_nothing_to_pass)
{
    struct ends ends = open_ends();
    assert_int_equal(sl_http_pass_file(ends.sockets[0], fileno(ends.file), SIZE, 100), 0);
    assert_int_equal(sl_http_pass_file(ends.sockets[0], fileno(ends.file), SIZE - 3, 100), 3);
    close_ends(&ends);
}

TEST(a_failure_is_told_by_its_number)
{
    struct ends ends = open_ends();
    assert_int_equal(sl_http_pass_file(ends.sockets[0], -1, 0, 100), -EBADF);
    close_ends(&ends);
}
