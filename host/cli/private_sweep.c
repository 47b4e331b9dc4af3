/* host/cli/private_sweep.c */
#include "host/cli/private_sweep.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/path.h"
#include "common/base/tree_remove.h"

enum { PATH_BYTES = 1024 };

/* Its daemon holds the lock as long as it lives. */
static bool is_stale(int folder, time_t before)
{
    struct stat info;
    if (fstatat(folder, "private.json", &info, AT_SYMLINK_NOFOLLOW) < 0 || info.st_mtime >= before)
        return false;
    int lock = openat(folder, "lock", O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    bool free = lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0;
    if (lock >= 0)
        close(lock);
    return free;
}

size_t sl_private_sweep(const char *root, const char *keep, uint64_t older_than_s)
{
    time_t before = time(NULL) - (time_t)older_than_s;
    char path[PATH_BYTES];
    size_t count = 0;
    DIR *directory = opendir(root);
    if (!directory)
        return 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        sl_path_join(path, sizeof(path), root, "%s", entry->d_name);
        if (entry->d_name[0] == '.' || strcmp(path, keep) == 0)
            continue;
        int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        bool stale = folder >= 0 && is_stale(folder, before);
        if (stale)
            sl_tree_remove_below(folder);
        else if (folder >= 0)
            close(folder);
        count += stale && rmdir(path) == 0 ? 1 : 0;
    }
    closedir(directory);
    return count;
}
