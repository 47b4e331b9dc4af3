/* common/base/durable.c */
#include "common/base/durable.h"
#include "common/base/sync_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int sl_durable_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    if (fd < 0)
        return -errno;
    int rc = sl_sync_file(fd);
    close(fd);
    return rc;
}
