/* host/job/run_send.c */
#include "host/job/run_send.h"

#include <stddef.h>

#include "host/device/launch.h"
#include "host/device/link.h"
#include "host/job/run.h"

static void put_plan(const struct sl_job_plan *plan, struct sl_link_job *job)
{
    job->model = plan->model;
    job->data = plan->data;
    job->method = plan->method;
    job->input_shapes = plan->input_shapes;
    job->input_count = plan->input_count;
    job->threads = plan->threads;
    job->sme_threads = plan->sme_threads;
    job->affinity = plan->affinity;
    job->timeout_ms = plan->timeout_ms;
    job->seed = plan->seed;
}

static void put_measured(const struct sl_run_send *what, struct sl_link_job *job)
{
    const struct sl_job_plan *plan = what->plan;
    job->variants = plan->variants[0] ? plan->variants : "off,on";
    job->policy = what->policy;
    job->pairs = plan->pairs;
    job->warmup = plan->warmup;
    job->processes = plan->processes;
    job->clean = plan->clean;
    job->weight_cache = plan->weight_cache;
    job->budget_ms = plan->budget_ms;
    job->first_look = plan->precision_percent > 0 ? SL_JOB_FIRST_LOOK : 0;
}

int sl_run_send(struct sl_link *link, const struct sl_run_send *what)
{
    const struct sl_job_plan *plan = what->plan;
    const char *inputs[SL_JOB_RUN_MAX_INPUTS], *prefix[SL_DEVICE_PREFIX_WORDS];
    for (size_t i = 0; i < plan->input_count; i++)
        inputs[i] = plan->inputs[i];
    size_t words = sl_device_exec_prefix(what->device, what->fifo, prefix);
    struct sl_link_job job = {
        .id = what->id,
        .variants = "portable",
        .clock = what->fifo || plan->marks ? "marks" : "ns",
        .inputs = inputs,
        .exec_prefix = prefix,
        .exec_prefix_count = words,
        .pairs = 1,
    };
    put_plan(plan, &job);
    if (!what->reference)
        put_measured(what, &job);
    return sl_link_send_job(link, &job);
}
