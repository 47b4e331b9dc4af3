/* agent/serve/server.c */
#include "agent/serve/server.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <uv.h>

#include "agent/probe/dumpsys.h"
#include "agent/serve/blob_store.h"
#include "agent/serve/clean.h"
#include "agent/serve/inference.h"
#include "agent/serve/job_dir.h"
#include "agent/serve/look.h"
#include "agent/serve/sender.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "common/base/run_id.h"
#include "common/net/address.h"
#include "common/net/channel.h"
#include "common/net/handshake.h"
#include "common/net/message.h"
#include "common/net/secret.h"
#include "proto/envelope.pb-c.h"

enum {
    MAX_JOBS = 64,
    MAX_STRANGERS = 8, /* more make the oldest give way: silent ones cannot shut the host out */
    RETRY_FIRST_MS = 250,
    RETRY_LAST_MS = 8000,
    MAX_PROBE_BYTES = 256 << 10
};
static const char software[] = "sme2lab-agent " SL_VERSION;

struct sl_server {
    uv_loop_t *loop;
    char workdir[512], self[512], program[512], *probe_json;
    char program_sha256[65];
    uint8_t secret[SL_SECRET_BYTES];
    char secret_file[SL_SERVER_SECRET_FILE_BYTES]; /* "": the secret stays */
    uint64_t spool_bytes;
    uint64_t epoch;              /* of this start */
    bool emulated, sealed;       /* the latter: links leave the machine */
    struct sl_blob_store *blobs; /* owned */
    uv_poll_t listener;
    uv_timer_t retry;
    int listen_fd, open_handles;
    bool listening, connecting_out, closing, blobs_closing;
    struct sl_address peer; /* to connect to */
    unsigned retry_ms;
    struct sl_channel *strangers[MAX_STRANGERS]; /* not proven yet, the oldest first */
    size_t stranger_count, open_links;           /* the latter with those that are closing */
    struct sl_channel *channel;                  /* the host; NULL without a link */
    bool resumed;                                /* it has said what it has */
    struct sl_sender senders[MAX_JOBS];
    size_t job_count;
    struct sl_inference *inference; /* NULL: idle */
    struct sl_look *look;           /* under way; it frees itself */
    struct sl_job_dir *running;     /* its directory */
    uint32_t running_pairs;
    void (*closed)(void *user);
    void *closed_user;
};

static void pump(struct sl_server *server);
static void finish_close(struct sl_server *server);

static struct sl_sender *find_sender(struct sl_server *server, struct sl_run_id id)
{
    for (size_t i = 0; i < server->job_count; i++) {
        if (sl_run_ids_equal(server->senders[i].dir->id, id))
            return &server->senders[i];
    }
    return NULL;
}

/* Said even when nothing is kept any more. */
static void tell_kept(struct sl_server *server)
{
    Sme2lab__Proto__KeptJob jobs[MAX_JOBS], *pointers[MAX_JOBS];
    Sme2lab__Proto__Kept kept = SME2LAB__PROTO__KEPT__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    if (!server->channel || !server->resumed)
        return;
    for (size_t i = 0; i < server->job_count; i++) {
        const struct sl_sender *sender = &server->senders[i];
        Sme2lab__Proto__KeptJob *job = &jobs[kept.n_jobs];
        if (!sender->kept)
            continue;
        sme2lab__proto__kept_job__init(job);
        job->job = sender->dir->id.low;
        job->job_high = sender->dir->id.high;
        job->bytes = sl_sender_bytes(sender);
        if (sender->dir->result)
            job->outcome = sender->dir->result->outcome;
        pointers[kept.n_jobs++] = job;
    }
    kept.jobs = pointers;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_KEPT;
    envelope.kept = &kept;
    sl_channel_tell(server->channel, &envelope);
}

static void forget(struct sl_server *server, struct sl_sender *sender)
{
    bool kept = sender->kept;
    sl_job_dir_remove(sender->dir);
    *sender = server->senders[--server->job_count];
    if (kept)
        tell_kept(server);
}

static void send_state(struct sl_server *server, struct sl_run_id job, Sme2lab__Proto__Phase phase,
                       uint32_t pair)
{
    Sme2lab__Proto__JobState state = SME2LAB__PROTO__JOB_STATE__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    state.job = job.low;
    state.job_high = job.high;
    state.phase = phase;
    state.pair = pair;
    state.pairs = server->running_pairs;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_STATE;
    envelope.state = &state;
    if (server->channel)
        sl_channel_send(server->channel, &envelope); /* progress only: a full link may lose it */
}

/* Refuses one job, not the connection: as a result that carries the reason. */
static void refuse_job(struct sl_server *server, struct sl_run_id job,
                       Sme2lab__Proto__Outcome outcome, const char *reason)
{
    Sme2lab__Proto__Result result = SME2LAB__PROTO__RESULT__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    result.job = job.low;
    result.job_high = job.high;
    result.outcome = outcome;
    result.detail = (char *)(uintptr_t)reason;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_RESULT;
    envelope.result = &result;
    sl_channel_send(server->channel, &envelope);
}

static void on_progress(void *user, uint32_t pair)
{
    struct sl_server *server = user;
    send_state(server, server->running->id, SME2LAB__PROTO__PHASE__PHASE_MEASURING, pair);
    pump(server);
}

static void on_ended(void *user, int rc)
{
    struct sl_server *server = user;
    struct sl_run_id id = server->running->id;
    const struct sl_sender *sender = find_sender(server, id);
    server->inference = NULL;
    server->running = NULL;
    sl_blob_store_release(server->blobs);
    if (rc < 0 && server->channel)
        refuse_job(server, id, SME2LAB__PROTO__OUTCOME__OUTCOME_NOT_STARTED,
                   "the agent could not store the result: is its disk full?");
    if (sender && sender->kept)
        tell_kept(server);
    pump(server);
    if (server->closing)
        finish_close(server);
}

/* Sent again after a lost link, or asked for by a host that had not named it: what another one
 * acknowledged counts no more. */
static void go_on(struct sl_server *server, struct sl_sender *sender)
{
    if (!sender->kept)
        return;
    sl_sender_restart(sender);
    tell_kept(server);
    pump(server);
}

/* An agent that only holds what nobody fetches does not get room by waiting. */
static void refuse_for_now(struct sl_server *server, struct sl_run_id job)
{
    char reason[192];
    size_t kept = 0;
    for (size_t i = 0; i < server->job_count; i++)
        kept += server->senders[i].kept;
    snprintf(reason, sizeof(reason),
             "the agent holds %zu results that no daemon has fetched: 'sme2lab device results "
             "NAME' lists, collects and forgets them",
             kept);
    if (!server->inference && kept > 0) {
        refuse_job(server, job, SME2LAB__PROTO__OUTCOME__OUTCOME_NOT_STARTED, reason);
        return;
    }
    refuse_job(server, job, SME2LAB__PROTO__OUTCOME__OUTCOME_BUSY,
               "the agent is busy with another job");
    if (server->inference) /* which one: its host may know nothing of it any more */
        send_state(server, server->running->id, SME2LAB__PROTO__PHASE__PHASE_MEASURING, 0);
}

static void take_job(struct sl_server *server, const Sme2lab__Proto__Job *job)
{
    static const struct sl_inference_events events = {on_progress, on_ended};
    struct sl_job_dir *dir = NULL;
    struct sl_run_id id = {job->id_high, job->id};
    struct sl_sender *known = find_sender(server, id);
    if (known)
        go_on(server, known);
    if (sl_run_id_is_none(id) || known)
        return;
    if (server->inference || server->job_count == MAX_JOBS) {
        refuse_for_now(server, id);
        return;
    }
    if (server->look)
        sl_look_stop(server->look);
    int rc = sl_job_dir_create(server->workdir, job, server->spool_bytes, &dir);
    if (rc == 0)
        rc = sl_inference_start(server->loop, server->self, server->workdir, job, dir, &events,
                                server, &server->inference);
    if (rc < 0) {
        refuse_job(server, id, SME2LAB__PROTO__OUTCOME__OUTCOME_NOT_STARTED,
                   rc == -EINVAL ? "the job names a file that is no blob" : sl_strerror(rc));
        if (dir)
            sl_job_dir_remove(dir);
        return;
    }
    server->running = dir;
    server->running_pairs = job->pairs;
    sl_sender_init(&server->senders[server->job_count++], dir);
    send_state(server, id, SME2LAB__PROTO__PHASE__PHASE_ACCEPTED, 0);
}

static void take_ack(struct sl_server *server, const Sme2lab__Proto__Ack *ack)
{
    struct sl_sender *sender = find_sender(server, SL_MESSAGE_RUN(ack));
    if (!sender || sl_sender_acked(sender, (int)ack->stream, ack->offset) < 0)
        return;
    if (sl_sender_done(sender))
        forget(server, sender);
}

static bool names(const Sme2lab__Proto__Resume *resume, struct sl_run_id job)
{
    for (size_t i = 0; i < resume->n_have; i++) {
        if (sl_run_ids_equal(SL_MESSAGE_RUN(resume->have[i]), job))
            return true;
    }
    return false;
}

static void take_resume(struct sl_server *server, const Sme2lab__Proto__Resume *resume)
{
    for (size_t i = 0; i < resume->n_have; i++)
        take_ack(server, resume->have[i]);
    for (size_t i = 0; i < server->job_count; i++) {
        struct sl_sender *sender = &server->senders[i];
        sender->kept = !names(resume, sender->dir->id);
        bool result_again = sender->result_sent && !sender->result_acked;
        uint64_t again = sl_sender_rewind(sender);
        sl_log(SL_LOG_INFO, SL_LOG_EVENT("job_resumed"), SL_LOG_TEXT("job", sender->dir->name),
               SL_LOG_NUMBER("acknowledged_bytes", sl_sender_acked_bytes(sender)),
               SL_LOG_NUMBER("sent_again_bytes", again),
               SL_LOG_NUMBER("result_again", result_again), SL_LOG_NUMBER("kept", sender->kept));
    }
    server->resumed = true;
    tell_kept(server);
    pump(server);
}

static void tell_request(struct sl_server *server, const struct sl_sender *sender)
{
    Sme2lab__Proto__Job *job = NULL;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    int rc = sl_job_dir_request(sender->dir, &job);
    if (rc < 0) {
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("request_unreadable"),
               SL_LOG_TEXT("job", sender->dir->name), SL_LOG_REASON(sl_strerror(rc)));
        return;
    }
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_JOB;
    envelope.job = job;
    sl_channel_tell(server->channel, &envelope);
    sme2lab__proto__job__free_unpacked(job, NULL);
}

static bool runs_now(const struct sl_server *server, struct sl_run_id id)
{
    return server->inference && sl_run_ids_equal(server->running->id, id);
}

static void take_claim(struct sl_server *server, const Sme2lab__Proto__Claim *claim)
{
    struct sl_run_id id = SL_MESSAGE_RUN(claim);
    struct sl_sender *sender = find_sender(server, id);
    bool runs = runs_now(server, id);
    if (sender && claim->wish == SME2LAB__PROTO__WISH__WISH_FORGET && !runs) {
        forget(server, sender);
    } else if (sender && claim->wish == SME2LAB__PROTO__WISH__WISH_TELL) {
        tell_request(server, sender);
    } else if (claim->wish == SME2LAB__PROTO__WISH__WISH_SEND) {
        if (sender)
            go_on(server, sender);
        else
            refuse_job(server, id, SME2LAB__PROTO__OUTCOME__OUTCOME_NOT_STARTED,
                       "the agent does not hold this result any more");
    } else if (sender && claim->wish == SME2LAB__PROTO__WISH__WISH_KEEP) {
        sender->kept = true;
        sl_sender_rewind(sender);
        tell_kept(server);
    }
}

static bool needs_blob(const void *user, const char *name)
{
    const struct sl_server *server = user;
    return sl_blob_store_needs(server->blobs, name);
}

/* A full agent may not have opened all of them: none goes. */
static bool needs_job(const void *user, const char *name)
{
    const struct sl_server *server = user;
    bool needed = server->job_count == MAX_JOBS;
    for (size_t i = 0; i < server->job_count && !needed; i++)
        needed = strcmp(server->senders[i].dir->name, name) == 0;
    return needed;
}

/* Blobs, packed weights, and spools that cannot be read; every result stays. */
static void take_clean(struct sl_server *server)
{
    struct sl_cleaned cleaned = {0, 0};
    Sme2lab__Proto__Cleaned body = SME2LAB__PROTO__CLEANED__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    if (server->inference) {
        body.refusal = (char *)(uintptr_t)"the agent has a job";
    } else {
        sl_clean_folder(server->workdir, "blobs", needs_blob, server, &cleaned);
        sl_clean_folder(server->workdir, "weights", NULL, NULL, &cleaned);
        sl_clean_folder(server->workdir, "jobs", needs_job, server, &cleaned);
    }
    body.files = cleaned.files;
    body.bytes = cleaned.bytes;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_CLEANED;
    envelope.cleaned = &body;
    sl_channel_tell(server->channel, &envelope);
}

static void on_looked(void *user, const struct sl_health *now)
{
    struct sl_server *server = user;
    Sme2lab__Proto__Conditions body = SME2LAB__PROTO__CONDITIONS__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    server->look = NULL;
    if (now && server->channel && !server->inference) {
        body.millidegrees = now->millidegrees;
        body.warmest = (char *)(uintptr_t)now->warmest;
        body.battery_percent = now->battery_percent;
        body.power_saver = now->power_saver < 0   ? SME2LAB__PROTO__SWITCH__SWITCH_UNSPECIFIED
                           : now->power_saver > 0 ? SME2LAB__PROTO__SWITCH__SWITCH_ON
                                                  : SME2LAB__PROTO__SWITCH__SWITCH_OFF;
        envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_CONDITIONS;
        envelope.conditions = &body;
        sl_channel_tell(server->channel, &envelope);
    }
    if (server->closing)
        finish_close(server);
}

/* Programs of the system run for it: never beside a measurement. */
static void take_look(struct sl_server *server)
{
    if (server->inference || server->look || server->closing)
        return;
    int rc = sl_look_start(server->loop, "", on_looked, server, &server->look);
    if (rc < 0)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("device_not_looked_at"),
               SL_LOG_REASON(sl_strerror(rc)));
}

static void on_message(void *user, const Sme2lab__Proto__Envelope *envelope)
{
    struct sl_server *server = user;
    switch (envelope->body_case) {
    case SME2LAB__PROTO__ENVELOPE__BODY_RESUME:
        take_resume(server, envelope->resume);
        break;
    case SME2LAB__PROTO__ENVELOPE__BODY_JOB:
        take_job(server, envelope->job);
        break;
    case SME2LAB__PROTO__ENVELOPE__BODY_BLOB_OFFER:
        sl_blob_store_offer(server->blobs, envelope->blob_offer);
        break;
    case SME2LAB__PROTO__ENVELOPE__BODY_BLOB_CHUNK:
        sl_blob_store_take(server->blobs, envelope->blob_chunk);
        break;
    case SME2LAB__PROTO__ENVELOPE__BODY_ACK:
        take_ack(server, envelope->ack);
        break;
    case SME2LAB__PROTO__ENVELOPE__BODY_CLAIM:
        take_claim(server, envelope->claim);
        break;
    case SME2LAB__PROTO__ENVELOPE__BODY_CLEAN:
        take_clean(server);
        break;
    case SME2LAB__PROTO__ENVELOPE__BODY_LOOK:
        take_look(server);
        break;
    case SME2LAB__PROTO__ENVELOPE__BODY_CANCEL:
        if (runs_now(server, SL_MESSAGE_RUN(envelope->cancel)))
            sl_inference_cancel(server->inference);
        break;
    case SME2LAB__PROTO__ENVELOPE__BODY_PROCEED:
        if (runs_now(server, SL_MESSAGE_RUN(envelope->proceed)))
            sl_inference_proceed(server->inference, envelope->proceed);
        break;
    default: /* an agent has no use for the rest */
        break;
    }
}

static void on_writable(void *user)
{
    pump(user);
}

static void pump(struct sl_server *server)
{
    if (!server->channel || !server->resumed)
        return;
    for (size_t i = 0; i < server->job_count; i++) {
        int rc = sl_sender_pump(&server->senders[i], server->channel);
        if (rc == SL_E_FULL)
            return; /* on_writable goes on */
        if (rc < 0 && rc != SL_E_STATE) {
            sl_channel_close(
                server->channel); /* a spool that cannot be read: the host sees what is missing */
            return;
        }
    }
}

/* Proven, closed, or giving way. */
static void forget_stranger(struct sl_server *server, const struct sl_channel *channel)
{
    size_t kept = 0;
    for (size_t i = 0; i < server->stranger_count; i++) {
        if (server->strangers[i] != channel)
            server->strangers[kept++] = server->strangers[i];
    }
    server->stranger_count = kept;
}

static void on_blob_state(void *user, const Sme2lab__Proto__BlobState *state)
{
    struct sl_server *server = user;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_BLOB_STATE;
    envelope.blob_state = (Sme2lab__Proto__BlobState *)(uintptr_t)state; /* only read */
    if (server->channel)
        sl_channel_tell(server->channel, &envelope);
}

static void tell_capabilities(struct sl_server *server)
{
    Sme2lab__Proto__Capabilities capabilities = SME2LAB__PROTO__CAPABILITIES__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    capabilities.probe_json = server->probe_json;
    capabilities.emulated = server->emulated;
    capabilities.program = server->program;
    capabilities.program_sha256 = server->program_sha256;
    capabilities.epoch = server->epoch;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_CAPABILITIES;
    envelope.capabilities = &capabilities;
    sl_channel_tell(server->channel, &envelope);
}

static void on_ready(struct sl_server *server, struct sl_channel *proven)
{
    struct sl_channel *old = server->channel;
    forget_stranger(server, proven);
    sl_blob_store_stop(server->blobs);
    server->channel = proven;
    tell_capabilities(server);
    server->resumed = false;
    server->retry_ms = RETRY_FIRST_MS;
    if (old)
        sl_channel_close(old);
}

static void retry_later(struct sl_server *server);

/* Which of the two it was is told by what is left: a channel that closes is no longer either. */
struct link {
    struct sl_server *server;
    struct sl_channel *channel;
    bool proven;
};

static void link_ready(void *user)
{
    struct link *link = user;
    link->proven = true;
    on_ready(link->server, link->channel);
}

static void link_message(void *user, const Sme2lab__Proto__Envelope *envelope)
{
    struct link *link = user;
    if (link->channel == link->server->channel)
        on_message(link->server, envelope);
}

static void link_writable(void *user)
{
    struct link *link = user;
    if (link->channel == link->server->channel)
        on_writable(link->server);
}

static void link_closed(void *user, int code, const char *reason)
{
    struct link *link = user;
    struct sl_server *server = link->server;
    if (code < 0)
        sl_log(link->proven ? SL_LOG_INFO : SL_LOG_WARNING,
               SL_LOG_EVENT(link->proven ? "link_lost" : "peer_refused"), SL_LOG_REASON(reason));
    if (server->channel == link->channel) {
        server->channel = NULL;
        sl_blob_store_stop(server->blobs);
    }
    forget_stranger(server, link->channel);
    server->open_links--;
    sl_free(link);
    if (server->closing)
        finish_close(server);
    else
        retry_later(server);
}

/* A rotated secret counts from the next connection on; one that has expired is refused. */
static int renew_secret(struct sl_server *server)
{
    struct sl_diag diag = {.what = ""};
    int rc =
        server->secret_file[0] ? sl_secret_read(server->secret_file, server->secret, &diag) : 0;
    if (rc < 0)
        sl_log(SL_LOG_ERROR, SL_LOG_EVENT("secret_unusable"),
               SL_LOG_TEXT("file", server->secret_file), SL_LOG_REASON(diag.what));
    return rc;
}

/* A new link, a stranger yet, whose socket the caller opens or connects. */
static struct sl_channel *new_link(struct sl_server *server)
{
    static const struct sl_channel_events events = {link_ready, link_message, link_writable,
                                                    link_closed};
    struct link *link = renew_secret(server) == 0 ? sl_calloc(1, sizeof(*link)) : NULL;
    if (!link)
        return NULL;
    link->server = server;
    const struct sl_channel_options options = {.role = SL_ROLE_AGENT,
                                               .secret = server->secret,
                                               .software = software,
                                               .sealed = server->sealed};
    if (sl_channel_new(server->loop, &options, &events, link, &link->channel) < 0) {
        sl_free(link);
        return NULL;
    }
    server->open_links++;
    server->strangers[server->stranger_count++] = link->channel;
    return link->channel;
}

static void on_connection(uv_poll_t *poll, int status, int events)
{
    struct sl_server *server = poll->data;
    (void)events;
    int fd = status < 0 ? -1 : accept(server->listen_fd, NULL, NULL);
    if (fd < 0)
        return;
    if (server->stranger_count == MAX_STRANGERS) {
        struct sl_channel *oldest = server->strangers[0];
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("peer_refused"),
               SL_LOG_REASON("too many unproven peers: the oldest gives way"));
        forget_stranger(server, oldest);
        sl_channel_close(oldest);
    }
    struct sl_channel *channel = new_link(server);
    if (!channel) {
        close(fd);
        return;
    }
    sl_channel_open_fd(channel, fd);
}

int sl_server_listen(struct sl_server *server, const struct sl_address *address,
                     struct sl_address *bound)
{
    int fd = sl_address_listen(address, bound);
    if (fd < 0)
        return fd;
    server->sealed = address->socket.ss_family != AF_UNIX;
    int rc = uv_poll_init(server->loop, &server->listener, fd);
    if (rc == 0) {
        server->listener.data = server;
        server->listening = true;
        server->listen_fd = fd;
        server->open_handles++;
        rc = uv_poll_start(&server->listener, UV_READABLE, on_connection);
    } else {
        close(fd);
    }
    return rc;
}

static void on_retry(uv_timer_t *timer)
{
    struct sl_server *server = timer->data;
    if (server->stranger_count > 0 || server->channel)
        return;
    struct sl_channel *channel = new_link(server);
    if (channel)
        sl_channel_connect(channel, &server->peer);
    else
        retry_later(server);
}

static void retry_later(struct sl_server *server)
{
    if (!server->connecting_out || server->stranger_count > 0 || server->channel)
        return;
    uv_timer_start(&server->retry, on_retry, server->retry_ms, 0);
    if (server->retry_ms < RETRY_LAST_MS)
        server->retry_ms *= 2;
}

int sl_server_connect(struct sl_server *server, const struct sl_address *address)
{
    server->peer = *address;
    server->sealed = address->socket.ss_family != AF_UNIX;
    server->connecting_out = true;
    return uv_timer_start(&server->retry, on_retry, 0, 0);
}

/* An agent of before the numbers of 128 bits called the folder by a decimal one. */
static int rename_old(const char *folder, const char *found, struct sl_run_id id)
{
    char name[SL_RUN_ID_TEXT], from[600 + 32], to[600 + 48];
    sl_run_id_text(id, name);
    if (strcmp(name, found) == 0)
        return 0;
    sl_path_join(from, sizeof(from), folder, "%s", found);
    sl_path_join(to, sizeof(to), folder, "%s", name);
    return rename(from, to) < 0 ? -errno : 0;
}

/* Opens what an earlier agent left; a directory that cannot be read is left alone and said. */
static void open_left_jobs(struct sl_server *server)
{
    char path[600];
    sl_path_join(path, sizeof(path), server->workdir, "jobs");
    DIR *folder = opendir(path);
    if (!folder)
        return;
    for (struct dirent *entry; (entry = readdir(folder)) && server->job_count < MAX_JOBS;) {
        struct sl_run_id id;
        struct sl_job_dir *dir = NULL;
        if (!sl_run_id_read(entry->d_name, &id) || find_sender(server, id))
            continue; /* the latter: one that was just renamed may be listed again */
        int rc = rename_old(path, entry->d_name, id);
        if (rc == 0)
            rc = sl_job_dir_open(server->workdir, id, server->spool_bytes, &dir);
        if (rc == 0)
            sl_sender_init(&server->senders[server->job_count++], dir);
        else
            sl_log(SL_LOG_ERROR, SL_LOG_EVENT("job_unreadable"), SL_LOG_TEXT("job", entry->d_name),
                   SL_LOG_REASON(sl_strerror(rc)));
    }
    closedir(folder);
}

static int make_folder(const char *path, struct sl_diag *diag)
{
    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        return 0;
    int rc =
        sl_diag_set(diag, -errno, path, "cannot make the working directory: %s", strerror(errno));
    sl_diag_hint(diag, "name a directory that this user may write to with --workdir");
    return rc;
}

int sl_server_new(uv_loop_t *loop, const struct sl_server_options *options, struct sl_server **out,
                  struct sl_diag *diag)
{
    char blobs[600];
    struct sl_server *server = sl_calloc(1, sizeof(*server));
    if (!server)
        return -ENOMEM;
    server->loop = loop;
    server->spool_bytes = options->spool_bytes;
    server->retry_ms = RETRY_FIRST_MS;
    snprintf(server->workdir, sizeof(server->workdir), "%s", options->workdir);
    snprintf(server->self, sizeof(server->self), "%s", options->self);
    snprintf(server->program, sizeof(server->program), "%s", options->program);
    snprintf(server->program_sha256, sizeof(server->program_sha256), "%s", options->program_sha256);
    server->emulated = options->emulated;
    sl_random_bytes(&server->epoch, sizeof(server->epoch));
    sl_path_join(blobs, sizeof(blobs), server->workdir, "blobs");
    memcpy(server->secret, options->secret, SL_SECRET_BYTES);
    if (options->secret_file)
        snprintf(server->secret_file, sizeof(server->secret_file), "%s", options->secret_file);
    server->probe_json = sl_strndup(options->probe_json, strlen(options->probe_json));
    int rc = server->probe_json ? make_folder(server->workdir, diag) : -ENOMEM;
    if (rc == 0)
        rc = make_folder(blobs, diag);
    if (rc == 0)
        rc = sl_blob_store_new(loop, server->workdir, options->blob_bytes, on_blob_state, server,
                               &server->blobs);
    if (rc < 0) {
        sl_free(server->probe_json);
        sl_free(server);
        return rc;
    }
    uv_timer_init(loop, &server->retry);
    server->retry.data = server;
    server->open_handles = 1;
    open_left_jobs(server);
    *out = server;
    return 0;
}

static void server_free(struct sl_server *server)
{
    for (size_t i = 0; i < server->job_count; i++)
        sl_job_dir_free(server->senders[i].dir);
    if (server->listening)
        close(server->listen_fd);
    sl_free(server->probe_json);
    sl_free(server);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct sl_server *server = handle->data;
    server->open_handles--;
    finish_close(server);
}

static void on_blobs_closed(void *user)
{
    struct sl_server *server = user;
    server->blobs = NULL;
    finish_close(server);
}

static void finish_close(struct sl_server *server)
{
    if (server->blobs && !server->blobs_closing) {
        server->blobs_closing = true;
        sl_blob_store_close(server->blobs, on_blobs_closed, server);
        return;
    }
    if (server->open_handles > 0 || server->inference || server->open_links > 0 || server->blobs ||
        server->look)
        return;
    void (*closed)(void *) = server->closed;
    void *user = server->closed_user;
    server_free(server);
    closed(user);
}

bool sl_server_is_idle(const struct sl_server *server)
{
    return !server->channel && !server->inference;
}

void sl_server_close(struct sl_server *server, void (*closed)(void *user), void *user)
{
    if (server->closing)
        return;
    server->closing = true;
    server->closed = closed;
    server->closed_user = user;
    if (server->inference)
        sl_inference_cancel(server->inference);
    if (server->look)
        sl_look_stop(server->look);
    if (server->channel)
        sl_channel_close(server->channel);
    for (size_t i = 0; i < server->stranger_count; i++)
        sl_channel_close(server->strangers[i]);
    uv_close((uv_handle_t *)&server->retry, on_handle_closed);
    if (server->listening)
        uv_close((uv_handle_t *)&server->listener, on_handle_closed);
}
