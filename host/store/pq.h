/* host/store/pq.h: to a server of PostgreSQL. */
#pragma once

#include <stdbool.h>

struct pg_conn;
struct sl_diag;

/* Is `where` a database of PostgreSQL, by how it begins? */
bool sl_pq_is_url(const char *where);

enum { SL_PQ_NAME_BYTES = 256 };

/* The database of `url` in words that may be logged: without its password. */
void sl_pq_name(const char *url, char out[SL_PQ_NAME_BYTES]);

/* A connection for its own use, with limits of time: *out is owned, PQfinish() ends it. 0 or a
 * negative code, with words: -ENOTCONN: there is no server, or it lets us not in. */
int sl_pq_connect(const char *url, struct pg_conn **out, struct sl_diag *diag);

/* Does its server answer? The same codes. */
int sl_pq_check(const char *url, struct sl_diag *diag);
