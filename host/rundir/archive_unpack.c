/* host/rundir/archive_unpack.c */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>

#include "common/base/buf.h"
#include "common/base/bytes.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "host/rundir/archive.h"
#include "host/spec/json_doc.h"

enum { PATH_BYTES = 1024, STEP_BYTES = 1 << 16 };

#define MANY_BYTES (UINT64_C(1) << 60) /* more than any disk has */

struct reader {
    struct archive *archive;
    struct archive_entry *entry; /* libarchive's; where it is now */
    const char *path;
    struct sl_diag *diag;
};

static int damaged(const struct reader *r)
{
    const char *why = archive_error_string(r->archive);
    sl_diag_hint(r->diag, "copy the file again from where it was exported");
    return sl_diag_set(r->diag, SL_E_FORMAT, r->path,
                       "This is no archive of runs, or it is damaged (%s)",
                       why ? why : "it ends early");
}

/* The next entry is the file `name` of so many bytes (UINT64_MAX: any number). */
static int next_file(struct reader *r, const char *name, uint64_t bytes)
{
    int rc = archive_read_next_header(r->archive, &r->entry);
    if (rc == ARCHIVE_EOF)
        return sl_diag_set(r->diag, SL_E_TRUNCATED, r->path, "The archive ends before %.120s",
                           name);
    if (rc < ARCHIVE_WARN)
        return damaged(r);
    const char *found = archive_entry_pathname(r->entry);
    bool named = found && strcmp(found, name) == 0;
    if (named && (archive_entry_filetype(r->entry) != AE_IFREG || archive_entry_hardlink(r->entry)))
        return sl_diag_set(r->diag, SL_E_FORMAT, r->path, "%.80s is a link, or no file", name);
    if (!named || !archive_entry_size_is_set(r->entry) ||
        (bytes != UINT64_MAX && archive_entry_size(r->entry) != (int64_t)bytes))
        return sl_diag_set(r->diag, SL_E_FORMAT, r->path,
                           "%.80s comes where the archive's list has %.80s", found ? found : "",
                           name);
    return 0;
}

static int read_list(struct reader *r, struct sl_archive *out)
{
    uint8_t *text = NULL;
    int rc = next_file(r, SL_ARCHIVE_LIST, UINT64_MAX);
    if (rc < 0)
        return rc;
    int64_t size = archive_entry_size(r->entry);
    if (size < 0 || size > SL_JSON_DOC_MAX_BYTES)
        return sl_diag_set(r->diag, SL_E_LIMIT, r->path, "The archive's list is too long");
    text = sl_malloc((size_t)size + 1, 1);
    if (!text)
        return -ENOMEM;
    rc = archive_read_data(r->archive, text, (size_t)size) == size ? 0 : damaged(r);
    if (rc == 0)
        rc = sl_archive_list_read((struct sl_bytes){text, (size_t)size}, out, r->diag);
    sl_free(text);
    return rc;
}

static int cannot_write(const struct reader *r, const char *path)
{
    int rc = -errno;
    return sl_diag_set(r->diag, rc, path, "The file cannot be written (%s)", sl_strerror(rc));
}

static int copy_bytes(struct reader *r, int fd, const char *path, uint64_t bytes,
                      char sha256[SL_SHA256_HEX_SIZE])
{
    static char step[STEP_BYTES];
    struct sl_sha256 sha;
    sl_sha256_init(&sha);
    while (bytes > 0) {
        ssize_t got =
            archive_read_data(r->archive, step, bytes < STEP_BYTES ? (size_t)bytes : STEP_BYTES);
        if (got <= 0)
            return damaged(r);
        sl_sha256_update(&sha, step, (size_t)got);
        bytes -= (uint64_t)got;
        for (ssize_t done = 0, n; done < got; done += n) {
            n = write(fd, step + done, (size_t)(got - done));
            if (n < 0)
                return cannot_write(r, path);
        }
    }
    sl_sha256_final_hex(&sha, sha256);
    return 0;
}

/* The folders above a file below `run`, whose own is made. */
static int make_folders(const struct reader *r, char *path, size_t from)
{
    for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int rc = mkdir(path, 0777) < 0 && errno != EEXIST ? cannot_write(r, path) : 0;
        *slash = '/';
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int unpack_file(struct reader *r, const struct sl_archive_run *run,
                       const struct sl_archive_file *file)
{
    char name[SL_ARCHIVE_NAME_BYTES + SL_ARCHIVE_PATH_BYTES], path[PATH_BYTES],
        sha256[SL_SHA256_HEX_SIZE];
    sl_path_join(name, sizeof(name), run->name, "%s", file->path);
    int rc = next_file(r, name, file->bytes);
    if (rc == 0 && sl_path_join(path, sizeof(path), run->directory, "%s", file->path) < 0)
        rc = sl_diag_set(r->diag, -ENAMETOOLONG, run->directory, "A path in it is too long");
    if (rc == 0)
        rc = make_folders(r, path, strlen(run->directory) + 1);
    if (rc < 0)
        return rc;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return cannot_write(r, path);
    rc = copy_bytes(r, fd, path, file->bytes, sha256);
    if (rc == 0 && strcmp(sha256, file->sha256) != 0) {
        sl_diag_hint(r->diag, "copy the archive again from where it was exported");
        rc = sl_diag_set(r->diag, SL_E_MISMATCH, name, "The file is not the one of its SHA-256");
    }
    close(fd);
    return rc;
}

static int unpack_run(struct reader *r, struct sl_archive_run *run, const char *into)
{
    char path[PATH_BYTES];
    if (sl_path_join(path, sizeof(path), into, "%s", run->name) < 0)
        return sl_diag_set(r->diag, -ENAMETOOLONG, into, "The path is too long");
    run->directory = sl_strndup(path, strlen(path));
    if (!run->directory)
        return -ENOMEM;
    int rc = mkdir(path, 0777) < 0 ? cannot_write(r, path) : 0;
    for (size_t k = 0; rc == 0 && k < run->count; k++)
        rc = unpack_file(r, run, &run->files[k]);
    return rc;
}

/* Files that the disk has no room for are refused before the first one is written. */
static int check_room(const struct reader *r, const char *into, const struct sl_archive *archive)
{
    struct statvfs disk;
    uint64_t bytes = 0;
    for (size_t i = 0; i < archive->count; i++) {
        for (size_t k = 0; k < archive->runs[i].count && bytes < MANY_BYTES; k++)
            bytes += archive->runs[i].files[k].bytes; /* 2^53 at most */
    }
    if (statvfs(into, &disk) < 0 || disk.f_blocks == 0 || bytes / disk.f_frsize < disk.f_bavail)
        return 0; /* some network file systems do not say how large they are */
    sl_diag_hint(r->diag, "free space there; without -o, TMPDIR names another place to unpack in");
    return sl_diag_set(r->diag, -ENOSPC, into,
                       "The files of the archive have %" PRIu64
                       " MiB, and that is more than is free",
                       bytes >> 20);
}

static int unpack_all(struct reader *r, const char *into, struct sl_archive *out)
{
    int rc = read_list(r, out);
    if (rc == 0)
        rc = check_room(r, into, out);
    for (size_t i = 0; rc == 0 && i < out->count; i++)
        rc = unpack_run(r, &out->runs[i], into);
    if (rc == 0 && archive_read_next_header(r->archive, &r->entry) != ARCHIVE_EOF)
        rc = sl_diag_set(r->diag, SL_E_FORMAT, r->path,
                         "There is more in the archive than its list has");
    return rc;
}

int sl_archive_unpack(const char *path, const char *into, struct sl_archive *out,
                      struct sl_diag *diag)
{
    struct reader r = {archive_read_new(), NULL, path, diag};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int rc = fd < 0 ? sl_diag_set(diag, -errno, path, "The file cannot be read (%s)",
                                  sl_strerror(-errno))
                    : 0;
    if (rc == 0 && !r.archive)
        rc = -ENOMEM;
    if (rc == 0 && (archive_read_support_filter_zstd(r.archive) != ARCHIVE_OK ||
                    archive_read_support_format_tar(r.archive) != ARCHIVE_OK ||
                    archive_read_open_fd(r.archive, fd, STEP_BYTES) != ARCHIVE_OK))
        rc = damaged(&r);
    if (rc == 0)
        rc = unpack_all(&r, into, out);
    archive_read_free(r.archive);
    if (fd >= 0)
        close(fd);
    return rc;
}
