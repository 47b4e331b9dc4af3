/* host/daemon/identity.c */
#include "host/daemon/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/path.h"
#include "common/base/sync_file.h"

enum { MACHINE_BYTES = 40 };

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
}

/* The machine's name, as far as it is plain; "host" for none. */
static int make_name(char out[SL_NAME_BYTES])
{
    char machine[MACHINE_BYTES] = "";
    uint32_t number;
    if (gethostname(machine, sizeof(machine) - 1) < 0 || machine[0] == '\0')
        snprintf(machine, sizeof(machine), "host");
    for (char *at = machine; *at; at++)
        *at = is_plain(*at) ? *at : '-';
    int rc = uv_random(NULL, NULL, &number, sizeof(number), 0, NULL);
    if (rc == 0)
        snprintf(out, SL_NAME_BYTES, "%s-%08x", machine, (unsigned)number);
    return rc;
}

/* 0: there is a name; SL_E_FORMAT: what is there is none. */
static int take_name(const struct sl_buf *text, char out[SL_NAME_BYTES])
{
    size_t len = 0;
    while (len < text->size && is_plain((char)text->data[len]))
        len++;
    bool whole = len + 1 == text->size && text->data[len] == '\n';
    if (!whole || len == 0 || len >= SL_NAME_BYTES)
        return SL_E_FORMAT;
    memcpy(out, text->data, len);
    out[len] = '\0';
    return 0;
}

int sl_identity_read(const char *state, char out_name[SL_NAME_BYTES], struct sl_diag *diag)
{
    char path[2 * SL_PATH_BYTES], name[SL_NAME_BYTES], line[SL_NAME_BYTES + 1];
    struct sl_buf text;
    int rc = sl_path_join(path, sizeof(path), state, "host");
    if (rc < 0)
        return sl_diag_set(diag, rc, state, "the name is too long");
    rc = sl_buf_read_file(path, SL_NAME_BYTES, &text);
    if (rc == 0) {
        rc = take_name(&text, name);
        sl_buf_fini(&text);
        sl_diag_hint(diag, "remove the file: the daemon makes itself a new one");
    } else if (rc == -ENOENT) {
        rc = make_name(name);
        int len = snprintf(line, sizeof(line), "%s\n", rc == 0 ? name : "");
        if (rc == 0)
            rc = sl_buf_write_file(path, line, (size_t)len);
    }
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "this host's name cannot be had: %s", sl_strerror(rc));
    sl_diag_hint(diag, "%s", "");
    memcpy(out_name, name, sizeof(name));
    return 0;
}

/* 0: what is there is a token as sl_auth_make() makes them; SL_E_FORMAT: it is none. */
static int take_token(const struct sl_buf *text, char out[SL_AUTH_TOKEN_BYTES])
{
    static const char start[] = "sl_", digits[] = "0123456789abcdef";
    enum { PREFIX = sizeof(start) - 1, BYTES = PREFIX + SL_DIGEST_BYTES - 1 };
    if (text->size != BYTES + 1 || text->data[BYTES] != '\n')
        return SL_E_FORMAT;
    memcpy(out, text->data, BYTES);
    out[BYTES] = '\0';
    bool good = strncmp(out, start, PREFIX) == 0 && strspn(out + PREFIX, digits) == BYTES - PREFIX;
    return good ? 0 : SL_E_FORMAT;
}

/* A file that is this user's alone from its first byte on; one that was begun before is begun anew.
 */
static int write_private(const char *state, const char *path, const char *line, size_t len)
{
    char begun[2 * SL_PATH_BYTES];
    int rc = sl_path_join(begun, sizeof(begun), state, "host.token.new");
    if (rc < 0)
        return rc;
    int fd = open(begun, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    ssize_t wrote = write(fd, line, len);
    rc = wrote < 0 ? -errno : (size_t)wrote < len ? -ENOSPC : sl_sync_file(fd);
    close(fd);
    return rc == 0 && rename(begun, path) < 0 ? -errno : rc;
}

int sl_identity_token(const char *state, char out_token[SL_AUTH_TOKEN_BYTES],
                      char out_sha256[SL_DIGEST_BYTES], struct sl_diag *diag)
{
    char path[2 * SL_PATH_BYTES], token[SL_AUTH_TOKEN_BYTES], line[SL_AUTH_TOKEN_BYTES + 1];
    char sha256[SL_DIGEST_BYTES];
    struct sl_buf text;
    int rc = sl_path_join(path, sizeof(path), state, "host.token");
    if (rc == 0)
        rc = sl_buf_read_file(path, SL_AUTH_TOKEN_BYTES, &text);
    if (rc == 0) {
        rc = take_token(&text, token);
        sl_buf_fini(&text);
    } else if (rc == -ENOENT) {
        sl_auth_make(token, sha256);
        int len = snprintf(line, sizeof(line), "%s\n", token);
        rc = write_private(state, path, line, (size_t)len);
    }
    if (rc < 0) {
        sl_diag_hint(diag, "remove the file: the daemon makes itself a new one");
        return sl_diag_set(diag, rc, path, "this host's token cannot be had: %s", sl_strerror(rc));
    }
    sl_sha256_hex(token, strlen(token), out_sha256);
    memcpy(out_token, token, sizeof(token));
    return 0;
}

void sl_identity_refused(const char *state, const char *name, int rc, struct sl_diag *diag)
{
    static const char copied[] = "is this directory a copy of another host's? Then remove the file "
                                 "'host' in it: the daemon makes itself another name",
                      unmounted[] = "mount the directory again; if it is lost, remove the file "
                                    "'host' of the state directory: the daemon makes itself "
                                    "another name, and begins with the directory that is there";
    if (rc == -EADDRINUSE || rc == SL_E_MISMATCH)
        sl_diag_hint(diag, "%s", rc == SL_E_MISMATCH ? unmounted : copied);
    if (rc == -EADDRINUSE)
        sl_diag_set(diag, rc, state, "another daemon of the store is called %s too", name);
    else if (rc == SL_E_MISMATCH)
        sl_diag_set(diag, rc, state, "'runs' in it is not the directory that host %s had", name);
    else
        sl_diag_set(diag, rc, state, "the store's jobs cannot be read: %s", sl_strerror(rc));
}
