/* host/store/sqlite.h: SQLite as a store's database. */
#pragma once

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
struct sl_database;

/* Takes over `handle`, also when it fails. The database of a file has its directory as its root. 0
 * or -ENOMEM. */
int sl_sqlite_wrap(sqlite3 *handle, struct sl_database **out);

/* A database that ends with it, for questions about documents. 0 or -ENOMEM. */
int sl_sqlite_open_memory(struct sl_database **out);

/* SQLite's own: borrowed. */
sqlite3 *sl_sqlite_handle(struct sl_database *db);

/* A statement's as SQLite has it, borrowed; NULL of NULL. */
sqlite3_stmt *sl_sqlite_statement(void *handle);

/* Writes all that stands in the log into the file itself. 0 or a negative code. */
int sl_sqlite_end_log(struct sl_database *db);

/* Our code for the last failure. */
int sl_sqlite_code(sqlite3 *handle);
