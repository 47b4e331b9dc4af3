/* host/cli/server_address.c */
#include "host/cli/server_address.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "host/spec/paths.h"

enum { MAX_SOCKET_NAME = 107 }; /* sun_path without its terminator */

static int refuse(const char *text, const char *what, struct sl_diag *diag)
{
    sl_diag_hint(diag, "say --server unix:PATH, http://127.0.0.1:PORT or https://HOST:PORT");
    return sl_diag_set(diag, SL_E_UNSUPPORTED, "--server", "'%.100s' %s", text, what);
}

static int parse_unix(const char *path, const char *text, struct sl_server_address *out,
                      struct sl_diag *diag)
{
    if (!*path)
        return refuse(text, "names no socket", diag);
    if (strlen(path) > MAX_SOCKET_NAME)
        return refuse(text, "is longer than the name of a socket may be", diag);
    snprintf(out->socket, sizeof(out->socket), "%s", path);
    snprintf(out->url, sizeof(out->url), "http://localhost");
    snprintf(out->name, sizeof(out->name), "unix:%s", path);
    out->loopback = true;
    return 0;
}

static bool is_loopback(const char *host)
{
    return strncmp(host, "127.", 4) == 0 || strncmp(host, "[::1]", 5) == 0 ||
           (strncmp(host, "localhost", 9) == 0 && (host[9] == ':' || host[9] == '\0'));
}

/* Returns the text behind the scheme, and the scheme that the URL then begins with. */
static const char *take_scheme(const char *text, const char **out_scheme)
{
    static const struct {
        const char *word, *scheme;
    } words[] = {{"http://", "http://"},
                 {"https://", "https://"},
                 {"tcp:", "http://"},
                 {"tls:", "https://"}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t len = strlen(words[i].word);
        if (strncmp(text, words[i].word, len) == 0) {
            *out_scheme = words[i].scheme;
            return text + len;
        }
    }
    return NULL;
}

int sl_server_address_parse(const char *text, struct sl_server_address *out, struct sl_diag *diag)
{
    const char *scheme = NULL;
    *out = (struct sl_server_address){.loopback = false};
    if (strncmp(text, "unix:", 5) == 0)
        return parse_unix(text + 5, text, out, diag);
    const char *host = take_scheme(text, &scheme);
    if (!host)
        return refuse(text, "is no address of a daemon", diag);
    size_t len = strlen(host);
    while (len > 0 && host[len - 1] == '/')
        len--;
    if (len == 0)
        return refuse(text, "names no host", diag);
    if (strcspn(host, "/?#@ \t\r\n\\") < len)
        return refuse(text, "has more in it than a host and a port", diag);
    int written = snprintf(out->url, sizeof(out->url), "%s%.*s", scheme, (int)len, host);
    if (written < 0 || (size_t)written >= sizeof(out->url))
        return refuse(text, "is too long", diag);
    snprintf(out->name, sizeof(out->name), "%s", out->url);
    out->loopback = is_loopback(host);
    return 0;
}

/* Returns the address from the option or the environment; NULL: neither is set. */
static const char *said(const char *text)
{
    const char *variable = getenv("SME2LAB_SERVER");
    return text ? text : variable && *variable ? variable : NULL;
}

bool sl_server_address_is_named(const char *text)
{
    return said(text) != NULL;
}

bool sl_server_address_is_private(const char *text)
{
    const char *word = said(text);
    return word && strcmp(word, "private") == 0;
}

int sl_server_address_find(const char *text, struct sl_server_address *out, struct sl_diag *diag)
{
    char state[SL_PATH_BYTES], socket[SL_PATH_BYTES], name[SL_PATH_BYTES + 8];
    text = said(text);
    if (text)
        return sl_server_address_parse(text, out, diag);
    int rc = sl_paths_state(state, diag);
    if (rc == 0)
        rc = sl_paths_socket(state, socket, diag);
    if (rc < 0)
        return rc;
    snprintf(name, sizeof(name), "unix:%s", socket);
    return sl_server_address_parse(name, out, diag);
}
