/* host/store/schema.h: opens the database file and brings its tables up to date. */
#pragma once

struct sl_database;
struct sl_diag;

/* Opens `where`: the URL of a database (postgres.h), or the path of a file, with `root` as its
 * state directory (NULL: the file's). A file is opened with (WAL, synchronous=FULL: what is
 * committed survives a power cut) and runs the migrations that it lacks, each in its own
 * transaction. SL_E_UNSUPPORTED for a newer schema, SL_E_FORMAT for a file that is no database or
 * damaged, -EIO else. All pages are read of a small file, and of one that lacks migrations; a large
 * one is the caller's to check (page_check.h). */
int sl_schema_open(const char *where, const char *root, struct sl_database **out,
                   struct sl_diag *diag);

/* Another connection to the database that is open as `store`, which only reads. The same codes. */
int sl_schema_open_to_read(const char *where, const struct sl_database *store,
                           struct sl_database **out, struct sl_diag *diag);

/* Writes the number of its migrations as it is: can the database be written? 0 or a negative code.
 */
int sl_schema_write(struct sl_database *db);

/* Reads every page of the database `path`, and writes none. 0 where it is whole or not there;
 * SL_E_FORMAT where it is damaged, -EIO where it cannot be read. */
int sl_schema_check(const char *path, struct sl_diag *diag);
