/* host/job/queue.c */
#include "host/job/queue.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/spec/selector.h"

struct entry {
    struct sl_job_record job;
    struct device *device; /* that holds it; NULL while queued, or when the device has gone */
    struct lane *lane;     /* of its selector */
    size_t place;          /* in the lane's heap, or among those that run */
};

/* Devices by their places, a bit each. */
struct set {
    uint64_t bits[(SL_QUEUE_MAX_DEVICES + 63) / 64];
};

/* The jobs of one selector that wait: a heap, the best first. It goes with the last job of it,
 * those that run among them. */
struct lane {
    char text[SL_SELECTOR_BYTES];
    struct sl_selector selector;
    struct set fits; /* the devices that do */
    struct entry **heap;
    size_t count, capacity;
    size_t jobs;  /* that wait or run */
    size_t place; /* among the lanes */
};

struct device {
    struct sl_device_record record;
    bool ready;
    size_t place;        /* among the devices, for good */
    struct entry *entry; /* its job */
};

/* Waiting jobs stand in lanes, running ones in `running`, in no order; `table` finds either by its
 * number (open addressing, at most half full). Finished ones leave. */
struct sl_queue {
    sl_queue_changed_fn on_changed;
    void *user;
    struct entry **running, **table;
    size_t waiting_count, running_count,
        capacity;          /* the last of `running`; twice that of `table` */
    size_t detached_count; /* of those that run */
    struct lane **lanes;
    size_t lane_count, lane_capacity;
    struct device **devices;
    size_t device_count, device_capacity;
    struct set idle; /* ready, and without a job */
};

int sl_queue_new(sl_queue_changed_fn on_changed, void *user, struct sl_queue **out)
{
    struct sl_queue *queue = sl_calloc(1, sizeof(*queue));
    if (!queue)
        return -ENOMEM;
    queue->on_changed = on_changed;
    queue->user = user;
    *out = queue;
    return 0;
}

void sl_queue_free(struct sl_queue *queue)
{
    if (!queue)
        return;
    for (size_t i = 0; queue->table && i < 2 * queue->capacity; i++)
        sl_free(queue->table[i]);
    for (size_t i = 0; i < queue->lane_count; i++) {
        sl_free(queue->lanes[i]->heap);
        sl_free(queue->lanes[i]);
    }
    for (size_t i = 0; i < queue->device_count; i++)
        sl_free(queue->devices[i]);
    sl_free(queue->lanes);
    sl_free(queue->table);
    sl_free(queue->running);
    sl_free(queue->devices);
    sl_free(queue);
}

static void changed(struct sl_queue *queue, const struct entry *entry)
{
    queue->on_changed(queue->user, &entry->job);
}

/* True when a goes before b: priority, then age by id. */
static bool goes_before(const struct sl_job_record *a, const struct sl_job_record *b)
{
    return a->priority != b->priority ? a->priority > b->priority : a->id < b->id;
}

/* --- devices by place --- */

static void set_bit(struct set *set, size_t place, bool is)
{
    uint64_t bit = UINT64_C(1) << (place % 64);
    set->bits[place / 64] = is ? set->bits[place / 64] | bit : set->bits[place / 64] & ~bit;
}

/* Each change of a device's readiness or job ends here. */
static void note_idle(struct sl_queue *queue, const struct device *device)
{
    set_bit(&queue->idle, device->place, device->ready && !device->entry);
}

static void give(struct sl_queue *queue, struct entry *entry, struct device *device)
{
    entry->device = device;
    device->entry = entry;
    note_idle(queue, device);
}

/* An idle device that the job of the lane may have; NULL: none. One that has not failed it before
 * goes first. */
static struct device *find_idle(const struct sl_queue *queue, const struct lane *lane,
                                const struct sl_job_record *job)
{
    struct device *again = NULL;
    for (size_t w = 0; w < (queue->device_count + 63) / 64; w++) {
        for (uint64_t left = lane->fits.bits[w] & queue->idle.bits[w]; left; left &= left - 1) {
            struct device *device = queue->devices[64 * w + (size_t)__builtin_ctzll(left)];
            if (job->attempts == 0 || strcmp(device->record.name, job->device) != 0)
                return device;
            again = device;
        }
    }
    return again;
}

/* --- lanes --- */

static void put(struct lane *lane, size_t place, struct entry *entry)
{
    lane->heap[place] = entry;
    entry->place = place;
}

static void rise(struct lane *lane, struct entry *entry, size_t place)
{
    while (place > 0 && goes_before(&entry->job, &lane->heap[(place - 1) / 2]->job)) {
        put(lane, place, lane->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(lane, place, entry);
}

static void sink(struct lane *lane, struct entry *entry, size_t place)
{
    for (;;) {
        size_t child = 2 * place + 1;
        if (child + 1 < lane->count &&
            goes_before(&lane->heap[child + 1]->job, &lane->heap[child]->job))
            child++;
        if (child >= lane->count || !goes_before(&lane->heap[child]->job, &entry->job))
            break;
        put(lane, place, lane->heap[child]);
        place = child;
    }
    put(lane, place, entry);
}

/* Room was made for every entry where it may stand when it was added, so moving cannot fail: a lane
 * has room for all of its jobs. */
static void enter_waiting(struct sl_queue *queue, struct entry *entry)
{
    rise(entry->lane, entry, entry->lane->count++);
    queue->waiting_count++;
}

static void leave_waiting(struct sl_queue *queue, struct entry *entry)
{
    struct lane *lane = entry->lane;
    struct entry *last = lane->heap[--lane->count];
    queue->waiting_count--;
    if (last == entry)
        return;
    if (goes_before(&last->job, &entry->job))
        rise(lane, last, entry->place);
    else
        sink(lane, last, entry->place);
}

static void enter_running(struct sl_queue *queue, struct entry *entry)
{
    entry->place = queue->running_count;
    queue->running[queue->running_count++] = entry;
}

static void leave_running(struct sl_queue *queue, const struct entry *entry)
{
    struct entry *last = queue->running[--queue->running_count];
    queue->running[entry->place] = last;
    last->place = entry->place;
}

static void drop_unused(struct sl_queue *queue, struct lane *lane)
{
    if (lane->jobs > 0)
        return;
    struct lane *last = queue->lanes[--queue->lane_count];
    queue->lanes[lane->place] = last;
    last->place = lane->place;
    sl_free(lane->heap);
    sl_free(lane);
}

/* --- by number --- */

static size_t home_of(const struct sl_queue *queue, uint64_t id)
{
    return (size_t)((id * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (2 * queue->capacity - 1);
}

/* Where the job is, or where it belongs. */
static size_t slot_of(const struct sl_queue *queue, uint64_t id)
{
    size_t mask = 2 * queue->capacity - 1, slot = home_of(queue, id);
    while (queue->table[slot] && queue->table[slot]->job.id != id)
        slot = (slot + 1) & mask;
    return slot;
}

static struct entry *find_entry(const struct sl_queue *queue, uint64_t id)
{
    return queue->capacity == 0 ? NULL : queue->table[slot_of(queue, id)];
}

static struct entry *find_running(const struct sl_queue *queue, uint64_t id)
{
    struct entry *entry = find_entry(queue, id);
    return entry && entry->job.state != SL_JOB_QUEUED ? entry : NULL;
}

/* Those behind it that were pushed on move back. */
static void forget(struct sl_queue *queue, struct entry *entry)
{
    size_t mask = 2 * queue->capacity - 1, hole = slot_of(queue, entry->job.id);
    for (size_t at = (hole + 1) & mask; queue->table[at]; at = (at + 1) & mask) {
        size_t home = home_of(queue, queue->table[at]->job.id);
        if (((at - home) & mask) < ((at - hole) & mask))
            continue;
        queue->table[hole] = queue->table[at];
        hole = at;
    }
    queue->table[hole] = NULL;
    entry->lane->jobs--;
    drop_unused(queue, entry->lane);
    sl_free(entry);
}

const struct sl_job_record *sl_queue_find(const struct sl_queue *queue, uint64_t job)
{
    const struct entry *entry = find_entry(queue, job);
    return entry ? &entry->job : NULL;
}

static struct device *find_device(const struct sl_queue *queue, const char *name)
{
    for (size_t i = 0; i < queue->device_count; i++) {
        if (strcmp(queue->devices[i]->record.name, name) == 0)
            return queue->devices[i];
    }
    return NULL;
}

/* --- room --- */

static int grow(struct sl_queue *queue)
{
    if (queue->waiting_count + queue->running_count < queue->capacity)
        return 0;
    size_t before = 2 * queue->capacity, capacity = queue->capacity == 0 ? 64 : before;
    struct entry **running = sl_realloc(queue->running, capacity, sizeof(struct entry *));
    if (!running)
        return -ENOMEM;
    queue->running = running;
    struct entry **old = queue->table, **table = sl_calloc(2 * capacity, sizeof(struct entry *));
    if (!table)
        return -ENOMEM;
    queue->table = table;
    queue->capacity = capacity;
    for (size_t i = 0; i < before; i++) {
        if (old[i])
            table[slot_of(queue, old[i]->job.id)] = old[i];
    }
    sl_free(old);
    return 0;
}

static struct lane *find_lane(const struct sl_queue *queue, const char *selector)
{
    for (size_t i = 0; i < queue->lane_count; i++) {
        if (strcmp(queue->lanes[i]->text, selector) == 0)
            return queue->lanes[i];
    }
    return NULL;
}

static void note_fits(struct lane *lane, const struct device *device)
{
    bool fits = sl_selector_fits(&lane->selector, &device->record) == SL_MAYBE_YES;
    set_bit(&lane->fits, device->place, fits);
}

static int add_lane(struct sl_queue *queue, const char *selector, struct lane **out)
{
    if (queue->lane_count == queue->lane_capacity) {
        size_t capacity = queue->lane_capacity == 0 ? 8 : queue->lane_capacity * 2;
        struct lane **lanes = sl_realloc(queue->lanes, capacity, sizeof(struct lane *));
        if (!lanes)
            return -ENOMEM;
        queue->lanes = lanes;
        queue->lane_capacity = capacity;
    }
    struct lane *lane = sl_calloc(1, sizeof(*lane));
    int rc = lane ? sl_selector_read(selector, &lane->selector, NULL) : -ENOMEM;
    if (rc < 0) {
        sl_free(lane);
        return rc;
    }
    snprintf(lane->text, sizeof(lane->text), "%s", selector);
    for (size_t i = 0; i < queue->device_count; i++)
        note_fits(lane, queue->devices[i]);
    lane->place = queue->lane_count;
    queue->lanes[queue->lane_count++] = lane;
    *out = lane;
    return 0;
}

/* For all of its jobs, since those that run may come back, and one more. */
static int make_room(struct lane *lane)
{
    if (lane->jobs < lane->capacity)
        return 0;
    size_t capacity = lane->capacity == 0 ? 8 : 2 * lane->capacity;
    struct entry **heap = sl_realloc(lane->heap, capacity, sizeof(struct entry *));
    if (!heap)
        return -ENOMEM;
    lane->heap = heap;
    lane->capacity = capacity;
    return 0;
}

int sl_queue_room(const struct sl_queue *queue, const char *selector)
{
    bool full = queue->waiting_count + queue->running_count >= SL_QUEUE_MAX_JOBS;
    bool new_lane = !find_lane(queue, selector);
    return full || (new_lane && queue->lane_count >= SL_QUEUE_MAX_SELECTORS) ? SL_E_FULL : 0;
}

int sl_queue_add(struct sl_queue *queue, const struct sl_job_record *job)
{
    if (job->id == 0 || (job->state != SL_JOB_QUEUED && job->state != SL_JOB_RUNNING))
        return -EINVAL;
    if (queue->waiting_count + queue->running_count >= SL_QUEUE_MAX_JOBS)
        return SL_E_FULL;
    if (sl_queue_find(queue, job->id))
        return -EEXIST;
    int rc = grow(queue);
    if (rc < 0)
        return rc;
    struct lane *lane = find_lane(queue, job->selector);
    rc = lane ? 0 : add_lane(queue, job->selector, &lane);
    if (rc < 0)
        return rc;
    struct entry *entry = make_room(lane) == 0 ? sl_calloc(1, sizeof(*entry)) : NULL;
    if (!entry) {
        drop_unused(queue, lane);
        return -ENOMEM;
    }
    entry->job = *job;
    entry->lane = lane;
    lane->jobs++;
    queue->table[slot_of(queue, job->id)] = entry;
    if (job->state == SL_JOB_QUEUED) {
        enter_waiting(queue, entry);
    } else {
        enter_running(queue, entry);
        struct device *device = find_device(queue, job->device);
        if (device)
            give(queue, entry, device);
    }
    changed(queue, entry);
    return 0;
}

static int add_device(struct sl_queue *queue, const struct sl_device_record *record,
                      struct device **out)
{
    if (queue->device_count >= SL_QUEUE_MAX_DEVICES)
        return SL_E_FULL;
    if (queue->device_count == queue->device_capacity) {
        size_t capacity = queue->device_capacity == 0 ? 8 : queue->device_capacity * 2;
        struct device **devices = sl_realloc(queue->devices, capacity, sizeof(struct device *));
        if (!devices)
            return -ENOMEM;
        queue->devices = devices;
        queue->device_capacity = capacity;
    }
    struct device *device = sl_calloc(1, sizeof(*device));
    if (!device)
        return -ENOMEM;
    device->record = *record;
    device->place = queue->device_count;
    queue->devices[queue->device_count++] = device;
    for (size_t i = 0; i < queue->running_count; i++) { /* a job that it already had */
        if (strcmp(queue->running[i]->job.device, record->name) == 0)
            give(queue, queue->running[i], device);
    }
    *out = device;
    return 0;
}

int sl_queue_device_is(struct sl_queue *queue, const struct sl_device_record *record)
{
    struct device *device = find_device(queue, record->name);
    int rc = record->name[0] == '\0' ? -EINVAL : 0;
    if (rc == 0 && !device)
        rc = add_device(queue, record, &device);
    if (rc < 0)
        return rc;
    device->record = *record;
    for (size_t i = 0; i < queue->lane_count; i++)
        note_fits(queue->lanes[i], device);
    return 0;
}

int sl_queue_device_ready(struct sl_queue *queue, const char *name)
{
    struct device *device = find_device(queue, name);
    if (!device)
        return SL_E_NOT_FOUND;
    if (device->ready)
        return -EEXIST;
    device->ready = true;
    note_idle(queue, device);
    return 0;
}

void sl_queue_device_gone(struct sl_queue *queue, const char *name)
{
    struct device *device = find_device(queue, name);
    if (!device)
        return;
    device->ready = false; /* kept while its job's lease runs, and for its return */
    note_idle(queue, device);
}

/* The best of the jobs that stand first in their lanes and have a device to go to. */
static struct entry *best_job(const struct sl_queue *queue, struct device **out_device)
{
    struct entry *best = NULL;
    for (size_t i = 0; i < queue->lane_count; i++) {
        const struct lane *lane = queue->lanes[i];
        struct entry *first = lane->count > 0 ? lane->heap[0] : NULL;
        if (!first || (best && !goes_before(&first->job, &best->job)))
            continue;
        struct device *device = find_idle(queue, lane, &first->job);
        if (!device)
            continue;
        best = first;
        *out_device = device;
    }
    return best;
}

bool sl_queue_assign(struct sl_queue *queue, uint64_t now_ms, uint64_t *out_job,
                     char out_device[SL_NAME_BYTES])
{
    struct device *device = NULL;
    struct entry *entry = best_job(queue, &device);
    if (!entry)
        return false;
    leave_waiting(queue, entry);
    enter_running(queue, entry);
    give(queue, entry, device);
    entry->job.state = SL_JOB_RUNNING;
    entry->job.attempts++;
    entry->job.started_ms = now_ms;
    entry->job.lease_until_ms = now_ms + SL_LEASE_MS;
    snprintf(entry->job.device, sizeof(entry->job.device), "%s", device->record.name);
    *out_job = entry->job.id;
    memcpy(out_device, device->record.name, SL_NAME_BYTES);
    changed(queue, entry);
    return true;
}

static struct entry *held_by(const struct sl_queue *queue, uint64_t job, const char *device)
{
    struct entry *entry = find_running(queue, job);
    return entry && strcmp(entry->job.device, device) == 0 ? entry : NULL;
}

int sl_queue_renew(struct sl_queue *queue, uint64_t job, const char *device, uint64_t now_ms)
{
    struct entry *entry = held_by(queue, job, device);
    if (!entry)
        return SL_E_NOT_FOUND;
    entry->job.lease_until_ms = now_ms + SL_LEASE_MS;
    return 0;
}

int sl_queue_detach(struct sl_queue *queue, uint64_t job, const char *device, bool detached)
{
    struct entry *entry = held_by(queue, job, device);
    int state = detached ? SL_JOB_DETACHED : SL_JOB_RUNNING;
    if (!entry)
        return SL_E_NOT_FOUND;
    if (entry->job.state == state)
        return 0;
    entry->job.state = state;
    queue->detached_count += detached ? 1 : (size_t)-1;
    changed(queue, entry);
    return 0;
}

/* The device lets go; the job waits again or ends. */
static void release(struct sl_queue *queue, struct entry *entry, int cause, uint64_t now_ms)
{
    struct sl_job_record *job = &entry->job;
    leave_running(queue, entry);
    queue->detached_count -= job->state == SL_JOB_DETACHED;
    if (entry->device) {
        entry->device->entry = NULL;
        note_idle(queue, entry->device);
    }
    entry->device = NULL;
    job->lease_until_ms = 0;
    job->cause = cause;
    if (cause == SL_CAUSE_LAB && !job->cancel_wanted && job->attempts < SL_MAX_ATTEMPTS) {
        job->state = SL_JOB_QUEUED;
        enter_waiting(queue, entry);
        changed(queue, entry);
        return;
    }
    job->state = job->cancel_wanted       ? SL_JOB_CANCELLED
                 : cause == SL_CAUSE_NONE ? SL_JOB_DONE
                                          : SL_JOB_FAILED;
    job->ended_ms = now_ms;
    changed(queue, entry);
    forget(queue, entry);
}

/* What came out well at a later attempt still says that it was one, and why. */
static void say_why(struct sl_job_record *job, int cause, const char *detail)
{
    char earlier[SL_DETAIL_BYTES];
    memcpy(earlier, job->detail, sizeof(earlier));
    if (cause == SL_CAUSE_NONE && detail[0] == '\0' && job->attempts > 1 && earlier[0] != '\0')
        snprintf(job->detail, sizeof(job->detail), "run again, attempt %u: %.200s",
                 (unsigned)job->attempts, earlier);
    else
        snprintf(job->detail, sizeof(job->detail), "%s", detail);
}

int sl_queue_finish(struct sl_queue *queue, uint64_t job, const char *device, int cause,
                    uint64_t run, const char *detail, uint64_t now_ms)
{
    struct entry *entry = held_by(queue, job, device);
    if (!entry)
        return SL_E_NOT_FOUND;
    entry->job.run = run;
    say_why(&entry->job, cause, detail ? detail : "");
    release(queue, entry, cause, now_ms);
    return 0;
}

int sl_queue_cancel(struct sl_queue *queue, uint64_t job, uint64_t now_ms)
{
    struct entry *entry = find_entry(queue, job);
    if (!entry)
        return SL_E_NOT_FOUND;
    if (entry->job.state != SL_JOB_QUEUED) {
        entry->job.cancel_wanted = true;
        changed(queue, entry);
        return 0;
    }
    leave_waiting(queue, entry);
    entry->job.state = SL_JOB_CANCELLED;
    entry->job.ended_ms = now_ms;
    changed(queue, entry);
    forget(queue, entry);
    return 0;
}

static size_t list_group(const struct sl_queue *queue, uint64_t group, uint64_t *jobs)
{
    size_t count = 0;
    for (size_t i = 0; i < 2 * queue->capacity; i++) {
        const struct entry *entry = queue->table[i];
        if (!entry || entry->job.group_id != group)
            continue;
        if (jobs)
            jobs[count] = entry->job.id;
        count++;
    }
    return count;
}

int sl_queue_group(const struct sl_queue *queue, uint64_t group, uint64_t **out_jobs,
                   size_t *out_count)
{
    size_t count = list_group(queue, group, NULL);
    uint64_t *jobs = count > 0 ? sl_calloc(count, sizeof(*jobs)) : NULL;
    if (count > 0 && !jobs)
        return -ENOMEM;
    *out_count = list_group(queue, group, jobs);
    *out_jobs = jobs;
    return 0;
}

void sl_queue_tick(struct sl_queue *queue, uint64_t now_ms)
{
    for (size_t i = 0; i < queue->running_count;) {
        struct entry *entry = queue->running[i];
        if (entry->job.lease_until_ms > now_ms) {
            i++;
            continue;
        }
        snprintf(entry->job.detail, sizeof(entry->job.detail),
                 "device %s was not heard of for %d s", entry->job.device, SL_LEASE_MS / 1000);
        release(queue, entry, SL_CAUSE_LAB, now_ms); /* the last of the array takes place i */
    }
}

void sl_queue_shift(struct sl_queue *queue, int64_t by_ms)
{
    for (size_t i = 0; i < queue->running_count; i++) {
        uint64_t *until = &queue->running[i]->job.lease_until_ms;
        if (*until != 0) /* 0 has ended already */
            *until = by_ms >= 0 || *until > (uint64_t)-by_ms ? *until + (uint64_t)by_ms : 1;
    }
}

uint64_t sl_queue_next_tick_ms(const struct sl_queue *queue)
{
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < queue->running_count; i++) {
        if (queue->running[i]->job.lease_until_ms < next)
            next = queue->running[i]->job.lease_until_ms;
    }
    return next;
}

size_t sl_queue_count(const struct sl_queue *queue, int state)
{
    return state == SL_JOB_QUEUED     ? queue->waiting_count
           : state == SL_JOB_RUNNING  ? queue->running_count - queue->detached_count
           : state == SL_JOB_DETACHED ? queue->detached_count
                                      : 0;
}
