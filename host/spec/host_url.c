/* host/spec/host_url.c */
#include "host/spec/host_url.h"

#include <stddef.h>
#include <string.h>

#include "host/records.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";

/* Behind the host's name: a port, or nothing. */
static bool is_port(const char *text)
{
    size_t digits = text[0] == ':' ? strspn(text + 1, "0123456789") : 0;
    return text[0] == '\0' || (digits >= 1 && digits <= 5 && text[1 + digits] == '\0');
}

bool sl_host_url_ok(const char *url)
{
    size_t scheme = strncmp(url, "http://", 7) == 0 ? 7 : strncmp(url, "https://", 8) == 0 ? 8 : 0;
    if (scheme == 0 || strlen(url) >= SL_URL_BYTES)
        return false;
    const char *host = url + scheme;
    if (host[0] != '[') {
        size_t len = strspn(host, letters);
        return len > 0 && is_port(host + len);
    }
    size_t len = 1 + strspn(host + 1, "0123456789abcdefABCDEF:.");
    return len > 2 && host[len] == ']' && is_port(host + len + 1);
}

bool sl_host_url_is_sealed(const char *url)
{
    return strncmp(url, "https://", 8) == 0;
}
