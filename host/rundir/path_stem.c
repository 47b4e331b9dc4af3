/* host/rundir/path_stem.c */
#include "host/rundir/path_stem.h"

#include <stdio.h>
#include <string.h>

void sl_path_stem(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(out, size, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(out, '.');
    if (dot && dot != out)
        *dot = '\0';
}
