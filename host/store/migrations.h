/* host/store/migrations.h: brings the tables of a database up to date. */
#pragma once

#include <stdbool.h>

struct sl_database;
struct sl_diag;

/* Runs the migrations that it lacks, each in its own transaction. 0; SL_E_UNSUPPORTED for a newer
 * schema than this program's; or another negative code; with words. */
int sl_migrations_run(struct sl_database *db, const char *where, struct sl_diag *diag);

/* Does it lack any? False also where nobody knows. */
bool sl_migrations_are_due(struct sl_database *db);
