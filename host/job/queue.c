/* host/job/queue.c */
#include "host/job/queue.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/job/ending.h"
#include "host/job/heap.h"
#include "host/job/held.h"
#include "host/job/numbered.h"
#include "host/job/parties.h"
#include "host/job/places.h"
#include "host/job/predecessors.h"
#include "host/job/rest.h"
#include "host/spec/selector.h"

/* Waiting ones stand in their share, by age. */
struct entry {
    struct sl_job_record job;
    struct device *device; /* that holds it; NULL while queued, or when the device has gone */
    struct sl_share *share;
    struct entry *before, *after; /* in it, while it waits */
    struct sl_heap_node deadline; /* while it waits for a time at most */
    bool held;                    /* it waits, and may not begin yet: in no share */
    int64_t came_ms;              /* by the steady clock of the queue */
    struct sl_heap_node resting;  /* while it rests after a failure of the lab: in no share */
    struct sl_rest rest;
    size_t place; /* among those that run */
};

/* The jobs of one selector that wait, as the shares of those who sent them: the first share has the
 * job that goes first. It goes with the last job of it, those that run among them. */
struct lane {
    char text[SL_SELECTOR_BYTES];
    struct sl_selector selector;
    struct sl_places fits;  /* the devices that do */
    size_t waits;           /* how many jobs */
    struct sl_heap waiting; /* shares with jobs that wait */
    struct sl_heap passed;  /* the same, those that were passed over longest first */
    size_t shares;          /* those without such jobs too */
    size_t place;           /* among the lanes */
};

/* A party's jobs of one lane. */
struct sl_share {
    struct sl_party *party;
    struct lane *lane;
    struct sl_share *next; /* of the party */
    struct entry *first, *last;
    struct sl_heap_node waiting, passed; /* in the lane's heaps, while there are such */
    int64_t served_ms;                   /* when one began last, by the steady clock; 0: none yet */
    size_t jobs;                         /* that wait or run; with the last it goes */
};

struct device {
    struct sl_device_record record;
    bool ready;
    size_t place;        /* among the devices, for good */
    unsigned turns;      /* since its last that was for those passed over */
    struct entry *entry; /* its job */
};

/* Waiting jobs stand in shares of lanes, or are held; running ones stand in `running`, in no order.
 * Finished ones leave. */
struct sl_queue {
    sl_queue_changed_fn on_changed;
    void *user;
    struct sl_numbered jobs; /* all of them */
    struct entry **running;
    size_t waiting_count, running_count, running_capacity;
    size_t detached_count; /* of those that run */
    struct sl_heap deadlines, resting;
    struct sl_held *held; /* owned */
    struct lane **lanes;
    size_t lane_count, lane_capacity;
    struct sl_parties parties;
    uint64_t served; /* jobs begun so far */
    struct device **devices;
    size_t device_count, device_capacity;
    struct sl_places idle; /* ready, and without a job */
    struct sl_places due;  /* whose next turn is for those passed over */
    int64_t shifted_ms;    /* the jumps of the clock: without them it is steady */
};

/* Since when the share waits for a turn, by the steady clock. */
static int64_t passed_since(const struct sl_share *share)
{
    int64_t came = share->first->came_ms;
    return share->served_ms > came ? share->served_ms : came;
}

static bool waits_longer(const void *a, const void *b)
{
    int64_t x = passed_since(a), y = passed_since(b);
    return x != y ? x < y
                  : ((const struct sl_share *)a)->first->job.id <
                        ((const struct sl_share *)b)->first->job.id;
}

/* True when a goes before b: priority, then who was served longest ago, then age by id. */
static bool goes_before(const void *a, const void *b)
{
    const struct sl_share *x = a, *y = b;
    if (x->party->priority != y->party->priority)
        return x->party->priority > y->party->priority;
    if (x->party->served != y->party->served)
        return x->party->served < y->party->served;
    return x->first->job.id < y->first->job.id;
}

static bool ends_before(const void *a, const void *b)
{
    const struct sl_job_record *x = &((const struct entry *)a)->job,
                               *y = &((const struct entry *)b)->job;
    return x->deadline_ms != y->deadline_ms ? x->deadline_ms < y->deadline_ms : x->id < y->id;
}

static bool rests_less(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->rest.until_ms != y->rest.until_ms ? x->rest.until_ms < y->rest.until_ms
                                                : x->job.id < y->job.id;
}

int sl_queue_new(sl_queue_changed_fn on_changed, void *user, struct sl_queue **out)
{
    struct sl_queue *queue = sl_calloc(1, sizeof(*queue));
    if (!queue)
        return -ENOMEM;
    queue->on_changed = on_changed;
    queue->user = user;
    queue->deadlines.before = ends_before;
    queue->resting.before = rests_less;
    if (sl_held_new(&queue->held) < 0) {
        sl_free(queue);
        return -ENOMEM;
    }
    *out = queue;
    return 0;
}

void sl_queue_free(struct sl_queue *queue)
{
    if (!queue)
        return;
    for (size_t i = 0; i < 2 * queue->jobs.room; i++) {
        struct entry *entry = queue->jobs.slots[i].of;
        if (entry && --entry->share->jobs == 0)
            sl_free(entry->share);
        sl_free(entry);
    }
    for (size_t i = 0; i < queue->lane_count; i++) {
        sl_heap_fini(&queue->lanes[i]->waiting);
        sl_heap_fini(&queue->lanes[i]->passed);
        sl_free(queue->lanes[i]);
    }
    sl_parties_fini(&queue->parties);
    for (size_t i = 0; i < queue->device_count; i++)
        sl_free(queue->devices[i]);
    sl_heap_fini(&queue->deadlines);
    sl_heap_fini(&queue->resting);
    sl_held_free(queue->held);
    sl_free(queue->lanes);
    sl_numbered_fini(&queue->jobs);
    sl_free(queue->running);
    sl_free(queue->devices);
    sl_free(queue);
}

static void changed(struct sl_queue *queue, const struct entry *entry)
{
    queue->on_changed(queue->user, &entry->job);
}

/* --- devices by place --- */

/* Each change of a device's readiness or job ends here. */
static void note_idle(struct sl_queue *queue, const struct device *device)
{
    sl_places_set(&queue->idle, device->place, device->ready && !device->entry);
}

static void give(struct sl_queue *queue, struct entry *entry, struct device *device)
{
    entry->device = device;
    device->entry = entry;
    note_idle(queue, device);
}

static bool has_name(const struct device *device, const struct sl_job_record *job)
{
    return strcmp(device->record.name, job->device) == 0;
}

/* Was it this device that had the job last? */
static bool had(const struct device *device, const struct sl_job_record *job)
{
    return job->attempts > 0 && has_name(device, job) &&
           strcmp(device->record.host, job->host) == 0;
}

/* A device of `idle` that the job of the lane may have; NULL: none. The one it is meant for goes
 * first, else one that has not failed it before. */
static struct device *find_idle(const struct sl_queue *queue, const struct sl_places *idle,
                                const struct lane *lane, const struct sl_job_record *job)
{
    const struct sl_places both = sl_places_both(&lane->fits, idle);
    bool meant = sl_rest_meant_ms(job) > 0;
    struct device *again = NULL;
    for (size_t at = 0; sl_places_next(&both, &at); at++) {
        again = queue->devices[at];
        if (meant ? has_name(again, job) : !had(again, job))
            return again;
    }
    return again;
}

/* --- shares --- */

/* Its first job, or when it was served, is another. */
static void moved(struct sl_share *share)
{
    sl_heap_moved(&share->lane->waiting, &share->waiting);
    sl_heap_moved(&share->lane->passed, &share->passed);
}

/* By age. Its place is looked for from both ends: what comes back from a device goes before what
 * has not begun; what is new goes last, or nearly so where several add jobs at once. */
static void enter_share(struct entry *entry)
{
    struct sl_share *share = entry->share;
    struct entry *after = share->first, *before = share->last;
    for (; before && before->job.id > entry->job.id && after->job.id < entry->job.id;
         before = before->before)
        after = after->after;
    if (before && before->job.id < entry->job.id)
        after = before->after;
    entry->after = after;
    entry->before = after ? after->before : share->last;
    *(entry->before ? &entry->before->after : &share->first) = entry;
    *(after ? &after->before : &share->last) = entry;
    share->lane->waits++;
    if (share->waiting.place == 0) {
        sl_heap_put(&share->lane->waiting, &share->waiting, share);
        sl_heap_put(&share->lane->passed, &share->passed, share);
    } else if (share->first == entry) {
        moved(share);
    }
}

static void enter_waiting(struct sl_queue *queue, struct entry *entry)
{
    if (!entry->held)
        enter_share(entry);
    if (entry->job.deadline_ms != 0)
        sl_heap_put(&queue->deadlines, &entry->deadline, entry);
    queue->waiting_count++;
}

static void leave_share(struct entry *entry)
{
    struct sl_share *share = entry->share;
    bool was_first = share->first == entry;
    *(entry->before ? &entry->before->after : &share->first) = entry->after;
    *(entry->after ? &entry->after->before : &share->last) = entry->before;
    share->lane->waits--;
    if (!share->first) {
        sl_heap_take(&share->lane->waiting, &share->waiting);
        sl_heap_take(&share->lane->passed, &share->passed);
    } else if (was_first) {
        moved(share);
    }
}

static void leave_waiting(struct sl_queue *queue, struct entry *entry)
{
    if (entry->held)
        sl_held_drop(queue->held, entry->job.id);
    else if (entry->resting.place != 0)
        sl_heap_take(&queue->resting, &entry->resting);
    else
        leave_share(entry);
    sl_heap_take(&queue->deadlines, &entry->deadline);
    queue->waiting_count--;
}

/* Its party goes last among its equals now, in each lane. */
static void note_served(struct sl_queue *queue, struct sl_share *served, uint64_t now_ms)
{
    struct sl_party *party = served->party;
    party->served = ++queue->served;
    served->served_ms = (int64_t)now_ms - queue->shifted_ms;
    for (struct sl_share *share = party->shares; share; share = share->next) {
        if (share->first)
            moved(share);
    }
}

static void enter_running(struct sl_queue *queue, struct entry *entry)
{
    entry->place = queue->running_count++;
    queue->running[entry->place] = entry;
}

static void leave_running(struct sl_queue *queue, const struct entry *entry)
{
    struct entry *last = queue->running[--queue->running_count];
    queue->running[entry->place] = last;
    last->place = entry->place;
}

static void drop_lane(struct sl_queue *queue, struct lane *lane)
{
    if (lane->shares > 0)
        return;
    struct lane *last = queue->lanes[--queue->lane_count];
    queue->lanes[lane->place] = last;
    last->place = lane->place;
    sl_heap_fini(&lane->waiting);
    sl_heap_fini(&lane->passed);
    sl_free(lane);
}

static void drop_share(struct sl_queue *queue, struct sl_share *share)
{
    struct sl_share **link = &share->party->shares;
    if (share->jobs > 0)
        return;
    while (*link != share)
        link = &(*link)->next;
    *link = share->next;
    share->lane->shares--;
    drop_lane(queue, share->lane);
    sl_free(share);
}

static void forget(struct sl_queue *queue, struct entry *entry)
{
    sl_numbered_take(&queue->jobs, entry->job.id);
    entry->share->jobs--;
    drop_share(queue, entry->share);
    sl_free(entry);
}

const struct sl_job_record *sl_queue_find(const struct sl_queue *queue, uint64_t job)
{
    const struct entry *entry = sl_numbered_find(&queue->jobs, job);
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
    size_t jobs = queue->jobs.count + 1;
    if (sl_heap_reserve(&queue->deadlines, jobs) < 0 ||
        sl_heap_reserve(&queue->resting, jobs) < 0 || sl_numbered_reserve(&queue->jobs, jobs) < 0)
        return -ENOMEM;
    return sl_grow(&queue->running, &queue->running_capacity, queue->jobs.count,
                   sizeof(*queue->running));
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
    sl_places_set(&lane->fits, device->place, fits);
}

static int add_lane(struct sl_queue *queue, const char *selector, struct lane **out)
{
    int rc =
        sl_grow(&queue->lanes, &queue->lane_capacity, queue->lane_count, sizeof(*queue->lanes));
    struct lane *lane = rc < 0 ? NULL : sl_calloc(1, sizeof(*lane));
    rc = lane ? sl_selector_read(selector, &lane->selector, NULL) : -ENOMEM;
    if (rc < 0) {
        sl_free(lane);
        return rc;
    }
    snprintf(lane->text, sizeof(lane->text), "%s", selector);
    lane->waiting.before = goes_before;
    lane->passed.before = waits_longer;
    for (size_t i = 0; i < queue->device_count; i++)
        note_fits(lane, queue->devices[i]);
    lane->place = queue->lane_count;
    queue->lanes[queue->lane_count++] = lane;
    *out = lane;
    return 0;
}

static struct sl_share *share_of(struct sl_party *party, struct lane *lane)
{
    struct sl_share *share = party->shares;
    while (share && share->lane != lane)
        share = share->next;
    if (share)
        return share;
    share = sl_heap_reserve(&lane->waiting, lane->shares + 1) == 0 &&
                    sl_heap_reserve(&lane->passed, lane->shares + 1) == 0
                ? sl_calloc(1, sizeof(*share))
                : NULL;
    if (!share)
        return NULL;
    share->party = party;
    share->lane = lane;
    share->next = party->shares;
    party->shares = share;
    lane->shares++;
    return share;
}

/* With room for all that can come of it: whatever it does later cannot fail. */
static int make_entry(struct sl_queue *queue, const struct sl_job_record *job, struct entry **out)
{
    struct lane *lane = find_lane(queue, job->selector);
    int rc = lane ? 0 : add_lane(queue, job->selector, &lane);
    if (rc < 0)
        return rc;
    struct sl_party *party = sl_parties_find(&queue->parties, job->owner, job->priority);
    struct sl_share *share = party ? share_of(party, lane) : NULL;
    struct entry *entry = share ? sl_calloc(1, sizeof(*entry)) : NULL;
    if (!entry && share)
        drop_share(queue, share);
    else if (!entry)
        drop_lane(queue, lane);
    if (!entry)
        return -ENOMEM;
    entry->job = *job;
    entry->share = share;
    entry->came_ms = (int64_t)job->submitted_ms - queue->shifted_ms;
    share->jobs++;
    *out = entry;
    return 0;
}

int sl_queue_room(const struct sl_queue *queue, const char *selector)
{
    bool full = queue->jobs.count >= SL_QUEUE_MAX_JOBS;
    bool new_lane = !find_lane(queue, selector);
    return full || (new_lane && queue->lane_count >= SL_QUEUE_MAX_SELECTORS) ? SL_E_FULL : 0;
}

/* Something may keep it from beginning, unless it has begun before. */
static int hold(struct sl_queue *queue, struct entry *entry)
{
    const struct sl_job_record *job = &entry->job;
    struct sl_predecessors all;
    int rc = sl_predecessors_find(queue, sl_queue_group, job, &all);
    if (rc == 0 && job->attempts == 0 && (all.count > 0 || job->begin_ms != 0)) {
        rc = sl_held_put(queue->held, job->id, job->begin_ms, all.numbers, all.count);
        entry->held = rc == 0;
        sl_held_ended(queue->held, all.circle, false);
    }
    sl_free(all.numbers);
    return rc;
}

int sl_queue_add(struct sl_queue *queue, const struct sl_job_record *job)
{
    if (job->id == 0 || (job->state != SL_JOB_QUEUED && job->state != SL_JOB_RUNNING))
        return -EINVAL;
    if (sl_queue_find(queue, job->id))
        return -EEXIST;
    struct entry *entry = NULL;
    int rc = queue->jobs.count >= SL_QUEUE_MAX_JOBS ? SL_E_FULL : grow(queue);
    if (rc == 0)
        rc = make_entry(queue, job, &entry);
    if (rc < 0)
        return rc;
    sl_numbered_put(&queue->jobs, job->id, entry);
    if (job->state == SL_JOB_QUEUED) {
        rc = hold(queue, entry);
        if (rc < 0) {
            forget(queue, entry);
            return rc;
        }
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
    if (sl_grow(&queue->devices, &queue->device_capacity, queue->device_count,
                sizeof(*queue->devices)) < 0)
        return -ENOMEM;
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

/* The best of the jobs that stand first in their lanes and have a device of `idle` to go to: by
 * priority, or with `aged` the one that was passed over longest, since then at least. */
static struct entry *best_job(const struct sl_queue *queue, const struct sl_places *idle,
                              const int64_t *aged, struct device **out_device)
{
    const struct sl_share *best = NULL;
    for (size_t i = 0; i < queue->lane_count; i++) {
        const struct lane *lane = queue->lanes[i];
        const struct sl_share *first = sl_heap_first(aged ? &lane->passed : &lane->waiting);
        if (!first || (aged && passed_since(first) > *aged) ||
            (best && !(aged ? waits_longer : goes_before)(first, best)))
            continue;
        struct device *device = find_idle(queue, idle, lane, &first->first->job);
        if (!device)
            continue;
        best = first;
        *out_device = device;
    }
    return best ? best->first : NULL;
}

/* True: it rests from now on, and does not begin on that device. */
static bool rests(struct sl_queue *queue, struct entry *entry, const struct device *device,
                  int64_t steady_ms)
{
    const struct sl_job_record *job = &entry->job;
    if (!sl_rest_begin(&entry->rest, job, has_name(device, job), had(device, job), steady_ms))
        return false;
    leave_share(entry);
    sl_heap_put(&queue->resting, &entry->resting, entry);
    return true;
}

/* One that was passed over, on a device whose turn it is; else by priority. */
static struct entry *next_job(struct sl_queue *queue, uint64_t now_ms, struct device **out_device)
{
    const int64_t steady_ms = (int64_t)now_ms - queue->shifted_ms;
    const int64_t aged = steady_ms - SL_QUEUE_AGED_MS;
    struct entry *passed, *entry;
    const struct sl_places due = sl_places_both(&queue->idle, &queue->due);
    do {
        passed = best_job(queue, &due, &aged, out_device);
        entry = passed ? passed : best_job(queue, &queue->idle, NULL, out_device);
    } while (entry && rests(queue, entry, *out_device, steady_ms));
    if (!entry)
        return NULL;
    struct device *device = *out_device;
    device->turns = passed ? 0 : device->turns + 1;
    sl_places_set(&queue->due, device->place, device->turns >= SL_QUEUE_AGED_TURN - 1);
    return entry;
}

/* Ends a job, and lets those that come after it know. */
static void end(struct sl_queue *queue, struct entry *entry)
{
    changed(queue, entry);
    sl_held_ended(queue->held, entry->job.id, entry->job.state == SL_JOB_DONE);
    forget(queue, entry);
}

static void end_waiting(struct sl_queue *queue, struct entry *entry, int cause, uint64_t now_ms)
{
    leave_waiting(queue, entry);
    entry->job.state = SL_JOB_CANCELLED;
    entry->job.cause = cause;
    entry->job.ended_ms = now_ms;
    end(queue, entry);
}

/* Those that nobody needs any more end before they begin. */
static void end_late(struct sl_queue *queue, uint64_t now_ms)
{
    for (struct entry *entry;
         (entry = sl_heap_first(&queue->deadlines)) && entry->job.deadline_ms <= now_ms;) {
        char earlier[SL_DETAIL_BYTES];
        memcpy(earlier, entry->job.detail, sizeof(earlier));
        snprintf(entry->job.detail, sizeof(entry->job.detail), "%s by its deadline%s%.200s",
                 entry->held ? "it could not begin" : "no device was free",
                 entry->job.attempts > 0 ? "; before: " : "",
                 entry->job.attempts > 0 ? earlier : "");
        end_waiting(queue, entry, SL_CAUSE_DEADLINE, now_ms);
    }
}

/* Jobs that rested or were held until now come in, or end with what they come after. */
static void let_in(struct sl_queue *queue, uint64_t now_ms)
{
    end_late(queue, now_ms);
    for (struct entry *entry; (entry = sl_heap_first(&queue->resting)) &&
                              entry->rest.until_ms <= (int64_t)now_ms - queue->shifted_ms;) {
        sl_heap_take(&queue->resting, &entry->resting);
        enter_share(entry);
    }
    for (uint64_t id, failed; sl_held_take(queue->held, now_ms, &id, &failed);) {
        struct entry *entry = sl_numbered_find(&queue->jobs, id);
        entry->held = false;
        entry->came_ms = (int64_t)now_ms - queue->shifted_ms; /* it waits for a turn from now on */
        enter_share(entry);
        entry->job.detail[0] = '\0';
        if (failed == 0) {
            changed(queue, entry);
            continue;
        }
        sl_predecessors_say(failed, entry->job.detail);
        end_waiting(queue, entry, SL_CAUSE_DEPENDENCY, now_ms);
    }
}

bool sl_queue_assign(struct sl_queue *queue, uint64_t now_ms, uint64_t *out_job,
                     char out_device[SL_NAME_BYTES])
{
    struct device *device = NULL;
    let_in(queue, now_ms);
    struct entry *entry = next_job(queue, now_ms, &device);
    if (!entry)
        return false;
    leave_waiting(queue, entry);
    note_served(queue, entry->share, now_ms);
    enter_running(queue, entry);
    give(queue, entry, device);
    entry->job.state = SL_JOB_RUNNING;
    entry->job.attempts++;
    entry->job.started_ms = now_ms;
    entry->job.lease_until_ms = now_ms + SL_LEASE_MS;
    snprintf(entry->job.device, sizeof(entry->job.device), "%s", device->record.name);
    *out_job = entry->job.id;
    memcpy(entry->job.host, device->record.host, sizeof(entry->job.host));
    memcpy(out_device, device->record.name, SL_NAME_BYTES);
    changed(queue, entry);
    return true;
}

static struct entry *held_by(const struct sl_queue *queue, uint64_t job, const char *device)
{
    struct entry *entry = sl_numbered_find(&queue->jobs, job);
    bool runs = entry && entry->job.state != SL_JOB_QUEUED;
    return runs && strcmp(entry->job.device, device) == 0 ? entry : NULL;
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

static void let_go(struct sl_queue *queue, struct entry *entry)
{
    leave_running(queue, entry);
    queue->detached_count -= entry->job.state == SL_JOB_DETACHED;
    if (entry->device) {
        entry->device->entry = NULL;
        note_idle(queue, entry->device);
    }
    entry->device = NULL;
}

/* The device lets go; the job waits again or ends. */
static void release(struct sl_queue *queue, struct entry *entry, int cause, uint64_t run,
                    const char *detail, uint64_t now_ms)
{
    bool left = entry->job.lease_until_ms == 0; /* its daemon ended: that says nothing of devices */
    let_go(queue, entry);
    sl_ending_note(&entry->job, cause, run, detail, now_ms);
    if (entry->job.state != SL_JOB_QUEUED) {
        end(queue, entry);
        return;
    }
    entry->rest.failed_ms = (int64_t)now_ms - queue->shifted_ms;
    entry->rest.rested = left;
    enter_waiting(queue, entry);
    changed(queue, entry);
}

int sl_queue_finish(struct sl_queue *queue, uint64_t job, const char *device, int cause,
                    uint64_t run, const char *detail, uint64_t now_ms)
{
    struct entry *entry = held_by(queue, job, device);
    if (!entry)
        return SL_E_NOT_FOUND;
    release(queue, entry, cause, run, detail ? detail : "", now_ms);
    return 0;
}

void sl_queue_drop(struct sl_queue *queue, uint64_t job)
{
    struct entry *entry = sl_numbered_find(&queue->jobs, job);
    if (!entry)
        return;
    if (entry->job.state == SL_JOB_QUEUED)
        leave_waiting(queue, entry);
    else
        let_go(queue, entry);
    forget(queue, entry);
}

int sl_queue_cancel(struct sl_queue *queue, uint64_t job, uint64_t now_ms)
{
    struct entry *entry = sl_numbered_find(&queue->jobs, job);
    if (!entry)
        return SL_E_NOT_FOUND;
    if (entry->job.state != SL_JOB_QUEUED) {
        entry->job.cancel_wanted = true;
        changed(queue, entry);
        return 0;
    }
    end_waiting(queue, entry, entry->job.cause, now_ms);
    return 0;
}

void sl_queue_ended(struct sl_queue *queue, uint64_t job, bool well)
{
    sl_held_ended(queue->held, job, well);
}

bool sl_queue_waits(const struct sl_queue *queue, uint64_t job, uint64_t first)
{
    return sl_held_waits(queue->held, job, first);
}

int sl_queue_group(const struct sl_queue *queue, uint64_t group, uint64_t **out_jobs,
                   size_t *out_count)
{
    uint64_t *jobs = sl_calloc(queue->jobs.count + 1, sizeof(*jobs));
    if (!jobs)
        return -ENOMEM;
    *out_count = 0;
    for (size_t i = 0; i < 2 * queue->jobs.room; i++) {
        const struct entry *entry = queue->jobs.slots[i].of;
        if (entry && entry->job.group_id == group)
            jobs[(*out_count)++] = entry->job.id;
    }
    *out_jobs = jobs;
    return 0;
}

void sl_queue_tick(struct sl_queue *queue, uint64_t now_ms)
{
    let_in(queue, now_ms);
    for (size_t i = 0; i < queue->running_count;) {
        struct entry *entry = queue->running[i];
        if (entry->job.lease_until_ms > now_ms) {
            i++;
            continue;
        }
        char why[SL_DETAIL_BYTES];
        snprintf(why, sizeof(why), "device %s was not heard of for %d s", entry->job.device,
                 SL_LEASE_MS / 1000);
        /* the last of the array takes place i */
        release(queue, entry, SL_CAUSE_LAB, entry->job.run, why, now_ms);
    }
}

void sl_queue_shift(struct sl_queue *queue, int64_t by_ms)
{
    queue->shifted_ms += by_ms;
    for (size_t i = 0; i < queue->running_count; i++) {
        uint64_t *until = &queue->running[i]->job.lease_until_ms;
        if (*until != 0) /* 0 has ended already */
            *until = by_ms >= 0 || *until > (uint64_t)-by_ms ? *until + (uint64_t)by_ms : 1;
    }
}

uint64_t sl_queue_next_tick_ms(const struct sl_queue *queue)
{
    const struct entry *late = sl_heap_first(&queue->deadlines);
    uint64_t next = late ? late->job.deadline_ms : UINT64_MAX;
    if (sl_held_next_ms(queue->held) < next)
        next = sl_held_next_ms(queue->held);
    const struct entry *rests_least = sl_heap_first(&queue->resting);
    uint64_t rested =
        rests_least ? (uint64_t)(rests_least->rest.until_ms + queue->shifted_ms) : UINT64_MAX;
    next = rested < next ? rested : next;
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

size_t sl_queue_waiting_for(const struct sl_queue *queue, const char *device)
{
    const struct device *found = find_device(queue, device);
    size_t waiting = 0;
    for (size_t i = 0; found && i < queue->lane_count; i++)
        waiting += sl_places_has(&queue->lanes[i]->fits, found->place) ? queue->lanes[i]->waits : 0;
    return waiting;
}

uint64_t sl_queue_oldest_ms(const struct sl_queue *queue)
{
    const struct sl_job_record *oldest = NULL; /* of a share the first is */
    for (size_t i = 0; i < queue->lane_count; i++) {
        const struct sl_heap *waiting = &queue->lanes[i]->waiting;
        for (size_t n = 0; n < waiting->count; n++) {
            const struct sl_share *share = waiting->nodes[n]->of;
            if (!oldest || share->first->job.id < oldest->id)
                oldest = &share->first->job;
        }
    }
    return oldest ? oldest->submitted_ms : 0;
}
