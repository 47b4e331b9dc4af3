/* host/config/experiment_explain.c: a plan in words that sl_experiment_plan_parse() reads. */
#include <string.h>

#include "common/base/json.h"
#include "host/config/experiment.h"

static void put_experiment(struct sl_json *json, const struct sl_experiment *experiment,
                           const char *model)
{
    sl_json_open_object(json, NULL);
    sl_json_text(json, "name", experiment->name);
    if (strcmp(experiment->model, model) != 0)
        sl_json_text(json, "model", experiment->model);
    if (experiment->data_path)
        sl_json_text(json, "data_path", experiment->data_path);
    if (experiment->method)
        sl_json_text(json, "method", experiment->method);
    sl_json_text(json, "mode", experiment->clean ? "clean" : "timing");
    if (experiment->runs != UINT32_MAX)
        sl_json_u64(json, "runs", experiment->runs);
    if (experiment->warmup != UINT32_MAX)
        sl_json_u64(json, "warmup", experiment->warmup);
    if (experiment->precision_percent > 0)
        sl_json_f64(json, "precision_percent", experiment->precision_percent);
    if (experiment->budget_seconds > 0)
        sl_json_f64(json, "budget_seconds", experiment->budget_seconds);
    sl_json_open_array(json, "threads");
    for (size_t i = 0; i < experiment->thread_count; i++)
        sl_json_u64(json, NULL, experiment->threads[i]);
    sl_json_close_array(json);
    if (experiment->process_count > 1 || experiment->processes[0] > 1) {
        sl_json_open_array(json, "processes");
        for (size_t i = 0; i < experiment->process_count; i++)
            sl_json_u64(json, NULL, experiment->processes[i]);
        sl_json_close_array(json);
    }
    if (experiment->sme_threads != 0)
        sl_json_u64(json, "sme_threads", experiment->sme_threads);
    if (experiment->affinity)
        sl_json_text(json, "cpu_affinity", experiment->affinity);
    if (experiment->weight_cache)
        sl_json_bool(json, "weight_cache", true);
    sl_json_open_object(json, "factor");
    sl_json_open_array(json, "sme2");
    sl_json_text(json, NULL, "off");
    sl_json_text(json, NULL, "on");
    sl_json_close_array(json);
    sl_json_close_object(json);
    sl_json_open_array(json, "inputs");
    for (size_t i = 0; i < experiment->input_count; i++)
        sl_json_text(json, NULL, experiment->inputs[i]);
    sl_json_close_array(json);
    if (experiment->input_shapes)
        sl_json_text(json, "input_shapes", experiment->input_shapes);
    sl_json_u64(json, "seed", experiment->seed);
    sl_json_close_object(json);
}

int sl_experiment_plan_explain(const struct sl_experiment_plan *plan, struct sl_buf *out)
{
    struct sl_json json;
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "model", plan->model);
    if (plan->output_root)
        sl_json_text(&json, "output_root", plan->output_root);
    if (plan->device)
        sl_json_text(&json, "device", plan->device);
    if (plan->cpu)
        sl_json_text(&json, "cpu", plan->cpu);
    if (plan->svl != 0)
        sl_json_u64(&json, "svl", plan->svl);
    if (plan->priority != 0)
        sl_json_i64(&json, "priority", plan->priority);
    sl_json_f64(&json, "confidence", plan->confidence);
    sl_json_f64(&json, "threshold_percent", plan->threshold_percent);
    sl_json_open_object(&json, "labels");
    for (size_t i = 0; i < plan->label_count; i++)
        sl_json_text(&json, plan->label_keys[i], plan->label_values[i]);
    sl_json_close_object(&json);
    sl_json_open_array(&json, "experiments");
    for (size_t i = 0; i < plan->count; i++)
        put_experiment(&json, &plan->experiments[i], plan->model);
    sl_json_close_array(&json);
    sl_json_close_object(&json);
    return json.error;
}
