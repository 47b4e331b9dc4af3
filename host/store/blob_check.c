/* host/store/blob_check.c */
#include "host/store/blob_check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/store/blobs.h"

enum { STEP_NAMES = 1024, PIECE_BYTES = 1 << 16 };

/* The first names behind the one that a step begins after. */
struct names {
    char (*rows)[SL_DIGEST_BYTES]; /* owned; sorted */
    size_t count;
    bool more; /* there are others behind them */
};

static void keep_name(struct names *names, const char *name)
{
    size_t at = names->count;
    while (at > 0 && strcmp(names->rows[at - 1], name) > 0)
        at--;
    if (names->count == STEP_NAMES) {
        names->more = true;
        if (at == STEP_NAMES)
            return;
        names->count--;
    }
    memmove(names->rows[at + 1], names->rows[at], (names->count - at) * SL_DIGEST_BYTES);
    memcpy(names->rows[at], name, SL_DIGEST_BYTES);
    names->count++;
}

static int read_names(const struct sl_blobs *blobs, const char *after, struct names *out)
{
    DIR *folder = opendir(blobs->directory);
    if (!folder)
        return errno == ENOENT ? 0 : -errno;
    int rc = 0;
    for (struct dirent *entry; errno = 0, (entry = readdir(folder)) != NULL;) {
        if (sl_blobs_name_ok(entry->d_name) && strcmp(entry->d_name, after) > 0)
            keep_name(out, entry->d_name);
    }
    rc = -errno;
    closedir(folder);
    return rc;
}

/* Digests an open file piece by piece, so that `stop` need not wait for its end. */
static int digest_file(int fd, struct sl_blob_check *check, char out[SL_SHA256_HEX_SIZE])
{
    uint8_t piece[PIECE_BYTES];
    struct sl_sha256 sha;
    sl_sha256_init(&sha);
    for (;;) {
        if (check->stop && atomic_load(check->stop))
            return -ECANCELED;
        ssize_t got = read(fd, piece, sizeof(piece));
        if (got < 0 && errno != EINTR)
            return -errno;
        if (got == 0)
            break;
        if (got > 0) {
            sl_sha256_update(&sha, piece, (size_t)got);
            check->bytes += (uint64_t)got;
        }
    }
    sl_sha256_final_hex(&sha, out);
    return 0;
}

/* 0: it is what its name says; SL_E_MISMATCH: it is not, or no file; or why it cannot be read. */
static int read_blob(const char *path, const char *name, struct sl_blob_check *check,
                     struct stat *out_seen)
{
    char digest[SL_SHA256_HEX_SIZE];
    if (lstat(path, out_seen) < 0)
        return -errno;
    if (!S_ISREG(out_seen->st_mode))
        return SL_E_MISMATCH;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int rc = digest_file(fd, check, digest);
    close(fd);
    return rc == 0 && strcmp(digest, name) != 0 ? SL_E_MISMATCH : rc;
}

/* Failures of this process: they say nothing about the blob. */
static bool is_ours(int rc)
{
    return rc == -ECANCELED || rc == -ENOMEM || rc == -EMFILE || rc == -ENFILE;
}

/* A damaged blob is set aside. One that may not be read stays: a person has to look at it. */
static int check_blob(const struct sl_blobs *blobs, const char *name, struct sl_blob_check *check)
{
    struct sl_store_finding found = {.kind = SL_FOUND_DAMAGED_BLOB};
    char path[SL_PATH_BYTES];
    struct stat seen;
    int rc = sl_blobs_path(blobs, name, path);
    if (rc == 0)
        rc = read_blob(path, name, check, &seen);
    if (rc == -ENOENT || is_ours(rc)) /* it was removed meanwhile */
        return rc == -ENOENT ? 0 : rc;
    check->files++;
    if (rc == 0)
        return 0;
    if (rc == SL_E_MISMATCH || rc == -EIO) {
        found.bytes = (uint64_t)seen.st_size;
        found.mended = check->mend && sl_blobs_set_aside(blobs, name, &seen) == 0;
    }
    snprintf(found.name, sizeof(found.name), "%s", name);
    return sl_findings_add(&check->found, &found);
}

static int check_names(const struct sl_blobs *blobs, struct names *names,
                       struct sl_blob_check *check)
{
    uint64_t end_ns = sl_clock_ns() + check->most_ms * UINT64_C(1000000);
    size_t at = 0;
    int rc = 0;
    while (rc == 0 && at < names->count && (at == 0 || sl_clock_ns() < end_ns))
        rc = check_blob(blobs, names->rows[at++], check);
    if (rc == 0 && at > 0 && (at < names->count || names->more))
        memcpy(check->next, names->rows[at - 1], SL_DIGEST_BYTES);
    return rc;
}

int sl_blob_check(const struct sl_blobs *blobs, struct sl_blob_check *check)
{
    struct names names = {.rows = sl_malloc(STEP_NAMES, sizeof(*names.rows))};
    check->next[0] = '\0';
    check->files = check->bytes = 0;
    check->found = (struct sl_findings){.rows = NULL};
    int rc = names.rows ? read_names(blobs, check->after, &names) : -ENOMEM;
    if (rc == 0)
        rc = check_names(blobs, &names, check);
    sl_free(names.rows);
    return rc;
}
