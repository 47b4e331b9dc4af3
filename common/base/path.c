/* common/base/path.c */
#include "common/base/path.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int sl_path_join(char *out, size_t size, const char *folder, const char *name, ...)
{
    size_t before = strlen(folder), slash = before == 0 || folder[before - 1] != '/';
    if (size == 0)
        return -ENAMETOOLONG;
    int len = -1;
    if (before + slash < size) {
        va_list args;
        memcpy(out, folder, before);
        out[before] = '/';
        va_start(args, name);
        len = vsnprintf(out + before + slash, size - before - slash, name, args);
        va_end(args);
    }
    if (len >= 0 && (size_t)len < size - before - slash)
        return 0;
    out[0] = '\0';
    return -ENAMETOOLONG;
}
