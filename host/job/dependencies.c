/* host/job/dependencies.c */
#include "host/job/dependencies.h"

#include <errno.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "host/job/queue.h"
#include "host/job/saver.h"
#include "host/job/unsaved.h"
#include "host/spec/after.h"
#include "host/store/store.h"

void sl_dependencies_init(struct sl_dependencies *dependencies, struct sl_queue *queue,
                          const struct sl_job_saver *saver, void (*answered)(void *user),
                          void *user)
{
    *dependencies = (struct sl_dependencies){queue, saver, answered, user, 0};
}

struct asking {
    struct sl_dependencies *of;
    uint64_t job;
};

/* One that is open for the store is in the queue, or is being read into it. */
static void tell(struct sl_dependencies *of, uint64_t job, int rc,
                 const struct sl_job_record *stored)
{
    const struct sl_job_record *unsaved = sl_unsaved_find(of->saver->unsaved, job);
    const struct sl_job_record *known = unsaved ? unsaved : stored;
    bool ends = known && known->state >= SL_JOB_DONE && known->state != SL_JOB_DETACHED;
    if (ends || rc == SL_E_NOT_FOUND)
        sl_queue_ended(of->queue, job, known && known->state == SL_JOB_DONE);
    else if (rc < 0)
        sl_log(SL_LOG_ERROR, SL_LOG_EVENT("dependency_not_read"), SL_LOG_JOB(job),
               SL_LOG_REASON(sl_strerror(rc)));
}

static void on_job(void *user, int rc, const struct sl_job_record *job, const char *config_json)
{
    struct asking *asking = user;
    struct sl_dependencies *of = asking->of;
    (void)config_json;
    of->pending--;
    tell(of, asking->job, rc, rc == 0 ? job : NULL);
    sl_free(asking);
    of->answered(of->user);
}

static int ask(struct sl_dependencies *of, uint64_t job)
{
    struct asking *asking = sl_calloc(1, sizeof(*asking));
    if (!asking)
        return -ENOMEM;
    *asking = (struct asking){of, job};
    int rc = sl_store_get_job(of->saver->store, job, on_job, asking);
    if (rc < 0)
        sl_free(asking);
    else
        of->pending++;
    return rc;
}

void sl_dependencies_ask(struct sl_dependencies *of, const struct sl_job_record *job)
{
    uint64_t after[SL_AFTER_MOST];
    int count = sl_after_read(job->after_jobs, after, NULL);
    for (int i = 0; i < count; i++) {
        int rc = sl_queue_find(of->queue, after[i]) ? 0 : ask(of, after[i]);
        if (rc < 0)
            tell(of, after[i], rc, NULL);
    }
}
