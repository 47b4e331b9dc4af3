/* common/base/process_linux.c */
#define _GNU_SOURCE /* pipe2() */
#include "common/base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

const char sl_process_library_path[] = "LD_LIBRARY_PATH";

const char *sl_process_file(void)
{
    return "/proc/self/exe";
}

void sl_process_path(char *out, size_t size)
{
    ssize_t len = readlink("/proc/self/exe", out, size);
    out[len > 0 && (size_t)len < size ? len : 0] = '\0';
}

int sl_process_pipe(int ends[2])
{
    return pipe2(ends, O_CLOEXEC) < 0 ? -errno : 0;
}

int sl_process_end_with(pid_t parent, int signal)
{
    prctl(PR_SET_PDEATHSIG, signal);
    return getppid() == parent ? 0 : -ESRCH; /* it may have gone before it was asked */
}

uint64_t sl_process_peak_bytes(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}
