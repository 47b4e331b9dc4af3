/* common/base/sync_file_darwin.c: fsync() there leaves bytes in the drive's cache. */
#include "common/base/sync_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int sl_sync_file(int fd)
{
    if (fcntl(fd, F_FULLFSYNC) == 0) /* not every file system has it */
        return 0;
    return fsync(fd) < 0 && errno != EINVAL && errno != EROFS ? -errno : 0;
}

int sl_sync_file_data(int fd)
{
    return sl_sync_file(fd);
}

void sl_sync_file_begin(int fd)
{
    (void)fd;
}
