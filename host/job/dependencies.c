/* host/job/dependencies.c */
#include "host/job/dependencies.h"

#include <errno.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "host/job/predecessors.h"
#include "host/job/queue.h"
#include "host/job/saver.h"
#include "host/job/unsaved.h"
#include "host/spec/after.h"
#include "host/store/store.h"

enum { AGAIN_MS = 1000 };

/* A question to the store: how a job ended, or those of a group that came before `then`. */
struct sl_dependency {
    struct sl_dependencies *of;
    uint64_t job;               /* 0: it is about the group */
    uint64_t group, then;       /* the latter waits */
    int place;                  /* of the group in what that comes after */
    size_t step;                /* the state that is asked for */
    uint64_t cursor;            /* of its rows */
    bool seen, missed;          /* the group has a job; one that the queue did not know of */
    struct sl_dependency *next; /* of those to be asked again */
};

/* The first two tell all at once; the last tells whether there was any. */
static const int states[] = {SL_JOB_FAILED, SL_JOB_CANCELLED, SL_JOB_QUEUED, SL_JOB_RUNNING,
                             SL_JOB_DONE};
enum { STATES = sizeof(states) / sizeof(states[0]) };

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

static void ask_later(struct sl_dependency *asked)
{
    struct sl_dependencies *of = asked->of;
    if (of->closing) {
        sl_free(asked);
        return;
    }
    asked->step = 0;
    asked->cursor = 0;
    asked->seen = asked->missed = false;
    asked->next = of->failed;
    of->failed = asked;
    uv_timer_start(&of->again, on_again, AGAIN_MS, 0);
}

static void keep(struct sl_dependency *asked, int rc)
{
    sl_log(SL_LOG_ERROR, SL_LOG_EVENT("dependency_not_read"),
           SL_LOG_JOB(asked->job ? asked->job : asked->then), SL_LOG_REASON(sl_strerror(rc)));
    ask_later(asked);
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

/* A job that is open in the store may have ended since. 1: well, or it is waited for; 0: not so;
 * -1: the queue has not heard of it yet. */
static int look_at(const struct sl_dependency *asked, const struct sl_job_record *stored)
{
    const struct sl_job_record *unsaved = sl_unsaved_find(asked->of->saver->unsaved, stored->id);
    if (unsaved && unsaved->state == SL_JOB_DONE)
        return 1;
    if (unsaved && (unsaved->state == SL_JOB_FAILED || unsaved->state == SL_JOB_CANCELLED))
        return 0;
    return sl_queue_waits(asked->of->queue, asked->then, stored->id) ? 1 : -1;
}

/* Reads rows of the state that was asked for; false: one of them did not end well. */
static bool take_rows(struct sl_dependency *asked, const struct sl_job_record *rows, size_t count)
{
    int state = states[asked->step];
    bool well = true;
    asked->seen = asked->seen || count > 0;
    if (state >= SL_JOB_DONE)
        return count == 0 || state == SL_JOB_DONE;
    for (size_t i = 0; i < count && well; i++) {
        int found = look_at(asked, &rows[i]);
        well = found != 0;
        asked->missed = asked->missed || found < 0;
    }
    return well;
}

static void settle(struct sl_dependency *asked, bool well)
{
    sl_queue_ended(asked->of->queue, sl_predecessors_rest(asked->then, asked->place), well);
    sl_free(asked);
}

static void on_members(void *user, int rc, const struct sl_job_record *rows, size_t count,
                       uint64_t next_cursor)
{
    struct sl_dependency *asked = user;
    struct sl_dependencies *of = asked->of;
    of->pending--;
    bool well = rc == 0 && take_rows(asked, rows, count);
    bool whole = states[asked->step] >= SL_JOB_DONE || next_cursor == 0;
    asked->cursor = whole ? 0 : next_cursor;
    asked->step += whole;
    if (rc < 0)
        keep(asked, rc);
    else if (!well)
        settle(asked, false);
    else if (asked->step < STATES)
        ask(asked);
    else if (asked->missed)
        ask_later(asked);
    else
        settle(asked, asked->seen);
    of->answered(of->user);
}

static int ask_of_group(struct sl_dependency *asked)
{
    bool one = states[asked->step] >= SL_JOB_DONE;
    const struct sl_jobs_filter filter = {.state = states[asked->step],
                                          .group = asked->group,
                                          .cursor = asked->cursor ? asked->cursor : asked->then,
                                          .limit = one ? 1 : SL_STORE_PAGE_ROWS};
    return sl_store_list_jobs(asked->of->saver->store, &filter, on_members, asked);
}

static void ask(struct sl_dependency *asked)
{
    int rc = asked->job == 0 ? ask_of_group(asked)
                             : sl_store_get_job(asked->of->saver->store, asked->job, on_job, asked);
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
        bool group = (after[i] & SL_AFTER_GROUP) != 0;
        if (group ? !sl_queue_waits(of->queue, job->id, sl_predecessors_rest(job->id, i))
                  : sl_queue_find(of->queue, after[i]) != NULL)
            continue;
        struct sl_dependency *asked = sl_calloc(1, sizeof(*asked));
        if (!asked) {
            sl_log(SL_LOG_ERROR, SL_LOG_EVENT("dependency_not_read"), SL_LOG_JOB(job->id),
                   SL_LOG_REASON(sl_strerror(-ENOMEM)));
            continue;
        }
        *asked = (struct sl_dependency){.of = of,
                                        .job = group ? 0 : after[i],
                                        .group = after[i] & ~SL_AFTER_GROUP,
                                        .then = job->id,
                                        .place = i};
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
