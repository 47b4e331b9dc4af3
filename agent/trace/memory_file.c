/* agent/trace/memory_file.c */
#include "agent/trace/memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/trace/shared.h"
#include "common/base/path.h"

/* In the first folder that lets us; -errno of the last one. */
static int open_unlinked(void)
{
    const char *folders[] = {getenv("TMPDIR"), "/tmp", "/data/local/tmp", "."};
    int rc = -ENOENT;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        char path[512];
        if (!folders[i] || sl_path_join(path, sizeof(path), folders[i], "sme2lab-XXXXXX") < 0)
            continue;
        int fd = mkstemp(path);
        if (fd >= 0) {
            unlink(path);
            fcntl(fd, F_SETFD, FD_CLOEXEC);
            return fd;
        }
        rc = -errno;
    }
    return rc;
}

int sl_memory_file_open(const char *name)
{
    int fd = sl_shared_file_open(name);
    return fd >= 0 ? fd : open_unlinked();
}
