/* host/store/page_check.h: is each page of a database's file whole? A small file is read before it
 * is used; a large one beside its use, on a thread and a connection of its own. */
#pragma once

#include <stdbool.h>

typedef struct sqlite3 sqlite3;
struct sl_diag;
struct sl_page_check;

/* Reading it takes so long that nobody should wait for it. */
bool sl_page_check_is_long(sqlite3 *db);

/* Reads all pages now. 0; SL_E_FORMAT: it is damaged, or no database; -ECANCELED: interrupted;
 * -ENOMEM or -EIO: nobody knows; with words. */
int sl_page_check_run(sqlite3 *db, const char *path, struct sl_diag *diag);

/* The same of the file `path` on a thread of its own, which calls `done` once at its end, unless it
 * is stopped before. Moves it to *out; end it with sl_page_check_stop(). 0 or a negative code. */
typedef void (*sl_page_check_done_fn)(void *user, int rc, const struct sl_diag *diag);
int sl_page_check_start(const char *path, sl_page_check_done_fn done, void *user,
                        struct sl_page_check **out);

/* Ends it at once: afterwards `done` is not called any more. NULL is a no-op. */
void sl_page_check_stop(struct sl_page_check *check);
