/* tests/support/adb_script.c */
#include "tests/support/adb_script.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/net/address.h"
#include "tests/support/unit.h"

static void read_exactly(int fd, char *out, size_t len)
{
    for (size_t at = 0; at < len;) {
        ssize_t got = recv(fd, out + at, len - at, 0);
        if (got <= 0)
            _exit(3);
        at += (size_t)got;
    }
}

/* Four digits of its length before it: no beginning of one. */
static bool is_whole_request(const char *text)
{
    char digits[5] = "", *end;
    strncpy(digits, text, 4);
    return strlen(text) > 4 && strtoul(digits, &end, 16) == strlen(text) - 4 && *end == '\0';
}

/* A server takes what comes with a request for a part of it, and a client that ends its side for
 * one that is gone. */
static void nothing_follows(int fd, const char *request)
{
    char more;
    if (recv(fd, &more, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN)
        return;
    fprintf(stderr, "'%s' is not waited for\n", request);
    _exit(6);
}

/* Reads the rest first: a close with bytes unread would reset the connection, and its answers would
 * be lost. A client that was refused closes it too; one that was not may go on with its end. */
static void end_connection(int fd, bool refused)
{
    const struct timeval limit = {.tv_sec = refused ? 10 : 0, .tv_usec = 200000};
    char rest[4096];
    ssize_t got;
    shutdown(fd, SHUT_WR);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    do
        got = recv(fd, rest, sizeof(rest), 0);
    while (got > 0);
    if (refused && got < 0 && errno == EAGAIN) {
        fprintf(stderr, "the connection stays open\n");
        _exit(5);
    }
    close(fd);
}

static void answer(int listener, const struct sl_adb_step *steps)
{
    char said[4096];
    alarm(30);
    for (const struct sl_adb_step *step = steps; step->expect; step++) {
        int fd = accept(listener, NULL, NULL);
        bool refused = false;
        for (; step->expect; step++) {
            size_t len = strlen(step->expect);
            read_exactly(fd, said, step->skip);
            read_exactly(fd, said, len);
            said[len] = '\0';
            if (memcmp(said, step->expect, len) != 0) {
                fprintf(stderr, "wanted '%s', got '%s'\n", step->expect, said);
                _exit(2);
            }
            if (is_whole_request(step->expect))
                nothing_follows(fd, step->expect);
            size_t reply = step->len > 0 ? step->len : step->reply ? strlen(step->reply) : 0;
            if (reply > 0 && send(fd, step->reply, reply, MSG_NOSIGNAL) != (ssize_t)reply)
                _exit(4);
            refused = reply >= 4 && memcmp(step->reply, "FAIL", 4) == 0;
        }
        end_connection(fd, refused);
    }
    _exit(0);
}

pid_t sl_adb_script_start(const struct sl_adb_step *steps)
{
    struct sl_address address, bound;
    char text[64], spec[96];
    assert_int_equal(sl_address_parse("tcp:127.0.0.1:0", &address, NULL), 0);
    int fd = sl_address_listen(&address, &bound);
    assert_true(fd >= 0);
    sl_address_format(&bound, text, sizeof(text));
    snprintf(spec, sizeof(spec), "%s", text);
    setenv("ADB_SERVER_SOCKET", spec, 1);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        fcntl(fd, F_SETFL, 0); /* accept() waits */
        answer(fd, steps);
    }
    close(fd);
    return pid;
}

int sl_adb_script_end(pid_t pid)
{
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
