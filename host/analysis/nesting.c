/* host/analysis/nesting.c */
#include "host/analysis/nesting.h"

#include <errno.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/etdump.h"

/* The pending events of one (chain, instruction): a stack linked by `below`. */
struct sl_nesting_group {
    int64_t chain;
    int32_t instruction;
    int32_t top;
    uint32_t generation; /* used in this run when it is the run's */
    int32_t next;        /* next group of this run, in the order of first use */
};

struct builder {
    struct sl_nesting *nesting;
    const struct sl_etdump_run *run;
    struct sl_nesting_result *result;
    int32_t first_group, last_group; /* indices in groups, or SL_NESTING_NONE */
    int32_t last_execute;
};

static bool is_named(const struct sl_etdump_event *event, const char *name)
{
    size_t len = strlen(name);
    return event->name && event->name_len == len && memcmp(event->name, name, len) == 0;
}

static int reserve(struct sl_nesting *nesting, size_t count)
{
    if (count > INT32_MAX / 4)
        return SL_E_LIMIT;
    if (count > nesting->capacity) {
        void *grown = sl_realloc(nesting->events, count, sizeof(*nesting->events));
        if (!grown)
            return -ENOMEM;
        nesting->events = grown;
        nesting->capacity = count;
    }
    size_t slots = 16;
    while (slots < count * 2)
        slots *= 2;
    if (slots > nesting->group_capacity) {
        void *fresh = sl_calloc(slots, sizeof(*nesting->groups));
        if (!fresh)
            return -ENOMEM;
        sl_free(nesting->groups);
        nesting->groups = fresh;
        nesting->group_capacity = slots;
        nesting->generation = 0;
    }
    return 0;
}

static void load_event(struct builder *b, uint32_t i)
{
    struct sl_etdump_event room;
    const struct sl_etdump_event *e = sl_etdump_event_read(b->run, i, &room);
    struct sl_nested_event *n = &b->nesting->events[i];
    *n = (struct sl_nested_event){.parent = SL_NESTING_NONE, .below = SL_NESTING_NONE};
    n->profile = e->kind == SL_ETDUMP_PROFILE;
    if (!n->profile)
        return;
    n->delegated = e->delegate_id != NULL || e->delegate_id_int != -1;
    n->execute = is_named(e, "Method::execute");
    n->delegate_call = is_named(e, "DELEGATE_CALL");
    n->chain = e->chain_index;
    n->instruction = e->instruction_id;
    n->start = e->start;
    n->end = e->end;
}

/* Stamps of a 32-bit clock that wrapped inside the run are put after those before the wrap. The
 * pivot is the begin of the first Method::execute if that one wrapped, and without any
 * Method::execute the earliest begin of a wrapped event; 0: nothing wrapped. */
static uint64_t wrap_pivot(const struct builder *b)
{
    uint64_t pivot = 0;
    for (uint32_t i = 0; i < b->run->event_count; i++) {
        const struct sl_nested_event *n = &b->nesting->events[i];
        bool wraps = n->profile && n->start > n->end && n->start <= UINT32_MAX;
        if (n->execute)
            return wraps ? n->start : 0;
        if (wraps && (pivot == 0 || n->start < pivot))
            pivot = n->start;
    }
    return pivot;
}

static uint64_t unwrap(uint64_t stamp, uint64_t pivot)
{
    return stamp < pivot ? stamp + (UINT64_C(1) << 32) : stamp;
}

static void measure_event(struct builder *b, uint32_t i, uint64_t pivot)
{
    struct sl_nested_event *n = &b->nesting->events[i];
    bool turned = n->start > n->end;
    n->start = unwrap(n->start, pivot);
    n->end = unwrap(n->end, pivot);
    n->duration = n->self = (int64_t)(n->end - n->start);
    b->result->wrapped += turned && n->start <= n->end;
    b->result->backwards += n->start > n->end;
}

static struct sl_nesting_group *find_group(struct builder *b, int64_t chain, int32_t instruction)
{
    struct sl_nesting *nesting = b->nesting;
    uint64_t hash = ((uint64_t)chain * UINT64_C(0x9e3779b97f4a7c15)) ^
                    ((uint64_t)(uint32_t)instruction * UINT64_C(0xc2b2ae3d27d4eb4f));
    size_t at = (size_t)(hash >> 20) & (nesting->group_capacity - 1);
    struct sl_nesting_group *group = &nesting->groups[at];
    while (group->generation == nesting->generation &&
           (group->chain != chain || group->instruction != instruction)) {
        at = (at + 1) & (nesting->group_capacity - 1);
        group = &nesting->groups[at];
    }
    if (group->generation != nesting->generation) {
        *group = (struct sl_nesting_group){chain, instruction, SL_NESTING_NONE, nesting->generation,
                                           SL_NESTING_NONE};
        if (b->last_group == SL_NESTING_NONE)
            b->first_group = (int32_t)at;
        else
            nesting->groups[b->last_group].next = (int32_t)at;
        b->last_group = (int32_t)at;
    }
    return group;
}

static bool contains(const struct sl_nested_event *outer, const struct sl_nested_event *inner)
{
    return outer->start <= inner->start && inner->end <= outer->end;
}

static void adopt(struct builder *b, int32_t parent, int32_t child)
{
    struct sl_nested_event *p = &b->nesting->events[parent];
    struct sl_nested_event *c = &b->nesting->events[child];
    c->parent = parent;
    p->self = (int64_t)((uint64_t)p->self - (uint64_t)c->duration);
    p->holds_delegated = p->holds_delegated || c->delegated;
    b->result->strays += !contains(p, c);
}

/* Does event `i`, which has just ended, hold the pending event `e` of its instruction? A delegate
 * may lay its times end to end in a coarser unit, so they may stick out of the call they belong to;
 * what a call of a delegate holds is known without times. */
static bool holds(const struct builder *b, uint32_t i, const struct sl_nested_event *e)
{
    const struct sl_nested_event *n = &b->nesting->events[i];
    if (contains(n, e) && (e->delegated || !n->delegated))
        return true;
    if (!e->delegated || n->delegated)
        return false;
    return n->delegate_call || (n->start < e->end && e->start < n->end);
}

static void add_event(struct builder *b, uint32_t i)
{
    struct sl_nested_event *events = b->nesting->events;
    struct sl_nesting_group *group = find_group(b, events[i].chain, events[i].instruction);
    while (group->top != SL_NESTING_NONE && holds(b, i, &events[group->top])) {
        int32_t child = group->top;
        group->top = events[child].below;
        adopt(b, (int32_t)i, child);
    }
    events[i].below = group->top;
    group->top = (int32_t)i;
}

/* Method::execute is the parent of everything that has ended since the one before; of that one too,
 * if it lies inside. */
static void add_execute(struct builder *b, uint32_t i)
{
    struct sl_nested_event *events = b->nesting->events;
    for (int32_t at = b->first_group; at != SL_NESTING_NONE; at = b->nesting->groups[at].next) {
        struct sl_nesting_group *group = &b->nesting->groups[at];
        int32_t child = group->top;
        group->top = SL_NESTING_NONE;
        while (child != SL_NESTING_NONE) {
            int32_t below = events[child].below;
            adopt(b, (int32_t)i, child);
            child = below;
        }
    }
    b->first_group = b->last_group = SL_NESTING_NONE;
    b->nesting->generation++;
    int32_t before = b->last_execute;
    while (before != SL_NESTING_NONE && contains(&events[i], &events[before])) {
        int32_t below = events[before].below;
        adopt(b, (int32_t)i, before);
        before = below;
    }
    events[i].below = before;
    b->last_execute = (int32_t)i;
}

/* Events after the last Method::execute belong to it; without any, the roots are end to end. */
static void finish(struct builder *b)
{
    struct sl_nested_event *events = b->nesting->events;
    for (int32_t at = b->first_group; at != SL_NESTING_NONE; at = b->nesting->groups[at].next) {
        int32_t child = b->nesting->groups[at].top;
        for (; child != SL_NESTING_NONE; child = events[child].below) {
            if (b->last_execute != SL_NESTING_NONE)
                adopt(b, b->last_execute, child);
        }
    }
    int64_t lowest = 0;
    uint64_t total = 0;
    for (uint32_t i = 0; i < b->run->event_count; i++) {
        if (!events[i].profile)
            continue;
        if (events[i].parent == SL_NESTING_NONE) {
            total += (uint64_t)events[i].duration;
            b->result->executes += events[i].execute;
        }
        b->result->negative_self += events[i].self < 0;
        if (events[i].self < lowest) {
            lowest = events[i].self;
            b->result->worst = (int32_t)i;
        }
    }
    b->result->end_to_end = (int64_t)total;
}

int sl_nesting_build(struct sl_nesting *nesting, const struct sl_etdump_run *run,
                     struct sl_nesting_result *out)
{
    struct sl_nesting_result result = {.worst = SL_NESTING_NONE};
    struct builder b = {.nesting = nesting,
                        .run = run,
                        .result = &result,
                        .first_group = SL_NESTING_NONE,
                        .last_group = SL_NESTING_NONE,
                        .last_execute = SL_NESTING_NONE};
    int rc = reserve(nesting, run->event_count);
    if (rc < 0)
        return rc;
    if (nesting->generation > UINT32_MAX / 2) {
        memset(nesting->groups, 0, nesting->group_capacity * sizeof(*nesting->groups));
        nesting->generation = 0;
    }
    nesting->generation++;
    for (uint32_t i = 0; i < run->event_count; i++)
        load_event(&b, i);
    uint64_t pivot = wrap_pivot(&b);
    for (uint32_t i = 0; i < run->event_count; i++) {
        if (!nesting->events[i].profile)
            continue;
        measure_event(&b, i, pivot);
    }
    for (uint32_t i = 0; i < run->event_count; i++) {
        if (!nesting->events[i].profile)
            continue;
        if (nesting->events[i].execute && !nesting->events[i].delegated)
            add_execute(&b, i);
        else
            add_event(&b, i);
    }
    finish(&b);
    *out = result;
    return 0;
}

void sl_nesting_fini(struct sl_nesting *nesting)
{
    sl_free(nesting->events);
    sl_free(nesting->groups);
    *nesting = (struct sl_nesting){0};
}
