/* host/job/ledger.c */
#include "host/job/ledger.h"

#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "host/job/ending.h"
#include "host/job/news.h"
#include "host/job/queue.h"
#include "host/job/row_news.h"
#include "host/store/store.h"

enum { ENDED_KEPT_MS = 300 * 1000 }; /* rows are read again for less */

static uint64_t now_ms(const struct sl_ledger *ledger)
{
    return ledger->setup.calls.now_ms(ledger->setup.user);
}

static bool has_ended(const struct sl_job_record *job)
{
    return job->state == SL_JOB_DONE || job->state == SL_JOB_FAILED ||
           job->state == SL_JOB_CANCELLED;
}

static void on_answered(void *user)
{
    const struct sl_ledger *ledger = user;
    ledger->setup.calls.answered(ledger->setup.user);
}

/* --- what happens here --- */

/* Until its end is stored. */
static void keep_open(struct sl_ledger *ledger, const struct sl_job_record *job)
{
    struct sl_job_record open = *job;
    open.state = job->attempts > 0 ? SL_JOB_RUNNING : SL_JOB_QUEUED;
    memcpy(open.host, ledger->host, sizeof(open.host));
    sl_elsewhere_put(&ledger->elsewhere, &open);
}

/* A job that begins is not told before its claim is answered, and one that has ended is open until
 * its end is stored. */
void sl_ledger_changed(void *user, const struct sl_job_record *job)
{
    struct sl_ledger *ledger = user;
    bool begins = ledger->assigning && job->state == SL_JOB_RUNNING;
    if (ledger->quiet || begins || sl_claims_has(&ledger->claims, job->id))
        return;
    struct sl_job_record stored = *job;
    if (has_ended(job))
        keep_open(ledger, job);
    if (stored.state == SL_JOB_DETACHED)
        stored.state = SL_JOB_RUNNING; /* a later daemon finds out by itself */
    sl_job_saver_save(&ledger->saver, &stored, ledger->run);
}

/* A job that has become another host's meanwhile is as that host says. */
static void on_stored(void *user, const struct sl_job_record *job, int rc)
{
    struct sl_ledger *ledger = user;
    bool by_wish = job->state == SL_JOB_CANCELLED && job->cause != SL_CAUSE_DEADLINE &&
                   job->cause != SL_CAUSE_DEPENDENCY;
    if (has_ended(job))
        sl_elsewhere_drop(&ledger->elsewhere, job->id);
    if (rc == 0) {
        sl_news_job(ledger->setup.events, job);
        return;
    }
    if (by_wish)
        sl_ledger_pass_cancel_on(ledger, job->id, 0);
    sl_peers_ask(&ledger->peers, job->id);
}

static void on_claimed(void *user, const struct sl_job_record *job, const char *config_json)
{
    struct sl_ledger *ledger = user;
    const struct sl_job_record *open = sl_queue_find(ledger->setup.queue, job->id);
    if (!open) /* it cannot be: nothing takes it out while it is claimed */
        return;
    sl_news_job(ledger->setup.events, open);
    if (open->cancel_wanted) /* it was not written down */
        sl_job_saver_save(&ledger->saver, open, NULL);
    ledger->setup.calls.claimed(ledger->setup.user, open, config_json);
}

/* Another host was first. */
static void on_lost(void *user, uint64_t job, const char *device)
{
    struct sl_ledger *ledger = user;
    sl_queue_drop(ledger->setup.queue, job);
    sl_peers_ask(&ledger->peers, job);
    ledger->setup.calls.lost(ledger->setup.user, job, device);
}

static void on_claim_waits(void *user, uint64_t job, const char *device)
{
    struct sl_ledger *ledger = user;
    sl_queue_renew(ledger->setup.queue, job, device, now_ms(ledger));
}

bool sl_ledger_assign(struct sl_ledger *ledger, uint64_t *out_job, char out_device[SL_NAME_BYTES])
{
    struct sl_queue *queue = ledger->setup.queue;
    ledger->assigning = true;
    bool found = sl_queue_assign(queue, now_ms(ledger), out_job, out_device);
    ledger->assigning = false;
    int rc = found ? sl_claims_make(&ledger->claims, sl_queue_find(queue, *out_job)) : 0;
    if (rc < 0)
        sl_queue_finish(queue, *out_job, out_device, SL_CAUSE_LAB, 0, sl_strerror(rc),
                        now_ms(ledger));
    return found && rc == 0;
}

int sl_ledger_finish(struct sl_ledger *ledger, uint64_t job, const char *device, int cause,
                     const char *detail, const struct sl_run_record *run)
{
    ledger->run = run;
    int rc = sl_queue_finish(ledger->setup.queue, job, device, cause, 0, detail, now_ms(ledger));
    ledger->run = NULL;
    return rc;
}

int sl_ledger_detach(struct sl_ledger *ledger, uint64_t job, const char *device, bool detached)
{
    const struct sl_job_record *own = sl_queue_find(ledger->setup.queue, job);
    int was = own ? own->state : SL_JOB_QUEUED;
    ledger->quiet = true; /* to the store it runs */
    int rc = sl_queue_detach(ledger->setup.queue, job, device, detached);
    ledger->quiet = false;
    if (rc == 0 && own->state != was)
        sl_news_job(ledger->setup.events, own);
    return rc;
}

/* Ends a job that is stored and that the queue cannot take. */
static void give_up(struct sl_ledger *ledger, const struct sl_job_record *job, int rc)
{
    struct sl_job_record failed = *job;
    failed.state = SL_JOB_FAILED;
    failed.cause = SL_CAUSE_LAB;
    failed.ended_ms = now_ms(ledger);
    snprintf(failed.detail, sizeof(failed.detail), "it could not be queued: %s", sl_strerror(rc));
    sl_log(SL_LOG_ERROR, SL_LOG_EVENT("job_not_queued"), SL_LOG_JOB(job->id),
           SL_LOG_REASON(sl_strerror(rc)));
    sl_ledger_changed(ledger, &failed);
    sl_queue_ended(ledger->setup.queue, job->id, false);
}

static int add(struct sl_ledger *ledger, const struct sl_job_record *job)
{
    ledger->quiet = true; /* it is stored already */
    int rc = sl_queue_add(ledger->setup.queue, job);
    ledger->quiet = false;
    if (rc == 0)
        sl_dependencies_ask(&ledger->dependencies, job);
    return rc;
}

int sl_ledger_add(struct sl_ledger *ledger, const struct sl_job_record *job)
{
    if (sl_ledger_find(ledger, job->id))
        return 1;
    int rc = add(ledger, job);
    if (rc < 0)
        give_up(ledger, job, rc);
    return rc;
}

const struct sl_job_record *sl_ledger_find(const struct sl_ledger *ledger, uint64_t job)
{
    const struct sl_job_record *own = sl_queue_find(ledger->setup.queue, job);
    return own ? own : sl_elsewhere_open(&ledger->elsewhere, job);
}

/* --- what others do --- */

int sl_ledger_pass_cancel_on(struct sl_ledger *ledger, uint64_t job, uint64_t group)
{
    return sl_wishes_add(&ledger->wishes, job, group);
}

/* The queue has it no more; a device that is at it must stop. */
static void drop(struct sl_ledger *ledger, const struct sl_job_record *own)
{
    uint64_t job = own->id;
    bool runs = own->state != SL_JOB_QUEUED;
    char device[SL_NAME_BYTES];
    memcpy(device, own->device, sizeof(device));
    sl_queue_drop(ledger->setup.queue, job);
    if (!runs)
        return;
    sl_log(SL_LOG_WARNING, SL_LOG_EVENT("job_lost_to_another_host"), SL_LOG_JOB(job),
           SL_LOG_DEVICE(device));
    ledger->setup.calls.stop(ledger->setup.user, job, device);
}

/* A job that has no room here is left to other hosts, and read again later. */
static void take_in(struct sl_ledger *ledger, const struct sl_job_record *row)
{
    bool seen = sl_elsewhere_same(&ledger->elsewhere, row);
    sl_elsewhere_drop(&ledger->elsewhere, row->id);
    int rc = add(ledger, row);
    if (!seen)
        sl_news_job(ledger->setup.events, row);
    if (rc < 0) {
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("job_left_to_others"), SL_LOG_JOB(row->id),
               SL_LOG_REASON(sl_strerror(rc)));
        sl_elsewhere_put(&ledger->elsewhere, row);
        sl_peers_later(&ledger->peers);
    } else if (row->cancel_wanted) {
        ledger->setup.calls.cancel(ledger->setup.user, row->id);
    }
}

/* Has the job ended here, and the store does not know yet? */
static bool is_ending(const struct sl_ledger *ledger, uint64_t job)
{
    const struct sl_job_record *kept = sl_elsewhere_open(&ledger->elsewhere, job);
    return kept && strcmp(kept->host, ledger->host) == 0;
}

void sl_ledger_row(struct sl_ledger *ledger, const struct sl_job_record *row)
{
    struct sl_queue *queue = ledger->setup.queue;
    const struct sl_job_record *own = sl_queue_find(queue, row->id);
    if (is_ending(ledger, row->id) || sl_claims_has(&ledger->claims, row->id) ||
        sl_elsewhere_ended(&ledger->elsewhere, row->id))
        return;
    enum sl_row_news news = sl_row_news(own, row, ledger->host);
    if (news == SL_ROW_OLD)
        return;
    if (news == SL_ROW_WANTS_CANCEL) {
        ledger->setup.calls.cancel(ledger->setup.user, row->id);
        return;
    }
    if (own)
        drop(ledger, own);
    if (news == SL_ROW_WAITS) {
        take_in(ledger, row);
    } else {
        bool seen = sl_elsewhere_same(&ledger->elsewhere, row);
        sl_elsewhere_put(&ledger->elsewhere, row);
        if (!seen)
            sl_news_job(ledger->setup.events, row);
    }
    if (news == SL_ROW_HAS_ENDED)
        sl_queue_ended(queue, row->id, row->state == SL_JOB_DONE);
    ledger->setup.calls.changed(ledger->setup.user);
}

static void on_row(void *user, const struct sl_job_record *row)
{
    sl_ledger_row(user, row);
}

static void on_expired(void *user, struct sl_job_record *job)
{
    const struct sl_ledger *ledger = user;
    char why[SL_DETAIL_BYTES];
    snprintf(why, sizeof(why), "host %s was not heard of for %u s", job->host,
             (unsigned)(ledger->peers.lease_ms / 1000));
    sl_ending_note(job, SL_CAUSE_LAB, 0, why, now_ms(ledger));
}

static void on_begun(void *user, int rc)
{
    const struct sl_ledger *ledger = user;
    ledger->setup.calls.begun(ledger->setup.user, rc);
}

static void on_beats(void *user)
{
    struct sl_ledger *ledger = user;
    uint64_t seen_ms = ledger->peers.seen_ms;
    sl_elsewhere_purge(&ledger->elsewhere, seen_ms > ENDED_KEPT_MS ? seen_ms - ENDED_KEPT_MS : 0);
    ledger->setup.calls.beats(ledger->setup.user);
}

/* --- life --- */

/* A job may begin now, or never will. */
static void on_dependency(void *user)
{
    const struct sl_ledger *ledger = user;
    ledger->setup.calls.changed(ledger->setup.user);
    on_answered(user);
}

void sl_ledger_init(struct sl_ledger *ledger, uv_loop_t *loop, const struct sl_ledger_setup *setup)
{
    static const struct sl_job_saver_events saver = {on_stored, on_answered};
    static const struct sl_claims_events claims = {on_claimed, on_lost, on_claim_waits,
                                                   on_answered};
    static const struct sl_peers_events peers = {on_begun, on_row, on_beats, on_expired,
                                                 on_answered};
    *ledger = (struct sl_ledger){.setup = *setup};
    snprintf(ledger->host, sizeof(ledger->host), "%s", setup->host ? setup->host : "");
    sl_job_saver_init(&ledger->saver, loop, setup->store, &saver, ledger);
    sl_dependencies_init(&ledger->dependencies, loop, setup->queue, &ledger->saver, on_dependency,
                         ledger);
    sl_wishes_init(&ledger->wishes, loop, setup->store, on_answered, ledger);
    sl_claims_init(&ledger->claims, loop, setup->store, &claims, ledger);
    sl_peers_init(&ledger->peers, loop, setup->store, &setup->beats, &peers, ledger);
}

void sl_ledger_start(struct sl_ledger *ledger)
{
    sl_peers_start(&ledger->peers);
}

bool sl_ledger_busy(const struct sl_ledger *ledger)
{
    return sl_wishes_busy(&ledger->wishes) || sl_job_saver_busy(&ledger->saver) ||
           sl_dependencies_busy(&ledger->dependencies) || sl_claims_busy(&ledger->claims) ||
           sl_peers_busy(&ledger->peers);
}

void sl_ledger_close(struct sl_ledger *ledger)
{
    sl_peers_close(&ledger->peers);
    sl_wishes_close(&ledger->wishes);
    sl_claims_close(&ledger->claims);
    sl_job_saver_close(&ledger->saver);
    sl_dependencies_close(&ledger->dependencies);
}

void sl_ledger_fini(struct sl_ledger *ledger)
{
    sl_elsewhere_fini(&ledger->elsewhere);
}
