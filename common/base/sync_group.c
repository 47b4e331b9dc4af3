/* common/base/sync_group.c */
#include "common/base/sync_group.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/sync_file.h"

enum { PATH_BYTES = 4096 };

static _Thread_local struct sl_sync_group *current;

void sl_sync_group_begin(struct sl_sync_group *group)
{
    assert(!current);
    group->file_count = group->folder_count = 0;
    group->rc = 0;
    current = group;
}

static void note(struct sl_sync_group *group, int rc)
{
    if (group->rc == 0 && rc < 0)
        group->rc = rc;
}

static void sync_and_close(struct sl_sync_group *group, int fd)
{
    note(group, sl_sync_file(fd));
    if (close(fd) < 0)
        note(group, -errno);
}

/* All files' bytes are on their way before the first sync waits: its commit then covers them all.
 */
static void flush(struct sl_sync_group *group)
{
    for (size_t i = 0; i < group->file_count; i++)
        sl_sync_file_begin(group->files[i]);
    for (size_t i = 0; i < group->file_count; i++)
        sync_and_close(group, group->files[i]);
    for (size_t i = 0; i < group->folder_count; i++)
        sync_and_close(group, group->folders[i]);
    group->file_count = group->folder_count = 0;
}

static bool is_known(const struct sl_sync_group *group, const struct stat *folder)
{
    for (size_t i = 0; i < group->folder_count; i++) {
        struct stat known;
        if (fstat(group->folders[i], &known) == 0 && known.st_ino == folder->st_ino &&
            known.st_dev == folder->st_dev)
            return true;
    }
    return false;
}

static void take_folder(struct sl_sync_group *group, const char *path)
{
    char folder[PATH_BYTES];
    struct stat info;
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) + 1 : 0; /* with the slash: "/" is a folder too */
    if (len >= sizeof(folder)) {
        note(group, -ENAMETOOLONG);
        return;
    }
    memcpy(folder, slash ? path : ".", slash ? len : 1);
    folder[slash ? len : 1] = '\0';
    int fd = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    if (fd < 0 || fstat(fd, &info) < 0)
        note(group, -errno);
    if (fd >= 0 && !is_known(group, &info))
        group->folders[group->folder_count++] = fd;
    else if (fd >= 0)
        close(fd);
}

bool sl_sync_group_is_open(void)
{
    return current != NULL;
}

void sl_sync_group_take(int fd, const char *path)
{
    struct sl_sync_group *group = current;
    assert(group);
    if (group->file_count == SL_SYNC_GROUP_FILES || group->folder_count == SL_SYNC_GROUP_FOLDERS)
        flush(group);
    group->files[group->file_count++] = fd;
    take_folder(group, path);
}

int sl_sync_group_end(struct sl_sync_group *group)
{
    assert(current == group);
    flush(group);
    current = NULL;
    return group->rc;
}
