/* host/store/blobs.c */
#include "host/store/blobs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/digest.h"
#include "common/base/durable.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/path.h"

enum { READ_BYTES = 1 << 16 };

struct sl_blob_upload {
    int fd;      /* of the partial file, locked; -1 when closed */
    bool hashed; /* `sha` has seen every byte: the upload began at 0 */
    uint64_t offset, max_bytes;
    struct sl_sha256 sha;
    struct sl_blobs blobs;
    char sha256[SL_DIGEST_BYTES];
    char path[SL_PATH_BYTES], partial[SL_PATH_BYTES + 8];
};

/* Between the look at a blob's age and what follows from it. */
static pthread_mutex_t ages = PTHREAD_MUTEX_INITIALIZER;

bool sl_blobs_name_ok(const char *sha256)
{
    return strlen(sha256) == SL_DIGEST_BYTES - 1 &&
           strspn(sha256, "0123456789abcdef") == SL_DIGEST_BYTES - 1;
}

int sl_blobs_path(const struct sl_blobs *blobs, const char *sha256, char out_path[SL_PATH_BYTES])
{
    return sl_path_join(out_path, SL_PATH_BYTES, blobs->directory, "%s", sha256);
}

int sl_blobs_init(struct sl_blobs *blobs, const char *state_dir, struct sl_diag *diag)
{
    size_t size = sizeof(blobs->directory) - SL_DIGEST_BYTES; /* room for a name below it */
    int rc = sl_path_join(blobs->directory, size, state_dir, "blobs");
    if (rc < 0)
        return sl_diag_set(diag, SL_E_LIMIT, state_dir, "the state directory's path is too long");
    if (mkdir(blobs->directory, 0700) < 0 && errno != EEXIST) {
        rc = -errno;
        return sl_diag_set(diag, rc, blobs->directory, "the directory of blobs cannot be made: %s",
                           sl_strerror(rc));
    }
    return 0;
}

static int look(const struct sl_blobs *blobs, const char *sha256, bool partial, struct stat *out)
{
    char path[SL_PATH_BYTES + 8];
    if (!sl_blobs_name_ok(sha256))
        return SL_E_NOT_FOUND;
    sl_path_join(path, sizeof(path), blobs->directory, "%s%s", sha256, partial ? ".part" : "");
    if (lstat(path, out) < 0)
        return errno == ENOENT ? SL_E_NOT_FOUND : -errno;
    return S_ISREG(out->st_mode) ? 0 : SL_E_NOT_FOUND;
}

int sl_blobs_size(const struct sl_blobs *blobs, const char *sha256, bool partial,
                  uint64_t *out_bytes)
{
    struct stat info;
    int rc = look(blobs, sha256, partial, &info);
    if (rc == 0)
        *out_bytes = (uint64_t)info.st_size;
    return rc;
}

/* Ages are whole seconds, so that a blob is marked once a second at most. A mark costs others too:
 * a file system whose times are exact to the nanosecond gives every file that is written a new time
 * after it, and then a server that syncs its log writes that log's inode as well. */
int sl_blobs_touch(const struct sl_blobs *blobs, const char *sha256, uint64_t *out_bytes)
{
    char path[SL_PATH_BYTES];
    struct stat info;
    pthread_mutex_lock(&ages);
    int rc = look(blobs, sha256, false, &info);
    if (rc == 0)
        rc = sl_blobs_path(blobs, sha256, path);
    bool marked = rc == 0 && info.st_mtim.tv_sec == time(NULL);
    if (rc == 0 &&
        (marked ? access(blobs->directory, W_OK) /* told as soon as it can only be read */
                : utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW)) < 0)
        rc = errno == ENOENT ? SL_E_NOT_FOUND : -errno;
    if (rc == 0)
        *out_bytes = (uint64_t)info.st_size;
    pthread_mutex_unlock(&ages);
    return rc;
}

int sl_blobs_remove_old(const struct sl_blobs *blobs, const char *sha256, uint64_t before_ms)
{
    char path[SL_PATH_BYTES];
    struct stat info;
    int rc = sl_blobs_path(blobs, sha256, path);
    if (rc < 0)
        return rc;
    pthread_mutex_lock(&ages);
    if (lstat(path, &info) < 0)
        rc = -errno;
    else if ((uint64_t)info.st_mtim.tv_sec * 1000 >= before_ms)
        rc = SL_E_STATE;
    else if (unlink(path) < 0)
        rc = -errno;
    pthread_mutex_unlock(&ages);
    return rc;
}

int sl_blobs_set_aside(const struct sl_blobs *blobs, const char *sha256, const struct stat *seen)
{
    char path[SL_PATH_BYTES], aside[SL_PATH_BYTES + 16];
    struct stat now;
    int rc = sl_blobs_path(blobs, sha256, path);
    if (rc < 0)
        return rc;
    snprintf(aside, sizeof(aside), "%s.damaged", path);
    pthread_mutex_lock(&ages);
    if (lstat(path, &now) < 0)
        rc = -errno;
    else if (now.st_dev != seen->st_dev || now.st_ino != seen->st_ino)
        rc = SL_E_STATE;
    else if (rename(path, aside) < 0)
        rc = -errno;
    pthread_mutex_unlock(&ages);
    return rc;
}

/* An old one that no upload holds; the lock keeps it from one that begins just now. */
static bool remove_partial(int folder, const char *file, time_t before)
{
    struct stat info;
    int fd = openat(folder, file, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    bool old = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
               info.st_mtime < before && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
               unlinkat(folder, file, 0) == 0;
    if (fd >= 0)
        close(fd);
    return old;
}

size_t sl_blobs_sweep(const struct sl_blobs *blobs, uint64_t older_than_s)
{
    time_t before = time(NULL) - (time_t)older_than_s;
    size_t count = 0;
    DIR *directory = opendir(blobs->directory);
    if (!directory)
        return 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const char *ending = strrchr(entry->d_name, '.');
        if (ending && (strcmp(ending, ".part") == 0 || strcmp(ending, ".tmp") == 0))
            count += remove_partial(dirfd(directory), entry->d_name, before) ? 1 : 0;
    }
    closedir(directory);
    return count;
}

/* Leaves exactly `offset` bytes in the partial file and stands at its end. */
static int position(struct sl_blob_upload *upload, uint64_t offset)
{
    struct stat info;
    if (flock(upload->fd, LOCK_EX | LOCK_NB) < 0)
        return errno == EWOULDBLOCK ? SL_E_STATE : -errno;
    if (fstat(upload->fd, &info) < 0)
        return -errno;
    if (offset > (uint64_t)info.st_size)
        return SL_E_MISMATCH;
    if (ftruncate(upload->fd, (off_t)offset) < 0 || lseek(upload->fd, (off_t)offset, SEEK_SET) < 0)
        return -errno;
    return 0;
}

int sl_blob_upload_new(const struct sl_blobs *blobs, const char *sha256, uint64_t offset,
                       uint64_t max_bytes, struct sl_blob_upload **out)
{
    if (!sl_blobs_name_ok(sha256))
        return SL_E_FORMAT;
    if (offset > max_bytes)
        return SL_E_LIMIT;
    struct sl_blob_upload *upload = sl_calloc(1, sizeof(*upload));
    if (!upload)
        return -ENOMEM;
    *upload = (struct sl_blob_upload){
        .fd = -1, .hashed = offset == 0, .offset = offset, .max_bytes = max_bytes, .blobs = *blobs};
    sl_sha256_init(&upload->sha);
    memcpy(upload->sha256, sha256, SL_DIGEST_BYTES);
    int rc = sl_blobs_path(blobs, sha256, upload->path);
    snprintf(upload->partial, sizeof(upload->partial), "%s.part", upload->path);
    if (rc == 0) {
        upload->fd = open(upload->partial, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
        rc = upload->fd < 0 ? -errno : position(upload, offset);
    }
    if (rc < 0) {
        sl_blob_upload_free(upload);
        return rc;
    }
    *out = upload;
    return 0;
}

/* A part that filled the disk goes: it is in the way of everybody, its sender's next try too. */
static int give_up(struct sl_blob_upload *upload, int rc)
{
    if ((rc == -ENOSPC || rc == -EDQUOT || rc == -EFBIG) && ftruncate(upload->fd, 0) == 0)
        unlink(upload->partial);
    return rc;
}

int sl_blob_upload_append(struct sl_blob_upload *upload, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    if (len > upload->max_bytes - upload->offset)
        return SL_E_LIMIT;
    for (size_t left = len; left > 0;) {
        ssize_t n = write(upload->fd, at, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return give_up(upload, -errno);
        if (upload->hashed)
            sl_sha256_update(&upload->sha, at, (size_t)n);
        at += n;
        left -= (size_t)n;
        upload->offset += (uint64_t)n;
    }
    return 0;
}

uint64_t sl_blob_upload_offset(const struct sl_blob_upload *upload)
{
    return upload->offset;
}

/* An upload that went on from an earlier one has to read that one's bytes again. */
static int hash_file(struct sl_blob_upload *upload)
{
    uint8_t *block = sl_malloc(1, READ_BYTES);
    ssize_t n = 1;
    int rc = block ? 0 : -ENOMEM;
    sl_sha256_init(&upload->sha);
    for (off_t at = 0; rc == 0 && n > 0; at += n) {
        n = pread(upload->fd, block, READ_BYTES, at);
        if (n < 0)
            rc = -errno;
        else
            sl_sha256_update(&upload->sha, block, (size_t)n);
    }
    sl_free(block);
    return rc;
}

int sl_blob_upload_finish(struct sl_blob_upload *upload)
{
    char digest[SL_SHA256_HEX_SIZE];
    int rc = upload->hashed ? 0 : hash_file(upload);
    if (rc < 0)
        return rc;
    sl_sha256_final_hex(&upload->sha, digest);
    if (strcmp(digest, upload->sha256) != 0) {
        unlink(upload->partial);
        return SL_E_MISMATCH;
    }
    if (fsync(upload->fd) < 0 || rename(upload->partial, upload->path) < 0)
        return -errno;
    return sl_durable_folder(upload->blobs.directory);
}

void sl_blob_upload_free(struct sl_blob_upload *upload)
{
    if (!upload)
        return;
    if (upload->fd >= 0)
        close(upload->fd); /* gives the lock back too */
    sl_free(upload);
}
