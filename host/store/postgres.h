/* host/store/postgres.h: PostgreSQL as a store's database, which several daemons may share. */
#pragma once

struct sl_database;
struct sl_diag;

/* Opens the database; its tables are not looked at yet. `root` is the state directory. The same
 * codes; SL_E_UNSUPPORTED: the server is too old. */
int sl_postgres_open(const char *url, const char *root, struct sl_database **out,
                     struct sl_diag *diag);

/* Another connection of a store to its database, for jobs that are posted (database.h). It has the
 * lock of its `place`, which is not 0. */
int sl_postgres_open_beside(const char *url, const struct sl_database *store, unsigned place,
                            struct sl_database **out, struct sl_diag *diag);

/* Once there are tables: begins to write under a name of its own. 0 or a negative code. */
int sl_postgres_sign_on(struct sl_database *db);
