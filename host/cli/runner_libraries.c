/* host/cli/runner_libraries.c */
#define _DEFAULT_SOURCE /* realpath */
#include "host/cli/runner_libraries.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "host/cli/library_folder.h"

static bool is_of_the_system(const char *folder)
{
    static const char *const folders[] = {"/bin", "/usr/bin", "/usr/local/bin",
                                          "/lib", "/usr/lib", "/usr/local/lib"};
    char *real = realpath(folder, NULL);
    bool found = !real; /* there is none */
    for (size_t i = 0; !found && i < sizeof(folders) / sizeof(folders[0]); i++)
        found = strcmp(real, folders[i]) == 0;
    free(real);
    return found;
}

static bool has_name(char *const *paths, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(strrchr(paths[i], '/') + 1, name) == 0)
            return true;
    return false;
}

static int add(const char *folder, const char *name, char **out, size_t *count,
               struct sl_diag *diag)
{
    char path[SL_SPEC_MAX_PATH + 1];
    struct stat info;
    if (has_name(out, *count, name) || sl_path_join(path, sizeof(path), folder, "%s", name) < 0 ||
        stat(path, &info) < 0 || !S_ISREG(info.st_mode))
        return 0;
    if (*count == SL_SPEC_MAX_LIBRARIES) {
        sl_diag_hint(diag, "name those that it needs with 'runner_libraries'");
        return sl_diag_set(diag, SL_E_LIMIT, folder,
                           "There are more than %d shared libraries beside the runner",
                           SL_SPEC_MAX_LIBRARIES);
    }
    out[*count] = sl_strndup(path, strlen(path));
    if (!out[*count])
        return -ENOMEM;
    ++*count;
    return 0;
}

static int add_folder(const char *folder, char **out, size_t *count, struct sl_diag *diag)
{
    struct dirent **names = NULL;
    int rc = 0, found = is_of_the_system(folder)
                            ? 0
                            : scandir(folder, &names, sl_library_folder_is_library, alphasort);
    for (int i = 0; i < found; i++) {
        rc = rc < 0 ? rc : add(folder, names[i]->d_name, out, count, diag);
        free(names[i]);
    }
    free(names);
    return rc;
}

int sl_runner_libraries_find(const char *runner, char *out[SL_SPEC_MAX_LIBRARIES],
                             size_t *out_count, struct sl_diag *diag)
{
    char folder[SL_SPEC_MAX_PATH + 1], beside[SL_SPEC_MAX_PATH + 1];
    const char *slash = strrchr(runner, '/');
    *out_count = 0;
    if (!slash || strlen(runner) >= sizeof(folder))
        return 0;
    snprintf(folder, sizeof(folder), "%.*s", slash == runner ? 1 : (int)(slash - runner), runner);
    int rc = add_folder(folder, out, out_count, diag);
    if (rc == 0 && sl_path_join(beside, sizeof(beside), folder, "../lib") == 0)
        rc = add_folder(beside, out, out_count, diag);
    return rc;
}
