/* host/job/run.c */
#include "host/job/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <uv.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "host/device/blob_put.h"
#include "host/device/count_reader.h"
#include "host/device/device_clock.h"
#include "host/device/launch.h"
#include "host/device/link.h"
#include "host/device/runtime_files.h"
#include "host/ingest/run_store.h"
#include "host/job/finisher.h"
#include "host/job/kept_list.h"
#include "host/job/run_blobs.h"
#include "host/job/run_count.h"
#include "host/job/run_lines.h"
#include "host/job/run_looks.h"
#include "host/job/run_progress.h"
#include "host/job/run_send.h"
#include "host/job/run_work.h"
#include "host/job/runtime_store.h"
#include "host/plugin/plugins.h"
#include "host/spec/job_body.h"
#include "host/spec/plan.h"
#include "host/spec/spec.h"
#include "host/store/blobs.h"

enum { MAX_GAPS = 3, JSON_BYTES = 512, TELL_MS = 100 };

/* The measured run, then that of the portable kernels: two jobs to the agent. */
struct part {
    struct sl_job_run *run;
    struct sl_ingest *store; /* NULL: not begun, or closed again */
    struct sl_link_result result;
    struct sl_job_run_lines lines; /* of its log */
    bool has_result, done;
};

struct sl_job_run {
    uv_loop_t *loop;
    struct sl_job_run_events events;
    void *user;
    struct sl_device device; /* with what its agent says of it */
    char *probe_json;        /* owned: of the device, NULL: the daemon asks it */
    struct sl_link *link;
    const struct sl_job_kit *kit;
    char *config_json; /* owned */
    char state_dir[SL_PATH_BYTES], directory[SL_JOB_RUN_WORK_PATH], device_name[SL_NAME_BYTES];
    char started_utc[32];
    struct sl_kept_start start; /* its store is the kit's */
    struct sl_run_id id;        /* of this start, collecting or not */
    uint64_t started_ms;        /* Unix time */
    uint64_t sent_ns; /* uv_hrtime() of the first part; 0: not yet, or by an earlier daemon */
    uint64_t down_since_ms, told_ms; /* the loop's; the first 0: the link is up */
    uint64_t rested_ms;              /* when the device has rested; 0: it does not rest */
    struct sl_spec spec;             /* owned; nothing until it was read */
    struct sl_device executorch; /* the device with ExecuTorch's runtime, if that is asked for */
    const struct sl_device *measures; /* that or `device`: what the measured run is executed by */
    struct sl_runtime_files files;    /* its files, for a device that they are sent to */
    struct sl_job_means means;
    struct part parts[SL_JOB_RUN_PARTS];
    int part;                       /* the one under way */
    struct sl_count_reader *reader; /* of a counted device, owned */
    uv_timer_t beat;
    uv_work_t request;
    struct sl_finisher *finisher; /* borrowed */
    struct sl_finisher_task finish;
    struct sl_job_run_work work;
    bool working, putting, finishing, cancelled, closing;
    bool taken, detached; /* the device has it; and cannot be reached */
    bool refused;         /* the agent was busy */
    bool missed;          /* something came for a part that was not begun */
    bool begun;           /* plug-ins had their time, and the agent is sent the job */
    unsigned gaps;
    struct sl_plugin_run *plugins; /* owned; NULL: nobody measures beside the device */
    struct sl_job_run_progress progress, replayed; /* the latter off the loop, while preparing */
    struct sl_job_run_looks looks;
    void (*closed)(void *user); /* of the daemon's end */
    void *closed_user;
};

static void begin_part(struct sl_job_run *run);
static void close_down(struct sl_job_run *run);
static void queue_finish(struct sl_job_run *run);
static void tell_progress(struct sl_job_run *run);
static void on_beat(uv_timer_t *timer);

/* Another attempt, and the other part, are other jobs to the agent. */
static struct sl_run_id wire_id(const struct sl_job_run *run, int part)
{
    struct sl_run_id id = run->work.kept ? run->spec.kept_id : run->id;
    return part == 0 ? id : sl_kept_reference(id);
}

static struct part *part_of(struct sl_job_run *run, struct sl_run_id id)
{
    for (int i = 0; i < SL_JOB_RUN_PARTS; i++) {
        if (sl_run_ids_equal(id, wire_id(run, i)))
            return &run->parts[i];
    }
    return NULL;
}

/* --- the end --- */

/* The first reason counts; what follows of it is passed over. */
static void end(struct sl_job_run *run, int cause, const char *detail)
{
    if (run->closing)
        return;
    run->work.cause = cause;
    run->work.has_record = false;
    snprintf(run->work.detail, sizeof(run->work.detail), "%s", detail);
    close_down(run);
}

static void on_beat_closed(uv_handle_t *handle)
{
    struct sl_job_run *run = handle->data;
    struct sl_job_run_events events = run->events;
    void (*closed)(void *) = run->closed;
    void *user = closed ? run->closed_user : run->user;
    bool leaves = sl_job_run_work_leaves(&run->work);
    const struct sl_job_run_work work = run->work; /* its values alone are read below */
    sl_count_reader_free(run->reader);
    sl_job_run_looks_fini(&run->looks);
    sl_plugin_run_free(run->plugins);
    sl_spec_fini(&run->spec);
    sl_free(run->config_json);
    sl_free(run->probe_json);
    sl_free(run);
    if (closed)
        closed(user);
    else
        events.ended(user, work.cause, work.detail, work.has_record ? &work.record : NULL, leaves);
}

static void on_store_closed(void *user)
{
    struct part *part = user;
    struct sl_job_run *run = part->run;
    part->store = NULL;
    if (run->closing)
        close_down(run);
    else
        queue_finish(run);
}

/* True when both stores are closed; else they are being closed, and on_store_closed() goes on. */
static bool stores_closed(struct sl_job_run *run)
{
    bool all = true;
    for (int i = 0; i < SL_JOB_RUN_PARTS; i++) {
        if (!run->parts[i].store)
            continue;
        sl_ingest_close(run->parts[i].store, on_store_closed, &run->parts[i]);
        all = false;
    }
    return all;
}

/* Called again by each thing that it waits for. */
static void close_down(struct sl_job_run *run)
{
    run->closing = true;
    if (run->putting)
        sl_link_stop_blobs(run->link);
    if (run->working || run->putting || run->looks.looking || !stores_closed(run) ||
        uv_is_closing((uv_handle_t *)&run->beat))
        return;
    sl_link_watch_clock(run->link, false);
    sl_link_pause(run->link, false);
    uv_close((uv_handle_t *)&run->beat, on_beat_closed);
}

/* --- finishing --- */

static void after_finish(void *user)
{
    struct sl_job_run *run = user;
    run->working = false;
    if (run->closing) { /* the daemon ends: a later one finishes it again */
        close_down(run);
        return;
    }
    bool leaves = sl_job_run_work_leaves(&run->work);
    for (int i = 0; i < SL_JOB_RUN_PARTS && !leaves; i++) {
        if (run->parts[i].has_result)
            sl_link_ack_result(run->link, wire_id(run, i));
    }
    close_down(run);
}

static void do_finish(void *user)
{
    struct sl_job_run *run = user;
    sl_job_run_work_finish(&run->work);
}

/* A device that is only known by what its agent says. */
static int take_facts(struct sl_job_run *run)
{
    const struct sl_link_facts *facts = sl_link_facts(run->link);
    if (!facts)
        return 0;
    run->probe_json = sl_strndup(facts->probe_json, strlen(facts->probe_json));
    run->device.probe_json = run->probe_json;
    run->device.traits.emulated = facts->emulated;
    snprintf(run->device.agent.path, sizeof(run->device.agent.path), "%s", facts->program);
    snprintf(run->device.agent_sha256, sizeof(run->device.agent_sha256), "%s",
             facts->program_sha256);
    run->executorch.probe_json = run->probe_json;
    run->executorch.traits = run->device.traits;
    return run->probe_json ? 0 : -ENOMEM;
}

static void end_plugins(struct sl_job_run *run)
{
    struct sl_device_clock_bounds clock;
    sl_link_watch_clock(run->link, false);
    if (run->plugins && sl_link_clock(run->link, &clock))
        sl_plugin_run_clock(run->plugins, clock.low_us, clock.high_us);
    sl_plugin_run_end(run->plugins);
}

static void queue_finish(struct sl_job_run *run)
{
    run->finishing = true;
    end_plugins(run);
    if (run->working || !stores_closed(run) || !sl_plugin_run_is_settled(run->plugins))
        return;
    run->work.plugins = run->plugins;
    if (!run->probe_json)
        take_facts(run); /* a task without files was sent before the agent had said them */
    for (int i = 0; i < SL_JOB_RUN_PARTS; i++)
        run->work.parts[i] = run->parts[i].has_result ? &run->parts[i].result : NULL;
    run->work.reader = run->reader;
    run->work.unwanted = run->cancelled;
    run->work.wall_ns = run->sent_ns != 0 ? uv_hrtime() - run->sent_ns : 0;
    run->work.ended_ms = sl_clock_utc_ms();
    run->working = true;
    run->finish = (struct sl_finisher_task){.work = do_finish, .done = after_finish, .user = run};
    sl_finisher_add(run->finisher, &run->finish);
}

static void part_done(struct part *part)
{
    struct sl_job_run *run = part->run;
    if (part->done)
        return;
    part->done = true;
    end_plugins(run); /* the portable kernels are not measured */
    if (part == &run->parts[0] && !run->means.alone && !run->cancelled &&
        part->result.outcome == SL_OUTCOME_DONE) {
        run->part = 1;
        begin_part(run);
    } else {
        queue_finish(run);
    }
}

/* --- a part under way --- */

/* Tells the agent how many pairs it may measure by the looks so far; repeating it does no harm. */
static void tell_allowed(struct sl_job_run *run)
{
    const struct sl_job_run_looks *looks = &run->looks;
    if (run->part == 0 && looks->allowed != 0)
        sl_link_proceed(run->link, wire_id(run, 0), looks->allowed, looks->last);
}

static void on_pair(void *user, uint64_t off, uint64_t on)
{
    struct sl_job_run *run = user;
    sl_job_run_looks_add(&run->looks, off, on);
}

static void on_looked(void *user)
{
    struct sl_job_run *run = user;
    if (run->closing) {
        close_down(run);
        return;
    }
    tell_allowed(run);
    tell_progress(run);
    sl_job_run_looks_take(&run->looks); /* of a run that did not wait the next one may be due */
}

static void send_part(struct sl_job_run *run)
{
    char fifo[SL_JOB_RUN_WORK_PATH + 64];
    if (run->work.kept && run->part == 0) {
        sl_link_claim(run->link, wire_id(run, 0), SL_LINK_SEND); /* down: when it is up again */
        return;
    }
    if (run->sent_ns == 0 && !run->work.resumed && !run->work.kept)
        run->sent_ns = uv_hrtime();
    bool measured = run->part == 0, counted = run->reader && measured;
    sl_job_run_count_fifo(sl_link_workdir(run->link), wire_id(run, 0), fifo, sizeof(fifo));
    const struct sl_job_run_send how = {.device = measured ? run->measures : &run->device,
                                        .means = &run->means,
                                        .fifo = counted ? fifo : NULL,
                                        .own = run->measures == &run->device};
    struct sl_link_job job = {.id = wire_id(run, run->part),
                              .config = run->config_json,
                              .started_ms = run->started_ms,
                              .spec = &run->spec,
                              /* what stays out of streaming mode is a matter of our own kernels */
                              .policy = how.own ? run->work.policy : "none",
                              .runtime = measured ? &run->files : NULL,
                              .reference = !measured};
    int rc = sl_job_run_send(run->link, &how, &job);
    if (rc < 0 && rc != SL_E_STATE) /* down: sent when it is up again */
        end(run, SL_CAUSE_USER, "the job does not fit into a message");
    tell_allowed(run);
}

static void on_synced(void *user)
{
    struct part *part = user;
    struct sl_job_run *run = part->run;
    uint64_t offset;
    for (int i = 0; i < SL_INGEST_STREAMS; i++) {
        if (sl_ingest_ack(part->store, i, &offset))
            sl_link_ack(run->link, wire_id(run, (int)(part - run->parts)), i, offset);
    }
    if (!sl_ingest_full(part->store))
        sl_link_pause(run->link, false);
    if (part->has_result && sl_ingest_complete(part->store))
        part_done(part);
}

static void on_store_failed(void *user, int rc)
{
    char detail[SL_DETAIL_BYTES];
    struct part *part = user;
    snprintf(detail, sizeof(detail), "the run directory cannot be written: %s", sl_strerror(rc));
    end(part->run, SL_CAUSE_LAB, detail);
}

/* The stores tell, the link is told; a result that an earlier daemon kept is the part's. */
static void begin_part(struct sl_job_run *run)
{
    static const struct sl_ingest_events events = {on_synced, on_store_failed};
    char folder[SL_JOB_RUN_WORK_PATH];
    struct part *part = &run->parts[run->part];
    sl_job_run_lines_init(&part->lines, run->part != 0, run->events.progress, run->user);
    sl_job_run_work_part(run->directory, run->part, folder);
    int rc = sl_ingest_open(run->loop, folder, &events, part, &part->store);
    if (rc < 0) {
        on_store_failed(part, rc);
        return;
    }
    sl_ingest_measure(part->store, run->kit->ingest_lag);
    if (sl_job_run_work_read_result(run->directory, run->part, &part->result) == 0) {
        part->has_result = true;
        sl_ingest_end(part->store, part->result.stream_bytes);
        if (sl_ingest_complete(part->store)) {
            part_done(part);
            return;
        }
    }
    if (run->missed)
        sl_link_reconnect(run->link); /* what came before there was a place for it comes again */
    else
        send_part(run);
    run->missed = false;
}

/* --- preparing --- */

/* A task that only asks is not counted. */
static bool is_counted(const struct sl_job_run *run)
{
    return run->device.traits.counted &&
           (run->spec.task == SL_TASK_RUN || sl_spec_task_measures(run->spec.task));
}

static int start_reader(struct sl_job_run *run, struct sl_diag *diag)
{
    char fifo[SL_JOB_RUN_WORK_PATH + 64];
    if (!is_counted(run))
        return 0;
    sl_job_run_count_sweep(sl_link_workdir(run->link));
    sl_job_run_count_fifo(sl_link_workdir(run->link), wire_id(run, 0), fifo, sizeof(fifo));
    return sl_count_reader_start(run->measures, fifo, &run->reader, diag);
}

static void end_unprepared(struct sl_job_run *run, int rc, const struct sl_diag *diag)
{
    bool users = rc == SL_E_NOT_FOUND || rc == SL_E_FORMAT;
    end(run, users ? SL_CAUSE_USER : SL_CAUSE_LAB, diag->what[0] ? diag->what : sl_strerror(rc));
}

/* The log of what an earlier daemon counted went with it: there is a run if it was recorded. */
static void finish_counted(struct sl_job_run *run)
{
    for (int i = 0; i < SL_JOB_RUN_PARTS; i++) {
        struct part *part = &run->parts[i];
        part->has_result = sl_job_run_work_read_result(run->directory, i, &part->result) == 0;
        part->done = part->has_result;
    }
    if (run->work.found_recorded && run->parts[0].has_result)
        queue_finish(run);
    else
        end(run, SL_CAUSE_LAB, "the daemon that counted this run's instructions ended before it");
}

/* Both when they are ready to measure and when they have told the last of it. */
static void on_plugins(void *user)
{
    struct sl_job_run *run = user;
    bool begin = !run->begun;
    run->begun = true;
    if (run->closing)
        return;
    if (begin) {
        begin_part(run);
        sl_job_run_looks_take(&run->looks);
    } else if (run->finishing) {
        queue_finish(run);
    }
}

/* A run that was measured before this has nothing to be measured beside. */
static void begin_plugins(struct sl_job_run *run)
{
    const struct sl_plugin_run_facts facts = {run->device_name, sl_spec_model_file(&run->spec),
                                              run->start.job, run->work.resumed};
    bool measures = sl_spec_task_runs(run->spec.task) && !run->work.kept;
    int rc = measures
                 ? sl_plugin_run_begin(run->kit->plugins, &facts, on_plugins, run, &run->plugins)
                 : 0;
    if (run->plugins && run->device.traits.needs_push) /* else the clock is this machine's */
        sl_link_watch_clock(run->link, true);
    if (rc < 0)
        end(run, SL_CAUSE_LAB, sl_strerror(rc));
    else if (!run->plugins)
        on_plugins(run);
}

/* Begins when the device has rested; the beat goes on meanwhile. */
static void rest(struct sl_job_run *run)
{
    uint64_t now = uv_now(run->loop), left = run->rested_ms > now ? run->rested_ms - now : 0;
    if (left > 0) {
        uv_timer_start(&run->beat, on_beat, left < SL_JOB_RUN_BEAT_MS ? left : SL_JOB_RUN_BEAT_MS,
                       SL_JOB_RUN_BEAT_MS);
    } else {
        run->rested_ms = 0;
        begin_plugins(run);
    }
}

static void after_prepare(uv_work_t *request, int status)
{
    struct sl_job_run *run = request->data;
    struct sl_diag *diag = &run->work.diag;
    run->working = false;
    if (run->closing) {
        close_down(run);
        return;
    }
    int rc = status < 0 ? status : run->work.rc;
    if (rc == 0 && run->work.resumed && is_counted(run)) {
        finish_counted(run);
        return;
    }
    if (rc == 0)
        rc = start_reader(run, diag);
    if (rc < 0) {
        end_unprepared(run, rc, diag);
        return;
    }
    sl_job_run_progress_adopt(&run->progress, &run->replayed);
    bool measures = sl_spec_task_runs(run->spec.task) || sl_spec_task_measures(run->spec.task);
    bool began = run->taken || run->work.kept;
    if (measures && !began && !run->device.traits.counted)
        run->rested_ms = uv_now(run->loop) + UINT64_C(1000) * run->spec.rest_seconds;
    rest(run);
}

static void do_prepare(uv_work_t *request)
{
    struct sl_job_run *run = request->data;
    sl_job_run_work_prepare(&run->work);
    if (run->work.resumed && run->work.rc == 0)
        sl_job_run_work_replay(run->directory, &run->replayed);
}

static void on_blobs_put(void *user, int rc, const struct sl_diag *diag)
{
    struct sl_job_run *run = user;
    run->putting = false;
    if (run->closing) {
        close_down(run);
        return;
    }
    if (rc == 0)
        rc = take_facts(run);
    if (rc < 0) { /* the user's files were there when the job was taken */
        end(run, SL_CAUSE_LAB, diag->what[0] ? diag->what : sl_strerror(rc));
        return;
    }
    run->working = true;
    uv_queue_work(run->loop, &run->request, do_prepare, after_prepare);
}

/* All files that the agent opens: on a device that was put them before, they are found. */
static void put_blobs(struct sl_job_run *run)
{
    static const struct sl_diag none = {0};
    struct sl_job_run_blobs blobs;
    char store[SL_PATH_BYTES + 8];
    sl_path_join(store, sizeof(store), run->state_dir, "blobs");
    int rc = sl_job_run_blobs_list(&run->spec, &run->files, &blobs);
    const struct sl_blob_put_list list = {store, blobs.names, blobs.count};
    if (rc == 0)
        rc = sl_link_put_blobs(run->link, &list, on_blobs_put, run);
    if (rc < 0)
        end_unprepared(run, rc, &none);
    else
        run->putting = true;
}

static void do_store_runtime(uv_work_t *request)
{
    struct sl_job_run *run = request->data;
    struct sl_blobs blobs;
    const char *program = strrchr(run->executorch.agent.path, '/') + 1;
    run->work.rc = sl_job_run_work_check_directories(&run->work);
    if (run->work.rc == 0)
        run->work.rc = sl_blobs_init(&blobs, run->state_dir, &run->work.diag);
    if (run->work.rc == 0)
        run->work.rc = sl_runtime_store(run->executorch.libraries, program, &blobs, &run->files,
                                        &run->work.diag);
}

static void after_store_runtime(uv_work_t *request, int status)
{
    struct sl_job_run *run = request->data;
    int rc = status < 0 ? status : run->work.rc;
    run->working = false;
    if (run->closing) {
        close_down(run);
    } else if (rc < 0) {
        end_unprepared(run, rc, &run->work.diag);
    } else {
        snprintf(run->executorch.agent_sha256, sizeof(run->executorch.agent_sha256), "%s",
                 run->files.sha256[1]);
        put_blobs(run);
    }
}

/* Another runtime's files are blobs first, where the device has to be sent them. */
static void store_runtime(struct sl_job_run *run)
{
    if (run->measures == &run->device || !run->device.traits.needs_push) {
        put_blobs(run);
        return;
    }
    run->working = true;
    uv_queue_work(run->loop, &run->request, do_store_runtime, after_store_runtime);
}

static void take(struct sl_job_run *run)
{
    if (run->taken)
        return;
    run->taken = true;
    run->events.taken(run->user);
}

static void detach(struct sl_job_run *run, bool detached)
{
    if (run->detached == detached)
        return;
    run->detached = detached;
    run->events.detached(run->user, detached);
}

static void tell_progress(struct sl_job_run *run)
{
    char json[JSON_BYTES];
    if (run->reader && !run->finishing)
        sl_job_run_count_look(run->reader, &run->progress);
    run->progress.reference = run->part != 0;
    run->told_ms = uv_now(run->loop);
    sl_job_run_progress_json(&run->progress, &run->looks.so_far, json, sizeof(json));
    run->events.progress(run->user, "progress", json);
}

static void on_beat(uv_timer_t *timer)
{
    struct sl_job_run *run = timer->data;
    if (run->closing)
        return;
    bool down = run->down_since_ms != 0 && !run->finishing;
    uint64_t down_ms = down ? uv_now(run->loop) - run->down_since_ms : 0;
    if (down_ms >= SL_JOB_RUN_DETACH_MS && run->taken)
        detach(run, true);
    if (down_ms >= SL_JOB_RUN_LINK_MS && !run->taken)
        end(run, SL_CAUSE_LAB, "the link to the device was lost for too long");
    else
        tell_progress(run); /* and keeps the lease */
    if (run->refused && run->cancelled)
        end(run, SL_CAUSE_NONE, "cancelled");
    else if (run->refused && !run->closing)
        send_part(run);
    run->refused = false;
    if (run->rested_ms != 0 && !run->closing)
        rest(run);
}

static void fill_work(struct sl_job_run *run, bool resumed)
{
    run->work = (struct sl_job_run_work){.state_dir = run->state_dir,
                                         .directory = run->directory,
                                         .device_name = run->device_name,
                                         .started_ms = run->started_ms,
                                         .config_json = run->config_json,
                                         .started_utc = run->started_utc,
                                         .spec = &run->spec,
                                         .device = &run->device,
                                         .kit = run->kit,
                                         .job = run->start.job,
                                         .attempt = run->start.attempt,
                                         .resumed = resumed};
}

static int choose_runtime(struct sl_job_run *run, struct sl_diag *diag)
{
    if (run->spec.runtime[0] != SL_RUNTIME_EXECUTORCH)
        return 0;
    int rc = sl_device_take_executorch(&run->device, &run->executorch, diag);
    if (rc == 0)
        run->work.device = run->measures = &run->executorch;
    return rc;
}

/* Reads the job. Runs and warm-ups that are not given get the defaults of the device's clock.
 * Counts are exact, so a counted run has no looks. */
static int read_config(struct sl_job_run *run, struct sl_diag *diag)
{
    struct sl_bytes text = {(const uint8_t *)run->config_json, strlen(run->config_json)};
    bool counted = run->device.traits.counted;
    uint32_t budget_ms;
    int rc = sl_job_body_read(text, &run->spec, diag);
    if (rc == 0)
        rc = choose_runtime(run, diag);
    if (rc < 0)
        return rc;
    sl_spec_fill(&run->spec, counted);
    sl_spec_limits(&run->spec, counted, &run->spec.runs, &budget_ms);
    if (run->kit->means)
        run->means = run->kit->means(run->kit->user, &run->device);
    if (run->spec.task != SL_TASK_RUN) {
        run->spec.runs = run->spec.warmup = 0;
        run->means.alone = true; /* nothing is compared */
    }
    if (sl_spec_has_looks(&run->spec, counted))
        sl_job_run_looks_want(&run->looks, &run->spec);
    if (run->spec.plan)
        return sl_plan_check_device(&run->spec, run->device.traits, diag);
    return counted ? sl_spec_check_counted(&run->spec, diag) : 0;
}

/* A collected run began when it ran, not when it was collected. */
static void take_begin(struct sl_job_run *run)
{
    char directory[SL_JOB_RUN_WORK_PATH];
    if (run->spec.kept_started_ms == 0)
        return;
    bool own = !run->work.resumed && run->work.collected; /* else the host's that sent it */
    run->started_ms = run->work.started_ms = run->spec.kept_started_ms;
    sl_job_run_work_name(run->state_dir, run->started_ms, run->start.job,
                         own ? run->directory : directory, run->started_utc);
}

static void set_going(struct sl_job_run *run)
{
    struct sl_diag diag = {0};
    int rc = read_config(run, &diag);
    run->work.kept = !sl_run_id_is_none(run->spec.kept_id);
    run->work.collected = run->work.kept && !sl_kept_is_of(run->spec.kept_id, &run->start);
    take_begin(run);
    if (rc < 0) {
        end(run, rc == -ENOMEM ? SL_CAUSE_LAB : SL_CAUSE_USER,
            diag.what[0] ? diag.what : sl_strerror(rc));
    } else {
        run->progress.warmup = run->spec.warmup;
        run->replayed = run->progress;
        store_runtime(run);
    }
}

int sl_job_run_start(uv_loop_t *loop, const struct sl_job_run_setup *setup,
                     const struct sl_job_run_events *events, void *user, struct sl_job_run **out)
{
    struct sl_job_run *run = sl_calloc(1, sizeof(*run));
    char *config = sl_strndup(setup->config_json, strlen(setup->config_json));
    if (!run || !config) {
        sl_free(run);
        sl_free(config);
        return -ENOMEM;
    }
    run->loop = loop;
    run->events = *events;
    run->user = user;
    run->device = *setup->device;
    run->measures = &run->device;
    run->link = setup->link;
    run->kit = setup->kit;
    run->finisher = setup->finisher;
    run->config_json = config;
    run->start = setup->start;
    run->id = sl_kept_id(&run->start);
    run->taken = setup->taken;
    run->started_ms = sl_clock_utc_ms();
    run->down_since_ms = sl_link_is_up(run->link) ? 0 : uv_now(loop) + 1;
    run->request.data = run;
    for (int i = 0; i < SL_JOB_RUN_PARTS; i++)
        run->parts[i].run = run;
    snprintf(run->state_dir, sizeof(run->state_dir), "%s", setup->state_dir);
    snprintf(run->device_name, sizeof(run->device_name), "%s", setup->device_name);
    sl_job_run_work_name(setup->state_dir, run->started_ms, run->start.job, run->directory,
                         run->started_utc);
    if (setup->resume)
        snprintf(run->directory, sizeof(run->directory), "%s", setup->resume);
    fill_work(run, setup->resume != NULL);
    sl_job_run_looks_init(&run->looks, loop, run->kit, NULL);
    run->means.variants = "off,on";
    run->looks.looked = on_looked;
    run->looks.user = run;
    run->progress.on_pair = on_pair;
    run->progress.user = run;
    uv_timer_init(loop, &run->beat); /* cannot fail */
    run->beat.data = run;
    uv_timer_start(&run->beat, on_beat, SL_JOB_RUN_BEAT_MS, SL_JOB_RUN_BEAT_MS);
    *out = run;
    set_going(run);
    return 0;
}

const char *sl_job_run_directory(const struct sl_job_run *run)
{
    return run->directory;
}

void sl_job_run_ids(const struct sl_job_run *run, struct sl_run_id out[SL_JOB_RUN_IDS])
{
    _Static_assert(SL_JOB_RUN_IDS == (int)SL_JOB_RUN_PARTS, "each part is a job to the agent");
    for (int i = 0; i < SL_JOB_RUN_PARTS; i++)
        out[i] = wire_id(run, i);
}

void sl_job_run_cancel(struct sl_job_run *run)
{
    bool sent = run->parts[run->part].store != NULL;
    run->cancelled = true;
    if ((!sent || run->detached || run->work.collected) && !run->finishing)
        end(run, SL_CAUSE_NONE, "cancelled");
    else
        sl_link_cancel_job(run->link, wire_id(run, run->part));
}

/* --- what the link says --- */

size_t sl_job_run_have(const struct sl_job_run *run, struct sl_link_have *out, size_t max)
{
    size_t count = 0;
    for (int i = 0; i < SL_JOB_RUN_PARTS && count < max; i++) {
        if (!run->parts[i].store)
            continue;
        out[count].job = wire_id(run, i);
        sl_ingest_synced(run->parts[i].store, out[count].offsets);
        count++;
    }
    return count;
}

void sl_job_run_link_up(struct sl_job_run *run)
{
    run->down_since_ms = 0;
    detach(run, false);
    if (run->closing || run->finishing || !run->parts[run->part].store)
        return;
    send_part(run); /* one that is known is not begun again */
    if (run->cancelled)
        sl_link_cancel_job(run->link, wire_id(run, run->part));
}

void sl_job_run_link_down(struct sl_job_run *run, const char *reason, unsigned failures)
{
    char detail[SL_DETAIL_BYTES];
    if (run->down_since_ms == 0)
        run->down_since_ms = uv_now(run->loop) + 1; /* never 0 */
    if (run->closing || run->finishing || failures < SL_LINK_GIVE_UP)
        return;
    if (run->taken) {
        detach(run, true);
        return;
    }
    snprintf(detail, sizeof(detail), "the device cannot be reached: %.200s", reason);
    end(run, SL_CAUSE_LAB, detail);
}

bool sl_job_run_chunk(struct sl_job_run *run, const struct sl_link_chunk *chunk)
{
    struct part *part = part_of(run, chunk->job);
    if (!part)
        return false;
    take(run);
    if (!part->store)
        run->missed = run->missed || !part->done;
    if (run->closing || !part->store)
        return true;
    if (chunk->stream == 0 && part == &run->parts[0]) {
        sl_job_run_progress_take(&run->progress, chunk->offset, chunk->bytes, chunk->len);
        sl_job_run_looks_take(&run->looks);
    }
    int rc = sl_ingest_take(part->store, chunk->stream, chunk->offset, chunk->bytes, chunk->len);
    if (rc == SL_E_MISMATCH && ++run->gaps < MAX_GAPS)
        sl_link_reconnect(run->link); /* it sends again from what was acknowledged */
    else if (rc == SL_E_MISMATCH || rc == SL_E_LIMIT)
        end(run, SL_CAUSE_LAB, "the agent left out a part of a stream");
    else if (rc < 0)
        on_store_failed(part, rc);
    else if (sl_ingest_full(part->store))
        sl_link_pause(run->link, true);
    if (chunk->stream == 1 && rc == 0) /* last: a lease that is lost cancels the run */
        sl_job_run_lines_take(&part->lines, chunk->offset, chunk->bytes, chunk->len,
                              uv_now(run->loop));
    return true;
}

bool sl_job_run_result(struct sl_job_run *run, const struct sl_link_result *result)
{
    struct part *part = part_of(run, result->job);
    if (!part)
        return false;
    if (!part->store)
        run->missed = run->missed || !part->done;
    if (run->closing || !part->store || part->has_result)
        return true;
    if (result->outcome != SL_OUTCOME_BUSY)
        take(run);
    if (result->outcome == SL_OUTCOME_BUSY) {
        run->refused = true;
        uv_timer_start(&run->beat, on_beat, SL_JOB_RUN_BUSY_MS, SL_JOB_RUN_BEAT_MS);
        return true;
    }
    part->result = *result;
    part->has_result = true;
    if (sl_ingest_end(part->store, result->stream_bytes) < 0)
        end(run, SL_CAUSE_LAB, "the agent has less of a stream than it sent");
    else if (sl_ingest_complete(part->store))
        part_done(part);
    return true;
}

bool sl_job_run_state(struct sl_job_run *run, struct sl_run_id id, int phase, uint32_t pair,
                      uint32_t pairs)
{
    if (!part_of(run, id) && run->refused) /* nobody's, and in the way: it may never end */
        sl_link_cancel_job(run->link, id);
    if (!sl_run_ids_equal(id, wire_id(run, run->part)) || run->closing)
        return part_of(run, id) != NULL;
    struct sl_job_run_progress *progress = &run->progress;
    take(run);
    pair = pair == UINT32_MAX ? progress->pair : pair; /* a warm-up beside the pairs */
    bool news = phase != progress->phase || pair != progress->pair;
    if (run->reader && news)
        sl_job_run_count_look(run->reader, progress);
    sl_job_run_progress_step(progress, phase, pair, pairs);
    if (news && uv_now(run->loop) - run->told_ms >= TELL_MS)
        tell_progress(run);
    return true;
}

void sl_job_run_close(struct sl_job_run *run, void (*closed)(void *user), void *user)
{
    run->closed = closed;
    run->closed_user = user;
    close_down(run);
}
