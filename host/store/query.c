/* host/store/query.c */
#include "host/store/query.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <sqlite3.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "host/store/pq.h"
#include "host/store/server_query.h"

enum {
    STEPS_BETWEEN_LOOKS = 2000, /* of SQLite's machine, at the clock */
    MAX_VALUE_BYTES = 4 << 20,
    MAX_COLUMNS = 100,
    MAX_NESTED = 50,
    BUSY_MS = 1000,
};

struct asking {
    uint64_t until_ns;
    bool late;
};

static int is_late(void *user)
{
    struct asking *asking = user;
    asking->late = asking->late || sl_clock_ns() > asking->until_ns;
    return asking->late;
}

/* True for columns that not everybody who may read should see: tokens, keys by which jobs are sent
 * again. */
static bool is_private(const struct sl_query *query, const char *table, const char *column)
{
    return strcmp(table, "tokens") == 0 || (strcmp(table, "audit") == 0 && !query->with_audit) ||
           (strcmp(table, "jobs") == 0 && strcmp(column, "idempotency_key") == 0);
}

static int allow(void *user, int action, const char *first, const char *second,
                 const char *database, const char *trigger)
{
    const struct sl_query *query = user;
    (void)database;
    (void)trigger;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return second && strcmp(second, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_READ:
        return is_private(query, first ? first : "", second ? second : "") ? SQLITE_DENY
                                                                           : SQLITE_OK;
    default:
        return SQLITE_DENY;
    }
}

static int refuse(sqlite3 *db, const char *sql, struct sl_diag *diag)
{
    int code = sqlite3_errcode(db) & 0xff, at = sqlite3_error_offset(db);
    int rc = code == SQLITE_NOMEM                              ? -ENOMEM
             : code == SQLITE_IOERR || code == SQLITE_CANTOPEN ? -EIO
             : code == SQLITE_BUSY                             ? -ETIMEDOUT
                                                               : SL_E_FORMAT;
    sl_diag_hint(diag, "SELECT name, sql FROM sqlite_schema lists the tables; a query only reads");
    return sl_diag_set(diag, rc, "sql", "%s%s%.40s%s", sqlite3_errmsg(db), at >= 0 ? ", at '" : "",
                       at >= 0 ? sql + at : "", at >= 0 ? "'" : "");
}

static int open_to_read(const char *path, const struct sl_query *query, struct asking *asking,
                        sqlite3 **out)
{
    static const struct {
        int what, most;
    } limits[] = {
        {SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES},
        {SQLITE_LIMIT_SQL_LENGTH, SL_QUERY_MAX_SQL_BYTES},
        {SQLITE_LIMIT_COLUMN, MAX_COLUMNS},
        {SQLITE_LIMIT_COMPOUND_SELECT, MAX_NESTED},
        {SQLITE_LIMIT_EXPR_DEPTH, 4 * MAX_NESTED},
        {SQLITE_LIMIT_ATTACHED, 0},
    };
    if (sqlite3_open_v2(path, out, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK ||
        sqlite3_busy_timeout(*out, BUSY_MS) != SQLITE_OK ||
        sqlite3_exec(*out,
                     "PRAGMA query_only=ON; PRAGMA trusted_schema=OFF; PRAGMA "
                     "cache_size=-4096",
                     NULL, NULL, NULL) != SQLITE_OK)
        return -EIO;
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        sqlite3_limit(*out, limits[i].what, limits[i].most);
    sqlite3_progress_handler(*out, STEPS_BETWEEN_LOOKS, is_late, asking);
    sqlite3_set_authorizer(*out, allow, (void *)query);
    return 0;
}

/* Nothing but one statement, which reads and has no parameters. */
static int prepare(sqlite3 *db, const char *sql, sqlite3_stmt **out, struct sl_diag *diag)
{
    const char *rest = "";
    sqlite3_stmt *next = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, out, &rest) != SQLITE_OK)
        return refuse(db, sql, diag);
    if (sqlite3_prepare_v2(db, rest, -1, &next, NULL) != SQLITE_OK || next) {
        sqlite3_finalize(next);
        return sl_diag_set(diag, SL_E_FORMAT, "sql", "there is more than one statement");
    }
    if (!*out)
        return sl_diag_set(diag, SL_E_FORMAT, "sql", "there is no statement");
    if (!sqlite3_stmt_readonly(*out) || sqlite3_bind_parameter_count(*out) > 0)
        return sl_diag_set(diag, SL_E_FORMAT, "sql", "it must read alone, and have no parameters");
    return 0;
}

static void put_blob(struct sl_json *json, const unsigned char *bytes, int count)
{
    char text[2 * 64 + 1] = "";
    for (int i = 0; i < count && i < 64; i++)
        sqlite3_snprintf(3, text + 2 * (size_t)i, "%02x", bytes[i]);
    sl_json_text(json, NULL, text);
}

static void put_value(struct sl_json *json, sqlite3_stmt *row, int column)
{
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
        sl_json_i64(json, NULL, sqlite3_column_int64(row, column));
        break;
    case SQLITE_FLOAT:
        sl_json_f64(json, NULL, sqlite3_column_double(row, column));
        break;
    case SQLITE_TEXT:
        sl_json_text(json, NULL, (const char *)sqlite3_column_text(row, column));
        break;
    case SQLITE_BLOB: /* none of our columns: the first bytes in hexadecimal */
        put_blob(json, sqlite3_column_blob(row, column), sqlite3_column_bytes(row, column));
        break;
    default:
        sl_json_null(json, NULL);
    }
}

static int put_rows(sqlite3 *db, sqlite3_stmt *row, const struct sl_query *query,
                    struct sl_json *json, struct sl_diag *diag)
{
    const size_t begin = json->out->size;
    uint32_t count = 0;
    int code, columns = sqlite3_column_count(row);
    sl_json_open_array(json, "columns");
    for (int i = 0; i < columns; i++)
        sl_json_text(json, NULL, sqlite3_column_name(row, i));
    sl_json_close_array(json);
    sl_json_open_array(json, "rows");
    while ((code = sqlite3_step(row)) == SQLITE_ROW && count < query->max_rows &&
           json->out->size - begin < SL_QUERY_MAX_ANSWER_BYTES) {
        sl_json_open_array(json, NULL);
        for (int i = 0; i < columns; i++)
            put_value(json, row, i);
        sl_json_close_array(json);
        count++;
    }
    sl_json_close_array(json);
    sl_json_bool(json, "truncated", code == SQLITE_ROW);
    return code == SQLITE_ROW || code == SQLITE_DONE ? json->error : refuse(db, query->sql, diag);
}

int sl_query_run(const char *where, const struct sl_query *query, struct sl_json *json,
                 struct sl_diag *diag)
{
    if (sl_pq_is_url(where))
        return sl_server_query_run(where, query, json, diag);
    struct asking asking = {.until_ns = sl_clock_ns() + query->max_ms * UINT64_C(1000000)};
    sqlite3 *db = NULL;
    sqlite3_stmt *row = NULL;
    int rc = open_to_read(where, query, &asking, &db);
    if (rc < 0)
        sl_diag_set(diag, rc, where, "the store cannot be read: %s", sqlite3_errmsg(db));
    if (rc == 0)
        rc = prepare(db, query->sql, &row, diag);
    if (rc == 0)
        rc = put_rows(db, row, query, json, diag);
    if (rc < 0 && asking.late) {
        sl_diag_hint(diag, "ask for less: fewer runs, or fewer tables joined");
        rc = sl_diag_set(diag, -ETIMEDOUT, "sql", "it took more than %u ms",
                         (unsigned)query->max_ms);
    }
    sqlite3_finalize(row);
    sqlite3_close(db);
    return rc;
}
