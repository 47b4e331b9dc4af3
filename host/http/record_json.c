/* host/http/record_json.c */
#include "host/http/record_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/json.h"
#include "host/records.h"
#include "host/spec/columns.h"
#include "host/spec/device_kind.h"
#include "host/store/answers.h"
#include "host/store/run_name.h"

/* Absent is null: 0 as a time or an id, "" as a name, a figure that is not above 0. */
static void put_id(struct sl_json *json, const char *key, uint64_t value)
{
    if (value != 0)
        sl_json_u64(json, key, value);
    else
        sl_json_null(json, key);
}

static void put_column(struct sl_json *json, const struct sl_column *column, const void *value)
{
    const char *text = value;
    switch (column->kind) {
    case SL_COLUMN_ID:
    case SL_COLUMN_TIME:
        put_id(json, column->name, *(const uint64_t *)value);
        break;
    case SL_COLUMN_U32:
        sl_json_u64(json, column->name, *(const uint32_t *)value);
        break;
    case SL_COLUMN_INT:
        sl_json_i64(json, column->name, *(const int *)value);
        break;
    case SL_COLUMN_WORD:
        sl_json_text(json, column->name, column->word(*(const int *)value));
        break;
    case SL_COLUMN_FLAG:
        sl_json_bool(json, column->name, *(const bool *)value);
        break;
    case SL_COLUMN_MAYBE:
        if (*(const int *)value == SL_MAYBE_UNKNOWN)
            sl_json_null(json, column->name);
        else
            sl_json_bool(json, column->name, *(const int *)value == SL_MAYBE_YES);
        break;
    case SL_COLUMN_REAL:
        sl_json_f64(json, column->name, *(const double *)value > 0 ? *(const double *)value : NAN);
        break;
    default:
        sl_json_text(json, column->name, column->kind == SL_COLUMN_NAME && !*text ? NULL : text);
    }
}

static void put(struct sl_json *json, const struct sl_columns *columns, int view,
                const void *record)
{
    for (size_t i = 0; i < columns->count; i++) {
        if (columns->all[i].views & view)
            put_column(json, &columns->all[i], (const char *)record + columns->all[i].offset);
    }
}

static void put_row(struct sl_json *json, const char *key, const struct sl_columns *columns,
                    const void *record)
{
    sl_json_open_object(json, key);
    put(json, columns, SL_IN_ROW, record);
    sl_json_close_object(json);
}

void sl_json_of_job(struct sl_json *json, const char *key, const struct sl_job_record *job)
{
    put_row(json, key, &sl_job_columns, job);
}

/* Directories are named by the time at which they were made: after the attempt began, and before
 * the next one did. */
const char *sl_attempt_directory(const struct sl_job_story *story, size_t attempt)
{
    char from[SL_RUN_NAME_BYTES], to[SL_RUN_NAME_BYTES] = "s"; /* after any of "runs/" */
    sl_run_name(story->attempts[attempt].started_ms, story->job->id, from);
    if (attempt + 1 < story->attempt_count)
        sl_run_name(story->attempts[attempt + 1].started_ms, story->job->id, to);
    for (size_t i = 0; i < story->left_count; i++) {
        if (strcmp(story->left[i].name, from) >= 0 && strcmp(story->left[i].name, to) < 0)
            return story->left[i].name;
    }
    return NULL;
}

/* Its log is the run's, or among what it left. */
static void put_attempt(struct sl_json *json, const struct sl_job_story *story, size_t i)
{
    const struct sl_attempt_record *attempt = &story->attempts[i];
    const char *directory = sl_attempt_directory(story, i);
    char log[96] = "";
    if (attempt->run != 0)
        snprintf(log, sizeof(log), "/api/v1/runs/%" PRIu64 "/log", attempt->run);
    else if (directory)
        snprintf(log, sizeof(log), "/api/v1/jobs/%" PRIu64 "/attempts/%" PRIu64 "/log",
                 story->job->id, attempt->number);
    sl_json_open_object(json, NULL);
    put(json, &sl_attempt_columns, SL_IN_ROW, attempt);
    sl_json_text(json, "directory", directory);
    sl_json_text(json, "log", log[0] ? log : NULL);
    sl_json_close_object(json);
}

void sl_json_of_job_story(struct sl_json *json, const struct sl_job_story *story)
{
    sl_json_open_object(json, NULL);
    put(json, &sl_job_columns, SL_IN_ROW, story->job);
    sl_json_raw(json, "config", story->config_json);
    sl_json_open_array(json, "attempt_records");
    for (size_t i = 0; i < story->attempt_count; i++)
        put_attempt(json, story, i);
    sl_json_close_array(json);
    sl_json_open_array(json, "attempt_directories");
    for (size_t i = 0; i < story->left_count; i++)
        sl_json_text(json, NULL, story->left[i].name);
    sl_json_close_array(json);
    sl_json_close_object(json);
}

void sl_json_of_group(struct sl_json *json, const char *key, const struct sl_group_record *group)
{
    put_row(json, key, &sl_group_columns, group);
}

void sl_json_of_finding(struct sl_json *json, const struct sl_store_finding *finding)
{
    static const char *const kinds[] = {
        [SL_FOUND_LOST_ROW] = "lost-row",
        [SL_FOUND_LOST_FILES] = "lost-files",
        [SL_FOUND_DEAD_ATTEMPT] = "dead-attempt",
        [SL_FOUND_UNUSED_BLOB] = "unused-blob",
        [SL_FOUND_TASK_ANSWER] = "task-answer",
        [SL_FOUND_LOST_FIGURES] = "lost-figures",
        [SL_FOUND_STRAY] = "stray",
        [SL_FOUND_DAMAGED_BLOB] = "damaged-blob",
    };
    sl_json_open_object(json, NULL);
    sl_json_text(json, "kind", kinds[finding->kind]);
    sl_json_text(json, "name", finding->name);
    put_id(json, "run", finding->run);
    put_id(json, "job", finding->job);
    sl_json_u64(json, "bytes", finding->bytes);
    sl_json_bool(json, "mended", finding->mended);
    sl_json_close_object(json);
}

void sl_json_of_run(struct sl_json *json, const char *key, const struct sl_run_record *run)
{
    put_row(json, key, &sl_run_columns, run);
}

void sl_json_of_series(struct sl_json *json, const struct sl_run_record *newest)
{
    sl_json_open_object(json, NULL);
    sl_json_text(json, "id", newest->series);
    put(json, &sl_run_columns, SL_IN_SERIES, newest);
    sl_json_of_run(json, "newest", newest);
    sl_json_close_object(json);
}

void sl_json_of_point(struct sl_json *json, const struct sl_run_record *run)
{
    sl_json_open_object(json, NULL);
    sl_json_u64(json, "run", run->id);
    put(json, &sl_run_columns, SL_IN_POINT, run);
    sl_json_close_object(json);
}

void sl_json_of_device(struct sl_json *json, const char *way, const struct sl_device_record *device)
{
    sl_json_open_object(json, NULL);
    put(json, &sl_device_columns, SL_IN_ROW, device);
    sl_json_bool(json, "times_mean_something", sl_device_traits_mean_something(device->traits));
    sl_json_text(json, "link", way && way[0] ? way : NULL);
    sl_json_close_object(json);
}

void sl_json_of_host(struct sl_json *json, const struct sl_host_record *host, bool here, bool alive)
{
    sl_json_open_object(json, NULL);
    put(json, &sl_host_columns, SL_IN_ROW, host);
    sl_json_bool(json, "here", here);
    sl_json_bool(json, "alive", alive);
    sl_json_close_object(json);
}

void sl_json_of_token(struct sl_json *json, const char *key, const struct sl_token_record *token)
{
    put_row(json, key, &sl_token_columns, token);
}
