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

enum { AGAIN_MS = 1000 };

/* A question to the store. */
struct sl_dependency {
    struct sl_dependencies *of;
    uint64_t job;
    struct sl_dependency *next; /* of the failed ones */
};

static void ask(struct sl_dependency *asked);

static void free_failed(struct sl_dependencies *of)
{
    for (struct sl_dependency *next; of->failed; of->failed = next) {
        next = of->failed->next;
        sl_free(of->failed);
    }
}

static void on_again(uv_timer_t *timer)
{
    struct sl_dependencies *of = timer->data;
    struct sl_dependency *asked = of->failed;
    of->failed = NULL;
    for (struct sl_dependency *next; asked; asked = next) {
        next = asked->next;
        ask(asked);
    }
}

static void keep(struct sl_dependency *asked, int rc)
{
    struct sl_dependencies *of = asked->of;
    sl_log(SL_LOG_ERROR, SL_LOG_EVENT("dependency_not_read"), SL_LOG_JOB(asked->job),
           SL_LOG_REASON(sl_strerror(rc)));
    if (of->closing) {
        sl_free(asked);
        return;
    }
    asked->next = of->failed;
    of->failed = asked;
    uv_timer_start(&of->again, on_again, AGAIN_MS, 0);
}

/* The queue hears by itself of a job that is still open: it has it, or is about to read it. */
static void tell(struct sl_dependencies *of, uint64_t job, const struct sl_job_record *stored)
{
    const struct sl_job_record *unsaved = sl_unsaved_find(of->saver->unsaved, job);
    const struct sl_job_record *known = unsaved ? unsaved : stored;
    if (!known || (known->state >= SL_JOB_DONE && known->state != SL_JOB_DETACHED))
        sl_queue_ended(of->queue, job, known && known->state == SL_JOB_DONE);
}

static void on_job(void *user, int rc, const struct sl_job_record *job, const char *config_json)
{
    struct sl_dependency *asked = user;
    struct sl_dependencies *of = asked->of;
    (void)config_json;
    of->pending--;
    if (rc < 0 && rc != SL_E_NOT_FOUND) {
        keep(asked, rc);
    } else {
        tell(of, asked->job, rc == 0 ? job : NULL);
        sl_free(asked);
    }
    of->answered(of->user);
}

static void ask(struct sl_dependency *asked)
{
    int rc = sl_store_get_job(asked->of->saver->store, asked->job, on_job, asked);
    if (rc < 0)
        keep(asked, rc);
    else
        asked->of->pending++;
}

void sl_dependencies_init(struct sl_dependencies *of, uv_loop_t *loop, struct sl_queue *queue,
                          const struct sl_job_saver *saver, void (*answered)(void *user),
                          void *user)
{
    *of = (struct sl_dependencies){
        .queue = queue, .saver = saver, .answered = answered, .user = user, .open = true};
    uv_timer_init(loop, &of->again); /* cannot fail */
    of->again.data = of;
}

void sl_dependencies_ask(struct sl_dependencies *of, const struct sl_job_record *job)
{
    uint64_t after[SL_AFTER_MOST];
    int count = sl_after_read(job->after_jobs, after, NULL);
    for (int i = 0; i < count; i++) {
        if (sl_queue_find(of->queue, after[i]))
            continue;
        struct sl_dependency *asked = sl_calloc(1, sizeof(*asked));
        if (!asked) {
            sl_log(SL_LOG_ERROR, SL_LOG_EVENT("dependency_not_read"), SL_LOG_JOB(after[i]),
                   SL_LOG_REASON(sl_strerror(-ENOMEM)));
            continue;
        }
        asked->of = of;
        asked->job = after[i];
        ask(asked);
    }
}

bool sl_dependencies_busy(const struct sl_dependencies *of)
{
    return of->open || of->pending > 0;
}

static void on_closed(uv_handle_t *handle)
{
    struct sl_dependencies *of = handle->data;
    of->open = false;
    of->answered(of->user); /* last: it may free this */
}

void sl_dependencies_close(struct sl_dependencies *of)
{
    of->closing = true;
    free_failed(of);
    uv_close((uv_handle_t *)&of->again, on_closed);
}
