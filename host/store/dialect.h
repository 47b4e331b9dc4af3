/* host/store/dialect.h: our SQL in the words of PostgreSQL. Pure. */
#pragma once

#include <stddef.h>

/* A statement: parameters ? and ?N become $N, and INDEXED BY, which only SQLite has, goes. Quoted
 * words stay as they are. 0, or SL_E_LIMIT: it does not fit `size`. */
int sl_dialect_statement(const char *sql, char *out, size_t size);

/* A definition of tables: types too, and numbered keys. Texts are compared byte by byte, as SQLite
 * does. */
int sl_dialect_definition(const char *sql, char *out, size_t size);
