/* host/job/quarantine.c */
#include "host/job/quarantine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/path.h"
#include "host/records.h"

enum { PATH_BYTES = SL_PATH_BYTES + SL_NAME_BYTES };

/* Names of devices have no slash (host/spec/host_config.c). */
static int path_of(const char *state_dir, const char *device, char folder[PATH_BYTES],
                   char path[PATH_BYTES])
{
    char file[SL_NAME_BYTES + 8];
    snprintf(file, sizeof(file), "out-%s", device);
    int rc = sl_path_join(folder, PATH_BYTES, state_dir, "quarantine");
    return rc < 0 ? rc : sl_path_join(path, PATH_BYTES, folder, "%s", file);
}

static int sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = fd < 0 || fsync(fd) < 0 ? -errno : 0;
    if (fd >= 0)
        close(fd);
    return rc;
}

int sl_quarantine_keep(const char *state_dir, const char *device, bool out)
{
    char folder[PATH_BYTES], path[PATH_BYTES];
    int rc = path_of(state_dir, device, folder, path);
    if (rc < 0)
        return rc;
    if (!out && unlink(path) < 0)
        return errno == ENOENT ? 0 : -errno;
    if (out && mkdir(folder, 0700) < 0 && errno != EEXIST)
        return -errno;
    int fd = out ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (out && fd < 0)
        return -errno;
    if (fd >= 0)
        close(fd);
    return sync_folder(folder);
}

bool sl_quarantine_kept(const char *state_dir, const char *device)
{
    char folder[PATH_BYTES], path[PATH_BYTES];
    struct stat info;
    return path_of(state_dir, device, folder, path) == 0 && lstat(path, &info) == 0;
}
