/* host/job/lab.c */
#include "host/job/lab.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "host/job/admission.h"
#include "host/job/device_list.h"
#include "host/job/early_ends.h"
#include "host/job/events.h"
#include "host/job/lab_open.h"
#include "host/job/ledger.h"
#include "host/job/news.h"
#include "host/job/quarantine.h"
#include "host/job/queue.h"
#include "host/spec/names.h"
#include "host/store/store.h"

enum {
    CLOCK_JUMP_MS = 2000,      /* less is what a clock that is disciplined does */
    LOOK_AGAIN_MS = 60 * 1000, /* at the clock, which may be set while nothing happens */
    STEPS = 6
};

struct sl_lab {
    uv_loop_t *loop;
    struct sl_store *store; /* borrowed */
    struct sl_queue *queue;
    struct sl_events *events;
    uv_timer_t timer; /* of leases, and of steps to bring devices back */
    struct sl_ledger ledger;
    struct sl_runner runner;
    void (*opened)(void *user, int rc);
    void (*recover)(void *user, const char *device, int step);
    void *user;
    struct sl_device_list devices;
    uint64_t steps[STEPS]; /* done to bring devices back, by the step's bit */
    char state_dir[SL_PATH_BYTES];
    unsigned pending; /* requests that the store has not answered */
    bool draining, suspended, closing, loaded;
    struct sl_early_end *early; /* owned; told before it was loaded */
    int64_t clock_ahead_ms;     /* of the monotonic one, when it was looked at last */
    int open_handles;
    void (*closed)(void *user);
    void *closed_user;
};

static void assign(struct sl_lab *lab);
static void free_device(struct sl_lab *lab, const char *name, uint64_t job);
static void finish_close(struct sl_lab *lab);

/* Unix time. When somebody sets the clock, what waits for a time is moved along: a lease is a
 * duration, and no day's jump ends one. */
static uint64_t now_ms(struct sl_lab *lab)
{
    uint64_t now = sl_clock_utc_ms();
    int64_t ahead = (int64_t)(now - sl_clock_ns() / 1000000), jump = ahead - lab->clock_ahead_ms;
    if (lab->clock_ahead_ms != 0 && (jump > CLOCK_JUMP_MS || jump < -CLOCK_JUMP_MS)) {
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("clock_jumped"), SL_LOG_NUMBER("by_ms", jump));
        sl_queue_shift(lab->queue, jump);
    }
    lab->clock_ahead_ms = ahead;
    return now;
}

static struct sl_device_record *find_device(const struct sl_lab *lab, const char *name)
{
    return sl_device_list_find((struct sl_device_list *)(uintptr_t)&lab->devices, name);
}

static struct sl_device_more *more_of(const struct sl_lab *lab,
                                      const struct sl_device_record *device)
{
    return sl_device_list_more((struct sl_device_list *)(uintptr_t)&lab->devices, device);
}

/* --- devices: what they are worth now --- */

static void on_device_noted(void *user, int rc)
{
    struct sl_lab *lab = user;
    lab->pending--;
    if (rc < 0 && rc != SL_E_STATE)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("device_not_noted"), SL_LOG_REASON(sl_strerror(rc)));
    finish_close(lab);
}

/* Other hosts hear of a device as it is now. */
static void tell_others(struct sl_lab *lab, const struct sl_device_record *device)
{
    lab->pending++;
    int rc = sl_store_note_host_device(lab->store, device, on_device_noted, lab);
    if (rc < 0)
        on_device_noted(lab, rc);
}

static void publish_device(struct sl_lab *lab, struct sl_device_record *device)
{
    device->queued = sl_queue_waiting_for(lab->queue, device->name);
    sl_log(SL_LOG_INFO, SL_LOG_EVENT("device"), SL_LOG_DEVICE(device->name),
           SL_LOG_TEXT("state", sl_device_state_name(device->state)),
           SL_LOG_TEXT("cause", sl_device_cause_name(device->cause)),
           SL_LOG_REASON(device->detail));
    sl_news_device(lab->events, device);
}

void sl_lab_device_results(struct sl_lab *lab, const char *name, size_t results, uint64_t bytes)
{
    sl_news_results(lab->events, name, results, bytes);
}

static bool works(int state)
{
    return state == SL_DEVICE_READY || state == SL_DEVICE_BUSY;
}

/* The queue hears of each change; the log and listeners of those that are not a job's. */
static void refresh(struct sl_lab *lab, struct sl_device_record *device)
{
    struct sl_device_more *more = more_of(lab, device);
    struct sl_device_record was = *device;
    sl_device_list_tell(device, more);
    bool stops =
        device->job != 0 &&
        !sl_device_list_runs(
            device, sl_queue_find(lab->queue, device->job)); /* and gets no other meanwhile */
    if (works(device->state) && !more->leaving && more->reserved_until_ms == 0 && !stops)
        sl_queue_device_ready(lab->queue, device->name);
    else
        sl_queue_device_gone(lab->queue, device->name);
    if (device->state != was.state || device->job != was.job || device->cause != was.cause)
        more->told = false;
    if (works(device->state) != works(was.state) || device->cause != was.cause ||
        strcmp(device->detail, was.detail) != 0)
        publish_device(lab, device);
}

/* --- devices: how they are brought back --- */

static void quarantine(struct sl_lab *lab, struct sl_device_record *device, const char *reason)
{
    struct sl_device_more *more = more_of(lab, device);
    snprintf(more->out_why, sizeof(more->out_why), "%s", reason);
    more->out = true;
    refresh(lab, device);
}

/* The last step: what is wrong with it is its reason. */
static void give_up(struct sl_lab *lab, struct sl_device_record *device)
{
    char reason[SL_DETAIL_BYTES];
    const struct sl_device_more *more = more_of(lab, device);
    snprintf(reason, sizeof(reason), "quarantined, since nothing brought it back (%s): %.120s",
             sl_device_cause_name(device->cause),
             more->life.listed ? more->listed_why : more->link_why);
    int rc = sl_quarantine_keep(lab->state_dir, device->name, reason);
    if (rc < 0) /* it is out for this daemon all the same */
        sl_log(SL_LOG_ERROR, SL_LOG_EVENT("quarantine_not_kept"), SL_LOG_DEVICE(device->name),
               SL_LOG_REASON(sl_strerror(rc)));
    quarantine(lab, device, reason);
}

static int bit_of(int step)
{
    return step > 0 && step < 1 << STEPS ? __builtin_ctz((unsigned)step) : STEPS - 1;
}

/* One device's steps wait for no other's. */
static void tend(struct sl_lab *lab)
{
    for (size_t i = 0; i < lab->devices.count && !lab->closing; i++) {
        struct sl_device_record *device = &lab->devices.records[i];
        struct sl_device_more *more = &lab->devices.more[i];
        int step =
            sl_device_list_tends(more) ? sl_device_life_step(&more->life, uv_now(lab->loop)) : 0;
        if (step == 0)
            continue;
        lab->steps[bit_of(step)]++;
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("recovery"), SL_LOG_DEVICE(device->name),
               SL_LOG_TEXT("step", sl_device_step_name(step)),
               SL_LOG_NUMBER("steps", more->life.steps),
               SL_LOG_TEXT("cause", sl_device_cause_name(device->cause)));
        if (step == SL_STEP_QUARANTINE)
            give_up(lab, device);
        else if (lab->recover)
            lab->recover(lab->user, device->name, step);
    }
}

static void end_reservations(struct sl_lab *lab)
{
    uint64_t now = now_ms(lab);
    for (size_t i = 0; i < lab->devices.count; i++) {
        uint64_t until = lab->devices.more[i].reserved_until_ms;
        if (until != 0 && until <= now)
            sl_lab_reserve(lab, lab->devices.records[i].name, 0, "");
    }
}

uint64_t sl_lab_steps(const struct sl_lab *lab, int step)
{
    return lab->steps[bit_of(step)];
}

static void on_tick(uv_timer_t *timer)
{
    struct sl_lab *lab = timer->data;
    sl_queue_tick(lab->queue, now_ms(lab));
    end_reservations(lab);
    tend(lab);
    assign(lab);
}

/* In how many ms something is due of itself; UINT64_MAX: never. */
static uint64_t next_due(struct sl_lab *lab)
{
    uint64_t lease = sl_queue_next_tick_ms(lab->queue), now = now_ms(lab);
    uint64_t wait = lease == UINT64_MAX ? UINT64_MAX : lease > now ? lease - now : 0;
    uint64_t devices = sl_device_list_wait_ms(&lab->devices, now, uv_now(lab->loop));
    return devices < wait ? devices : wait;
}

/* Wakes when something is due, and once a minute while anything is; not otherwise. */
static void arm(struct sl_lab *lab)
{
    uint64_t wait = next_due(lab);
    if (wait == UINT64_MAX || lab->closing)
        uv_timer_stop(&lab->timer);
    else
        uv_timer_start(&lab->timer, on_tick, wait < LOOK_AGAIN_MS ? wait : LOOK_AGAIN_MS, 0);
}

static void assign(struct sl_lab *lab)
{
    uint64_t job;
    char name[SL_NAME_BYTES];
    while (lab->loaded && !lab->draining && !lab->suspended && !lab->closing &&
           sl_ledger_assign(&lab->ledger, &job, name)) {
        struct sl_device_record *device = find_device(lab, name);
        device->job = job;
        refresh(lab, device);
    }
    arm(lab);
}

/* --- what the ledger says --- */

static uint64_t on_now(void *user)
{
    return now_ms(user);
}

static void on_claimed(void *user, const struct sl_job_record *job, const char *config_json)
{
    struct sl_lab *lab = user;
    const struct sl_device_record *device = find_device(lab, job->device);
    uint64_t id = job->id;
    bool cancelled = job->cancel_wanted;
    char name[SL_NAME_BYTES];
    memcpy(name, job->device, sizeof(name));
    if (lab->closing)
        return;
    lab->runner.start(lab->runner.user, job, config_json, device);
    if (cancelled)
        lab->runner.cancel(lab->runner.user, id, name);
}

static void on_lost(void *user, uint64_t job, const char *device)
{
    struct sl_lab *lab = user;
    free_device(lab, device, job);
    assign(lab);
}

/* The device is free when it tells that it has stopped. */
static void on_stop(void *user, uint64_t job, const char *name)
{
    struct sl_lab *lab = user;
    struct sl_device_record *device = find_device(lab, name);
    if (device)
        refresh(lab, device);
    lab->runner.cancel(lab->runner.user, job, name);
}

static void on_cancel_wanted(void *user, uint64_t job)
{
    sl_lab_cancel(user, job);
}

static void on_jobs_changed(void *user)
{
    assign(user);
}

static void on_answered(void *user)
{
    finish_close(user);
}

struct submitting {
    struct sl_lab *lab;
    struct sl_job_record job;
    sl_lab_submit_fn done;
    void *user;
};

/* By a rule: then nothing of it is stored. */
static bool is_refused(int rc)
{
    return rc == SL_E_MISMATCH || rc == SL_E_LIMIT || rc == SL_E_NOT_FOUND || rc == -EACCES ||
           rc == SL_E_STATE;
}

static void on_submitted(void *user, int rc, uint64_t id)
{
    struct submitting *submitting = user;
    struct sl_lab *lab = submitting->lab;
    lab->pending--;
    if (rc == 0 && !lab->closing) {
        submitting->job.id = id;
        rc = sl_ledger_add(&lab->ledger, &submitting->job);
        if (rc == 0)
            sl_news_job(lab->events, &submitting->job);
    } else if (rc < 0 && !is_refused(rc) && !lab->closing) {
        sl_peers_doubt(&lab->ledger.peers); /* it may be stored all the same */
    }
    if (rc == 1) { /* the job was known before, by its key or by a list, and may have ended */
        rc = 0;
        if (!lab->closing && !sl_ledger_find(&lab->ledger, id))
            sl_peers_ask(&lab->ledger.peers, id);
    }
    submitting->done(submitting->user, rc, rc == 0 ? id : 0);
    sl_free(submitting);
    assign(lab);
    finish_close(lab);
}

int sl_lab_submit(struct sl_lab *lab, const struct sl_submission *submission, sl_lab_submit_fn done,
                  void *user, struct sl_diag *diag)
{
    if (lab->draining || lab->closing)
        return sl_diag_set(diag, SL_E_STATE, "lab", "the daemon is shutting down");
    struct sl_job_record job;
    const struct sl_admission_devices devices = {&lab->devices, lab->ledger.peers.devices,
                                                 lab->ledger.peers.device_count};
    int rc = sl_admission_check(lab->queue, &devices, submission->spec, now_ms(lab), &job, diag);
    if (rc < 0)
        return rc;
    struct submitting *submitting = sl_calloc(1, sizeof(*submitting));
    if (!submitting)
        return -ENOMEM;
    *submitting = (struct submitting){.lab = lab, .job = job, .done = done, .user = user};
    submitting->job.group_id = submission->group;
    snprintf(submitting->job.owner, sizeof(submitting->job.owner), "%s", submission->owner);
    lab->pending++;
    rc = sl_store_add_job(lab->store, &submitting->job, submission->config_json,
                          submission->idempotency_key, submission->max_open, on_submitted,
                          submitting);
    if (rc < 0) {
        lab->pending--;
        sl_free(submitting);
    }
    return rc;
}

int sl_lab_cancel(struct sl_lab *lab, uint64_t job)
{
    char device[SL_NAME_BYTES] = "";
    const struct sl_job_record *open = sl_queue_find(lab->queue, job);
    if (open && open->state != SL_JOB_QUEUED)
        memcpy(device, open->device, sizeof(device));
    if (!open && sl_ledger_find(&lab->ledger, job))
        return sl_ledger_pass_cancel_on(&lab->ledger, job, 0);
    if (!open || sl_queue_cancel(lab->queue, job, now_ms(lab)) < 0)
        return SL_E_NOT_FOUND;
    if (device[0])
        lab->runner.cancel(lab->runner.user, job, device);
    else
        assign(lab); /* those that come after it end too */
    return 0;
}

int sl_lab_cancel_group(struct sl_lab *lab, uint64_t group)
{
    uint64_t *jobs = NULL;
    size_t count = 0;
    int rc = sl_queue_group(lab->queue, group, &jobs, &count);
    for (size_t i = 0; i < count && rc == 0; i++)
        sl_lab_cancel(lab, jobs[i]);
    sl_free(jobs);
    return rc < 0 ? rc : sl_ledger_pass_cancel_on(&lab->ledger, 0, group);
}

int sl_lab_job_progress(struct sl_lab *lab, uint64_t job, const char *device, const char *type,
                        const char *json)
{
    if (!lab->loaded)
        return 0; /* whose it is comes from the store soon */
    if (sl_queue_renew(lab->queue, job, device, now_ms(lab)) < 0)
        return SL_E_NOT_FOUND;
    sl_events_add(lab->events, job, type, json);
    arm(lab);
    return 0;
}

int sl_lab_job_detached(struct sl_lab *lab, uint64_t job, const char *device, bool detached)
{
    return lab->loaded ? sl_ledger_detach(&lab->ledger, job, device, detached) : 0;
}

/* A person gets it, or the lab has it back and tries it anew if it is not well. */
static void lend(struct sl_lab *lab, const struct sl_device_record *device)
{
    struct sl_device_more *more = more_of(lab, device);
    bool lent = sl_device_list_is_lent(device, more);
    if (lent == more->lent)
        return;
    more->lent = lent;
    if (!lent)
        sl_device_life_again(&more->life, uv_now(lab->loop));
    if (lab->runner.lend)
        lab->runner.lend(lab->runner.user, device->name, lent);
}

/* A device that was to leave does, once it has no job. */
static void let_go(struct sl_lab *lab, const char *name)
{
    if (!sl_device_list_drop(&lab->devices, name))
        return;
    struct sl_device_record gone = {.state = 0};
    snprintf(gone.name, sizeof(gone.name), "%s", name);
    tell_others(lab, &gone);
    if (lab->runner.forget)
        lab->runner.forget(lab->runner.user, name);
}

/* The device is free, whether the job was still its or not. */
static void free_device(struct sl_lab *lab, const char *name, uint64_t job)
{
    struct sl_device_record *device = find_device(lab, name);
    if (!device || device->job != job)
        return;
    device->job = 0;
    refresh(lab, device);
    lend(lab, device);
    let_go(lab, name);
}

int sl_lab_job_ended(struct sl_lab *lab, uint64_t job, const char *device, int cause,
                     const char *detail, const struct sl_run_record *run)
{
    if (!lab->loaded && sl_early_ends_put(&lab->early, job, device, cause, detail, run) == 0)
        return 0;
    int rc = sl_ledger_finish(&lab->ledger, job, device, cause, detail, run);
    free_device(lab, device, job);
    assign(lab);
    return rc;
}

const struct sl_job_record *sl_lab_job(const struct sl_lab *lab, uint64_t job)
{
    return sl_ledger_find(&lab->ledger, job);
}

const struct sl_peers *sl_lab_peers(const struct sl_lab *lab)
{
    return &lab->ledger.peers;
}

void sl_lab_look(struct sl_lab *lab)
{
    sl_peers_look(&lab->ledger.peers);
}

size_t sl_lab_devices(const struct sl_lab *lab, const struct sl_device_record **out)
{
    *out = lab->devices.records;
    return lab->devices.count;
}

size_t sl_lab_devices_with_queues(struct sl_lab *lab, const struct sl_device_record **out)
{
    sl_device_list_count_queues(&lab->devices, lab->queue);
    return sl_lab_devices(lab, out);
}

const struct sl_device_record *sl_lab_device(const struct sl_lab *lab, const char *name)
{
    return find_device(lab, name);
}

static void changed(struct sl_lab *lab, struct sl_device_record *device)
{
    refresh(lab, device);
    lend(lab, device);
    if (lab->loaded)
        assign(lab);
}

int sl_lab_add_device(struct sl_lab *lab, const char *name, int kind)
{
    int rc = sl_device_list_add(&lab->devices, name, kind);
    struct sl_device_record *device = rc < 0 ? NULL : find_device(lab, name);
    if (!device)
        return rc;
    struct sl_device_more *more = more_of(lab, device);
    memcpy(device->host, lab->ledger.host, sizeof(device->host));
    more->lent = false; /* the runner may not have had it before */
    more->out = sl_quarantine_kept(lab->state_dir, name, more->out_why);
    more->reserved_until_ms = sl_reservation_kept(lab->state_dir, name, more->reserved_by);
    rc = sl_queue_device_is(lab->queue, device);
    changed(lab, device);
    return rc;
}

void sl_lab_tell_device(struct sl_lab *lab, const char *name, struct sl_device_traits traits,
                        const char *cpu)
{
    struct sl_device_record *device = sl_device_list_find(&lab->devices, name);
    if (!device)
        return;
    device->traits = traits;
    snprintf(device->cpu, sizeof(device->cpu), "%s", cpu);
}

/* More is known of it: jobs may go to it that could not. */
static void tell_queue(struct sl_lab *lab, const struct sl_device_record *device)
{
    sl_queue_device_is(lab->queue, device); /* it is known there: nothing is to be allocated */
    if (lab->loaded)
        assign(lab);
}

void sl_lab_tag_device(struct sl_lab *lab, const char *name, const char *tags)
{
    struct sl_device_record *device = find_device(lab, name);
    if (!device || strcmp(device->tags, tags) == 0)
        return;
    snprintf(device->tags, sizeof(device->tags), "%s", tags);
    tell_queue(lab, device);
}

/* Something is known of it that was not: the store keeps it. */
static void note(struct sl_lab *lab, struct sl_device_record *device)
{
    sl_device_facts_tell(&more_of(lab, device)->facts, device);
    lab->pending++;
    int rc = sl_store_note_device(lab->store, device, on_device_noted, lab);
    if (rc < 0)
        on_device_noted(lab, rc);
    tell_queue(lab, device);
}

void sl_lab_device_facts(struct sl_lab *lab, const char *name, const struct sl_device_facts *facts)
{
    struct sl_device_record *device = find_device(lab, name);
    if (!device)
        return;
    more_of(lab, device)->facts = *facts;
    note(lab, device);
}

void sl_lab_device_conditions(struct sl_lab *lab, const char *name,
                              const struct sl_device_conditions *now)
{
    struct sl_device_record *device = find_device(lab, name);
    if (!device)
        return;
    sl_device_conditions_tell(now, sl_clock_utc_ms(), device);
    more_of(lab, device)->told = false;
}

void sl_lab_describe_device(struct sl_lab *lab, const char *name, const char *model,
                            const char *soc, const char *system)
{
    struct sl_device_record *device = find_device(lab, name);
    if (!device)
        return;
    snprintf(device->model, sizeof(device->model), "%s", model);
    snprintf(device->soc, sizeof(device->soc), "%s", soc);
    snprintf(device->system, sizeof(device->system), "%s", system);
    note(lab, device);
}

/* The listing or the link says how it is. */
static void tell_life(struct sl_lab *lab, const char *name, bool listed, int cause, const char *why)
{
    struct sl_device_record *device = find_device(lab, name);
    if (!device)
        return;
    struct sl_device_more *more = more_of(lab, device);
    snprintf(listed ? more->listed_why : more->link_why, SL_DETAIL_BYTES, "%s", why);
    (listed ? sl_device_life_listed : sl_device_life_link)(&more->life, cause, uv_now(lab->loop));
    changed(lab, device);
}

void sl_lab_device_listed(struct sl_lab *lab, const char *name, int cause, const char *why)
{
    tell_life(lab, name, true, cause, why);
}

void sl_lab_device_link(struct sl_lab *lab, const char *name, int cause, const char *why)
{
    tell_life(lab, name, false, cause, why);
}

void sl_lab_device_can(struct sl_lab *lab, const char *name, unsigned steps, uint32_t pause_ms)
{
    struct sl_device_record *device = find_device(lab, name);
    if (!device)
        return;
    struct sl_device_life *life = &more_of(lab, device)->life;
    life->can = steps;
    life->pause_ms = pause_ms;
}

int sl_lab_remove_device(struct sl_lab *lab, const char *name)
{
    int rc = sl_device_list_leave(&lab->devices, name);
    if (rc < 0)
        return rc;
    sl_queue_device_gone(lab->queue, name);
    let_go(lab, name);
    return 0;
}

int sl_lab_quarantine(struct sl_lab *lab, const char *name, const char *reason)
{
    struct sl_device_record *device = find_device(lab, name);
    int rc = device ? sl_quarantine_keep(lab->state_dir, name, reason) : SL_E_NOT_FOUND;
    if (rc < 0)
        return rc;
    if (reason) {
        quarantine(lab, device, reason);
        return 0;
    }
    struct sl_device_more *more = more_of(lab, device);
    more->out = false;
    sl_device_life_again(&more->life, uv_now(lab->loop));
    changed(lab, device);
    arm(lab);
    return 0;
}

int sl_lab_reserve(struct sl_lab *lab, const char *name, uint64_t until_ms, const char *who)
{
    struct sl_device_record *device = find_device(lab, name);
    int rc = device ? sl_reservation_keep(lab->state_dir, name, until_ms, who) : SL_E_NOT_FOUND;
    if (rc < 0)
        return rc;
    struct sl_device_more *more = more_of(lab, device);
    more->reserved_until_ms = until_ms;
    snprintf(more->reserved_by, sizeof(more->reserved_by), "%s", who);
    changed(lab, device);
    return 0;
}

int sl_lab_probe(struct sl_lab *lab, const char *name)
{
    struct sl_device_record *device = find_device(lab, name);
    if (!device)
        return SL_E_NOT_FOUND;
    struct sl_device_more *more = more_of(lab, device);
    sl_device_life_again(&more->life, uv_now(lab->loop));
    if (lab->recover) {
        if (more->life.link != SL_CAUSE_DEVICE_WELL) /* one that is up may have a run */
            lab->recover(lab->user, name, SL_STEP_RECONNECT);
        if (more->life.can & SL_STEP_PROBE)
            lab->recover(lab->user, name, SL_STEP_PROBE);
    }
    if (lab->loaded)
        assign(lab);
    return 0;
}

const struct sl_queue *sl_lab_queue(const struct sl_lab *lab)
{
    return lab->queue;
}

int sl_lab_listen(struct sl_lab *lab, uint64_t job, uint64_t after, sl_lab_event_fn on_event,
                  void *user, struct sl_lab_listener **out)
{
    return sl_events_listen(lab->events, job, after, on_event, user, out);
}

struct sl_store *sl_lab_store(const struct sl_lab *lab)
{
    return lab->store;
}

const char *sl_lab_state_dir(const struct sl_lab *lab)
{
    return lab->state_dir;
}

/* The job that the device goes on with since an earlier daemon; 0: none. */
static uint64_t held_by(const struct sl_lab *lab, const char *device)
{
    return lab->runner.held ? lab->runner.held(lab->runner.user, device) : 0;
}

/* A job that ran when the daemon ended goes on if the device still has it, else it is queued. */
static void add_back(struct sl_lab *lab, const struct sl_job_record *row)
{
    struct sl_job_record job = *row;
    bool runs = job.state == SL_JOB_RUNNING;
    if (runs && strcmp(job.host, lab->ledger.host) != 0) {
        sl_ledger_row(&lab->ledger, &job);
        return;
    }
    if (runs) {
        bool held = sl_early_ends_have(lab->early, job.id, job.device) ||
                    held_by(lab, job.device) == job.id;
        job.lease_until_ms =
            held ? now_ms(lab) + SL_LEASE_MS : 0; /* the first tick ends one of 0 */
        snprintf(job.detail, sizeof(job.detail), "the daemon ended while it ran");
    }
    sl_ledger_add(&lab->ledger, &job);
}

/* A device that goes on with a job is busy, whoever has that job by now; with one that is not its
 * own, or has ended, it must stop. */
static void take_held(struct sl_lab *lab)
{
    for (size_t i = 0; i < lab->devices.count; i++) {
        struct sl_device_record *device = &lab->devices.records[i];
        uint64_t job = held_by(lab, device->name);
        if (job == 0)
            continue;
        device->job = job;
        refresh(lab, device);
        if (!sl_device_list_runs(device, sl_queue_find(lab->queue, device->job)))
            on_stop(lab, job, device->name);
    }
}

static void tell_early_ends(struct sl_lab *lab)
{
    for (struct sl_early_end *end; (end = sl_early_ends_take(&lab->early)); sl_free(end))
        sl_lab_job_ended(lab, end->job, end->device, end->cause, end->detail,
                         end->has_run ? &end->run : NULL);
}

static void load_page(struct sl_lab *lab, uint64_t cursor);

static void on_loaded(void *user, int rc, const struct sl_job_record *rows, size_t count,
                      uint64_t next_cursor)
{
    struct sl_lab *lab = user;
    lab->pending--;
    for (size_t i = 0; i < count && !lab->closing && !lab->draining; i++)
        add_back(lab, &rows[i]);
    if (rc == 0 && next_cursor != 0 && !lab->closing) {
        load_page(lab, next_cursor);
        return;
    }
    if (!lab->closing) {
        lab->loaded = true;
        take_held(lab);
        lab->opened(lab->user, rc);
        tell_early_ends(lab);
        sl_queue_tick(lab->queue, now_ms(lab));
        assign(lab);
    }
    finish_close(lab);
}

static void load_page(struct sl_lab *lab, uint64_t cursor)
{
    struct sl_jobs_filter filter = {.state = -1, .open_only = true, .cursor = cursor};
    lab->pending++;
    int rc = sl_store_list_jobs(lab->store, &filter, on_loaded, lab);
    if (rc < 0)
        on_loaded(lab, rc, NULL, 0, 0);
}

static void on_begun(void *user, int rc)
{
    struct sl_lab *lab = user;
    if (rc < 0)
        lab->opened(lab->user, rc);
    else
        load_page(lab, 0);
}

static void on_beats(void *user)
{
    struct sl_lab *lab = user;
    for (size_t i = 0; i < lab->devices.count; i++) {
        struct sl_device_more *more = &lab->devices.more[i];
        if (!more->told)
            tell_others(lab, &lab->devices.records[i]);
        more->told = true;
    }
}

static void open_ledger(struct sl_lab *lab, const struct sl_lab_options *options)
{
    const struct sl_ledger_setup setup = {
        .store = options->store,
        .beats = options->beats,
        .queue = lab->queue,
        .events = lab->events,
        .host = options->host,
        .calls = {on_now, on_begun, on_claimed, on_lost, on_stop, on_cancel_wanted, on_jobs_changed,
                  on_beats, on_answered},
        .user = lab,
    };
    sl_ledger_init(&lab->ledger, lab->loop, &setup);
}

int sl_lab_open(uv_loop_t *loop, const struct sl_lab_options *options, struct sl_lab **out)
{
    struct sl_lab *lab = sl_calloc(1, sizeof(*lab));
    if (!lab)
        return -ENOMEM;
    *lab = (struct sl_lab){.loop = loop,
                           .store = options->store,
                           .runner = options->runner,
                           .opened = options->opened,
                           .recover = options->recover,
                           .user = options->user};
    snprintf(lab->state_dir, sizeof(lab->state_dir), "%s", options->state_dir);
    int rc = sl_queue_new(sl_ledger_changed, &lab->ledger, &lab->queue);
    if (rc == 0)
        rc = sl_events_new(loop, options->last_event, &lab->events);
    if (rc < 0) {
        sl_queue_free(lab->queue);
        sl_free(lab);
        return rc;
    }
    uv_timer_init(loop, &lab->timer);
    open_ledger(lab, options);
    lab->timer.data = lab;
    lab->open_handles = 2; /* the timer and the events */
    *out = lab;
    sl_ledger_start(&lab->ledger);
    return 0;
}

void sl_lab_drain(struct sl_lab *lab)
{
    lab->draining = true;
}

void sl_lab_suspend(struct sl_lab *lab, bool suspended)
{
    lab->suspended = suspended;
    assign(lab);
}

static void finish_close(struct sl_lab *lab)
{
    if (!lab->closing || lab->pending > 0 || lab->open_handles > 0 || sl_ledger_busy(&lab->ledger))
        return;
    void (*closed)(void *) = lab->closed;
    void *user = lab->closed_user;
    sl_ledger_fini(&lab->ledger);
    sl_queue_free(lab->queue);
    for (struct sl_early_end *end; (end = sl_early_ends_take(&lab->early));)
        sl_free(end);
    sl_free(lab);
    closed(user);
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct sl_lab *lab = handle->data;
    lab->open_handles--;
    finish_close(lab);
}

static void on_events_closed(void *user)
{
    struct sl_lab *lab = user;
    lab->open_handles--;
    finish_close(lab);
}

void sl_lab_close(struct sl_lab *lab, void (*closed)(void *user), void *user)
{
    if (lab->closing)
        return;
    lab->closing = true;
    lab->closed = closed;
    lab->closed_user = user;
    uv_close((uv_handle_t *)&lab->timer, on_timer_closed);
    sl_ledger_close(&lab->ledger);
    sl_events_close(lab->events, on_events_closed, lab);
}
