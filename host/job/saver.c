/* host/job/saver.c */
#include "host/job/saver.h"

#include <errno.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "host/job/unsaved.h"
#include "host/store/store.h"

enum { AGAIN_MS = 1000 };

struct saving {
    struct sl_job_saver *saver;
    uint64_t change;
    struct sl_job_record job;
};

static void on_again(uv_timer_t *timer);

static void keep(struct sl_job_saver *saver, const struct sl_job_record *job, uint64_t change,
                 int rc)
{
    sl_log(SL_LOG_ERROR, SL_LOG_EVENT("store_failed"), SL_LOG_JOB(job->id),
           SL_LOG_REASON(sl_strerror(rc)));
    if (!saver->closing && sl_unsaved_put(&saver->unsaved, job, change) == 0)
        uv_timer_start(&saver->again, on_again, AGAIN_MS, 0);
}

static void on_stored(void *user, int rc)
{
    struct saving *saving = user;
    struct sl_job_saver *saver = saving->saver;
    saver->in_flight--;
    if (rc < 0)
        keep(saver, &saving->job, saving->change, rc);
    else
        sl_unsaved_saved(&saver->unsaved, saving->job.id, saving->change);
    sl_free(saving);
    saver->answered(saver->user); /* last: it may free the saver */
}

static void save(struct sl_job_saver *saver, const struct sl_job_record *job)
{
    uint64_t change = ++saver->changes;
    struct saving *saving = sl_calloc(1, sizeof(*saving));
    int rc = saving ? 0 : -ENOMEM;
    if (saving) {
        *saving = (struct saving){saver, change, *job};
        rc = sl_store_update_job(saver->store, job, on_stored, saving);
    }
    if (rc == 0) {
        saver->in_flight++;
        return;
    }
    sl_free(saving);
    keep(saver, job, change, rc);
}

/* Not while a change is under way: an older one must not come after it. */
static void on_again(uv_timer_t *timer)
{
    struct sl_job_saver *saver = timer->data;
    struct sl_unsaved *entry = NULL, *all = saver->unsaved;
    if (saver->in_flight > 0) {
        uv_timer_start(&saver->again, on_again, AGAIN_MS, 0);
        return;
    }
    saver->unsaved = NULL;
    while ((entry = sl_unsaved_take(&all))) {
        save(saver, &entry->job);
        sl_free(entry);
    }
}

void sl_job_saver_init(struct sl_job_saver *saver, uv_loop_t *loop, struct sl_store *store,
                       void (*answered)(void *user), void *user)
{
    *saver =
        (struct sl_job_saver){.store = store, .answered = answered, .user = user, .open = true};
    uv_timer_init(loop, &saver->again); /* cannot fail */
    saver->again.data = saver;
}

void sl_job_saver_save(struct sl_job_saver *saver, const struct sl_job_record *job)
{
    if (sl_unsaved_find(saver->unsaved, job->id))
        sl_unsaved_put(&saver->unsaved, job, ++saver->changes); /* goes with the next try */
    else
        save(saver, job);
}

bool sl_job_saver_busy(const struct sl_job_saver *saver)
{
    return saver->open || saver->in_flight > 0;
}

static void on_closed(uv_handle_t *handle)
{
    struct sl_job_saver *saver = handle->data;
    for (struct sl_unsaved *entry; (entry = sl_unsaved_take(&saver->unsaved));)
        sl_free(entry);
    saver->open = false;
    saver->answered(saver->user); /* last */
}

void sl_job_saver_close(struct sl_job_saver *saver)
{
    saver->closing = true;
    uv_close((uv_handle_t *)&saver->again, on_closed);
}
