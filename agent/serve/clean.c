/* agent/serve/clean.c */
#include "agent/serve/clean.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/path.h"

enum { MAX_DEPTH = 6, PATH_BYTES = 1024 };

static void remove_entry(int folder, const char *name, int depth, struct sl_cleaned *out);

/* Takes the folder over. */
static void clean(int folder, sl_clean_needs_fn needs, const void *user, int depth,
                  struct sl_cleaned *out)
{
    DIR *directory = fdopendir(folder);
    if (!directory) {
        close(folder);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && !(needs && needs(user, name)))
            remove_entry(folder, name, depth, out);
    }
    closedir(directory);
}

static void remove_entry(int folder, const char *name, int depth, struct sl_cleaned *out)
{
    struct stat info;
    if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) < 0)
        return;
    if (!S_ISDIR(info.st_mode)) {
        bool gone = unlinkat(folder, name, 0) == 0;
        out->files += gone;
        out->bytes += gone && info.st_nlink == 1 ? (uint64_t)info.st_size : 0;
        return;
    }
    int below = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below >= 0 && depth > 0)
        clean(below, NULL, NULL, depth - 1, out);
    else if (below >= 0)
        close(below);
    unlinkat(folder, name, AT_REMOVEDIR);
}

void sl_clean_folder(const char *workdir, const char *folder, sl_clean_needs_fn needs,
                     const void *user, struct sl_cleaned *out)
{
    char path[PATH_BYTES];
    if (sl_path_join(path, sizeof(path), workdir, "%s", folder) < 0)
        return;
    int opened = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (opened >= 0)
        clean(opened, needs, user, MAX_DEPTH, out);
}
