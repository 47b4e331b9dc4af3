/* host/store/database.h: a connection to a database, and what each kind of database does in its own
 * way. Its statements: statement.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host/records.h"

enum sl_value_kind { SL_VALUE_NULL, SL_VALUE_INTEGER, SL_VALUE_REAL, SL_VALUE_TEXT };

struct sl_value {
    int kind; /* enum sl_value_kind */
    int64_t integer;
    double real;
    const char *text; /* borrowed */
};

struct sl_database;

enum sl_database_state {
    SL_DATABASE_FINE,
    SL_DATABASE_ABORTED, /* a statement failed: the transaction, or its part, must end */
    SL_DATABASE_LOST,    /* there is no connection */
};

/* Functions that can fail return 0 or a negative code: -EEXIST (a constraint), -ENOSPC, -ENOMEM,
 * SL_E_FORMAT (the database is damaged), -ENOTCONN (the connection is lost), -EAGAIN (it went
 * against another transaction), -ECANCELED (the transaction was aborted before), -EIO else. */
struct sl_database_kind {
    void (*close)(struct sl_database *db);
    /* Statements without parameters, whose rows nobody wants. */
    int (*exec)(struct sl_database *db, const char *sql);
    /* A transaction that may write. Its end; `jobs_changed`: others that share the database are to
     * know. NULL: "COMMIT" alone. */
    int (*begin)(struct sl_database *db);
    int (*commit)(struct sl_database *db, bool jobs_changed);
    /* These four never wait. They are for statements that are all posted and may be carried out
     * twice: such statements and their commit go off in one way. NULL: there is no post().
     *
     * begin_posted() stands in place of begin(), also where nothing is written and committed.
     * *out_now_ms is the time by now_ms(), or 0 where it is not known: the next take_posted() makes
     * it known. send_posted() sends them off with their commit, and take_posted() is called after
     * it, and when the socket can be read or written. It returns 1 when they are committed, 0 when
     * there is more to come, and a negative code after a failure: of -ENOTCONN they may have taken
     * place. *out_unsent: the socket is to be written. */
    void (*begin_posted)(struct sl_database *db, uint64_t *out_now_ms);
    void (*send_posted)(struct sl_database *db, bool jobs_changed);
    int (*take_posted)(struct sl_database *db);
    int (*socket)(struct sl_database *db, bool *out_unsent);
    /* enum sl_database_state; NULL: always fine. */
    int (*state)(struct sl_database *db);
    /* After a loss: once more. *out_in_doubt: it is not known whether the last commit took place;
     * else *out_committed tells. 0, -ENOTCONN, or another negative code. */
    int (*reconnect)(struct sl_database *db, bool *out_in_doubt, bool *out_committed);
    /* From now on other connections' changes of jobs are told to this one. After a failure it is so
     * once the connection was made anew. */
    int (*listen)(struct sl_database *db);
    /* Waits until `fd` can be read, `timeout_ms` is over (-1: never), the connection is lost, or
     * another connection changed jobs, which *out_news tells of to who listens. */
    int (*wait)(struct sl_database *db, int fd, int timeout_ms, bool *out_news);
    /* The same in the words of both kinds, types by SQLite's names (dialect.h). */
    int (*define)(struct sl_database *db, const char *sql);
    /* A transaction that may change the schema; the migrations that ran: 0 of a new database. */
    int (*begin_schema)(struct sl_database *db);
    int (*version)(struct sl_database *db, int *out);
    int (*set_version)(struct sl_database *db, int version);
    /* The rows that were written so far. */
    uint64_t (*changes)(struct sl_database *db);
    /* The time that all who share the database go by, Unix time in ms, 0.1 s late at most. Without
     * `anew` it may be what was told in the last second, and this machine's clock since: that of a
     * virtual machine which was paused is late by as much, and no lease may go by it. */
    int (*now_ms)(struct sl_database *db, bool anew, uint64_t *out);
    /* The last failure in words; valid until the next call. */
    const char *(*message)(struct sl_database *db);
    /* A table of numbered rows: the number that it gave out last (0: none); the next one, for a
     * row that is to be written with it; its last one is `last` at least. */
    int (*last_number)(struct sl_database *db, const char *table, uint64_t *out);
    int (*next_number)(struct sl_database *db, const char *table, uint64_t *out);
    int (*raise_number)(struct sl_database *db, const char *table, uint64_t last);

    /* *out is NULL after a failure. Values are borrowed until finish(). step(): 1: a row; 0: done.
     */
    int (*prepare)(struct sl_database *db, const char *sql, void **out);
    /* The same for a question without parameters that may have any number of rows. */
    int (*prepare_many)(struct sl_database *db, const char *sql, void **out);
    int (*bind)(struct sl_database *db, void *statement, int at, const struct sl_value *value);
    int (*step)(struct sl_database *db, void *statement);
    /* Sends it off: it is carried out after those that were sent before, and its first step waits
     * for it. NULL: it is carried out at that step. */
    int (*post)(struct sl_database *db, void *statement);
    void (*column)(void *statement, int column, struct sl_value *out);
    int (*columns)(void *statement);
    /* Back to before the first step, for other values. */
    void (*reset)(void *statement);
    void (*finish)(void *statement);
};

struct sl_database {
    const struct sl_database_kind *kind;
    struct sl_database *json;     /* answers questions about JSON documents; it may be itself */
    char identity[SL_NAME_BYTES]; /* another for each database */
    char family[SL_NAME_BYTES];   /* of one store's connections: none hears of another's changes */
    unsigned place;               /* of a store's connections: 0 is the store's own */
    bool shared;                  /* several daemons may write it */
    char root[SL_PATH_BYTES];     /* the state directory, with the directories of runs */
    char directory_id[SL_SERIES_BYTES]; /* of STATE/runs (directory_id.h); "": not shared */
    char blobs_id[SL_SERIES_BYTES];     /* the same of STATE/blobs */
};

/* NULL is a no-op. */
void sl_database_close(struct sl_database *db);
int sl_database_exec(struct sl_database *db, const char *sql);
/* Without `writes` each statement is a transaction of its own, and no commit follows. */
int sl_database_begin(struct sl_database *db, bool writes);
int sl_database_commit(struct sl_database *db, bool jobs_changed);
int sl_database_state(struct sl_database *db);

/* A part of a transaction, all of it or nothing; parts may lie in parts. The end takes how it went
 * and gives that back, or why it cannot end. */
int sl_database_part_begin(struct sl_database *db);
int sl_database_part_end(struct sl_database *db, int rc);
