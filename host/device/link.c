/* host/device/link.c */
#include "host/device/link.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <uv.h>

#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/net/address.h"
#include "common/net/channel.h"
#include "host/device/agent_process.h"
#include "host/device/agent_record.h"
#include "host/device/link_message.h"

enum { PATH_BYTES = 1024, RETRY_FIRST_MS = 100, RETRY_LAST_MS = 8000, TRIES_BEFORE_KILL = 3 };
static const char software[] = "sme2labd " SL_VERSION;

struct sl_link {
    uv_loop_t *loop;
    struct sl_link_events events;
    void *user;
    char agent[PATH_BYTES], workdir[PATH_BYTES], address[PATH_BYTES + 32];
    struct sl_agent_record record;    /* pid 0: none known */
    struct sl_agent_process *process; /* NULL: none, or one that an earlier daemon started */
    bool listening;                   /* it said so, or it is taken over */
    struct sl_channel *channel;
    bool up, paused, closing, stop_agent;
    unsigned failures; /* in a row */
    uv_timer_t timer;  /* the next try; while closing, the grace of the agent */
    int open_handles;
    void (*closed)(void *user);
    void *closed_user;
};

static void finish_close(struct sl_link *link);
static void on_timer(uv_timer_t *timer);
static void try_later(struct sl_link *link);

static void fail(struct sl_link *link, const char *reason)
{
    link->failures++;
    link->events.down(link->user, reason, link->failures);
    try_later(link);
}

/* --- the agent's process --- */

static void on_listening(void *user, const char *address)
{
    struct sl_link *link = user;
    snprintf(link->address, sizeof(link->address), "%s", address);
    link->listening = true;
    link->record.pid = sl_agent_process_pid(link->process);
    int rc = sl_agent_record_write(link->workdir, &link->record);
    if (rc < 0) /* it serves this daemon all the same */
        fprintf(stderr, "level=warning event=agent_record_unwritten reason=\"%s\"\n",
                sl_strerror(rc));
    if (!link->closing)
        uv_timer_start(&link->timer, on_timer, 0, 0);
}

static void on_agent_ended(void *user, int64_t exit_code, int number)
{
    struct sl_link *link = user;
    char reason[200];
    link->process = NULL;
    link->listening = false;
    if (link->closing) {
        finish_close(link);
        return;
    }
    link->record.pid = 0;
    sl_agent_record_remove(link->workdir);
    if (number != 0)
        snprintf(reason, sizeof(reason), "the agent was ended by signal %d", number);
    else if (exit_code < 0)
        snprintf(reason, sizeof(reason), "the agent cannot be started: %s",
                 sl_strerror((int)exit_code));
    else
        snprintf(reason, sizeof(reason), "the agent ended with exit code %d; agent.log has why",
                 (int)exit_code);
    fail(link, reason);
}

static void start_agent(struct sl_link *link)
{
    static const struct sl_agent_process_events events = {on_listening, on_agent_ended};
    snprintf(link->address, sizeof(link->address), "unix:%s/sock", link->workdir);
    struct sl_agent_process_spec spec = {.program = link->agent,
                                         .workdir = link->workdir,
                                         .address = link->address,
                                         .secret = link->record.secret};
    link->record.pid = 0;
    sl_random_bytes(link->record.secret, sizeof(link->record.secret));
    int rc = sl_agent_process_start(link->loop, &spec, &events, link, &link->process);
    if (rc < 0)
        fail(link, sl_strerror(rc));
    else
        uv_timer_start(&link->timer, on_timer, SL_LINK_START_MS, 0);
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
    link->failures = 0;
    link->up = true;
    if (link->paused)
        sl_channel_pause(link->channel);
    link->events.up(link->user);
}

static void on_message(void *user, const Sme2lab__Proto__Envelope *envelope)
{
    struct sl_link *link = user;
    if (!link->closing)
        sl_link_message_take(envelope, &link->events, link->user);
}

static void on_channel_closed(void *user, int code, const char *reason)
{
    struct sl_link *link = user;
    bool gone = code == -ECONNREFUSED || code == -ENOENT ||
                (link->record.pid > 1 && kill(link->record.pid, 0) < 0 && errno == ESRCH);
    link->channel = NULL;
    link->up = false;
    if (link->closing) {
        finish_close(link);
        return;
    }
    if (!link->process && gone) { /* the one of an earlier daemon is no more */
        link->listening = false;
        link->record.pid = 0;
        sl_agent_record_remove(link->workdir);
    }
    fail(link, reason);
}

static void connect_to(struct sl_link *link)
{
    static const struct sl_channel_events events = {on_ready, on_message, NULL, on_channel_closed};
    struct sl_address address;
    int rc = sl_address_parse(link->address, &address, NULL);
    if (rc == 0)
        rc = sl_channel_new(link->loop, SL_ROLE_HOST, link->record.secret, software, NULL, &events,
                            link, &link->channel);
    if (rc < 0)
        fail(link, sl_strerror(rc));
    else
        sl_channel_connect(link->channel, &address);
}

/* --- tries --- */

static void on_timer(uv_timer_t *timer)
{
    struct sl_link *link = timer->data;
    if (link->closing) { /* the grace is over */
        if (link->process)
            sl_agent_process_signal(link->process, SIGKILL);
        return;
    }
    if (link->channel)
        return;
    bool tried = link->failures > 0 && link->failures % TRIES_BEFORE_KILL == 0;
    if (link->process && (tried || !link->listening)) {
        sl_agent_process_signal(link->process, SIGKILL); /* it lives and does not serve */
        return;
    }
    if (tried && !link->process) /* one of an earlier daemon that does not answer to its record */
        link->listening = false;
    if (link->listening)
        connect_to(link);
    else if (!link->process)
        start_agent(link);
}

static void try_later(struct sl_link *link)
{
    unsigned shift = link->failures > 0 ? link->failures - 1 : 0;
    uint64_t wait_ms = shift < 7 ? (uint64_t)RETRY_FIRST_MS << shift : RETRY_LAST_MS;
    if (!link->closing && (!link->process || link->listening))
        uv_timer_start(&link->timer, on_timer, wait_ms < RETRY_LAST_MS ? wait_ms : RETRY_LAST_MS,
                       0);
}

static int make_folder(const char *path)
{
    return mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : -errno;
}

static int make_workdir(const struct sl_link *link)
{
    char blobs[PATH_BYTES + 8];
    snprintf(blobs, sizeof(blobs), "%s/blobs", link->workdir);
    int rc = make_folder(link->workdir);
    return rc < 0 ? rc : make_folder(blobs);
}

int sl_link_new(uv_loop_t *loop, const struct sl_link_options *options,
                const struct sl_link_events *events, void *user, struct sl_link **out)
{
    struct sl_address address;
    struct sl_link *link = sl_calloc(1, sizeof(*link));
    if (!link)
        return -ENOMEM;
    link->loop = loop;
    link->events = *events;
    link->user = user;
    int agent = snprintf(link->agent, sizeof(link->agent), "%s", options->agent);
    int workdir = snprintf(link->workdir, sizeof(link->workdir), "%s", options->workdir);
    snprintf(link->address, sizeof(link->address), "unix:%s/sock", link->workdir);
    int rc = agent >= PATH_BYTES || workdir >= PATH_BYTES ||
                     sl_address_parse(link->address, &address, NULL) < 0
                 ? -ENAMETOOLONG
                 : make_workdir(link);
    if (rc < 0) {
        sl_free(link);
        return rc;
    }
    link->listening = sl_agent_record_read(link->workdir, &link->record) == 0;
    uv_timer_init(loop, &link->timer); /* cannot fail */
    link->timer.data = link;
    link->open_handles = 1;
    uv_timer_start(&link->timer, on_timer, 0, 0);
    *out = link;
    return 0;
}

/* --- what is asked of it --- */

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
    return link->record.pid;
}

int sl_link_send_job(struct sl_link *link, const struct sl_link_job *job)
{
    return link->up ? sl_link_message_job(link->channel, job) : SL_E_STATE;
}

int sl_link_proceed(struct sl_link *link, uint64_t job, uint32_t pairs, bool last)
{
    return link->up ? sl_link_message_proceed(link->channel, job, pairs, last) : SL_E_STATE;
}

int sl_link_cancel_job(struct sl_link *link, uint64_t job)
{
    return link->up ? sl_link_message_cancel(link->channel, job) : SL_E_STATE;
}

int sl_link_ack(struct sl_link *link, uint64_t job, int stream, uint64_t offset)
{
    return link->up ? sl_link_message_ack(link->channel, job, stream + 1, offset) : SL_E_STATE;
}

int sl_link_ack_result(struct sl_link *link, uint64_t job)
{
    return link->up ? sl_link_message_ack(link->channel, job, 0, 0) : SL_E_STATE;
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

void sl_link_reconnect(struct sl_link *link)
{
    if (link->channel)
        sl_channel_close(link->channel);
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct sl_link *link = handle->data;
    void (*closed)(void *) = link->closed;
    void *user = link->closed_user;
    sl_free(link);
    closed(user);
}

static void finish_close(struct sl_link *link)
{
    if (link->channel || link->process || uv_is_closing((uv_handle_t *)&link->timer))
        return;
    if (link->stop_agent)
        sl_agent_record_remove(link->workdir);
    uv_close((uv_handle_t *)&link->timer, on_timer_closed);
}

void sl_link_close(struct sl_link *link, bool stop_agent, void (*closed)(void *user), void *user)
{
    bool proven = link->up;
    if (link->closing)
        return;
    link->closing = true;
    link->stop_agent = stop_agent;
    link->closed = closed;
    link->closed_user = user;
    uv_timer_stop(&link->timer);
    if (link->process && stop_agent) {
        sl_agent_process_signal(link->process, SIGTERM);
        uv_timer_start(&link->timer, on_timer, SL_LINK_STOP_MS, 0);
    } else if (link->process) {
        sl_agent_process_abandon(link->process);
    } else if (stop_agent && proven && link->record.pid > 1) {
        kill(link->record.pid, SIGTERM); /* an earlier daemon's; that it is the agent is proven */
    }
    if (link->channel)
        sl_channel_close(link->channel);
    finish_close(link);
}
