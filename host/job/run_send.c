/* host/job/run_send.c */
#include "host/job/run_send.h"

#include <stddef.h>

#include "host/device/launch.h"
#include "host/device/link.h"
#include "host/job/kit.h"
#include "host/job/task.h"
#include "host/spec/spec.h"

int sl_job_run_send(struct sl_link *link, const struct sl_job_run_send *how,
                    struct sl_link_job *job)
{
    const char *prefix[SL_DEVICE_PREFIX_WORDS], *task[SL_LINK_MAX_TASK];
    bool counted = how->device->traits.counted;
    uint32_t pairs;
    job->variants = job->reference ? "portable" : how->means->variants;
    job->clock = how->fifo || how->means->marks ? "marks" : "ns";
    job->exec_prefix = prefix;
    job->exec_prefix_count =
        job->spec->native ? 0 : sl_device_exec_prefix(how->device, how->fifo, prefix);
    job->task = task;
    job->task_count = sl_task_words(job->spec, how->fifo != NULL, task);
    if (job->reference) {
        job->compare_with = how->own ? how->means->variants : NULL;
    } else {
        sl_spec_limits(job->spec, counted, &pairs, &job->budget_ms);
        job->first_look = sl_spec_has_looks(job->spec, counted) ? SL_SPEC_FIRST_LOOK : 0;
    }
    return sl_link_send_job(link, job);
}
