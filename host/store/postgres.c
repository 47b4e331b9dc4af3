/* host/store/postgres.c */
#include "host/store/postgres.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libpq-fe.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/store/database.h"
#include "host/store/dialect.h"
#include "host/store/pq.h"
#include "host/store/pq_call.h"
#include "host/store/pq_plans.h"
#include "host/store/pq_writer.h"
#include "host/store/sqlite.h"

/* Statements that are posted and not answered fit the sockets' buffers. */
enum { FETCH_ROWS = 1000, MAX_POSTED = 128, MESSAGE_BYTES = 200 };

/* A server that does not end a statement itself within these limits, and a little more, hangs: its
 * connection is given up. Migrations rewrite tables. */
#define STATEMENT_LIMIT "20s"
#define FIRST_PATIENCE_NS (UINT64_C(22) * 1000000000)
#define MORE_PATIENCE_NS (UINT64_C(2) * 1000000000)
#define SCHEMA_LIMIT "600s"
#define SCHEMA_PATIENCE_NS (UINT64_C(610) * 1000000000)

/* The server's time is asked for no more often than this where no lease goes by it, and an answer
 * that took longer than the other tells none. */
#define TIME_HOLDS_NS (UINT64_C(1000) * 1000000)
#define TIME_TAKES_NS (UINT64_C(100) * 1000000)

struct postgres {
    struct sl_database base; /* first */
    char *url;               /* owned; has the password: it is never printed */
    PGconn *connection;      /* owned; NULL: lost */
    struct sl_pq_plans plans;
    struct sl_pq_call *posted[MAX_POSTED]; /* NULL: BEGIN; the first of those that are one */
    int posted_count;
    struct sl_pq_call *gathered, *gathered_last; /* posted inserts of one kind, to be sent as one */
    int gathered_count;
    size_t gathered_bytes;
    unsigned cursors;
    uint64_t patience_ns, session_patience_ns; /* for an answer: now, and when it opened */
    uint64_t changes, changes_before;          /* the transaction */
    uint64_t server_ms, told_ns;               /* its time, and when it was told; 0: not known */
    bool listening;                            /* to what others say of jobs */
    bool spoilt;      /* what was written must not stay, and nobody was told yet */
    bool posted_only; /* there is no BEGIN: what is posted is carried out as it is */
    struct sl_pq_writer writer;
    char message[MESSAGE_BYTES];
};

struct statement {
    struct sl_pq_call call; /* first */
    struct postgres *db;
    PGresult *result; /* owned */
    int row, rows;
    bool many, posted;
    int rc;          /* of what was posted */
    unsigned cursor; /* 0: none */
};

static struct postgres *of(struct sl_database *db)
{
    return (struct postgres *)db;
}

/* --- what went wrong --- */

/* Its first line: further ones repeat the statement. */
static void keep_message(struct postgres *db, const char *text)
{
    snprintf(db->message, sizeof(db->message), "%.*s", (int)strcspn(text, "\n"), text);
}

static void lose(struct postgres *db)
{
    PQfinish(db->connection);
    db->connection = NULL;
    db->server_ms = 0;
    sl_pq_plans_clear(&db->plans);
}

static void count_changes(struct postgres *db, PGresult *result)
{
    const char *status = PQcmdStatus(result);
    if (strncmp(status, "INSERT", 6) == 0 || strncmp(status, "UPDATE", 6) == 0 ||
        strncmp(status, "DELETE", 6) == 0)
        db->changes += strtoull(PQcmdTuples(result), NULL, 10);
}

/* Ends a connection that did not answer in time, or could not be asked. */
static int give_up(struct postgres *db)
{
    const char *why = PQerrorMessage(db->connection);
    keep_message(db, why[0] ? why : "the store's server does not answer");
    lose(db);
    return -ENOTCONN;
}

static uint64_t until(const struct postgres *db)
{
    return sl_clock_ns() + db->patience_ns;
}

/* Takes the result of a statement over: to *out where that is given. 0 or a negative code. */
static int settle(struct postgres *db, PGresult *result, PGresult **out)
{
    if (!result)
        return give_up(db);
    int rc = sl_pq_is_good(result) ? 0 : sl_pq_code(result);
    if (rc == 0) {
        count_changes(db, result);
    } else {
        const char *primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
        keep_message(db, primary ? primary : PQerrorMessage(db->connection));
        if (PQstatus(db->connection) != CONNECTION_OK) {
            lose(db);
            rc = -ENOTCONN;
        }
    }
    if (rc == 0 && out)
        *out = result;
    else
        PQclear(result);
    return rc;
}

/* Waits for what PQsend…() sent, and settles it; `sent` is what that said. */
static int settle_sent(struct postgres *db, int sent, PGresult **out)
{
    return settle(db, sl_pq_last(db->connection, sent, until(db)), out);
}

static int not_there(struct postgres *db)
{
    if (!db->message[0])
        keep_message(db, "the connection to the server is lost");
    return -ENOTCONN;
}

/* --- what was sent before --- */

static int send_gathered(struct postgres *db);

/* The answer to one statement. */
static int take_posted(struct postgres *db, PGresult **out)
{
    if (!db->connection)
        return -ENOTCONN;
    PGresult *result = sl_pq_last(db->connection, 1, until(db));
    if (PQresultStatus(result) == PGRES_PIPELINE_ABORTED) { /* one before it failed */
        PQclear(result);
        return -ECANCELED;
    }
    return settle(db, result, out);
}

/* `whole` is the answer to those that were sent as one, owned, or NULL after a failure. */
static int hand_out(struct postgres *db, struct sl_pq_call *first, PGresult *whole, int rc)
{
    PGresult *results[SL_PQ_MAX_ROWS] = {whole};
    int count = 0;
    for (const struct sl_pq_call *each = first; each; each = each->next)
        count++;
    if (rc == 0 && count > 1) {
        rc = sl_pq_split_numbers(whole, count, results);
        db->spoilt = db->spoilt || rc < 0; /* rows are written that nobody has a number of */
        PQclear(whole);
    }
    for (int i = 0; first; i++) {
        struct statement *statement = (struct statement *)first;
        first = first->next;
        statement->call.next = NULL;
        statement->rc = rc;
        statement->posted = false;
        statement->row = -1;
        statement->result = rc == 0 ? results[i] : NULL;
        statement->rows = rc == 0 ? PQntuples(results[i]) : 0;
    }
    return rc;
}

/* Without BEGIN the server commits at the sync: its failure comes as a result before that. */
static int end_pipeline(struct postgres *db)
{
    int rc = 0;
    for (bool ended = false; !ended && db->connection;) {
        PGresult *result = NULL;
        if (sl_pq_next(db->connection, until(db), &result) < 0)
            return give_up(db);
        ended = PQresultStatus(result) == PGRES_PIPELINE_SYNC;
        if (!ended && result)
            rc = settle(db, result, NULL);
        else
            PQclear(result);
    }
    if (db->connection)
        PQexitPipelineMode(db->connection);
    return rc;
}

/* Waits for all of it. 0, or how the first one that failed did. */
static int take_all(struct postgres *db)
{
    int rc = send_gathered(db), count = db->posted_count;
    db->posted_count = 0;
    if (count == 0)
        return rc;
    if (db->connection && !PQpipelineSync(db->connection))
        give_up(db);
    for (int i = 0; i < count; i++) {
        PGresult *result = NULL;
        int one = take_posted(db, db->posted[i] ? &result : NULL);
        if (db->posted[i])
            one = hand_out(db, db->posted[i], result, one);
        rc = rc == 0 ? one : rc;
    }
    if (!db->connection)
        return not_there(db);
    int ended = end_pipeline(db);
    return rc < 0 ? rc : ended;
}

static int make_room(struct postgres *db)
{
    int rc = db->posted_count == MAX_POSTED ? take_all(db) : 0;
    if (rc == 0 && !db->connection)
        rc = not_there(db);
    if (rc == 0 && PQpipelineStatus(db->connection) == PQ_PIPELINE_OFF &&
        !PQenterPipelineMode(db->connection))
        rc = -EIO;
    return rc;
}

static int ask(struct postgres *db, const char *sql, PGresult **out)
{
    int rc = take_all(db);
    if (rc < 0)
        return rc;
    return db->connection ? settle_sent(db, PQsendQuery(db->connection, sql), out) : not_there(db);
}

/* --- to the server --- */

/* Answers are on the disk, and a daemon that hangs keeps no others waiting. A limit of time that
 * the database's user has already is kept. */
static int begin_session(struct postgres *db, const char *where, struct sl_diag *diag)
{
    PGresult *result = NULL;
    int rc = ask(db,
                 "SET lock_timeout = '15s'; SET idle_in_transaction_session_timeout = '60s'; "
                 "SELECT set_config('statement_timeout', '" STATEMENT_LIMIT "', false) WHERE "
                 "current_setting('statement_timeout') = '0'; "
                 "SELECT set_config('synchronous_commit', 'on', false) WHERE "
                 "current_setting('synchronous_commit') = 'off'; SELECT pg_is_in_recovery(), "
                 "(SELECT setting FROM pg_settings WHERE name = 'statement_timeout')",
                 &result);
    if (rc == 0 && PQgetvalue(result, 0, 0)[0] == 't') {
        sl_diag_hint(diag, "name the primary server");
        rc = sl_diag_set(diag, -EROFS, where, "the store's server is a standby: it only reads");
    } else if (rc < 0) {
        sl_diag_set(diag, rc, where, "the store cannot be used: %s", db->message);
    } else {
        db->session_patience_ns =
            strtoull(PQgetvalue(result, 0, 1), NULL, 10) * 1000000 + MORE_PATIENCE_NS;
        db->patience_ns = db->session_patience_ns;
    }
    PQclear(result);
    return rc;
}

/* Other stores of the same database have channels of their own. */
static int listen_for_jobs(struct postgres *db)
{
    char sql[SL_PQ_WRITER_SQL_BYTES];
    sl_pq_writer_listen_sql(db->base.identity, sql);
    return db->listening ? ask(db, sql, NULL) : 0;
}

static int connect_again(struct postgres *db, struct sl_diag *diag)
{
    char name[SL_PQ_NAME_BYTES];
    lose(db);
    db->patience_ns = FIRST_PATIENCE_NS;
    sl_pq_name(db->url, name);
    int rc = sl_pq_connect(db->url, &db->connection, diag);
    rc = rc < 0 ? rc : begin_session(db, name, diag);
    return rc < 0 ? rc : listen_for_jobs(db);
}

/* --- statements --- */

static int prepare(struct sl_database *base, const char *sql, void **out)
{
    struct statement *statement = sl_calloc(1, sizeof(*statement));
    if (statement) {
        statement->db = of(base);
        statement->call.sql = sql;
    }
    *out = statement;
    return statement ? 0 : -ENOMEM;
}

static int prepare_many(struct sl_database *base, const char *sql, void **out)
{
    int rc = prepare(base, sql, out);
    if (rc == 0)
        ((struct statement *)*out)->many = true;
    return rc;
}

static int bind(struct sl_database *base, void *handle, int at, const struct sl_value *value)
{
    (void)base;
    return sl_pq_call_bind(&((struct statement *)handle)->call, at, value);
}

static int make_plan(struct postgres *db, const struct sl_pq_call *call, bool of_many,
                     const struct sl_pq_plan **out)
{
    char sql[SL_PQ_MAX_SQL_BYTES];
    int rc = sl_pq_call_sql(call, of_many, sql);
    if (rc == 0 && db->plans.count == SL_PQ_MAX_PLANS) {
        sl_pq_plans_clear(&db->plans);
        rc = ask(db, "DEALLOCATE ALL", NULL);
    }
    rc = rc < 0 ? rc : sl_pq_plans_add(&db->plans, call, of_many, out);
    if (rc < 0)
        return rc;
    int typed = of_many ? 0 : call->count; /* arrays have their types in the text */
    rc = settle_sent(
        db, PQsendPrepare(db->connection, (*out)->name, sql, typed, (*out)->shape.types), NULL);
    if (rc < 0)
        sl_pq_plans_drop_last(&db->plans);
    return rc;
}

static int find_plan(struct postgres *db, const struct sl_pq_call *call, bool of_many,
                     const struct sl_pq_plan **out)
{
    *out = sl_pq_plans_find(&db->plans, call, of_many);
    if (*out)
        return 0;
    int rc = take_all(db);
    rc = rc == 0 && !db->connection ? not_there(db) : rc;
    rc = rc < 0 && rc != -ENOTCONN ? -ECANCELED : rc; /* another one failed */
    return rc < 0 ? rc : make_plan(db, call, of_many, out);
}

static int run_prepared(struct statement *statement)
{
    struct postgres *db = statement->db;
    const struct sl_pq_plan *plan = NULL;
    int rc = find_plan(db, &statement->call, false, &plan);
    if (rc < 0)
        return rc;
    int sent = sl_pq_call_send(&statement->call, db->connection, plan->name) == 0;
    return settle_sent(db, sent, &statement->result);
}

/* Sends what was gathered: behind what was posted before. */
static int send_gathered(struct postgres *db)
{
    struct sl_pq_call *first = db->gathered;
    const struct sl_pq_plan *plan = NULL;
    if (!first)
        return 0;
    db->gathered = NULL;
    int rc = find_plan(db, first, first->next != NULL, &plan);
    rc = rc < 0 ? rc : make_room(db);
    int sent = rc < 0 ? rc : sl_pq_call_send(first, db->connection, plan->name);
    rc = rc == 0 && sent == -EIO ? give_up(db) : sent;
    if (rc < 0)
        return hand_out(db, first, NULL, rc);
    db->posted[db->posted_count++] = first;
    return 0;
}

/* Behind others of its shape, unless they would be too many. */
static int gather(struct postgres *db, struct sl_pq_call *call, const struct sl_pq_plan *plan)
{
    size_t bytes = sl_pq_call_bytes(call);
    bool fits = db->gathered && plan->joins && db->gathered_count < SL_PQ_MAX_ROWS &&
                db->gathered_bytes + bytes <= SL_PQ_MAX_ROWS_BYTES &&
                sl_pq_call_has_shape(db->gathered, &plan->shape);
    int rc = fits ? 0 : send_gathered(db);
    if (rc < 0)
        return rc;
    call->next = NULL;
    if (fits)
        db->gathered_last->next = call;
    else
        db->gathered = call;
    db->gathered_last = call;
    db->gathered_count = fits ? db->gathered_count + 1 : 1;
    db->gathered_bytes = fits ? db->gathered_bytes + bytes : bytes;
    return 0;
}

static int fetch(struct statement *statement)
{
    char sql[64];
    snprintf(sql, sizeof(sql), "FETCH %d FROM many%u", FETCH_ROWS, statement->cursor);
    return ask(statement->db, sql, &statement->result);
}

/* Rows come in parts, so that a million of them are not in memory at once. */
static int open_cursor(struct statement *statement)
{
    char sql[SL_PQ_MAX_SQL_BYTES];
    statement->cursor = ++statement->db->cursors;
    int len = snprintf(sql, sizeof(sql), "DECLARE many%u NO SCROLL CURSOR FOR ", statement->cursor);
    int rc = sl_dialect_statement(statement->call.sql, sql + len, sizeof(sql) - (size_t)len);
    if (rc == 0)
        rc = ask(statement->db, sql, NULL);
    if (rc < 0)
        statement->cursor = 0;
    return rc < 0 ? rc : fetch(statement);
}

static int post(struct sl_database *base, void *handle)
{
    struct postgres *db = of(base);
    struct statement *statement = handle;
    const struct sl_pq_plan *plan = NULL;
    int rc = find_plan(db, &statement->call, false, &plan);
    rc = rc < 0 ? rc : gather(db, &statement->call, plan);
    statement->posted = rc == 0;
    return rc;
}

static int carry_out(struct statement *statement)
{
    struct postgres *db = statement->db;
    bool others = db->posted_count > 0 || db->gathered;
    int rc = others && !statement->many && !statement->posted
                 ? post(&db->base, statement) /* with them: one way less */
                 : 0;
    int sent = take_all(db);
    if (rc < 0 || statement->rc < 0 || statement->result)
        return rc < 0 ? rc : statement->rc; /* it was among them */
    if (sent < 0)
        return sent == -ENOTCONN ? sent : -ECANCELED;
    if (!db->connection)
        return not_there(db);
    rc = statement->many ? open_cursor(statement) : run_prepared(statement);
    statement->row = -1;
    statement->rows = rc == 0 ? PQntuples(statement->result) : 0;
    return rc;
}

static int step(struct sl_database *base, void *handle)
{
    struct statement *statement = handle;
    (void)base;
    int rc = statement->result ? 0 : carry_out(statement);
    if (rc == 0 && statement->cursor != 0 && statement->row + 1 == FETCH_ROWS) {
        PQclear(statement->result);
        statement->result = NULL;
        statement->row = -1;
        rc = fetch(statement);
        statement->rows = rc == 0 ? PQntuples(statement->result) : 0;
    }
    if (rc < 0)
        return rc;
    if (statement->row + 1 >= statement->rows)
        return 0;
    statement->row++;
    return 1;
}

static void column(void *handle, int at, struct sl_value *out)
{
    struct statement *statement = handle;
    *out = (struct sl_value){.kind = SL_VALUE_NULL};
    if (statement->result && statement->row >= 0 && at < PQnfields(statement->result))
        sl_pq_value(statement->result, statement->row, at, PQftype(statement->result, at), out);
}

static int columns(void *handle)
{
    struct statement *statement = handle;
    return statement->result ? PQnfields(statement->result) : 0;
}

static void reset(void *handle)
{
    struct statement *statement = handle;
    char sql[32];
    if (statement->posted)
        take_all(statement->db);
    statement->rc = 0;
    PQclear(statement->result);
    statement->result = NULL;
    snprintf(sql, sizeof(sql), "CLOSE many%u", statement->cursor);
    if (statement->cursor != 0 && statement->db->connection &&
        PQtransactionStatus(statement->db->connection) == PQTRANS_INTRANS)
        ask(statement->db, sql, NULL);
    statement->cursor = 0;
}

static void finish(void *handle)
{
    struct statement *statement = handle;
    reset(statement);
    sl_pq_call_fini(&statement->call);
    sl_free(statement);
}

/* --- the rest of a kind --- */

static void close_database(struct sl_database *base)
{
    struct postgres *db = of(base);
    lose(db);
    sl_database_close(db->base.json);
    sl_free(db->url);
    sl_free(db);
}

static int exec(struct sl_database *base, const char *sql)
{
    struct postgres *db = of(base);
    int rc = ask(db, sql, NULL);
    if (db->connection && PQtransactionStatus(db->connection) == PQTRANS_IDLE)
        db->patience_ns = db->session_patience_ns; /* no migration now */
    return rc;
}

static int define(struct sl_database *base, const char *sql)
{
    size_t size = 2 * strlen(sql) + 1;
    char *theirs = sl_malloc(size, 2);
    int rc = theirs ? sl_dialect_definition(sql, theirs, 2 * size) : -ENOMEM;
    if (rc == 0)
        rc = exec(base, theirs);
    sl_free(theirs);
    return rc;
}

/* Sends it off: nobody wants more of its answer than how it went. */
static int post_text(struct postgres *db, const char *sql)
{
    int rc = send_gathered(db);
    rc = rc < 0 ? rc : make_room(db);
    if (rc == 0 && !PQsendQueryParams(db->connection, sql, 0, NULL, NULL, NULL, NULL, 0))
        rc = give_up(db);
    if (rc == 0)
        db->posted[db->posted_count++] = NULL;
    return rc;
}

static int begin_posted(struct sl_database *base)
{
    struct postgres *db = of(base);
    db->changes_before = db->changes;
    db->writer.in_doubt = db->spoilt = false;
    db->posted_only = true;
    db->message[0] = '\0';
    db->patience_ns = db->session_patience_ns;
    return 0;
}

static int begin(struct sl_database *base)
{
    struct postgres *db = of(base);
    begin_posted(base);
    db->posted_only = false;
    return post_text(db, "BEGIN");
}

/* Lets one daemon at a time change the schema. */
static int begin_schema(struct sl_database *base)
{
    int rc = begin(base);
    of(base)->patience_ns = SCHEMA_PATIENCE_NS;
    return rc == 0 ? exec(base, "SET LOCAL statement_timeout = '" SCHEMA_LIMIT
                                "'; SELECT pg_advisory_xact_lock(7305813)")
                   : rc;
}

static int number_from(struct postgres *db, const char *sql, uint64_t *out)
{
    PGresult *result = NULL;
    int rc = ask(db, sql, &result);
    if (rc == 0 && (PQntuples(result) != 1 || PQgetisnull(result, 0, 0)))
        rc = SL_E_NOT_FOUND;
    if (rc == 0)
        *out = strtoull(PQgetvalue(result, 0, 0), NULL, 10);
    PQclear(result);
    return rc;
}

static int version(struct sl_database *base, int *out)
{
    uint64_t found = 0;
    int rc = number_from(of(base),
                         "SELECT count(*) FROM pg_tables WHERE tablename = "
                         "'store_version' AND schemaname = current_schema()",
                         &found);
    *out = 0;
    if (rc < 0 || found == 0)
        return rc;
    rc = number_from(of(base), "SELECT number FROM store_version", &found);
    *out = (int)found;
    return rc;
}

static int set_version(struct sl_database *base, int number)
{
    char sql[200];
    snprintf(sql, sizeof(sql),
             "CREATE TABLE IF NOT EXISTS store_version (one BIGINT PRIMARY KEY, number BIGINT); "
             "INSERT INTO store_version VALUES (1, %d) ON CONFLICT (one) DO UPDATE SET number = "
             "excluded.number",
             number);
    return exec(base, sql);
}

static uint64_t changes(struct sl_database *base)
{
    return of(base)->changes;
}

static const char *message(struct sl_database *base)
{
    return of(base)->message;
}

static int last_number(struct sl_database *base, const char *table, uint64_t *out)
{
    char sql[128];
    snprintf(sql, sizeof(sql),
             "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM %s_id_seq", table);
    return number_from(of(base), sql, out);
}

static int next_number(struct sl_database *base, const char *table, uint64_t *out)
{
    char sql[64];
    snprintf(sql, sizeof(sql), "SELECT nextval('%s_id_seq')", table);
    return number_from(of(base), sql, out);
}

static int raise_number(struct sl_database *base, const char *table, uint64_t last)
{
    char sql[256];
    snprintf(sql, sizeof(sql),
             "SELECT setval('%s_id_seq', n.most) FROM (SELECT greatest(%" PRIu64
             ", (SELECT max(id) FROM %s)) AS most) AS n, %s_id_seq AS s WHERE n.most > "
             "s.last_value OR (n.most > 0 AND NOT s.is_called)",
             table, last, table, table);
    return exec(base, sql);
}

/* --- the server's time --- */

static uint64_t note_time(struct postgres *db, void *statement, uint64_t sent_ns)
{
    struct sl_value told;
    uint64_t now_ns = sl_clock_with_sleep_ns();
    column(statement, 0, &told);
    db->server_ms = now_ns - sent_ns <= TIME_TAKES_NS ? (uint64_t)told.integer : 0;
    db->told_ns = now_ns;
    return (uint64_t)told.integer;
}

/* Tells the server's time: as it said last, and what has passed here since. Each transaction that
 * writes is told it, and those that follow need not ask. */
static int now_ms(struct sl_database *base, bool anew, uint64_t *out)
{
    struct postgres *db = of(base);
    void *handle = NULL;
    uint64_t now_ns = sl_clock_with_sleep_ns();
    if (!anew && db->server_ms != 0 && now_ns - db->told_ns < TIME_HOLDS_NS) {
        *out = db->server_ms + (now_ns - db->told_ns) / 1000000;
        return 0;
    }
    int rc = prepare(base, "SELECT " SL_PQ_SERVER_MS, &handle);
    if (rc < 0)
        return rc;
    rc = step(base, handle);
    if (rc == 1)
        *out = note_time(db, handle, now_ns);
    finish(handle);
    return rc < 0 ? rc : rc == 1 ? 0 : -EIO;
}

/* --- the end of a transaction --- */

/* The row of the writer is written in the same transaction. What is left out after a failure is the
 * commit too. */
static int send_end(struct postgres *db, struct statement *end)
{
    const int64_t batch = (int64_t)db->writer.batch;
    const struct sl_value values[] = {{.kind = SL_VALUE_INTEGER, .integer = batch + 1},
                                      {.kind = SL_VALUE_TEXT, .text = db->writer.id},
                                      {.kind = SL_VALUE_INTEGER, .integer = batch}};
    int rc = 0;
    for (int i = 0; i < 3 && rc == 0 && !db->posted_only; i++)
        rc = bind(&db->base, end, i + 1, &values[i]);
    rc = rc < 0 ? rc : post(&db->base, end);
    if (rc == 0 && !db->posted_only)
        rc = post_text(db, "COMMIT");
    int sent = take_all(db);
    return rc < 0 ? rc : sent;
}

static int end_transaction(struct postgres *db, bool jobs_changed)
{
    void *end = NULL;
    char sql[SL_PQ_WRITER_SQL_BYTES];
    uint64_t began_ns = sl_clock_with_sleep_ns();
    sl_pq_writer_end_sql(!db->posted_only, jobs_changed ? &db->base : NULL, sql);
    int rc = prepare(&db->base, sql, &end);
    if (rc < 0)
        return rc;
    rc = send_end(db, end);
    if (rc == 0 && step(&db->base, end) == 1)
        note_time(db, end, began_ns);
    finish(end);
    db->writer.in_doubt = rc == -ENOTCONN;
    return rc;
}

static int commit(struct sl_database *base, bool jobs_changed)
{
    struct postgres *db = of(base);
    int rc = db->posted_only ? 0 : take_all(db);
    if (rc < 0)
        return rc;
    if (!db->posted_only && db->changes == db->changes_before)
        return exec(base, "COMMIT");
    rc = end_transaction(db, jobs_changed);
    if (db->posted_only)
        return rc < 0 && rc != -ENOTCONN ? -ECANCELED : rc;
    if (rc == 0)
        db->writer.batch++;
    if (rc == -EEXIST) { /* somebody removed the row, or put an older one back */
        lose(db);
        rc = -ENOTCONN;
    }
    return rc;
}

static int state(struct sl_database *base)
{
    struct postgres *db = of(base);
    take_all(db); /* a failure of what was sent is its statement's, or the transaction's */
    if (!db->connection)
        return SL_DATABASE_LOST;
    bool aborted = db->spoilt || PQtransactionStatus(db->connection) == PQTRANS_INERROR;
    db->spoilt = false; /* who asks ends the transaction, or its part */
    return aborted ? SL_DATABASE_ABORTED : SL_DATABASE_FINE;
}

static int find_out(struct postgres *db, bool *out_committed)
{
    char sql[SL_PQ_WRITER_SQL_BYTES];
    uint64_t found = 0;
    sl_pq_writer_find_sql(&db->writer, sql);
    int rc = number_from(db, sql, &found);
    if (rc == 0)
        *out_committed = sl_pq_writer_found(&db->writer, found);
    return rc;
}

static int reconnect(struct sl_database *base, bool *out_in_doubt, bool *out_committed)
{
    struct postgres *db = of(base);
    struct sl_diag diag = {0};
    *out_in_doubt = db->writer.in_doubt;
    *out_committed = false;
    int rc = connect_again(db, &diag);
    if (diag.what[0])
        keep_message(db, diag.what);
    rc = rc < 0 ? rc : find_out(db, out_committed);
    if (rc < 0)
        lose(db); /* only lost connections are made anew, and this one does not listen */
    *out_in_doubt = db->writer.in_doubt;
    return rc;
}

static int start_listening(struct sl_database *base)
{
    of(base)->listening = true;
    int rc = listen_for_jobs(of(base));
    if (rc < 0)
        lose(of(base)); /* the next connection listens */
    return rc;
}

/* Notices of this store's own connections say nothing new. */
static bool take_news(struct postgres *db)
{
    bool news = false;
    PGnotify *notice;
    while ((notice = PQnotifies(db->connection)) != NULL) {
        news = news || strcmp(notice->extra, db->base.family) != 0;
        PQfreemem(notice);
    }
    return news;
}

static int wait_for(struct sl_database *base, int fd, int timeout_ms, bool *out_news)
{
    struct postgres *db = of(base);
    char bytes[64];
    struct pollfd polled[2] = {{.fd = fd, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
    *out_news = db->connection && take_news(db);
    if (*out_news)
        return 0;
    if (db->connection)
        polled[1].fd = PQsocket(db->connection);
    poll(polled, 2, timeout_ms);
    while (read(fd, bytes, sizeof(bytes)) > 0)
        continue;
    if (!db->connection)
        return not_there(db);
    if (polled[1].revents != 0 && !PQconsumeInput(db->connection)) {
        keep_message(db, PQerrorMessage(db->connection));
        lose(db);
        return -ENOTCONN;
    }
    *out_news = take_news(db);
    return 0;
}

static const struct sl_database_kind kind = {
    .close = close_database,
    .exec = exec,
    .define = define,
    .begin_schema = begin_schema,
    .version = version,
    .set_version = set_version,
    .begin = begin,
    .begin_posted = begin_posted,
    .commit = commit,
    .state = state,
    .reconnect = reconnect,
    .listen = start_listening,
    .wait = wait_for,
    .now_ms = now_ms,
    .changes = changes,
    .message = message,
    .last_number = last_number,
    .next_number = next_number,
    .raise_number = raise_number,
    .prepare = prepare,
    .prepare_many = prepare_many,
    .bind = bind,
    .post = post,
    .step = step,
    .column = column,
    .columns = columns,
    .reset = reset,
    .finish = finish,
};

int sl_postgres_open(const char *url, const char *root, struct sl_database **out,
                     struct sl_diag *diag)
{
    struct postgres *db = sl_calloc(1, sizeof(*db));
    if (!db)
        return -ENOMEM;
    db->base.kind = &kind;
    db->base.shared = true;
    snprintf(db->base.root, sizeof(db->base.root), "%s", root);
    sl_pq_writer_init(&db->writer);
    memcpy(db->base.family, db->writer.id, sizeof(db->writer.id));
    db->url = sl_strndup(url, strlen(url));
    int rc = db->url ? sl_sqlite_open_memory(&db->base.json) : -ENOMEM;
    if (rc == 0)
        rc = connect_again(db, diag);
    if (rc < 0) {
        close_database(&db->base);
        return rc;
    }
    *out = &db->base;
    return 0;
}

int sl_postgres_sign_on(struct sl_database *base)
{
    char sql[SL_PQ_WRITER_SQL_BYTES];
    sl_pq_writer_sign_on_sql(&of(base)->writer, sql);
    return exec(base, sql);
}
