/* host/http/listener.c */
#include "host/http/listener.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/socket.h"
#include "host/http/context.h"
#include "host/http/exchange.h"
#include "host/http/inherited.h"

enum { BACKLOG = 256, RETRY_MS = 100 };

/* The target of an address. */
struct place {
    bool is_path, is_tls;
    union {
        struct sockaddr any;
        struct sockaddr_un un;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } to;
};

static int read_path(const char *path, struct place *out, struct sl_diag *diag)
{
    if (path[0] != '/' || strlen(path) >= sizeof(out->to.un.sun_path)) {
        sl_diag_hint(diag, "take a path that begins with / and has less than %zu bytes",
                     sizeof(out->to.un.sun_path));
        return sl_diag_set(diag, SL_E_FORMAT, path, "this cannot be a Unix socket's path");
    }
    out->is_path = true;
    out->to.un.sun_family = AF_UNIX;
    snprintf(out->to.un.sun_path, sizeof(out->to.un.sun_path), "%s", path);
    return 0;
}

static bool is_loopback(const char *host, int port, struct place *out)
{
    if (strcmp(host, "localhost") == 0)
        host = "127.0.0.1";
    if (strcmp(host, "[::1]") == 0)
        return uv_ip6_addr("::1", port, &out->to.v6) == 0;
    return strncmp(host, "127.", 4) == 0 && uv_ip4_addr(host, port, &out->to.v4) == 0;
}

/* Is it the address of any machine: 1.2.3.4, [::]? */
static bool is_address(char *host, int port, struct place *out)
{
    size_t len = strlen(host);
    if (len > 2 && host[0] == '[' && host[len - 1] == ']') {
        host[len - 1] = '\0';
        return uv_ip6_addr(host + 1, port, &out->to.v6) == 0;
    }
    return uv_ip4_addr(host, port, &out->to.v4) == 0;
}

static int read_host(const char *address, const char *text, bool remote, struct place *out,
                     struct sl_diag *diag)
{
    uint64_t port = 0;
    char host[64];
    const char *colon = strrchr(text, ':');
    size_t len = colon ? (size_t)(colon - text) : sizeof(host);
    if (len >= sizeof(host) || !sl_http_number(colon + 1, &port) || port > 65535)
        return sl_diag_set(diag, SL_E_FORMAT, address, "this is not HOST:PORT");
    memcpy(host, text, len);
    host[len] = '\0';
    if (is_loopback(host, (int)port, out))
        return 0;
    if (remote && is_address(host, (int)port, out))
        return 0;
    if (remote)
        return sl_diag_set(diag, SL_E_FORMAT, address, "this is no address of a machine");
    sl_diag_hint(diag,
                 "say tls:HOST:PORT and give a certificate by \"tls\" in the configuration, or "
                 "say \"allow_remote\": true there");
    return sl_diag_set(diag, SL_E_UNSUPPORTED, address,
                       "other machines may not reach the daemon without TLS unless its "
                       "configuration says so");
}

static int read_address(const char *address, bool remote, bool certified, struct place *out,
                        struct sl_diag *diag)
{
    memset(out, 0, sizeof(*out));
    if (strncmp(address, "unix:", 5) == 0)
        return read_path(address + 5, out, diag);
    if (strncmp(address, "tcp:", 4) == 0)
        return read_host(address, address + 4, remote, out, diag);
    out->is_tls = strncmp(address, "tls:", 4) == 0;
    if (out->is_tls && !certified) {
        sl_diag_hint(diag, "add \"tls\": {\"certificate\": FILE, \"key\": FILE} to it");
        return sl_diag_set(diag, SL_E_FORMAT, address,
                           "the configuration names no certificate for this address");
    }
    if (out->is_tls)
        return read_host(address, address + 4, true, out, diag);
    sl_diag_hint(diag, "write unix:/PATH, tcp:127.0.0.1:PORT or tls:HOST:PORT");
    return sl_diag_set(diag, SL_E_FORMAT, address, "this is no address to listen on");
}

int sl_http_check_address(const char *address, bool remote, bool certified, struct sl_diag *diag)
{
    struct place place;
    return read_address(address, remote, certified, &place, diag);
}

static bool somebody_listens(const struct place *place)
{
    int fd = sl_socket(AF_UNIX, SOCK_STREAM, false);
    if (fd < 0)
        return false;
    int rc = connect(fd, &place->to.any, sizeof(place->to.un));
    close(fd);
    return rc == 0;
}

/* Takes away the socket of a daemon that has ended, and nothing else. */
static int clear_path(const struct place *place, struct sl_diag *diag)
{
    const char *path = place->to.un.sun_path;
    struct stat info;
    if (lstat(path, &info) < 0)
        return 0; /* whatever else is wrong shows in a moment */
    if (!S_ISSOCK(info.st_mode)) {
        sl_diag_hint(diag, "move the file away, or give the daemon another path");
        return sl_diag_set(diag, -EEXIST, path, "there is a file that is no socket");
    }
    if (somebody_listens(place)) {
        sl_diag_hint(diag, "stop the other daemon, or give this one another path");
        return sl_diag_set(diag, -EADDRINUSE, path, "another daemon listens on this socket");
    }
    unlink(path);
    return 0;
}

static void accept_client(struct sl_http_listener *listener);

static void on_retry(uv_timer_t *timer)
{
    struct sl_http *http = timer->data;
    for (size_t i = 0; i < http->listener_count && !http->stopping; i++)
        accept_client(&http->listeners[i]);
}

/* A certificate that was renewed serves from the next connection on. */
static void refresh_identity(struct sl_tls_identity *identity, uint64_t now_ms)
{
    struct sl_diag diag = {0};
    int rc = sl_tls_identity_refresh(identity, now_ms, &diag);
    if (rc < 0)
        sl_log(SL_LOG_ERROR, SL_LOG_EVENT("certificate_refused"),
               SL_LOG_QUOTED("where", diag.where),
               SL_LOG_REASON(diag.what[0] ? diag.what : sl_strerror(rc)));
    else if (rc > 0)
        sl_log(SL_LOG_INFO, SL_LOG_EVENT("certificate_renewed"),
               SL_LOG_NUMBER("expires_s", sl_tls_identity_expires_s(identity)));
}

/* A client waits there, or may. Without memory for it, all listeners look again soon. */
static void accept_client(struct sl_http_listener *listener)
{
    struct sl_http *http = listener->clients->user;
    if (listener->identity)
        refresh_identity(listener->identity, uv_now(http->loop));
    if (!http->stopping && sl_http_connection_accept(listener) < 0)
        uv_timer_start(&http->retry, on_retry, RETRY_MS, 0);
}

static void on_client(uv_stream_t *stream, int status)
{
    struct sl_http_listener *listener = stream->data;
    if (status == 0)
        accept_client(listener);
}

/* Makes the folder of a socket where it is missing, such as /run/sme2lab after a boot. The socket
 * is guarded by its own mode. 0 or -errno. */
static int make_folder(const char *path)
{
    char folder[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
    snprintf(folder, sizeof(folder), "%s", path);
    char *slash = strrchr(folder, '/');
    if (!slash || slash == folder)
        return 0;
    *slash = '\0';
    return mkdir(folder, 0755) == 0 || errno == EEXIST ? 0 : -errno;
}

/* `inherited` is a socket that is open already, or -1. The file belongs to its owner alone from its
 * first moment; that of an inherited one is the service manager's, who made it and keeps it. */
static int open_unix(struct sl_http_listener *listener, const struct place *place, int inherited)
{
    int rc = inherited >= 0 ? 0 : make_folder(place->to.un.sun_path);
    if (rc == 0)
        rc = uv_pipe_init(listener->clients->loop, &listener->uv.pipe, 0);
    if (rc < 0)
        return rc;
    listener->open = true;
    mode_t before = umask(0177);
    rc = inherited >= 0 ? uv_pipe_open(&listener->uv.pipe, inherited)
                        : uv_pipe_bind(&listener->uv.pipe, place->to.un.sun_path);
    umask(before);
    if (rc == 0)
        snprintf(listener->path, sizeof(listener->path), "%s", place->to.un.sun_path);
    return rc;
}

static int open_tcp(struct sl_http_listener *listener, const struct place *place, int inherited)
{
    int rc = uv_tcp_init(listener->clients->loop, &listener->uv.tcp);
    if (rc < 0)
        return rc;
    listener->open = true;
    if (inherited >= 0)
        return uv_tcp_open(&listener->uv.tcp, inherited);
    return uv_tcp_bind(&listener->uv.tcp, &place->to.any,
                       place->to.any.sa_family == AF_INET6 ? UV_TCP_IPV6ONLY : 0);
}

/* Tells what to do about an address that cannot be had. */
static const char *hint_for(int rc)
{
    return rc == UV_EADDRINUSE ? "stop the program that has this port ('ss -ltnp' names it), or "
                                 "choose another one"
           : rc == UV_EACCES   ? "choose a port from 1024 on, or a path that this user may write"
           : rc == UV_EADDRNOTAVAIL ? "name an address that this machine has"
                                    : "choose another address, or a path whose folder is there";
}

int sl_http_listen(struct sl_http *http, const char *address, bool remote, struct sl_diag *diag)
{
    struct place place;
    if (http->listener_count == SL_HTTP_MAX_LISTENERS)
        return sl_diag_set(diag, SL_E_LIMIT, address, "more than %d addresses",
                           (int)SL_HTTP_MAX_LISTENERS);
    struct sl_http_listener *listener = &http->listeners[http->listener_count];
    int rc = read_address(address, remote, http->identity != NULL, &place, diag);
    int inherited = rc == 0 ? sl_http_inherited(&place.to.any) : -1;
    if (rc == 0 && place.is_path && inherited < 0)
        rc = clear_path(&place, diag);
    if (rc < 0)
        return rc;
    listener->clients = &http->clients;
    listener->identity = place.is_tls ? http->identity : NULL;
    rc = place.is_path ? open_unix(listener, &place, inherited)
                       : open_tcp(listener, &place, inherited);
    http->listener_count += listener->open;
    listener->uv.handle.data = listener;
    if (rc == 0)
        rc = uv_listen(&listener->uv.stream, BACKLOG, on_client);
    if (rc < 0) {
        sl_diag_hint(diag, "%s", hint_for(rc));
        sl_diag_set(diag, rc, address, "nobody can listen there: %s", sl_strerror(rc));
    }
    return rc;
}

int sl_http_port(const struct sl_http *http, size_t index)
{
    const struct sl_http_listener *listener = &http->listeners[index];
    struct sockaddr_storage own;
    int len = sizeof(own);
    if (listener->path[0] ||
        uv_tcp_getsockname(&listener->uv.tcp, (struct sockaddr *)&own, &len) < 0)
        return 0;
    return ntohs(own.ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)&own)->sin6_port
                                           : ((const struct sockaddr_in *)&own)->sin_port);
}

static void on_closed(uv_handle_t *handle)
{
    struct sl_http_listener *listener = handle->data;
    listener->open = false;
    sl_http_settle(listener->clients->user);
}

void sl_http_unlisten(struct sl_http *http)
{
    for (size_t i = 0; i < http->listener_count; i++)
        uv_close(&http->listeners[i].uv.handle, on_closed); /* libuv removes the file */
}
