/* host/store/sqlite.c */
#include "host/store/sqlite.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <sqlite3.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/store/database.h"

/* Statements that were carried out are kept for the next time: planning one that adds a row takes
 * longer than adding it. */
enum { MAX_KEPT = 48 };

struct statement {
    struct sqlite *db;
    sqlite3_stmt *handle; /* owned */
};

struct sqlite {
    struct sl_database base; /* first */
    sqlite3 *handle;         /* owned */
    struct statement *kept[MAX_KEPT];
    size_t kept_count, next_out; /* the latter goes when there is no room */
};

static sqlite3 *handle_of(struct sl_database *db)
{
    return ((struct sqlite *)db)->handle;
}

int sl_sqlite_code(sqlite3 *handle)
{
    switch (sqlite3_errcode(handle) & 0xff) {
    case SQLITE_CONSTRAINT:
        return -EEXIST;
    case SQLITE_FULL:
        return -ENOSPC;
    case SQLITE_NOMEM:
        return -ENOMEM;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return SL_E_FORMAT;
    default:
        return -EIO;
    }
}

static int code(struct sl_database *db, int sqlite_rc)
{
    return sqlite_rc == SQLITE_OK ? 0 : sl_sqlite_code(handle_of(db));
}

static void free_statement(struct statement *statement)
{
    sqlite3_finalize(statement->handle);
    sl_free(statement);
}

static void close_database(struct sl_database *db)
{
    struct sqlite *own = (struct sqlite *)db;
    while (own->kept_count > 0)
        free_statement(own->kept[--own->kept_count]);
    sqlite3_close(handle_of(db));
    sl_free(db);
}

static int exec(struct sl_database *db, const char *sql)
{
    return code(db, sqlite3_exec(handle_of(db), sql, NULL, NULL, NULL));
}

static int begin(struct sl_database *db)
{
    return exec(db, "BEGIN IMMEDIATE");
}

static int version(struct sl_database *db, int *out)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(handle_of(db), "PRAGMA user_version", -1, &statement, NULL);
    rc = rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW ? 0
                                                                  : sl_sqlite_code(handle_of(db));
    if (rc == 0)
        *out = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return rc;
}

static int set_version(struct sl_database *db, int number)
{
    char mark[64];
    snprintf(mark, sizeof(mark), "PRAGMA user_version = %d", number);
    return exec(db, mark);
}

static uint64_t changes(struct sl_database *db)
{
    return (uint64_t)sqlite3_total_changes64(handle_of(db));
}

/* Who shares a file shares its machine's clock. */
static int now_ms(struct sl_database *db, bool anew, uint64_t *out)
{
    (void)db;
    (void)anew;
    *out = sl_clock_utc_ms();
    return 0;
}

static const char *message(struct sl_database *db)
{
    return sqlite3_errmsg(handle_of(db));
}

/* NULL: none with this text is kept, or it is in use. */
static struct statement *take_kept(struct sqlite *db, const char *sql)
{
    for (size_t i = 0; i < db->kept_count; i++) {
        struct statement *statement = db->kept[i];
        if (strcmp(sqlite3_sql(statement->handle), sql) != 0)
            continue;
        db->kept[i] = db->kept[--db->kept_count];
        return statement;
    }
    return NULL;
}

static int prepare(struct sl_database *db, const char *sql, void **out)
{
    struct statement *statement = take_kept((struct sqlite *)db, sql);
    *out = statement;
    if (statement)
        return 0;
    statement = sl_calloc(1, sizeof(*statement));
    if (!statement)
        return -ENOMEM;
    statement->db = (struct sqlite *)db;
    int rc = code(db, sqlite3_prepare_v3(handle_of(db), sql, -1, SQLITE_PREPARE_PERSISTENT,
                                         &statement->handle, NULL));
    if (rc == 0 && !statement->handle)
        rc = -EIO; /* it says nothing */
    if (rc < 0)
        free_statement(statement);
    else
        *out = statement;
    return rc;
}

static int bind(struct sl_database *db, void *handle, int at, const struct sl_value *value)
{
    sqlite3_stmt *statement = ((struct statement *)handle)->handle;
    switch (value->kind) {
    case SL_VALUE_INTEGER:
        return code(db, sqlite3_bind_int64(statement, at, value->integer));
    case SL_VALUE_REAL:
        return code(db, sqlite3_bind_double(statement, at, value->real));
    case SL_VALUE_TEXT:
        return code(db, sqlite3_bind_text(statement, at, value->text, -1, SQLITE_STATIC));
    default:
        return code(db, sqlite3_bind_null(statement, at));
    }
}

static int step(struct sl_database *db, void *statement)
{
    int rc = sqlite3_step(((struct statement *)statement)->handle);
    return rc == SQLITE_ROW ? 1 : rc == SQLITE_DONE ? 0 : sl_sqlite_code(handle_of(db));
}

static void column(void *handle, int at, struct sl_value *out)
{
    sqlite3_stmt *statement = ((struct statement *)handle)->handle;
    *out = (struct sl_value){.kind = SL_VALUE_NULL};
    switch (sqlite3_column_type(statement, at)) {
    case SQLITE_INTEGER:
        out->kind = SL_VALUE_INTEGER;
        out->integer = sqlite3_column_int64(statement, at);
        break;
    case SQLITE_FLOAT:
        out->kind = SL_VALUE_REAL;
        out->real = sqlite3_column_double(statement, at);
        break;
    case SQLITE_NULL:
        break;
    default:
        out->text = (const char *)sqlite3_column_text(statement, at);
        out->kind = out->text ? SL_VALUE_TEXT : SL_VALUE_NULL;
    }
}

static int columns(void *statement)
{
    return sqlite3_column_count(((struct statement *)statement)->handle);
}

static void reset(void *statement)
{
    sqlite3_reset(((struct statement *)statement)->handle);
}

/* Back to as it was prepared, without the values, which are the caller's. */
static void finish(void *handle)
{
    struct statement *statement = handle;
    struct sqlite *db = statement->db;
    sqlite3_reset(statement->handle);
    sqlite3_clear_bindings(statement->handle);
    if (db->kept_count < MAX_KEPT) {
        db->kept[db->kept_count++] = statement;
        return;
    }
    free_statement(db->kept[db->next_out]);
    db->kept[db->next_out] = statement;
    db->next_out = (db->next_out + 1) % MAX_KEPT;
}

static int last_number(struct sl_database *db, const char *table, uint64_t *out)
{
    sqlite3_stmt *statement = NULL;
    *out = 0;
    if (sqlite3_prepare_v2(handle_of(db), "SELECT seq FROM sqlite_sequence WHERE name = ?", -1,
                           &statement, NULL) == SQLITE_OK &&
        sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        *out = (uint64_t)sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return 0;
}

static int next_number(struct sl_database *db, const char *table, uint64_t *out)
{
    int rc = last_number(db, table, out);
    *out += rc == 0;
    return rc;
}

static int raise_number(struct sl_database *db, const char *table, uint64_t last)
{
    uint64_t now = 0;
    int rc = last_number(db, table, &now);
    if (rc < 0 || now >= last)
        return rc;
    char *sql = sqlite3_mprintf("DELETE FROM sqlite_sequence WHERE name = %Q;"
                                "INSERT INTO sqlite_sequence (name, seq) VALUES (%Q, %lld)",
                                table, table, (long long)last);
    rc = sql ? exec(db, sql) : -ENOMEM;
    sqlite3_free(sql);
    return rc;
}

static const struct sl_database_kind kind = {
    .close = close_database,
    .exec = exec,
    .define = exec,
    .begin_schema = begin,
    .version = version,
    .set_version = set_version,
    .begin = begin,
    .changes = changes,
    .now_ms = now_ms,
    .message = message,
    .last_number = last_number,
    .next_number = next_number,
    .raise_number = raise_number,
    .prepare = prepare,
    .prepare_many = prepare,
    .bind = bind,
    .step = step,
    .column = column,
    .columns = columns,
    .reset = reset,
    .finish = finish,
};

int sl_sqlite_wrap(sqlite3 *handle, struct sl_database **out)
{
    const char *path = sqlite3_db_filename(handle, "main");
    struct sqlite *db = sl_calloc(1, sizeof(*db));
    if (!db) {
        sqlite3_close(handle);
        return -ENOMEM;
    }
    db->base.kind = &kind;
    db->base.json = &db->base;
    db->handle = handle;
    snprintf(db->base.root, sizeof(db->base.root), "%s", path ? path : "");
    char *slash = strrchr(db->base.root, '/');
    if (slash)
        *slash = '\0';
    else
        snprintf(db->base.root, sizeof(db->base.root), ".");
    *out = &db->base;
    return 0;
}

int sl_sqlite_open_memory(struct sl_database **out)
{
    sqlite3 *handle = NULL;
    if (sqlite3_open(":memory:", &handle) == SQLITE_OK)
        return sl_sqlite_wrap(handle, out);
    sqlite3_close(handle);
    return -ENOMEM;
}

sqlite3 *sl_sqlite_handle(struct sl_database *db)
{
    return handle_of(db);
}

sqlite3_stmt *sl_sqlite_statement(void *handle)
{
    return handle ? ((struct statement *)handle)->handle : NULL;
}

int sl_sqlite_end_log(struct sl_database *db)
{
    return code(
        db, sqlite3_wal_checkpoint_v2(handle_of(db), NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL));
}
