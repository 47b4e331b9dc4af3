/* host/store/directory_id.c */
#include "host/store/directory_id.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/durable.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/path.h"
#include "host/records.h"
#include "host/store/database.h"

enum { PATH_BYTES = 2 * SL_PATH_BYTES, LINE_BYTES = SL_NAME_BYTES + SL_SERIES_BYTES + 1 };

struct identity {
    char store[SL_NAME_BYTES], own[SL_SERIES_BYTES];
};

/* Reads a line of two words of hexadecimal digits; SL_E_FORMAT for anything else. */
static int read_line(const char *path, struct identity *out)
{
    static const char digits[] = "0123456789abcdef";
    struct sl_buf text;
    int rc = sl_buf_read_file(path, LINE_BYTES, &text);
    if (rc < 0)
        return rc == SL_E_LIMIT ? SL_E_FORMAT : rc;
    const char *line = text.size > 0 ? (const char *)text.data : "";
    size_t store = strspn(line, digits);
    const char *own = line + store + (line[store] == ' ');
    size_t rest = strspn(own, digits);
    bool good = store > 0 && store < sizeof(out->store) && own > line + store &&
                rest == sizeof(out->own) - 1 && strcmp(own + rest, "\n") == 0;
    if (good) {
        snprintf(out->store, sizeof(out->store), "%.*s", (int)store, line);
        snprintf(out->own, sizeof(out->own), "%.*s", (int)rest, own);
    }
    sl_buf_fini(&text);
    return good ? 0 : SL_E_FORMAT;
}

/* Whole under its name or not at all; where another host is first, its file is the one. */
static int make_file(const struct sl_database *db, const char *folder, const char *path)
{
    char begun[PATH_BYTES + 32], line[LINE_BYTES + 1];
    uint64_t number;
    int rc = uv_random(NULL, NULL, &number, sizeof(number), 0, NULL);
    if (rc < 0)
        return rc;
    int len =
        snprintf(line, sizeof(line), "%s %016llx\n", db->identity, (unsigned long long)number);
    snprintf(begun, sizeof(begun), "%s.%016llx", path, (unsigned long long)number);
    rc = sl_buf_write_file(begun, line, (size_t)len);
    if (rc == 0 && link(begun, path) < 0 && errno != EEXIST)
        rc = -errno;
    unlink(begun);
    return rc == 0 ? sl_durable_folder(folder) : rc;
}

static int refuse(const char *path, struct sl_diag *diag)
{
    sl_diag_hint(diag,
                 "mount this store's directory there, or give the daemon another one with "
                 "--state; if its files belong here, remove the file %s in it",
                 SL_DIRECTORY_ID_FILE);
    return sl_diag_set(diag, SL_E_MISMATCH, path, "the directory is another store's");
}

static int open_one(const struct sl_database *db, const char *name, struct identity *out,
                    struct sl_diag *diag)
{
    char folder[PATH_BYTES], path[PATH_BYTES];
    int rc = sl_path_join(folder, sizeof(folder), db->root, "%s", name);
    if (rc == 0)
        rc = sl_path_join(path, sizeof(path), folder, "%s", SL_DIRECTORY_ID_FILE);
    if (rc == 0 && mkdir(folder, 0700) < 0 && errno != EEXIST)
        rc = -errno;
    if (rc == 0)
        rc = read_line(path, out);
    if (rc == -ENOENT) {
        rc = make_file(db, folder, path);
        rc = rc == 0 ? read_line(path, out) : rc;
    }
    if (rc == 0 && strcmp(out->store, db->identity) != 0)
        return refuse(folder, diag);
    return rc < 0 ? sl_diag_set(diag, rc, path, "the directory's identity cannot be had: %s",
                                sl_strerror(rc))
                  : 0;
}

/* The identity that STATE/blobs had at the last start; "" where none is known of this store. */
static int read_kept(const struct sl_database *db, const char *path, char out[SL_SERIES_BYTES],
                     struct sl_diag *diag)
{
    struct identity kept;
    int rc = read_line(path, &kept);
    out[0] = '\0';
    if (rc == -ENOENT)
        return 0;
    if (rc < 0) {
        sl_diag_hint(diag, "mount STATE/blobs, and remove the file: it is made again");
        return sl_diag_set(diag, rc, path,
                           "the file does not say which directory of blobs was here: %s",
                           sl_strerror(rc));
    }
    if (strcmp(kept.store, db->identity) == 0)
        snprintf(out, SL_SERIES_BYTES, "%s", kept.own);
    return 0;
}

static int write_kept(const struct sl_database *db, const char *path, const char *own,
                      struct sl_diag *diag)
{
    char line[LINE_BYTES + 1];
    int len = snprintf(line, sizeof(line), "%s %s\n", db->identity, own);
    int rc = sl_buf_write_file(path, line, (size_t)len);
    if (rc == 0)
        rc = sl_durable_folder(db->root);
    return rc < 0 ? sl_diag_set(diag, rc, path, "the identity of the blobs cannot be kept: %s",
                                sl_strerror(rc))
                  : 0;
}

/* The row of a host has the identity of its runs. That of its blobs is in the state directory,
 * which stays where their disk is not mounted: a bare folder must not get an identity then. */
static int open_blobs(const struct sl_database *db, struct identity *out, struct sl_diag *diag)
{
    char path[PATH_BYTES], kept_path[PATH_BYTES], kept[SL_SERIES_BYTES];
    struct identity there = {.own = ""};
    int rc = sl_path_join(path, sizeof(path), db->root, "blobs/%s", SL_DIRECTORY_ID_FILE);
    if (rc == 0)
        rc = sl_path_join(kept_path, sizeof(kept_path), db->root, "%s", SL_DIRECTORY_ID_FILE);
    if (rc == 0)
        rc = read_kept(db, kept_path, kept, diag);
    if (rc < 0)
        return rc;
    rc = read_line(path, &there);
    if (kept[0] && (rc == 0 || rc == -ENOENT) && strcmp(there.own, kept) != 0) {
        sl_diag_hint(diag,
                     "mount that directory again; if another one is to take its place, remove %s",
                     kept_path);
        return sl_diag_set(diag, SL_E_MISMATCH, path,
                           "STATE/blobs is not the directory that this daemon had: is its disk "
                           "mounted?");
    }
    rc = open_one(db, "blobs", out, diag);
    return rc == 0 && !kept[0] ? write_kept(db, kept_path, out->own, diag) : rc;
}

int sl_directory_id_open(struct sl_database *db, struct sl_diag *diag)
{
    struct identity runs, blobs;
    int rc = open_one(db, "runs", &runs, diag);
    if (rc == 0)
        rc = open_blobs(db, &blobs, diag);
    if (rc == 0) {
        snprintf(db->directory_id, sizeof(db->directory_id), "%s", runs.own);
        snprintf(db->blobs_id, sizeof(db->blobs_id), "%s", blobs.own);
    }
    return rc;
}

static bool matches(const struct sl_database *db, const char *name, const char *id)
{
    char path[PATH_BYTES];
    struct identity now;
    if (id[0] == '\0')
        return true;
    int rc = sl_path_join(path, sizeof(path), db->root, "%s/%s", name, SL_DIRECTORY_ID_FILE);
    return rc == 0 && read_line(path, &now) == 0 && strcmp(now.own, id) == 0;
}

const char *sl_directory_id_gone(const struct sl_database *db)
{
    return !matches(db, "runs", db->directory_id) ? "runs"
           : !matches(db, "blobs", db->blobs_id)  ? "blobs"
                                                  : NULL;
}

bool sl_directory_id_is_there(const struct sl_database *db)
{
    const char *gone = sl_directory_id_gone(db);
    if (gone)
        sl_log(SL_LOG_ERROR, SL_LOG_EVENT("state_directory_gone"), SL_LOG_TEXT("state", db->root),
               SL_LOG_TEXT("directory", gone),
               SL_LOG_REASON("it is not the directory that this daemon began with: nothing is "
                             "begun, stored, removed or mended until that is mounted again"));
    return !gone;
}
