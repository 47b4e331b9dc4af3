/* host/http/record_json.c */
#include "host/http/record_json.h"

#include <math.h>

#include "common/base/json.h"
#include "host/records.h"
#include "host/spec/device_kind.h"
#include "host/spec/names.h"
#include "host/store/answers.h"

/* Absent is null: 0 as a time or an id, "" as a name. */
static void put_id(struct sl_json *json, const char *key, uint64_t value)
{
    if (value != 0)
        sl_json_u64(json, key, value);
    else
        sl_json_null(json, key);
}

static void put_name(struct sl_json *json, const char *key, const char *value)
{
    sl_json_text(json, key, value[0] ? value : NULL);
}

static void put_job(struct sl_json *json, const struct sl_job_record *job)
{
    sl_json_u64(json, "id", job->id);
    sl_json_text(json, "state", sl_job_state_name(job->state));
    sl_json_text(json, "cause", sl_job_cause_name(job->cause));
    sl_json_text(json, "detail", job->detail);
    sl_json_i64(json, "priority", job->priority);
    sl_json_u64(json, "attempts", job->attempts);
    put_id(json, "submitted_ms", job->submitted_ms);
    put_id(json, "started_ms", job->started_ms);
    put_id(json, "ended_ms", job->ended_ms);
    put_name(json, "selector", job->selector);
    put_name(json, "device", job->device);
    put_id(json, "run", job->run);
    sl_json_bool(json, "cancel_wanted", job->cancel_wanted);
}

void sl_json_of_job(struct sl_json *json, const char *key, const struct sl_job_record *job)
{
    sl_json_open_object(json, key);
    put_job(json, job);
    sl_json_close_object(json);
}

void sl_json_of_whole_job(struct sl_json *json, const struct sl_job_record *job,
                          const char *config_json, const struct sl_store_finding *attempts,
                          size_t count)
{
    sl_json_open_object(json, NULL);
    put_job(json, job);
    sl_json_raw(json, "config", config_json);
    sl_json_open_array(json, "attempt_directories");
    for (size_t i = 0; i < count; i++)
        sl_json_text(json, NULL, attempts[i].name);
    sl_json_close_array(json);
    sl_json_close_object(json);
}

void sl_json_of_finding(struct sl_json *json, const struct sl_store_finding *finding)
{
    static const char *const kinds[] = {
        [SL_FOUND_LOST_ROW] = "lost-row",         [SL_FOUND_LOST_FILES] = "lost-files",
        [SL_FOUND_DEAD_ATTEMPT] = "dead-attempt", [SL_FOUND_UNUSED_BLOB] = "unused-blob",
        [SL_FOUND_TASK_ANSWER] = "task-answer",
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

/* When it was, and what came out. */
static void put_outcome(struct sl_json *json, const struct sl_run_record *run)
{
    put_id(json, "started_ms", run->started_ms);
    put_name(json, "verdict", run->verdict);
    sl_json_f64(json, "ratio", run->ratio > 0 ? run->ratio : NAN);
    sl_json_i64(json, "exit_code", run->exit_code);
}

void sl_json_of_run(struct sl_json *json, const char *key, const struct sl_run_record *run)
{
    sl_json_open_object(json, key);
    sl_json_u64(json, "id", run->id);
    put_id(json, "job", run->job);
    sl_json_text(json, "model", run->model);
    put_name(json, "model_sha256", run->model_sha256);
    sl_json_text(json, "device", run->device);
    sl_json_text(json, "device_kind", sl_device_kind_name(run->device_kind));
    put_name(json, "series", run->series);
    put_id(json, "ended_ms", run->ended_ms);
    put_outcome(json, run);
    sl_json_close_object(json);
}

void sl_json_of_series(struct sl_json *json, const struct sl_run_record *newest)
{
    sl_json_open_object(json, NULL);
    sl_json_text(json, "id", newest->series);
    sl_json_text(json, "model", newest->model);
    put_name(json, "model_sha256", newest->model_sha256);
    sl_json_text(json, "device", newest->device);
    sl_json_of_run(json, "newest", newest);
    sl_json_close_object(json);
}

void sl_json_of_point(struct sl_json *json, const struct sl_run_record *run)
{
    sl_json_open_object(json, NULL);
    sl_json_u64(json, "run", run->id);
    put_outcome(json, run);
    sl_json_f64(json, "baseline", run->baseline > 0 ? run->baseline : NAN);
    sl_json_f64(json, "candidate", run->candidate > 0 ? run->candidate : NAN);
    sl_json_close_object(json);
}

void sl_json_of_device(struct sl_json *json, const char *key, const struct sl_device_record *device)
{
    sl_json_open_object(json, key);
    sl_json_text(json, "name", device->name);
    sl_json_text(json, "kind", sl_device_kind_name(device->kind));
    sl_json_text(json, "state", sl_device_state_name(device->state));
    put_id(json, "job", device->job);
    sl_json_text(json, "detail", device->detail);
    sl_json_text(json, "cpu", device->cpu[0] ? device->cpu : NULL);
    sl_json_text(json, "model", device->model[0] ? device->model : NULL);
    sl_json_text(json, "system", device->system[0] ? device->system : NULL);
    sl_json_bool(json, "times_mean_something", sl_device_traits_mean_something(device->traits));
    sl_json_close_object(json);
}

void sl_json_of_token(struct sl_json *json, const char *key, const struct sl_token_record *token)
{
    sl_json_open_object(json, key);
    sl_json_u64(json, "id", token->id);
    sl_json_text(json, "name", token->name);
    sl_json_text(json, "role", sl_token_role_name(token->role));
    put_id(json, "created_ms", token->created_ms);
    put_id(json, "expires_ms", token->expires_ms);
    sl_json_close_object(json);
}
