/* host/job/device_list.c */
#include "host/job/device_list.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/crc32c.h"
#include "common/base/error.h"
#include "host/job/queue.h"
#include "host/spec/names.h"

/* Returns the index of the name, or the place for it. */
static size_t place_of(const struct sl_device_list *list, const char *name)
{
    size_t i = 0;
    while (i < list->count && strcmp(list->records[i].name, name) < 0)
        i++;
    return i;
}

static bool is_at(const struct sl_device_list *list, size_t i, const char *name)
{
    return i < list->count && strcmp(list->records[i].name, name) == 0;
}

struct sl_device_record *sl_device_list_find(struct sl_device_list *list, const char *name)
{
    size_t i = place_of(list, name);
    return is_at(list, i, name) ? &list->records[i] : NULL;
}

struct sl_device_more *sl_device_list_more(struct sl_device_list *list,
                                           const struct sl_device_record *record)
{
    return &list->more[record - list->records];
}

static void tell_reservation(struct sl_device_record *device, const struct sl_device_more *more)
{
    char until[32];
    time_t seconds = (time_t)(more->reserved_until_ms / 1000);
    struct tm parts;
    gmtime_r(&seconds, &parts);
    strftime(until, sizeof(until), "%Y-%m-%dT%H:%MZ", &parts);
    snprintf(device->detail, sizeof(device->detail),
             "reserved for %.63s until %s: 'sme2lab device release %.40s' ends that",
             more->reserved_by, until, device->name);
}

bool sl_device_list_is_lent(const struct sl_device_record *device,
                            const struct sl_device_more *more)
{
    return more->reserved_until_ms != 0 && device->job == 0;
}

/* A person may unplug what is theirs: that is no fault of it. */
static int state_of(const struct sl_device_record *device, const struct sl_device_more *more)
{
    int there = sl_device_cause_state(device->cause);
    return more->out                                 ? SL_DEVICE_QUARANTINED
           : sl_device_list_is_lent(device, more)    ? SL_DEVICE_RESERVED
           : there == SL_DEVICE_READY && device->job ? SL_DEVICE_BUSY
                                                     : there;
}

void sl_device_list_tell(struct sl_device_record *device, const struct sl_device_more *more)
{
    device->cause = sl_device_life_cause(&more->life);
    device->state = state_of(device, more);
    const char *fix = sl_device_cause_fix(device->cause);
    const char *why = more->life.listed != SL_CAUSE_DEVICE_WELL ? more->listed_why : more->link_why;
    if (more->out)
        snprintf(device->detail, sizeof(device->detail),
                 "%.150s: 'sme2lab device release %.40s' brings it back", more->out_why,
                 device->name);
    else if (device->state == SL_DEVICE_RESERVED ||
             (device->cause == SL_CAUSE_DEVICE_WELL && more->reserved_until_ms != 0))
        tell_reservation(device, more);
    else if (device->cause == SL_CAUSE_DEVICE_WELL)
        device->detail[0] = '\0';
    else
        snprintf(device->detail, sizeof(device->detail), "%.140s%s%.110s", why,
                 why[0] && fix[0] ? ": " : "", fix);
}

bool sl_device_list_tends(const struct sl_device_more *more)
{
    return !more->out && !more->leaving && !more->lent;
}

uint64_t sl_device_list_wait_ms(const struct sl_device_list *list, uint64_t now_ms, uint64_t at_ms)
{
    uint64_t wait = UINT64_MAX;
    for (size_t i = 0; i < list->count; i++) {
        const struct sl_device_more *more = &list->more[i];
        uint64_t due = sl_device_life_due_ms(&more->life), until = more->reserved_until_ms;
        uint64_t left = until > now_ms ? until - now_ms : 0, step = due > at_ms ? due - at_ms : 0;
        if (until != 0 && left < wait)
            wait = left;
        if (due != UINT64_MAX && step < wait && sl_device_list_tends(more))
            wait = step;
    }
    return wait;
}

/* Moves what is from `from` on to `to`. */
static void move(struct sl_device_list *list, size_t to, size_t from)
{
    size_t count = list->count - from;
    memmove(&list->records[to], &list->records[from], count * sizeof(list->records[0]));
    memmove(&list->more[to], &list->more[from], count * sizeof(list->more[0]));
}

void sl_device_list_count_queues(struct sl_device_list *list, const struct sl_queue *queue)
{
    for (size_t i = 0; i < list->count; i++)
        list->records[i].queued = sl_queue_waiting_for(queue, list->records[i].name);
}

bool sl_device_list_runs(const struct sl_device_record *device, const struct sl_job_record *job)
{
    return job && job->state != SL_JOB_QUEUED && strcmp(job->device, device->name) == 0;
}

int sl_device_list_add(struct sl_device_list *list, const char *name, int kind)
{
    size_t i = place_of(list, name);
    if (is_at(list, i, name)) {
        list->more[i].leaving = false;
        list->records[i].kind = kind;
        return 0;
    }
    if (list->count == SL_MAX_DEVICES)
        return SL_E_FULL;
    move(list, i + 1, i);
    list->records[i] = (struct sl_device_record){.kind = kind, .state = SL_DEVICE_READY};
    snprintf(list->records[i].name, sizeof(list->records[i].name), "%s", name);
    list->more[i] = (struct sl_device_more){.leaving = false};
    sl_device_life_init(&list->more[i].life, 0, sl_crc32c(0, name, strlen(name)));
    list->count++;
    return 0;
}

int sl_device_list_leave(struct sl_device_list *list, const char *name)
{
    size_t i = place_of(list, name);
    if (!is_at(list, i, name))
        return SL_E_NOT_FOUND;
    list->more[i].leaving = true;
    return 0;
}

bool sl_device_list_drop(struct sl_device_list *list, const char *name)
{
    size_t i = place_of(list, name);
    if (!is_at(list, i, name) || !list->more[i].leaving || list->records[i].job != 0)
        return false;
    move(list, i, i + 1);
    list->count--;
    return true;
}
