/* host/store/pq.h: to a server of PostgreSQL. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pg_conn;
struct pg_result;
struct sl_diag;
struct sl_value;

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

/* Waits until the next result of what was sent can be taken. No function of libpq waits here, so
 * that a server that is frozen keeps nobody: false when it is `until_ns` by sl_clock_ns(); then the
 * connection can only be ended. */
bool sl_pq_wait(struct pg_conn *connection, uint64_t until_ns);

/* The last result of the statement that PQsend…() sent; `sent` is what that said. NULL: it could
 * not be sent, or took too long. */
struct pg_result *sl_pq_last(struct pg_conn *connection, int sent, uint64_t until_ns);

/* Did the statement succeed? NULL did not. */
bool sl_pq_is_good(const struct pg_result *result);
/* Why it did not, as database.h says it. */
int sl_pq_code(const struct pg_result *result);

/* Ends what the server is doing for `connection`, by another one to the same `url`: else it would
 * go on until it has something to send. Takes a few seconds at most. */
void sl_pq_end_work(struct pg_conn *connection, const char *url);

/* Types as the server numbers them (pg_type.dat). */
enum {
    SL_PQ_BOOL = 16,
    SL_PQ_INT8 = 20,
    SL_PQ_INT2 = 21,
    SL_PQ_INT4 = 23,
    SL_PQ_TEXT = 25,
    SL_PQ_OID = 26,
    SL_PQ_FLOAT4 = 700,
    SL_PQ_FLOAT8 = 701,
    SL_PQ_NUMERIC = 1700
};

/* A value as that of SQLite's; `type` is the server's number of its type. */
void sl_pq_value(const struct pg_result *result, int row, int column, unsigned type,
                 struct sl_value *out);
