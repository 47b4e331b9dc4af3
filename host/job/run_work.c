/* host/job/run_work.c */
#include "host/job/run_work.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/bytes.h"
#include "common/base/crc32c.h"
#include "common/base/durable.h"
#include "common/base/json.h"
#include "common/base/log.h"
#include "common/base/path.h"
#include "common/base/sync_group.h"
#include "common/base/tree_remove.h"
#include "host/device/count_reader.h"
#include "host/device/launch.h"
#include "host/device/trace_resolve.h"
#include "host/ingest/file_stream.h"
#include "host/ingest/run_store.h"
#include "host/job/result_json.h"
#include "host/job/run_cause.h"
#include "host/job/run_progress.h"
#include "host/job/task.h"
#include "host/plugin/plugins.h"
#include "host/spec/device_kind.h"
#include "host/spec/model_identity.h"
#include "host/spec/path_stem.h"
#include "host/spec/spec.h"
#include "host/store/run_end.h"
#include "host/store/run_name.h"

#define MAX_STREAM_BYTES ((size_t)1 << 31)
#define MAX_PLUGINS_BYTES ((size_t)64 << 20)
static const char magic[] = "slresul1";

struct kept {
    char magic[sizeof(magic) - 1];
    struct sl_link_result result;
    uint32_t crc;
};

void sl_job_run_work_part(const char *directory, int part, char out[SL_JOB_RUN_WORK_PATH])
{
    snprintf(out, SL_JOB_RUN_WORK_PATH, "%s%s", directory, part == 0 ? "" : "/reference");
}

/* mkdir -p of an absolute path. */
static int make_folders(const char *path)
{
    char part[SL_JOB_RUN_WORK_PATH];
    int size = snprintf(part, sizeof(part), "%s", path);
    if (size < 0 || size >= SL_JOB_RUN_WORK_PATH)
        return -ENAMETOOLONG;
    for (char *at = part + 1;; at++) {
        if (*at != '/' && *at != '\0')
            continue;
        char old = *at;
        *at = '\0';
        if (mkdir(part, 0700) < 0 && errno != EEXIST)
            return -errno;
        *at = old;
        if (old == '\0')
            return 0;
    }
}

/* --- results --- */

static void result_path(const char *directory, int part, char out[SL_JOB_RUN_WORK_PATH + 32])
{
    char folder[SL_JOB_RUN_WORK_PATH];
    sl_job_run_work_part(directory, part, folder);
    sl_path_join(out, SL_JOB_RUN_WORK_PATH + 32, folder, "streams/result");
}

int sl_job_run_work_keep_result(const char *directory, int part,
                                const struct sl_link_result *result)
{
    char path[SL_JOB_RUN_WORK_PATH + 32];
    struct kept kept;
    memset(&kept, 0, sizeof(kept)); /* the padding too: the CRC covers it */
    memcpy(kept.magic, magic, sizeof(kept.magic));
    kept.result = *result;
    kept.crc = sl_crc32c(0, &kept, offsetof(struct kept, crc));
    result_path(directory, part, path);
    return sl_buf_write_file(path, &kept, sizeof(kept));
}

int sl_job_run_work_read_result(const char *directory, int part, struct sl_link_result *out)
{
    char path[SL_JOB_RUN_WORK_PATH + 32];
    struct sl_buf bytes;
    struct kept kept;
    result_path(directory, part, path);
    int rc = sl_buf_read_file(path, sizeof(kept), &bytes);
    if (rc < 0)
        return rc;
    if (bytes.size == sizeof(kept))
        memcpy(&kept, bytes.data, sizeof(kept));
    bool good = bytes.size == sizeof(kept) && memcmp(kept.magic, magic, sizeof(kept.magic)) == 0 &&
                kept.crc == sl_crc32c(0, &kept, offsetof(struct kept, crc));
    sl_buf_fini(&bytes);
    if (!good)
        return SL_E_FORMAT;
    *out = kept.result;
    return 0;
}

/* --- preparing --- */

void sl_job_run_work_name(const char *state_dir, uint64_t started_ms, uint64_t job,
                          char out_directory[SL_JOB_RUN_WORK_PATH],
                          char out_utc[SL_JOB_RUN_WORK_TIME_BYTES])
{
    char name[SL_RUN_NAME_BYTES];
    time_t seconds = (time_t)(started_ms / 1000);
    struct tm utc;
    gmtime_r(&seconds, &utc);
    strftime(out_utc, SL_JOB_RUN_WORK_TIME_BYTES, "%Y-%m-%dT%H:%M:%SZ", &utc);
    sl_run_name(started_ms, job, name);
    sl_path_join(out_directory, SL_JOB_RUN_WORK_PATH, state_dir, "%s", name);
}

/* The names of the run's directory, of its day's and of all runs' are what is synced. */
static int sync_names(const char *directory)
{
    enum { LEVELS = 3 };
    char path[SL_JOB_RUN_WORK_PATH];
    snprintf(path, sizeof(path), "%s", directory);
    int rc = 0;
    for (int level = 0; level < LEVELS && rc == 0; level++) {
        char *slash = strrchr(path, '/');
        if (!slash || slash == path)
            break;
        *slash = '\0';
        rc = sl_durable_folder(path);
    }
    return rc;
}

static int refuse(struct sl_job_run_work *work, const char *gone)
{
    return sl_diag_set(&work->diag, -ENODEV, work->state_dir,
                       "'%s' in it is not mounted any more: nothing is written there", gone);
}

static const char *gone_directory(const struct sl_job_run_work *work)
{
    return work->kit->gone ? work->kit->gone(work->kit->user) : NULL;
}

int sl_job_run_work_check_directories(struct sl_job_run_work *work)
{
    const char *gone = gone_directory(work);
    return gone ? refuse(work, gone) : 0;
}

/* The run's directory with what it is asked. */
static int make_directory(const struct sl_job_run_work *work)
{
    struct sl_sync_group group;
    char path[SL_JOB_RUN_WORK_PATH];
    sl_job_run_work_part(work->directory, 1, path);
    sl_sync_group_begin(&group);
    int rc = make_folders(path);
    sl_path_join(path, sizeof(path), work->directory, "config.json");
    if (rc == 0)
        rc = sl_buf_write_file(path, work->config_json, strlen(work->config_json));
    int synced = sl_sync_group_end(&group);
    rc = rc < 0 ? rc : synced;
    return rc == 0 ? sync_names(work->directory) : rc;
}

void sl_job_run_work_prepare(struct sl_job_run_work *work)
{
    work->rc = sl_job_run_work_check_directories(work);
    if (work->rc < 0)
        return;
    int rc = make_directory(work);
    if (rc < 0)
        sl_diag_set(&work->diag, rc, work->directory, "The run directory cannot be made (%s)",
                    sl_strerror(rc));
    /* A collected run had the policy that came with it, not one of this daemon's devices. */
    bool has_policy = sl_run_id_is_none(work->spec->kept_id) || work->spec->policy_sha256;
    if (rc == 0 && work->kit->policy && work->spec->task == SL_TASK_RUN && has_policy)
        rc = work->kit->policy(work->kit->user, work->device, work->spec, work->state_dir,
                               work->directory, work->policy, &work->diag);
    if (rc == 0 && work->resumed && work->kit->is_recorded)
        work->found_recorded = work->kit->is_recorded(work->kit->user, work->directory);
    work->rc = rc;
}

/* --- finishing --- */

/* Mapped, since files of many external runners may be more than memory; end it with munmap(). */
static int map_stream(const char *directory, int stream, struct sl_bytes *out)
{
    char path[SL_JOB_RUN_WORK_PATH + 32];
    struct stat info;
    sl_ingest_path(directory, stream, path, sizeof(path));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int rc = fstat(fd, &info) < 0 ? -errno : 0;
    *out = (struct sl_bytes){NULL, 0};
    if (rc == 0 && info.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes == MAP_FAILED)
            rc = -errno;
        else
            *out = (struct sl_bytes){bytes, (size_t)info.st_size};
    }
    close(fd);
    return rc;
}

/* Only a whole trace can be resolved. */
static int resolve_trace(struct sl_job_run_work *work, const struct sl_count_log *log,
                         const char *from, const char *to)
{
    struct sl_buf raw, trace;
    int rc = sl_buf_read_file(from, MAX_STREAM_BYTES, &raw);
    if (rc < 0)
        return rc;
    sl_buf_init(&trace, MAX_STREAM_BYTES);
    rc = sl_trace_resolve((struct sl_bytes){raw.data, raw.size}, log, &trace, &work->diag);
    if (rc == 0)
        rc = sl_buf_write_file(to, trace.data, trace.size);
    sl_buf_fini(&trace);
    sl_buf_fini(&raw);
    return rc;
}

/* A trace that is not counted is the stream itself under another name: nobody writes to
 * a stream that is whole. The folder is synced with the files that are written into it after this.
 */
static int make_trace(struct sl_job_run_work *work, const struct sl_count_log *log)
{
    char from[SL_JOB_RUN_WORK_PATH + 32], to[SL_JOB_RUN_WORK_PATH + 32];
    sl_ingest_path(work->directory, 0, from, sizeof(from));
    sl_path_join(to, sizeof(to), work->directory, "trace.sltrace");
    if (log)
        return resolve_trace(work, log, from, to);
    unlink(to); /* of a finish that did not get to its end */
    if (link(from, to) == 0)
        return 0;
    int rc = -errno;
    return sl_diag_set(&work->diag, rc, to, "The trace cannot be put in its place (%s)",
                       sl_strerror(rc));
}

static int unpack_files(struct sl_job_run_work *work, int part)
{
    char folder[SL_JOB_RUN_WORK_PATH], files[SL_JOB_RUN_WORK_PATH + 16];
    struct sl_bytes stream;
    sl_job_run_work_part(work->directory, part, folder);
    sl_path_join(files, sizeof(files), folder, "files");
    int rc = make_folders(files);
    if (rc == 0)
        rc = map_stream(folder, 3, &stream);
    if (rc < 0)
        return rc;
    rc = sl_file_stream_unpack(stream, files, &work->diag);
    if (stream.size > 0)
        munmap((void *)(uintptr_t)stream.data, stream.size);
    return rc;
}

static void fill_ended(const struct sl_job_run_work *work, const struct sl_count_log *log,
                       struct sl_job_ended *ended)
{
    *ended = (struct sl_job_ended){
        .directory = work->directory,
        .state_dir = work->state_dir,
        .job = work->job,
        .spec = work->spec,
        .device = work->device,
        .result = work->parts[0],
        .log = log,
        .has_trace = true,
        .recorded = work->found_recorded,
        .has_reference = work->parts[1] && work->parts[1]->outcome == SL_OUTCOME_DONE,
        .started_utc = work->started_utc,
        .wall_ns = work->wall_ns,
    };
}

static void fill_record(struct sl_job_run_work *work)
{
    struct sl_run_record *record = &work->record;
    const struct sl_spec *spec = work->spec;
    size_t root = strlen(work->state_dir) + 1;
    *record =
        (struct sl_run_record){.job = work->job,
                               .started_ms = work->started_ms,
                               .ended_ms = work->ended_ms,
                               .device_kind = spec->native ? SL_DEVICE_LOCAL : work->device->kind};
    sl_model_identity(spec->model_sha256, spec->data_path_sha256 ? spec->data_path_sha256 : "",
                      spec->method ? spec->method : "", record->model_sha256);
    sl_spec_model_title(spec, record->model, sizeof(record->model));
    snprintf(record->runtime, sizeof(record->runtime), "%s", sl_spec_runtime_name(spec));
    snprintf(record->device, sizeof(record->device), "%s", work->device_name);
    snprintf(record->directory, sizeof(record->directory), "%.511s", work->directory + root);
}

void sl_job_run_work_replay(const char *directory, struct sl_job_run_progress *progress)
{
    char path[SL_JOB_RUN_WORK_PATH];
    struct sl_buf bytes;
    sl_ingest_path(directory, 0, path, sizeof(path));
    if (sl_buf_read_file(path, MAX_STREAM_BYTES, &bytes) < 0)
        return; /* nothing has come */
    sl_job_run_progress_take(progress, 0, bytes.data, bytes.size);
    sl_buf_fini(&bytes);
}

static int keep_results(const struct sl_job_run_work *work)
{
    int rc = 0;
    for (int i = 0; i < SL_JOB_RUN_PARTS && rc == 0; i++) {
        if (work->parts[i])
            rc = sl_job_run_work_keep_result(work->directory, i, work->parts[i]);
    }
    return rc;
}

/* The trace and the agent's files; `rc` is how the log ended. */
static int make_files(struct sl_job_run_work *work, int rc, const struct sl_count_log *log)
{
    int traced = rc < 0 || work->spec->plan ? rc : make_trace(work, log);
    for (int part = 0; part < SL_JOB_RUN_PARTS; part++) {
        int unpacked = work->parts[part] ? unpack_files(work, part) : 0;
        rc = rc < 0 ? rc : unpacked;
    }
    return rc < 0 ? rc : traced;
}

/* External runners that were ended early have measured something all the same. */
static bool told_of_runners(const struct sl_job_run_work *work)
{
    char path[SL_JOB_RUN_WORK_PATH + 32];
    sl_path_join(path, sizeof(path), work->directory, "files/runners.json");
    return work->spec->plan && access(path, F_OK) == 0;
}

/* A run of which nothing was measured has no figures. */
static bool has_figures(const struct sl_job_run_work *work)
{
    char path[SL_JOB_RUN_WORK_PATH + 32];
    sl_path_join(path, sizeof(path), work->directory, "metrics.json");
    return access(path, F_OK) == 0;
}

/* The figures that were measured beside the device, for the kit to read. */
static int write_plugins(struct sl_job_run_work *work)
{
    char path[SL_JOB_RUN_WORK_PATH + 32];
    struct sl_buf text;
    if (!work->plugins || work->found_recorded)
        return 0; /* a recorded run has its file */
    sl_buf_init(&text, MAX_PLUGINS_BYTES);
    sl_path_join(path, sizeof(path), work->directory, "plugins.json");
    int rc = sl_plugin_run_put(work->plugins, &text);
    if (rc == 0)
        rc = sl_buf_write_file(path, text.data, text.size);
    sl_buf_fini(&text);
    return rc < 0 ? sl_diag_set(&work->diag, rc, path, "The file cannot be written (%s)",
                                sl_strerror(rc))
                  : 0;
}

static void make_run(struct sl_job_run_work *work)
{
    struct sl_count_log *log = NULL;
    struct sl_job_ended ended;
    bool done = work->parts[0]->outcome == SL_OUTCOME_DONE;
    fill_record(work);
    int rc = 0;
    if (work->reader) /* also of a run that broke off: its thread ends */
        rc = sl_count_reader_finish(work->reader, done, &log, &work->diag);
    /* A run that ended badly keeps the files that it has; its result says why. */
    if (!work->found_recorded)
        rc = make_files(work, rc, done ? log : NULL);
    if (rc == 0)
        rc = write_plugins(work);
    rc = done ? rc : 0;
    fill_ended(work, log, &ended);
    if (rc == 0 && (done || told_of_runners(work)) && work->kit->finish)
        rc = work->kit->finish(work->kit->user, &ended, &work->record, &work->diag);
    work->measured_some = !done && rc == 0 && told_of_runners(work) && has_figures(work);
    rc = done ? rc : 0;
    int told = sl_result_json_write(work->directory, work->attempt, work->parts[0], work->parts[1]);
    work->rc = rc < 0 ? rc : told;
}

static void put_device(const struct sl_job_run_work *work, struct sl_json *json)
{
    const struct sl_device *device = work->device;
    sl_json_open_object(json, "device");
    sl_json_text(json, "name", work->device_name);
    sl_json_text(json, "kind", sl_device_kind_name(device->kind));
    sl_json_text(json, "cpu", device->cpu[0] ? device->cpu : NULL);
    sl_json_bool(json, "emulated", device->traits.emulated);
    sl_json_close_object(json);
}

/* The agent's answer is the result; the directory has nothing else. */
static void make_answer(struct sl_job_run_work *work)
{
    struct sl_count_log *log = NULL;
    struct sl_buf text;
    struct sl_json json;
    bool done = work->parts[0]->outcome == SL_OUTCOME_DONE;
    int rc = work->reader ? sl_count_reader_finish(work->reader, done, &log, &work->diag) : 0;
    sl_buf_init(&text, 2 * (size_t)SL_TASK_MAX_BYTES);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.task/1");
    sl_json_u64(&json, "job", work->job);
    sl_json_u64(&json, "attempt", work->attempt);
    sl_json_text(&json, "task", sl_task_name(work->spec->task));
    put_device(work, &json);
    sl_result_json_put(&json, "process", work->parts[0]);
    if (rc == 0 || !done)
        rc = sl_task_answer_put(work->directory, done, log, &json, &work->diag);
    if (rc == 0 && done && log && work->spec->silicon && work->kit->estimates)
        rc = work->kit->estimates(work->kit->user, work->spec, log, &json, &work->diag);
    sl_json_close_object(&json);
    rc = rc < 0 ? rc : json.error;
    if (rc == 0)
        rc = sl_task_file_write(work->state_dir, work->job, &text);
    work->rc = rc;
    sl_buf_fini(&text);
}

/* A device behind a link is known by what its agent says: without that, figures are nobody's. */
static int check_device(struct sl_job_run_work *work)
{
    bool done = work->parts[0]->outcome == SL_OUTCOME_DONE;
    if (!done || !work->device->traits.needs_push || work->device->probe_json)
        return 0;
    return sl_diag_set(&work->diag, SL_E_STATE, work->device_name,
                       "The agent has not said what its device is");
}

/* The device has the only whole copy: the directory of runs went away, or the disk is full. Only a
 * device behind a link is asked for it by the next attempt. One that does not say what it is would
 * give the same again. */
static bool is_unstored(const struct sl_job_run_work *work, struct sl_job_run_end whole)
{
    char unused[SL_DETAIL_BYTES];
    bool nothing_made = work->record.directory[0] == '\0';
    if (work->rc == 0 || work->rc == SL_E_STATE || (!nothing_made && work->rc != -ENOSPC))
        return false;
    whole.finish_rc = 0;
    return !whole.asks && !work->unwanted && work->device->traits.needs_push &&
           sl_job_run_cause(&whole, unused) != SL_CAUSE_LAB;
}

static void judge(struct sl_job_run_work *work)
{
    struct sl_job_run_end over = {.result = work->parts[0],
                                  .reference = work->parts[1],
                                  .cancelled = work->unwanted,
                                  .asks = !sl_spec_task_runs(work->spec->task),
                                  .collected = work->collected,
                                  .finish_rc = work->rc,
                                  .finish_what = work->diag.what,
                                  .verdict = work->record.verdict};
    work->cause = sl_job_run_cause(&over, work->detail);
    bool kept = over.result->outcome != SL_OUTCOME_CANCELLED || work->measured_some;
    work->has_record =
        !over.asks && ((work->cause == SL_CAUSE_NONE && kept) || work->cause == SL_CAUSE_RESULT);
    work->unstored = is_unstored(work, over);
}

/* The last of it: who finds the end finds the run whole. */
static int write_end(const struct sl_job_run_work *work)
{
    struct sl_run_end end = {.job = work->job,
                             .attempt = work->attempt,
                             .ended_ms = work->ended_ms,
                             .cause = work->cause,
                             .run = work->record};
    memcpy(end.detail, work->detail, sizeof(end.detail));
    return sl_run_end_write(work->directory, &end);
}

/* True: the device keeps the result. A result of this start stays if it is `unstored`. One of an
 * earlier start stays until it is stored, the job is cancelled, or it came whole and is no run. */
bool sl_job_run_work_leaves(const struct sl_job_run_work *work)
{
    bool failed_here = work->cause == SL_CAUSE_LAB && (!work->parts[0] || work->rc < 0);
    return work->kept ? !work->has_record && (work->collected || failed_here) : work->unstored;
}

void sl_job_run_work_finish(struct sl_job_run_work *work)
{
    struct sl_sync_group group;
    bool run = sl_spec_task_runs(work->spec->task);
    const char *gone = gone_directory(work);
    sl_sync_group_begin(&group);
    work->rc = gone && strcmp(gone, "runs") == 0 ? refuse(work, gone) : 0; /* it needs no blobs */
    if (work->rc == 0) {
        sl_tree_remove_temporaries(work->directory); /* a finish was stopped */
        work->rc = keep_results(work);
    }
    if (work->rc == 0)
        work->rc = check_device(work);
    if (work->rc == 0 && run)
        make_run(work);
    else if (work->rc == 0)
        make_answer(work);
    int synced = sl_sync_group_end(&group);
    if (work->rc == 0)
        work->rc = synced;
    if (work->rc == 0 && !run)
        sl_tree_remove(work->directory); /* only now is the answer sure to last */
    judge(work);
    if (work->has_record && !work->unwanted && write_end(work) < 0)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("end_unwritten"), SL_LOG_JOB(work->job),
               SL_LOG_REASON("no other host can finish the run if this one dies now"));
}
