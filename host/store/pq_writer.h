/* host/store/pq_writer.h: a connection's row in `writers`. Each of its transactions gives the row
 * the next number: after a commit without an answer that tells whether it took place. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pg_conn;
struct sl_database;

enum { SL_PQ_WRITER_ID_BYTES = 33, SL_PQ_WRITER_SQL_BYTES = 768 };

#define SL_PQ_SERVER_MS "CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)"

struct sl_pq_writer {
    char id[SL_PQ_WRITER_ID_BYTES];
    uint64_t batch; /* the latest transaction that wrote the row */
    bool in_doubt;  /* a commit was sent, and not answered */
};

/* Gives the writer a new random id. */
void sl_pq_writer_init(struct sl_pq_writer *writer);

/* Makes the row; rows that were not written for 30 days go. */
void sl_pq_writer_sign_on_sql(const struct sl_pq_writer *writer, char out[SL_PQ_WRITER_SQL_BYTES]);

/* From here on this store's connection hears of what others' connections of the same place change;
 * the one of place 0 hears it for all. */
void sl_pq_writer_listen_sql(const struct sl_database *db, char out[SL_PQ_WRITER_SQL_BYTES]);

/* Waits until `fd` can be read, which is then read empty, `timeout_ms` is over (-1: never), or a
 * notice came. *out_news: one came of another store than that of `family`. false: the connection is
 * lost, or NULL. */
bool sl_pq_writer_hear(struct pg_conn *connection, const char *family, int fd, int timeout_ms,
                       bool *out_news);

/* The last statement of a transaction, which gives the server's time in its first column. With
 * `numbered` it has three parameters, the row's next number, its id and its number so far, and
 * fails where the row has another number. `changed`: others that listen to this store are told by
 * its family; NULL: nobody is. */
void sl_pq_writer_end_sql(bool numbered, const struct sl_database *changed,
                          char out[SL_PQ_WRITER_SQL_BYTES]);

/* Asks, by another connection, for the row's number. The old connection's commit may be under way
 * yet: its lock on the row is waited for. If it has not come so far it never may: the row's number
 * becomes another than it asks for. */
void sl_pq_writer_find_sql(const struct sl_pq_writer *writer, char out[SL_PQ_WRITER_SQL_BYTES]);
/* Takes the answer: did the commit that was in doubt take place? Nothing is in doubt any more. */
bool sl_pq_writer_found(struct sl_pq_writer *writer, uint64_t batch);
