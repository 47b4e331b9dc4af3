/* tests/bench/load_http.c: many requests to a Unix socket over connections that are kept.
 *
 *   load_http SOCKET SECONDS CONNECTIONS RATE BODY PATH...
 *
 * RATE 0: each connection asks again as soon as it is answered. Otherwise so many requests fall due
 * each second, and the time of one counts from when it was due, also when no connection was free
 * then. BODY: a file to POST as JSON, or - to GET. The paths are taken in turn. Prints one object
 * of JSON. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/base/buf.h"

enum {
    MAX_CONNECTIONS = 256,
    MAX_HEAD = 16384,
    PIECE_BYTES = 256 << 10,
    MAX_REQUESTS = 4 << 20,
    MAX_BODY = 1 << 20
};

struct connection {
    int fd;
    bool busy;
    double due;          /* of the request under way, seconds since the start */
    size_t have, wanted; /* of the answer; wanted 0: its head is not here yet */
    char head[MAX_HEAD]; /* of the answer, and what of its body came with it */
};

struct load {
    const char *socket, *body_path;
    char *const *paths;
    int path_count, connection_count;
    double seconds, rate;
    struct sl_buf body;
    struct timespec start;
    struct connection *connections;
    float *times_ms;
    char *piece; /* bodies are counted, and not kept */
    size_t sent, answered, failed;
    uint64_t bytes;
};

static double now(const struct load *load)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)(at.tv_sec - load->start.tv_sec) +
           (double)(at.tv_nsec - load->start.tv_nsec) / 1e9;
}

static int open_connection(const struct load *load, struct connection *connection)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", load->socket);
    connection->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection->fd < 0 ||
        connect(connection->fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
        return -errno;
    return fcntl(connection->fd, F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
}

/* When the next request may go out; INFINITY-like when no more is to. */
static double next_due(const struct load *load, double at)
{
    double due = load->rate > 0 ? (double)load->sent / load->rate : at;
    return due < load->seconds && load->sent < MAX_REQUESTS ? due : load->seconds + 3600;
}

static int send_request(struct load *load, struct connection *connection, double due)
{
    char head[2048];
    const char *path = load->paths[load->sent % (size_t)load->path_count];
    int len = load->body.size > 0 ? snprintf(head, sizeof(head),
                                             "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                                             "application/json\r\nContent-Length: %zu\r\n\r\n",
                                             path, load->body.size)
                                  : snprintf(head, sizeof(head),
                                             "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
    struct iovec parts[2] = {{head, (size_t)len}, {load->body.data, load->body.size}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = load->body.size > 0 ? 2 : 1};
    ssize_t n = sendmsg(connection->fd, &message, MSG_NOSIGNAL);
    if (n != len + (ssize_t)load->body.size)
        return -1; /* a request is small: a socket that does not take it whole is broken */
    connection->busy = true;
    connection->due = due;
    connection->have = connection->wanted = 0;
    load->sent++;
    return 0;
}

/* The value of the header `name` ("content-length:"), whose case is the server's choice; NULL: the
 * head has none. */
static const char *header(const char *head, const char *name)
{
    size_t len = strlen(name);
    for (const char *line = strstr(head, "\r\n"); line; line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, name, len) == 0)
            return line + 2 + len;
    }
    return NULL;
}

/* 1 when an answer is whole, 0 when more must come, -1 for what is no answer. */
static int look_at(struct connection *connection)
{
    if (connection->wanted == 0) {
        connection->head[connection->have] = '\0';
        char *end = strstr(connection->head, "\r\n\r\n");
        if (!end)
            return connection->have == MAX_HEAD - 1 ? -1 : 0;
        end[2] = '\0'; /* the body's lines are none of the head's */
        const char *length = header(connection->head, "content-length:");
        if (!length)
            return -1;
        connection->wanted =
            (size_t)(end + 4 - connection->head) + (size_t)strtoull(length, NULL, 10);
    }
    return connection->have > connection->wanted ? -1 : connection->have == connection->wanted;
}

static int receive(struct load *load, struct connection *connection)
{
    bool in_head = connection->wanted == 0;
    ssize_t n = recv(connection->fd, in_head ? connection->head + connection->have : load->piece,
                     in_head ? MAX_HEAD - 1 - connection->have : PIECE_BYTES, 0);
    if (n <= 0)
        return n < 0 && errno == EAGAIN ? 0 : -1;
    connection->have += (size_t)n;
    load->bytes += (uint64_t)n;
    int whole = look_at(connection);
    if (whole <= 0)
        return whole;
    load->failed += strncmp(connection->head, "HTTP/1.1 2", 10) != 0;
    load->times_ms[load->answered++] = (float)((now(load) - connection->due) * 1e3);
    connection->busy = false;
    return 0;
}

static int send_all_due(struct load *load)
{
    for (int i = 0; i < load->connection_count; i++) {
        struct connection *connection = &load->connections[i];
        double at = now(load), due = next_due(load, at);
        if (due > at)
            break;
        if (!connection->busy && send_request(load, connection, due) < 0)
            return -1;
    }
    return 0;
}

static bool any_busy(const struct load *load)
{
    bool busy = false;
    for (int i = 0; i < load->connection_count; i++)
        busy = busy || load->connections[i].busy;
    return busy;
}

/* How long to sleep: until the next request is due, but look again each millisecond while it is due
 * and no connection is free. */
static struct timespec pause_before(const struct load *load)
{
    double at = now(load), wait = next_due(load, at) - at;
    if (at < load->seconds && wait > load->seconds - at)
        wait = load->seconds - at; /* the end is seen when it is there */
    double seconds = wait <= 0 ? 0.001 : wait < 0.5 ? wait : 0.5;
    return (struct timespec){.tv_nsec = (long)(seconds * 1e9)};
}

static int receive_all(struct load *load)
{
    fd_set readable;
    int last = 0;
    struct timespec timeout = pause_before(load);
    FD_ZERO(&readable);
    for (int i = 0; i < load->connection_count; i++) {
        int fd = load->connections[i].fd;
        FD_SET(fd, &readable);
        last = fd > last ? fd : last;
    }
    if (pselect(last + 1, &readable, NULL, NULL, &timeout, NULL) < 0)
        return -errno;
    for (int i = 0; i < load->connection_count; i++) {
        struct connection *connection = &load->connections[i];
        if (FD_ISSET(connection->fd, &readable) && receive(load, connection) < 0)
            return -1;
    }
    return 0;
}

static int run(struct load *load)
{
    int rc = 0;
    while (rc == 0 && (now(load) < load->seconds || any_busy(load))) {
        rc = send_all_due(load);
        if (rc == 0)
            rc = receive_all(load);
        if (now(load) > load->seconds + 60)
            rc = -1; /* answers do not come */
    }
    return rc;
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void print_result(struct load *load)
{
    size_t n = load->answered;
    double taken = now(load);
    qsort(load->times_ms, n, sizeof(*load->times_ms), by_size);
    printf("{\"requests\":%zu,\"failures\":%zu,\"seconds\":%.3f,\"rate\":%.1f,\"bytes\":%llu,"
           "\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"max_ms\":%.3f}\n",
           n, load->failed, taken, (double)n / taken, (unsigned long long)load->bytes,
           (double)load->times_ms[n / 2], (double)load->times_ms[n * 99 / 100],
           (double)load->times_ms[n - 1]);
}

static int parse(int argc, char **argv, struct load *load)
{
    if (argc < 7)
        return -1;
    load->socket = argv[1];
    load->seconds = atof(argv[2]);
    load->connection_count = atoi(argv[3]);
    load->rate = atof(argv[4]);
    load->body_path = argv[5];
    load->paths = argv + 6;
    load->path_count = argc - 6;
    return load->seconds > 0 && load->connection_count > 0 &&
                   load->connection_count <= MAX_CONNECTIONS
               ? 0
               : -1;
}

int main(int argc, char **argv)
{
    struct load load = {0};
    int rc = parse(argc, argv, &load);
    if (rc < 0) {
        fprintf(stderr, "usage: load_http SOCKET SECONDS CONNECTIONS RATE BODY PATH...\n");
        return 2;
    }
    load.connections = calloc((size_t)load.connection_count, sizeof(*load.connections));
    load.times_ms = calloc(MAX_REQUESTS + MAX_CONNECTIONS, sizeof(*load.times_ms));
    load.piece = malloc(PIECE_BYTES);
    if (!load.connections || !load.times_ms || !load.piece)
        return 6;
    if (strcmp(load.body_path, "-") != 0)
        rc = sl_buf_read_file(load.body_path, MAX_BODY, &load.body);
    for (int i = 0; i < load.connection_count && rc == 0; i++)
        rc = open_connection(&load, &load.connections[i]);
    clock_gettime(CLOCK_MONOTONIC, &load.start);
    if (rc == 0)
        rc = run(&load);
    if (rc < 0 || load.answered == 0) {
        fprintf(stderr, "load_http: broken off after %zu answers (%d)\n", load.answered, rc);
        return 6;
    }
    print_result(&load);
    for (int i = 0; i < load.connection_count; i++)
        close(load.connections[i].fd);
    sl_buf_fini(&load.body);
    free(load.connections);
    free(load.times_ms);
    free(load.piece);
    return 0;
}
