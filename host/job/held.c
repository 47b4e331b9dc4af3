/* host/job/held.c */
#include "host/job/held.h"

#include <errno.h>

#include "common/base/mem.h"
#include "host/job/heap.h"
#include "host/job/numbered.h"

enum { BUCKETS = 4096 };

/* A job comes after another. */
struct edge {
    uint64_t first;           /* the job that ends first */
    struct waiting *then;     /* NULL: the edge is cut */
    struct edge *next, **own; /* among the edges of the bucket; what points to this one */
};

struct waiting {
    uint64_t job, begin_ms, failed;
    size_t left; /* jobs that it still comes after */
    struct sl_heap_node free;
    size_t count;
    struct edge after[];
};

struct sl_held {
    struct sl_heap free; /* those that wait for nothing but the time, by it */
    struct sl_numbered jobs;
    struct edge *edges[BUCKETS]; /* by the hash of the job that ends first */
};

static bool begins_before(const void *a, const void *b)
{
    const struct waiting *x = a, *y = b;
    return x->begin_ms != y->begin_ms ? x->begin_ms < y->begin_ms : x->job < y->job;
}

int sl_held_new(struct sl_held **out)
{
    struct sl_held *held = sl_calloc(1, sizeof(*held));
    if (!held)
        return -ENOMEM;
    held->free.before = begins_before;
    *out = held;
    return 0;
}

void sl_held_free(struct sl_held *held)
{
    if (!held)
        return;
    for (size_t i = 0; i < 2 * held->jobs.room; i++)
        sl_free(held->jobs.slots[i].of);
    sl_numbered_fini(&held->jobs);
    sl_heap_fini(&held->free);
    sl_free(held);
}

static size_t bucket_of(uint64_t job)
{
    return (size_t)((job * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % BUCKETS;
}

static void cut(struct edge *edge)
{
    if (!edge->then)
        return;
    *edge->own = edge->next;
    if (edge->next)
        edge->next->own = edge->own;
    edge->then = NULL;
}

static void join(struct sl_held *held, struct edge *edge, struct waiting *then, uint64_t first)
{
    struct edge **head = &held->edges[bucket_of(first)];
    *edge = (struct edge){.first = first, .then = then, .next = *head, .own = head};
    if (*head)
        (*head)->own = &edge->next;
    *head = edge;
}

int sl_held_put(struct sl_held *held, uint64_t job, uint64_t begin_ms, const uint64_t *after,
                size_t count)
{
    size_t jobs = held->jobs.count + 1;
    if (sl_heap_reserve(&held->free, jobs) < 0 || sl_numbered_reserve(&held->jobs, jobs) < 0)
        return -ENOMEM;
    struct waiting *waiting = sl_calloc(1, sizeof(*waiting) + count * sizeof(struct edge));
    if (!waiting)
        return -ENOMEM;
    waiting->job = job;
    waiting->begin_ms = begin_ms;
    waiting->left = waiting->count = count;
    sl_numbered_put(&held->jobs, job, waiting);
    for (size_t i = 0; i < count; i++)
        join(held, &waiting->after[i], waiting, after[i]);
    if (count == 0)
        sl_heap_put(&held->free, &waiting->free, waiting);
    return 0;
}

void sl_held_drop(struct sl_held *held, uint64_t job)
{
    struct waiting *waiting = sl_numbered_take(&held->jobs, job);
    if (!waiting)
        return;
    for (size_t i = 0; i < waiting->count; i++)
        cut(&waiting->after[i]);
    sl_heap_take(&held->free, &waiting->free);
    sl_free(waiting);
}

/* A job that will never begin stops waiting at once. */
static void doom(struct sl_held *held, struct waiting *waiting, uint64_t failed)
{
    for (size_t i = 0; i < waiting->count; i++)
        cut(&waiting->after[i]);
    waiting->failed = failed;
    waiting->begin_ms = 0;
    sl_heap_put(&held->free, &waiting->free, waiting);
}

void sl_held_ended(struct sl_held *held, uint64_t job, bool well)
{
    struct edge **link = &held->edges[bucket_of(job)];
    while (*link) {
        struct edge *edge = *link;
        struct waiting *then = edge->then;
        if (edge->first != job) {
            link = &edge->next;
            continue;
        }
        cut(edge); /* *link is the next now */
        if (!well) {
            doom(held, then, job);
            link = &held->edges[bucket_of(job)]; /* others of its edges may have been next */
        } else if (--then->left == 0) {
            sl_heap_put(&held->free, &then->free, then);
        }
    }
}

bool sl_held_waits(const struct sl_held *held, uint64_t job, uint64_t first)
{
    const struct edge *edge = held->edges[bucket_of(first)];
    while (edge && !(edge->first == first && edge->then->job == job))
        edge = edge->next;
    return edge != NULL;
}

bool sl_held_take(struct sl_held *held, uint64_t now_ms, uint64_t *out_job, uint64_t *out_failed)
{
    const struct waiting *first = sl_heap_first(&held->free);
    if (!first || first->begin_ms > now_ms)
        return false;
    *out_job = first->job;
    *out_failed = first->failed;
    sl_held_drop(held, first->job);
    return true;
}

uint64_t sl_held_next_ms(const struct sl_held *held)
{
    const struct waiting *first = sl_heap_first(&held->free);
    return first ? first->begin_ms : UINT64_MAX;
}
