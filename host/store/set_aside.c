/* host/store/set_aside.c */
#include "host/store/set_aside.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "host/records.h"
#include "host/store/database.h"
#include "host/store/documents.h"
#include "host/store/losses.h"
#include "host/store/numbers.h"
#include "host/store/schema.h"
#include "host/store/sqlite.h"
#include "host/store/statement.h"

enum { NAME_BYTES = SL_PATH_BYTES + 40 };

/* As SQLite names a database's log and what it keeps in memory. */
static const char *const logs[] = {"-wal", "-shm"};
enum { LOGS = sizeof(logs) / sizeof(logs[0]) };

static void name_of(const char *path, const char *end, char out[NAME_BYTES])
{
    snprintf(out, NAME_BYTES, "%s%s", path, end);
}

void sl_set_aside_remove(const char *path)
{
    char name[NAME_BYTES];
    for (size_t i = 0; i < LOGS; i++) {
        name_of(path, logs[i], name);
        unlink(name);
    }
    unlink(path);
}

/* In one step, so that at all times one of them is there: whoever is stopped in between begins
 * anew. A log of the old one is out of the way by then. */
int sl_set_aside_replace(const char *path, const char *aside, const char *made)
{
    char from[NAME_BYTES], to[NAME_BYTES];
    for (size_t i = 0; i < LOGS; i++) {
        name_of(path, logs[i], from);
        name_of(aside, logs[i], to);
        if (rename(from, to) < 0 && errno != ENOENT)
            return -errno;
    }
    if (link(path, aside) < 0 && rename(path, aside) < 0 && errno != ENOENT)
        return -errno; /* not all file systems have links, and there may be none to set aside */
    return rename(made, path) < 0 ? -errno : 0;
}

/* --- what can be read of it --- */

enum { SQL_BYTES = 2048, MAX_UNREADABLE = 50000 };

/* A table on its way from the damaged database into the new one, row by row: a damaged page takes
 * its own rows alone. A connection of its own for each: damage ends the transaction it is seen in.
 */
struct taking {
    struct sl_statement read, write;
    uint64_t at;    /* the last id that was looked at */
    int unreadable; /* in a row */
    bool damaged;   /* some were */
};

static void names_of(struct sl_database *db, const char *table, int columns, char *out, size_t size)
{
    struct sl_statement statement;
    out[0] = '\0';
    sl_statement_init(
        &statement, db,
        "SELECT group_concat(name) FROM (SELECT name FROM pragma_table_info(?) LIMIT ?)");
    sl_statement_bind_text(&statement, table);
    sl_statement_bind_i64(&statement, columns);
    if (sl_statement_step(&statement) == 1)
        sl_statement_text(&statement, 0, out, size);
    sl_statement_fini(&statement);
}

/* An earlier version has fewer columns: new ones come last. */
static void prepare(struct taking *taking, struct sl_database *from, struct sl_database *to,
                    const char *table)
{
    char sql[SQL_BYTES], names[SQL_BYTES / 4];
    snprintf(sql, sizeof(sql),
             "SELECT * FROM %s WHERE id > ? AND id <= 1000000000000 ORDER BY id LIMIT 1", table);
    sl_statement_init(&taking->read, from, sql);
    int columns = sqlite3_column_count(sl_sqlite_statement(taking->read.handle));
    names_of(to, table, columns, names, sizeof(names));
    int used = snprintf(sql, sizeof(sql), "INSERT OR IGNORE INTO %s (%s) SELECT ?", table, names);
    for (int i = 1; i < columns && used < (int)sizeof(sql) - 4; i++)
        used += snprintf(sql + used, sizeof(sql) - (size_t)used, ", ?");
    /* A run that its directory made again stays as it is there. */
    if (strcmp(table, "runs") == 0 && used < (int)sizeof(sql))
        snprintf(sql + used, sizeof(sql) - (size_t)used,
                 " WHERE NOT EXISTS (SELECT 1 FROM runs INDEXED BY runs_job WHERE job = ?2 AND "
                 "directory = ?11)");
    sl_statement_init(&taking->write, to, sql);
}

static int read_next(struct taking *taking)
{
    sqlite3_reset(sl_sqlite_statement(taking->read.handle));
    taking->read.rc = taking->read.handle ? 0 : SL_E_FORMAT;
    taking->read.next = 1;
    sl_statement_bind_u64(&taking->read, taking->at);
    return sl_statement_step(&taking->read);
}

static int write_row(struct taking *taking)
{
    sqlite3_stmt *row = sl_sqlite_statement(taking->read.handle);
    sqlite3_stmt *written = sl_sqlite_statement(taking->write.handle);
    sqlite3_reset(written);
    for (int i = 0; i < sqlite3_column_count(row); i++)
        sqlite3_bind_value(written, i + 1, sqlite3_column_value(row, i));
    return sl_statement_step(&taking->write);
}

/* 0, or why the new database does not take them. */
static int take_rows(struct taking *taking)
{
    int rc;
    while ((rc = read_next(taking)) != 0 && taking->unreadable < MAX_UNREADABLE) {
        uint64_t id = rc == 1 ? sl_statement_u64(&taking->read, 0) : 0;
        bool found = id > taking->at; /* else a damaged page says so */
        taking->at = found ? id : taking->at + 1;
        taking->unreadable = found ? 0 : taking->unreadable + 1;
        taking->damaged = taking->damaged || !found;
        if (found && (rc = write_row(taking)) < 0)
            return rc;
    }
    return 0;
}

/* Is true also where the schema cannot be read. */
static bool may_have(struct sl_database *db, const char *table)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db, "SELECT 1 FROM sqlite_schema WHERE name = ?");
    sl_statement_bind_text(&statement, table);
    int rc = sl_statement_step(&statement);
    sl_statement_fini(&statement);
    return rc != 0;
}

/* An earlier version may not have the table. */
static int take_table(struct sl_database *from, struct sl_database *to, const char *table)
{
    struct taking taking = {.at = 0};
    if (!may_have(from, table))
        return 0;
    uint64_t before = to->kind->changes(to);
    int rc = to->kind->begin(to);
    prepare(&taking, from, to, table);
    if (rc == 0)
        rc = take_rows(&taking);
    sl_statement_fini(&taking.read);
    sl_statement_fini(&taking.write);
    int ended = sl_database_exec(to, rc == 0 ? "COMMIT" : "ROLLBACK");
    rc = rc == 0 ? ended : rc;
    if (rc == 0)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("rows_taken_over"), SL_LOG_TEXT("table", table),
               SL_LOG_NUMBER("count", to->kind->changes(to) - before));
    if (taking.damaged)
        sl_log(SL_LOG_ERROR, SL_LOG_EVENT("rows_not_readable"), SL_LOG_TEXT("table", table));
    return rc;
}

static int take_over(struct sl_database *db, const char *path, const char *const *tables)
{
    sqlite3 *damaged = NULL;
    struct sl_database *from = NULL;
    if (sqlite3_open_v2(path, &damaged, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK)
        sqlite3_exec(damaged, "PRAGMA trusted_schema=OFF", NULL, NULL, NULL);
    int rc = sl_sqlite_wrap(damaged, &from);
    for (; rc == 0 && *tables; tables++)
        rc = take_table(from, db, *tables);
    sl_database_close(from);
    return rc;
}

/* Rows of an earlier version do not say their runtime; labels were not taken over, so that they are
 * made of the job's again. */
static const char completed[] = "UPDATE runs SET runtime = coalesce((SELECT " SL_RUNTIME_OF_CONFIG(
    "config") " FROM jobs WHERE jobs.id = runs.job), '') WHERE runtime = '';"
              "UPDATE runs SET labelled = 0 WHERE labelled AND NOT EXISTS (SELECT 1 FROM labels "
              "WHERE run = "
              "runs.id);";

/* Into the new database, all of it into the one file. */
static int fill(struct sl_database *db, const char *path, struct sl_diag *diag)
{
    struct sl_numbers numbers;
    int rc =
        take_over(db, path, (const char *const[]){"jobs", "tokens", "job_groups", "audit", NULL});
    if (rc == 0)
        rc = sl_losses_make_up(db, path, &numbers, diag);
    if (rc == 0) {
        sl_numbers_close(&numbers);
        rc = take_over(db, path, (const char *const[]){"runs", NULL});
    }
    if (rc == 0)
        rc = sl_database_exec(db, completed);
    if (rc == 0)
        rc = sl_sqlite_end_log(db);
    if (rc < 0 && !diag->what[0])
        sl_diag_set(diag, rc, path, "what can be read of the damaged store cannot be kept: %s",
                    sl_strerror(rc));
    return rc;
}

int sl_set_aside(const char *path, struct sl_diag *diag)
{
    char aside[SL_PATH_BYTES + 32], made[SL_PATH_BYTES + 32];
    struct sl_database *db = NULL;
    snprintf(aside, sizeof(aside), "%s.damaged-%llu", path, (unsigned long long)sl_clock_utc_ms());
    snprintf(made, sizeof(made), "%s.rebuilt", path);
    sl_set_aside_remove(made); /* left by one that was stopped */
    int rc = sl_schema_open(made, NULL, &db, diag);
    if (rc == 0) {
        rc = fill(db, path, diag);
        sl_database_close(db);
    }
    if (rc == 0 && (rc = sl_set_aside_replace(path, aside, made)) < 0)
        sl_diag_set(diag, rc, path, "the store cannot be set aside: %s", sl_strerror(rc));
    if (rc < 0) {
        sl_set_aside_remove(made);
        return rc;
    }
    sl_log(SL_LOG_WARNING, SL_LOG_EVENT("store_set_aside"), SL_LOG_TEXT("file", aside));
    return 0;
}
