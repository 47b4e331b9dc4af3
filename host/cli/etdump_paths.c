/* host/cli/etdump_paths.c */
#include "host/cli/etdump_paths.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "host/rundir/import.h"

enum { PATH_BYTES = 1024, LEVELS = 2 };

void sl_etdump_paths_fini(struct sl_etdump_paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        sl_free(paths->paths[i]);
    paths->count = 0;
}

static bool is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool ends_with(const char *name, const char *ending)
{
    size_t len = strlen(name), tail = strlen(ending);
    return len > tail && strcmp(name + len - tail, ending) == 0;
}

/* One beside an ETDump belongs to that. */
static bool is_lone_log(const char *path)
{
    char etdump[PATH_BYTES + 8];
    if (!ends_with(path, SL_IMPORT_LOG))
        return false;
    snprintf(etdump, sizeof(etdump), "%.*s.etdump", (int)(strlen(path) - strlen(SL_IMPORT_LOG)),
             path);
    return access(etdump, F_OK) != 0;
}

static int keep(struct sl_etdump_paths *paths, const char *path, struct sl_diag *diag)
{
    if (paths->count == SL_ETDUMP_PATHS_MAX)
        return sl_diag_set(diag, SL_E_LIMIT, path, "there are more than %d ETDump files",
                           SL_ETDUMP_PATHS_MAX);
    char *copy = sl_strndup(path, strlen(path));
    if (!copy)
        return sl_diag_set(diag, -ENOMEM, path, "out of memory");
    paths->paths[paths->count++] = copy;
    return 0;
}

static int add_directory(struct sl_etdump_paths *paths, const char *folder, int levels,
                         struct sl_diag *diag);

static int add_entry(struct sl_etdump_paths *paths, const char *folder, const char *name,
                     int levels, struct sl_diag *diag)
{
    char path[PATH_BYTES];
    if (name[0] == '.' || sl_path_join(path, sizeof(path), folder, "%s", name) < 0)
        return 0;
    if (is_directory(path))
        return levels > 1 ? add_directory(paths, path, levels - 1, diag) : 0;
    bool wanted = ends_with(name, ".etdump") || (paths->logs && is_lone_log(path));
    return wanted ? keep(paths, path, diag) : 0;
}

static int add_directory(struct sl_etdump_paths *paths, const char *folder, int levels,
                         struct sl_diag *diag)
{
    struct dirent **entries = NULL;
    int rc = 0;
    int count = scandir(folder, &entries, NULL, alphasort);
    if (count < 0)
        return sl_diag_set(diag, -errno, folder, "the directory cannot be read: %s",
                           strerror(errno));
    for (int i = 0; i < count; i++) {
        if (rc == 0)
            rc = add_entry(paths, folder, entries[i]->d_name, levels, diag);
        free(entries[i]); /* scandir()'s own */
    }
    free(entries);
    return rc;
}

int sl_etdump_paths_add(struct sl_etdump_paths *paths, const char *path, struct sl_diag *diag)
{
    size_t before = paths->count;
    if (!is_directory(path))
        return keep(paths, path, diag);
    int rc = add_directory(paths, path, LEVELS, diag);
    if (rc == 0 && paths->count == before) {
        sl_diag_hint(diag, "name a directory that 'sme2lab run --out DIR' wrote, or ETDump files");
        return sl_diag_set(diag, SL_E_NOT_FOUND, path,
                           "there is no .etdump file in the directory or directly below");
    }
    return rc;
}
