/* host/store/pq.c */
#include "host/store/pq.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libpq-fe.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "host/store/database.h"

enum { OLDEST_SERVER = 130000 }; /* gen_random_uuid() */

#define END_NS (UINT64_C(5) * 1000000000)

bool sl_pq_is_url(const char *where)
{
    return strncmp(where, "postgresql://", 13) == 0 || strncmp(where, "postgres://", 11) == 0;
}

static const char *option(const PQconninfoOption *options, const char *keyword)
{
    for (; options && options->keyword; options++)
        if (strcmp(options->keyword, keyword) == 0 && options->val)
            return options->val;
    return "";
}

/* NULL: the URL cannot be read, or what is not escaped in its password may stand in other parts of
 * it, which are printed. */
static PQconninfoOption *parse(const char *url)
{
    PQconninfoOption *options = PQconninfoParse(url, NULL); /* its words would tell the password */
    const char *port = option(options, "port");
    if (port[strspn(port, "0123456789,")] || strchr(option(options, "host"), '@') ||
        strpbrk(option(options, "dbname"), "@/")) {
        PQconninfoFree(options);
        return NULL;
    }
    return options;
}

void sl_pq_name(const char *url, char out[SL_PQ_NAME_BYTES])
{
    PQconninfoOption *options = parse(url);
    const char *port = option(options, "port"), *host = option(options, "host");
    snprintf(out, SL_PQ_NAME_BYTES, "postgresql://%.80s%s%.40s/%.80s", host, port[0] ? ":" : "",
             port, option(options, "dbname"));
    PQconninfoFree(options);
}

static void say_nothing(void *user, const char *message)
{
    (void)user;
    (void)message;
}

/* Every connection of ours has these: a server that is gone is noticed. */
static PGconn *start(const char *url)
{
    static const char *const keys[] = {
        "connect_timeout",  "keepalives_idle",           "keepalives_interval",
        "keepalives_count", "tcp_user_timeout",          "dbname",
        "client_encoding",  "fallback_application_name", NULL};
    const char *const values[] = {"5", "10", "5", "3", "20000", url, "UTF8", "sme2labd", NULL};
    PGconn *connection = PQconnectdbParams(keys, values, 1);
    if (connection)
        PQsetNoticeProcessor(connection, say_nothing, NULL);
    PQsetnonblocking(connection, 1); /* only what waits by itself would not heed it: sl_pq_wait() */
    return connection;
}

static int refuse(PGconn *connection, const char *where, struct sl_diag *diag)
{
    const char *why = PQerrorMessage(connection);
    bool password = PQconnectionNeedsPassword(connection) || strstr(why, "password");
    sl_diag_hint(diag, "%s",
                 password ? "check the user and the password of the store's URL"
                 : strstr(why, "does not exist")
                     ? "make the database first: createdb --owner=USER NAME"
                     : "start the server, or check host and port of the store's URL");
    return sl_diag_set(diag, -ENOTCONN, where, "the store's server lets us not in: %.*s",
                       (int)strcspn(why, "\n"), why);
}

int sl_pq_connect(const char *url, PGconn **out, struct sl_diag *diag)
{
    char name[SL_PQ_NAME_BYTES];
    PQconninfoOption *options = parse(url);
    if (!options) {
        sl_diag_hint(diag, "it is postgresql://USER:PASSWORD@HOST:PORT/DATABASE: write @ and / of "
                           "a password as %%40 and %%2F");
        return sl_diag_set(diag, -EINVAL, "store", "this is no URL of PostgreSQL");
    }
    PQconninfoFree(options);
    sl_pq_name(url, name);
    PGconn *connection = start(url);
    if (!connection)
        return -ENOMEM;
    int rc = 0, version = PQserverVersion(connection);
    if (PQstatus(connection) != CONNECTION_OK) {
        rc = refuse(connection, name, diag);
    } else if (version < OLDEST_SERVER) {
        sl_diag_hint(diag, "PostgreSQL %d or a newer one will do", OLDEST_SERVER / 10000);
        rc = sl_diag_set(diag, SL_E_UNSUPPORTED, name, "the store's server is PostgreSQL %d",
                         version / 10000);
    }
    if (rc < 0)
        PQfinish(connection);
    else
        *out = connection;
    return rc;
}

int sl_pq_check(const char *url, struct sl_diag *diag)
{
    PGconn *connection = NULL;
    int rc = sl_pq_connect(url, &connection, diag);
    PQfinish(connection);
    return rc;
}

bool sl_pq_wait(PGconn *connection, uint64_t until_ns)
{
    int unsent = 0;
    while (PQstatus(connection) == CONNECTION_OK && (unsent = PQflush(connection)) >= 0 &&
           (unsent > 0 || PQisBusy(connection))) {
        uint64_t now_ns = sl_clock_ns();
        struct pollfd polled = {.fd = PQsocket(connection),
                                .events = unsent > 0 ? POLLIN | POLLOUT : POLLIN};
        if (now_ns >= until_ns)
            return false;
        poll(&polled, 1, (int)((until_ns - now_ns) / 1000000 % INT32_MAX) + 1);
        if ((polled.revents & ~POLLOUT) != 0 && !PQconsumeInput(connection))
            break;
    }
    return true;
}

/* The next result of what was sent, NULL after the last one of a statement. */
static int next_result(PGconn *connection, uint64_t until_ns, PGresult **out)
{
    bool is_there = sl_pq_wait(connection, until_ns);
    *out = is_there ? PQgetResult(connection) : NULL;
    return is_there ? 0 : -ETIMEDOUT;
}

PGresult *sl_pq_last(PGconn *connection, int sent, uint64_t until_ns)
{
    PGresult *last = NULL, *next = NULL;
    int rc = sent ? next_result(connection, until_ns, &next) : -EIO;
    while (rc == 0 && next) {
        PQclear(last);
        last = next;
        rc = next_result(connection, until_ns, &next);
    }
    if (rc < 0) {
        PQclear(last);
        last = NULL;
    }
    return last;
}

bool sl_pq_is_good(const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

static const struct {
    const char *state; /* how SQLSTATE begins */
    int code;
} codes[] = {
    {"08", -ENOTCONN},      {"57P", -ENOTCONN}, {"57014", -EAGAIN},    {"23", -EEXIST},
    {"22", -EEXIST},        {"42804", -EEXIST}, {"40", -EAGAIN},       {"55P03", -EAGAIN},
    {"53100", -ENOSPC},     {"53", -ENOMEM},    {"25P02", -ECANCELED}, {"XX001", SL_E_FORMAT},
    {"XX002", SL_E_FORMAT},
};

int sl_pq_code(const PGresult *result)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    for (size_t i = 0; state && i < sizeof(codes) / sizeof(codes[0]); i++)
        if (strncmp(state, codes[i].state, strlen(codes[i].state)) == 0)
            return codes[i].code;
    return -EIO;
}

void sl_pq_end_work(PGconn *connection, const char *url)
{
    char sql[64];
    PGconn *other = NULL;
    if (sl_pq_connect(url, &other, NULL) < 0)
        return;
    snprintf(sql, sizeof(sql), "SELECT pg_terminate_backend(%d)", PQbackendPID(connection));
    PQclear(sl_pq_last(other, PQsendQuery(other, sql), sl_clock_ns() + END_NS));
    PQfinish(other);
}

void sl_pq_value(const PGresult *result, int row, int column, unsigned type, struct sl_value *out)
{
    const char *text = PQgetvalue(result, row, column);
    *out = (struct sl_value){.kind = SL_VALUE_NULL};
    if (PQgetisnull(result, row, column))
        return;
    switch (type) {
    case SL_PQ_BOOL:
        *out = (struct sl_value){.kind = SL_VALUE_INTEGER, .integer = text[0] == 't'};
        break;
    case SL_PQ_INT2:
    case SL_PQ_INT4:
    case SL_PQ_INT8:
    case SL_PQ_OID:
        *out = (struct sl_value){.kind = SL_VALUE_INTEGER, .integer = strtoll(text, NULL, 10)};
        break;
    case SL_PQ_FLOAT4:
    case SL_PQ_FLOAT8:
    case SL_PQ_NUMERIC:
        *out = (struct sl_value){.kind = SL_VALUE_REAL, .real = strtod(text, NULL)};
        break;
    default:
        *out = (struct sl_value){.kind = SL_VALUE_TEXT, .text = text};
    }
}
