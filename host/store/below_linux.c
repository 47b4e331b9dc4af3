/* host/store/below_linux.c */
#define _GNU_SOURCE /* syscall() */
#include "host/store/below.h"

#include <errno.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

int sl_below_open(int at, const char *path, int flags)
{
    struct open_how how = {.flags = (unsigned)flags,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
    int fd = (int)syscall(SYS_openat2, at, path, &how, sizeof(how));
    if (fd < 0 && (errno == EPERM || errno == EAGAIN)) /* by a filter that does not know the call */
        return -ENOSYS;
    return fd < 0 ? -errno : fd;
}
