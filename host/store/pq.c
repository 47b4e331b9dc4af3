/* host/store/pq.c */
#include "host/store/pq.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <libpq-fe.h>

#include "common/base/error.h"

enum { OLDEST_SERVER = 130000 }; /* gen_random_uuid() */

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
