/* agent/executorch/libraries.c */
#define _GNU_SOURCE /* dladdr */
#include "agent/executorch/libraries.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/path.h"

enum { PATH_BYTES = 4096 };

static int is_users(const struct dirent *entry)
{
    static const char own[] = "libexecutorch", end[] = ".so";
    size_t len = strlen(entry->d_name);
    return len >= sizeof(end) && strcmp(entry->d_name + len - strlen(end), end) == 0 &&
           strncmp(entry->d_name, own, strlen(own)) != 0;
}

static int load(const char *folder, const char *name, struct sl_diag *diag)
{
    char path[PATH_BYTES];
    int rc = sl_path_join(path, sizeof(path), folder, "%s", name);
    if (rc < 0 || dlopen(path, RTLD_NOW | RTLD_GLOBAL))
        return rc;
    sl_diag_hint(diag, "build it against this ExecuTorch, with its compiler's libraries");
    return sl_diag_set(diag, SL_E_UNSUPPORTED, name, "%s", dlerror());
}

int sl_libraries_load(const char *folder, struct sl_diag *diag)
{
    struct dirent **names = NULL;
    int rc = 0, count = scandir(folder, &names, is_users, alphasort);
    if (count < 0)
        return -errno;
    for (int i = 0; i < count; i++) {
        if (rc == 0)
            rc = load(folder, names[i]->d_name, diag);
        free(names[i]);
    }
    free(names);
    return rc < 0 ? rc : count;
}

int sl_libraries_folder(const void *address, char *out, unsigned long size)
{
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname)
        return SL_E_NOT_FOUND;
    const char *slash = strrchr(info.dli_fname, '/');
    int len = slash ? (int)(slash - info.dli_fname) : 1;
    int written = snprintf(out, size, "%.*s", len, slash ? info.dli_fname : ".");
    return written < 0 || (unsigned long)written >= size ? -ENAMETOOLONG : 0;
}
