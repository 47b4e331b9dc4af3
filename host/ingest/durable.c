/* host/ingest/durable.c */
#include "host/ingest/durable.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static int sync_path(const char *path, int flags)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | flags);
    if (fd < 0)
        return -errno;
    int rc = fsync(fd) < 0 ? -errno : 0;
    close(fd);
    return rc;
}

int sl_durable_folder(const char *path)
{
    return sync_path(path, O_DIRECTORY);
}

int sl_durable_file(const char *path)
{
    return sync_path(path, 0);
}
