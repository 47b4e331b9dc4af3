/* host/job/peers.c */
#include "host/job/peers.h"

#include <errno.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "host/records.h"
#include "host/spec/host_url.h"
#include "host/store/store.h"

/* A row may be committed after one with a later time: so far back it is looked again, at each word
 * of a change and at each beat, which is longer than a commit is waited for. What came later still
 * is found among all open jobs. */
enum {
    BACK_MS = 2000,
    FAR_BACK_MS = 90 * 1000,
    ALL_OPEN_MS = 300 * 1000, /* at most, and ten leases */
    BEATS_PER_LEASE = 3,
    TAKE_OVERS_A_BEAT = 8, /* each reads the names of a day's runs, in one transaction */
    AGAIN_MS = 1000
};

struct sl_peers_question {
    struct sl_peers_question *next; /* of those to be asked again */
    struct sl_peers *of;
    uint64_t job;
};

static void beat(struct sl_peers *peers);
static void ask(struct sl_peers_question *question);
static void on_timer(uv_timer_t *timer);

static uint64_t all_open_ms(const struct sl_peers *peers)
{
    uint64_t leases_ms = (uint64_t)10 * peers->lease_ms;
    return leases_ms < ALL_OPEN_MS ? leases_ms : ALL_OPEN_MS;
}

/* The next beat, or sooner what is to be asked again; the answer to a beat arms anew. */
static void arm(struct sl_peers *peers)
{
    uint64_t now = uv_now(peers->timer.loop);
    uint64_t wait_ms = peers->beat_at > now ? peers->beat_at - now : 0;
    bool soon = peers->questions || (peers->doubt && peers->seen_ms != 0);
    uint64_t at_most = soon ? AGAIN_MS : peers->later ? all_open_ms(peers) : UINT64_MAX;
    if (!peers->closing && !peers->beating)
        uv_timer_start(&peers->timer, on_timer, wait_ms < at_most ? wait_ms : at_most, 0);
}

void sl_peers_later(struct sl_peers *peers)
{
    peers->later = true;
    arm(peers);
}

void sl_peers_doubt(struct sl_peers *peers)
{
    peers->doubt = true;
    arm(peers);
}

/* --- changes of others --- */

static void read_changes(struct sl_peers *peers, uint64_t since_ms, uint64_t after_job);

static void look(struct sl_peers *peers, uint64_t back_ms, uint64_t from_ms)
{
    peers->again = peers->reading;
    if (!peers->reading)
        read_changes(peers, from_ms > back_ms ? from_ms - back_ms : 0, 0);
}

static void on_changes(void *user, int rc, const struct sl_job_record *rows, size_t count,
                       uint64_t next_cursor)
{
    struct sl_peers *peers = user;
    peers->pending--;
    peers->reading = false;
    for (size_t i = 0; i < count && !peers->closing; i++) {
        if (rows[i].written_ms > peers->at_ms)
            peers->at_ms = rows[i].written_ms;
        peers->events.row(peers->user, &rows[i]);
    }
    if (rc < 0)
        sl_peers_doubt(peers);
    else if (next_cursor != 0 && !peers->closing)
        read_changes(peers, rows[count - 1].written_ms, next_cursor);
    else if (peers->again && !peers->closing)
        look(peers, BACK_MS, peers->at_ms);
    peers->events.answered(peers->user); /* last: it may free this */
}

static void read_changes(struct sl_peers *peers, uint64_t since_ms, uint64_t after_job)
{
    const struct sl_changed_filter filter = {.since_ms = since_ms, .after_job = after_job};
    if (sl_store_list_changed(peers->store, &filter, on_changes, peers) < 0)
        return; /* the next beat looks */
    peers->reading = true;
    peers->pending++;
}

/* --- all open jobs --- */

static void read_open(struct sl_peers *peers, uint64_t cursor);

static void on_open(void *user, int rc, const struct sl_job_record *rows, size_t count,
                    uint64_t next_cursor)
{
    struct sl_peers *peers = user;
    peers->pending--;
    for (size_t i = 0; i < count && !peers->closing; i++)
        peers->events.row(peers->user, &rows[i]);
    if (rc < 0)
        sl_peers_doubt(peers);
    else if (next_cursor != 0 && !peers->closing)
        read_open(peers, next_cursor);
    peers->events.answered(peers->user); /* last */
}

static void read_open(struct sl_peers *peers, uint64_t cursor)
{
    const struct sl_jobs_filter filter = {.state = -1, .open_only = true, .cursor = cursor};
    if (sl_store_list_jobs(peers->store, &filter, on_open, peers) == 0)
        peers->pending++;
    else
        sl_peers_doubt(peers);
}

static void read_all_open(struct sl_peers *peers)
{
    peers->doubt = peers->later = false;
    peers->open_at = uv_now(peers->timer.loop);
    read_open(peers, 0);
}

/* --- jobs that another host lost --- */

struct taking {
    struct sl_peers *peers;
    struct sl_job_record job;
};

static void on_taken(void *user, int rc, uint64_t run)
{
    struct taking *taking = user;
    struct sl_peers *peers = taking->peers;
    peers->pending--;
    if (rc == 0) {
        peers->counts.taken_over++;
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT(run != 0 ? "run_taken_over" : "job_taken_over"),
               SL_LOG_JOB(taking->job.id), SL_LOG_TEXT("host", taking->job.host));
        if (!peers->closing)
            sl_peers_ask(peers, taking->job.id); /* it ended where its run was found */
    } /* else another host was first, or the next beat tries again */
    sl_free(taking);
    peers->events.answered(peers->user); /* last */
}

static void take_over(struct sl_peers *peers, const struct sl_job_record *row)
{
    struct sl_store_ending ending = {.job = *row, .expired = true};
    struct taking *taking = sl_calloc(1, sizeof(*taking));
    if (!taking)
        return;
    peers->events.expired(peers->user, &ending.job);
    *taking = (struct taking){peers, ending.job};
    if (sl_store_end_job(peers->store, &ending, on_taken, taking) < 0)
        sl_free(taking);
    else
        peers->pending++;
}

/* --- devices of others --- */

static void on_devices(void *user, int rc, const struct sl_device_record *rows, size_t count)
{
    struct sl_peers *peers = user;
    bool wanted = rc == 0 && !peers->closing;
    struct sl_device_record *copy = wanted && count > 0 ? sl_calloc(count, sizeof(*copy)) : NULL;
    peers->pending--;
    if (wanted && (copy || count == 0)) {
        for (size_t i = 0; i < count; i++) {
            copy[i] = rows[i];
            copy[i].traits = sl_device_kind_traits(rows[i].kind);
        }
        sl_free(peers->devices);
        peers->devices = copy;
        peers->device_count = count;
    }
    peers->events.answered(peers->user); /* last */
}

/* --- hosts --- */

/* A row is what another host says of itself; this one's token goes where it says. One that cannot
 * be asked is a host without an address. */
static void check_url(const struct sl_peers *peers, struct sl_host_record *host)
{
    bool sealed = sl_store_host_of(peers->store)->sealed;
    if (!sl_host_url_ok(host->url) || (sealed && !sl_host_url_is_sealed(host->url)))
        host->url[0] = '\0';
}

static void on_hosts(void *user, int rc, const struct sl_host_record *rows, size_t count,
                     uint64_t now_ms)
{
    struct sl_peers *peers = user;
    struct sl_host_record *copy =
        rc == 0 && count > 0 && !peers->closing ? sl_calloc(count, sizeof(*copy)) : NULL;
    peers->pending--;
    if (copy) {
        memcpy(copy, rows, count * sizeof(*copy));
        for (size_t i = 0; i < count; i++)
            check_url(peers, &copy[i]);
        sl_free(peers->hosts);
        peers->hosts = copy;
        peers->host_count = count;
        peers->hosts_at_ms = now_ms;
    }
    peers->events.answered(peers->user); /* last */
}

static bool is_another(const struct sl_peers *peers, const struct sl_host_record *host)
{
    return host->seen_ms + peers->lease_ms >= peers->hosts_at_ms &&
           strcmp(host->name, sl_store_host_of(peers->store)->name) != 0;
}

const struct sl_host_record *sl_peers_next_host(const struct sl_peers *peers, size_t *place)
{
    while (*place < peers->host_count) {
        const struct sl_host_record *host = &peers->hosts[(*place)++];
        if (is_another(peers, host))
            return host;
    }
    return NULL;
}

/* --- beats --- */

static bool is_unsure(const struct sl_peers *peers)
{
    uint64_t since_ms = uv_now(peers->timer.loop) - peers->open_at;
    return peers->seen_ms != 0 &&
           (peers->doubt || (peers->later && since_ms >= all_open_ms(peers)));
}

static void on_timer(uv_timer_t *timer)
{
    struct sl_peers *peers = timer->data;
    struct sl_peers_question *question = peers->questions;
    peers->questions = NULL;
    for (struct sl_peers_question *next; question; question = next) {
        next = question->next;
        ask(question);
    }
    if (is_unsure(peers))
        read_all_open(peers);
    if (uv_now(timer->loop) >= peers->beat_at && !peers->beating)
        beat(peers);
    else
        arm(peers);
}

/* A host that was not heard by the store itself does not know who else was: their beats may only
 * be late, as its own was. */
static void after_beat(struct sl_peers *peers, uint64_t now_ms, const struct sl_job_record *expired,
                       size_t count)
{
    uint64_t was_ms = peers->seen_ms, now = uv_now(peers->timer.loop);
    bool was_heard = was_ms != 0 && now_ms < was_ms + peers->lease_ms;
    peers->seen_ms = now_ms;
    if (sl_store_list_hosts(peers->store, on_hosts, peers) == 0)
        peers->pending++;
    for (size_t i = 0; i < count && i < TAKE_OVERS_A_BEAT && was_heard; i++)
        take_over(peers, &expired[i]);
    if (count > TAKE_OVERS_A_BEAT)
        peers->beat_at = now + AGAIN_MS;
    if (was_ms == 0) {
        peers->at_ms = now_ms;
        peers->open_at = now;
        return; /* all open jobs are about to be read */
    }
    if (peers->doubt || now - peers->open_at >= all_open_ms(peers))
        read_all_open(peers);
    look(peers, FAR_BACK_MS, was_ms);
    if (sl_store_list_host_devices(peers->store, on_devices, peers) == 0)
        peers->pending++;
}

static void on_beat(void *user, int rc, uint64_t now_ms, const struct sl_job_record *expired,
                    size_t count)
{
    struct sl_peers *peers = user;
    bool first = peers->seen_ms == 0;
    uint64_t wait_ms = rc < 0 ? AGAIN_MS : peers->lease_ms / BEATS_PER_LEASE;
    peers->pending--;
    peers->beating = false;
    *(rc < 0 ? &peers->counts.failed_beats : &peers->counts.beats) += 1;
    if (!peers->closing) {
        peers->beat_at = uv_now(peers->timer.loop) + wait_ms;
        if (rc < 0)
            peers->doubt = true;
        else
            after_beat(peers, now_ms, expired, count);
        arm(peers);
        if (first)
            peers->events.begun(peers->user, rc);
    }
    peers->events.answered(peers->user); /* last */
}

static void beat(struct sl_peers *peers)
{
    peers->events.beats(peers->user);
    if (sl_store_beat(peers->beats, on_beat, peers) < 0) {
        peers->beat_at = uv_now(peers->timer.loop) + AGAIN_MS;
        arm(peers);
        return;
    }
    peers->beating = true;
    peers->pending++;
}

void sl_peers_init(struct sl_peers *peers, uv_loop_t *loop, struct sl_store *store,
                   const struct sl_beats *beats, const struct sl_peers_events *events, void *user)
{
    *peers = (struct sl_peers){.store = store,
                               .beats = beats->store ? beats->store : store,
                               .events = *events,
                               .user = user,
                               .lease_ms = beats->lease_ms ? beats->lease_ms : SL_PEERS_LEASE_MS,
                               .open = true};
    uv_timer_init(loop, &peers->timer); /* cannot fail */
    peers->timer.data = peers;
}

void sl_peers_start(struct sl_peers *peers)
{
    beat(peers);
}

void sl_peers_look(struct sl_peers *peers)
{
    if (peers->seen_ms != 0 && !peers->closing)
        look(peers, BACK_MS, peers->at_ms);
}

/* --- one job --- */

static void keep(struct sl_peers_question *question)
{
    struct sl_peers *peers = question->of;
    if (peers->closing) {
        sl_free(question);
        return;
    }
    question->next = peers->questions;
    peers->questions = question;
    arm(peers);
}

static void on_row(void *user, int rc, const struct sl_job_record *job, const char *config_json)
{
    struct sl_peers_question *question = user;
    struct sl_peers *peers = question->of;
    (void)config_json;
    peers->pending--;
    if (rc < 0 && rc != SL_E_NOT_FOUND) {
        keep(question);
    } else {
        if (rc == 0 && !peers->closing)
            peers->events.row(peers->user, job);
        sl_free(question);
    }
    peers->events.answered(peers->user); /* last */
}

static void ask(struct sl_peers_question *question)
{
    if (sl_store_get_job(question->of->store, question->job, on_row, question) < 0)
        keep(question);
    else
        question->of->pending++;
}

void sl_peers_ask(struct sl_peers *peers, uint64_t job)
{
    struct sl_peers_question *question = sl_calloc(1, sizeof(*question));
    if (!question) {
        sl_peers_doubt(peers);
        return;
    }
    *question = (struct sl_peers_question){.of = peers, .job = job};
    ask(question);
}

/* --- the end --- */

bool sl_peers_busy(const struct sl_peers *peers)
{
    return peers->open || peers->pending > 0;
}

static void on_closed(uv_handle_t *handle)
{
    struct sl_peers *peers = handle->data;
    for (struct sl_peers_question *next; peers->questions; peers->questions = next) {
        next = peers->questions->next;
        sl_free(peers->questions);
    }
    sl_free(peers->devices);
    sl_free(peers->hosts);
    peers->devices = NULL;
    peers->hosts = NULL;
    peers->device_count = peers->host_count = 0;
    peers->open = false;
    peers->events.answered(peers->user); /* last */
}

void sl_peers_close(struct sl_peers *peers)
{
    peers->closing = true;
    uv_close((uv_handle_t *)&peers->timer, on_closed);
}
