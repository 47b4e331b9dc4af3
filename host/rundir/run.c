/* host/rundir/run.c: where a run's files stand, what is recorded in them, and what is made of that.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "common/format/bundle.h"
#include "common/format/pte.h"
#include "common/format/trace_etdump.h"
#include "host/device/count_log.h"
#include "host/device/launch.h"
#include "host/device/trace_resolve.h"
#include "host/report/json_copy.h"
#include "host/report/kit_files.h"
#include "host/rundir/armkit.h"
#include "host/rundir/compared.h"
#include "host/rundir/file_digest.h"
#include "host/rundir/manifest.h"
#include "host/rundir/output_type.h"
#include "host/rundir/plugin_file.h"
#include "host/rundir/report_files.h"
#include "host/rundir/run.h"
#include "host/rundir/run_estimate.h"
#include "host/rundir/run_policy.h"
#include "host/rundir/summary.h"
#include "host/rundir/trace_beside.h"
#include "host/spec/device_kind.h"
#include "host/spec/json_value.h"
#include "host/spec/param.h"
#include "host/spec/path_stem.h"
#include "host/spec/spec.h"

enum {
    MAX_MODEL_BYTES = 1 << 30,
    MAX_OUTPUT_BYTES = 1 << 30,
    MAX_TRACE_BYTES = 1 << 30,
    MAX_INPUT_BYTES = 1 << 30,
    MAX_MANIFEST_BYTES = 256 << 20
};
#define MAX_ETDUMP_BYTES ((size_t)1 << 31)
#define MAX_LOG_BYTES ((size_t)1 << 30)

/* Prints to a path; what does not fit is an error, never a cut. */
__attribute__((format(printf, 3, 4))) static int put_path(char *out, struct sl_diag *diag,
                                                          const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int size = vsnprintf(out, SL_RUNDIR_PATH_BYTES, format, args);
    va_end(args);
    if (size >= 0 && size < SL_RUNDIR_PATH_BYTES - 64) /* suffixes are yet to come */
        return 0;
    sl_diag_hint(diag, "take a shorter --out");
    return sl_diag_set(diag, -ENAMETOOLONG, out, "The path of an output file is too long");
}

int sl_rundir_make_directories(const char *path, struct sl_diag *diag)
{
    char part[SL_RUNDIR_PATH_BYTES];
    size_t len = strlen(path);
    if (len >= sizeof(part)) {
        sl_diag_hint(diag, "take a shorter --out");
        return sl_diag_set(diag, -ENAMETOOLONG, path, "The path of the directory is too long");
    }
    memcpy(part, path, len + 1);
    for (size_t i = 1; i <= len; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) {
            int rc = -errno;
            sl_diag_hint(diag, "give another directory with --out");
            return sl_diag_set(diag, rc, part, "The directory cannot be made (%s)",
                               sl_strerror(rc));
        }
        part[i] = path[i];
    }
    return 0;
}

static int digest_data(struct sl_rundir_run *run, struct sl_diag *diag)
{
    const char *path = run->spec->data_path;
    int rc = path ? sl_file_digest(path, run->data_sha256) : 0;
    if (rc == 0)
        return 0;
    sl_diag_hint(diag, "name the program's .ptd, a file that can be read");
    return sl_diag_set(diag, rc, path, "The external weights cannot be read (%s)", sl_strerror(rc));
}

static int read_model(struct sl_rundir_run *run, struct sl_diag *diag)
{
    const char *path = run->spec->model;
    struct sl_bytes program;
    struct sl_pte pte;
    int rc = sl_buf_read_file(path, MAX_MODEL_BYTES, &run->model);
    if (rc == 0)
        rc = sl_file_digest(path, run->model_sha256);
    if (rc < 0) {
        sl_diag_hint(diag, "name a .pte file that can be read");
        return sl_diag_set(diag, rc, path, "The model cannot be read (%s)", sl_strerror(rc));
    }
    rc = sl_bundle_program((struct sl_bytes){run->model.data, run->model.size}, &program, diag);
    if (rc == 0)
        rc = sl_pte_parse(program, &pte, diag);
    if (rc < 0) {
        char where[sizeof(diag->where)];
        memcpy(where, diag->where, sizeof(where));
        snprintf(diag->where, sizeof(diag->where), "%.100s%s%.80s", path, where[0] ? ": " : "",
                 where);
        if (!diag->hint[0])
            sl_diag_hint(diag, "export the model again; the file is damaged or no .pte");
        return rc == SL_E_UNSUPPORTED || rc == -ENOMEM ? rc : SL_E_CRASHED;
    }
    const struct sl_pte_plan *plan = sl_pte_find_plan(&pte, run->spec->method);
    run->output_count =
        plan ? sl_output_types_find(plan, run->output_types, SL_RUNDIR_MAX_OUTPUTS) : 0;
    sl_pte_fini(&pte);
    return 0;
}

static int check_inputs(const struct sl_rundir_run *run, struct sl_diag *diag)
{
    for (size_t i = 0; i < run->spec->inputs_count; i++) {
        const char *path = run->spec->inputs[i];
        if (access(path, R_OK) != 0) {
            int rc = -errno;
            sl_diag_hint(diag, "name raw input files that can be read, one for each input");
            return sl_diag_set(diag, rc, path, "The input file cannot be read (%s)",
                               sl_strerror(rc));
        }
    }
    return 0;
}

const char *sl_rundir_expected(const struct sl_rundir_run *run, size_t output)
{
    size_t at = 0; /* among those that are tensors */
    for (size_t i = 0; i < output; i++)
        at += run->output_types[i].scalar_type >= 0;
    bool tensor = output < run->output_count && run->output_types[output].scalar_type >= 0;
    return tensor && at < run->spec->expected_count ? run->spec->expected[at] : NULL;
}

static int check_expected(const struct sl_rundir_run *run, struct sl_diag *diag)
{
    size_t tensors = 0;
    for (size_t i = 0; i < run->output_count; i++)
        tensors += run->output_types[i].scalar_type >= 0;
    if (run->spec->expected_count == 0 || run->spec->expected_count == tensors)
        return 0;
    sl_diag_hint(diag, "name one raw file for each output that is a tensor, in their order");
    return sl_diag_set(diag, SL_E_UNSUPPORTED, "expected",
                       "The program has %zu outputs, and %zu were said to be expected", tensors,
                       run->spec->expected_count);
}

static int name_files(struct sl_rundir_run *run, struct sl_diag *diag)
{
    const char *name = run->spec->name;
    unsigned threads = run->spec->threads[0];
    char folder[SL_RUNDIR_PATH_BYTES];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(run->started_utc, sizeof(run->started_utc), "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (!run->out_dir[0]) {
        char stamp[32];
        strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &utc);
        int rc = put_path(run->out_dir, diag, "out/%s-%s", run->stem, stamp);
        if (rc < 0)
            return rc;
    }
    int rc = put_path(run->raw_base, diag, "%s/%s_%s_t%u", run->out_dir, run->stem, name, threads);
    for (int i = 0; i < SL_RUNDIR_VARIANTS && rc == 0; i++) {
        char *experiment = run->variants[i].experiment;
        snprintf(experiment, sizeof(run->variants[i].experiment), "%s_sme2-%s", name,
                 sl_rundir_levels[i]);
        rc = put_path(folder, diag, "%s/%s", run->out_dir, experiment);
        if (rc == 0)
            rc = put_path(run->variants[i].etdump_path, diag, "%s/%s_%s_t%u.etdump", folder,
                          run->stem, experiment, threads);
        if (rc == 0)
            rc = sl_rundir_make_directories(folder, diag);
    }
    return rc;
}

int sl_rundir_prepare(struct sl_rundir_run *run, struct sl_diag *diag)
{
    sl_buf_init(&run->raw_trace, 0);
    if (!run->stem[0])
        sl_path_stem(run->spec->model, run->stem, sizeof(run->stem));
    int rc = read_model(run, diag);
    if (rc == 0)
        rc = digest_data(run, diag);
    if (rc == 0)
        rc = check_inputs(run, diag);
    if (rc == 0)
        rc = check_expected(run, diag);
    if (rc == 0)
        rc = name_files(run, diag);
    if (rc < 0)
        return rc;
    memcpy(run->agent_sha256, run->device->agent_sha256, sizeof(run->agent_sha256));
    if (!run->agent_sha256[0]) /* one of this machine */
        rc = sl_file_digest(run->device->agent.path, run->agent_sha256);
    if (rc < 0)
        sl_diag_set(diag, rc, run->device->agent.path, "The agent cannot be read (%s)",
                    sl_strerror(rc));
    return rc;
}

void sl_rundir_run_fini(struct sl_rundir_run *run)
{
    if (run->compared)
        sl_compared_close(run->compared);
    sl_free(run->compared);
    sl_buf_fini(&run->raw_trace);
    sl_buf_fini(&run->model);
    sl_count_log_free(run->log);
    cJSON_Delete(run->operators);
    cJSON_Delete(run->agent_report);
    cJSON_Delete(run->probe);
    cJSON_Delete(run->load);
    cJSON_Delete(run->policy);
}

void sl_rundir_output_path(const struct sl_rundir_run *run, const char *variant, size_t i,
                           char out[SL_RUNDIR_PATH_BYTES])
{
    snprintf(out, SL_RUNDIR_PATH_BYTES, "%.900s_%s-%zu.bin", run->raw_base, variant, i);
}

const char *sl_rundir_suffix(const struct sl_rundir_run *run, char out[SL_RUNDIR_SUFFIX_BYTES])
{
    bool alone = !run->shares_directory;
    snprintf(out, SL_RUNDIR_SUFFIX_BYTES, "%s%.64s", alone ? "" : "_",
             alone ? "" : run->spec->name);
    return out;
}

int sl_rundir_write_text(const char *path, const struct sl_buf *text, struct sl_diag *diag)
{
    int rc = sl_buf_write_file(path, text->data, text->size);
    if (rc < 0)
        sl_diag_set(diag, rc, path, "The file cannot be written (%s)", sl_strerror(rc));
    return rc;
}

/* --- files of what was recorded --- */

/* The trace of a counted run gets instructions in the place of its marks. */
static int write_trace(struct sl_rundir_run *run, const char *path, struct sl_diag *diag)
{
    struct sl_buf resolved;
    if (!run->log)
        return 0;
    int rc = sl_buf_read_file(path, MAX_TRACE_BYTES, &run->raw_trace);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "The agent left no trace (%s)", sl_strerror(rc));
    sl_buf_init(&resolved, MAX_TRACE_BYTES);
    rc = sl_trace_resolve((struct sl_bytes){run->raw_trace.data, run->raw_trace.size}, run->log,
                          &resolved, diag);
    if (rc == 0)
        rc = sl_rundir_write_text(path, &resolved, diag);
    sl_buf_fini(&resolved);
    return rc;
}

static int write_etdumps(const struct sl_rundir_run *run, const char *trace_path,
                         struct sl_diag *diag)
{
    struct sl_trace_file file;
    int rc = sl_trace_file_open(trace_path, &file, diag);
    if (rc < 0)
        return rc;
    if (!file.trace.ended)
        rc = sl_diag_set(diag, SL_E_TRUNCATED, trace_path, "The trace breaks off before its end");
    for (uint32_t i = 0; i < SL_RUNDIR_VARIANTS && rc == 0; i++) {
        struct sl_buf bytes;
        sl_buf_init(&bytes, MAX_ETDUMP_BYTES);
        rc = sl_trace_to_etdump(&file.trace, i, &bytes, diag);
        if (rc == 0)
            rc = sl_rundir_write_text(run->variants[i].etdump_path, &bytes, diag);
        sl_buf_fini(&bytes);
    }
    sl_trace_file_close(&file);
    return rc;
}

/* In nanoseconds the agent writes ETDumps by itself; the ones made here from its trace are the same
 * to the byte and stand under the experiments' names. */
static void remove_own_etdumps(const struct sl_rundir_run *run)
{
    static const char *const suffixes[] = {"_sme2-off.etdump", "_sme2-on.etdump"};
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        char path[SL_RUNDIR_PATH_BYTES];
        snprintf(path, sizeof(path), "%.900s%s", run->raw_base, suffixes[i]);
        unlink(path);
    }
}

/* --- what the manifest has of the run itself --- */

static void record_device(struct sl_json *json, const struct sl_rundir_run *run)
{
    const struct sl_device *device = run->device;
    sl_json_open_object(json, "device");
    sl_json_text(json, "kind", sl_device_kind_name(device->kind));
    sl_json_bool(json, "emulated", device->traits.emulated);
    sl_json_text(json, "cpu", device->cpu);
    sl_json_text(json, "emulator", device->emulator.path);
    sl_json_text(json, "emulator_version", device->emulator.version);
    sl_json_copy(json, "probe", run->probe);
    sl_json_close_object(json);
}

static int record_inputs(struct sl_json *json, const struct sl_rundir_run *run,
                         struct sl_diag *diag)
{
    sl_json_open_array(json, "inputs");
    for (size_t i = 0; i < run->spec->inputs_count; i++) {
        struct sl_buf bytes;
        char hash[SL_SHA256_HEX_SIZE];
        const char *path = run->spec->inputs[i];
        int rc = sl_buf_read_file(path, MAX_INPUT_BYTES, &bytes);
        if (rc < 0)
            return sl_diag_set(diag, rc, path, "The input cannot be read (%s)", sl_strerror(rc));
        sl_sha256_hex(bytes.data, bytes.size, hash);
        sl_json_open_object(json, NULL);
        sl_json_text(json, "file", run->shown_inputs ? run->shown_inputs[i] : path);
        sl_json_u64(json, "bytes", bytes.size);
        sl_json_text(json, "sha256", hash);
        sl_json_close_object(json);
        sl_buf_fini(&bytes);
    }
    sl_json_close_array(json);
    return 0;
}

/* Records the instructions of each execution, by class. The raw trace still has the ordinals of the
 * marks, and the log knows more about these than their counts. */
static int record_executed(struct sl_json *json, const struct sl_rundir_run *run)
{
    struct sl_trace raw;
    size_t mark_count = 0;
    const struct sl_count_mark *marks = sl_count_log_marks(run->log, &mark_count);
    int rc =
        sl_trace_parse((struct sl_bytes){run->raw_trace.data, run->raw_trace.size}, &raw, NULL);
    if (rc < 0)
        return rc;
    sl_json_u64(json, "counted_insns", sl_count_log_counted(run->log, SL_INSN_ANY));
    sl_json_u64(json, "uncounted_insns", sl_count_log_uncounted(run->log));
    sl_json_open_array(json, "executed");
    for (size_t i = 0; i < raw.record_count; i++) {
        const struct sl_trace_record *record = &raw.records[i];
        if (!sl_trace_is_execution(&raw, record) || record->variant >= SL_RUNDIR_VARIANTS ||
            record->event.end >= mark_count)
            continue;
        const uint64_t *begin = marks[record->event.start].insns;
        const uint64_t *end = marks[record->event.end].insns;
        sl_json_open_object(json, NULL);
        sl_json_u64(json, "outer_products", end[SL_INSN_OUTER] - begin[SL_INSN_OUTER]);
        sl_json_u64(json, "vector_macs", end[SL_INSN_VECTOR_MAC] - begin[SL_INSN_VECTOR_MAC]);
        sl_json_u64(json, "smstarts", end[SL_INSN_SMSTART] - begin[SL_INSN_SMSTART]);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
    sl_trace_fini(&raw);
    return 0;
}

static int write_policy(void *user, const char *profile, struct sl_buf *text)
{
    const struct sl_rundir_run *run = user;
    char path[SL_RUNDIR_PATH_BYTES], suffix[SL_RUNDIR_SUFFIX_BYTES],
        name[SL_RUNDIR_POLICY_FILE_BYTES];
    sl_rundir_policy_file(profile, sl_rundir_suffix(run, suffix), name);
    int rc = sl_path_join(path, sizeof(path), run->out_dir, "%s", name);
    return rc < 0 ? rc : sl_buf_write_file(path, text->data, text->size);
}

static bool streams_all(const cJSON *policy)
{
    const char *source = sl_value_text(policy, "source", NULL);
    return source && strcmp(source, "all") == 0;
}

static int record_estimates(struct sl_json *json, const struct sl_rundir_run *run,
                            struct sl_diag *diag)
{
    struct sl_trace raw;
    int rc =
        sl_trace_parse((struct sl_bytes){run->raw_trace.data, run->raw_trace.size}, &raw, diag);
    if (rc < 0)
        return rc;
    /* A run whose policy keeps operators out has no figures of the other engine; ExecuTorch takes
     * no policy. */
    bool own = run->spec->runtime[0] == SL_RUNTIME_OWN, both = streams_all(run->policy);
    const struct sl_rundir_policy_taker taker = {write_policy, (void *)(uintptr_t)run};
    rc = sl_rundir_estimate_put(json, &raw, run->log, run->spec->silicon,
                                both && own ? &taker : NULL, diag);
    sl_trace_fini(&raw);
    return rc;
}

static void record_stopping(struct sl_json *json, const struct sl_spec *e)
{
    if (!(e->precision_percent > 0) && !(e->budget_seconds > 0))
        return;
    sl_json_open_object(json, "stopping");
    if (e->precision_percent > 0)
        sl_json_f64(json, "precision_percent", e->precision_percent);
    if (e->budget_seconds > 0)
        sl_json_f64(json, "budget_seconds", e->budget_seconds);
    sl_json_close_object(json);
}

static void record_model(struct sl_json *json, const struct sl_rundir_run *run)
{
    sl_json_text(json, "model", run->shown_model ? run->shown_model : run->spec->model);
    sl_json_u64(json, "model_bytes", run->model.size);
    sl_json_text(json, "model_sha256", run->model_sha256);
    if (run->data_sha256[0]) {
        sl_json_open_object(json, "data");
        sl_json_text(json, "file", run->shown_data ? run->shown_data : run->spec->data_path);
        sl_json_text(json, "sha256", run->data_sha256);
        sl_json_close_object(json);
    }
    sl_json_text(json, "agent", run->device->agent.path);
    sl_json_text(json, "agent_sha256", run->agent_sha256);
}

static void record_settings(struct sl_json *json, const struct sl_rundir_run *run)
{
    sl_params_record(json, run->spec);
    if (run->load)
        sl_json_copy(json, "load", run->load);
    record_stopping(json, run->spec);
    if (run->noise_floor > 0)
        sl_json_f64(json, "noise_floor", run->noise_floor);
    if (run->wall_ns != 0)
        sl_json_u64(json, "wall_ns", run->wall_ns);
}

/* The names of the run's files, and the types of its outputs. */
static void record_files(struct sl_json *json, const struct sl_rundir_run *run)
{
    char log[SL_RUNDIR_PATH_BYTES];
    snprintf(log, sizeof(log), "%.900s_latency.log", run->raw_base + strlen(run->out_dir) + 1);
    sl_json_open_array(json, "results");
    sl_json_open_object(json, NULL);
    sl_json_text(json, "sme2", sl_rundir_levels[SL_RUNDIR_OFF]);
    sl_json_u64(json, "threads", run->spec->threads[0]);
    sl_json_text(json, "log", log);
    sl_json_close_object(json);
    sl_json_close_array(json);
    sl_json_open_array(json, "outputs");
    for (size_t i = 0; i < run->output_count; i++) {
        sl_json_open_object(json, NULL);
        sl_json_i64(json, "scalar_type", run->output_types[i].scalar_type);
        sl_output_type_put(json, &run->output_types[i]);
        if (sl_rundir_expected(run, i))
            sl_json_bool(json, "expected", true);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}

static int record(struct sl_json *json, const struct sl_rundir_run *run, struct sl_diag *diag)
{
    sl_json_open_object(json, NULL);
    sl_json_text(json, "generated_at", run->started_utc);
    sl_json_text(json, "sme2lab_version", SL_VERSION);
    sl_json_text(json, "command", run->command);
    sl_json_text(json, "experiment", run->spec->name);
    record_model(json, run);
    record_settings(json, run);
    int rc = record_inputs(json, run, diag);
    if (rc < 0)
        return rc;
    record_device(json, run);
    sl_json_open_object(json, "policy");
    sl_json_copy(json, "table", run->policy);
    sl_json_close_object(json);
    sl_json_open_object(json, "schedule");
    sl_json_u64(json, "seed", run->spec->seed);
    sl_json_close_object(json);
    if (run->log)
        rc = record_executed(json, run);
    if (run->log && rc == 0)
        rc = record_estimates(json, run, diag);
    sl_json_copy(json, "agent_report", run->agent_report);
    if (run->operators)
        sl_json_copy(json, "operators", run->operators);
    record_files(json, run);
    sl_json_close_object(json);
    return rc < 0 ? rc : json->error;
}

/* One experiment is the directory's manifest; of several each has its own. */
static void manifest_path(const struct sl_rundir_run *run, char out[SL_RUNDIR_PATH_BYTES])
{
    char suffix[SL_RUNDIR_SUFFIX_BYTES];
    sl_path_join(out, SL_RUNDIR_PATH_BYTES, run->out_dir, "manifest%s.json",
                 sl_rundir_suffix(run, suffix));
}

static int write_manifest_of(struct sl_rundir_run *run, const struct sl_manifest_source *source,
                             struct sl_diag *diag)
{
    struct sl_buf text, recorded_text;
    struct sl_json json;
    char path[SL_RUNDIR_PATH_BYTES];
    cJSON *recorded = NULL;
    manifest_path(run, path);
    sl_buf_init(&recorded_text, MAX_MANIFEST_BYTES);
    sl_buf_init(&text, MAX_MANIFEST_BYTES);
    sl_json_init(&json, &recorded_text);
    int rc = record(&json, run, diag);
    if (rc == 0) {
        recorded = cJSON_ParseWithLength((const char *)recorded_text.data, recorded_text.size);
        rc = recorded ? 0 : -ENOMEM;
    }
    if (rc == 0) {
        sl_json_init(&json, &text);
        sl_manifest_put(&json, recorded, source);
        rc = json.error ? json.error : sl_rundir_write_text(path, &text, diag);
    }
    if (rc < 0 && diag && !diag->what[0])
        sl_diag_set(diag, rc, path, "The manifest cannot be made (%s)", sl_strerror(rc));
    cJSON_Delete(recorded);
    sl_buf_fini(&recorded_text);
    sl_buf_fini(&text);
    return rc;
}

static int write_manifest(struct sl_rundir_run *run, const char *trace_path, struct sl_diag *diag)
{
    struct sl_etdump_file files[SL_RUNDIR_VARIANTS];
    struct sl_manifest_source source = {.trace = NULL};
    char suffix[SL_RUNDIR_SUFFIX_BYTES];
    struct sl_plugin_file *plugins = sl_calloc(1, sizeof(*plugins));
    struct sl_plugin_turns turns = {.count = 0};
    int rc = plugins ? 0 : -ENOMEM;
    int opened = 0;
    source.plugins = plugins;
    for (; rc == 0 && opened < SL_RUNDIR_VARIANTS; opened++) {
        const struct sl_etdump_request request = {.path = run->variants[opened].etdump_path,
                                                  .trace_path = trace_path,
                                                  .categories = run->categories,
                                                  .only_run = -1};
        rc = sl_etdump_file_open(&request, &files[opened], diag);
        if (rc < 0)
            break;
        source.analyses[opened] = &files[opened].analysis;
    }
    if (rc == 0)
        rc = sl_etdump_files_align((struct sl_etdump_file *const[2]){&files[0], &files[1]}, diag);
    source.trace = &files[0].trace.trace;
    if (rc == 0)
        rc = sl_plugin_turns_init(&turns, source.trace);
    if (rc == 0)
        rc =
            sl_plugin_file_open(run->out_dir, sl_rundir_suffix(run, suffix), &turns, plugins, diag);
    if (rc == 0)
        rc = write_manifest_of(run, &source, diag);
    while (opened > 0)
        sl_etdump_file_close(&files[--opened]);
    sl_plugin_turns_fini(&turns);
    sl_free(plugins);
    return rc;
}

/* --- what is made of them --- */

static int read_output(void *user, const char *name, struct sl_buf *out)
{
    const struct sl_rundir_run *run = user;
    char path[SL_RUNDIR_PATH_BYTES * 2];
    sl_path_join(path, sizeof(path), run->out_dir, "%.900s", name ? name : "");
    return sl_buf_read_file(path, MAX_OUTPUT_BYTES, out);
}

static int compare(struct sl_rundir_run *run, struct sl_diag *diag)
{
    struct sl_compared *compared = run->compared;
    int rc =
        sl_compared_open_directory(compared, run->out_dir, run->spec->name, run->categories, diag);
    for (int i = 0; rc == 0 && i < SL_RUNDIR_AGREEMENTS; i++) {
        struct sl_rundir *directory = &compared->sides[0].directory;
        rc = sl_summary_compare_outputs(directory, i, read_output, run, &directory->agreements[i]);
        if (rc == SL_SUMMARY_NOT_RECORDED) {
            rc = 0;
            continue;
        }
        if (rc < 0)
            return sl_diag_set(diag, rc, run->out_dir, "The agent left no output to compare (%s)",
                               sl_strerror(rc));
        directory->has_agreement[i] = true;
        compared->sides[1].directory.agreements[i] = directory->agreements[i];
        compared->sides[1].directory.has_agreement[i] = true;
    }
    return rc < 0 ? rc : sl_compared_make_directory(compared, run->spec->confidence, diag);
}

static int write_summary(const struct sl_rundir_run *run, struct sl_diag *diag)
{
    char path[SL_RUNDIR_PATH_BYTES], sha256[SL_SHA256_HEX_SIZE];
    struct sl_buf bytes;
    struct sl_summary summary = {.compared = run->compared,
                                 .threshold_percent = run->spec->threshold_percent,
                                 .shown_dir = run->shown_dir ? run->shown_dir : run->out_dir,
                                 .manifest_sha256 = sha256};
    manifest_path(run, path);
    int rc = sl_buf_read_file(path, MAX_MANIFEST_BYTES, &bytes);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "The manifest cannot be read (%s)", sl_strerror(rc));
    sl_sha256_hex(bytes.data, bytes.size, sha256);
    sl_buf_fini(&bytes);
    for (int i = 0; i < SL_RUNDIR_AGREEMENTS; i++)
        summary.agreements[i] = run->compared->sides[0].directory.has_agreement[i]
                                    ? &run->compared->sides[0].directory.agreements[i]
                                    : NULL;
    return sl_summary_write(&summary, diag);
}

/* "12.5 ms" or "2716247 instructions" of the file's figures; "-" for none. */
static int put_cost(struct sl_buf *out, const char *name, const struct sl_analysis *analysis,
                    double value)
{
    bool counted = analysis->attribution.unit == SL_TRACE_INSTRUCTIONS;
    if (!isfinite(value))
        return sl_buf_printf(out, "%s: -\n", name);
    return sl_buf_printf(out, "%s: %.12g %s\n", name, sl_kit_figure(analysis, value),
                         counted ? "instructions" : "ms");
}

/* Nothing is known of the wall clock where an earlier daemon began the run. */
static int put_wall(struct sl_buf *out, const char *name, double wall_s, const char *note)
{
    return wall_s > 0 ? sl_buf_printf(out, "%s: %.6f s (%s)\n", name, wall_s, note)
                      : sl_buf_printf(out, "%s: -\n", name);
}

static int put_block(struct sl_buf *out, const struct sl_rundir_run *run, int variant)
{
    const struct sl_analysis *a = &run->compared->sides[variant].file.analysis;
    const struct sl_attribution *runs = &a->attribution;
    size_t measured = runs->measured_count;
    const struct cJSON *manifest = run->compared->sides[0].directory.manifest;
    double wall_s = sl_value_number(manifest, "wall_ns", 0) / 1e9;
    int rc = sl_buf_printf(out,
                           "\n===== PERFORMANCE SUMMARY =====\nExperiment: %s\nModel: %s\n"
                           "Warmup Iterations: %zu\nExecution Iterations: %zu\n",
                           run->variants[variant].experiment,
                           run->shown_model ? run->shown_model : run->spec->model,
                           runs->run_count - measured, measured);
    if (rc == 0)
        rc = put_wall(out, "Execution Total Wall", wall_s, "both variants, loading included");
    if (rc == 0)
        rc = put_cost(out, "Execution Total Runner", a, a->latency.mean * (double)measured);
    if (rc == 0)
        rc = put_wall(out, "Avg Wall/Run", wall_s / (double)(2 * runs->run_count),
                      "the same, over all executions");
    if (rc == 0)
        rc = put_cost(out, "Avg Runner/Run", a, a->latency.mean);
    return rc < 0 ? rc
                  : sl_buf_printf(out,
                                  "CPU Threads: %u\nQuiet Runner: %s\nModel Size: %zu bytes\n"
                                  "ETDump Path: %s%s\n",
                                  run->spec->threads[0], run->device->agent.path, run->model.size,
                                  run->shown_dir ? run->shown_dir : run->out_dir,
                                  run->variants[variant].etdump_path + strlen(run->out_dir));
}

/* The kit appends a block of figures for each variant to a log. */
static int write_log(const struct sl_rundir_run *run, struct sl_diag *diag)
{
    char path[SL_RUNDIR_PATH_BYTES];
    struct sl_buf text;
    snprintf(path, sizeof(path), "%.900s_latency.log", run->raw_base);
    int rc = sl_buf_read_file(path, MAX_LOG_BYTES, &text);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "The log cannot be read (%s)", sl_strerror(rc));
    for (int i = 0; rc == 0 && i < SL_RUNDIR_VARIANTS; i++)
        rc = put_block(&text, run, i);
    if (rc == 0)
        rc = sl_rundir_write_text(path, &text, diag);
    sl_buf_fini(&text);
    return rc;
}

bool sl_rundir_is_recorded(const char *directory)
{
    struct sl_rundir opened;
    if (sl_rundir_open(directory, NULL, &opened, NULL) < 0)
        return false;
    sl_rundir_close(&opened);
    return true;
}

int sl_rundir_record(struct sl_rundir_run *run, struct sl_diag *diag)
{
    char trace_path[SL_RUNDIR_PATH_BYTES];
    snprintf(trace_path, sizeof(trace_path), "%.900s.sltrace", run->raw_base);
    int rc = write_trace(run, trace_path, diag);
    if (rc == 0)
        rc = write_etdumps(run, trace_path, diag);
    remove_own_etdumps(run);
    return rc < 0 ? rc : write_manifest(run, trace_path, diag);
}

int sl_rundir_finish(struct sl_rundir_run *run, struct sl_diag *diag)
{
    run->compared = sl_calloc(1, sizeof(*run->compared));
    if (!run->compared)
        return sl_diag_set(diag, -ENOMEM, run->out_dir, "There is no memory for the result");
    int rc = compare(run, diag);
    if (rc == 0)
        rc = write_summary(run, diag);
    if (rc == 0)
        rc = write_log(run, diag);
    if (rc == 0)
        rc = sl_armkit_write(run->out_dir, run->categories, diag);
    return rc < 0 ? rc : sl_report_write_pages(run->compared, run->out_dir, diag);
}
