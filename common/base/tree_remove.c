/* common/base/tree_remove.c */
#include "common/base/tree_remove.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { MAX_DEPTH = 8 };

static void remove_below(int folder, int depth)
{
    DIR *directory = fdopendir(folder);
    if (!directory) {
        close(folder);
        return;
    }
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || unlinkat(folder, name, 0) == 0)
            continue;
        int below = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (below >= 0 && depth > 0)
            remove_below(below, depth - 1);
        else if (below >= 0)
            close(below);
        unlinkat(folder, name, AT_REMOVEDIR);
    }
    closedir(directory);
}

void sl_tree_remove_below(int folder)
{
    remove_below(folder, MAX_DEPTH);
}

void sl_tree_remove(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0)
        remove_below(folder, MAX_DEPTH);
    rmdir(path);
}
