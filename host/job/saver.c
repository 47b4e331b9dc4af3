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
    struct sl_store_ending ending;
};

static void on_again(uv_timer_t *timer);

static void keep(struct sl_job_saver *saver, const struct sl_store_ending *ending, uint64_t change,
                 int rc)
{
    sl_log(SL_LOG_ERROR, SL_LOG_EVENT("store_failed"), SL_LOG_JOB(ending->job.id),
           SL_LOG_REASON(sl_strerror(rc)));
    if (!saver->closing && sl_unsaved_put(&saver->unsaved, ending, change) == 0)
        uv_timer_start(&saver->again, on_again, AGAIN_MS, 0);
}

static void on_run_stored(void *user, int rc, uint64_t run)
{
    struct saving *saving = user;
    struct sl_job_saver *saver = saving->saver;
    struct sl_job_record *job = &saving->ending.job;
    saver->in_flight--;
    if (rc < 0 && rc != SL_E_MISMATCH && rc != SL_E_NOT_FOUND) {
        keep(saver, &saving->ending, saving->change, rc);
    } else {
        if (saving->ending.has_run)
            job->run = run;
        sl_unsaved_saved(&saver->unsaved, job->id, saving->change);
        if (saver->events.stored && !saver->closing)
            saver->events.stored(saver->user, job, rc);
    }
    sl_free(saving);
    saver->events.answered(saver->user); /* last: it may free the saver */
}

static void on_stored(void *user, int rc)
{
    on_run_stored(user, rc, 0);
}

static void save(struct sl_job_saver *saver, const struct sl_store_ending *ending)
{
    uint64_t change = ++saver->changes;
    struct saving *saving = sl_calloc(1, sizeof(*saving));
    int rc = saving ? 0 : -ENOMEM;
    if (saving) {
        *saving = (struct saving){saver, change, *ending};
        rc = ending->has_run ? sl_store_end_job(saver->store, ending, on_run_stored, saving)
                             : sl_store_update_job(saver->store, &ending->job, on_stored, saving);
    }
    if (rc == 0) {
        saver->in_flight++;
        return;
    }
    sl_free(saving);
    keep(saver, ending, change, rc);
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
        save(saver, &entry->ending);
        sl_free(entry);
    }
}

void sl_job_saver_init(struct sl_job_saver *saver, uv_loop_t *loop, struct sl_store *store,
                       const struct sl_job_saver_events *events, void *user)
{
    *saver = (struct sl_job_saver){.store = store, .events = *events, .user = user, .open = true};
    uv_timer_init(loop, &saver->again); /* cannot fail */
    saver->again.data = saver;
}

void sl_job_saver_save(struct sl_job_saver *saver, const struct sl_job_record *job,
                       const struct sl_run_record *run)
{
    struct sl_store_ending ending = {.job = *job, .has_run = run != NULL};
    if (run)
        ending.run = *run;
    if (sl_unsaved_find(saver->unsaved, job->id)) /* goes with the next try */
        sl_unsaved_put(&saver->unsaved, &ending, ++saver->changes);
    else
        save(saver, &ending);
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
    saver->events.answered(saver->user); /* last */
}

void sl_job_saver_close(struct sl_job_saver *saver)
{
    saver->closing = true;
    uv_close((uv_handle_t *)&saver->again, on_closed);
}
