/* host/spec/experiment_explain.c: a plan in words that sl_experiment_plan_parse() reads. */
#include <string.h>

#include "common/base/json.h"
#include "host/spec/experiment.h"

static void put_factor(struct sl_json *json)
{
    sl_json_open_object(json, "factor");
    sl_json_open_array(json, "sme2");
    sl_json_text(json, NULL, "off");
    sl_json_text(json, NULL, "on");
    sl_json_close_array(json);
    sl_json_close_object(json);
}

static void put_runner(struct sl_json *json, const struct sl_experiment *experiment)
{
    sl_json_text(json, "runner_path", experiment->runner);
    sl_json_open_array(json, "extra_args");
    for (size_t i = 0; i < experiment->extra_arg_count; i++)
        sl_json_text(json, NULL, experiment->extra_args[i]);
    sl_json_close_array(json);
}

/* The name that an experiment has by now, its list of threads being spread. */
static const char *name_of(const struct sl_experiment_plan *plan, const char *family,
                           uint32_t threads)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct sl_experiment *experiment = &plan->experiments[i];
        if (strcmp(experiment->family, family) == 0 && experiment->threads[0] == threads)
            return experiment->name;
    }
    return NULL;
}

static void put_side(struct sl_json *json, const char *key, const char *name, uint32_t threads)
{
    sl_json_open_object(json, key);
    sl_json_text(json, "experiment", name);
    sl_json_u64(json, "threads", threads);
    sl_json_close_object(json);
}

/* Pairs both of whose experiments are left. */
static void put_pairs(struct sl_json *json, const struct sl_experiment_plan *plan)
{
    sl_json_open_object(json, "analysis");
    sl_json_open_array(json, "compare_pairs");
    for (size_t i = 0; i < plan->pair_count; i++) {
        const struct sl_experiment_pair *pair = &plan->pairs[i];
        const char *baseline = name_of(plan, pair->family[0], pair->threads[0]);
        const char *candidate = name_of(plan, pair->family[1], pair->threads[1]);
        if (!baseline || !candidate)
            continue;
        sl_json_open_object(json, NULL);
        put_side(json, "baseline", baseline, pair->threads[0]);
        put_side(json, "candidate", candidate, pair->threads[1]);
        if (pair->label)
            sl_json_text(json, "label", pair->label);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
    sl_json_close_object(json);
}

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
    sl_json_text(json, "mode",
                 experiment->clean      ? "clean"
                 : experiment->xnntrace ? "xnntrace"
                                        : "timing");
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
    if (experiment->runner)
        put_runner(json, experiment);
    else
        put_factor(json);
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
    if (plan->pair_count > 0)
        put_pairs(&json, plan);
    sl_json_close_object(&json);
    return json.error;
}
