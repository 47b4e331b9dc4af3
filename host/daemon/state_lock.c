/* host/daemon/state_lock.c */
#include "host/daemon/state_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/path.h"

enum { PATH_BYTES = 1024, LOOK_MS = 50 };

static int refuse(const char *path, int file, struct sl_diag *diag)
{
    char owner[24] = "";
    ssize_t n = pread(file, owner, sizeof(owner) - 1, 0);
    owner[n > 0 ? n : 0] = '\0';
    owner[strcspn(owner, "\n")] = '\0';
    sl_diag_hint(diag, "stop it, or give this daemon another directory with --state");
    return sl_diag_set(diag, -EBUSY, path, "another daemon uses the state directory: process %s",
                       owner);
}

/* For people, and for the message of the next one. */
static void write_owner(int file)
{
    char text[24];
    int len = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
    if (ftruncate(file, 0) < 0 || pwrite(file, text, (size_t)len, 0) != len)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("lock_without_owner"));
}

int sl_state_lock(const char *state, unsigned wait_ms, int *out, struct sl_diag *diag)
{
    char path[PATH_BYTES];
    const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000};
    int rc = 0;
    sl_path_join(path, sizeof(path), state, "lock");
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) {
        rc = -errno;
        sl_diag_hint(diag, "name a directory that this user may write, with --state; or mount its "
                           "disk for writing");
        return sl_diag_set(diag, rc, path, "the lock cannot be made: %s", strerror(-rc));
    }
    for (unsigned ms = 0; (rc = flock(file, LOCK_EX | LOCK_NB)) < 0 && ms < wait_ms; ms += LOOK_MS)
        nanosleep(&pause, NULL);
    if (rc < 0) {
        rc = refuse(path, file, diag);
        close(file);
        return rc;
    }
    write_owner(file);
    *out = file;
    return 0;
}

int sl_state_make(const char *path, struct sl_diag *diag)
{
    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        return 0;
    int rc =
        sl_diag_set(diag, -errno, path, "cannot make the state directory: %s", strerror(errno));
    sl_diag_hint(diag, "name a directory whose parent exists and may be written, with --state");
    return rc;
}
