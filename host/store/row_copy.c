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
#include "host/store/database.h"
#include "host/store/figures.h"
#include "host/store/label_table.h"
#include "host/store/run_file.h"
#include "host/store/schema.h"
#include "host/store/statement.h"

#define SCHEMA "sme2lab.rows/1"

/* The types that a value of a kind of column may have in a copy, and the value for it: of a real
 * number all its digits. */
#define TYPE_ID "'integer'"
#define TYPE_TIME "'integer'"
#define TYPE_U32 "'integer'"
#define TYPE_INT "'integer'"
#define TYPE_WORD "'integer'"
#define TYPE_TEXT "'text'"
#define TYPE_NAME "'text'"
#define TYPE_REAL "'integer', 'real'"
#define VALUE_ID(column) column
#define VALUE_TIME(column) column
#define VALUE_U32(column) column
#define VALUE_INT(column) column
#define VALUE_WORD(column) column
#define VALUE_TEXT(column) column
#define VALUE_NAME(column) column
#define VALUE_REAL(column) "json(printf('%!.17g', " column "))"

/* A copy has what is COPIED and how a job ENDED; only the former is taken back as it is. */
#define IF_COPIED(sql) sql
#define IF_ENDED(sql)
#define IF_LATER(sql) sql
#define IF_APART(sql)
#define IF_GROUP(sql)
#define IN_COPY_COPIED(sql) sql
#define IN_COPY_ENDED(sql) sql
#define IN_COPY_LATER(sql) sql
#define IN_COPY_APART(sql)
#define IN_COPY_GROUP(sql)

static int put_in_place(const char *root, const char *directory, const char *text)
{
    char path[2 * SL_PATH_BYTES];
    sl_path_join(path, sizeof(path), root, "%s", directory);
    if (!directory[0] || access(path, F_OK) < 0)
        return 0;
    sl_path_join(path, sizeof(path), root, "%s/%s", directory, SL_ROW_COPY);
    return sl_buf_write_file(path, text, strlen(text));
}

#define PUT_OF(row, kind, name, copy) IN_COPY_##copy(", '" #name "', " VALUE_##kind(row "." #name))
#define PUT_IN_RUN(kind, name, extra, copy, ...) PUT_OF("r", kind, name, copy)
#define PUT_IN_JOB(kind, name, extra, copy, ...)                                                   \
    PUT_OF("j", kind, name, copy) IF_GROUP_##copy(PUT_GROUP(#name))
#define PUT_GROUP(column)                                                                          \
    ", 'group', json((SELECT json_object('id', id, 'name', name, 'owner', owner, 'created_ms', "   \
    "created_ms) FROM job_groups WHERE id = j." column "))"
#define IF_GROUP_GROUP(sql) sql
#define IF_GROUP_COPIED(sql)
#define IF_GROUP_ENDED(sql)
#define IF_GROUP_LATER(sql)
#define IF_GROUP_APART(sql)
#define PUT_RUN SL_RUN_COLUMNS(PUT_IN_RUN)
#define PUT_JOB SL_JOB_COLUMNS(PUT_IN_JOB)

int sl_row_copy_write(struct sl_database *db, uint64_t run)
{
    static const char sql[] =
        "SELECT r.directory, json_object('schema', '" SCHEMA
        "', 'run', json_object('id', r.id" PUT_RUN
        "), 'job', json_object('id', r.job, 'key', j.idempotency_key, 'config', j.config" PUT_JOB
        "), 'attempts', json((SELECT json_group_array(json_object('number', number, 'device', "
        "device, 'started_ms', started_ms, 'ended_ms', ended_ms, 'cause', cause, 'detail', detail, "
        "'run', run)) FROM attempts WHERE job = r.job)), 'device', json((SELECT "
        "json_object('model', model, 'soc', soc, 'system', system) FROM devices WHERE name = "
        "r.device)), 'pinned', r.pinned, 'labels', CASE WHEN r.labelled THEN json((SELECT "
        "json_group_object(key, value) FROM labels WHERE run = r.id)) END) FROM runs AS r LEFT "
        "JOIN jobs AS j ON j.id = r.job WHERE r.id = ?";
    struct sl_statement statement;
    char directory[SL_PATH_BYTES];
    char *text = sl_malloc(SL_ROW_COPY_MAX_BYTES, 1);
    if (!text)
        return -ENOMEM;
    sl_statement_init(&statement, db, sql);
    sl_statement_bind_u64(&statement, run);
    int rc = sl_statement_step(&statement);
    if (rc == 1) {
        sl_statement_text(&statement, 0, directory, sizeof(directory));
        sl_statement_text(&statement, 1, text, SL_ROW_COPY_MAX_BYTES);
    }
    sl_statement_fini(&statement);
    if (rc == 1)
        rc = put_in_place(db->root, directory, text);
    else if (rc == 0)
        rc = SL_E_NOT_FOUND;
    sl_free(text);
    return rc;
}

/* A value of the copy, and its check: what is no number of ours would use the numbers up. */
#define OF(part, name) "json_extract(?1, '$." part "." name "')"
#define IS(part, name, types) " AND json_type(?1, '$." part "." name "') IN (" types ")"
#define IS_ID(part) IS(part, "id", "'integer'") " AND " OF(part, "id") " BETWEEN 1 AND 1e12"
#define NAME(kind, name, extra, copy, ...) IF_##copy(", " #name)
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
    "UPDATE jobs SET " column " = " GROUP_ID " WHERE id = (SELECT job FROM runs WHERE id = ?2) "   \
    "AND " column " = 0 AND EXISTS (SELECT 1 FROM job_groups AS g WHERE g.id = " GROUP_ID          \
    " AND g.name = " GROUP_NAME " AND g.owner = " GROUP_OWNER ")"
#define RUN_ID OF("run", "id")
#define RUN_FAILED OF("run", "exit_code") " = 1"
#define JOB_ID OF("job", "id")
#define JOB_KEY OF("job", "key")
#define JOB_CONFIG OF("job", "config")
#define JOB_STATE OF("job", "state")
#define JOB_CAUSE OF("job", "cause")
#define JOB_HAS_ENDED JOB_STATE " BETWEEN 2 AND 4"
#define ENDED_MS "max(" OF("job", "ended_ms") ", " OF("run", "ended_ms") ")"

/* 1, or 0 for a copy that is damaged or of another job. */
static int restore_run(struct sl_database *db, const char *text, const char *directory,
                       uint64_t job, uint64_t *out_run)
{
    static const char sql[] =
        "INSERT INTO runs (id, job, directory" RUN_NAMES ") SELECT CASE WHEN EXISTS (SELECT 1 FROM "
        "runs WHERE id = " RUN_ID ") THEN NULL ELSE " RUN_ID " END, " JOB_ID ", ?2" TAKE_RUN IS_RUN
        " AND " JOB_ID " = ?3 RETURNING id";
    struct sl_statement statement;
    sl_statement_init(&statement, db, sql);
    sl_statement_bind_text(&statement, text);
    sl_statement_bind_text(&statement, directory);
    sl_statement_bind_u64(&statement, job);
    int rc = sl_statement_write(&statement, SL_E_NOT_FOUND, out_run);
    return rc == 0 ? 1 : rc == SL_E_NOT_FOUND ? 0 : rc;
}

/* A job that the copy leaves under way ended with its run: only the end was not written down. */
static int restore_job(struct sl_database *db, const char *text, uint64_t run)
{
    static const char sql[] =
        "INSERT INTO jobs (id, run, lease_until_ms, cancel_wanted, idempotency_key, config, state, "
        "cause, ended_ms" JOB_NAMES ") SELECT " JOB_ID ", ?2, 0, 0, "
        "CASE WHEN EXISTS (SELECT 1 FROM jobs WHERE idempotency_key = " JOB_KEY " AND id <> " JOB_ID
        ") THEN NULL ELSE " JOB_KEY " END, " JOB_CONFIG ", CASE WHEN " JOB_HAS_ENDED
        " THEN " JOB_STATE " WHEN " RUN_FAILED " THEN 3 ELSE 2 END, CASE WHEN " JOB_HAS_ENDED
        " THEN max(0, min(3, " JOB_CAUSE ")) WHEN " RUN_FAILED
        " THEN 1 ELSE 0 END, " ENDED_MS TAKE_JOB IS_RUN IS_JOB
        " AND json_type(?1, '$.job.key') IN ('text','null')"
        " ON CONFLICT (id) DO UPDATE SET run = excluded.run, state = excluded.state, cause = "
        "excluded.cause, ended_ms = excluded.ended_ms, attempts = excluded.attempts, started_ms = "
        "excluded.started_ms, device = excluded.device, detail = excluded.detail, lease_until_ms "
        "= 0 WHERE jobs.state < 2";
    struct sl_statement statement;
    sl_statement_init(&statement, db, sql);
    sl_statement_bind_text(&statement, text);
    sl_statement_bind_u64(&statement, run);
    int rc = sl_statement_step(&statement);
    sl_statement_fini(&statement);
    return rc < 0 ? rc : 0;
}

/* The attempts that the copy knows; the runtime, which copies of earlier versions lack; labels and
 * pin; what its device said of itself where nothing later does; its job's group, unless another has
 * that number by now. A copy of an earlier version has none of these. */
static const char *const steps[] = {
    "INSERT OR IGNORE INTO attempts (job, number, device, started_ms, ended_ms, cause, detail, "
    "run) SELECT (SELECT job FROM runs WHERE id = ?2), number, device, started, ended, cause, "
    "detail, CASE WHEN run = 0 THEN 0 ELSE ?2 END FROM (SELECT json_extract(value, '$.number') "
    "AS number, json_extract(value, '$.device') AS device, json_extract(value, '$.started_ms') "
    "AS started, json_extract(value, '$.ended_ms') AS ended, json_extract(value, '$.cause') AS "
    "cause, json_extract(value, '$.detail') AS detail, json_extract(value, '$.run') AS run "
    "FROM json_each(?1, '$.attempts')) WHERE typeof(number) = 'integer' AND typeof(device) = "
    "'text' AND typeof(started) = 'integer' AND typeof(ended) = 'integer' AND typeof(cause) = "
    "'integer' AND typeof(detail) = 'text' AND typeof(run) = 'integer'",
    "UPDATE attempts SET (ended_ms, cause, detail, run) = (SELECT ended_ms, cause, detail, run "
    "FROM jobs WHERE id = attempts.job) WHERE job = (SELECT job FROM runs WHERE id = ?2) AND "
    "ended_ms = 0 AND ?1 IS NOT NULL",
    "INSERT INTO devices (name, kind, model, soc, system, first_ms, last_ms) SELECT device, 0, "
    "json_extract(?1, '$.device.model'), json_extract(?1, '$.device.soc'), json_extract(?1, "
    "'$.device.system'), 0, 0 FROM runs WHERE id = ?2 AND json_type(?1, '$.device.model') = "
    "'text' AND json_type(?1, '$.device.soc') = 'text' AND json_type(?1, '$.device.system') = "
    "'text' ON CONFLICT (name) DO UPDATE SET model = excluded.model, soc = excluded.soc, "
    "system = excluded.system WHERE devices.model = ''",
    "INSERT OR IGNORE INTO job_groups (id, name, owner, created_ms) SELECT " GROUP_COLUMNS
    " WHERE ?2 > 0" IS_GROUP,
    SL_JOB_COLUMNS(JOIN_GROUP),
    "UPDATE runs SET runtime = " SL_RUNTIME_OF_CONFIG(JOB_CONFIG) " WHERE id = ?2 AND runtime = ''",
    "UPDATE runs SET pinned = coalesce(json_extract(?1, '$.pinned') = 1, 0), labelled = "
    "coalesce(json_type(?1, '$.labels') = 'object', 0) WHERE id = ?2",
    "INSERT OR REPLACE INTO labels (run, key, value) SELECT ?2, key, value FROM json_each(?1, "
    "'$.labels') WHERE type = 'text' AND " SL_SQL_IS_LABEL
    " AND (SELECT labelled FROM runs WHERE id = ?2)" SL_SQL_LABELS_END,
};

static int restore_beside(struct sl_database *db, const char *text, uint64_t run)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof(steps) / sizeof(steps[0]); i++) {
        struct sl_statement statement;
        sl_statement_init(&statement, db, steps[i]);
        sl_statement_bind_text(&statement, text);
        sl_statement_bind_u64(&statement, run);
        rc = sl_statement_step(&statement);
        sl_statement_fini(&statement);
    }
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
    rc = sl_statement_is_json(db, text);
    if (rc == 1)
        rc = restore_run(db, text, directory, job, out_run);
    if (rc == 1) {
        int stored = restore_job(db, text, *out_run);
        if (stored == 0)
            stored = restore_beside(db, text, *out_run);
        if (stored == 0)
            sl_figures_fill(db, *out_run); /* where it fails, the next check tells of it */
        rc = stored < 0 ? stored : rc;
    }
    sl_buf_fini(&copy);
    return rc;
}
