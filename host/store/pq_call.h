/* host/store/pq_call.h: a statement and its values as libpq is told them; inserts of one shape as
 * one of many rows, a column an array. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct pg_conn;
struct pg_result;
struct sl_value;

enum {
    SL_PQ_MAX_PARAMETERS = 48,
    SL_PQ_MAX_SQL_BYTES = 16 << 10,
    SL_PQ_MAX_ROWS = 64, /* of those that are sent as one */
    SL_PQ_MAX_ROWS_BYTES = 1 << 20,
    SL_PQ_NUMBER_BYTES = 32
};

struct sl_pq_parameter {
    unsigned type;    /* as the server numbers it (pq.h); 0: a null, whose place tells the type */
    const char *text; /* borrowed, or `number`, or `cleaned`; NULL: a null */
    char number[SL_PQ_NUMBER_BYTES];
    char *cleaned; /* owned */
};

/* Starts as zero, with its `sql`. */
struct sl_pq_call {
    const char *sql; /* borrowed */
    struct sl_pq_parameter parameters[SL_PQ_MAX_PARAMETERS];
    int count;
    struct sl_pq_call *next; /* the next row's, of those that are sent as one */
};

/* By which the server plans a statement. */
struct sl_pq_shape {
    const char *sql; /* borrowed, or its holder's */
    unsigned types[SL_PQ_MAX_PARAMETERS];
    int count;
};

/* A text is borrowed as long as the call is used. 0, -ENOMEM or SL_E_LIMIT. */
int sl_pq_call_bind(struct sl_pq_call *call, int at, const struct sl_value *value);
void sl_pq_call_fini(struct sl_pq_call *call);

void sl_pq_call_shape(const struct sl_pq_call *call, struct sl_pq_shape *out);
bool sl_pq_call_has_shape(const struct sl_pq_call *call, const struct sl_pq_shape *shape);

/* The server's words for it, alone or as one of many rows: 0, SL_E_LIMIT, or SL_E_UNSUPPORTED,
 * which such rows may be (dialect.h). */
int sl_pq_call_sql(const struct sl_pq_call *call, bool of_many, char out[SL_PQ_MAX_SQL_BYTES]);

/* The bytes of its values as text. */
size_t sl_pq_call_bytes(const struct sl_pq_call *call);

/* Sends what was prepared as `name`, for all rows that follow `first` at once. 0; -EIO, libpq says
 * why; SL_E_LIMIT or -ENOMEM. */
int sl_pq_call_send(const struct sl_pq_call *first, struct pg_conn *connection, const char *name);

/* The numbers of `count` rows that were written in the order of their numbers: `whole` has them in
 * its first column, in any order. Each goes to a result of its own, owned: 0; -EIO, they are not so
 * many; or -ENOMEM. */
int sl_pq_split_numbers(const struct pg_result *whole, int count, struct pg_result **out);
