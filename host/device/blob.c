/* host/device/blob.c */
#define _GNU_SOURCE /* mkostemp() */
#include "host/device/blob.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/path.h"

enum { PATH_BYTES = 1024, PIECE_BYTES = 64 << 10 };

static int copy(int from, int to)
{
    uint8_t piece[PIECE_BYTES];
    ssize_t got, put = 0;
    for (off_t at = 0; (got = pread(from, piece, sizeof(piece), at)) > 0; at += got) {
        for (ssize_t done = 0; done < got; done += put) {
            put = write(to, piece + done, (size_t)(got - done));
            if (put < 0)
                return -errno;
        }
    }
    return got < 0 || fsync(to) < 0 ? -errno : 0;
}

/* By way of a name of its own, so that no half blob is ever seen. */
static int copy_to(int from, const char *target)
{
    char part[PATH_BYTES + 8];
    snprintf(part, sizeof(part), "%s.XXXXXX", target);
    int to = mkostemp(part, O_CLOEXEC);
    if (to < 0)
        return -errno;
    int rc = copy(from, to);
    if (close(to) < 0 && rc == 0)
        rc = -errno;
    if (rc == 0 && rename(part, target) < 0)
        rc = -errno;
    if (rc < 0)
        unlink(part);
    return rc;
}

static int place(int from, const char *source, const char *target, const char *sha256,
                 struct sl_diag *diag)
{
    char found[SL_SHA256_HEX_SIZE];
    int rc = sl_sha256_fd(from, found);
    if (rc < 0)
        return sl_diag_set(diag, rc, source, "The blob cannot be read (%s)", sl_strerror(rc));
    if (strcmp(found, sha256) != 0)
        return sl_diag_set(diag, SL_E_MISMATCH, source,
                           "The blob's bytes are not what its name says");
    if (link(source, target) == 0 || errno == EEXIST)
        return 0;
    rc = copy_to(from, target);
    return rc < 0 ? sl_diag_set(diag, rc, target, "The blob cannot be copied (%s)", sl_strerror(rc))
                  : 0;
}

/* A copy on another file system is whole whatever became of the blob. A link to the blob as it is
 * now is as whole as that; any other one is to a file that lost the name, as a damaged one does. */
static bool is_in_place(const char *source, const char *target, const char *sha256)
{
    char found[SL_SHA256_HEX_SIZE];
    struct stat blob, there;
    if (stat(target, &there) < 0)
        return false;
    bool known = stat(source, &blob) == 0;
    if (known && (blob.st_dev != there.st_dev || blob.st_ino == there.st_ino))
        return true;
    int fd = open(target, O_RDONLY | O_CLOEXEC);
    bool whole = fd >= 0 && sl_sha256_fd(fd, found) == 0 && strcmp(found, sha256) == 0;
    if (fd >= 0)
        close(fd);
    if (!whole)
        unlink(target);
    return whole;
}

int sl_blob_place(const char *from, const char *to, const char *sha256, struct sl_diag *diag)
{
    char source[PATH_BYTES], target[PATH_BYTES];
    if (strlen(sha256) != 64 || strspn(sha256, "0123456789abcdef") != 64)
        return sl_diag_set(diag, SL_E_NOT_FOUND, NULL, "'%.80s' is no SHA-256", sha256);
    if (sl_path_join(source, sizeof(source), from, "%s", sha256) < 0 ||
        sl_path_join(target, sizeof(target), to, "%s", sha256) < 0)
        return -ENAMETOOLONG;
    if (is_in_place(source, target, sha256))
        return 0;
    int fd = open(source, O_RDONLY | O_CLOEXEC);
    int rc = fd < 0 ? -errno : 0;
    if (rc < 0)
        return sl_diag_set(diag, rc == -ENOENT ? SL_E_NOT_FOUND : rc, source,
                           "The blob cannot be read (%s)", sl_strerror(rc));
    rc = place(fd, source, target, sha256, diag);
    close(fd);
    return rc;
}
