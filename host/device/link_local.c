/* host/device/link_local.c: the agent of this machine: started, taken over from an earlier daemon,
 * ended when it does not serve. Local, emulated and counted devices differ in what it starts. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <uv.h>

#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "common/net/address.h"
#include "common/net/channel.h"
#include "host/device/agent_process.h"
#include "host/device/agent_record.h"
#include "host/device/blob.h"
#include "host/device/launch.h"
#include "host/device/link.h"
#include "host/device/transport.h"

enum { PATH_BYTES = 1024, TRIES_BEFORE_KILL = 3 };

struct local {
    uv_loop_t *loop;
    struct sl_transport_events events;
    void *user;
    char agent[PATH_BYTES], workdir[PATH_BYTES], address[PATH_BYTES + 32];
    struct sl_agent_record record;    /* pid 0: none known */
    struct sl_agent_process *process; /* NULL: none, or one that an earlier daemon started */
    bool listening;                   /* it said so, or it is taken over */
    bool closing, stop_agent;
    uv_timer_t grace; /* to say where it listens, and to end */
};

static void finish_close(struct local *local);

/* --- the agent's process --- */

static void on_grace(uv_timer_t *timer)
{
    struct local *local = timer->data;
    if (local->process) /* it lives and does not serve, or does not end */
        sl_agent_process_signal(local->process, SIGKILL);
}

static void on_listening(void *user, const char *address)
{
    struct local *local = user;
    snprintf(local->address, sizeof(local->address), "%s", address);
    local->listening = true;
    local->record.pid = sl_agent_process_pid(local->process);
    int rc = sl_agent_record_write(local->workdir, &local->record);
    if (rc < 0) /* it serves this daemon all the same */
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("agent_record_unwritten"),
               SL_LOG_REASON(sl_strerror(rc)));
    if (local->closing)
        return;
    uv_timer_stop(&local->grace);
    local->events.found(local->user);
}

static void on_agent_ended(void *user, int64_t exit_code, int number)
{
    struct local *local = user;
    char reason[200];
    local->process = NULL;
    local->listening = false;
    uv_timer_stop(&local->grace);
    if (local->closing) {
        finish_close(local);
        return;
    }
    local->record.pid = 0;
    sl_agent_record_remove(local->workdir);
    if (number != 0)
        snprintf(reason, sizeof(reason), "the agent was ended by signal %d", number);
    else if (exit_code < 0)
        snprintf(reason, sizeof(reason), "the agent cannot be started: %s",
                 sl_strerror((int)exit_code));
    else
        snprintf(reason, sizeof(reason), "the agent ended with exit code %d; agent.log has why",
                 (int)exit_code);
    local->events.lost(local->user, reason);
}

static int start_agent(struct local *local)
{
    static const struct sl_agent_process_events events = {on_listening, on_agent_ended};
    snprintf(local->address, sizeof(local->address), "unix:%s/sock", local->workdir);
    struct sl_agent_process_spec spec = {.program = local->agent,
                                         .workdir = local->workdir,
                                         .address = local->address,
                                         .secret = local->record.secret};
    local->record.pid = 0;
    sl_random_bytes(local->record.secret, sizeof(local->record.secret));
    int rc = sl_agent_process_start(local->loop, &spec, &events, local, &local->process);
    if (rc == 0)
        uv_timer_start(&local->grace, on_grace, SL_LINK_START_MS, 0);
    return rc;
}

static int reach(void *transport, unsigned failures, struct sl_diag *diag)
{
    struct local *local = transport;
    bool tried = failures > 0 && failures % TRIES_BEFORE_KILL == 0;
    if (local->process && tried && local->listening) {
        sl_agent_process_signal(local->process, SIGKILL); /* it lives and does not serve */
        return SL_TRANSPORT_WAIT;
    }
    if (tried && !local->process) /* one of an earlier daemon that does not answer to its record */
        local->listening = false;
    if (local->listening)
        return SL_TRANSPORT_CONNECT;
    int rc = local->process ? 0 : start_agent(local);
    return rc < 0 ? sl_diag_set(diag, rc, NULL, "%s", sl_strerror(rc)) : SL_TRANSPORT_WAIT;
}

/* --- the connection --- */

static const uint8_t *secret(const void *transport)
{
    return ((const struct local *)transport)->record.secret;
}

static void connect_channel(void *transport, struct sl_channel *channel)
{
    struct local *local = transport;
    struct sl_address address;
    if (sl_address_parse(local->address, &address, NULL) == 0)
        sl_channel_connect(channel, &address);
    else /* the agent printed something else */
        sl_channel_close(channel);
}

static void disconnected(void *transport, int code, bool proven)
{
    struct local *local = transport;
    (void)proven;
    bool gone = code == -ECONNREFUSED || code == -ENOENT ||
                (local->record.pid > 1 && kill(local->record.pid, 0) < 0 && errno == ESRCH);
    if (local->process || local->closing || !gone)
        return;
    local->listening = false; /* the one of an earlier daemon is no more */
    local->record.pid = 0;
    sl_agent_record_remove(local->workdir);
}

static int agent_pid(const void *transport)
{
    return ((const struct local *)transport)->record.pid;
}

static int place_blob(const char *store, const char *workdir, const char *name,
                      struct sl_diag *diag)
{
    char blobs[PATH_BYTES + 8];
    sl_path_join(blobs, sizeof(blobs), workdir, "blobs");
    return sl_blob_place(store, blobs, name, diag);
}

/* --- begin and end --- */

static int open_local(uv_loop_t *loop, const struct sl_link_options *options,
                      const struct sl_transport_events *events, void *user, void **out)
{
    struct sl_address address;
    char blobs[PATH_BYTES + 8];
    struct local *local = sl_calloc(1, sizeof(*local));
    if (!local)
        return -ENOMEM;
    local->loop = loop;
    local->events = *events;
    local->user = user;
    int agent = snprintf(local->agent, sizeof(local->agent), "%s", options->agent);
    int workdir = snprintf(local->workdir, sizeof(local->workdir), "%s", options->workdir);
    snprintf(local->address, sizeof(local->address), "unix:%s/sock", local->workdir);
    int rc = agent >= PATH_BYTES || workdir >= PATH_BYTES ||
                     sl_address_parse(local->address, &address, NULL) < 0
                 ? -ENAMETOOLONG
                 : 0;
    sl_path_join(blobs, sizeof(blobs), local->workdir, "blobs");
    if (rc == 0 && mkdir(blobs, 0700) < 0 && errno != EEXIST)
        rc = -errno;
    if (rc < 0) {
        sl_free(local);
        return rc;
    }
    local->listening = sl_agent_record_read(local->workdir, &local->record) == 0;
    uv_timer_init(loop, &local->grace); /* cannot fail */
    local->grace.data = local;
    *out = local;
    return 0;
}

static void on_grace_closed(uv_handle_t *handle)
{
    struct local *local = handle->data;
    struct sl_transport_events events = local->events;
    void *user = local->user;
    sl_free(local);
    events.closed(user);
}

static void finish_close(struct local *local)
{
    if (local->process || uv_is_closing((uv_handle_t *)&local->grace))
        return;
    if (local->stop_agent)
        sl_agent_record_remove(local->workdir);
    uv_close((uv_handle_t *)&local->grace, on_grace_closed);
}

static bool close_local(void *transport, bool stop_agent, bool proven)
{
    struct local *local = transport;
    local->closing = true;
    local->stop_agent = stop_agent;
    uv_timer_stop(&local->grace);
    if (local->process && stop_agent) {
        sl_agent_process_signal(local->process, SIGTERM);
        uv_timer_start(&local->grace, on_grace, SL_LINK_STOP_MS, 0);
    } else if (local->process) {
        sl_agent_process_abandon(local->process);
    } else if (stop_agent && proven && local->record.pid > 1) {
        kill(local->record.pid, SIGTERM); /* an earlier daemon's; that it is the agent is proven */
    }
    finish_close(local);
    return false;
}

#define OPERATIONS                                                                                 \
    .open = open_local, .reach = reach, .secret = secret, .connect = connect_channel,              \
    .disconnected = disconnected, .agent_pid = agent_pid, .place_blob = place_blob,                \
    .close = close_local

extern const struct sl_transport_ops sl_transport_local, sl_transport_emulated,
    sl_transport_counted;
const struct sl_transport_ops sl_transport_local = {.open_device = sl_device_open_local,
                                                    OPERATIONS};
const struct sl_transport_ops sl_transport_emulated = {.open_device = sl_device_open_emulated,
                                                       OPERATIONS};
const struct sl_transport_ops sl_transport_counted = {.open_device = sl_device_open_emulated,
                                                      OPERATIONS};
