/* host/store/statement.c */
#include "host/store/statement.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/error.h"
#include "host/spec/columns.h"
#include "host/store/database.h"

void sl_statement_init(struct sl_statement *statement, struct sl_database *db, const char *sql)
{
    *statement = (struct sl_statement){.db = db, .next = 1};
    statement->rc = db->kind->prepare(db, sql, &statement->handle);
}

void sl_statement_init_many(struct sl_statement *statement, struct sl_database *db, const char *sql)
{
    *statement = (struct sl_statement){.db = db, .next = 1};
    statement->rc = db->kind->prepare_many(db, sql, &statement->handle);
}

void sl_statement_bind_value(struct sl_statement *statement, const struct sl_value *value)
{
    struct sl_database *db = statement->db;
    if (statement->rc == 0)
        statement->rc = db->kind->bind(db, statement->handle, statement->next++, value);
}

void sl_statement_bind_i64(struct sl_statement *statement, int64_t value)
{
    sl_statement_bind_value(statement,
                            &(struct sl_value){.kind = SL_VALUE_INTEGER, .integer = value});
}

void sl_statement_bind_u64(struct sl_statement *statement, uint64_t value)
{
    if (value > INT64_MAX && statement->rc == 0)
        statement->rc = SL_E_LIMIT;
    sl_statement_bind_i64(statement, (int64_t)value);
}

static void bind_f64(struct sl_statement *statement, double value)
{
    sl_statement_bind_value(statement, &(struct sl_value){.kind = SL_VALUE_REAL, .real = value});
}

void sl_statement_bind_text(struct sl_statement *statement, const char *text)
{
    sl_statement_bind_value(
        statement, &(struct sl_value){.kind = text ? SL_VALUE_TEXT : SL_VALUE_NULL, .text = text});
}

void sl_statement_post(struct sl_statement *statement)
{
    struct sl_database *db = statement->db;
    if (statement->rc == 0 && db->kind->post)
        statement->rc = db->kind->post(db, statement->handle);
}

int sl_statement_step(struct sl_statement *statement)
{
    if (statement->rc != 0)
        return statement->rc;
    int rc = statement->db->kind->step(statement->db, statement->handle);
    if (rc < 0)
        statement->rc = rc;
    return rc;
}

void sl_statement_fini(struct sl_statement *statement)
{
    if (statement->handle)
        statement->db->kind->finish(statement->handle);
    statement->handle = NULL;
}

void sl_statement_bind_row(struct sl_statement *statement, struct sl_statement *row, int first)
{
    for (int i = first, count = sl_statement_columns(row); i < count; i++) {
        struct sl_value value;
        sl_statement_value(row, i, &value);
        sl_statement_bind_value(statement, &value);
    }
}

void sl_statement_again(struct sl_statement *statement)
{
    if (statement->handle)
        statement->db->kind->reset(statement->handle);
    statement->next = 1;
}

int sl_statement_columns(struct sl_statement *statement)
{
    return statement->handle ? statement->db->kind->columns(statement->handle) : 0;
}

void sl_statement_value(struct sl_statement *statement, int column, struct sl_value *out)
{
    statement->db->kind->column(statement->handle, column, out);
}

static struct sl_value value_at(struct sl_statement *statement, int column)
{
    struct sl_value value;
    sl_statement_value(statement, column, &value);
    return value;
}

/* Columns have the types of their tables: a text where a number should be is another program's. */
static int64_t integer_of(const struct sl_value *value)
{
    switch (value->kind) {
    case SL_VALUE_INTEGER:
        return value->integer;
    case SL_VALUE_REAL:
        return value->real > -9e18 && value->real < 9e18 ? (int64_t)value->real : 0;
    case SL_VALUE_TEXT:
        return strtoll(value->text, NULL, 10);
    default:
        return 0;
    }
}

uint64_t sl_statement_u64(struct sl_statement *statement, int column)
{
    struct sl_value value = value_at(statement, column);
    int64_t integer = integer_of(&value);
    return integer < 0 ? 0 : (uint64_t)integer;
}

int sl_statement_int(struct sl_statement *statement, int column)
{
    struct sl_value value = value_at(statement, column);
    return (int)integer_of(&value);
}

static double f64_at(struct sl_statement *statement, int column)
{
    struct sl_value value = value_at(statement, column);
    return value.kind == SL_VALUE_REAL ? value.real : (double)integer_of(&value);
}

void sl_statement_text(struct sl_statement *statement, int column, char *out, size_t size)
{
    struct sl_value value = value_at(statement, column);
    if (value.kind == SL_VALUE_INTEGER)
        snprintf(out, size, "%" PRIi64, value.integer);
    else
        snprintf(out, size, "%s", value.kind == SL_VALUE_TEXT ? value.text : "");
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
            *(double *)value = f64_at(statement, i);
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
