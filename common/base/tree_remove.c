/* common/base/tree_remove.c */
#include "common/base/tree_remove.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { MAX_DEPTH = 8 };

static bool is_temporary(const char *name)
{
    size_t len = strlen(name);
    return len > 4 && strcmp(name + len - 4, ".tmp") == 0;
}

static void remove_below(int folder, int depth, bool temporaries_alone)
{
    DIR *directory = fdopendir(folder);
    if (!directory) {
        close(folder);
        return;
    }
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const char *name = entry->d_name;
        bool goes = !temporaries_alone || is_temporary(name);
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
            (goes && unlinkat(folder, name, 0) == 0))
            continue;
        int below = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (below >= 0 && depth > 0)
            remove_below(below, depth - 1, temporaries_alone);
        else if (below >= 0)
            close(below);
        if (!temporaries_alone)
            unlinkat(folder, name, AT_REMOVEDIR);
    }
    closedir(directory);
}

void sl_tree_remove_below(int folder)
{
    remove_below(folder, MAX_DEPTH, false);
}

void sl_tree_remove_temporaries(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0)
        remove_below(folder, MAX_DEPTH, true);
}

void sl_tree_remove(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0)
        remove_below(folder, MAX_DEPTH, false);
    rmdir(path);
}
