/* host/store/set_aside.c */
#include "host/store/set_aside.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#include <sqlite3.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "host/records.h"
#include "host/store/schema.h"

/* As SQLite names the log of the new name. */
static int rename_all(const char *path, const char *aside, struct sl_diag *diag)
{
    static const char *const ends[] = {"-wal", "-shm", ""};
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        char from[SL_PATH_BYTES + 8], to[SL_PATH_BYTES + 40];
        snprintf(from, sizeof(from), "%s%s", path, ends[i]);
        snprintf(to, sizeof(to), "%s%s", aside, ends[i]);
        if (rename(from, to) < 0 && errno != ENOENT)
            return sl_diag_set(diag, -errno, from, "the store cannot be set aside: %s",
                               sl_strerror(-errno));
    }
    return 0;
}

static void take_table(sqlite3 *db, const char *table)
{
    char sql[128];
    snprintf(sql, sizeof(sql), "INSERT OR IGNORE INTO main.%s SELECT * FROM damaged.%s", table,
             table);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("rows_taken_over"), SL_LOG_TEXT("table", table),
               SL_LOG_NUMBER("count", sqlite3_changes(db)));
    else
        sl_log(SL_LOG_ERROR, SL_LOG_EVENT("rows_not_readable"), SL_LOG_TEXT("table", table),
               SL_LOG_REASON(sqlite3_errmsg(db)));
}

static void take_over(sqlite3 *db, const char *aside)
{
    char *sql = sqlite3_mprintf("ATTACH DATABASE %Q AS damaged", aside);
    if (sql && sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK) {
        take_table(db, "jobs");
        take_table(db, "tokens");
    }
    sqlite3_free(sql);
}

int sl_set_aside(const char *path, struct sl_diag *diag)
{
    char aside[SL_PATH_BYTES + 32];
    sqlite3 *db = NULL;
    snprintf(aside, sizeof(aside), "%s.damaged-%llu", path, (unsigned long long)sl_clock_utc_ms());
    int rc = rename_all(path, aside, diag);
    if (rc == 0)
        rc = sl_schema_open(path, &db, diag);
    if (rc < 0)
        return rc;
    sl_log(SL_LOG_WARNING, SL_LOG_EVENT("store_set_aside"), SL_LOG_TEXT("file", aside));
    take_over(db, aside);
    sqlite3_close(db);
    return 0;
}
