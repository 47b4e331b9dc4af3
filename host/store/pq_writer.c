/* host/store/pq_writer.c */
#include "host/store/pq_writer.h"

#include <inttypes.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <libpq-fe.h>

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

/* Each connection of a store that listens holds the lock of its place, and holds it before the
 * store listens: a transaction that can have the lock of its own place alone need tell nobody, and
 * a connection that takes the lock meanwhile waits for that commit and reads what it wrote. A
 * notice costs more than the lock: the server keeps commits with one apart from each other. */
#define LISTENERS "hashtextextended('sme2lab_%s', %u)"

void sl_pq_writer_listen_sql(const struct sl_database *db, char out[SL_PQ_WRITER_SQL_BYTES])
{
    char listen[SL_PQ_WRITER_SQL_BYTES / 2] = "";
    if (db->place == 0)
        snprintf(listen, sizeof(listen), "; LISTEN sme2lab_%s", db->identity);
    snprintf(out, SL_PQ_WRITER_SQL_BYTES, "SELECT pg_advisory_lock_shared(" LISTENERS ")%s",
             db->identity, db->place, listen);
}

static bool take_news(PGconn *connection, const char *family)
{
    bool news = false;
    PGnotify *notice;
    while ((notice = PQnotifies(connection)) != NULL) {
        news = news || strcmp(notice->extra, family) != 0;
        PQfreemem(notice);
    }
    return news;
}

bool sl_pq_writer_hear(PGconn *connection, const char *family, int fd, int timeout_ms,
                       bool *out_news)
{
    char bytes[64];
    struct pollfd polled[2] = {{.fd = fd, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
    *out_news = connection && take_news(connection, family);
    if (*out_news)
        return true;
    if (connection)
        polled[1].fd = PQsocket(connection);
    poll(polled, 2, timeout_ms);
    while (read(fd, bytes, sizeof(bytes)) > 0)
        continue;
    if (!connection || (polled[1].revents != 0 && !PQconsumeInput(connection)))
        return false;
    *out_news = take_news(connection, family);
    return true;
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
                 changed->identity, changed->place, changed->identity, changed->family);
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
