/* host/store/server_query.c */
#include "host/store/server_query.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libpq-fe.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "host/store/database.h"
#include "host/store/pq.h"
#include "host/store/question.h"

enum { MAX_COLUMNS = 100, MAX_VALUE_BYTES = 4 << 20 /* of a row */, FETCH_ROWS = 16 };
/* The server ends a question more gently than we do: it has a little more time for it. */
#define GRACE_NS (UINT64_C(1) * 1000000000)
#define GRANT_NS (UINT64_C(30) * 1000000000)

struct asking {
    PGconn *connection;
    const struct sl_query *query;
    struct sl_json *json;
    struct sl_diag *diag;
    uint64_t until_ns;
    bool late; /* the server does not end it */
    Oid types[MAX_COLUMNS];
    int columns;
};

/* The words of a result that is not right. */
static int refuse(struct asking *asking, const PGresult *result)
{
    asking->late = !result && sl_clock_ns() >= asking->until_ns;
    if (asking->late)
        return sl_diag_set(asking->diag, -ETIMEDOUT, "store", "the store's server does not answer");
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    if (state && strcmp(state, "57014") == 0)
        return -ETIMEDOUT;
    if (!state || strncmp(state, "08", 2) == 0 || strncmp(state, "57P", 3) == 0)
        return sl_diag_set(asking->diag, -ENOTCONN, "store", "the store's server is away");
    return sl_diag_set(asking->diag, SL_E_FORMAT, "sql", "%s", primary ? primary : "it failed");
}

/* Takes in what was `sent`; its result goes to *out where that is given. A question can lift the
 * server's limits of time: here it cannot. */
static int settle(struct asking *asking, int sent, PGresult **out)
{
    PGresult *result = sl_pq_last(asking->connection, sent, asking->until_ns + GRACE_NS);
    int rc = sl_pq_is_good(result) ? 0 : refuse(asking, result);
    if (rc == 0 && out)
        *out = result;
    else
        PQclear(result);
    return rc;
}

static int begin(struct asking *asking)
{
    char sql[256];
    snprintf(sql, sizeof(sql),
             "SET statement_timeout = %u; SET lock_timeout = 1000; SET "
             "idle_in_transaction_session_timeout = 30000; BEGIN READ ONLY",
             (unsigned)asking->query->max_ms);
    return settle(asking, PQsendQuery(asking->connection, sql), NULL);
}

/* Nothing but one statement, and its columns. */
static int describe(struct asking *asking)
{
    PGresult *result = NULL;
    int rc =
        settle(asking, PQsendPrepare(asking->connection, "", asking->query->sql, 0, NULL), NULL);
    if (rc == 0)
        rc = settle(asking, PQsendDescribePrepared(asking->connection, ""), &result);
    if (rc < 0)
        return rc;
    asking->columns = PQnfields(result);
    if (asking->columns < 1 || asking->columns > MAX_COLUMNS || PQnparams(result) > 0)
        rc = sl_diag_set(asking->diag, SL_E_FORMAT, "sql",
                         "it must read alone, have no parameters and at most %d columns",
                         (int)MAX_COLUMNS);
    sl_json_open_array(asking->json, "columns");
    for (int i = 0; rc == 0 && i < asking->columns; i++) {
        asking->types[i] = PQftype(result, i);
        sl_json_text(asking->json, NULL, PQfname(result, i));
    }
    sl_json_close_array(asking->json);
    PQclear(result);
    return rc;
}

/* Its last semicolon would end it too soon; a comment at its end must not take in what comes. */
static size_t length_of(const char *sql)
{
    size_t len = strlen(sql);
    while (len > 0 && (isspace((unsigned char)sql[len - 1]) || sql[len - 1] == ';'))
        len--;
    return len;
}

/* Rows come in parts, and long values are cut on the server. */
static int open_cursor(struct asking *asking)
{
    struct sl_buf sql;
    const char *own = asking->query->sql;
    sl_buf_init(&sql, (size_t)SL_QUERY_MAX_SQL_BYTES + (size_t)MAX_COLUMNS * 64);
    int rc = sl_buf_printf(&sql, "DECLARE question NO SCROLL CURSOR FOR SELECT ");
    for (int i = 0; rc == 0 && i < asking->columns; i++)
        rc = sl_buf_printf(&sql, "%sleft(CAST(c%d AS TEXT), %d)", i > 0 ? ", " : "", i,
                           (int)MAX_VALUE_BYTES / asking->columns);
    if (rc == 0)
        rc = sl_buf_printf(&sql, " FROM (%.*s\n) AS question (", (int)length_of(own), own);
    for (int i = 0; rc == 0 && i < asking->columns; i++)
        rc = sl_buf_printf(&sql, "%sc%d", i > 0 ? ", " : "", i);
    if (rc == 0)
        rc = sl_buf_printf(&sql, ")");
    if (rc == 0)
        rc = settle(asking,
                    PQsendQueryParams(asking->connection, (const char *)sql.data, 0, NULL, NULL,
                                      NULL, NULL, 0),
                    NULL);
    sl_buf_fini(&sql);
    return rc;
}

static void put_value(struct asking *asking, const PGresult *rows, int row, int column)
{
    struct sl_value value;
    sl_pq_value(rows, row, column, asking->types[column], &value);
    switch (value.kind) {
    case SL_VALUE_NULL:
        sl_json_null(asking->json, NULL);
        break;
    case SL_VALUE_INTEGER:
        sl_json_i64(asking->json, NULL, value.integer);
        break;
    case SL_VALUE_REAL:
        sl_json_f64(asking->json, NULL, value.real);
        break;
    default:
        sl_json_text(asking->json, NULL, value.text);
    }
}

static void put_row(struct asking *asking, const PGresult *rows, int row)
{
    sl_json_open_array(asking->json, NULL);
    for (int i = 0; i < asking->columns; i++)
        put_value(asking, rows, row, i);
    sl_json_close_array(asking->json);
}

/* 1: there are further rows that are left out. */
static int put_rows(struct asking *asking)
{
    const size_t begin_bytes = asking->json->out->size;
    char fetch[64];
    uint32_t count = 0;
    int rc = 0, got = FETCH_ROWS;
    snprintf(fetch, sizeof(fetch), "FETCH %d FROM question", (int)FETCH_ROWS);
    while (rc == 0 && got == FETCH_ROWS) {
        PGresult *rows = NULL;
        if (sl_clock_ns() > asking->until_ns)
            return -ETIMEDOUT;
        rc = settle(asking, PQsendQuery(asking->connection, fetch), &rows);
        got = rc == 0 ? PQntuples(rows) : 0;
        for (int i = 0; rc == 0 && i < got; i++) {
            if (count++ < asking->query->max_rows &&
                asking->json->out->size - begin_bytes < SL_QUERY_MAX_ANSWER_BYTES)
                put_row(asking, rows, i);
            else
                rc = 1;
        }
        PQclear(rows);
    }
    return rc;
}

static int answer(struct asking *asking)
{
    int rc = begin(asking);
    if (rc == 0)
        rc = describe(asking);
    if (rc == 0)
        rc = open_cursor(asking);
    if (rc < 0)
        return rc;
    sl_json_open_array(asking->json, "rows");
    rc = put_rows(asking);
    sl_json_close_array(asking->json);
    sl_json_bool(asking->json, "truncated", rc == 1);
    return rc < 0 ? rc : asking->json->error;
}

int sl_server_query_run(const char *url, const struct sl_query *query, struct sl_json *json,
                        struct sl_diag *diag)
{
    struct asking asking = {.query = query,
                            .json = json,
                            .diag = diag,
                            .until_ns = sl_clock_ns() + query->max_ms * UINT64_C(1000000)};
    int rc = sl_pq_connect(url, &asking.connection, diag);
    if (rc < 0)
        return rc;
    rc = answer(&asking);
    if (rc == SL_E_FORMAT)
        sl_diag_hint(diag, "SELECT table_name, column_name FROM information_schema.columns WHERE "
                           "table_schema = current_schema() lists what there is; a query only "
                           "reads");
    if (asking.late)
        sl_pq_end_work(asking.connection, url);
    PQfinish(asking.connection);
    if (rc == -ETIMEDOUT) {
        sl_diag_hint(diag, "ask for less: fewer runs, or fewer tables joined");
        sl_diag_set(diag, rc, "sql", "it took more than %u ms", (unsigned)query->max_ms);
    }
    return rc;
}

/* Tables that are not named stay closed; a view reads with its owner's rights. */
static const char grants[] =
    "DO $body$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %%I TO %%I', current_schema(), %s); "
    "EXECUTE format('GRANT SELECT ON runs, attempts, devices, hosts, host_devices, labels, "
    "commits, series_taken_over, job_groups, variants, categories, operators, changes TO %%I', "
    "%s); "
    "EXECUTE (SELECT format('GRANT SELECT (%%s) ON jobs TO %%I', string_agg(quote_ident(attname), "
    "', '), %s) FROM pg_attribute WHERE attrelid = 'jobs'::regclass AND attnum > 0 AND NOT "
    "attisdropped AND attname <> 'idempotency_key'); END $body$";

/* A role that the reader is or can become, and that may do more than read these. */
static const char too_much[] =
    "SELECT rolname FROM pg_roles WHERE pg_has_role(%s, oid, 'MEMBER') AND (rolsuper OR rolname IN "
    "('pg_signal_backend', 'pg_read_server_files', 'pg_write_server_files', "
    "'pg_execute_server_program') OR has_any_column_privilege(oid, 'tokens', 'SELECT') OR "
    "has_any_column_privilege(oid, 'audit', 'SELECT')) LIMIT 1";

/* `user` is a literal of SQL. */
static int refuse_rights(struct asking *asking, const char *user)
{
    char sql[1024];
    PGresult *result = NULL;
    snprintf(sql, sizeof(sql), too_much, user);
    int rc = settle(asking, PQsendQuery(asking->connection, sql), &result);
    if (rc == 0 && PQntuples(result) > 0) {
        sl_diag_hint(asking->diag, "CREATE ROLE reader LOGIN, which owns nothing and is a member "
                                   "of no role, and name it in store_reader");
        rc = sl_diag_set(asking->diag, -EACCES, "store_reader",
                         "%s may read tokens or do more, as %s", user, PQgetvalue(result, 0, 0));
    }
    PQclear(result);
    return rc;
}

int sl_server_query_let_read(const char *url, const char *reader, struct sl_diag *diag)
{
    struct asking asking = {.diag = diag, .until_ns = sl_clock_ns() + GRANT_NS};
    char name[SL_PQ_NAME_BYTES], sql[2048];
    int rc = sl_pq_connect(reader, &asking.connection, diag);
    if (rc < 0)
        return rc;
    snprintf(name, sizeof(name), "%s", PQuser(asking.connection));
    PQfinish(asking.connection);
    rc = sl_pq_connect(url, &asking.connection, diag);
    if (rc < 0)
        return rc;
    char *user = PQescapeLiteral(asking.connection, name, strlen(name));
    rc = user ? refuse_rights(&asking, user) : -ENOMEM;
    if (rc == 0) {
        snprintf(sql, sizeof(sql), grants, user, user, user);
        rc = settle(&asking, PQsendQuery(asking.connection, sql), NULL);
    }
    PQfreemem(user);
    PQfinish(asking.connection);
    return rc;
}
