/* host/store/row_copy.c */
#include "host/store/row_copy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "host/records.h"
#include "host/store/run_file.h"
#include "host/store/statement.h"

enum { MAX_COPY_BYTES = 8 << 20 }; /* a configuration of 1 MiB, each byte escaped */

#define SCHEMA "sme2lab.rows/1"

/* Columns and the types that their values must have; ids apart. */
#define RUN_COLUMNS(X)                                                                             \
    X(started_ms, "'integer'")                                                                     \
    X(ended_ms, "'integer'")                                                                       \
    X(device_kind, "'integer'")                                                                    \
    X(model, "'text'")                                                                             \
    X(model_sha256, "'text'")                                                                      \
    X(device, "'text'")                                                                            \
    X(verdict, "'text'")                                                                           \
    X(series, "'text'")                                                                            \
    X(exit_code, "'integer'")
#define RUN_REALS(X)                                                                               \
    X(ratio, "'integer','real'")                                                                   \
    X(baseline, "'integer','real'")                                                                \
    X(candidate, "'integer','real'")
#define JOB_COLUMNS(X)                                                                             \
    X(priority, "'integer'")                                                                       \
    X(attempts, "'integer'")                                                                       \
    X(submitted_ms, "'integer'")                                                                   \
    X(started_ms, "'integer'")                                                                     \
    X(selector, "'text'")                                                                          \
    X(device, "'text'")                                                                            \
    X(detail, "'text'")                                                                            \
    X(config, "'text'")
#define JOB_OUTCOME(X)                                                                             \
    X(state, "'integer'")                                                                          \
    X(cause, "'integer'")                                                                          \
    X(ended_ms, "'integer'")

#define PUT_RUN(column, type) ", '" #column "', r." #column
#define PUT_REAL(column, type) ", '" #column "', json(printf('%!.17g', r." #column "))"
#define PUT_JOB(column, type) ", '" #column "', j." #column

static int put_in_place(const char *root, const char *directory, const char *text)
{
    char path[2 * SL_PATH_BYTES];
    sl_path_join(path, sizeof(path), root, "%s", directory);
    if (!directory[0] || access(path, F_OK) < 0)
        return 0;
    sl_path_join(path, sizeof(path), root, "%s/%s", directory, SL_ROW_COPY);
    return sl_buf_write_file(path, text, strlen(text));
}

int sl_row_copy_write(sqlite3 *db, const char *root, uint64_t run)
{
    static const char sql[] =
        "SELECT r.directory, json_object('schema', '" SCHEMA "', 'run', json_object('id', "
        "r.id" RUN_COLUMNS(PUT_RUN)
            RUN_REALS(PUT_REAL) "), 'job', json_object('id', r.job, 'key', "
                                "j.idempotency_key" JOB_COLUMNS(PUT_JOB)
                                    JOB_OUTCOME(PUT_JOB) ")) FROM runs AS r LEFT JOIN jobs AS j ON "
                                                         "j.id = r.job WHERE r.id = ?";
    struct sl_statement statement;
    char directory[SL_PATH_BYTES];
    char *text = sl_malloc(MAX_COPY_BYTES, 1);
    if (!text)
        return -ENOMEM;
    sl_statement_init(&statement, db, sql);
    sl_statement_bind_u64(&statement, run);
    int rc = sl_statement_step(&statement);
    if (rc == 1) {
        sl_statement_text(&statement, 0, directory, sizeof(directory));
        sl_statement_text(&statement, 1, text, MAX_COPY_BYTES);
    }
    sl_statement_fini(&statement);
    if (rc == 1)
        rc = put_in_place(root, directory, text);
    else if (rc == 0)
        rc = SL_E_NOT_FOUND;
    sl_free(text);
    return rc;
}

static int read_copy(const char *root, const char *directory, struct sl_buf *out)
{
    char path[2 * SL_PATH_BYTES];
    uint64_t size;
    int fd = sl_run_file_open(root, directory, SL_ROW_COPY, &size); /* no link, a regular file */
    if (fd < 0)
        return fd;
    close(fd);
    sl_path_join(path, sizeof(path), root, "%s/%s", directory, SL_ROW_COPY);
    return sl_buf_read_file(path, MAX_COPY_BYTES, out);
}

/* Asked first: functions of JSON fail on what is none. 1, 0, or the database's code. */
static int is_json(sqlite3 *db, const char *text)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db, "SELECT json_valid(?)");
    sl_statement_bind_text(&statement, text);
    int rc = sl_statement_step(&statement);
    if (rc == 1)
        rc = sl_statement_int(&statement, 0);
    sl_statement_fini(&statement);
    return rc;
}

/* A value of the copy, and its check: what is no number of ours would use the numbers up. */
#define OF(part, name) "json_extract(?1, '$." part "." name "')"
#define TAKE_RUN(column, type) ", " OF("run", #column)
#define TAKE_JOB(column, type) ", " OF("job", #column)
#define NAME(column, type) ", " #column
#define IS(part, column, type) " AND json_type(?1, '$." part "." #column "') IN (" type ")"
#define IS_RUN(column, type) IS("run", column, type)
#define IS_JOB(column, type) IS("job", column, type)
#define IS_ID(part)                                                                                \
    " AND json_type(?1, '$." part ".id') = 'integer' AND " OF(part, "id") " BETWEEN 1 AND 1e12"
#define IS_COPY                                                                                    \
    " WHERE json_extract(?1, '$.schema') = '" SCHEMA "'" IS_ID("run") IS_ID("job")                 \
        RUN_COLUMNS(IS_RUN) RUN_REALS(IS_RUN)

/* 1, or 0 for a copy that is damaged or of another job. */
static int restore_run(sqlite3 *db, const char *text, const char *directory, uint64_t job,
                       uint64_t *out_run)
{
    static const char sql[] = "INSERT INTO runs (id, job, directory" RUN_COLUMNS(NAME)
        RUN_REALS(NAME) ") SELECT CASE WHEN EXISTS (SELECT 1 FROM runs WHERE id = " OF(
            "run", "id") ") THEN NULL ELSE " OF("run",
                                                "id") " END, " OF("job",
                                                                  "id") ", ?2" RUN_COLUMNS(TAKE_RUN)
            RUN_REALS(TAKE_RUN) IS_COPY " AND " OF("job", "id") " = ?3 RETURNING id";
    struct sl_statement statement;
    sl_statement_init(&statement, db, sql);
    sl_statement_bind_text(&statement, text);
    sl_statement_bind_text(&statement, directory);
    sl_statement_bind_u64(&statement, job);
    int rc = sl_statement_write(&statement, SL_E_NOT_FOUND, out_run);
    return rc == 0 ? 1 : rc == SL_E_NOT_FOUND ? 0 : rc;
}

/* A job that the copy leaves under way ended with its run: only the end was not written down. */
static int restore_job(sqlite3 *db, const char *text, uint64_t run)
{
    static const char sql[] =
        "INSERT INTO jobs (id, run, lease_until_ms, cancel_wanted, idempotency_key, state, cause, "
        "ended_ms" JOB_COLUMNS(NAME) ") SELECT " OF(
            "job",
            "id") ", ?2, 0, 0, CASE WHEN EXISTS "
                  "(SELECT 1 FROM jobs WHERE "
                  "idempotency_key = " OF(
                      "job",
                      "ke"
                      "y") " AND id <> " OF("job",
                                            "id") ") THEN NULL ELSE " OF("job",
                                                                         "key") " END, "
                                                                                "CASE "
                                                                                "WHEN " OF("job", "state") " BETWEEN 2 AND 4 THEN " OF("job", "state") " WHEN " OF(
                                                                                    "run",
                                                                                    "exit_"
                                                                                    "code") " = 1 "
                                                                                            "THEN "
                                                                                            "3 "
                                                                                            "ELSE "
                                                                                            "2 "
                                                                                            "END, "
                                                                                            "CASE "
                                                                                            "WHEN"
                                                                                            " " OF("job", "state") " BETWEEN 2 AND 4 THEN max(0, min(3, " OF("job", "cause") ")) WHEN " OF(
                                                                                                "r"
                                                                                                "u"
                                                                                                "n",
                                                                                                "e"
                                                                                                "x"
                                                                                                "i"
                                                                                                "t"
                                                                                                "_"
                                                                                                "c"
                                                                                                "o"
                                                                                                "d"
                                                                                                "e") " = 1 THEN 1 ELSE 0 END, "
                                                                                                     "max(" OF("job", "ended_ms") ", " OF(
                                                                                                         "run",
                                                                                                         "ended_ms") ")" JOB_COLUMNS(TAKE_JOB)
                                                                                                         IS_COPY JOB_COLUMNS(
                                                                                                             IS_JOB)
                                                                                                             JOB_OUTCOME(
                                                                                                                 IS_JOB) " AND json_type(?1, '$.job.key') IN ('text','null')"
                                                                                                                         " ON CONFLICT (id) DO UPDATE SET run = excluded.run, state = excluded.state, cause = "
                                                                                                                         "excluded.cause, ended_ms = excluded.ended_ms, attempts = excluded.attempts, started_ms"
                                                                                                                         " = excluded.started_ms, device = excluded.device, detail = excluded.detail, "
                                                                                                                         "lease_until_ms = 0 WHERE jobs.state < 2";
    struct sl_statement statement;
    sl_statement_init(&statement, db, sql);
    sl_statement_bind_text(&statement, text);
    sl_statement_bind_u64(&statement, run);
    int rc = sl_statement_step(&statement);
    sl_statement_fini(&statement);
    return rc < 0 ? rc : 0;
}

int sl_row_copy_restore(sqlite3 *db, const char *root, const char *directory, uint64_t job,
                        uint64_t *out_run)
{
    struct sl_buf copy;
    int rc = read_copy(root, directory, &copy);
    if (rc < 0)
        return rc == -ENOMEM ? rc : 0;
    const char *text = copy.size > 0 ? (const char *)copy.data : "";
    rc = is_json(db, text);
    if (rc == 1)
        rc = restore_run(db, text, directory, job, out_run);
    if (rc == 1) {
        int stored = restore_job(db, text, *out_run);
        rc = stored < 0 ? stored : rc;
    }
    sl_buf_fini(&copy);
    return rc;
}
