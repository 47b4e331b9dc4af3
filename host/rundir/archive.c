/* host/rundir/archive.c */
#include "host/rundir/archive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "host/spec/json_doc.h"

enum { LEVELS = 2, PATH_BYTES = 1024, STEP_BYTES = 1 << 16 };

static int cannot_read(const char *path, int rc, struct sl_diag *diag)
{
    return sl_diag_set(diag, rc, path, "The file cannot be read (%s)", sl_strerror(rc));
}

/* --- what is in a run's directory --- */

static int hash_file(const char *path, struct sl_archive_file *file, struct sl_diag *diag)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    int rc = fd < 0 || fstat(fd, &info) < 0 ? -errno : sl_sha256_fd(fd, file->sha256);
    if (rc == 0)
        file->bytes = (uint64_t)info.st_size;
    if (fd >= 0)
        close(fd);
    return rc < 0 ? cannot_read(path, rc, diag) : 0;
}

static int add_file(struct sl_archive_run *run, const char *full, const char *below,
                    struct sl_diag *diag)
{
    if ((run->count & (run->count - 1)) == 0) { /* doubles */
        size_t room = run->count ? 2 * run->count : 1;
        struct sl_archive_file *grown = sl_realloc(run->files, room, sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        run->files = grown;
    }
    struct sl_archive_file *file = &run->files[run->count];
    *file = (struct sl_archive_file){.path = sl_strndup(below, strlen(below))};
    if (!file->path)
        return -ENOMEM;
    run->count++;
    return hash_file(full, file, diag);
}

static int add_folder(struct sl_archive_run *run, const char *below, int levels,
                      struct sl_diag *diag);

static int add_entry(struct sl_archive_run *run, const char *below, int levels,
                     struct sl_diag *diag)
{
    char full[PATH_BYTES];
    struct stat info;
    if (sl_path_join(full, sizeof(full), run->directory, "%s", below) < 0)
        return sl_diag_set(diag, -ENAMETOOLONG, run->directory, "A path in it is too long");
    if (lstat(full, &info) < 0)
        return cannot_read(full, -errno, diag);
    if (S_ISREG(info.st_mode))
        return add_file(run, full, below, diag);
    if (S_ISDIR(info.st_mode) && levels > 0)
        return add_folder(run, below, levels - 1, diag);
    return sl_diag_set(diag, SL_E_UNSUPPORTED, full,
                       "A run has files, and folders at most %d deep, and this is neither", LEVELS);
}

static int add_folder(struct sl_archive_run *run, const char *below, int levels,
                      struct sl_diag *diag)
{
    char full[PATH_BYTES], path[SL_ARCHIVE_PATH_BYTES];
    sl_path_join(full, sizeof(full), run->directory, "%s", below);
    DIR *folder = opendir(full);
    int rc = folder ? 0 : cannot_read(full, -errno, diag);
    for (struct dirent *entry; rc == 0 && (entry = readdir(folder)) != NULL;) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        int len = snprintf(path, sizeof(path), "%s%s%s", below, below[0] ? "/" : "", name);
        rc = len < (int)sizeof(path)
                 ? add_entry(run, path, levels, diag)
                 : sl_diag_set(diag, -ENAMETOOLONG, full, "A path in it is too long");
    }
    if (folder)
        closedir(folder);
    return rc;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct sl_archive_file *)a)->path,
                  ((const struct sl_archive_file *)b)->path);
}

int sl_archive_add(struct sl_archive *archive, const char *directory, const char *name,
                   uint64_t number, struct sl_diag *diag)
{
    if (archive->count >= SL_ARCHIVE_MAX_RUNS || strlen(name) >= SL_ARCHIVE_NAME_BYTES)
        return sl_diag_set(diag, SL_E_LIMIT, name,
                           "An archive has at most %d runs, with names of at most %d bytes",
                           SL_ARCHIVE_MAX_RUNS, SL_ARCHIVE_NAME_BYTES - 1);
    for (size_t i = 0; i < archive->count; i++)
        if (strcmp(archive->runs[i].name, name) == 0)
            return sl_diag_set(diag, -EEXIST, name, "Two runs have this name");
    struct sl_archive_run *grown =
        sl_realloc(archive->runs, archive->count + 1, sizeof(*archive->runs));
    if (!grown)
        return -ENOMEM;
    archive->runs = grown;
    struct sl_archive_run *run = &grown[archive->count++];
    *run = (struct sl_archive_run){.run = number,
                                   .directory = sl_strndup(directory, strlen(directory))};
    snprintf(run->name, sizeof(run->name), "%s", name);
    int rc = run->directory ? add_folder(run, "", LEVELS, diag) : -ENOMEM;
    if (rc == 0 && run->count > 0)
        qsort(run->files, run->count, sizeof(*run->files), by_path);
    return rc;
}

/* --- writing --- */

struct writer {
    struct archive *archive;
    struct archive_entry *entry;
    const char *path;
    struct sl_diag *diag;
};

static int cannot_write(const struct writer *w)
{
    int code = archive_errno(w->archive);
    const char *why = archive_error_string(w->archive);
    return sl_diag_set(w->diag, code > 0 ? -code : -EIO, w->path, "The file cannot be written (%s)",
                       why ? why : sl_strerror(-EIO));
}

static int begin_entry(const struct writer *w, const char *name, uint64_t bytes)
{
    archive_entry_clear(w->entry);
    archive_entry_set_pathname(w->entry, name);
    archive_entry_set_size(w->entry, (int64_t)bytes);
    archive_entry_set_filetype(w->entry, AE_IFREG);
    archive_entry_set_perm(w->entry, 0644);
    return archive_write_header(w->archive, w->entry) < ARCHIVE_OK ? cannot_write(w) : 0;
}

static int put_bytes(const struct writer *w, const void *bytes, size_t len)
{
    return archive_write_data(w->archive, bytes, len) != (ssize_t)len ? cannot_write(w) : 0;
}

static int put_file(const struct writer *w, const struct sl_archive_run *run,
                    const struct sl_archive_file *file)
{
    static char step[STEP_BYTES];
    char from[PATH_BYTES], name[SL_ARCHIVE_NAME_BYTES + SL_ARCHIVE_PATH_BYTES],
        sha256[SL_SHA256_HEX_SIZE];
    struct sl_sha256 sha;
    uint64_t left = file->bytes;
    ssize_t got = 0;
    sl_path_join(from, sizeof(from), run->directory, "%s", file->path);
    sl_path_join(name, sizeof(name), run->name, "%s", file->path);
    int fd = open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    int rc = fd < 0 ? cannot_read(from, -errno, w->diag) : begin_entry(w, name, file->bytes);
    sl_sha256_init(&sha);
    while (rc == 0 && left > 0 &&
           (got = read(fd, step, left < STEP_BYTES ? (size_t)left : STEP_BYTES)) > 0) {
        sl_sha256_update(&sha, step, (size_t)got);
        left -= (uint64_t)got;
        rc = put_bytes(w, step, (size_t)got);
    }
    sl_sha256_final_hex(&sha, sha256);
    if (rc == 0 && got < 0)
        rc = cannot_read(from, -errno, w->diag);
    if (rc == 0 && (left > 0 || strcmp(sha256, file->sha256) != 0))
        rc = sl_diag_set(w->diag, SL_E_MISMATCH, from, "The file changed while it was exported");
    if (fd >= 0)
        close(fd);
    return rc;
}

static int put_all(const struct writer *w, const struct sl_archive *all, const struct sl_buf *list)
{
    int rc = begin_entry(w, SL_ARCHIVE_LIST, list->size);
    if (rc == 0)
        rc = put_bytes(w, list->data, list->size);
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; rc == 0 && k < all->runs[i].count; k++)
            rc = put_file(w, &all->runs[i], &all->runs[i].files[k]);
    if (rc == 0 && archive_write_close(w->archive) != ARCHIVE_OK)
        rc = cannot_write(w);
    return rc;
}

static int write_to(int fd, const struct sl_archive *all, const struct sl_buf *list,
                    const char *path, struct sl_diag *diag)
{
    struct writer w = {archive_write_new(), archive_entry_new(), path, diag};
    int rc = w.archive && w.entry ? 0 : -ENOMEM;
    if (rc == 0 && (archive_write_add_filter_zstd(w.archive) != ARCHIVE_OK ||
                    archive_write_set_format_pax_restricted(w.archive) != ARCHIVE_OK ||
                    archive_write_open_fd(w.archive, fd) != ARCHIVE_OK))
        rc = cannot_write(&w);
    if (rc == 0)
        rc = put_all(&w, all, list);
    archive_entry_free(w.entry);
    archive_write_free(w.archive);
    if (rc == 0 && fsync(fd) < 0)
        rc =
            sl_diag_set(diag, -errno, path, "The file cannot be written (%s)", sl_strerror(-errno));
    return rc;
}

/* Under a name of its own first; a link gives it the real one only where there is none. */
static int write_file(const struct sl_archive *all, const struct sl_buf *list, const char *path,
                      struct sl_diag *diag)
{
    char part[PATH_BYTES];
    if (sl_path_join(part, sizeof(part), "", "%s.XXXXXX", path) < 0)
        return sl_diag_set(diag, -ENAMETOOLONG, path, "The path is too long");
    snprintf(part, sizeof(part), "%s.XXXXXX", path);
    int fd = mkstemp(part);
    if (fd < 0)
        return sl_diag_set(diag, -errno, path, "The file cannot be made (%s)", sl_strerror(-errno));
    int rc = write_to(fd, all, list, path, diag);
    if (rc == 0 && (fchmod(fd, 0644) < 0 || link(part, path) < 0))
        rc = sl_diag_set(diag, -errno, path, "The file cannot be named (%s)", sl_strerror(-errno));
    close(fd);
    unlink(part);
    return rc;
}

int sl_archive_write(const struct sl_archive *archive, const char *path, struct sl_diag *diag)
{
    struct sl_buf list;
    sl_buf_init(&list, SL_JSON_DOC_MAX_BYTES);
    int rc = access(path, F_OK) == 0 ? -EEXIST : 0;
    if (rc < 0) {
        sl_diag_hint(diag, "take another name, or remove it first");
        return sl_diag_set(diag, rc, path, "There is a file of this name");
    }
    rc = sl_archive_list_write(archive, &list);
    if (rc == SL_E_LIMIT) {
        sl_diag_hint(diag, "export fewer runs at a time");
        sl_diag_set(diag, rc, path, "These are too many files for one archive");
    }
    if (rc == 0)
        rc = write_file(archive, &list, path, diag);
    sl_buf_fini(&list);
    return rc;
}
