/* host/store/statement.c */
#include "host/store/statement.h"

#include <errno.h>
#include <stdio.h>

#include <sqlite3.h>

#include "common/base/error.h"
#include "host/spec/columns.h"

static int code_of(sqlite3 *db)
{
    switch (sqlite3_errcode(db) & 0xff) {
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

static void check(struct sl_statement *statement, int sqlite_rc)
{
    if (sqlite_rc != SQLITE_OK && statement->rc == 0)
        statement->rc = code_of(statement->db);
}

void sl_statement_init(struct sl_statement *statement, sqlite3 *db, const char *sql)
{
    *statement = (struct sl_statement){.db = db, .next = 1};
    check(statement, sqlite3_prepare_v2(db, sql, -1, &statement->handle, NULL));
}

void sl_statement_bind_i64(struct sl_statement *statement, int64_t value)
{
    if (statement->rc == 0)
        check(statement, sqlite3_bind_int64(statement->handle, statement->next++, value));
}

void sl_statement_bind_u64(struct sl_statement *statement, uint64_t value)
{
    if (value > INT64_MAX && statement->rc == 0)
        statement->rc = SL_E_LIMIT;
    sl_statement_bind_i64(statement, (int64_t)value);
}

static void bind_f64(struct sl_statement *statement, double value)
{
    if (statement->rc == 0)
        check(statement, sqlite3_bind_double(statement->handle, statement->next++, value));
}

void sl_statement_bind_text(struct sl_statement *statement, const char *text)
{
    if (statement->rc == 0)
        check(statement,
              sqlite3_bind_text(statement->handle, statement->next++, text, -1, SQLITE_STATIC));
}

int sl_statement_step(struct sl_statement *statement)
{
    if (statement->rc != 0)
        return statement->rc;
    int rc = sqlite3_step(statement->handle);
    if (rc == SQLITE_ROW)
        return 1;
    if (rc != SQLITE_DONE)
        statement->rc = code_of(statement->db);
    return statement->rc;
}

void sl_statement_fini(struct sl_statement *statement)
{
    sqlite3_finalize(statement->handle);
}

uint64_t sl_statement_u64(struct sl_statement *statement, int column)
{
    int64_t value = sqlite3_column_int64(statement->handle, column);
    return value < 0 ? 0 : (uint64_t)value;
}

int sl_statement_int(struct sl_statement *statement, int column)
{
    return sqlite3_column_int(statement->handle, column);
}

void sl_statement_text(struct sl_statement *statement, int column, char *out, size_t size)
{
    const unsigned char *text = sqlite3_column_text(statement->handle, column);
    snprintf(out, size, "%s", text ? (const char *)text : "");
}

int sl_statement_write(struct sl_statement *statement, int none, uint64_t *out_id)
{
    int rc = sl_statement_step(statement);
    if (rc == 1) {
        *out_id = sl_statement_u64(statement, 0);
        rc = sl_statement_step(statement); /* to its end: the row is in only then */
    } else if (rc == 0) {
        rc = none;
    }
    sl_statement_fini(statement);
    return rc;
}

int sl_statement_is_json(sqlite3 *db, const char *text)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db, "SELECT json_valid(?)");
    sl_statement_bind_text(&statement, text);
    int rc = sl_statement_step(&statement);
    if (rc == 1)
        rc = sl_statement_int(&statement, 0);
    sl_statement_fini(&statement);
    return rc;
}

void sl_statement_bind(struct sl_statement *statement, const struct sl_columns *columns,
                       const void *record)
{
    for (size_t i = 1; i < columns->count; i++) {
        const struct sl_column *column = &columns->all[i];
        const void *value = (const char *)record + column->offset;
        switch (column->kind) {
        case SL_COLUMN_ID:
        case SL_COLUMN_TIME:
            sl_statement_bind_u64(statement, *(const uint64_t *)value);
            break;
        case SL_COLUMN_U32:
            sl_statement_bind_i64(statement, *(const uint32_t *)value);
            break;
        case SL_COLUMN_FLAG:
            sl_statement_bind_i64(statement, *(const bool *)value);
            break;
        case SL_COLUMN_REAL:
            bind_f64(statement, *(const double *)value);
            break;
        case SL_COLUMN_TEXT:
        case SL_COLUMN_NAME:
            sl_statement_bind_text(statement, value);
            break;
        default:
            sl_statement_bind_i64(statement, *(const int *)value);
        }
    }
}

void sl_statement_read(struct sl_statement *statement, const struct sl_columns *columns,
                       void *record)
{
    for (int i = 0; i < (int)columns->count; i++) {
        const struct sl_column *column = &columns->all[i];
        void *value = (char *)record + column->offset;
        switch (column->kind) {
        case SL_COLUMN_ID:
        case SL_COLUMN_TIME:
            *(uint64_t *)value = sl_statement_u64(statement, i);
            break;
        case SL_COLUMN_U32:
            *(uint32_t *)value = (uint32_t)sl_statement_u64(statement, i);
            break;
        case SL_COLUMN_FLAG:
            *(bool *)value = sl_statement_int(statement, i) != 0;
            break;
        case SL_COLUMN_REAL:
            *(double *)value = sqlite3_column_double(statement->handle, i);
            break;
        case SL_COLUMN_TEXT:
        case SL_COLUMN_NAME:
            sl_statement_text(statement, i, value, column->size);
            break;
        default:
            *(int *)value = sl_statement_int(statement, i);
        }
    }
}

int sl_statement_page(struct sl_statement *statement, const struct sl_columns *columns, void *rows,
                      size_t limit, size_t *out_count, bool *out_more)
{
    int rc;
    size_t count = 0;
    while ((rc = sl_statement_step(statement)) == 1 && count < limit)
        sl_statement_read(statement, columns, (char *)rows + columns->record_bytes * count++);
    *out_count = count;
    *out_more = rc == 1;
    sl_statement_fini(statement);
    return rc < 0 ? rc : 0;
}
