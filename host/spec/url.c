/* host/spec/url.c */
#include "host/spec/url.h"

#include <stdio.h>
#include <string.h>

/* `kept`: what stays as it is beside the characters without a meaning. */
static bool append(char *url, size_t size, const char *text, char kept)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
    size_t begin = strlen(url), used = begin;
    for (; *text; text++) {
        bool as_is = *text == kept || strchr(plain, *text);
        if (used + 4 > size) {
            url[begin] = '\0';
            return false;
        }
        used += (size_t)snprintf(url + used, size - used, as_is ? "%c" : "%%%02X",
                                 (unsigned char)*text);
    }
    return true;
}

bool sl_url_path(char *url, size_t size, const char *name)
{
    return append(url, size, name, '/');
}

bool sl_url_query(char *url, size_t size, const char *name, const char *value)
{
    size_t used = strlen(url);
    if (!value)
        return true;
    int len = snprintf(url + used, size - used, "%c%s=", strchr(url, '?') ? '&' : '?', name);
    return len >= 0 && (size_t)len < size - used && append(url, size, value, '\0');
}
