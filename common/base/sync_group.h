/* common/base/sync_group.h: files that are written one after the other and synced together.
 *
 * Between begin and end, what this thread writes by sl_buf_write_file() gets its name at once but
 * is synced only by sl_sync_group_end(), and its folder with it: one commit of the file system's
 * journal in place of one a file. For files that nobody counts on before the group's end. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { SL_SYNC_GROUP_FILES = 48, SL_SYNC_GROUP_FOLDERS = 16 };

/* In its caller's storage; of the thread that began it. */
struct sl_sync_group {
    int files[SL_SYNC_GROUP_FILES], folders[SL_SYNC_GROUP_FOLDERS]; /* open, owned */
    size_t file_count, folder_count;
    int rc; /* the first failure, sticks */
};

/* One group a thread at a time. */
void sl_sync_group_begin(struct sl_sync_group *group);

/* Is one open on this thread? */
bool sl_sync_group_is_open(void);

/* Takes a file that was just written and named, and the folder that the name is in, into the open
 * group; `fd` is moved. */
void sl_sync_group_take(int fd, const char *path);

/* Syncs what was taken and closes it. 0, or the first -errno of opening or syncing. */
int sl_sync_group_end(struct sl_sync_group *group);
