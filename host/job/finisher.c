/* host/job/finisher.c */
#include "host/job/finisher.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>

#include <uv.h>

#include "common/base/mem.h"

struct list {
    struct sl_finisher_task *first, **end; /* where the next one goes */
};

struct sl_finisher {
    uv_async_t wake;
    uv_thread_t threads[SL_FINISHER_THREADS];
    unsigned count;
    uv_mutex_t lock;
    uv_cond_t news;
    /* under the lock: */
    struct list waiting, over;
    bool stopping;
    /* the loop's: */
    void (*closed)(void *user);
    void *closed_user;
};

static void clear(struct list *list)
{
    list->first = NULL;
    list->end = &list->first;
}

static void append(struct list *list, struct sl_finisher_task *task)
{
    task->next = NULL;
    *list->end = task;
    list->end = &task->next;
}

static struct sl_finisher_task *take_first(struct list *list)
{
    struct sl_finisher_task *task = list->first;
    list->first = task->next;
    if (!list->first)
        list->end = &list->first;
    return task;
}

static void work(void *user)
{
    struct sl_finisher *finisher = user;
    uv_mutex_lock(&finisher->lock);
    while (!finisher->stopping) {
        if (!finisher->waiting.first) {
            uv_cond_wait(&finisher->news, &finisher->lock);
            continue;
        }
        struct sl_finisher_task *task = take_first(&finisher->waiting);
        bool last = !finisher->waiting.first;
        uv_mutex_unlock(&finisher->lock);
        task->work(task->user);
        if (last)
            sl_mem_trim(); /* analyses and reports took more than the daemon needs until the next */
        uv_mutex_lock(&finisher->lock);
        append(&finisher->over, task);
        uv_async_send(&finisher->wake);
    }
    uv_mutex_unlock(&finisher->lock);
}

static void on_wake(uv_async_t *wake)
{
    struct sl_finisher *finisher = wake->data;
    uv_mutex_lock(&finisher->lock);
    struct sl_finisher_task *task = finisher->over.first;
    clear(&finisher->over);
    uv_mutex_unlock(&finisher->lock);
    while (task) {
        struct sl_finisher_task *next = task->next;
        task->done(task->user); /* which may free it */
        task = next;
    }
}

static void end_threads(struct sl_finisher *finisher)
{
    uv_mutex_lock(&finisher->lock);
    finisher->stopping = true;
    uv_cond_broadcast(&finisher->news);
    uv_mutex_unlock(&finisher->lock);
    for (unsigned i = 0; i < finisher->count; i++)
        uv_thread_join(&finisher->threads[i]);
}

static void on_closed(uv_handle_t *handle)
{
    struct sl_finisher *finisher = handle->data;
    void (*closed)(void *) = finisher->closed;
    void *user = finisher->closed_user;
    uv_cond_destroy(&finisher->news);
    uv_mutex_destroy(&finisher->lock);
    sl_free(finisher);
    if (closed)
        closed(user);
}

/* Half of the processors, since other work needs some too; two at least, since one waits for the
 * disk while the other works. */
static unsigned threads_wanted(void)
{
    unsigned half = uv_available_parallelism() / 2;
    half = half > SL_FINISHER_THREADS ? SL_FINISHER_THREADS : half;
    return half > 2 ? half : 2; /* one works while the other waits for the disk */
}

int sl_finisher_new(uv_loop_t *loop, struct sl_finisher **out)
{
    struct sl_finisher *finisher = sl_calloc(1, sizeof(*finisher));
    if (!finisher)
        return -ENOMEM;
    clear(&finisher->waiting);
    clear(&finisher->over);
    int rc = uv_mutex_init(&finisher->lock);
    if (rc < 0)
        goto no_lock;
    rc = uv_cond_init(&finisher->news);
    if (rc < 0)
        goto no_news;
    rc = uv_async_init(loop, &finisher->wake, on_wake);
    if (rc < 0)
        goto no_wake;
    finisher->wake.data = finisher;
    while (rc == 0 && finisher->count < threads_wanted()) {
        rc = uv_thread_create(&finisher->threads[finisher->count], work, finisher);
        finisher->count += rc == 0;
    }
    if (finisher->count == 0) {
        uv_close((uv_handle_t *)&finisher->wake, on_closed); /* frees it */
        return rc;
    }
    *out = finisher;
    return 0;
no_wake:
    uv_cond_destroy(&finisher->news);
no_news:
    uv_mutex_destroy(&finisher->lock);
no_lock:
    sl_free(finisher);
    return rc;
}

void sl_finisher_add(struct sl_finisher *finisher, struct sl_finisher_task *task)
{
    uv_mutex_lock(&finisher->lock);
    append(&finisher->waiting, task);
    uv_cond_signal(&finisher->news);
    uv_mutex_unlock(&finisher->lock);
}

void sl_finisher_close(struct sl_finisher *finisher, void (*closed)(void *user), void *user)
{
    assert(!finisher->waiting.first && !finisher->over.first);
    finisher->closed = closed;
    finisher->closed_user = user;
    end_threads(finisher);
    uv_close((uv_handle_t *)&finisher->wake, on_closed);
}
