/* host/spec/web_origin.c */
#include "host/spec/web_origin.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "0123456789";
static const char host_characters[] = "abcdefghijklmnopqrstuvwxyz0123456789.-_";

/* Past the host at `text`; NULL: it begins with none. */
static const char *skip_host(const char *text)
{
    if (*text != '[') {
        size_t len = strspn(text, host_characters);
        return len > 0 ? text + len : NULL;
    }
    size_t len = strspn(text + 1, "0123456789abcdef:.");
    return len > 1 && text[1 + len] == ']' ? text + 1 + len + 1 : NULL;
}

static const char *port_trouble(const char *text, unsigned usual)
{
    size_t len = strspn(text, digits);
    unsigned long port = len > 0 && len <= 5 && text[0] != '0' ? strtoul(text, NULL, 10) : 0;
    if (text[len] || port == 0 || port > UINT16_MAX)
        return "its port is a number from 1 to 65535, and nothing follows it";
    return port == usual ? "browsers leave out the scheme's own port" : NULL;
}

const char *sl_web_origin_trouble(const char *text)
{
    static const struct {
        const char *scheme;
        unsigned port;
    } schemes[] = {{"https://", 443}, {"http://", 80}};
    if (strlen(text) >= SL_WEB_ORIGIN_BYTES)
        return "it is too long";
    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
        size_t len = strlen(schemes[i].scheme);
        if (strncmp(text, schemes[i].scheme, len) != 0)
            continue;
        const char *end = skip_host(text + len);
        if (!end)
            return "its host is a name or an address, in lower case";
        if (*end == ':')
            return port_trouble(end + 1, schemes[i].port);
        return *end ? "it ends with the host or the port, in lower case" : NULL;
    }
    return "it begins with https:// or http://";
}
