/* host/store/statement.h: statements of either kind of database (database.h), with our codes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_columns;
struct sl_database;
struct sl_value;

/* The first failure sticks in `rc` and makes later calls no-ops, so a caller checks once, after
 * sl_statement_step(). */
struct sl_statement {
    struct sl_database *db;
    void *handle; /* the database's */
    int next;     /* parameter */
    int rc;
};

void sl_statement_init(struct sl_statement *statement, struct sl_database *db, const char *sql);
/* The same for a question without parameters that may have any number of rows. */
void sl_statement_init_many(struct sl_statement *statement, struct sl_database *db,
                            const char *sql);
void sl_statement_bind_u64(struct sl_statement *statement,
                           uint64_t value); /* SL_E_LIMIT above INT64_MAX */
void sl_statement_bind_i64(struct sl_statement *statement, int64_t value);
void sl_statement_bind_text(struct sl_statement *statement,
                            const char *text); /* NULL: null; borrowed until fini */
void sl_statement_bind_value(struct sl_statement *statement, const struct sl_value *value);
/* The columns of a row that another statement is at, from `first` on. */
void sl_statement_bind_row(struct sl_statement *statement, struct sl_statement *row, int first);
/* More statements than these are not worth sending off at a time. */
enum { SL_STATEMENTS_TOGETHER = 64 };

/* Sends it off where that saves time: its first step waits for it. Statements that were sent are
 * carried out in that order, and before all others. */
void sl_statement_post(struct sl_statement *statement);
/* 1: a row; 0: done; or the first failure. */
int sl_statement_step(struct sl_statement *statement);
/* To be carried out once more, with other values. A failure stays. */
void sl_statement_again(struct sl_statement *statement);
void sl_statement_fini(struct sl_statement *statement);

/* Runs a writing statement that ends in RETURNING id, and ends it. Gives the id of its row; `none`
 * is the code for no row. 0 or the first failure. */
int sl_statement_write(struct sl_statement *statement, int none, uint64_t *out_id);

/* In SQL, for the lists of host/spec/records.inc: a record's columns behind another. */
#define SL_SQL_NAME(kind, name, ...) ", " #name
#define SL_SQL_MARK(kind, name, ...) ", ?"
#define SL_SQL_SET(kind, name, ...) ", " #name " = ?"

/* Binds a record's columns but its id; reads them, the id among them, from the first column on. */
void sl_statement_bind(struct sl_statement *statement, const struct sl_columns *columns,
                       const void *record);
void sl_statement_read(struct sl_statement *statement, const struct sl_columns *columns,
                       void *record);

/* Reads up to `limit` records into `rows` and ends the statement. *out_more: there are further
 * ones. */
int sl_statement_page(struct sl_statement *statement, const struct sl_columns *columns, void *rows,
                      size_t limit, size_t *out_count, bool *out_more);

int sl_statement_columns(struct sl_statement *statement);
/* Texts are valid until the next step. */
void sl_statement_value(struct sl_statement *statement, int column, struct sl_value *out);
uint64_t sl_statement_u64(struct sl_statement *statement, int column);
int sl_statement_int(struct sl_statement *statement, int column);
/* Copies, cut at `size`. */
void sl_statement_text(struct sl_statement *statement, int column, char *out, size_t size);
