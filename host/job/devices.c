/* host/job/devices.c */
#include "host/job/devices.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "host/device/launch.h"
#include "host/device/link.h"
#include "host/job/collect.h"
#include "host/job/finisher.h"
#include "host/job/kept_list.h"
#include "host/job/run.h"
#include "host/job/settled.h"

static const char taken_word[] = "taken\n";

enum {
    PATH_BYTES = 1024,
    MAX_NOTE_BYTES = 2048,
    MAX_CONFIG_BYTES = 1 << 20,
    CLEAN_MS = 10000,
    LOOK_MS = 60000
};

struct device {
    struct sl_devices *devices;
    char name[SL_NAME_BYTES];
    struct sl_device kind, next_kind;     /* the second of the next job */
    struct sl_link *link;                 /* NULL when closed */
    struct sl_job_run *run;               /* NULL: idle */
    struct sl_collect *collect;           /* before a run that is not the job's first; else NULL */
    struct sl_kept_start start;           /* of the run, or of what is before it */
    struct sl_run_id ids[SL_JOB_RUN_IDS]; /* its jobs on the wire */
    struct sl_settled settled;
    struct sl_kept_list kept;     /* that the agent holds and nobody here has a run for */
    bool link_closing, forgotten; /* the second: it goes when its link is closed */
    bool held;                    /* it is away: its link is not tried */
    bool lent, let_go;            /* it is a person's; its link is closed for that */
    bool ending;                  /* its run: what it leaves is still being told to its agent */
    char moved[sizeof(((struct sl_device *)0)->link)]; /* to this link; "": by its own */
    char *config_json;         /* owned: of the job that the look is before; else NULL */
    bool unwanted;             /* that is cancelled */
    struct cleaning *cleaning; /* while its agent is asked to clean up; it frees itself */
};

struct sl_devices {
    uv_loop_t *loop;
    struct sl_devices_events events;
    void *user;
    const struct sl_job_kit *kit;
    struct sl_finisher *finisher; /* owned */
    char state_dir[SL_PATH_BYTES], agent[PATH_BYTES];
    struct device *all[SL_MAX_DEVICES]; /* owned */
    size_t count;
    bool on_demand, closing, stop_agents;
    uv_timer_t looks; /* asks how the devices are; its end is this one's */
    void (*closed)(void *user);
    void *closed_user;
};

/* From the question to the answer, or to the end of patience. */
struct cleaning {
    uv_timer_t timer;
    struct device *device; /* borrowed; it has its answer before it goes */
    sl_devices_cleaned_fn done;
    void *user;
};

static void finish_close(struct sl_devices *devices);
static void let_go(struct device *device);
static int open_link(struct device *device);

static struct device *find(const struct sl_devices *devices, const char *name)
{
    for (size_t i = 0; i < devices->count; i++) {
        if (strcmp(devices->all[i]->name, name) == 0)
            return devices->all[i];
    }
    return NULL;
}

/* --- the note of an open run: <state>/agents/<device>/open --- */

static void note_path(const struct device *device, char out[PATH_BYTES])
{
    sl_path_join(out, PATH_BYTES, device->devices->state_dir, "agents/%s/open", device->name);
}

/* `taken`: the device has the job, and goes on with it whatever becomes of the link. */
static void write_note(const struct device *device, bool taken)
{
    char path[PATH_BYTES], text[MAX_NOTE_BYTES];
    note_path(device, path);
    int size = snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu32 " %" PRIu64 "\n%s\n%s",
                        device->start.job, device->start.attempt, device->start.submitted_ms,
                        sl_job_run_directory(device->run), taken ? taken_word : "");
    int rc = sl_buf_write_file(path, text, (size_t)size);
    if (rc < 0) /* it runs all the same; a later daemon would not know of it */
        sl_log(SL_LOG_ERROR, SL_LOG_EVENT("note_unwritten"), SL_LOG_DEVICE(device->name),
               SL_LOG_REASON(sl_strerror(rc)));
}

static void remove_note(const struct device *device)
{
    char path[PATH_BYTES];
    note_path(device, path);
    unlink(path);
}

/* --- the run --- */

static void on_progress(void *user, const char *type, const char *json)
{
    struct device *device = user;
    struct sl_devices *devices = device->devices;
    if (devices->events.progress(devices->user, device->start.job, device->name, type, json) < 0 &&
        device->run)
        sl_job_run_cancel(device->run); /* its lease ended: it is another device's */
}

/* The agent need not hold it any longer, whatever became of the last acknowledgement. */
static void settle(struct device *device)
{
    int rc = sl_settled_add(&device->settled, device->ids, SL_JOB_RUN_IDS);
    if (rc < 0)
        sl_log(SL_LOG_ERROR, SL_LOG_EVENT("settled_unwritten"), SL_LOG_DEVICE(device->name),
               SL_LOG_REASON(sl_strerror(rc)));
    for (int i = 0; i < SL_JOB_RUN_IDS; i++)
        sl_link_claim(device->link, device->ids[i], SL_LINK_FORGET);
}

/* A result that could not be collected stays on the device, to be tried again. */
static void keep(const struct device *device)
{
    for (int i = 0; i < SL_JOB_RUN_IDS; i++)
        sl_link_claim(device->link, device->ids[i], SL_LINK_KEEP);
}

static void on_ended(void *user, int cause, const char *detail, const struct sl_run_record *record,
                     bool leaves)
{
    struct device *device = user;
    struct sl_devices *devices = device->devices;
    device->run = NULL;
    device->ending = true;
    devices->events.ended(devices->user, device->start.job, device->name, cause, detail, record);
    if (leaves)
        keep(device);
    else
        settle(device);
    remove_note(device);
    sl_link_look(device->link);
    device->ending = false;
    if (devices->closing)
        finish_close(devices);
    else
        let_go(device);
}

static void on_taken(void *user)
{
    write_note(user, true);
}

static void on_detached(void *user, bool detached)
{
    struct device *device = user;
    struct sl_devices *devices = device->devices;
    sl_log(SL_LOG_WARNING, SL_LOG_EVENT(detached ? "run_detached" : "run_attached"),
           SL_LOG_DEVICE(device->name), SL_LOG_JOB(device->start.job));
    if (devices->events.detached)
        devices->events.detached(devices->user, device->start.job, device->name, detached);
}

/* The run is of the start that the device names. */
static int start(struct device *device, const char *config_json, const char *resume, bool taken)
{
    static const struct sl_job_run_events events = {on_progress, on_ended, on_taken, on_detached};
    struct sl_job_run_setup setup = {.state_dir = device->devices->state_dir,
                                     .device = &device->kind,
                                     .link = device->link,
                                     .kit = device->devices->kit,
                                     .finisher = device->devices->finisher,
                                     .device_name = device->name,
                                     .config_json = config_json,
                                     .start = device->start,
                                     .resume = resume,
                                     .taken = taken};
    device->kind = device->next_kind;
    int rc = sl_job_run_start(device->devices->loop, &setup, &events, device, &device->run);
    if (rc == 0)
        sl_job_run_ids(device->run, device->ids);
    return rc;
}

/* `config_json` borrowed. Ends the job here without memory, or if the device table is
 * inconsistent. */
static void begin(struct device *device, const char *config_json)
{
    const struct sl_devices *devices = device->devices;
    int rc = start(device, config_json, NULL, false);
    if (rc == 0)
        write_note(device, false);
    else
        devices->events.ended(devices->user, device->start.job, device->name, SL_CAUSE_LAB,
                              sl_strerror(rc), NULL);
}

static void on_collect(void *user, const char *config_json)
{
    struct device *device = user;
    char *own = device->config_json;
    device->collect = NULL;
    device->config_json = NULL;
    if (device->unwanted)
        device->devices->events.ended(device->devices->user, device->start.job, device->name,
                                      SL_CAUSE_NONE, "cancelled", NULL);
    else
        begin(device, config_json ? config_json : own);
    sl_free(own);
}

/* An earlier start of the job may have left its result on a device behind a link. */
static int look_first(struct device *device, const char *config_json)
{
    struct sl_collect_wish wish = {device->start, device->name, config_json};
    wish.before.attempt--;
    device->unwanted = false;
    device->config_json = sl_strndup(config_json, strlen(config_json));
    return device->config_json ? sl_collect_start(device->devices->loop, &device->kept, &wish,
                                                  on_collect, device, &device->collect)
                               : -ENOMEM;
}

static void stop_looking(struct device *device)
{
    sl_collect_stop(device->collect);
    sl_free(device->config_json);
    device->collect = NULL;
    device->config_json = NULL;
}

void sl_devices_start(void *user, const struct sl_job_record *job, const char *config_json,
                      const struct sl_device_record *record)
{
    struct sl_devices *devices = user;
    struct device *device = find(devices, record->name);
    bool gone = !device || devices->closing || device->forgotten;
    int rc = gone ? SL_E_NOT_FOUND : device->run || device->collect ? SL_E_STATE : 0;
    if (rc == 0)
        rc = open_link(device);
    if (rc < 0) {
        devices->events.ended(devices->user, job->id, record->name, SL_CAUSE_LAB, sl_strerror(rc),
                              NULL);
        return;
    }
    device->start.job = job->id;
    device->start.submitted_ms = job->submitted_ms;
    device->start.attempt = job->attempts;
    bool again = job->attempts > 1 && sl_device_kind_traits(device->next_kind.kind).needs_push;
    if (!again || look_first(device, config_json) < 0)
        begin(device, config_json);
}

void sl_devices_cancel(void *user, uint64_t job, const char *name)
{
    struct device *device = find(user, name);
    if (!device || device->start.job != job)
        return;
    if (device->run)
        sl_job_run_cancel(device->run);
    else
        device->unwanted = device->collect != NULL;
}

uint64_t sl_devices_held(void *user, const char *name)
{
    const struct device *device = find(user, name);
    return device && (device->run || device->collect) ? device->start.job : 0;
}

/* Goes on with what an earlier daemon left; a note that cannot be followed is said and dropped. */
static void resume(struct device *device)
{
    char path[PATH_BYTES + 16], directory[PATH_BYTES] = "";
    struct sl_buf note, config;
    note_path(device, path);
    if (sl_buf_read_file(path, MAX_NOTE_BYTES, &note) < 0)
        return;
    int rc = SL_E_FORMAT;
    bool taken = strstr((const char *)note.data, taken_word) != NULL;
    if (sscanf((const char *)note.data, "%" SCNu64 " %" SCNu32 " %" SCNu64 "\n%1000[^\n]",
               &device->start.job, &device->start.attempt, &device->start.submitted_ms,
               directory) == 4) {
        sl_path_join(path, sizeof(path), directory, "config.json");
        rc = sl_buf_read_file(path, MAX_CONFIG_BYTES, &config);
    }
    sl_buf_fini(&note);
    if (rc == 0) {
        rc = start(device, (const char *)config.data, directory, taken);
        sl_buf_fini(&config);
    } else {
        remove_note(device); /* it ended before it had a directory: the lease brings the job back */
    }
    if (rc < 0)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("run_not_resumed"), SL_LOG_DEVICE(device->name),
               SL_LOG_JOB(device->start.job), SL_LOG_REASON(sl_strerror(rc)));
}

/* --- cleaning up --- */

static void on_cleaning_closed(uv_handle_t *handle)
{
    sl_free(handle->data);
}

static void end_cleaning(struct device *device, int rc, const struct sl_devices_cleaned *cleaned)
{
    struct cleaning *cleaning = device->cleaning;
    if (!cleaning)
        return;
    device->cleaning = NULL;
    uv_close((uv_handle_t *)&cleaning->timer, on_cleaning_closed);
    cleaning->done(cleaning->user, rc, cleaned);
}

static void on_patience_over(uv_timer_t *timer)
{
    const struct cleaning *cleaning = timer->data;
    end_cleaning(cleaning->device, -ETIMEDOUT, NULL);
}

static void on_cleaned(void *user, uint64_t files, uint64_t bytes, const char *refusal)
{
    struct device *device = user;
    const struct sl_devices_cleaned cleaned = {files, bytes};
    end_cleaning(device, *refusal ? -EBUSY : 0, &cleaned);
}

int sl_devices_clean(struct sl_devices *devices, const char *name, sl_devices_cleaned_fn done,
                     void *user)
{
    struct device *device = find(devices, name);
    if (!device || device->run || device->collect || device->cleaning)
        return device ? -EBUSY : SL_E_NOT_FOUND;
    if (!device->link || device->link_closing || !sl_link_is_up(device->link))
        return SL_E_STATE;
    struct cleaning *cleaning = sl_calloc(1, sizeof(*cleaning));
    int rc = cleaning ? sl_link_clean(device->link) : -ENOMEM;
    if (rc < 0) {
        sl_free(cleaning);
        return rc;
    }
    cleaning->device = device;
    cleaning->done = done;
    cleaning->user = user;
    uv_timer_init(devices->loop, &cleaning->timer); /* cannot fail */
    cleaning->timer.data = device->cleaning = cleaning;
    uv_timer_start(&cleaning->timer, on_patience_over, CLEAN_MS, 0);
    return 0;
}

/* --- the link --- */

static size_t on_have(void *user, struct sl_link_have *out, size_t max)
{
    struct device *device = user;
    return device->run ? sl_job_run_have(device->run, out, max) : 0;
}

static void tell_link(const struct device *device, int cause, const char *why)
{
    const struct sl_devices *devices = device->devices;
    if (devices->events.link && !devices->closing && !device->forgotten)
        devices->events.link(devices->user, device->name, cause, why);
}

static void on_up(void *user)
{
    struct device *device = user;
    tell_link(device, SL_CAUSE_DEVICE_WELL, "");
    if (device->run)
        sl_job_run_link_up(device->run);
    else
        sl_link_look(device->link);
}

static void on_restarted(void *user)
{
    const struct device *device = user;
    sl_log(SL_LOG_WARNING, SL_LOG_EVENT("agent_restarted"), SL_LOG_DEVICE(device->name),
           SL_LOG_JOB(device->run ? device->start.job : 0),
           SL_LOG_REASON("what its process ran ended with the one before"));
}

static int cause_of_down(const struct device *device, unsigned failures)
{
    int said = sl_link_cause(device->link);
    return said != SL_CAUSE_DEVICE_WELL ? said
           : failures < SL_LINK_GIVE_UP ? SL_CAUSE_DEVICE_CONNECTING
                                        : SL_CAUSE_DEVICE_UNREACHABLE;
}

static void on_down(void *user, const char *reason, unsigned failures)
{
    struct device *device = user;
    sl_log(SL_LOG_WARNING, SL_LOG_EVENT("link_down"), SL_LOG_DEVICE(device->name),
           SL_LOG_NUMBER("failures", failures), SL_LOG_REASON(reason));
    tell_link(device, cause_of_down(device, failures), reason);
    if (device->run)
        sl_job_run_link_down(device->run, reason, failures);
    end_cleaning(device, SL_E_STATE, NULL);
}

/* A job without an open run: where we are done with it, it is stopped and the chunk acknowledged,
 * so that the agent forgets; else it goes on and the agent keeps it: it is another daemon's. */
static void on_chunk(void *user, const struct sl_link_chunk *chunk)
{
    struct device *device = user;
    if (device->run && sl_job_run_chunk(device->run, chunk))
        return;
    if (!sl_settled_has(&device->settled, chunk->job)) {
        sl_link_claim(device->link, chunk->job, SL_LINK_KEEP);
        return;
    }
    sl_link_cancel_job(device->link, chunk->job);
    sl_link_ack(device->link, chunk->job, chunk->stream, chunk->offset + chunk->len);
}

static void on_result(void *user, const struct sl_link_result *result)
{
    struct device *device = user;
    if (device->run && sl_job_run_result(device->run, result))
        return;
    if (sl_settled_has(&device->settled, result->job))
        sl_link_ack_result(device->link, result->job);
    else
        sl_link_claim(device->link, result->job, SL_LINK_KEEP);
}

static void tell_kept(const struct device *device)
{
    const struct sl_devices *devices = device->devices;
    uint64_t bytes = 0;
    for (size_t i = 0; i < device->kept.count; i++)
        bytes += device->kept.all[i].bytes;
    sl_log(SL_LOG_WARNING, SL_LOG_EVENT("results_kept"), SL_LOG_DEVICE(device->name),
           SL_LOG_NUMBER("results", device->kept.count), SL_LOG_NUMBER("bytes", bytes),
           SL_LOG_REASON("of jobs that this daemon does not know: they stay on the device until "
                         "'sme2lab device results' collects or forgets them"));
    if (devices->events.kept)
        devices->events.kept(devices->user, device->name, device->kept.count, bytes);
}

static bool is_open(const struct device *device, struct sl_run_id id)
{
    bool known = false;
    for (int i = 0; i < SL_JOB_RUN_IDS; i++)
        known = known || sl_run_ids_equal(device->ids[i], id);
    return device->run && known;
}

/* The agent may remove results of jobs that have ended here. It is asked what the others were, and
 * keeps them. */
static void on_kept(void *user, const struct sl_link_kept *kept, size_t count)
{
    struct device *device = user;
    struct sl_link_kept unknown[SL_LINK_MAX_KEPT];
    size_t known = device->kept.count, unknown_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_open(device, kept[i].job)) /* it is sent again when there is a place for it */
            continue;
        if (!sl_settled_has(&device->settled, kept[i].job))
            unknown[unknown_count++] = kept[i];
        else if (kept[i].outcome == 0)
            sl_link_cancel_job(device->link, kept[i].job);
        else
            sl_link_claim(device->link, kept[i].job, SL_LINK_FORGET);
    }
    int rc = sl_kept_list_take(&device->kept, unknown, unknown_count);
    if (rc < 0)
        sl_log(SL_LOG_ERROR, SL_LOG_EVENT("results_not_listed"), SL_LOG_DEVICE(device->name),
               SL_LOG_REASON(sl_strerror(rc)));
    if (device->kept.count != known)
        tell_kept(device);
    for (size_t i = 0; i < device->kept.count; i++) {
        struct sl_kept *one = &device->kept.all[i];
        if (!one->asked)
            one->asked = sl_link_claim(device->link, one->id, SL_LINK_TELL) == 0;
    }
}

static void on_told(void *user, const struct sl_link_told *told)
{
    struct device *device = user;
    int rc = sl_kept_list_told(&device->kept, told);
    if (rc < 0)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("result_not_described"), SL_LOG_DEVICE(device->name),
               SL_LOG_REASON(sl_strerror(rc)));
}

static void on_state(void *user, struct sl_run_id id, int phase, uint32_t pair, uint32_t pairs)
{
    struct device *device = user;
    bool ours = device->run && sl_job_run_state(device->run, id, phase, pair, pairs);
    if (!ours && sl_settled_has(&device->settled, id))
        sl_link_cancel_job(device->link, id);
}

static void on_conditions(void *user, const struct sl_device_conditions *now)
{
    struct device *device = user;
    const struct sl_devices *devices = device->devices;
    if (!device->run && devices->events.conditions)
        devices->events.conditions(devices->user, device->name, now);
}

/* Never beside a run: looking takes the device's time. */
static void on_look(uv_timer_t *timer)
{
    const struct sl_devices *devices = timer->data;
    for (size_t i = 0; i < devices->count; i++) {
        const struct device *device = devices->all[i];
        if (device->link && !device->link_closing && !device->run)
            sl_link_look(device->link);
    }
}

/* The agent describes a device that the daemon knows by a link alone. */
static void on_described(void *user)
{
    struct device *device = user;
    struct sl_devices *devices = device->devices;
    const struct sl_link_facts *facts = sl_link_facts(device->link);
    if (!facts || !devices->events.described)
        return;
    struct sl_device_traits traits = device->kind.traits;
    traits.emulated = facts->emulated;
    devices->events.described(devices->user, device->name, traits, device->kind.cpu,
                              facts->probe_json);
}

/* --- devices --- */

int sl_devices_new(uv_loop_t *loop, const struct sl_devices_options *options,
                   const struct sl_devices_events *events, void *user, struct sl_devices **out)
{
    struct sl_devices *devices = sl_calloc(1, sizeof(*devices));
    int rc = devices ? sl_finisher_new(loop, &devices->finisher) : -ENOMEM;
    if (rc < 0) {
        sl_free(devices);
        return rc;
    }
    devices->loop = loop;
    devices->events = *events;
    devices->user = user;
    devices->kit = options->kit;
    devices->on_demand = options->on_demand;
    snprintf(devices->state_dir, sizeof(devices->state_dir), "%s", options->state_dir);
    snprintf(devices->agent, sizeof(devices->agent), "%s", options->agent);
    uv_timer_init(loop, &devices->looks); /* cannot fail */
    devices->looks.data = devices;
    uv_timer_start(&devices->looks, on_look, LOOK_MS, LOOK_MS);
    *out = devices;
    return 0;
}

static int open_link(struct device *device)
{
    static const struct sl_link_events events = {on_have,  on_up,     on_down,      on_chunk,
                                                 on_state, on_result, on_restarted, on_described,
                                                 on_kept,  on_told,   on_cleaned,   on_conditions};
    char workdir[PATH_BYTES], settled[PATH_BYTES + 16];
    struct sl_devices *devices = device->devices;
    if (device->link)
        return 0;
    sl_path_join(workdir, sizeof(workdir), devices->state_dir, "agents");
    int rc = mkdir(workdir, 0700) == 0 || errno == EEXIST ? 0 : -errno;
    sl_path_join(workdir, sizeof(workdir), devices->state_dir, "agents/%s", device->name);
    struct sl_link_options options = {
        .device = &device->kind, .agent = devices->agent, .workdir = workdir};
    sl_path_join(settled, sizeof(settled), workdir, "settled");
    if (rc == 0)
        rc = sl_settled_open(&device->settled, settled);
    if (rc == 0)
        rc = sl_link_new(devices->loop, &options, &events, device, &device->link);
    if (rc == 0)
        sl_link_hold(device->link, device->held);
    if (rc == 0 && device->moved[0])
        sl_link_move(device->link, device->moved);
    return rc;
}

void sl_devices_move(struct sl_devices *devices, const char *name, const char *link)
{
    struct device *device = find(devices, name);
    if (!device)
        return;
    snprintf(device->moved, sizeof(device->moved), "%s", link);
    if (device->link && !device->link_closing)
        sl_link_move(device->link, link);
}

void sl_devices_hold(struct sl_devices *devices, const char *name, bool held)
{
    struct device *device = find(devices, name);
    if (!device)
        return;
    device->held = held;
    if (device->link && !device->link_closing)
        sl_link_hold(device->link, held);
}

/* --- lent to a person --- */

static const char *way_of(const struct device *device)
{
    return device->moved[0] ? device->moved : device->kind.link;
}

const char *sl_devices_way(const struct sl_devices *devices, const char *name)
{
    const struct device *device = find(devices, name);
    return device ? way_of(device) : "";
}

static void take_back(struct device *device)
{
    device->let_go = false;
    int rc = open_link(device);
    if (rc < 0)
        tell_link(device, SL_CAUSE_DEVICE_CANNOT_OPEN, sl_strerror(rc));
}

static void remove_device(struct device *device);

static void on_let_go(void *user)
{
    struct device *device = user;
    device->link = NULL;
    device->link_closing = false;
    end_cleaning(device, SL_E_STATE, NULL);
    if (device->devices->closing)
        finish_close(device->devices);
    else if (device->forgotten)
        remove_device(device);
    else if (!device->lent)
        take_back(device);
}

/* An adb server of this machine can have a phone only while the daemon has not. */
static void let_go(struct device *device)
{
    const char *way = way_of(device);
    bool direct = strncmp(way, "adb-usb:", 8) == 0 || strncmp(way, "adb-tcp:", 8) == 0;
    bool idle = !device->run && !device->collect && !device->ending;
    if (!device->lent || !direct || !idle || !device->link || device->link_closing)
        return;
    device->let_go = device->link_closing = true;
    sl_link_close(device->link, false, on_let_go, device);
}

void sl_devices_lend(void *user, const char *name, bool lent)
{
    struct sl_devices *devices = user;
    struct device *device = find(devices, name);
    if (!device || device->forgotten || devices->closing)
        return;
    device->lent = lent;
    if (lent) {
        let_go(device);
    } else if (device->let_go) {
        tell_link(device, SL_CAUSE_DEVICE_CONNECTING, "");
        if (!device->link)
            take_back(device);
    }
}

static void free_device(struct device *device)
{
    sl_kept_list_fini(&device->kept);
    sl_free(device);
}

static void remove_device(struct device *device)
{
    struct sl_devices *devices = device->devices;
    size_t i = 0;
    while (devices->all[i] != device)
        i++;
    devices->all[i] = devices->all[--devices->count];
    free_device(device);
}

/* Did an earlier daemon leave a run open, or an agent? */
static bool was_left(const struct device *device)
{
    char path[PATH_BYTES];
    note_path(device, path);
    bool open = access(path, F_OK) == 0;
    sl_path_join(path, sizeof(path), device->devices->state_dir, "agents/%s/agent", device->name);
    return open || access(path, F_OK) == 0;
}

static void on_forgotten(void *user)
{
    struct device *device = user;
    struct sl_devices *devices = device->devices;
    end_cleaning(device, SL_E_STATE, NULL);
    remove_device(device);
    if (devices->closing)
        finish_close(devices);
}

void sl_devices_forget(void *user, const char *name)
{
    struct sl_devices *devices = user;
    struct device *device = find(devices, name);
    if (!device || devices->closing || device->run)
        return;
    stop_looking(device);
    device->forgotten = true;
    if (!device->link) {
        remove_device(device);
    } else if (!device->link_closing) {
        device->link_closing = true;
        sl_link_close(device->link, true, on_forgotten, device);
    }
}

int sl_devices_change(struct sl_devices *devices, const char *name, const struct sl_device *kind)
{
    struct device *device = find(devices, name);
    if (!device)
        return SL_E_NOT_FOUND;
    if (!sl_device_same_way(&device->next_kind, kind))
        return SL_E_STATE;
    device->next_kind = *kind;
    return 0;
}

int sl_devices_add(struct sl_devices *devices, const char *name, const struct sl_device *kind)
{
    const struct device *known = find(devices, name);
    if (known)
        return known->forgotten ? -EBUSY : -EEXIST;
    if (devices->count == SL_MAX_DEVICES)
        return SL_E_FULL;
    struct device *device = sl_calloc(1, sizeof(*device));
    if (!device)
        return -ENOMEM;
    device->devices = devices;
    device->kind = device->next_kind = *kind;
    device->start.store = devices->kit->store ? devices->kit->store : "";
    snprintf(device->name, sizeof(device->name), "%s", name);
    int rc = devices->on_demand && !was_left(device) ? 0 : open_link(device);
    if (rc < 0) {
        sl_free(device);
        return rc;
    }
    devices->all[devices->count++] = device;
    if (device->link)
        resume(device);
    return 0;
}

bool sl_devices_has(const struct sl_devices *devices, const char *name)
{
    return find(devices, name) != NULL;
}

bool sl_devices_connects(const struct sl_devices *devices, const char *name)
{
    const struct device *device = find(devices, name);
    return device && device->link && !sl_link_is_up(device->link);
}

const struct sl_kept_list *sl_devices_kept(const struct sl_devices *devices, const char *name)
{
    const struct device *device = find(devices, name);
    return device ? &device->kept : NULL;
}

int sl_devices_forget_kept(struct sl_devices *devices, const char *name, struct sl_run_id id)
{
    struct device *device = find(devices, name);
    const struct sl_kept *one = device ? sl_kept_list_find(&device->kept, id) : NULL;
    if (!one || !device->link || device->link_closing || !sl_link_is_up(device->link))
        return one ? SL_E_STATE : SL_E_NOT_FOUND;
    const struct sl_run_id ids[] = {id, sl_kept_reference(id)};
    int rc = sl_settled_add(&device->settled, ids, 2);
    for (size_t i = 0; i < 2; i++) { /* one that runs is forgotten when it has ended */
        sl_link_cancel_job(device->link, ids[i]);
        sl_link_claim(device->link, ids[i], SL_LINK_FORGET);
    }
    return rc;
}

int sl_devices_agent_pid(const struct sl_devices *devices, const char *name)
{
    const struct device *device = find(devices, name);
    return device && device->link ? sl_link_agent_pid(device->link) : 0;
}

void sl_devices_reconnect(struct sl_devices *devices, const char *name)
{
    struct device *device = find(devices, name);
    if (device && device->link)
        sl_link_reconnect(device->link);
}

int sl_devices_reset(struct sl_devices *devices, const char *name)
{
    struct device *device = find(devices, name);
    return device && device->link ? sl_link_reset(device->link) : SL_E_NOT_FOUND;
}

/* --- the end: runs, then links, then this --- */

static void on_run_closed(void *user)
{
    struct device *device = user;
    device->run = NULL;
    finish_close(device->devices);
}

static void on_link_closed(void *user)
{
    struct device *device = user;
    device->link = NULL;
    end_cleaning(device, SL_E_STATE, NULL);
    finish_close(device->devices);
}

static void on_finisher_closed(void *user)
{
    struct sl_devices *devices = user;
    void (*closed)(void *) = devices->closed;
    void *closed_user = devices->closed_user;
    for (size_t i = 0; i < devices->count; i++)
        free_device(devices->all[i]);
    sl_free(devices);
    closed(closed_user);
}

static void on_looks_closed(uv_handle_t *handle)
{
    struct sl_devices *devices = handle->data;
    sl_finisher_close(devices->finisher, on_finisher_closed, devices);
}

static void finish_close(struct sl_devices *devices)
{
    bool open = false;
    for (size_t i = 0; i < devices->count; i++) {
        struct device *device = devices->all[i];
        open = open || device->run || device->link;
        if (device->run || !device->link || device->link_closing)
            continue;
        device->link_closing = true;
        sl_link_close(device->link, devices->stop_agents, on_link_closed, device);
    }
    if (!open && !uv_is_closing((uv_handle_t *)&devices->looks))
        uv_close((uv_handle_t *)&devices->looks, on_looks_closed);
}

void sl_devices_close(struct sl_devices *devices, bool stop_agents, void (*closed)(void *user),
                      void *user)
{
    if (devices->closing)
        return;
    devices->closing = true;
    devices->stop_agents = stop_agents;
    devices->closed = closed;
    devices->closed_user = user;
    for (size_t i = 0; i < devices->count; i++) {
        stop_looking(devices->all[i]);
        if (devices->all[i]->run)
            sl_job_run_close(devices->all[i]->run, on_run_closed, devices->all[i]);
    }
    finish_close(devices);
}
