/* common/net/address.c */
#include "common/net/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/error.h"

enum { BACKLOG = 64 };

static int refuse(struct sl_diag *diag, const char *text, const char *why)
{
    int rc = sl_diag_set(diag, -EINVAL, text, "%s", why);
    sl_diag_hint(
        diag, "give tcp:127.0.0.1:7070, tcp:[::1]:7070, unix:/run/sme2lab.sock or abstract:name");
    return rc;
}

static int parse_port(const char *text, uint16_t *out)
{
    char *end;
    errno = 0;
    unsigned long port = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || port > 65535)
        return -EINVAL;
    *out = htons((uint16_t)port);
    return 0;
}

static int parse_tcp(const char *text, struct sl_address *out)
{
    char host[64];
    const char *colon = strrchr(text, ':');
    if (!colon || (size_t)(colon - text) >= sizeof(host))
        return -EINVAL;
    size_t len = (size_t)(colon - text);
    memcpy(host, text, len);
    host[len] = '\0';
    struct sockaddr_in *in = (struct sockaddr_in *)&out->socket;
    struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&out->socket;
    if (len > 2 && host[0] == '[' && host[len - 1] == ']') {
        host[len - 1] = '\0';
        in6->sin6_family = AF_INET6;
        out->len = sizeof(*in6);
        return inet_pton(AF_INET6, host + 1, &in6->sin6_addr) == 1
                   ? parse_port(colon + 1, &in6->sin6_port)
                   : -EINVAL;
    }
    in->sin_family = AF_INET;
    out->len = sizeof(*in);
    const char *literal = strcmp(host, "localhost") == 0 ? "127.0.0.1" : host;
    return inet_pton(AF_INET, literal, &in->sin_addr) == 1 ? parse_port(colon + 1, &in->sin_port)
                                                           : -EINVAL;
}

/* `skip` is 1 for an abstract name: its path starts with a NUL. */
static int parse_unix(const char *path, size_t skip, struct sl_address *out)
{
    struct sockaddr_un *un = (struct sockaddr_un *)&out->socket;
    size_t len = strlen(path);
    if (len == 0 || len + skip >= sizeof(un->sun_path))
        return -EINVAL;
    un->sun_family = AF_UNIX;
    memcpy(un->sun_path + skip, path, len + 1);
    out->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + 1);
    return 0;
}

int sl_address_parse(const char *text, struct sl_address *out, struct sl_diag *diag)
{
    struct sl_address address = {0};
    int rc;
    if (strncmp(text, "tcp:", 4) == 0)
        rc = parse_tcp(text + 4, &address);
    else if (strncmp(text, "unix:", 5) == 0)
        rc = parse_unix(text + 5, 0, &address);
    else if (strncmp(text, "abstract:", 9) == 0)
        rc = parse_unix(text + 9, 1, &address);
    else
        return refuse(diag, text, "an address begins with tcp:, unix: or abstract:");
    if (rc < 0)
        return refuse(diag, text, "not an address and a port, or a path of the right length");
    *out = address;
    return 0;
}

bool sl_address_is_loopback(const struct sl_address *address)
{
    const struct sockaddr_in *in = (const struct sockaddr_in *)&address->socket;
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&address->socket;
    if (address->socket.ss_family == AF_INET)
        return ntohl(in->sin_addr.s_addr) >> 24 == 127;
    if (address->socket.ss_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
    return true;
}

void sl_address_format(const struct sl_address *address, char *out, size_t size)
{
    char host[INET6_ADDRSTRLEN] = "?";
    if (address->socket.ss_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)&address->socket;
        inet_ntop(AF_INET, &in->sin_addr, host, sizeof(host));
        snprintf(out, size, "tcp:%s:%u", host, (unsigned)ntohs(in->sin_port));
    } else if (address->socket.ss_family == AF_INET6) {
        const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&address->socket;
        inet_ntop(AF_INET6, &in6->sin6_addr, host, sizeof(host));
        snprintf(out, size, "tcp:[%s]:%u", host, (unsigned)ntohs(in6->sin6_port));
    } else {
        const struct sockaddr_un *un = (const struct sockaddr_un *)&address->socket;
        bool abstract = un->sun_path[0] == '\0';
        snprintf(out, size, abstract ? "abstract:%s" : "unix:%s",
                 un->sun_path + (abstract ? 1 : 0));
    }
}

/* Removes a socket file that is left over from a dead process; one that answers stays. */
static void remove_stale(const struct sl_address *address)
{
    const struct sockaddr_un *un = (const struct sockaddr_un *)&address->socket;
    struct stat info;
    if (address->socket.ss_family != AF_UNIX || un->sun_path[0] == '\0' ||
        lstat(un->sun_path, &info) != 0 || !S_ISSOCK(info.st_mode))
        return;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0)
        return;
    if (connect(fd, (const struct sockaddr *)&address->socket, address->len) < 0 &&
        errno == ECONNREFUSED)
        unlink(un->sun_path);
    close(fd);
}

static int set_up(int fd, const struct sl_address *address)
{
    int on = 1;
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
        return -errno;
    if (address->socket.ss_family != AF_UNIX)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    mode_t old = umask(0177); /* the file is private from its first instant */
    int rc = bind(fd, (const struct sockaddr *)&address->socket, address->len) < 0 ? -errno : 0;
    umask(old);
    if (rc == 0 && listen(fd, BACKLOG) < 0)
        rc = -errno;
    return rc;
}

int sl_address_listen(const struct sl_address *address, struct sl_address *bound)
{
    remove_stale(address);
    int fd = socket(address->socket.ss_family, SOCK_STREAM, 0);
    if (fd < 0)
        return -errno;
    int rc = set_up(fd, address);
    if (rc == 0 && bound) {
        *bound = *address;
        bound->len = sizeof(bound->socket);
        rc = getsockname(fd, (struct sockaddr *)&bound->socket, &bound->len) < 0 ? -errno : 0;
    }
    if (rc < 0) {
        close(fd);
        return rc;
    }
    return fd;
}
