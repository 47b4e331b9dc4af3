/* host/store/postgres.c */
#include "host/store/postgres.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libpq-fe.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/store/database.h"
#include "host/store/dialect.h"
#include "host/store/pq.h"
#include "host/store/pq_call.h"
#include "host/store/pq_plans.h"
#include "host/store/pq_schema.h"
#include "host/store/pq_writer.h"
#include "host/store/sqlite.h"
#include "host/store/statement.h"

/* A batch of adds, each with a plan, fits in MAX_POSTED: none of it waits for room. */
enum { FETCH_ROWS = 1000, MAX_POSTED = 4 * SL_STATEMENTS_TOGETHER, MESSAGE_BYTES = 200 };

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

/* An entry with neither is a text; only its success matters. */
struct posted {
    struct sl_pq_call *call; /* the first of those that are one */
    unsigned plan;           /* the number of one that the server is to make */
};

struct postgres {
    struct sl_database base; /* first */
    char *url;               /* owned; has the password: it is never printed */
    PGconn *connection;      /* owned; NULL: lost */
    struct sl_pq_plans plans;
    struct posted posted[MAX_POSTED]; /* sent, in a pipeline */
    int posted_count, taken;          /* so many of them are answered */
    bool synced;                      /* nothing more is sent before all are answered */
    PGresult *answer;                 /* owned; the latest one to the one that is taken next */
    int posted_rc, plan_rc;           /* how the first one that failed did; how the last plan did */
    struct sl_pq_call *gathered, *gathered_last; /* posted inserts of one kind, to be sent as one */
    int gathered_count;
    size_t gathered_bytes;
    unsigned cursors;
    uint64_t patience_ns, session_patience_ns; /* for an answer: now, and when it opened */
    uint64_t changes, changes_before;          /* the transaction */
    uint64_t server_ms, told_ns;               /* its time, and when it was told; 0: not known */
    bool listening;                            /* to what others say of jobs */
    bool spoilt;                /* what was written must not stay, and nobody was told yet */
    bool awaited;               /* what was sent without BEGIN is not answered yet */
    void *end;                  /* its last statement; owned */
    uint64_t until_ns, sent_ns; /* its server is given up; it was sent */
    struct sl_pq_writer writer;
    char end_sql[SL_PQ_WRITER_SQL_BYTES];
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
    PQclear(db->answer);
    db->answer = NULL;
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

/* Takes over the answer to one of those that were posted; NULL after a failure. One whose plan
 * could not be made failed as that did. */
static void answer_posted(struct postgres *db, const struct posted *posted, PGresult *result,
                          int rc)
{
    if (posted->call) {
        rc = rc == -ECANCELED && db->plan_rc < 0 ? db->plan_rc : rc;
        rc = hand_out(db, posted->call, result, rc);
    }
    if (posted->plan != 0 && rc < 0)
        sl_pq_plans_drop(&db->plans, posted->plan);
    db->plan_rc = posted->plan != 0 ? rc : 0;
    db->posted_rc = db->posted_rc < 0 ? db->posted_rc : rc;
}

static void take_next(struct postgres *db)
{
    const struct posted *posted = &db->posted[db->taken++];
    PGresult *last = db->answer, *result = NULL;
    bool skipped = PQresultStatus(last) == PGRES_PIPELINE_ABORTED; /* one before it failed */
    db->answer = NULL;
    int rc = skipped ? -ECANCELED : settle(db, last, posted->call ? &result : NULL);
    if (skipped)
        PQclear(last);
    answer_posted(db, posted, result, rc);
}

/* Without BEGIN the server commits at the sync: its failure comes as a result before that. */
static void take_end(struct postgres *db, PGresult *result)
{
    int rc = 0;
    if (PQresultStatus(result) == PGRES_PIPELINE_SYNC) {
        PQclear(result);
        PQexitPipelineMode(db->connection);
        db->synced = false;
    } else if (result || PQstatus(db->connection) != CONNECTION_OK) {
        rc = settle(db, result, NULL);
    }
    db->posted_rc = db->posted_rc < 0 ? db->posted_rc : rc;
}

/* Takes the answers that have come. Are all there? */
static bool take_some(struct postgres *db)
{
    while (db->synced && db->connection && !PQisBusy(db->connection)) {
        PGresult *result = PQgetResult(db->connection);
        if (db->taken == db->posted_count) {
            take_end(db, result);
        } else if (result) {
            PQclear(db->answer);
            db->answer = result;
        } else {
            take_next(db);
        }
    }
    return !db->synced || !db->connection;
}

/* They are answered, or lost. 0, or how the first one that failed did. */
static int end_posted(struct postgres *db)
{
    while (db->taken < db->posted_count)
        answer_posted(db, &db->posted[db->taken++], NULL, -ENOTCONN);
    int rc = db->posted_rc;
    db->posted_count = db->taken = db->posted_rc = db->plan_rc = 0;
    db->synced = false;
    return db->connection ? rc : not_there(db);
}

static int send_all(struct postgres *db)
{
    int rc = send_gathered(db);
    if (db->posted_count > 0 && db->connection && !db->synced) {
        db->synced = PQpipelineSync(db->connection);
        rc = db->synced ? rc : give_up(db);
    }
    return rc;
}

/* Waits for all of it. 0, or how the first one that failed did. */
static int take_all(struct postgres *db)
{
    int rc = send_all(db);
    if (db->posted_count == 0 && db->connection)
        PQexitPipelineMode(db->connection); /* one that could not be sent may have entered it */
    while (!take_some(db))
        if (!sl_pq_wait(db->connection, until(db)))
            give_up(db);
    int ended = db->posted_count > 0 ? end_posted(db) : 0;
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
    sl_pq_writer_listen_sql(&db->base, sql);
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

/* Sends what the server is to plan: in front of the statement that has it carried out. */
static int make_plan(struct postgres *db, const struct sl_pq_call *call, bool of_many,
                     const struct sl_pq_plan **out)
{
    char sql[SL_PQ_MAX_SQL_BYTES];
    int rc = sl_pq_call_sql(call, of_many, sql);
    if (rc == 0 && db->plans.count == SL_PQ_MAX_PLANS) {
        rc = ask(db, "DEALLOCATE ALL", NULL);
        sl_pq_plans_clear(&db->plans);
    }
    rc = rc < 0 ? rc : make_room(db);
    rc = rc < 0 ? rc : sl_pq_plans_add(&db->plans, call, of_many, out);
    if (rc < 0)
        return rc;
    int typed = of_many ? 0 : call->count; /* arrays have their types in the text */
    if (!PQsendPrepare(db->connection, (*out)->name, sql, typed, (*out)->shape.types))
        return give_up(db);
    db->posted[db->posted_count++] = (struct posted){.plan = (*out)->number};
    return 0;
}

static int find_plan(struct postgres *db, const struct sl_pq_call *call, bool of_many,
                     const struct sl_pq_plan **out)
{
    *out = sl_pq_plans_find(&db->plans, call, of_many);
    return *out ? 0 : make_plan(db, call, of_many, out);
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
    db->posted[db->posted_count++] = (struct posted){.call = first};
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
    bool waits = statement->many || statement->posted || statement->rc < 0;
    int rc = waits ? statement->rc : post(&db->base, statement);
    int sent = take_all(db);
    if (rc < 0 || statement->rc < 0 || statement->result)
        return rc < 0 ? rc : statement->rc; /* it was among them */
    if (sent < 0)
        return sent == -ENOTCONN ? sent : -ECANCELED;
    if (!db->connection)
        return not_there(db);
    rc = open_cursor(statement);
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

/* Sends it off: nobody wants more of its answer than how it went. */
static int post_text(struct postgres *db, const char *sql)
{
    int rc = send_gathered(db);
    rc = rc < 0 ? rc : make_room(db);
    if (rc == 0 && !PQsendQueryParams(db->connection, sql, 0, NULL, NULL, NULL, NULL, 0))
        rc = give_up(db);
    if (rc == 0)
        db->posted[db->posted_count++] = (struct posted){.plan = 0};
    return rc;
}

static void begin_any(struct postgres *db)
{
    db->changes_before = db->changes;
    db->writer.in_doubt = db->spoilt = false;
    db->message[0] = '\0';
    db->patience_ns = db->session_patience_ns;
}

static int begin(struct sl_database *base)
{
    begin_any(of(base));
    return post_text(of(base), "BEGIN");
}

/* Lets one daemon at a time change the schema. */
static int begin_schema(struct sl_database *base)
{
    int rc = begin(base);
    of(base)->patience_ns = SCHEMA_PATIENCE_NS;
    rc = rc < 0 ? rc : exec(base, "SET LOCAL statement_timeout = '" SCHEMA_LIMIT "'");
    return rc < 0 ? rc : exec(base, "SELECT pg_advisory_xact_lock(7305813)");
}

static uint64_t changes(struct sl_database *base)
{
    return of(base)->changes;
}

static const char *message(struct sl_database *base)
{
    return of(base)->message;
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

/* The time that the server said last, and what has passed here since. Each transaction that writes
 * is told it, and those that follow need not ask. 0: the server said nothing lately. */
static uint64_t told_ms(const struct postgres *db)
{
    uint64_t since_ns = sl_clock_with_sleep_ns() - db->told_ns;
    return db->server_ms != 0 && since_ns < TIME_HOLDS_NS ? db->server_ms + since_ns / 1000000 : 0;
}

static int now_ms(struct sl_database *base, bool anew, uint64_t *out)
{
    struct postgres *db = of(base);
    void *handle = NULL;
    uint64_t now_ns = sl_clock_with_sleep_ns(), told = anew ? 0 : told_ms(db);
    int rc = told != 0 ? 1 : prepare(base, "SELECT " SL_PQ_SERVER_MS, &handle);
    if (rc == 0 && (rc = step(base, handle)) == 1)
        told = note_time(db, handle, now_ns);
    if (handle)
        finish(handle);
    if (rc == 1)
        *out = told;
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
    for (int i = 0; i < 3 && rc == 0; i++)
        rc = bind(&db->base, end, i + 1, &values[i]);
    rc = rc < 0 ? rc : post(&db->base, end);
    rc = rc < 0 ? rc : post_text(db, "COMMIT");
    int sent = take_all(db);
    return rc < 0 ? rc : sent;
}

static int end_transaction(struct postgres *db, bool jobs_changed)
{
    void *end = NULL;
    char sql[SL_PQ_WRITER_SQL_BYTES];
    uint64_t began_ns = sl_clock_with_sleep_ns();
    sl_pq_writer_end_sql(true, jobs_changed ? &db->base : NULL, sql);
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
    int rc = take_all(db);
    if (rc < 0)
        return rc;
    if (db->changes == db->changes_before)
        return exec(base, "COMMIT");
    rc = end_transaction(db, jobs_changed);
    if (rc == 0)
        db->writer.batch++;
    if (rc == -EEXIST) { /* somebody removed the row, or put an older one back */
        lose(db);
        rc = -ENOTCONN;
    }
    return rc;
}

/* --- without BEGIN, and without waiting --- */

static void begin_posted(struct sl_database *base, uint64_t *out_now_ms)
{
    begin_any(of(base));
    *out_now_ms = told_ms(of(base));
}

static void send_posted(struct sl_database *base, bool jobs_changed)
{
    struct postgres *db = of(base);
    sl_pq_writer_end_sql(false, jobs_changed ? base : NULL, db->end_sql);
    int rc = prepare(base, db->end_sql, &db->end);
    rc = rc < 0 ? rc : post(base, db->end);
    int sent = send_all(db);
    db->posted_rc = rc < 0 ? rc : sent;
    db->until_ns = until(db);
    db->sent_ns = sl_clock_with_sleep_ns();
    db->awaited = true;
}

static int take_posted(struct sl_database *base)
{
    struct postgres *db = of(base);
    if (db->connection && (PQflush(db->connection) < 0 || !PQconsumeInput(db->connection) ||
                           (db->awaited && sl_clock_ns() >= db->until_ns)))
        give_up(db);
    if (!db->awaited || !take_some(db))
        return db->connection ? 0 : -ENOTCONN;
    int rc = end_posted(db);
    if (rc == 0 && step(base, db->end) == 1)
        note_time(db, db->end, db->sent_ns);
    if (db->end)
        finish(db->end);
    db->end = NULL;
    db->awaited = false;
    return rc == -ENOTCONN ? rc : rc < 0 ? -ECANCELED : 1;
}

static int socket_of(struct sl_database *base, bool *out_unsent)
{
    struct postgres *db = of(base);
    *out_unsent = db->connection && PQflush(db->connection) > 0;
    return db->connection ? PQsocket(db->connection) : -1;
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
    int rc = sl_pq_number(&db->base, sql, &found);
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

static int wait_for(struct sl_database *base, int fd, int timeout_ms, bool *out_news)
{
    struct postgres *db = of(base);
    bool is_there = sl_pq_writer_hear(db->connection, base->family, fd, timeout_ms, out_news);
    if (!is_there && db->connection) {
        keep_message(db, PQerrorMessage(db->connection));
        lose(db);
    }
    return is_there ? 0 : not_there(db);
}

static const struct sl_database_kind kind = {
    .close = close_database,
    .exec = exec,
    .define = sl_pq_define,
    .begin_schema = begin_schema,
    .version = sl_pq_version,
    .set_version = sl_pq_set_version,
    .begin = begin,
    .begin_posted = begin_posted,
    .send_posted = send_posted,
    .take_posted = take_posted,
    .socket = socket_of,
    .commit = commit,
    .state = state,
    .reconnect = reconnect,
    .listen = start_listening,
    .wait = wait_for,
    .now_ms = now_ms,
    .changes = changes,
    .message = message,
    .last_number = sl_pq_last_number,
    .next_number = sl_pq_next_number,
    .raise_number = sl_pq_raise_number,
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

/* Not connected yet; NULL: out of memory. */
static struct postgres *make(const char *url)
{
    struct postgres *db = sl_calloc(1, sizeof(*db));
    if (!db)
        return NULL;
    db->base.kind = &kind;
    db->base.shared = true;
    db->url = sl_strndup(url, strlen(url));
    return db;
}

static int open_made(struct postgres *db, int rc, struct sl_database **out, struct sl_diag *diag)
{
    rc = db->url ? rc : -ENOMEM;
    rc = rc < 0 ? rc : connect_again(db, diag);
    if (rc < 0)
        close_database(&db->base);
    else
        *out = &db->base;
    return rc;
}

int sl_postgres_open(const char *url, const char *root, struct sl_database **out,
                     struct sl_diag *diag)
{
    struct postgres *db = make(url);
    if (!db)
        return -ENOMEM;
    snprintf(db->base.root, sizeof(db->base.root), "%s", root);
    sl_pq_writer_init(&db->writer);
    memcpy(db->base.family, db->writer.id, sizeof(db->writer.id));
    return open_made(db, sl_sqlite_open_memory(&db->base.json), out, diag);
}

int sl_postgres_open_beside(const char *url, const struct sl_database *store, unsigned place,
                            struct sl_database **out, struct sl_diag *diag)
{
    struct postgres *db = make(url);
    if (!db)
        return -ENOMEM;
    memcpy(db->base.identity, store->identity, sizeof(store->identity));
    memcpy(db->base.family, store->family, sizeof(store->family));
    db->base.place = place;
    db->listening = true;
    return open_made(db, 0, out, diag);
}

int sl_postgres_sign_on(struct sl_database *base)
{
    char sql[SL_PQ_WRITER_SQL_BYTES];
    sl_pq_writer_sign_on_sql(&of(base)->writer, sql);
    return exec(base, sql);
}
