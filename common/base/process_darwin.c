/* common/base/process_darwin.c */
#include "common/base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <mach-o/dyld.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

const char sl_process_library_path[] = "DYLD_LIBRARY_PATH";

const char *sl_process_file(void)
{
    static _Thread_local char path[4096];
    uint32_t size = sizeof(path);
    return _NSGetExecutablePath(path, &size) == 0 ? path : NULL;
}

void sl_process_path(char *out, size_t size)
{
    const char *path = sl_process_file();
    int len = snprintf(out, size, "%s", path ? path : "");
    if (len < 0 || (size_t)len >= size)
        out[0] = '\0';
}

int sl_process_pipe(int ends[2])
{
    if (pipe(ends) < 0)
        return -errno;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return 0;
}

int sl_process_end_with(pid_t parent, int signal)
{
    (void)signal;
    return getppid() == parent ? 0 : -ESRCH;
}

uint64_t sl_process_peak_bytes(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss : 0;
}
