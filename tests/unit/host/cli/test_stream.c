/* tests/unit/host/cli/test_stream.c: a job's events out of a daemon that keeps ending the
 * connection: a private one, which listens, is asked no more often than one that is gone. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "host/cli/stream.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/private_daemon.h"
#include "host/cli/sse.h"
#include "tests/support/test.h"

#define STREAM "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
#define EVENT(n) "retry: 1\nid: " n "\nevent: state\ndata: {\"n\":" n "}\n\n"

static char folder[64], address[128];
static struct sl_private_daemon daemon_place;
static struct sl_client *client;
static pid_t server;

/* In memory that the server shares: the requests so far, and the last one. */
static struct asked {
    int count;
    char last[4096];
} *asked;

/* In the child: answers the i-th connection with the i-th text, all later ones with the last. */
static void serve(int listener, const char *const *answers, int count)
{
    alarm(120); /* ends it where nobody is left to */
    for (int i = 0;; i++) {
        char request[sizeof(asked->last)];
        int fd = accept(listener, NULL, NULL);
        ssize_t n = fd < 0 ? -1 : recv(fd, request, sizeof(request) - 1, 0);
        if (fd >= 0 && n == 0) { /* somebody only looked whether it listens */
            close(fd);
            i--;
            continue;
        }
        if (n <= 0)
            _exit(1);
        request[n] = '\0';
        memcpy(asked->last, request, (size_t)n + 1);
        asked->count++;
        const char *answer = answers[i < count ? i : count - 1];
        if (send(fd, answer, strlen(answer), MSG_NOSIGNAL) < 0)
            _exit(1);
        close(fd);
    }
}

static void begin(const char *const *answers, int count)
{
    struct sl_diag diag = {.what = ""};
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    const struct sl_cli cli = {.width = 80};
    snprintf(folder, sizeof(folder), "/tmp/sl-stream-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(daemon_place.socket, sizeof(daemon_place.socket), "%s/sock", folder);
    snprintf(at.sun_path, sizeof(at.sun_path), "%s", daemon_place.socket);
    snprintf(address, sizeof(address), "unix:%s", daemon_place.socket);
    asked = mmap(NULL, sizeof(*asked), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(asked != MAP_FAILED);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (const struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(listener, 16), 0);
    server = fork();
    assert_true(server >= 0);
    if (server == 0)
        serve(listener, answers, count);
    close(listener);
    assert_int_equal(sl_client_open_private(&cli, &daemon_place, &client, &diag), 0);
}

static int end(void **state)
{
    char command[96];
    *state = NULL;
    sl_client_free(client);
    client = NULL;
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    munmap(asked, sizeof(*asked));
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

struct heard {
    int events, losses, wanted;
    char data[64], why[160];
};

static bool on_event(void *user, const struct sl_sse_event *event)
{
    struct heard *heard = user;
    snprintf(heard->data, sizeof(heard->data), "%s", event->data);
    return ++heard->events < heard->wanted;
}

static void on_lost(void *user, const char *why)
{
    struct heard *heard = user;
    heard->losses++;
    snprintf(heard->why, sizeof(heard->why), "%s", why);
}

static int follow(struct heard *heard, uint64_t *out_ms, struct sl_diag *diag)
{
    const struct sl_stream_options options = {on_event, on_lost, heard};
    uint64_t began = sl_clock_ns();
    int rc = sl_stream_follow(client, "/api/v1/jobs/1/events", &options, diag);
    *out_ms = (sl_clock_ns() - began) / 1000000;
    return rc;
}

TEST_WITH(a_private_daemon_that_ends_each_connection_is_asked_with_pauses, NULL, end)
{
    static const char *const answers[] = {"", "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n",
                                          STREAM EVENT("1")};
    struct heard heard = {.wanted = 1};
    struct sl_diag diag = {.what = ""};
    uint64_t ms;
    begin(answers, 3);
    assert_int_equal(follow(&heard, &ms, &diag), 0);
    assert_int_equal(asked->count, 3);
    assert_true(ms >= 500 + 1000);
    assert_int_equal(heard.losses, 1); /* told once */
    assert_true(heard.why[0]);
}

TEST_WITH(a_daemon_that_ends_after_each_event_is_asked_for_those_after_it_and_with_pauses, NULL,
          end)
{
    static const char *const answers[] = {STREAM EVENT("7"), STREAM EVENT("8"), STREAM EVENT("9")};
    struct heard heard = {.wanted = 3};
    struct sl_diag diag = {.what = ""};
    uint64_t ms;
    begin(answers, 3);
    assert_int_equal(follow(&heard, &ms, &diag), 0);
    assert_string_equal(heard.data, "{\"n\":9}");
    assert_int_equal(asked->count, 3);
    assert_non_null(strstr(asked->last, "Last-Event-ID: 8\r\n"));
    assert_true(ms >= 2 * 500); /* whatever pause the server asks for */
    assert_int_equal(heard.losses, 2);
}

TEST_WITH(what_the_daemon_refuses_is_not_asked_again, NULL, end)
{
    static const char *const answers[] = {
        "HTTP/1.1 404 Not Found\r\nContent-Type: application/problem+json\r\nContent-Length: 41\r\n"
        "\r\n{\"status\":404,\"detail\":\"there is no job\"}\n"};
    struct heard heard = {.wanted = 1};
    struct sl_diag diag = {.what = ""};
    uint64_t ms;
    begin(answers, 1);
    assert_int_equal(follow(&heard, &ms, &diag), SL_E_NOT_FOUND);
    assert_string_equal(diag.what, "there is no job");
    assert_int_equal(asked->count, 1);
    assert_int_equal(heard.losses, 0);
}

TEST_WITH(events_that_are_no_events_end_it, NULL, end)
{
    static char answer[SL_SSE_LINE_BYTES + 256];
    const char *const answers[] = {answer};
    struct heard heard = {.wanted = 1};
    struct sl_diag diag = {.what = ""};
    uint64_t ms;
    int used = snprintf(answer, sizeof(answer), "%s", STREAM "data: ");
    memset(answer + used, 'x', SL_SSE_LINE_BYTES + 16);
    begin(answers, 1);
    assert_int_equal(follow(&heard, &ms, &diag), SL_E_LIMIT);
    assert_int_equal(asked->count, 1);
}
