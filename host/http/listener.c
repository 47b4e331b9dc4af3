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
#include "host/http/exchange.h"
#include "host/http/internal.h"

/* The library would take the file away from a daemon that lives. */
static bool somebody_listens(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    int rc = connect(fd, (const struct sockaddr *)&address, sizeof(address));
    close(fd);
    return rc == 0;
}

static int add_host(struct sl_http *http, struct lws_context_creation_info *info,
                    const char *address, struct sl_diag *diag)
{
    info->protocols = http->protocols;
    info->options |= LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
                     LWS_SERVER_OPTION_FALLBACK_TO_APPLY_LISTEN_ACCEPT_CONFIG;
    info->listen_accept_role = "raw-skt"; /* what cannot be read as HTTP gets a last answer */
    info->listen_accept_protocol = http->protocols[0].name;
    info->timeout_secs = http->timeout_s;
    info->keepalive_timeout = (int)http->timeout_s;
    info->timeout_secs_ah_idle = http->timeout_s; /* for the headers to come */
    info->vhost_name = address;
    struct lws_vhost *host = lws_create_vhost(http->context, info);
    if (!host)
        return sl_diag_set(diag, -EADDRINUSE, address,
                           "nobody can listen there: it is taken, or not allowed");
    http->hosts[http->host_count++] = host;
    return 0;
}

static int listen_unix(struct sl_http *http, const char *path, struct sl_diag *diag)
{
    struct sockaddr_un limit;
    char *kept = http->paths[http->host_count];
    if (path[0] != '/' || strlen(path) >= sizeof(limit.sun_path)) {
        sl_diag_hint(diag, "take a path that begins with / and has less than %zu bytes",
                     sizeof(limit.sun_path));
        return sl_diag_set(diag, SL_E_FORMAT, path, "this cannot be a Unix socket's path");
    }
    if (somebody_listens(path)) {
        sl_diag_hint(diag, "stop the other daemon, or give this one another path");
        return sl_diag_set(diag, -EADDRINUSE, path, "another daemon listens on this socket");
    }
    snprintf(kept, sizeof(http->paths[0]), "%s", path);
    struct lws_context_creation_info info = {.iface = kept, .options = LWS_SERVER_OPTION_UNIX_SOCK};
    mode_t before = umask(0177);
    int rc = add_host(http, &info, kept, diag);
    umask(before);
    if (rc == 0 && chmod(path, 0600) < 0) {
        rc = -errno;
        sl_diag_set(diag, rc, path, "the socket cannot be kept to its owner: %s", sl_strerror(rc));
    }
    if (rc < 0)
        kept[0] = '\0';
    return rc;
}

/* The address as the library takes it, out of HOST; NULL for one beyond loopback. */
static const char *loopback(const char *host)
{
    if (strcmp(host, "localhost") == 0)
        return "127.0.0.1";
    if (strcmp(host, "[::1]") == 0)
        return "::1";
    return strncmp(host, "127.", 4) == 0 ? host : NULL;
}

static int listen_tcp(struct sl_http *http, const char *address, const char *text,
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
    const char *own = loopback(host);
    if (!own) {
        sl_diag_hint(diag, "listen on 127.0.0.1 or [::1] and put a proxy with TLS before it");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, address,
                           "the daemon listens on loopback (127.0.0.1, [::1]) or Unix sockets "
                           "only");
    }
    struct lws_context_creation_info info = {
        .port = (int)port,
        .iface = own,
        .options = strchr(own, ':') ? 0 : LWS_SERVER_OPTION_DISABLE_IPV6,
    };
    return add_host(http, &info, address, diag);
}

int sl_http_listen(struct sl_http *http, const char *address, struct sl_diag *diag)
{
    if (http->host_count == SL_HTTP_MAX_LISTENERS)
        return sl_diag_set(diag, SL_E_LIMIT, address, "more than %d addresses",
                           (int)SL_HTTP_MAX_LISTENERS);
    if (strncmp(address, "unix:", 5) == 0)
        return listen_unix(http, address + 5, diag);
    if (strncmp(address, "tcp:", 4) == 0)
        return listen_tcp(http, address, address + 4, diag);
    sl_diag_hint(diag, "write unix:/PATH, tcp:127.0.0.1:PORT or tcp:[::1]:PORT");
    return sl_diag_set(diag, SL_E_FORMAT, address, "this is no address to listen on");
}

void sl_http_unlink(struct sl_http *http)
{
    for (size_t i = 0; i < http->host_count; i++) {
        if (http->paths[i][0])
            unlink(http->paths[i]);
    }
}
