/* host/device/adb/look.c */
#include "host/device/adb/look.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/socket.h"
#include "common/net/address.h"
#include "host/device/adb/smart_socket.h"
#include "host/device/adb/stream.h"

enum { LIMIT_S = 3, MAX_REPLY_BYTES = 4 + 4 + SL_ADB_MAX_TEXT };

static int exchange(int fd, const char *service, struct sl_buf *reply)
{
    uint64_t until = sl_clock_ns() + LIMIT_S * UINT64_C(1000000000);
    struct sl_buf request;
    uint8_t *at;
    sl_buf_init(&request, SL_ADB_MAX_TEXT);
    int rc = sl_adb_request(&request, service);
    if (rc == 0 && send(fd, request.data, request.size, MSG_NOSIGNAL) != (ssize_t)request.size)
        rc = -errno;
    sl_buf_fini(&request);
    while (rc == 0) {
        if (sl_clock_ns() > until)
            return SL_E_TIMEOUT;
        rc = sl_buf_extend(reply, 4096, &at);
        if (rc < 0)
            break;
        ssize_t got = recv(fd, at, 4096, 0);
        reply->size -= got > 0 ? 4096 - (size_t)got : 4096;
        if (got == 0)
            return 0;
        if (got < 0)
            rc = errno == EAGAIN || errno == EWOULDBLOCK ? SL_E_TIMEOUT : -errno;
    }
    return rc;
}

static int ask(const struct sl_address *address, const char *service, struct sl_buf *reply)
{
    const struct timeval limit = {.tv_sec = LIMIT_S};
    int fd = sl_socket(address->socket.ss_family, SOCK_STREAM, false), rc = 0;
    sl_buf_init(reply, MAX_REPLY_BYTES + 8192);
    if (fd < 0)
        return fd;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)); /* of connect() too */
    if (connect(fd, (const struct sockaddr *)&address->socket, address->len) < 0)
        rc = errno == EINPROGRESS ? SL_E_TIMEOUT : -errno;
    if (rc == 0)
        rc = exchange(fd, service, reply);
    close(fd);
    return rc;
}

struct taking {
    struct sl_adb_look *look;
    int texts;
};

static void take_version(void *user, const char *text, size_t len)
{
    struct taking *taking = user;
    char digits[8] = "";
    memcpy(digits, text, len < sizeof(digits) ? len : sizeof(digits) - 1);
    taking->look->version = (unsigned)strtoul(digits, NULL, 16);
    taking->texts++;
}

static void take_devices(void *user, const char *text, size_t len)
{
    struct taking *taking = user;
    taking->look->count = sl_adb_parse_devices(text, len, taking->look->listed, SL_ADB_MAX_LISTED);
    taking->texts++;
}

/* The status, and the one text behind it. */
static int query(const struct sl_address *address, const char *service, struct sl_adb_look *out,
                 sl_adb_text_fn take)
{
    struct sl_buf reply, text;
    struct sl_adb_status status = {.have = 0};
    struct sl_adb_texts texts = {.text = &text};
    struct taking taking = {.look = out};
    sl_buf_init(&text, SL_ADB_MAX_TEXT);
    int rc = ask(address, service, &reply);
    size_t head = reply.size < 4 ? reply.size : 4;
    if (rc == 0)
        rc = sl_adb_status_take(&status, reply.data, head) == 1 ? 0 : SL_E_FORMAT;
    if (rc == 0)
        rc = sl_adb_texts_take(&texts, reply.data + head, reply.size - head, take, &taking);
    if (rc == 0 && taking.texts != 1)
        rc = SL_E_FORMAT;
    sl_buf_fini(&reply);
    sl_buf_fini(&text);
    return rc;
}

int sl_adb_look(struct sl_adb_look *out, struct sl_diag *diag)
{
    struct sl_address address;
    *out = (struct sl_adb_look){.count = 0};
    int rc = sl_adb_server_find(&address, out->server, diag);
    if (rc < 0)
        return rc;
    rc = query(&address, "host:version", out, take_version);
    if (rc == 0)
        rc = query(&address, "host:devices-l", out, take_devices);
    if (rc == 0)
        return 0;
    if (rc == -ECONNREFUSED || rc == -ENOENT) {
        sl_diag_hint(diag, "say 'adb start-server' (package adb) if phones shall be measured");
        return sl_diag_set(diag, rc, out->server, "no adb server is running");
    }
    sl_diag_hint(diag, "say 'adb kill-server; adb start-server', or set ADB_SERVER_SOCKET");
    return sl_diag_set(diag, rc, out->server,
                       "what listens there does not answer as an adb server "
                       "does (%s)",
                       sl_strerror(rc));
}
