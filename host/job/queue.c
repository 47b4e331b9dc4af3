/* host/job/queue.c */
#include "host/job/queue.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"

struct entry {
    struct sl_job_record job;
    struct device *device; /* that holds it; NULL while queued, or when the device has gone */
};

struct device {
    char name[SL_NAME_BYTES];
    bool ready;
    struct entry *entry; /* its job */
};

/* Waiting jobs stand in `waiting`, best first; running ones in `running`, in no order. Finished
 * ones leave. */
struct sl_queue {
    sl_queue_changed_fn on_changed;
    void *user;
    struct entry **waiting, **running;
    size_t waiting_count, running_count, capacity; /* of either array */
    size_t detached_count;                         /* of those that run */
    struct device **devices;
    size_t device_count, device_capacity;
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
    for (size_t i = 0; i < queue->waiting_count; i++)
        sl_free(queue->waiting[i]);
    for (size_t i = 0; i < queue->running_count; i++)
        sl_free(queue->running[i]);
    for (size_t i = 0; i < queue->device_count; i++)
        sl_free(queue->devices[i]);
    sl_free(queue->waiting);
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

/* Where the job stands, or would stand, among the waiting. */
static size_t waiting_place(const struct sl_queue *queue, const struct sl_job_record *job)
{
    size_t low = 0, high = queue->waiting_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (goes_before(&queue->waiting[middle]->job, job))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Room was made for every entry in both arrays when it was added, so moving between them cannot
 * fail. */
static void enter_waiting(struct sl_queue *queue, struct entry *entry)
{
    size_t place = waiting_place(queue, &entry->job);
    memmove(queue->waiting + place + 1, queue->waiting + place,
            (queue->waiting_count - place) * sizeof(queue->waiting[0]));
    queue->waiting[place] = entry;
    queue->waiting_count++;
}

static void leave_waiting(struct sl_queue *queue, size_t place)
{
    queue->waiting_count--;
    memmove(queue->waiting + place, queue->waiting + place + 1,
            (queue->waiting_count - place) * sizeof(queue->waiting[0]));
}

static void leave_running(struct sl_queue *queue, const struct entry *entry)
{
    for (size_t i = 0; i < queue->running_count; i++) {
        if (queue->running[i] == entry) {
            queue->running[i] = queue->running[--queue->running_count];
            return;
        }
    }
}

static struct entry *find_waiting(const struct sl_queue *queue, uint64_t id, size_t *out_place)
{
    for (size_t i = 0; i < queue->waiting_count; i++) {
        if (queue->waiting[i]->job.id == id) {
            *out_place = i;
            return queue->waiting[i];
        }
    }
    return NULL;
}

static struct entry *find_running(const struct sl_queue *queue, uint64_t id)
{
    for (size_t i = 0; i < queue->running_count; i++) {
        if (queue->running[i]->job.id == id)
            return queue->running[i];
    }
    return NULL;
}

const struct sl_job_record *sl_queue_find(const struct sl_queue *queue, uint64_t job)
{
    size_t place;
    const struct entry *entry = find_running(queue, job);
    if (!entry)
        entry = find_waiting(queue, job, &place);
    return entry ? &entry->job : NULL;
}

static struct device *find_device(const struct sl_queue *queue, const char *name)
{
    for (size_t i = 0; i < queue->device_count; i++) {
        if (strcmp(queue->devices[i]->name, name) == 0)
            return queue->devices[i];
    }
    return NULL;
}

static int grow(struct sl_queue *queue)
{
    if (queue->waiting_count + queue->running_count < queue->capacity)
        return 0;
    size_t capacity = queue->capacity == 0 ? 64 : queue->capacity * 2;
    struct entry **waiting = sl_realloc(queue->waiting, capacity, sizeof(struct entry *));
    if (!waiting)
        return -ENOMEM;
    queue->waiting = waiting;
    struct entry **running = sl_realloc(queue->running, capacity, sizeof(struct entry *));
    if (!running)
        return -ENOMEM;
    queue->running = running;
    queue->capacity = capacity;
    return 0;
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
    struct entry *entry = sl_calloc(1, sizeof(*entry));
    if (!entry)
        return -ENOMEM;
    entry->job = *job;
    if (job->state == SL_JOB_QUEUED) {
        enter_waiting(queue, entry);
    } else {
        queue->running[queue->running_count++] = entry;
        entry->device = find_device(queue, job->device);
        if (entry->device)
            entry->device->entry = entry;
    }
    changed(queue, entry);
    return 0;
}

static int add_device(struct sl_queue *queue, const char *name, struct device **out)
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
    snprintf(device->name, sizeof(device->name), "%s", name);
    queue->devices[queue->device_count++] = device;
    *out = device;
    return 0;
}

int sl_queue_device_ready(struct sl_queue *queue, const char *name)
{
    if (name[0] == '\0' || strlen(name) >= SL_NAME_BYTES)
        return -EINVAL;
    struct device *device = find_device(queue, name);
    if (device && device->ready)
        return -EEXIST;
    if (!device) {
        int rc = add_device(queue, name, &device);
        if (rc < 0)
            return rc;
        for (size_t i = 0; i < queue->running_count; i++) { /* a job that it already had */
            if (strcmp(queue->running[i]->job.device, name) == 0) {
                device->entry = queue->running[i];
                queue->running[i]->device = device;
            }
        }
    }
    device->ready = true;
    return 0;
}

void sl_queue_device_gone(struct sl_queue *queue, const char *name)
{
    struct device *device = find_device(queue, name);
    if (device)
        device->ready = false; /* kept while its job's lease runs, and for its return */
}

static bool fits(const struct entry *entry, const struct device *device)
{
    return device->ready && !device->entry &&
           (entry->job.selector[0] == '\0' || strcmp(entry->job.selector, device->name) == 0);
}

bool sl_queue_assign(struct sl_queue *queue, uint64_t now_ms, uint64_t *out_job,
                     char out_device[SL_NAME_BYTES])
{
    for (size_t i = 0; i < queue->waiting_count; i++) {
        struct entry *entry = queue->waiting[i];
        for (size_t d = 0; d < queue->device_count; d++) {
            struct device *device = queue->devices[d];
            if (!fits(entry, device))
                continue;
            leave_waiting(queue, i);
            queue->running[queue->running_count++] = entry;
            entry->device = device;
            device->entry = entry;
            entry->job.state = SL_JOB_RUNNING;
            entry->job.attempts++;
            entry->job.started_ms = now_ms;
            entry->job.lease_until_ms = now_ms + SL_LEASE_MS;
            snprintf(entry->job.device, sizeof(entry->job.device), "%s", device->name);
            *out_job = entry->job.id;
            memcpy(out_device, device->name, SL_NAME_BYTES);
            changed(queue, entry);
            return true;
        }
    }
    return false;
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
    if (entry->device)
        entry->device->entry = NULL;
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
    sl_free(entry);
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
    size_t place;
    struct entry *entry = find_running(queue, job);
    if (entry) {
        entry->job.cancel_wanted = true;
        changed(queue, entry);
        return 0;
    }
    entry = find_waiting(queue, job, &place);
    if (!entry)
        return SL_E_NOT_FOUND;
    leave_waiting(queue, place);
    entry->job.state = SL_JOB_CANCELLED;
    entry->job.ended_ms = now_ms;
    changed(queue, entry);
    sl_free(entry);
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
