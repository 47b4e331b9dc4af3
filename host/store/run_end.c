/* host/store/run_end.c */
#include "host/store/run_end.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/buf.h"
#include "common/base/durable.h"
#include "common/base/json.h"
#include "common/base/path.h"
#include "host/spec/columns.h"
#include "host/store/database.h"
#include "host/store/documents.h"
#include "host/store/run_file.h"
#include "host/store/run_name.h"
#include "host/store/statement.h"

#define SCHEMA "sme2lab.end/1"
/* A run begins this long before its job (the clock was set back) or after it (files came first). */
enum { BEFORE_SECONDS = 600, AFTER_SECONDS = 2 * 3600, DAY_SECONDS = 86400 };

#define PUT_ID(json, name, value) sl_json_u64(json, name, value)
#define PUT_TIME(json, name, value) sl_json_u64(json, name, value)
#define PUT_INT(json, name, value) sl_json_i64(json, name, value)
#define PUT_WORD(json, name, value) sl_json_i64(json, name, value)
#define PUT_FLAG(json, name, value) sl_json_u64(json, name, value)
#define PUT_TEXT(json, name, value) sl_json_text(json, name, value)
#define PUT_NAME(json, name, value) sl_json_text(json, name, value)
#define PUT_REAL(json, name, value) sl_json_f64(json, name, value)
#define PUT(kind, name, ...) PUT_##kind(&json, #name, end->run.name);

int sl_run_end_write(const char *directory, const struct sl_run_end *end)
{
    char path[3 * SL_PATH_BYTES];
    struct sl_buf text;
    struct sl_json json;
    sl_buf_init(&text, SL_RUN_END_MAX_BYTES - 1);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", SCHEMA);
    sl_json_u64(&json, "job", end->job);
    sl_json_u64(&json, "attempt", end->attempt);
    sl_json_u64(&json, "ended_ms", end->ended_ms);
    sl_json_i64(&json, "cause", end->cause);
    sl_json_text(&json, "detail", end->detail);
    sl_json_open_object(&json, "run");
    SL_RUN_COLUMNS(PUT)
    sl_json_close_object(&json);
    sl_json_close_object(&json);
    int rc = json.error;
    if (rc == 0)
        rc = sl_path_join(path, sizeof(path), directory, "%s", SL_RUN_END);
    if (rc == 0)
        rc = sl_buf_write_file(path, text.data, text.size);
    sl_buf_fini(&text);
    if (rc == 0)
        rc = sl_path_join(path, sizeof(path), directory, "streams");
    return rc == 0 ? sl_durable_folder(path) : rc;
}

#define TYPE_ID "'integer'"
#define TYPE_TIME "'integer'"
#define TYPE_INT "'integer'"
#define TYPE_WORD "'integer'"
#define TYPE_FLAG "'integer'"
#define TYPE_TEXT "'text'"
#define TYPE_NAME "'text'"
#define TYPE_REAL "'integer', 'real'"
#define OF(name) "json_extract(?1, '$." name "')"
#define TAKE(kind, name, ...) ", " OF("run." #name)
#define IS(kind, name, ...) " AND json_type(?1, '$.run." #name "') IN (" TYPE_##kind ")"
#define RUN_TAKE SL_RUN_COLUMNS(TAKE)
#define RUN_IS SL_RUN_COLUMNS(IS)
#define END_TAKE ", " OF("ended_ms") ", " OF("cause") ", " OF("detail")

/* The run's columns with a number before them; then its end. A job's times are those of the host
 * that had it, as its run's are. */
static const char question[] =
    "SELECT 0" RUN_TAKE END_TAKE " WHERE json_extract(?1, '$.schema') = '" SCHEMA
    "' AND json_extract(?1, '$.job') = ?2 AND json_extract(?1, '$.attempt') = ?3 AND "
    "json_extract(?1, '$.run.device') = ?4 AND json_type(?1, '$.ended_ms') = 'integer' AND "
    "json_extract(?1, '$.ended_ms') >= ?5 AND json_extract(?1, '$.cause') IN (0, 1) AND "
    "json_type(?1, '$.detail') = 'text'" RUN_IS;

static int read_text(struct sl_database *db, const struct sl_job_record *job, const char *text,
                     struct sl_run_end *out)
{
    struct sl_statement statement;
    int rc = sl_document_is_json(db, text);
    if (rc != 1)
        return rc;
    sl_document_ask(&statement, db, question, text);
    sl_statement_bind_u64(&statement, job->id);
    sl_statement_bind_i64(&statement, job->attempts);
    sl_statement_bind_text(&statement, job->device);
    sl_statement_bind_u64(&statement, job->started_ms);
    rc = sl_statement_step(&statement);
    if (rc == 1) {
        int after = (int)sl_run_columns.count;
        *out = (struct sl_run_end){.job = job->id, .attempt = job->attempts};
        sl_statement_read(&statement, &sl_run_columns, &out->run);
        out->ended_ms = sl_statement_u64(&statement, after);
        out->cause = sl_statement_int(&statement, after + 1);
        sl_statement_text(&statement, after + 2, out->detail, sizeof(out->detail));
        out->run.job = job->id;
    }
    sl_statement_fini(&statement);
    return rc;
}

static int read_end(struct sl_database *db, const struct sl_job_record *job, const char *directory,
                    struct sl_run_end *out)
{
    struct sl_buf text;
    int rc = sl_run_file_read(db->root, directory, SL_RUN_END, SL_RUN_END_MAX_BYTES, &text);
    if (rc < 0)
        return rc == -ENOMEM ? rc : 0;
    rc = text.size > 0 ? read_text(db, job, (const char *)text.data, out) : 0;
    if (rc == 1)
        snprintf(out->run.directory, sizeof(out->run.directory), "%s", directory);
    sl_buf_fini(&text);
    return rc;
}

static int look_at_day(struct sl_database *db, const struct sl_job_record *job, const char *day,
                       struct sl_run_end *out)
{
    char path[2 * SL_PATH_BYTES], directory[SL_PATH_BYTES];
    int rc = sl_path_join(path, sizeof(path), db->root, "runs/%s", day);
    DIR *folder = rc == 0 ? opendir(path) : NULL;
    if (!folder)
        return 0;
    for (struct dirent *entry; rc == 0 && (entry = readdir(folder)) != NULL;) {
        if (sl_run_name_job(entry->d_name) != job->id)
            continue;
        snprintf(directory, sizeof(directory), "runs/%s/%.100s", day, entry->d_name);
        rc = read_end(db, job, directory, out);
    }
    closedir(folder);
    return rc;
}

int sl_run_end_find(struct sl_database *db, const struct sl_job_record *job, struct sl_run_end *out)
{
    int rc = 0;
    time_t began = (time_t)(job->started_ms / 1000);
    time_t first = (began - BEFORE_SECONDS) / DAY_SECONDS;
    time_t last = (began + AFTER_SECONDS) / DAY_SECONDS;
    for (time_t i = first; i <= last && rc == 0; i++) {
        char day[16];
        struct tm utc;
        time_t at = i * DAY_SECONDS;
        if (at >= 0 && gmtime_r(&at, &utc) && strftime(day, sizeof(day), "%Y-%m-%d", &utc) > 0)
            rc = look_at_day(db, job, day, out);
    }
    return rc;
}
