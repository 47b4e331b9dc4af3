/* host/store/dialect.h: our SQL in the words of PostgreSQL. Pure. */
#pragma once

#include <stddef.h>

/* A statement: parameters ? and ?N become $N, and INDEXED BY, which only SQLite has, goes. Quoted
 * words stay as they are. 0, or SL_E_LIMIT: it does not fit `size`. */
int sl_dialect_statement(const char *sql, char *out, size_t size);

/* A definition of tables: types too, and numbered keys. Texts are compared byte by byte, as SQLite
 * does. */
int sl_dialect_definition(const char *sql, char *out, size_t size);

/* An insert of one row that gives the number the row got, as one of many rows: each column's values
 * are an array, `arrays[i]` in SQL; NULL: nulls, without a parameter. The rows get their numbers in
 * the order of the arrays. 0; SL_E_LIMIT: it does not fit; SL_E_UNSUPPORTED: it is no "INSERT INTO
 * t (…) VALUES (?, …) RETURNING id" of `count` values, or its rows have their numbers already. */
int sl_dialect_rows(const char *sql, const char *const *arrays, int count, char *out, size_t size);
