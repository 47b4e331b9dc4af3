/* common/base/sync_file_linux.c */
#define _GNU_SOURCE /* sync_file_range() */
#include "common/base/sync_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* A pipe cannot be synced, and a read-only file need not be. */
static int result_of(int rc)
{
    return rc < 0 && errno != EINVAL && errno != EROFS ? -errno : 0;
}

int sl_sync_file(int fd)
{
    return result_of(fsync(fd));
}

int sl_sync_file_data(int fd)
{
    return result_of(fdatasync(fd));
}

void sl_sync_file_begin(int fd)
{
    (void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}
