/* host/device/agent_record.c */
#include "host/device/agent_record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/path.h"

enum { PATH_BYTES = 1024 };
static const char magic[] = "slagent1";

struct on_disk {
    char magic[sizeof(magic) - 1];
    int32_t pid;
    uint8_t secret[SL_SECRET_BYTES];
};

static int name_it(const char *workdir, char out[PATH_BYTES])
{
    return sl_path_join(out, PATH_BYTES, workdir, "agent");
}

int sl_agent_record_write(const char *workdir, const struct sl_agent_record *record)
{
    char path[PATH_BYTES];
    struct on_disk disk = {.pid = (int32_t)record->pid};
    int rc = name_it(workdir, path);
    if (rc < 0)
        return rc;
    memcpy(disk.magic, magic, sizeof(disk.magic));
    memcpy(disk.secret, record->secret, sizeof(disk.secret));
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    ssize_t put = write(fd, &disk, sizeof(disk));
    rc = put == (ssize_t)sizeof(disk) ? 0 : put < 0 ? -errno : SL_E_TRUNCATED;
    close(fd);
    return rc;
}

int sl_agent_record_read(const char *workdir, struct sl_agent_record *out)
{
    char path[PATH_BYTES];
    struct on_disk disk;
    int rc = name_it(workdir, path);
    int fd = rc < 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return rc < 0 ? rc : -errno;
    ssize_t got = read(fd, &disk, sizeof(disk));
    close(fd);
    if (got != (ssize_t)sizeof(disk) || memcmp(disk.magic, magic, sizeof(disk.magic)) != 0 ||
        disk.pid <= 1)
        return SL_E_FORMAT;
    out->pid = disk.pid;
    memcpy(out->secret, disk.secret, sizeof(out->secret));
    return 0;
}

void sl_agent_record_remove(const char *workdir)
{
    char path[PATH_BYTES];
    if (name_it(workdir, path) == 0)
        unlink(path);
}
