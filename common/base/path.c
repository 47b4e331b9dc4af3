/* common/base/path.c */
#include "common/base/path.h"

#include <errno.h>
#include <string.h>

int sl_path_join(const char *folder, const char *name, char *out, size_t size)
{
    size_t before = strlen(folder), behind = strlen(name);
    size_t slash = before == 0 || folder[before - 1] != '/';
    if (size == 0)
        return -ENAMETOOLONG;
    if (before >= size || behind + slash >= size - before) {
        out[0] = '\0';
        return -ENAMETOOLONG;
    }
    memcpy(out, folder, before);
    out[before] = '/';
    memcpy(out + before + slash, name, behind + 1);
    return 0;
}
