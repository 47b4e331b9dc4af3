/* host/device/link.c */
#include "host/device/link.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <uv.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/net/channel.h"
#include "common/net/handshake.h"
#include "host/device/blob_put.h"
#include "host/device/device_clock.h"
#include "host/device/launch.h"
#include "host/device/link_message.h"
#include "host/device/transport.h"
#include "proto/envelope.pb-c.h"

enum { PATH_BYTES = 1024, RETRY_FIRST_MS = 100, RETRY_LAST_MS = 8000 };
static const char software[] = "sme2labd " SL_VERSION,
                  agents_software[] = "sme2lab-agent " SL_VERSION;

struct sl_link {
    uv_loop_t *loop;
    struct sl_link_events events;
    void *user;
    char workdir[PATH_BYTES];
    const struct sl_transport_ops *ops;
    void *transport; /* owned; NULL when closed */
    struct sl_channel *channel;
    struct sl_blob_put *blobs; /* under way; it frees itself */
    void (*blobs_done)(void *user, int rc, const struct sl_diag *diag);
    void *blobs_user;
    struct sl_link_facts facts; /* its texts are owned */
    uint64_t epoch;             /* of the agent's start; 0: it has not said */
    bool described;
    struct sl_device_clock clock;
    bool watches_clock;
    bool up, paused, closing, held;
    unsigned failures; /* in a row */
    uv_timer_t timer;  /* the next try */
    void (*closed)(void *user);
    void *closed_user;
};

static void finish_close(struct sl_link *link);
static void on_timer(uv_timer_t *timer);

/* --- tries --- */

static void try_later(struct sl_link *link)
{
    unsigned shift = link->failures > 0 ? link->failures - 1 : 0;
    uint64_t wait_ms = shift < 7 ? (uint64_t)RETRY_FIRST_MS << shift : RETRY_LAST_MS;
    if (!link->closing && !link->held)
        uv_timer_start(&link->timer, on_timer, wait_ms < RETRY_LAST_MS ? wait_ms : RETRY_LAST_MS,
                       0);
}

static void fail(struct sl_link *link, const char *reason)
{
    link->failures++;
    link->events.down(link->user, reason, link->failures);
    try_later(link);
}

static void on_found(void *user)
{
    struct sl_link *link = user;
    if (!link->closing)
        uv_timer_start(&link->timer, on_timer, 0, 0);
}

static void on_lost(void *user, const char *reason)
{
    struct sl_link *link = user;
    if (!link->closing)
        fail(link, reason);
}

static void on_transport_closed(void *user)
{
    struct sl_link *link = user;
    link->transport = NULL;
    finish_close(link);
}

/* --- what the agent says --- */

static void free_facts(struct sl_link_facts *facts)
{
    sl_free((void *)(uintptr_t)facts->probe_json);
    sl_free((void *)(uintptr_t)facts->program);
    sl_free((void *)(uintptr_t)facts->program_sha256);
    *facts = (struct sl_link_facts){.emulated = false};
}

static char *copy(const char *text)
{
    return text ? sl_strndup(text, strlen(text)) : sl_strndup("", 0);
}

static void take_capabilities(struct sl_link *link, const Sme2lab__Proto__Capabilities *said)
{
    struct sl_link_facts facts = {.emulated = said->emulated,
                                  .probe_json = copy(said->probe_json),
                                  .program = copy(said->program),
                                  .program_sha256 = copy(said->program_sha256)};
    if (!link->ops->describes_itself || !facts.probe_json || !facts.program ||
        !facts.program_sha256) {
        free_facts(&facts);
        return;
    }
    free_facts(&link->facts);
    link->facts = facts;
    link->described = true;
    if (link->events.described)
        link->events.described(link->user);
}

/* The first epoch of a link is no restart. */
static void take_epoch(struct sl_link *link, uint64_t epoch)
{
    bool restarted = link->epoch != 0 && link->epoch != epoch;
    link->epoch = epoch;
    if (restarted && link->events.restarted)
        link->events.restarted(link->user);
}

static void take_blob_state(struct sl_link *link, const Sme2lab__Proto__BlobState *said)
{
    struct sl_blob_put_state state = {.sha256 = said->sha256,
                                      .refusal = said->refusal,
                                      .offset = said->offset,
                                      .complete = said->complete,
                                      .damaged = said->damaged};
    if (link->blobs)
        sl_blob_put_state(link->blobs, &state);
}

static void take_pong(struct sl_link *link, const Sme2lab__Proto__Ping *pong)
{
    if (link->watches_clock)
        sl_device_clock_take(&link->clock, pong->token, pong->utc_us, sl_clock_utc_ns() / 1000);
}

static void on_message(void *user, const Sme2lab__Proto__Envelope *envelope)
{
    struct sl_link *link = user;
    if (link->closing)
        return;
    if (envelope->body_case == SME2LAB__PROTO__ENVELOPE__BODY_PONG) {
        take_pong(link, envelope->pong);
    } else if (envelope->body_case == SME2LAB__PROTO__ENVELOPE__BODY_CAPABILITIES) {
        take_epoch(link, envelope->capabilities->epoch);
        take_capabilities(link, envelope->capabilities);
    } else if (envelope->body_case == SME2LAB__PROTO__ENVELOPE__BODY_BLOB_STATE) {
        take_blob_state(link, envelope->blob_state);
    } else {
        sl_link_message_take(envelope, &link->events, link->user);
    }
}

/* --- the connection --- */

static void on_ready(void *user)
{
    struct sl_link *link = user;
    struct sl_link_have *have = sl_calloc(SL_LINK_MAX_JOBS, sizeof(*have));
    size_t count = have ? link->events.have(link->user, have, SL_LINK_MAX_JOBS) : 0;
    int rc = have ? sl_link_message_resume(link->channel, have, count) : -ENOMEM;
    sl_free(have);
    if (rc < 0) {
        sl_channel_close(link->channel);
        return;
    }
    if (strcmp(sl_channel_peer(link->channel), agents_software) != 0)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("agent_version"),
               SL_LOG_QUOTED("agent", sl_channel_peer(link->channel)),
               SL_LOG_QUOTED("daemon", software));
    link->failures = 0;
    link->up = true;
    sl_channel_watch_clock(link->channel, link->watches_clock);
    if (link->paused)
        sl_channel_pause(link->channel);
    if (link->blobs)
        sl_blob_put_link(link->blobs, link->channel);
    link->events.up(link->user);
}

static void on_writable(void *user)
{
    struct sl_link *link = user;
    if (link->blobs)
        sl_blob_put_writable(link->blobs);
}

static void on_channel_closed(void *user, int code, const char *reason)
{
    struct sl_link *link = user;
    bool proven = link->up;
    link->channel = NULL;
    link->up = false;
    if (link->blobs)
        sl_blob_put_link(link->blobs, NULL);
    if (link->closing) {
        finish_close(link);
        return;
    }
    link->ops->disconnected(link->transport, code, proven);
    fail(link, reason);
}

static void connect_to(struct sl_link *link)
{
    static const struct sl_channel_events events = {on_ready, on_message, on_writable,
                                                    on_channel_closed};
    const struct sl_channel_options options = {.role = SL_ROLE_HOST,
                                               .secret = link->ops->secret(link->transport),
                                               .software = software,
                                               .sealed = link->ops->sealed};
    int rc = sl_channel_new(link->loop, &options, &events, link, &link->channel);
    if (rc < 0)
        fail(link, sl_strerror(rc));
    else
        link->ops->connect(link->transport, link->channel);
}

static void on_timer(uv_timer_t *timer)
{
    struct sl_link *link = timer->data;
    struct sl_diag diag = {0};
    char reason[sizeof(diag.what) + sizeof(diag.where) + 8];
    if (link->closing || link->channel || link->held)
        return;
    int rc = link->ops->reach(link->transport, link->failures, &diag);
    snprintf(reason, sizeof(reason), diag.where[0] ? "%s: %s" : "%s", diag.what, diag.where);
    if (rc < 0)
        fail(link, reason);
    else if (rc == SL_TRANSPORT_CONNECT)
        connect_to(link);
}

int sl_link_new(uv_loop_t *loop, const struct sl_link_options *options,
                const struct sl_link_events *events, void *user, struct sl_link **out)
{
    static const struct sl_transport_events transport_events = {on_found, on_lost,
                                                                on_transport_closed};
    struct sl_link *link = sl_calloc(1, sizeof(*link));
    if (!link)
        return -ENOMEM;
    link->loop = loop;
    link->events = *events;
    link->user = user;
    link->ops = sl_transport_of(options->device->kind);
    int size = snprintf(link->workdir, sizeof(link->workdir), "%s", options->workdir);
    int rc = size >= PATH_BYTES                                     ? -ENAMETOOLONG
             : mkdir(options->workdir, 0700) < 0 && errno != EEXIST ? -errno
                                                                    : 0;
    if (rc == 0)
        rc = link->ops->open(loop, options, &transport_events, link, &link->transport);
    if (rc < 0) {
        sl_free(link);
        return rc;
    }
    uv_timer_init(loop, &link->timer); /* cannot fail */
    link->timer.data = link;
    uv_timer_start(&link->timer, on_timer, 0, 0);
    *out = link;
    return 0;
}

/* --- blobs --- */

static void on_blobs_done(void *user, int rc, const struct sl_diag *diag)
{
    struct sl_link *link = user;
    link->blobs = NULL;
    link->blobs_done(link->blobs_user, rc, diag);
    if (link->closing)
        finish_close(link);
}

int sl_link_put_blobs(struct sl_link *link, const struct sl_blob_put_list *list,
                      void (*done)(void *user, int rc, const struct sl_diag *diag), void *user)
{
    if (link->blobs || link->closing)
        return SL_E_STATE;
    link->blobs_done = done;
    link->blobs_user = user;
    int rc = sl_blob_put_start(link->loop, link->ops, link->workdir, list, on_blobs_done, link,
                               &link->blobs);
    if (rc == 0 && link->up)
        sl_blob_put_link(link->blobs, link->channel);
    return rc;
}

void sl_link_stop_blobs(struct sl_link *link)
{
    if (link->blobs)
        sl_blob_put_stop(link->blobs);
}

/* --- what is asked of it --- */

const struct sl_link_facts *sl_link_facts(const struct sl_link *link)
{
    return link->described ? &link->facts : NULL;
}

bool sl_link_is_up(const struct sl_link *link)
{
    return link->up;
}

const char *sl_link_workdir(const struct sl_link *link)
{
    return link->workdir;
}

int sl_link_agent_pid(const struct sl_link *link)
{
    return link->ops->agent_pid ? link->ops->agent_pid(link->transport) : 0;
}

int sl_link_send_job(struct sl_link *link, const struct sl_link_job *job)
{
    return link->up ? sl_link_message_job(link->channel, job) : SL_E_STATE;
}

int sl_link_proceed(struct sl_link *link, struct sl_run_id job, uint32_t pairs, bool last)
{
    return link->up ? sl_link_message_proceed(link->channel, job, pairs, last) : SL_E_STATE;
}

int sl_link_cancel_job(struct sl_link *link, struct sl_run_id job)
{
    return link->up ? sl_link_message_cancel(link->channel, job) : SL_E_STATE;
}

int sl_link_ack(struct sl_link *link, struct sl_run_id job, int stream, uint64_t offset)
{
    return link->up ? sl_link_message_ack(link->channel, job, stream + 1, offset) : SL_E_STATE;
}

int sl_link_ack_result(struct sl_link *link, struct sl_run_id job)
{
    return link->up ? sl_link_message_ack(link->channel, job, 0, 0) : SL_E_STATE;
}

int sl_link_claim(struct sl_link *link, struct sl_run_id job, enum sl_link_wish wish)
{
    return link->up ? sl_link_message_claim(link->channel, job, (int)wish) : SL_E_STATE;
}

int sl_link_clean(struct sl_link *link)
{
    return link->up ? sl_link_message_clean(link->channel) : SL_E_STATE;
}

int sl_link_look(struct sl_link *link)
{
    return link->up ? sl_link_message_look(link->channel) : SL_E_STATE;
}

void sl_link_watch_clock(struct sl_link *link, bool watch)
{
    if (watch)
        link->clock = (struct sl_device_clock){.count = 0};
    link->watches_clock = watch;
    if (link->up)
        sl_channel_watch_clock(link->channel, watch);
}

bool sl_link_clock(const struct sl_link *link, struct sl_device_clock_bounds *out)
{
    return sl_device_clock_bounds(&link->clock, out);
}

void sl_link_pause(struct sl_link *link, bool paused)
{
    if (link->paused == paused)
        return;
    link->paused = paused;
    if (link->up && paused)
        sl_channel_pause(link->channel);
    else if (link->up)
        sl_channel_resume(link->channel);
}

void sl_link_hold(struct sl_link *link, bool held)
{
    if (link->held == held || link->closing)
        return;
    link->held = held;
    link->failures = 0;
    if (!held && !link->channel)
        uv_timer_start(&link->timer, on_timer, 0, 0);
}

void sl_link_move(struct sl_link *link, const char *to)
{
    if (!link->closing && link->ops->move)
        link->ops->move(link->transport, to);
}

void sl_link_reconnect(struct sl_link *link)
{
    if (link->channel)
        sl_channel_close(link->channel);
    else if (!link->closing && !link->held)
        uv_timer_start(&link->timer, on_timer, 0, 0);
}

int sl_link_cause(const struct sl_link *link)
{
    return link->ops->cause ? link->ops->cause(link->transport) : SL_CAUSE_DEVICE_WELL;
}

int sl_link_reset(struct sl_link *link)
{
    int rc =
        link->closing || !link->ops->reset ? SL_E_UNSUPPORTED : link->ops->reset(link->transport);
    if (rc == 0)
        sl_link_reconnect(link);
    return rc;
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct sl_link *link = handle->data;
    void (*closed)(void *) = link->closed;
    void *user = link->closed_user;
    free_facts(&link->facts);
    sl_free(link);
    closed(user);
}

static void finish_close(struct sl_link *link)
{
    if (link->channel || link->transport || link->blobs ||
        uv_is_closing((uv_handle_t *)&link->timer))
        return;
    uv_close((uv_handle_t *)&link->timer, on_timer_closed);
}

void sl_link_close(struct sl_link *link, bool stop_agent, void (*closed)(void *user), void *user)
{
    bool proven = link->up;
    if (link->closing)
        return;
    link->closing = true;
    link->closed = closed;
    link->closed_user = user;
    uv_timer_stop(&link->timer);
    if (link->channel)
        sl_channel_close(link->channel);
    sl_link_stop_blobs(link);
    if (link->ops->close(link->transport, stop_agent, proven))
        link->transport = NULL;
    finish_close(link);
}
