/* host/store/pq_writer.c */
#include "host/store/pq_writer.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "common/base/digest.h"
#include "host/store/database.h"

void sl_pq_writer_init(struct sl_pq_writer *writer)
{
    unsigned char bytes[(SL_PQ_WRITER_ID_BYTES - 1) / 2];
    *writer = (struct sl_pq_writer){.batch = 0};
    sl_random_bytes(bytes, sizeof(bytes));
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(writer->id + 2 * i, 3, "%02x", bytes[i]);
}

void sl_pq_writer_sign_on_sql(const struct sl_pq_writer *writer, char out[SL_PQ_WRITER_SQL_BYTES])
{
    snprintf(out, SL_PQ_WRITER_SQL_BYTES,
             "DELETE FROM writers WHERE wrote_ms < " SL_PQ_SERVER_MS
             " - CAST(30 AS BIGINT) * 86400000; "
             "INSERT INTO writers (id, batch, wrote_ms) VALUES ('%s', 0, " SL_PQ_SERVER_MS ")",
             writer->id);
}

/* Each listener holds the lock, and holds it before it listens: a transaction that can have the
 * lock alone need tell nobody, and a connection that begins to listen meanwhile waits for that
 * commit and reads what it wrote. A notice costs more than the lock: the server keeps commits with
 * one apart from each other. While a store listens, its adder always sends a notice: the lock is
 * held by the store's own connection, which is another session. */
#define LISTENERS "hashtextextended('sme2lab_%s', 0)"

void sl_pq_writer_listen_sql(const char *identity, char out[SL_PQ_WRITER_SQL_BYTES])
{
    snprintf(out, SL_PQ_WRITER_SQL_BYTES,
             "SELECT pg_advisory_lock_shared(" LISTENERS "); LISTEN sme2lab_%s", identity,
             identity);
}

/* The notice goes with the writer's row, because a statement of its own would cost as much. */
void sl_pq_writer_end_sql(bool numbered, const struct sl_database *changed,
                          char out[SL_PQ_WRITER_SQL_BYTES])
{
    char tell[SL_PQ_WRITER_SQL_BYTES / 2] = "";
    if (changed)
        snprintf(tell, sizeof(tell),
                 ", CASE WHEN NOT pg_try_advisory_xact_lock(" LISTENERS
                 ") THEN pg_notify('sme2lab_%s', '%s') END",
                 changed->identity, changed->identity, changed->family);
    if (numbered)
        snprintf(out, SL_PQ_WRITER_SQL_BYTES,
                 "WITH own AS (UPDATE writers SET batch = ?1, wrote_ms = " SL_PQ_SERVER_MS
                 " WHERE id = ?2 AND batch = ?3 RETURNING wrote_ms) SELECT max(wrote_ms), 1 / "
                 "count(*)%s FROM own",
                 tell);
    else
        snprintf(out, SL_PQ_WRITER_SQL_BYTES, "SELECT " SL_PQ_SERVER_MS "%s", tell);
}

static uint64_t wanted(const struct sl_pq_writer *writer)
{
    return writer->batch + writer->in_doubt;
}

void sl_pq_writer_find_sql(const struct sl_pq_writer *writer, char out[SL_PQ_WRITER_SQL_BYTES])
{
    snprintf(out, SL_PQ_WRITER_SQL_BYTES,
             "INSERT INTO writers AS w (id, batch, wrote_ms) VALUES ('%s', %" PRIu64
             ", " SL_PQ_SERVER_MS ") ON CONFLICT (id) DO UPDATE SET batch = CASE WHEN w.batch < "
             "%" PRIu64 " THEN excluded.batch ELSE w.batch END RETURNING batch",
             writer->id, wanted(writer) + 1, wanted(writer));
}

bool sl_pq_writer_found(struct sl_pq_writer *writer, uint64_t batch)
{
    bool committed = writer->in_doubt && batch == wanted(writer);
    writer->batch = batch;
    writer->in_doubt = false;
    return committed;
}
