/* host/spec/path_stem.c */
#include "host/spec/path_stem.h"

#include <stdio.h>
#include <string.h>

void sl_path_stem(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(out, size, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(out, '.');
    if (dot && dot != out)
        *dot = '\0';
    for (char *at = out; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = '_';
    for (char *at = out; *at == '.'; at++)
        *at = '_';
}

bool sl_path_is_below(const char *path)
{
    bool up = false;
    for (const char *step = path; step;) {
        up = up || (strncmp(step, "..", 2) == 0 && (step[2] == '/' || step[2] == '\0'));
        step = strchr(step, '/');
        step = step ? step + 1 : NULL;
    }
    return path[0] != '\0' && path[0] != '/' && !up;
}
