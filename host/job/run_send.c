/* host/job/run_send.c */
#include "host/job/run_send.h"

#include <stddef.h>

#include "host/device/launch.h"
#include "host/device/link.h"
#include "host/job/kit.h"
#include "host/job/task.h"
#include "host/spec/spec.h"

int sl_run_send(struct sl_link *link, const struct sl_run_send *what)
{
    const char *prefix[SL_DEVICE_PREFIX_WORDS];
    size_t words = what->spec->native ? 0 : sl_device_exec_prefix(what->device, what->fifo, prefix);
    bool counted = what->device->traits.counted;
    const char *task[SL_LINK_MAX_TASK];
    uint32_t pairs;
    struct sl_link_job job = {
        .id = what->id,
        .spec = what->spec,
        .variants = "portable",
        .clock = what->fifo || what->means->marks ? "marks" : "ns",
        .exec_prefix = prefix,
        .exec_prefix_count = words,
        .runtime = what->files,
        .reference = what->reference,
        .task = task,
        .task_count = sl_task_words(what->spec, what->fifo != NULL, task),
        .policy = what->policy,
        .compare_with = what->own ? what->means->variants : NULL,
    };
    if (!what->reference) {
        job.variants = what->means->variants;
        job.compare_with = NULL;
        sl_spec_limits(what->spec, counted, &pairs, &job.budget_ms);
        job.first_look = sl_spec_has_looks(what->spec, counted) ? SL_SPEC_FIRST_LOOK : 0;
    }
    return sl_link_send_job(link, &job);
}
