/* host/daemon/identity.c */
#include "host/daemon/identity.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/path.h"

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
