/* host/cli/job_body.c */
#include "host/cli/job_body.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "host/spec/experiment.h"

static void put_model(struct sl_json *json, const struct sl_job_body *body)
{
    char name[SL_NAME_BYTES];
    const char *path = body->experiment->model, *slash = strrchr(path, '/');
    snprintf(name, sizeof(name), "%s", slash ? slash + 1 : path);
    sl_json_text(json, "model", body->model_sha256);
    sl_json_text(json, "model_name", name);
    if (body->experiment->data_path)
        sl_json_text(json, "data", body->data_sha256);
    if (body->experiment->method)
        sl_json_text(json, "method", body->experiment->method);
}

static void put_inputs(struct sl_json *json, const struct sl_job_body *body)
{
    if (body->experiment->input_count == 0)
        return;
    sl_json_open_array(json, "inputs");
    for (size_t i = 0; i < body->experiment->input_count; i++)
        sl_json_text(json, NULL, body->inputs_sha256[i]);
    sl_json_close_array(json);
}

static void put_labels(struct sl_json *json, const struct sl_experiment_plan *plan)
{
    if (plan->label_count == 0)
        return;
    sl_json_open_object(json, "labels");
    for (size_t i = 0; i < plan->label_count; i++)
        sl_json_text(json, plan->label_keys[i], plan->label_values[i]);
    sl_json_close_object(json);
}

/* How the sender calls the files. */
static void put_shown(struct sl_json *json, const struct sl_job_body *body)
{
    const struct sl_experiment *e = body->experiment;
    sl_json_open_object(json, "shown");
    if (body->command)
        sl_json_text(json, "command", body->command);
    sl_json_text(json, "model", e->model);
    if (e->data_path)
        sl_json_text(json, "data", e->data_path);
    if (e->input_count > 0) {
        sl_json_open_array(json, "inputs");
        for (size_t i = 0; i < e->input_count; i++)
            sl_json_text(json, NULL, e->inputs[i]);
        sl_json_close_array(json);
    }
    if (body->directory)
        sl_json_text(json, "directory", body->directory);
    sl_json_close_object(json);
}

int sl_job_body_put(const struct sl_job_body *body, struct sl_buf *out)
{
    struct sl_json json;
    const struct sl_experiment_plan *plan = body->plan;
    const struct sl_experiment *e = body->experiment;
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    put_model(&json, body);
    if (body->device[0])
        sl_json_text(&json, "device", body->device);
    if (plan->priority != 0)
        sl_json_i64(&json, "priority", plan->priority);
    sl_json_f64(&json, "confidence", plan->confidence);
    sl_json_f64(&json, "threshold_percent", plan->threshold_percent);
    if (e->runs != UINT32_MAX)
        sl_json_u64(&json, "runs", e->runs);
    if (e->precision_percent > 0)
        sl_json_f64(&json, "precision_percent", e->precision_percent);
    if (e->budget_seconds > 0)
        sl_json_f64(&json, "budget_seconds", e->budget_seconds);
    if (e->warmup != UINT32_MAX)
        sl_json_u64(&json, "warmup", e->warmup);
    sl_json_u64(&json, "seed", e->seed);
    sl_json_u64(&json, "threads", e->threads[0]);
    if (e->processes[0] > 1)
        sl_json_u64(&json, "processes", e->processes[0]);
    if (e->sme_threads != 0)
        sl_json_u64(&json, "sme_threads", e->sme_threads);
    if (e->affinity)
        sl_json_text(&json, "cpu_affinity", e->affinity);
    if (e->input_shapes)
        sl_json_text(&json, "input_shapes", e->input_shapes);
    sl_json_u64(&json, "timeout_seconds", body->timeout_seconds);
    sl_json_text(&json, "experiment", e->name);
    if (e->clean)
        sl_json_text(&json, "mode", "clean");
    if (e->weight_cache)
        sl_json_bool(&json, "weight_cache", true);
    if (body->shared_directory)
        sl_json_bool(&json, "shared_directory", true);
    put_inputs(&json, body);
    put_labels(&json, plan);
    put_shown(&json, body);
    sl_json_close_object(&json);
    return json.error;
}
