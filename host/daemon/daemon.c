/* host/daemon/daemon.c: starts bottom up (store, lab, devices, HTTP) and ends top down. */
#include "host/daemon/daemon.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/histogram.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "host/daemon/compare_runs.h"
#include "host/daemon/describer.h"
#include "host/daemon/file_limit.h"
#include "host/daemon/hook.h"
#include "host/daemon/identity.h"
#include "host/daemon/job_kit.h"
#include "host/daemon/log_file.h"
#include "host/daemon/phones.h"
#include "host/daemon/plugin_events.h"
#include "host/daemon/reload.h"
#include "host/daemon/roster.h"
#include "host/daemon/service_manager.h"
#include "host/daemon/state_lock.h"
#include "host/daemon/store_place.h"
#include "host/device/tools.h"
#include "host/http/auth.h"
#include "host/http/listener.h"
#include "host/http/server.h"
#include "host/http/tls.h"
#include "host/job/device_life.h"
#include "host/job/devices.h"
#include "host/job/keeper.h"
#include "host/job/lab.h"
#include "host/job/lab_open.h"
#include "host/job/queue.h"
#include "host/job/runner.h"
#include "host/job/runner_gate.h"
#include "host/peer/call.h"
#include "host/peer/fetch.h"
#include "host/plugin/plugins.h"
#include "host/spec/device_facts.h"
#include "host/spec/host_config.h"
#include "host/spec/host_url.h"
#include "host/spec/paths.h"
#include "host/store/pq.h"
#include "host/store/run_removal.h"
#include "host/store/schema.h"
#include "host/store/set_aside.h"
#include "host/store/store.h"

enum {
    LOG_CHECK_MS = 60000,
    EVENTS_PER_MS = 1000, /* at most: so a later daemon's have higher numbers */
    RELOAD_AGAIN_MS = 200,
    LOCK_WAIT_MS = 8000,
    MAX_PATH_BYTES = 1024,
    MAX_LISTEN = SL_HTTP_MAX_LISTENERS
};

/* Everything that is open; a member is NULL until it is opened. */
struct daemon {
    uv_loop_t loop;
    const struct sl_daemon_settings *settings;
    struct sl_diag *diag;
    struct sl_log_file *log;
    struct sl_store *store, *beats; /* beats: of a server, for heartbeats alone; else NULL */
    struct sl_lab *lab;
    struct sl_devices *devices;
    struct sl_phones *phones;
    struct sl_roster *roster;
    struct sl_describer *describer;
    struct sl_hooks *hooks;
    struct sl_plugins *plugins;
    struct sl_keeper *keeper;
    struct sl_histogram ingest_lag;
    uint64_t link_errors[SL_DEVICE_CAUSES];
    struct sl_kit kit;
    bool kit_open;
    struct sl_http *http;
    struct sl_lab_listener *listener;
    uv_timer_t timer;  /* of the log, and of idleness */
    uv_timer_t reload; /* while a device that is to come is still leaving */
    uv_timer_t watchdog;
    uv_signal_t term, interrupt, hangup;
    bool handles_open, draining, ending;
    uint64_t idle_since_ms;
    uint64_t seen_connections;       /* at the last look whether anybody is there */
    int lock;                        /* of the state directory, -1: not had */
    struct sl_store_host host;       /* as other daemons of the store know this one */
    char token[SL_AUTH_TOKEN_BYTES]; /* that shows them who asks */
    struct sl_peer_calls *peers;     /* owned; NULL: the store is this host's alone */
    struct sl_blob_fetch *fetch;     /* the same */
    struct sl_runner_gate gate;      /* between the lab and what ends before it */
    int rc;
};

static void close_handles(struct daemon *daemon)
{
    if (!daemon->handles_open)
        return;
    daemon->handles_open = false;
    uv_close((uv_handle_t *)&daemon->timer, NULL);
    uv_close((uv_handle_t *)&daemon->reload, NULL);
    uv_close((uv_handle_t *)&daemon->watchdog, NULL);
    uv_close((uv_handle_t *)&daemon->term, NULL);
    uv_close((uv_handle_t *)&daemon->interrupt, NULL);
    uv_close((uv_handle_t *)&daemon->hangup, NULL);
}

static void on_store_closed(void *user)
{
    struct daemon *daemon = user;
    daemon->store = NULL;
    close_handles(daemon); /* the last: the loop ends */
}

static void on_beats_closed(void *user)
{
    struct daemon *daemon = user;
    daemon->beats = NULL;
    sl_store_close(daemon->store, on_store_closed, daemon);
}

static void on_lab_closed(void *user)
{
    struct daemon *daemon = user;
    daemon->lab = NULL;
    if (daemon->beats)
        sl_store_close(daemon->beats, on_beats_closed, daemon);
    else
        on_beats_closed(daemon);
}

static void on_plugins_closed(void *user)
{
    struct daemon *daemon = user;
    daemon->plugins = NULL;
    if (daemon->lab)
        sl_lab_close(daemon->lab, on_lab_closed, daemon);
    else
        on_lab_closed(daemon);
}

/* After the runs, which they measure. */
static void on_devices_closed(void *user)
{
    struct daemon *daemon = user;
    daemon->devices = NULL;
    if (daemon->plugins)
        sl_plugins_close(daemon->plugins, on_plugins_closed, daemon);
    else
        on_plugins_closed(daemon);
}

static void on_describer_closed(void *user)
{
    struct daemon *daemon = user;
    daemon->describer = NULL;
    /* Drained devices have nothing to do and their agents end; otherwise they go on for the daemon
     * to come. */
    if (daemon->devices)
        sl_devices_close(daemon->devices, daemon->draining, on_devices_closed, daemon);
    else
        on_devices_closed(daemon);
}

static void on_hooks_closed(void *user)
{
    struct daemon *daemon = user;
    daemon->hooks = NULL;
    if (daemon->describer)
        sl_describer_close(daemon->describer, on_describer_closed, daemon);
    else
        on_describer_closed(daemon);
}

static void on_phones_closed(void *user)
{
    struct daemon *daemon = user;
    daemon->phones = NULL;
    if (daemon->hooks)
        sl_hooks_close(daemon->hooks, on_hooks_closed, daemon);
    else
        on_hooks_closed(daemon);
}

static void on_keeper_closed(void *user)
{
    struct daemon *daemon = user;
    daemon->keeper = NULL;
    if (daemon->phones)
        sl_phones_close(daemon->phones, on_phones_closed, daemon);
    else
        on_phones_closed(daemon);
}

static void on_peers_closed(void *user)
{
    struct daemon *daemon = user;
    daemon->peers = NULL;
    if (daemon->keeper)
        sl_keeper_close(daemon->keeper, on_keeper_closed, daemon);
    else
        on_keeper_closed(daemon);
}

static void on_http_closed(void *user)
{
    struct daemon *daemon = user;
    daemon->http = NULL;
    if (daemon->listener)
        sl_lab_unlisten(daemon->listener);
    daemon->listener = NULL;
    if (daemon->peers)
        sl_peer_calls_close(daemon->peers, on_peers_closed, daemon);
    else
        on_peers_closed(daemon);
}

static void on_fetch_closed(void *user)
{
    struct daemon *daemon = user;
    daemon->fetch = NULL;
    if (daemon->http)
        sl_http_close(daemon->http, on_http_closed, daemon);
    else
        on_http_closed(daemon);
}

/* From here on no job begins: it would begin on devices that end. */
static void end_all(struct daemon *daemon)
{
    if (daemon->ending)
        return;
    daemon->ending = daemon->gate.shut = true;
    sl_service_tell("STOPPING=1");
    if (daemon->lab)
        sl_lab_drain(daemon->lab);
    if (daemon->fetch)
        sl_blob_fetch_close(daemon->fetch, on_fetch_closed, daemon);
    else
        on_fetch_closed(daemon);
}

static bool is_idle(const struct daemon *daemon)
{
    return sl_queue_count(sl_lab_queue(daemon->lab), SL_JOB_RUNNING) == 0;
}

/* The first signal drains, the second ends at once. */
static void on_end_signal(uv_signal_t *handle, int signal)
{
    struct daemon *daemon = handle->data;
    sl_log(SL_LOG_INFO, SL_LOG_EVENT("signal"), SL_LOG_NUMBER("signal", signal));
    if (daemon->draining || is_idle(daemon)) {
        daemon->draining = is_idle(daemon);
        end_all(daemon);
        return;
    }
    daemon->draining = true;
    sl_lab_drain(daemon->lab);
    if (daemon->http)
        sl_http_drain(daemon->http);
}

static void on_reload(uv_timer_t *timer)
{
    struct daemon *daemon = timer->data;
    if (!daemon->http || daemon->draining || daemon->ending)
        return;
    if (!sl_reload(daemon->settings->config_file, daemon->settings->config, daemon->roster,
                   daemon->lab, daemon->phones))
        uv_timer_start(timer, on_reload, RELOAD_AGAIN_MS, 0);
}

static void on_hangup(uv_signal_t *handle, int signal)
{
    struct daemon *daemon = handle->data;
    (void)signal;
    if (daemon->log) {
        sl_log_file_reopen(daemon->log);
        sl_log(SL_LOG_INFO, SL_LOG_EVENT("log_reopened"));
    }
    if (daemon->settings->config_file)
        on_reload(&daemon->reload);
}

/* A state event: a drained daemon ends with its last job. */
static void on_lab_event(void *user, const struct sl_lab_event *event)
{
    struct daemon *daemon = user;
    sl_plugin_event(daemon->plugins, event);
    if (strcmp(event->type, "state") != 0)
        return;
    sl_log(SL_LOG_INFO, SL_LOG_EVENT("job"), SL_LOG_JOB(event->job),
           SL_LOG_TEXT("state", event->json));
    daemon->idle_since_ms = uv_now(&daemon->loop);
    if (daemon->draining && is_idle(daemon))
        end_all(daemon);
}

/* Somebody is connected, or was since the last look. */
static bool is_asked(struct daemon *daemon)
{
    size_t open = 0;
    uint64_t count = daemon->http ? sl_http_connections(daemon->http, &open) : 0;
    bool asked = open > 0 || count != daemon->seen_connections;
    daemon->seen_connections = count;
    return asked;
}

static void on_timer(uv_timer_t *timer)
{
    struct daemon *daemon = timer->data;
    uint32_t idle_exit = daemon->settings->config->idle_exit_seconds;
    if (daemon->log) {
        int rc = sl_log_file_rotate(daemon->log);
        if (rc < 0)
            sl_log(SL_LOG_ERROR, SL_LOG_EVENT("log_rotation_failed"),
                   SL_LOG_REASON(sl_strerror(rc)));
    }
    if (!daemon->lab || daemon->ending)
        return;
    bool empty = is_idle(daemon) && sl_queue_count(sl_lab_queue(daemon->lab), SL_JOB_QUEUED) == 0;
    if (is_asked(daemon))
        daemon->idle_since_ms = uv_now(&daemon->loop);
    if (idle_exit != 0 && empty &&
        uv_now(&daemon->loop) - daemon->idle_since_ms >= (uint64_t)idle_exit * 1000) {
        sl_log(SL_LOG_INFO, SL_LOG_EVENT("idle_exit"));
        daemon->draining = true;
        end_all(daemon);
    }
}

/* A loop that hangs says nothing, and the service manager starts the daemon anew. */
static void on_watchdog(uv_timer_t *timer)
{
    (void)timer;
    sl_service_tell("WATCHDOG=1");
}

static int on_progress(void *user, uint64_t job, const char *device, const char *type,
                       const char *json)
{
    struct daemon *daemon = user;
    return sl_lab_job_progress(daemon->lab, job, device, type, json);
}

static int on_ended(void *user, uint64_t job, const char *device, int cause, const char *detail,
                    const struct sl_run_record *run)
{
    struct daemon *daemon = user;
    return sl_lab_job_ended(daemon->lab, job, device, cause, detail, run);
}

static int on_detached(void *user, uint64_t job, const char *device, bool detached)
{
    struct daemon *daemon = user;
    return daemon->lab ? sl_lab_job_detached(daemon->lab, job, device, detached) : 0;
}

static int on_add_device(void *user, struct sl_bytes text, char out_name[SL_NAME_BYTES],
                         struct sl_diag *diag)
{
    struct daemon *daemon = user;
    return sl_roster_add(daemon->roster, text, out_name, diag);
}

static int on_remove_device(void *user, const char *name, struct sl_diag *diag)
{
    struct daemon *daemon = user;
    return sl_roster_remove(daemon->roster, name, diag);
}

static const struct sl_kept_list *on_list_kept(void *user, const char *name)
{
    const struct daemon *daemon = user;
    return sl_devices_kept(daemon->devices, name);
}

static int on_forget_kept(void *user, const char *name, struct sl_run_id id)
{
    struct daemon *daemon = user;
    return sl_devices_forget_kept(daemon->devices, name, id);
}

static const char *on_way(void *user, const char *name)
{
    const struct daemon *daemon = user;
    return sl_devices_way(daemon->devices, name);
}

static int on_clean(void *user, const char *name, sl_devices_cleaned_fn done, void *done_user)
{
    struct daemon *daemon = user;
    return sl_devices_clean(daemon->devices, name, done, done_user);
}

static void on_kept(void *user, const char *device, size_t results, uint64_t bytes)
{
    struct daemon *daemon = user;
    if (daemon->lab)
        sl_lab_device_results(daemon->lab, device, results, bytes);
}

static void on_described(void *user, const char *device, struct sl_device_traits traits,
                         const char *cpu, const char *probe_json)
{
    struct daemon *daemon = user;
    struct sl_device_facts facts;
    struct sl_bytes probe = {(const uint8_t *)probe_json, strlen(probe_json)};
    int rc = sl_device_facts_read(probe, &facts);
    if (rc < 0)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("device_not_described"), SL_LOG_DEVICE(device),
               SL_LOG_REASON("its agent's probe cannot be read"));
    if (!daemon->lab)
        return;
    sl_lab_tell_device(daemon->lab, device, traits, cpu);
    if (rc == 0)
        sl_lab_device_facts(daemon->lab, device, &facts);
    if (daemon->roster)
        sl_roster_described(daemon->roster, device);
}

static void on_conditions(void *user, const char *device, const struct sl_device_conditions *now)
{
    struct daemon *daemon = user;
    if (daemon->lab)
        sl_lab_device_conditions(daemon->lab, device, now);
}

/* Why the device does not work by now; 0 where it does. */
static int cause_of(const struct daemon *daemon, const char *name)
{
    const struct sl_device_record *device = daemon->lab ? sl_lab_device(daemon->lab, name) : NULL;
    return device ? device->cause : 0;
}

static void on_link(void *user, const char *device, int cause, const char *why)
{
    struct daemon *daemon = user;
    if (cause > 0 && cause < SL_DEVICE_CAUSES && cause != cause_of(daemon, device))
        daemon->link_errors[cause]++;
    if (daemon->lab)
        sl_lab_device_link(daemon->lab, device, cause, why);
}

/* By the hook, by plug-ins, or by both: either alone is enough. */
static int switch_power(struct daemon *daemon, const char *device)
{
    int rc = sl_plugins_power_cycle(daemon->plugins, device);
    int hook = daemon->hooks ? sl_hooks_run(daemon->hooks, device) : rc;
    return hook < 0 && rc < 0 ? hook : 0;
}

static void on_recover(void *user, const char *device, int step)
{
    struct daemon *daemon = user;
    int rc = 0;
    if (daemon->ending)
        return;
    if (step == SL_STEP_RECONNECT)
        sl_roster_reconnect(daemon->roster, device);
    else if (step == SL_STEP_USB_RESET)
        rc = sl_devices_reset(daemon->devices, device);
    else if (step == SL_STEP_HOOK)
        rc = switch_power(daemon, device);
    else if (daemon->phones)
        rc = sl_phones_recover(daemon->phones, device, step);
    if (rc < 0)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("recovery_failed"), SL_LOG_DEVICE(device),
               SL_LOG_TEXT("step", sl_device_step_name(step)), SL_LOG_REASON(sl_strerror(rc)));
}

/* Agents that this daemon started end with it; a run that an earlier daemon left goes on. */
static void fail(struct daemon *daemon, int rc)
{
    daemon->rc = rc;
    daemon->draining = daemon->lab && is_idle(daemon);
    end_all(daemon);
}

/* The command line's, or else the configuration's. */
static size_t addresses(const struct sl_daemon_settings *settings, const char *const **out)
{
    *out = settings->listen_count > 0 ? settings->listen : settings->config->listen;
    return settings->listen_count > 0 ? settings->listen_count : settings->config->listen_count;
}

/* Before anything is started for nothing. */
int sl_daemon_check(const struct sl_daemon_settings *settings, bool strict, struct sl_diag *diag)
{
    const char *const *listen;
    size_t count = addresses(settings, &listen);
    struct sl_tls_identity *identity = NULL;
    const char *certificate = settings->config->certificate;
    int rc =
        certificate ? sl_tls_identity_new(certificate, settings->config->key, &identity, diag) : 0;
    if (identity && strict)
        rc = sl_tls_identity_check_time(identity, diag);
    sl_tls_identity_free(identity);
    if (rc == 0 && strict)
        rc = sl_plugin_configs_check(settings->config->plugins, settings->config->plugin_count,
                                     diag);
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = sl_http_check_address(listen[i], settings->config->allow_remote, certificate != NULL,
                                   diag);
    return rc;
}

/* The lab has read its jobs back: now the outside may come in. */
static void on_lab_opened(void *user, int rc)
{
    struct daemon *daemon = user;
    const struct sl_daemon_settings *settings = daemon->settings;
    struct sl_http_options options = {
        .compare = {sl_compare_runs, &daemon->kit},
        .devices = {on_add_device, on_remove_device, on_list_kept, on_forget_kept, on_clean, on_way,
                    daemon, &daemon->ingest_lag, daemon->link_errors, daemon->plugins}};
    char fallback[MAX_PATH_BYTES];
    const char *const *listen = NULL;
    if (daemon->ending)
        return;
    if (rc < 0) {
        sl_identity_refused(settings->state, daemon->host.name, rc, daemon->diag);
        fail(daemon, rc);
        return;
    }
    options.keeper = daemon->keeper;
    snprintf(fallback, sizeof(fallback), "unix:%s/sme2labd.sock", settings->state);
    options.allow_remote = settings->config->allow_remote;
    options.certificate = settings->config->certificate;
    options.key = settings->config->key;
    options.allow_runners = settings->config->allow_runners;
    options.rate = settings->config->requests_per_second;
    options.at_once = settings->config->requests_at_once;
    options.origin_count = settings->config->cors_origin_count;
    for (size_t i = 0; i < options.origin_count; i++)
        options.origins[i] = settings->config->cors_origins[i];
    options.listen_count = addresses(settings, &listen);
    for (size_t i = 0; i < options.listen_count && i < MAX_LISTEN; i++)
        options.listen[i] = listen[i];
    if (options.listen_count == 0)
        options.listen[options.listen_count++] = fallback;
    sl_file_limit_for(options.listen_count);
    rc = sl_lab_listen(daemon->lab, 0, 0, on_lab_event, daemon, &daemon->listener);
    if (rc == 0)
        rc = sl_http_new(&daemon->loop, daemon->lab, &options, &daemon->http, daemon->diag);
    if (rc < 0) {
        fail(daemon, rc);
        return;
    }
    sl_http_ask_peers(daemon->http, daemon->peers);
    for (size_t i = 0; i < options.listen_count; i++) {
        uint16_t port = (uint16_t)sl_http_port(daemon->http, i);
        sl_log(SL_LOG_INFO, SL_LOG_EVENT("listening"), SL_LOG_TEXT("address", options.listen[i]),
               SL_LOG_NUMBER("port", port));
    }
    sl_service_tell("READY=1");
}

/* Without an agent for this machine phones are served all the same. */
static int new_devices(struct daemon *daemon)
{
    static const struct sl_devices_events events = {
        on_progress, on_ended, on_described, on_detached, on_link, on_kept, on_conditions};
    const struct sl_host_config *config = daemon->settings->config;
    struct sl_tool agent = {.path = ""};
    struct sl_diag diag = {0};
    int rc = sl_tools_find_native_agent(&agent, config->agents_on_demand ? daemon->diag : &diag);
    if (rc < 0 && config->agents_on_demand)
        return rc;
    if (rc < 0)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("no_native_agent"), SL_LOG_REASON(diag.what));
    const struct sl_devices_options options = {daemon->settings->state, agent.path,
                                               &daemon->kit.calls, config->agents_on_demand};
    return sl_devices_new(&daemon->loop, &options, &events, daemon, &daemon->devices);
}

static bool can_switch(void *user, const char *device)
{
    const struct daemon *daemon = user;
    return daemon->settings->config->hook_words > 0 ||
           sl_plugins_hear(daemon->plugins, SL_PLUGIN_POWER_CYCLE, device);
}

/* Links come up at once: a run that an earlier daemon left goes on. A device that cannot be opened
 * ends only a daemon that was started for the sake of one run. */
static int take_devices(struct daemon *daemon)
{
    const struct sl_host_config *config = daemon->settings->config;
    struct sl_roster_options options = {
        .devices = daemon->devices,
        .lab = daemon->lab,
        .pause_seconds = config->pause_seconds,
        .can_switch = can_switch,
        .user = daemon,
        .state_dir = daemon->settings->state,
    };
    int rc = sl_describer_new(&daemon->loop, daemon->kit.probes, daemon->lab, &daemon->describer);
    options.describer = daemon->describer;
    if (rc == 0)
        rc = sl_roster_new(&options, &daemon->roster);
    for (size_t i = 0; rc == 0 && i < config->device_count; i++) {
        struct sl_diag diag = {0};
        bool alone = config->agents_on_demand;
        rc = sl_roster_take(daemon->roster, &config->devices[i], alone ? daemon->diag : &diag);
        if (rc < 0 && rc != -ENOMEM && !alone)
            rc = 0;
    }
    if (rc == 0)
        sl_roster_load(daemon->roster);
    return rc;
}

static void on_intake(void *user, bool stopped)
{
    struct daemon *daemon = user;
    if (daemon->lab)
        sl_lab_suspend(daemon->lab, stopped);
}

static int open_keeper(struct daemon *daemon)
{
    const struct sl_host_config *config = daemon->settings->config;
    struct sl_keeper_options options = {
        .store = daemon->store,
        .state_dir = daemon->settings->state,
        .limits = {(uint64_t)config->budget_mib << 20, (uint64_t)config->reserve_mib << 20},
        .rules = {.newest = config->keep_newest,
                  .per_series = config->keep_at_most,
                  .label_count = config->keep_label_count},
        .days = config->keep_days,
        .every_seconds = config->keeper_seconds,
        .stopped = on_intake,
        .user = daemon,
    };
    for (size_t i = 0; i < config->keep_label_count; i++)
        snprintf(options.rules.labels[i], sizeof(options.rules.labels[i]), "%s",
                 config->keep_labels[i]);
    sl_run_removal_sweep(daemon->settings->state);
    return sl_keeper_new(&daemon->loop, &options, &daemon->keeper);
}

static bool on_plugin_device(void *user, const char *name, struct sl_device_record *out,
                             char link[SL_PLUGIN_LINK_BYTES])
{
    struct daemon *daemon = user;
    const struct sl_device_record *device = daemon->lab ? sl_lab_device(daemon->lab, name) : NULL;
    if (!device)
        return false;
    *out = *device;
    snprintf(link, SL_PLUGIN_LINK_BYTES, "%s", sl_roster_link(daemon->roster, name));
    return true;
}

static int open_plugins(struct daemon *daemon)
{
    const struct sl_host_config *config = daemon->settings->config;
    int rc = config->plugin_count == 0
                 ? 0
                 : sl_plugins_new(&daemon->loop, config->plugins, config->plugin_count,
                                  on_plugin_device, daemon, &daemon->plugins);
    daemon->kit.calls.plugins = daemon->plugins;
    return rc;
}

/* Files that a job needs come from the other hosts of the store. */
static int open_peers(struct daemon *daemon, struct sl_runner *runner)
{
    struct sl_blob_fetch_setup setup = {.inner = *runner,
                                        .state_dir = daemon->settings->state,
                                        .max_bytes = SL_HTTP_MAX_BLOB_BYTES,
                                        .lease_ms = daemon->host.lease_ms};
    if (daemon->host.alone)
        return 0;
    int rc = sl_peer_calls_new(&daemon->loop, daemon->token,
                               daemon->settings->config->peer_certificates, &daemon->peers);
    setup.calls = daemon->peers;
    if (rc == 0)
        rc = sl_blob_fetch_new(&daemon->loop, &setup, &daemon->fetch);
    if (rc == 0)
        *runner = sl_blob_fetch_runner(daemon->fetch);
    return rc;
}

static int open_lab(struct daemon *daemon)
{
    const struct sl_host_config *config = daemon->settings->config;
    int rc = sl_kit_init(&daemon->kit, sl_store_identity(daemon->store), daemon->diag);
    daemon->kit_open = rc == 0;
    daemon->kit.calls.ingest_lag = &daemon->ingest_lag;
    daemon->kit.store = daemon->store;
    if (rc == 0)
        rc = open_plugins(daemon);
    if (rc == 0)
        rc = new_devices(daemon);
    if (rc == 0 && config->hook_words > 0)
        rc = sl_hooks_new(&daemon->loop, config->hook, config->hook_words, config->hook_seconds,
                          &daemon->hooks);
    struct sl_runner runner = {sl_devices_start, sl_devices_cancel, daemon->devices,
                               sl_devices_held,  sl_devices_forget, sl_devices_lend};
    if (rc == 0)
        rc = open_peers(daemon, &runner);
    if (rc < 0)
        return rc;
    daemon->gate.inner = runner;
    const struct sl_lab_options options = {
        .store = daemon->store,
        .state_dir = daemon->settings->state,
        .host = daemon->host.name,
        .beats = {daemon->beats, daemon->host.lease_ms},
        .runner = sl_runner_gate(&daemon->gate),
        .last_event = sl_clock_utc_ms() * EVENTS_PER_MS,
        .opened = on_lab_opened,
        .recover = on_recover,
        .user = daemon,
    };
    rc = sl_lab_open(&daemon->loop, &options, &daemon->lab);
    if (rc == 0)
        rc = open_keeper(daemon);
    if (rc == 0 && daemon->fetch)
        sl_blob_fetch_serve(daemon->fetch, daemon->lab, daemon->keeper);
    if (rc == 0)
        rc = take_devices(daemon);
    return rc < 0 ? rc
                  : sl_phones_new(&daemon->loop, config, daemon->devices, daemon->lab,
                                  daemon->roster, &daemon->phones);
}

static void open_handles(struct daemon *daemon)
{
    uv_timer_init(&daemon->loop, &daemon->timer);
    uv_timer_init(&daemon->loop, &daemon->reload);
    uv_timer_init(&daemon->loop, &daemon->watchdog);
    uv_signal_init(&daemon->loop, &daemon->term);
    uv_signal_init(&daemon->loop, &daemon->interrupt);
    uv_signal_init(&daemon->loop, &daemon->hangup);
    daemon->timer.data = daemon->reload.data = daemon->term.data = daemon->interrupt.data =
        daemon->hangup.data = daemon;
    uv_signal_start(&daemon->term, on_end_signal, SIGTERM);
    uv_signal_start(&daemon->interrupt, on_end_signal, SIGINT);
    uv_signal_start(&daemon->hangup, on_hangup, SIGHUP);
    uint32_t idle_exit = daemon->settings->config->idle_exit_seconds;
    if (daemon->log || idle_exit != 0) { /* without either there is nothing to wake for */
        uint64_t every =
            idle_exit != 0 && idle_exit < 60 ? (uint64_t)idle_exit * 500 : LOG_CHECK_MS;
        uv_timer_start(&daemon->timer, on_timer, every, every);
    }
    uint64_t watchdog = sl_service_watchdog_ms();
    if (watchdog > 0)
        uv_timer_start(&daemon->watchdog, on_watchdog, watchdog, watchdog);
    daemon->handles_open = true;
}

/* Another host changed jobs. */
static void on_store_changed(void *user)
{
    struct daemon *daemon = user;
    if (daemon->lab)
        sl_lab_look(daemon->lab);
}

/* Nobody else has jobs of a store that is a file here: its leases need not be renewed for a day. */
static int be_host(struct daemon *daemon)
{
    enum { DAY_SECONDS = 24 * 3600 };
    const char *const *listen = NULL;
    size_t count = addresses(daemon->settings, &listen);
    bool shared = sl_store_is_shared(daemon->store);
    uint32_t seconds = shared ? daemon->settings->config->lease_seconds : DAY_SECONDS;
    daemon->host.lease_ms = 1000 * seconds;
    daemon->host.alone = !shared;
    daemon->host.started_ms = sl_clock_utc_ms();
    snprintf(daemon->host.address, sizeof(daemon->host.address), "%s", count > 0 ? listen[0] : "");
    const char *url = daemon->settings->config->peer_url;
    snprintf(daemon->host.url, sizeof(daemon->host.url), "%s", shared && url ? url : "");
    daemon->host.sealed =
        daemon->settings->config->peer_certificates || sl_host_url_is_sealed(daemon->host.url);
    const char *state = daemon->settings->state;
    int rc = sl_identity_read(state, daemon->host.name, daemon->diag);
    if (rc == 0 && shared)
        rc = sl_identity_token(state, daemon->token, daemon->host.shown_sha256, daemon->diag);
    if (rc == 0) {
        sl_store_watch(daemon->store, on_store_changed, daemon);
        rc = sl_store_be_host(daemon->store, &daemon->host);
        if (rc < 0) /* before a device goes on with a run whose directory is not there */
            sl_identity_refused(state, daemon->host.name, rc, daemon->diag);
    }
    return rc;
}

/* Heartbeats have a connection of their own: none of this host's requests, however long, may make
 * it look dead. */
static int open_beats(struct daemon *daemon)
{
    char path[SL_STORE_PLACE_BYTES];
    const char *state = daemon->settings->state;
    if (!sl_store_is_shared(daemon->store))
        return 0;
    int rc = sl_store_place(daemon->settings->store, state, path, daemon->diag);
    if (rc == 0)
        rc = sl_store_open(&daemon->loop, path, state, &daemon->beats, daemon->diag);
    return rc == 0 ? sl_store_be_host(daemon->beats, &daemon->host) : rc;
}

static int open_store(struct daemon *daemon)
{
    static const struct sl_diag none = {0};
    char path[SL_STORE_PLACE_BYTES];
    const char *state = daemon->settings->state;
    int rc = sl_store_place(daemon->settings->store, state, path, daemon->diag);
    if (rc == 0 && daemon->settings->rebuild && sl_pq_is_url(path))
        return sl_diag_set(daemon->diag, -EINVAL, "--rebuild",
                           "a store of PostgreSQL is not set aside: restore it from a pg_dump");
    if (rc == 0 && daemon->settings->rebuild) /* all of it, also where it is large */
        rc = sl_schema_check(path, daemon->diag);
    if (rc == 0)
        rc = sl_store_open(&daemon->loop, path, state, &daemon->store, daemon->diag);
    if (rc != SL_E_FORMAT || !daemon->settings->rebuild)
        return rc;
    *daemon->diag = none;
    rc = sl_set_aside(path, daemon->diag);
    return rc < 0 ? rc : sl_store_open(&daemon->loop, path, state, &daemon->store, daemon->diag);
}

static int start(struct daemon *daemon)
{
    const struct sl_host_config *config = daemon->settings->config;
    int rc = sl_daemon_check(daemon->settings, false, daemon->diag);
    if (rc == 0)
        rc = sl_state_make(daemon->settings->state, daemon->diag);
    if (rc == 0 && config->log_file)
        rc = sl_log_file_open(config->log_file, (uint64_t)config->log_max_mib << 20, &daemon->log,
                              daemon->diag);
    if (rc == 0)
        rc = sl_state_lock(daemon->settings->state, LOCK_WAIT_MS, &daemon->lock, daemon->diag);
    if (rc == 0)
        rc = open_store(daemon);
    if (rc < 0)
        return rc;
    open_handles(daemon);
    daemon->idle_since_ms = uv_now(&daemon->loop);
    if (config->store_reader)
        rc = sl_store_let_read(daemon->store, config->store_reader, daemon->diag);
    if (rc == 0)
        rc = be_host(daemon);
    if (rc == 0)
        rc = open_beats(daemon);
    if (rc == 0)
        rc = open_lab(daemon);
    if (rc < 0)
        end_all(daemon); /* whatever is open */
    return rc;
}

int sl_daemon_run(const struct sl_daemon_settings *settings, struct sl_diag *diag)
{
    struct daemon *daemon = sl_calloc(1, sizeof(*daemon));
    if (!daemon)
        return -ENOMEM;
    daemon->settings = settings;
    daemon->diag = diag;
    daemon->lock = -1;
    int rc = uv_loop_init(&daemon->loop);
    if (rc == 0) {
        signal(SIGPIPE, SIG_IGN);
        rc = start(daemon);
        uv_run(&daemon->loop, UV_RUN_DEFAULT);
        if (uv_loop_close(&daemon->loop) != 0)
            sl_log(SL_LOG_ERROR, SL_LOG_EVENT("handles_left_open"));
    }
    if (rc == 0)
        rc = daemon->rc;
    if (daemon->kit_open)
        sl_kit_fini(&daemon->kit);
    if (daemon->lock >= 0)
        close(daemon->lock);
    sl_roster_free(daemon->roster);
    sl_log_file_free(daemon->log);
    sl_free(daemon);
    return rc;
}
