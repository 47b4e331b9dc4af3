/* host/store/backup.c */
#include "host/store/backup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "common/base/clock.h"
#include "common/base/durable.h"
#include "common/base/error.h"
#include "host/store/database.h"
#include "host/store/schema.h"
#include "host/store/set_aside.h"
#include "host/store/sqlite.h"

enum { BUSY_TIMEOUT_MS = 30000 };

static int failure(sqlite3 *db, const char *path, struct sl_diag *diag)
{
    int code = sqlite3_errcode(db) & 0xff;
    int rc = code == SQLITE_NOTADB || code == SQLITE_CORRUPT ? SL_E_FORMAT
             : code == SQLITE_FULL                           ? -ENOSPC
                                                             : -EIO;
    return sl_diag_set(diag, rc, path, "the store cannot be copied: %s", sqlite3_errmsg(db));
}

/* In one step: readers hold up no writer, and a copy in steps would begin anew with each write. */
static int copy_all(sqlite3 *from, const char *path, const char *to, struct sl_diag *diag)
{
    sqlite3 *db = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    sqlite3_backup *backup = sqlite3_open_v2(to, &db, flags, NULL) == SQLITE_OK
                                 ? sqlite3_backup_init(db, "main", from, "main")
                                 : NULL;
    int step = backup ? sqlite3_backup_step(backup, -1) : SQLITE_ERROR;
    int end = backup ? sqlite3_backup_finish(backup) : SQLITE_ERROR;
    bool done = step == SQLITE_DONE && end == SQLITE_OK && /* it stands alone, without a log */
                sqlite3_exec(db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL) == SQLITE_OK;
    int rc = done ? 0 : failure(db, path, diag);
    sqlite3_close(db);
    return rc;
}

static int copy_database(const char *path, const char *to, struct sl_diag *diag)
{
    sqlite3 *from = NULL;
    if (access(path, F_OK) < 0) {
        sl_diag_hint(diag, "name the daemon's directory by --state, or its store by --store");
        return sl_diag_set(diag, errno == ENOENT ? SL_E_NOT_FOUND : -errno, path,
                           "the store cannot be read: %s", strerror(errno));
    }
    int fd = open(to, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return sl_diag_set(diag, -errno, to, "the copy cannot be made: %s", strerror(errno));
    int rc = sqlite3_open_v2(path, &from, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
    rc = rc == SQLITE_OK && sqlite3_busy_timeout(from, BUSY_TIMEOUT_MS) == SQLITE_OK
             ? copy_all(from, path, to, diag)
             : failure(from, path, diag);
    sqlite3_close(from);
    if (rc == 0)
        rc = sl_schema_check(to, diag); /* a damaged page is copied as it is */
    if (rc == 0 && fsync(fd) < 0)
        rc = sl_diag_set(diag, -errno, to, "the copy cannot be written: %s", strerror(errno));
    close(fd);
    if (rc < 0)
        unlink(to);
    return rc;
}

static int sync_folder_of(const char *path, struct sl_diag *diag)
{
    char folder[SL_BACKUP_NAME_BYTES];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path + 1) : 1,
             slash ? path : ".");
    int rc = sl_durable_folder(folder);
    return rc < 0
               ? sl_diag_set(diag, rc, folder, "the folder cannot be written: %s", sl_strerror(rc))
               : 0;
}

int sl_backup_write(const char *path, const char *to, struct sl_diag *diag)
{
    sl_diag_hint(diag, "name a new file, in a folder that this user may write");
    int rc = copy_database(path, to, diag);
    return rc < 0 ? rc : sync_folder_of(to, diag);
}

/* Is it a store's, and not any database, or none? */
static int check_backup(const char *from, struct sl_diag *diag)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    int rc = sl_schema_check(from, diag);
    if (rc < 0)
        return rc;
    bool is =
        sqlite3_open_v2(from, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(db, "SELECT count(*) FROM jobs, runs, tokens", -1, &statement, NULL) ==
            SQLITE_OK;
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return is ? 0 : sl_diag_set(diag, SL_E_FORMAT, from, "the file is no store of sme2lab's");
}

int sl_backup_restore(const char *path, const char *from, char out_aside[SL_BACKUP_NAME_BYTES],
                      struct sl_diag *diag)
{
    char made[SL_BACKUP_NAME_BYTES], aside[SL_BACKUP_NAME_BYTES];
    struct sl_database *db = NULL;
    snprintf(made, sizeof(made), "%s.restored", path);
    snprintf(aside, SL_BACKUP_NAME_BYTES, "%s.replaced-%llu", path,
             (unsigned long long)sl_clock_utc_ms());
    sl_diag_hint(diag, "name a file that 'sme2labd backup' made");
    int rc = check_backup(from, diag);
    if (rc == SL_E_FORMAT) /* the hint until now is for a damaged store, not for a damaged copy */
        sl_diag_hint(diag, "name another copy, which 'sme2labd backup' made; the store is as it "
                           "was");
    if (rc < 0)
        return rc;
    sl_set_aside_remove(made); /* left by one that was stopped */
    rc = copy_database(from, made, diag);
    if (rc == 0 && (rc = sl_schema_open(made, NULL, &db, diag)) == 0) { /* brings it up to date */
        if (sl_sqlite_end_log(db) < 0)
            rc = failure(sl_sqlite_handle(db), made, diag);
        sl_database_close(db);
    }
    if (rc == 0 && (rc = sl_set_aside_replace(path, aside, made)) < 0)
        sl_diag_set(diag, rc, path, "the store cannot be replaced: %s", sl_strerror(rc));
    if (rc < 0) {
        sl_set_aside_remove(made);
        return rc;
    }
    snprintf(out_aside, SL_BACKUP_NAME_BYTES, "%s", access(aside, F_OK) == 0 ? aside : "");
    return sync_folder_of(path, diag);
}
