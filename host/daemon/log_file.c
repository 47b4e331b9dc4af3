/* host/daemon/log_file.c */
#include "host/daemon/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/mem.h"

struct sl_log_file {
    uint64_t max_bytes;
    char path[1024], old_path[1032];
};

int sl_log_file_reopen(struct sl_log_file *log)
{
    int fd = open(log->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
    if (fd < 0)
        return -errno;
    fflush(stderr);
    int rc =
        dup2(fd, STDERR_FILENO) < 0 ? -errno : 0; /* in one step: no line falls between two files */
    close(fd);
    return rc;
}

int sl_log_file_open(const char *path, uint64_t max_bytes, struct sl_log_file **out,
                     struct sl_diag *diag)
{
    struct sl_log_file *log = sl_calloc(1, sizeof(*log));
    if (!log)
        return -ENOMEM;
    log->max_bytes = max_bytes;
    int n = snprintf(log->path, sizeof(log->path), "%s", path);
    snprintf(log->old_path, sizeof(log->old_path), "%s.1", log->path);
    int rc = n < 0 || (size_t)n >= sizeof(log->path) ? -ENAMETOOLONG : sl_log_file_reopen(log);
    if (rc < 0) {
        sl_diag_hint(diag, "name a file in a directory that exists and may be written, or leave "
                           "log_file out for standard error");
        sl_free(log);
        return sl_diag_set(diag, rc, path, "cannot open the log: %s", strerror(-rc));
    }
    *out = log;
    return 0;
}

int sl_log_file_rotate(struct sl_log_file *log)
{
    struct stat info;
    if (stat(log->path, &info) < 0)
        return errno == ENOENT ? sl_log_file_reopen(log) : -errno;
    if ((uint64_t)info.st_size < log->max_bytes)
        return 0;
    if (rename(log->path, log->old_path) < 0)
        return -errno;
    return sl_log_file_reopen(log);
}

void sl_log_file_free(struct sl_log_file *log)
{
    sl_free(log);
}
