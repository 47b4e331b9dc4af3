/* host/store/row_copy.c */
#include "host/store/row_copy.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/path.h"
#include "host/records.h"
#include "host/store/database.h"
#include "host/store/documents.h"
#include "host/store/figures.h"
#include "host/store/label_table.h"
#include "host/store/run_file.h"
#include "host/store/statement.h"

#define SCHEMA "sme2lab.rows/1"

/* The types that a value of a kind of column may have in a copy. */
#define TYPE_ID "'integer'"
#define TYPE_TIME "'integer'"
#define TYPE_U32 "'integer'"
#define TYPE_INT "'integer'"
#define TYPE_WORD "'integer'"
#define TYPE_TEXT "'text'"
#define TYPE_NAME "'text'"
#define TYPE_REAL "'integer', 'real'"
/* A copy has what is COPIED and how a job ENDED; only the former is taken back as it is. */
#define IF_COPIED(sql) sql
#define IF_ENDED(sql)
#define IF_LATER(sql) sql
#define IF_APART(sql)
#define IF_GROUP(sql)
#define IN_COPY_COPIED(...) __VA_ARGS__
#define IN_COPY_ENDED(...) __VA_ARGS__
#define IN_COPY_LATER(...) __VA_ARGS__
#define IN_COPY_APART(...)
#define IN_COPY_GROUP(...)

static int put_in_place(const char *root, const char *directory, const char *text)
{
    char path[2 * SL_PATH_BYTES];
    sl_path_join(path, sizeof(path), root, "%s", directory);
    if (!directory[0] || access(path, F_OK) < 0)
        return 0;
    sl_path_join(path, sizeof(path), root, "%s/%s", directory, SL_ROW_COPY);
    return sl_buf_write_file(path, text, strlen(text));
}

#define IF_GROUP_GROUP(sql) sql
#define IF_GROUP_COPIED(sql)
#define IF_GROUP_ENDED(sql)
#define IF_GROUP_LATER(sql)
#define IF_GROUP_APART(sql)
/* The column of a job that names its group. */
#define GROUP_COLUMN(kind, name, extra, copy, ...) IF_GROUP_##copy(#name)
#define PUT(kind, name, extra, copy, ...) IN_COPY_##copy(", " #name)
#define KEY(kind, name, extra, copy, ...) IN_COPY_##copy(#name, )
#define OF_RUN " WHERE id = (SELECT job FROM runs WHERE id = ?)"

/* A part of the copy: a question about the run, and the members that its columns become. */
struct part {
    const char *key, *sql;
    const char *const *names;
};

static const char *const run_names[] = {"id", SL_RUN_COLUMNS(KEY) NULL};
static const char *const job_names[] = {"id", "key", "config", SL_JOB_COLUMNS(KEY) NULL};
static const char *const group_names[] = {"id", "name", "owner", "created_ms", NULL};
static const char *const attempt_names[] = {"number", "device", "started_ms", "ended_ms", "cause",
                                            "detail", "run",    "host",       NULL};
static const char *const device_names[] = {"model", "soc", "system", NULL};
static const struct part run_part = {
    "run", "SELECT id" SL_RUN_COLUMNS(PUT) " FROM runs WHERE id = ?", run_names};
static const struct part job_part = {
    "job", "SELECT id, idempotency_key, config" SL_JOB_COLUMNS(PUT) " FROM jobs" OF_RUN, job_names};
static const struct part group_part = {
    "group",
    "SELECT id, name, owner, created_ms FROM job_groups WHERE id = (SELECT " SL_JOB_COLUMNS(
        GROUP_COLUMN) " FROM jobs" OF_RUN ")",
    group_names};
static const struct part attempts_part = {"attempts",
                                          "SELECT number, device, started_ms, ended_ms, cause, "
                                          "detail, run, host FROM attempts WHERE job = "
                                          "(SELECT job FROM runs WHERE id = ?) ORDER BY number",
                                          attempt_names};
static const struct part device_part = {
    "device",
    "SELECT model, soc, system FROM devices WHERE name = (SELECT device FROM runs WHERE id = ?)",
    device_names};

static void put_value(struct sl_json *json, const char *key, const struct sl_value *value)
{
    if (value->kind == SL_VALUE_INTEGER)
        sl_json_i64(json, key, value->integer);
    else if (value->kind == SL_VALUE_REAL)
        sl_json_f64(json, key, value->real);
    else
        sl_json_text(json, key, value->kind == SL_VALUE_TEXT ? value->text : NULL);
}

/* An object for each row, under `key`; NULL: in an array. The last stays open. 1, 0 for no row, or
 * a failure. */
static int put_rows(struct sl_json *json, struct sl_database *db, const struct part *part,
                    const char *key, uint64_t run)
{
    struct sl_statement statement;
    int rc, rows = 0;
    sl_statement_init(&statement, db, part->sql);
    sl_statement_bind_u64(&statement, run);
    while ((rc = sl_statement_step(&statement)) == 1) {
        if (rows++ > 0)
            sl_json_close_object(json);
        sl_json_open_object(json, key);
        for (int i = 0; part->names[i]; i++) {
            struct sl_value value;
            sl_statement_value(&statement, i, &value);
            put_value(json, part->names[i], &value);
        }
    }
    sl_statement_fini(&statement);
    return rc < 0 ? rc : rows > 0;
}

/* 0 or a failure. */
static int put_part(struct sl_json *json, struct sl_database *db, const struct part *part,
                    uint64_t run)
{
    int rc = put_rows(json, db, part, part->key, run);
    if (rc == 1)
        sl_json_close_object(json);
    else
        sl_json_null(json, part->key);
    return rc < 0 ? rc : 0;
}

/* A job whose row is lost keeps its number. */
static int put_job(struct sl_json *json, struct sl_database *db, uint64_t run, uint64_t job)
{
    int rc = put_rows(json, db, &job_part, "job", run);
    if (rc < 0)
        return rc;
    if (rc == 0) {
        sl_json_open_object(json, "job");
        sl_json_u64(json, "id", job);
    }
    rc = put_part(json, db, &group_part, run);
    sl_json_close_object(json);
    return rc;
}

static int put_attempts(struct sl_json *json, struct sl_database *db, uint64_t run)
{
    sl_json_open_array(json, attempts_part.key);
    int rc = put_rows(json, db, &attempts_part, NULL, run);
    if (rc == 1)
        sl_json_close_object(json);
    sl_json_close_array(json);
    return rc < 0 ? rc : 0;
}

/* Labels of the job's configuration need no copy. */
static int put_labels(struct sl_json *json, struct sl_database *db, uint64_t run, bool labelled)
{
    if (labelled)
        return sl_label_table_put(db, run, json);
    sl_json_null(json, "labels");
    return 0;
}

static int put_copy(struct sl_json *json, struct sl_database *db, uint64_t run, uint64_t job,
                    bool pinned, bool labelled)
{
    sl_json_open_object(json, NULL);
    sl_json_text(json, "schema", SCHEMA);
    sl_json_text(json, "store", db->identity);
    int rc = put_part(json, db, &run_part, run);
    if (rc == 0)
        rc = put_job(json, db, run, job);
    if (rc == 0)
        rc = put_attempts(json, db, run);
    if (rc == 0)
        rc = put_part(json, db, &device_part, run);
    sl_json_u64(json, "pinned", pinned);
    if (rc == 0)
        rc = put_labels(json, db, run, labelled);
    sl_json_close_object(json);
    return rc < 0 ? rc : json->error;
}

int sl_row_copy_write(struct sl_database *db, uint64_t run)
{
    struct sl_statement statement;
    struct sl_buf text;
    struct sl_json json;
    char directory[SL_PATH_BYTES];
    uint64_t job = 0;
    bool pinned = false, labelled = false;
    sl_statement_init(&statement, db,
                      "SELECT directory, job, pinned, labelled FROM runs WHERE id = ?");
    sl_statement_bind_u64(&statement, run);
    int rc = sl_statement_step(&statement);
    if (rc == 1) {
        sl_statement_text(&statement, 0, directory, sizeof(directory));
        job = sl_statement_u64(&statement, 1);
        pinned = sl_statement_int(&statement, 2) != 0;
        labelled = sl_statement_int(&statement, 3) != 0;
    }
    sl_statement_fini(&statement);
    if (rc != 1)
        return rc == 0 ? SL_E_NOT_FOUND : rc;
    sl_buf_init(&text, SL_ROW_COPY_MAX_BYTES - 1);
    sl_json_init(&json, &text);
    rc = put_copy(&json, db, run, job, pinned, labelled);
    if (rc == 0)
        rc = put_in_place(db->root, directory, (const char *)text.data);
    sl_buf_fini(&text);
    return rc;
}

/* A value of the copy, and its check: what is no number of ours would use the numbers up. */
#define OF(part, name) "json_extract(?1, '$." part "." name "')"
#define IS(part, name, types) " AND json_type(?1, '$." part "." name "') IN (" types ")"
#define IS_ID(part) IS(part, "id", "'integer'") " AND " OF(part, "id") " BETWEEN 1 AND 1e12"
#define NAME(kind, name, extra, copy, ...) IF_##copy(", " #name)
#define MARK(kind, name, extra, copy, ...) IF_##copy(", ?")
#define TAKEN_COPIED(value) ", " value
#define TAKEN_LATER(value) ", coalesce(" value ", '')"
#define TAKEN_ENDED(value)
#define TAKEN_APART(value)
#define TAKEN_GROUP(value)
#define CHECKED_COPIED(sql) sql
#define CHECKED_ENDED(sql) sql
#define CHECKED_LATER(sql)
#define CHECKED_APART(sql)
#define CHECKED_GROUP(sql)
#define TAKE_OF_RUN(kind, name, extra, copy, ...) TAKEN_##copy(OF("run", #name))
#define TAKE_OF_JOB(kind, name, extra, copy, ...) TAKEN_##copy(OF("job", #name))
#define IS_OF_RUN(kind, name, extra, copy, ...) CHECKED_##copy(IS("run", #name, TYPE_##kind))
#define IS_OF_JOB(kind, name, extra, copy, ...) CHECKED_##copy(IS("job", #name, TYPE_##kind))
#define RUN_NAMES SL_RUN_COLUMNS(NAME)
#define JOB_NAMES SL_JOB_COLUMNS(NAME)
#define RUN_MARKS SL_RUN_COLUMNS(MARK)
#define JOB_MARKS SL_JOB_COLUMNS(MARK)
#define TAKE_RUN SL_RUN_COLUMNS(TAKE_OF_RUN)
#define TAKE_JOB SL_JOB_COLUMNS(TAKE_OF_JOB)
#define IS_RUN                                                                                     \
    " WHERE json_extract(?1, '$.schema') = '" SCHEMA "'" IS_ID("run") IS_ID("job")                 \
        SL_RUN_COLUMNS(IS_OF_RUN)
#define IS_JOB SL_JOB_COLUMNS(IS_OF_JOB) IS("job", "config", "'text'")
#define GROUP_ID OF("job.group", "id")
#define GROUP_NAME OF("job.group", "name")
#define GROUP_OWNER OF("job.group", "owner")
#define GROUP_COLUMNS GROUP_ID ", " GROUP_NAME ", " GROUP_OWNER ", " OF("job.group", "created_ms")
#define IS_GROUP                                                                                   \
    IS_ID("job.group")                                                                             \
    IS("job.group", "name", "'text'")                                                              \
    IS("job.group", "owner", "'text'") IS("job.group", "created_ms", "'integer'")
#define JOIN_GROUP(kind, name, extra, copy, ...) IF_GROUP_##copy(JOIN(#name))
#define JOIN(column)                                                                               \
    "UPDATE jobs SET " column " = ?2 WHERE id = (SELECT job FROM runs WHERE id = ?1) AND " column  \
    " = 0 AND EXISTS (SELECT 1 FROM job_groups AS g WHERE g.id = ?2 AND g.name = ?3 AND g.owner "  \
    "= ?4)"
#define RUN_ID OF("run", "id")
#define RUN_FAILED OF("run", "exit_code") " = 1"
#define JOB_ID OF("job", "id")
#define JOB_KEY OF("job", "key")
#define JOB_CONFIG OF("job", "config")
#define JOB_STATE OF("job", "state")
#define JOB_CAUSE OF("job", "cause")
#define JOB_HAS_ENDED JOB_STATE " BETWEEN 2 AND 4"
#define ENDED_MS "max(" OF("job", "ended_ms") ", " OF("run", "ended_ms") ")"

/* The number that the run had, unless another has it by now. */
static int choose_number(struct sl_database *db, uint64_t had, uint64_t *out)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db, "SELECT 1 FROM runs WHERE id = ?");
    sl_statement_bind_u64(&statement, had);
    int rc = sl_statement_step(&statement);
    sl_statement_fini(&statement);
    *out = had;
    return rc == 1 ? db->kind->next_number(db, "runs", out) : rc;
}

static int add_run(struct sl_database *db, struct sl_statement *read, uint64_t run, uint64_t job,
                   const char *directory)
{
    struct sl_statement write;
    sl_statement_init(&write, db,
                      "INSERT INTO runs (id, job, directory" RUN_NAMES ") VALUES (?, ?, ?" RUN_MARKS
                      ")");
    sl_statement_bind_u64(&write, run);
    sl_statement_bind_u64(&write, job);
    sl_statement_bind_text(&write, directory);
    sl_statement_bind_row(&write, read, 1);
    int rc = sl_statement_step(&write);
    sl_statement_fini(&write);
    return rc;
}

/* 1, or 0 for a copy that is damaged or of another job. */
static int restore_run(struct sl_database *db, const char *text, const char *directory,
                       uint64_t job, uint64_t *out_run)
{
    struct sl_statement read;
    uint64_t run = 0;
    sl_document_ask(&read, db, "SELECT " RUN_ID TAKE_RUN IS_RUN " AND " JOB_ID " = ?2", text);
    sl_statement_bind_u64(&read, job);
    int rc = sl_statement_step(&read), taken = rc;
    if (rc == 1)
        rc = choose_number(db, sl_statement_u64(&read, 0), &run);
    if (taken == 1 && rc == 0)
        rc = add_run(db, &read, run, job, directory);
    sl_statement_fini(&read);
    if (taken != 1 || rc < 0)
        return rc;
    *out_run = run;
    rc = db->kind->raise_number(db, "runs", run);
    return rc < 0 ? rc : 1;
}

/* Rows that a copy tells of: those of `select` are written by `insert`, with the run before them.
 */
struct step {
    const char *select, *insert;
};

/* A job that the copy leaves under way ended with its run: only the end was not written down. */
static const struct step job_step = {
    "SELECT " JOB_ID ", " JOB_KEY ", " JOB_CONFIG ", CASE WHEN " JOB_HAS_ENDED " THEN " JOB_STATE
    " WHEN " RUN_FAILED " THEN 3 ELSE 2 END, CASE WHEN " JOB_HAS_ENDED
    " THEN max(0, min(3, " JOB_CAUSE ")) WHEN " RUN_FAILED
    " THEN 1 ELSE 0 END, " ENDED_MS TAKE_JOB IS_RUN IS_JOB
    " AND json_type(?1, '$.job.key') IN ('text','null')",
    "INSERT INTO jobs (run, lease_until_ms, cancel_wanted, id, idempotency_key, config, state, "
    "cause, ended_ms" JOB_NAMES ") VALUES (?1, 0, 0, ?2, CASE WHEN EXISTS (SELECT 1 FROM jobs "
    "WHERE idempotency_key = ?3 AND id <> ?2) THEN NULL ELSE ?3 END, ?, ?, ?, ?" JOB_MARKS
    ") ON CONFLICT (id) DO UPDATE SET run = excluded.run, state = excluded.state, cause = "
    "excluded.cause, ended_ms = excluded.ended_ms, attempts = excluded.attempts, started_ms = "
    "excluded.started_ms, device = excluded.device, detail = excluded.detail, lease_until_ms "
    "= 0 WHERE jobs.state < 2"};

/* The attempts that the copy knows; their host and the runtime, which copies of earlier versions
 * lack; labels and pin; what its device said of itself where nothing later does; its job's group,
 * unless another has that number by now. A copy of an earlier version has none of these. */
static const struct step steps[] = {
    {"SELECT number, device, started, ended, cause, detail, run, host FROM (SELECT "
     "json_extract(value, "
     "'$.number') AS number, json_extract(value, '$.device') AS device, json_extract(value, "
     "'$.started_ms') AS started, json_extract(value, '$.ended_ms') AS ended, json_extract(value, "
     "'$.cause') AS cause, json_extract(value, '$.detail') AS detail, json_extract(value, '$.run') "
     "AS run, coalesce(json_extract(value, '$.host'), '') AS host FROM json_each(?1, "
     "'$.attempts')) WHERE typeof(number) = 'integer' AND "
     "typeof(device) = 'text' AND typeof(started) = 'integer' AND typeof(ended) = 'integer' AND "
     "typeof(cause) = 'integer' AND typeof(detail) = 'text' AND typeof(run) = 'integer' AND "
     "typeof(host) = 'text'",
     "INSERT INTO attempts (job, number, device, started_ms, ended_ms, cause, detail, run, host) "
     "VALUES ((SELECT job FROM runs WHERE id = ?1), ?2, ?3, ?4, ?5, ?6, ?7, CASE WHEN ?8 = 0 THEN "
     "0 ELSE ?1 END, ?9) ON CONFLICT DO NOTHING"},
    {"SELECT ?1 IS NOT NULL",
     "UPDATE attempts SET (ended_ms, cause, detail, run) = (SELECT ended_ms, cause, "
     "detail, run FROM jobs WHERE id = attempts.job) WHERE job = (SELECT job FROM runs "
     "WHERE id = ?1) AND ended_ms = 0 AND ?2 = 1"},
    {"SELECT json_extract(?1, '$.device.model'), json_extract(?1, '$.device.soc'), "
     "json_extract(?1, '$.device.system') WHERE json_type(?1, '$.device.model') = 'text' AND "
     "json_type(?1, '$.device.soc') = 'text' AND json_type(?1, '$.device.system') = 'text'",
     "INSERT INTO devices (name, kind, model, soc, system, first_ms, last_ms) SELECT device, 0, "
     "?2, ?3, ?4, 0, 0 FROM runs WHERE id = ?1 ON CONFLICT (name) DO UPDATE SET model = "
     "excluded.model, soc = excluded.soc, system = excluded.system WHERE devices.model = ''"},
    {"SELECT " GROUP_COLUMNS " WHERE 1" IS_GROUP,
     "INSERT INTO job_groups (id, name, owner, created_ms) SELECT ?2, ?3, ?4, ?5 WHERE ?1 > 0 ON "
     "CONFLICT DO NOTHING"},
    {"SELECT " GROUP_ID ", " GROUP_NAME ", " GROUP_OWNER " WHERE 1" IS_GROUP,
     SL_JOB_COLUMNS(JOIN_GROUP)},
    {"SELECT " SL_RUNTIME_OF_CONFIG(JOB_CONFIG),
     "UPDATE runs SET runtime = ?2 WHERE id = ?1 AND runtime = ''"},
    {"SELECT coalesce(json_extract(?1, '$.pinned') = 1, 0), coalesce(json_type(?1, '$.labels') = "
     "'object', 0)",
     "UPDATE runs SET pinned = ?2, labelled = ?3 WHERE id = ?1"},
    {"SELECT key, value FROM json_each(?1, '$.labels') WHERE type = 'text' AND json_type(?1, "
     "'$.labels') = 'object' AND " SL_SQL_IS_LABEL SL_SQL_LABELS_END,
     "INSERT INTO labels (run, key, value) VALUES (?, ?, ?) ON CONFLICT (run, key) DO UPDATE SET "
     "value = excluded.value"},
};

static int carry(struct sl_database *db, const struct step *step, const char *text, uint64_t run)
{
    return sl_document_carry(db, step->select, text, step->insert, run);
}

/* The job first, then what belongs to either. */
static int restore_others(struct sl_database *db, const char *text, uint64_t run, uint64_t job)
{
    int rc = carry(db, &job_step, text, run);
    if (rc == 0)
        rc = db->kind->raise_number(db, "jobs", job);
    for (size_t i = 0; rc == 0 && i < sizeof(steps) / sizeof(steps[0]); i++)
        rc = carry(db, &steps[i], text, run);
    return rc == 0 ? db->kind->raise_number(db, "job_groups", 0) : rc;
}

/* A database that several hosts share has numbers of its own: it takes back no other's rows. 1, 0
 * or a failure. */
static int is_ours(struct sl_database *db, const char *text)
{
    struct sl_statement statement;
    if (!db->shared)
        return 1;
    sl_document_ask(&statement, db, "SELECT json_extract(?1, '$.store') = ?2", text);
    sl_statement_bind_text(&statement, db->identity);
    int rc = sl_statement_step(&statement);
    if (rc == 1)
        rc = sl_statement_int(&statement, 0);
    sl_statement_fini(&statement);
    return rc;
}

int sl_row_copy_restore(struct sl_database *db, const char *directory, uint64_t job,
                        uint64_t *out_run)
{
    struct sl_buf copy;
    int rc = sl_run_file_read(db->root, directory, SL_ROW_COPY, SL_ROW_COPY_MAX_BYTES, &copy);
    if (rc < 0)
        return rc == -ENOMEM ? rc : 0;
    const char *text = copy.size > 0 ? (const char *)copy.data : "";
    rc = sl_document_is_json(db, text);
    if (rc == 1)
        rc = is_ours(db, text);
    if (rc == 1)
        rc = restore_run(db, text, directory, job, out_run);
    if (rc == 1) {
        int stored = restore_others(db, text, *out_run, job);
        if (stored == 0)
            sl_figures_fill(db, *out_run); /* where it fails, the next check tells of it */
        rc = stored < 0 ? stored : rc;
    }
    sl_buf_fini(&copy);
    return rc;
}
