/* host/job/elsewhere.c */
#include "host/job/elsewhere.h"

#include <stddef.h>
#include <string.h>

#include "common/base/mem.h"
#include "host/records.h"

static bool is_open(const struct sl_job_record *job)
{
    return job->state == SL_JOB_QUEUED || job->state == SL_JOB_RUNNING ||
           job->state == SL_JOB_DETACHED;
}

void sl_elsewhere_fini(struct sl_elsewhere *elsewhere)
{
    for (size_t i = 0; i < 2 * elsewhere->jobs.room; i++)
        sl_free(elsewhere->jobs.slots[i].of);
    sl_numbered_fini(&elsewhere->jobs);
}

void sl_elsewhere_put(struct sl_elsewhere *elsewhere, const struct sl_job_record *job)
{
    struct sl_job_record *known = sl_numbered_find(&elsewhere->jobs, job->id);
    if (known) {
        *known = *job;
        return;
    }
    if (elsewhere->jobs.count >= SL_ELSEWHERE_MAX ||
        sl_numbered_reserve(&elsewhere->jobs, elsewhere->jobs.count + 1) < 0)
        return;
    known = sl_calloc(1, sizeof(*known));
    if (!known)
        return;
    *known = *job;
    sl_numbered_put(&elsewhere->jobs, job->id, known);
}

void sl_elsewhere_drop(struct sl_elsewhere *elsewhere, uint64_t job)
{
    if (sl_numbered_find(&elsewhere->jobs, job))
        sl_free(sl_numbered_take(&elsewhere->jobs, job));
}

const struct sl_job_record *sl_elsewhere_open(const struct sl_elsewhere *elsewhere, uint64_t job)
{
    const struct sl_job_record *known = sl_numbered_find(&elsewhere->jobs, job);
    return known && is_open(known) ? known : NULL;
}

bool sl_elsewhere_ended(const struct sl_elsewhere *elsewhere, uint64_t job)
{
    const struct sl_job_record *known = sl_numbered_find(&elsewhere->jobs, job);
    return known && !is_open(known);
}

bool sl_elsewhere_same(const struct sl_elsewhere *elsewhere, const struct sl_job_record *row)
{
    const struct sl_job_record *known = sl_numbered_find(&elsewhere->jobs, row->id);
    return known && known->written_ms == row->written_ms && known->state == row->state &&
           known->attempts == row->attempts && known->cancel_wanted == row->cancel_wanted &&
           strcmp(known->host, row->host) == 0;
}

void sl_elsewhere_purge(struct sl_elsewhere *elsewhere, uint64_t before_ms)
{
    for (size_t i = 0; i < 2 * elsewhere->jobs.room;) {
        const struct sl_job_record *job = elsewhere->jobs.slots[i].of;
        if (job && !is_open(job) && job->written_ms < before_ms)
            sl_elsewhere_drop(elsewhere, job->id); /* another may take its slot */
        else
            i++;
    }
}
