/* host/store/page_check.c */
#include "host/store/page_check.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>

#include <sqlite3.h>
#include <uv.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/records.h"
#include "host/store/sqlite.h"

enum { BUSY_TIMEOUT_MS = 5000, STOP_PAUSE_MS = 2 };

/* A tenth of a second's reading. */
#define SHORT_BYTES (INT64_C(16) << 20)

struct sl_page_check {
    uv_mutex_t lock; /* of `db`, which is interrupted while the thread has it */
    sqlite3 *db;     /* owned; NULL once the check has ended, and its memory is free again */
    char path[SL_PATH_BYTES];
    uv_thread_t thread;
    atomic_bool ended;
    sl_page_check_done_fn done;
    void *user;
};

static int64_t pragma(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    int64_t number = 0;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

bool sl_page_check_is_long(sqlite3 *db)
{
    int64_t page_bytes = pragma(db, "PRAGMA page_size");
    return page_bytes > 0 && pragma(db, "PRAGMA page_count") > SHORT_BYTES / page_bytes;
}

static int failure(sqlite3 *db, const char *path, struct sl_diag *diag)
{
    if (sqlite3_errcode(db) == SQLITE_INTERRUPT)
        return sl_diag_set(diag, -ECANCELED, path, "the check was ended");
    int rc = sl_sqlite_code(db);
    return rc == SL_E_FORMAT
               ? sl_diag_set(diag, rc, path, "the store is damaged: %s", sqlite3_errmsg(db))
               : sl_diag_set(diag, rc, path, "the store cannot be read: %s", sqlite3_errmsg(db));
}

int sl_page_check_run(sqlite3 *db, const char *path, struct sl_diag *diag)
{
    sqlite3_stmt *statement = NULL;
    char found[160] = "";
    int code = sqlite3_prepare_v2(db, "PRAGMA quick_check(1)", -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        sqlite3_snprintf(sizeof(found), found, "%s", sqlite3_column_text(statement, 0));
    int rc = code == SQLITE_ROW ? 0 : failure(db, path, diag);
    sqlite3_finalize(statement);
    if (rc == 0 && sqlite3_stricmp(found, "ok") != 0)
        rc = sl_diag_set(diag, SL_E_FORMAT, path, "the store is damaged: %s", found);
    return rc;
}

static void work(void *user)
{
    struct sl_page_check *check = user;
    struct sl_diag diag = {0};
    int rc = sl_page_check_run(check->db, check->path, &diag);
    if (rc != -ECANCELED)
        check->done(check->user, rc, &diag);
    uv_mutex_lock(&check->lock);
    sqlite3_close(check->db);
    check->db = NULL;
    uv_mutex_unlock(&check->lock);
    atomic_store(&check->ended, true);
}

static void release(struct sl_page_check *check)
{
    sqlite3_close(check->db);
    uv_mutex_destroy(&check->lock);
    sl_free(check);
}

int sl_page_check_start(const char *path, sl_page_check_done_fn done, void *user,
                        struct sl_page_check **out)
{
    struct sl_page_check *check = sl_calloc(1, sizeof(*check));
    if (!check)
        return -ENOMEM;
    if (uv_mutex_init(&check->lock) < 0) {
        sl_free(check);
        return -ENOMEM;
    }
    check->done = done;
    check->user = user;
    sqlite3_snprintf(sizeof(check->path), check->path, "%s", path);
    int rc = -EIO;
    if (sqlite3_open_v2(path, &check->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) ==
            SQLITE_OK &&
        sqlite3_busy_timeout(check->db, BUSY_TIMEOUT_MS) == SQLITE_OK)
        rc = uv_thread_create(&check->thread, work, check);
    if (rc < 0) {
        release(check);
        return rc;
    }
    *out = check;
    return 0;
}

void sl_page_check_stop(struct sl_page_check *check)
{
    if (!check)
        return;
    while (!atomic_load(&check->ended)) { /* an interruption before its statement is not heard */
        uv_mutex_lock(&check->lock);
        if (check->db)
            sqlite3_interrupt(check->db);
        uv_mutex_unlock(&check->lock);
        uv_sleep(STOP_PAUSE_MS);
    }
    uv_thread_join(&check->thread);
    release(check);
}
