/* host/store/schema.c */
#include "host/store/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "common/base/error.h"
#include "host/store/database.h"
#include "host/store/directory_id.h"
#include "host/store/migrations.h"
#include "host/store/page_check.h"
#include "host/store/postgres.h"
#include "host/store/pq.h"
#include "host/store/sqlite.h"

enum { BUSY_TIMEOUT_MS = 5000 };

static const char move_away[] =
    "start sme2labd once with --rebuild: it sets the file aside and makes "
    "the rows again from the runs' directories";

static const char make_room[] = "give it a database of its own, whose owner is the URL's user";

static int failure(sqlite3 *db, const char *path, struct sl_diag *diag)
{
    int code = sqlite3_errcode(db) & 0xff;
    int rc = code == SQLITE_NOTADB || code == SQLITE_CORRUPT ? SL_E_FORMAT : -EIO;
    sl_diag_hint(diag, "%s", move_away);
    return sl_diag_set(diag, rc, path, "the store cannot be used: %s", sqlite3_errmsg(db));
}

int sl_schema_write(struct sl_database *db)
{
    int version = 0;
    int rc = db->kind->version(db, &version);
    return rc == 0 ? db->kind->set_version(db, version) : rc;
}

/* A damaged page is found now and not by the request that needs it. */
static int check_pages(sqlite3 *db, const char *path, struct sl_diag *diag)
{
    int rc = sl_page_check_run(db, path, diag);
    sl_diag_hint(diag, "%s", rc < 0 ? move_away : "");
    return rc;
}

static int check(sqlite3 *db, const char *path, struct sl_diag *diag)
{
    int rc = sl_page_check_is_long(db) ? 0 : check_pages(db, path, diag);
    if (rc < 0)
        return rc;
    sl_diag_hint(diag, "let this user write the file and its folder");
    if (sqlite3_db_readonly(db, "main") != 0)
        return sl_diag_set(diag, -EROFS, path, "the store can be read only");
    sl_diag_hint(diag, "%s", "");
    return 0;
}

/* For this user alone, as an earlier version's was not; SQLite gives its other files the same mode.
 */
static int make_private(const char *path, struct sl_diag *diag)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 && (errno == EROFS || errno == EACCES))
        return 0; /* check() has the words for it */
    int rc = fd < 0 || fchmod(fd, 0600) < 0 ? -errno : 0;
    if (fd >= 0)
        close(fd);
    return rc < 0 ? sl_diag_set(diag, rc, path, "the store cannot be made private: %s",
                                sl_strerror(rc))
                  : 0;
}

static int open_file(const char *path, struct sl_database **out, struct sl_diag *diag)
{
    sqlite3 *db = NULL;
    int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
    int rc = make_private(path, diag);
    if (rc < 0)
        return rc;
    if (sqlite3_open_v2(path, &db, flags, NULL) != SQLITE_OK ||
        sqlite3_busy_timeout(db, BUSY_TIMEOUT_MS) != SQLITE_OK ||
        sqlite3_exec(db,
                     "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA trusted_schema=OFF; "
                     "PRAGMA cache_size=-2048; PRAGMA foreign_keys=ON;",
                     NULL, NULL, NULL) != SQLITE_OK)
        rc = failure(db, path, diag);
    if (rc == 0)
        rc = check(db, path, diag);
    if (rc < 0) {
        sqlite3_close(db);
        return rc;
    }
    return sl_sqlite_wrap(db, out);
}

/* Before migrations, which read and write all of it, a large file is checked as well. */
static int migrate(struct sl_database *db, const char *where, const char *name,
                   struct sl_diag *diag)
{
    int rc = 0;
    if (!db->shared && sl_migrations_are_due(db) && sl_page_check_is_long(sl_sqlite_handle(db)))
        rc = check_pages(sl_sqlite_handle(db), where, diag);
    return rc < 0 ? rc : sl_migrations_run(db, name, diag);
}

static int open_any(const char *where, const char *root, struct sl_database **out,
                    struct sl_diag *diag)
{
    if (sl_pq_is_url(where))
        return sl_postgres_open(where, root ? root : ".", out, diag);
    int rc = open_file(where, out, diag);
    if (rc == 0 && root)
        snprintf((*out)->root, sizeof((*out)->root), "%s", root);
    return rc;
}

int sl_schema_open(const char *where, const char *root, struct sl_database **out,
                   struct sl_diag *diag)
{
    struct sl_database *db = NULL;
    char name[SL_PQ_NAME_BYTES];
    int rc = open_any(where, root, &db, diag);
    if (rc < 0)
        return rc;
    snprintf(name, sizeof(name), "%s", where);
    if (db->shared)
        sl_pq_name(where, name);
    rc = migrate(db, where, name, diag);
    if (rc < 0 && rc != SL_E_UNSUPPORTED)
        sl_diag_hint(diag, "%s", db->shared ? make_room : move_away);
    if (rc == 0 && db->shared && (rc = sl_postgres_sign_on(db)) < 0)
        sl_diag_set(diag, rc, name, "the store cannot be written: %s", db->kind->message(db));
    if (rc == 0 && db->shared && root)
        rc = sl_directory_id_open(db, diag);
    if (rc < 0) {
        sl_database_close(db);
        return rc;
    }
    *out = db;
    return 0;
}

static int open_file_to_read(const char *path, struct sl_database **out, struct sl_diag *diag)
{
    sqlite3 *db = NULL;
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
    if (sqlite3_open_v2(path, &db, flags, NULL) == SQLITE_OK &&
        sqlite3_busy_timeout(db, BUSY_TIMEOUT_MS) == SQLITE_OK &&
        sqlite3_exec(db, "PRAGMA trusted_schema=OFF; PRAGMA cache_size=-2048", NULL, NULL, NULL) ==
            SQLITE_OK)
        return sl_sqlite_wrap(db, out);
    int rc = failure(db, path, diag);
    sqlite3_close(db);
    return rc;
}

int sl_schema_open_to_read(const char *where, const struct sl_database *store,
                           struct sl_database **out, struct sl_diag *diag)
{
    int rc = store->shared ? sl_postgres_open(where, store->root, out, diag)
                           : open_file_to_read(where, out, diag);
    if (rc < 0)
        return rc;
    struct sl_database *db = *out;
    memcpy(db->identity, store->identity, sizeof(db->identity));
    memcpy(db->family, store->family, sizeof(db->family));
    memcpy(db->root, store->root, sizeof(db->root));
    return 0;
}

int sl_schema_check(const char *path, struct sl_diag *diag)
{
    sqlite3 *db = NULL;
    if (sl_pq_is_url(path))
        return sl_pq_check(path, diag);
    if (access(path, F_OK) < 0 && errno == ENOENT)
        return 0;
    int rc = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
    rc = rc != SQLITE_OK || sqlite3_busy_timeout(db, BUSY_TIMEOUT_MS) != SQLITE_OK
             ? failure(db, path, diag)
             : check_pages(db, path, diag);
    sqlite3_close(db);
    return rc;
}
