/* host/store/pq_schema.h: the schema of a server's database, and the numbers that the server gives
 * to the rows of a table. The functions are those of database.h. */
#pragma once

#include <stdint.h>

struct sl_database;

int sl_pq_define(struct sl_database *db, const char *sql);
int sl_pq_version(struct sl_database *db, int *out);
int sl_pq_set_version(struct sl_database *db, int version);

int sl_pq_last_number(struct sl_database *db, const char *table, uint64_t *out);
int sl_pq_next_number(struct sl_database *db, const char *table, uint64_t *out);
int sl_pq_raise_number(struct sl_database *db, const char *table, uint64_t last);

/* The first column of a question's first row; SL_E_NOT_FOUND: there is no row. */
int sl_pq_number(struct sl_database *db, const char *sql, uint64_t *out);
