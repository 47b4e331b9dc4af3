/* host/job/quarantine.c */
#include "host/job/quarantine.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/path.h"

enum { PATH_BYTES = SL_PATH_BYTES + SL_NAME_BYTES };

/* Names of devices have no slash (host/spec/host_config.c). */
static int path_of(const char *state_dir, const char *head, const char *device,
                   char folder[PATH_BYTES], char path[PATH_BYTES])
{
    char file[SL_NAME_BYTES + 16];
    snprintf(file, sizeof(file), "%s-%s", head, device);
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

static int keep(const char *state_dir, const char *head, const char *device, const char *reason)
{
    char folder[PATH_BYTES], path[PATH_BYTES];
    int rc = path_of(state_dir, head, device, folder, path);
    if (rc < 0)
        return rc;
    if (!reason && unlink(path) < 0)
        return errno == ENOENT ? 0 : -errno;
    if (reason && mkdir(folder, 0700) < 0 && errno != EEXIST)
        return -errno;
    if (reason)
        rc = sl_buf_write_file(path, reason, strlen(reason));
    return rc < 0 ? rc : sync_folder(folder);
}

static bool kept(const char *state_dir, const char *head, const char *device,
                 char out_reason[SL_DETAIL_BYTES])
{
    char folder[PATH_BYTES], path[PATH_BYTES];
    struct stat info;
    struct sl_buf text;
    if (path_of(state_dir, head, device, folder, path) < 0 || lstat(path, &info) < 0)
        return false;
    out_reason[0] = '\0';
    if (sl_buf_read_file(path, SL_DETAIL_BYTES - 1, &text) == 0) {
        snprintf(out_reason, SL_DETAIL_BYTES, "%.*s", (int)text.size, (const char *)text.data);
        sl_buf_fini(&text);
    }
    return true;
}

int sl_quarantine_keep(const char *state_dir, const char *device, const char *reason)
{
    return keep(state_dir, "out", device, reason);
}

bool sl_quarantine_kept(const char *state_dir, const char *device, char out_reason[SL_DETAIL_BYTES])
{
    return kept(state_dir, "out", device, out_reason);
}

int sl_reservation_keep(const char *state_dir, const char *device, uint64_t until_ms,
                        const char *who)
{
    char text[SL_DETAIL_BYTES];
    snprintf(text, sizeof(text), "%" PRIu64 " %.63s", until_ms, who);
    return keep(state_dir, "reserved", device, until_ms ? text : NULL);
}

uint64_t sl_reservation_kept(const char *state_dir, const char *device, char out_who[SL_NAME_BYTES])
{
    char text[SL_DETAIL_BYTES];
    uint64_t until_ms = 0;
    out_who[0] = '\0';
    if (!kept(state_dir, "reserved", device, text) ||
        sscanf(text, "%" SCNu64 " %63[^\n]", &until_ms, out_who) < 1)
        return 0;
    return until_ms;
}
