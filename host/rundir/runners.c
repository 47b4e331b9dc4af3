/* host/rundir/runners.c */
#include "host/rundir/runners.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "common/format/etdump.h"
#include "common/format/etdump_join.h"
#include "common/format/pte.h"
#include "common/format/scalar_type.h"
#include "host/analysis/comparison.h"
#include "host/analysis/verdict.h"
#include "host/report/combined.h"
#include "host/report/kernel_log.h"
#include "host/report/runner_log.h"
#include "host/rundir/armkit.h"
#include "host/rundir/collection.h"
#include "host/rundir/compared.h"
#include "host/rundir/output_type.h"
#include "host/rundir/report_files.h"
#include "host/rundir/run.h"
#include "host/rundir/runners_report.h"
#include "host/rundir/verdict_exit.h"
#include "host/spec/device_kind.h"
#include "host/spec/path_stem.h"
#include "host/spec/plan.h"

enum {
    PATH_BYTES = 1024,
    NAME_BYTES = 256,
    MAX_OUTPUTS = 64,
    LAST_LINES = 10,
    LAST_BYTES = 1024,
    WHY_BYTES = 320,
    MAX_REPORT_BYTES = 8 << 20,
    MAX_LOG_BYTES = 32 << 20,
    MAX_IMPORT_BYTES = 1 << 26,
    EXIT_FAILED = 1,
};
#define MAX_ETDUMP_BYTES ((size_t)1 << 31)
#define MAX_MODEL_BYTES ((size_t)1 << 31)

/* One experiment and its processes. Names are relative to the directory. */
struct arm {
    const struct sl_spec *spec;
    size_t place;
    const struct sl_runners_row *rows[SL_PLAN_ROUNDS];
    size_t count, done;          /* processes; those that did not fail */
    char last_lines[LAST_BYTES]; /* of the last one */
    char why[WHY_BYTES];         /* it failed; "": it did not */
    size_t failed_process;       /* from 1 on */
    uint32_t failed_exit_code;   /* 0: it has none */
    char stem[NAME_BYTES], log[NAME_BYTES + 16], etdump[NAME_BYTES + 16]; /* the last "": none */
    char etdump_sha256[SL_SHA256_HEX_SIZE];
    struct sl_buf text;        /* owned: what all processes printed */
    struct sl_runner_log said; /* of all processes; loading is that of one, on average */
    double wall_ns;
};

struct session {
    const struct sl_runners *asked;
    struct arm arms[SL_PLAN_MAX];
    size_t measured;
    struct sl_buf text;
    struct sl_json json; /* import.json */
    bool has_program;
    struct sl_buf model;
    struct sl_pte pte;
};

static void path_of(const struct session *s, const char *name, char out[PATH_BYTES])
{
    sl_path_join(out, PATH_BYTES, s->asked->directory, "%s", name);
}

/* A file of one process. */
static void part_path(const struct session *s, const struct arm *arm, size_t process,
                      const char *ending, char out[PATH_BYTES])
{
    sl_path_join(out, PATH_BYTES, s->asked->directory, "files/%zu-%zu.%s", arm->place, process,
                 ending);
}

/* --- what the processes printed --- */

static void keep_last_lines(const char *text, size_t size, char out[LAST_BYTES])
{
    size_t end = size, begin, lines = 0;
    while (end > 0 && text[end - 1] == '\n')
        end--;
    for (begin = end; begin > 0 && end - begin < LAST_BYTES - 1; begin--)
        if (text[begin - 1] == '\n' && ++lines == LAST_LINES)
            break;
    memcpy(out, text + begin, end - begin);
    out[end - begin] = '\0';
}

static void add_figures(struct arm *arm, const struct sl_buf *log, const struct sl_runners_row *row)
{
    struct sl_runner_log said;
    bool first = arm->done == 0;
    sl_runner_log_read((struct sl_bytes){log->data, log->size}, &said);
    arm->wall_ns += row->wall_ns;
    arm->said.has_total = said.has_total && (first || arm->said.has_total);
    arm->said.executions += said.executions;
    arm->said.total_ms += said.total_ms;
    arm->said.has_loaded = said.has_loaded && (first || arm->said.has_loaded);
    arm->said.loaded_ms += (said.loaded_ms - arm->said.loaded_ms) / (double)(arm->done + 1);
}

__attribute__((format(printf, 3, 4))) static void fail_arm(struct arm *arm, size_t process,
                                                           const char *why, ...)
{
    va_list args;
    va_start(args, why);
    vsnprintf(arm->why, sizeof(arm->why), why, args);
    va_end(args);
    arm->failed_process = process;
}

static void take_failure(struct arm *arm, const struct sl_runners_row *row)
{
    size_t process = arm->count;
    arm->failed_exit_code = row->exit_code;
    if (row->problem)
        fail_arm(arm, process, "the runner was not started: %.200s", row->problem);
    else if (row->timed_out)
        fail_arm(arm, process, "the runner did not end in time");
    else if (row->signal != 0)
        fail_arm(arm, process, "signal %" PRIu32 " ended the runner", row->signal);
    else if (row->exit_code != 0)
        fail_arm(arm, process, "the runner ended with exit code %" PRIu32, row->exit_code);
    else
        fail_arm(arm, process, "the runner left no ETDump: it must be built with the event tracer");
}

static int take_process(const struct session *s, struct arm *arm, const struct sl_runners_row *row,
                        struct sl_diag *diag)
{
    char path[PATH_BYTES];
    struct sl_buf log;
    sl_buf_init(&log, MAX_LOG_BYTES);
    part_path(s, arm, arm->count, "log", path);
    int rc = row->problem ? sl_buf_printf(&log, "%s\n", row->problem)
                          : sl_buf_read_file(path, MAX_LOG_BYTES, &log);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "the file cannot be read: %s", sl_strerror(rc));
    rc = sl_buf_printf(&arm->text, "===== process %zu of %" PRIu32 ", %" PRIu32 " of all =====\n",
                       arm->count + 1, sl_plan_rounds(arm->spec), row->order + 1);
    if (rc == 0)
        rc = sl_buf_append(&arm->text, log.data, log.size);
    const char *text = log.data ? (const char *)log.data : "";
    size_t stderr_bytes = row->stderr_bytes < log.size ? row->stderr_bytes : log.size;
    arm->rows[arm->count++] = row;
    keep_last_lines(text, stderr_bytes > 0 ? stderr_bytes : log.size, arm->last_lines);
    if (row->etdump) {
        add_figures(arm, &log, row);
        arm->done++;
    } else {
        take_failure(arm, row);
    }
    sl_buf_fini(&log);
    return rc < 0 ? sl_diag_set(diag, rc, arm->stem, "what the runners printed is too long") : 0;
}

/* The kit's block of figures; "-" for what the log does not say. */
static int put_summary(const struct session *s, struct arm *arm)
{
    const struct sl_spec *e = arm->spec;
    const struct sl_runner_log *said = &arm->said;
    struct sl_buf *out = &arm->text;
    struct stat model = {.st_size = 0};
    double wall_s = arm->wall_ns / 1e9, executions = 0;
    for (size_t i = 0; i < arm->count; i++)
        executions += arm->rows[i]->executions;
    int rc = stat(s->asked->model, &model) < 0 ? -errno : 0;
    if (rc == 0)
        rc = sl_buf_printf(out,
                           "\n===== PERFORMANCE SUMMARY =====\nExperiment: %s\nModel: %s\n"
                           "Processes: %zu\nWarmup Iterations: %" PRIu32 " (of each process)\n"
                           "Execution Iterations: %" PRIu32 "\n"
                           "Execution Total Wall: %.6f s (loading and warm-up included)\n",
                           e->family, e->model, arm->done, e->warmup, e->runs, wall_s);
    if (rc == 0 && said->has_total && said->executions > 0)
        rc = sl_buf_printf(out,
                           "Execution Total Runner: %.6f ms\nAvg Wall/Run: %.6f s\n"
                           "Avg Runner/Run: %.6f ms\n",
                           said->total_ms, wall_s / executions, said->total_ms / said->executions);
    else if (rc == 0)
        rc = sl_buf_printf(out,
                           "Execution Total Runner: -\nAvg Wall/Run: %.6f s\nAvg Runner/Run: -\n",
                           wall_s / executions);
    return rc < 0 ? rc
                  : sl_buf_printf(out,
                                  "CPU Threads: %" PRIu32 "\nQuiet Runner: %s\n"
                                  "Model Size: %lld bytes\nETDump Path: %s\n",
                                  e->threads[0], e->runner, (long long)model.st_size, arm->etdump);
}

static int write_log(const struct session *s, struct arm *arm, struct sl_diag *diag)
{
    char path[PATH_BYTES];
    snprintf(arm->log, sizeof(arm->log), "%s%s", arm->stem,
             arm->spec->mode == SL_MODE_XNNTRACE ? "_xnntrace.log" : "_latency.log");
    path_of(s, arm->log, path);
    int rc = arm->why[0] ? 0 : put_summary(s, arm);
    if (rc == 0)
        rc = sl_buf_write_file(path, arm->text.data, arm->text.size);
    return rc < 0 ? sl_diag_set(diag, rc, path, "the file cannot be written: %s", sl_strerror(rc))
                  : 0;
}

/* --- ETDumps and outputs --- */

/* Errors of this machine; others are those of files that a device sent. */
static bool is_ours(int rc)
{
    return rc == -ENOMEM || rc == -EIO || rc == -EMFILE || rc == -ENFILE;
}

/* Checks it as well: readers of the run refuse a damaged file. */
static int read_part(const struct session *s, const struct arm *arm, size_t process,
                     struct sl_buf *out, struct sl_diag *diag)
{
    char path[PATH_BYTES];
    struct sl_etdump etdump;
    part_path(s, arm, process, "etdump", path);
    int rc = sl_buf_read_file(path, MAX_ETDUMP_BYTES, out);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "the file cannot be read: %s", sl_strerror(rc));
    rc = sl_etdump_parse((struct sl_bytes){out->data, out->size}, &etdump, diag);
    if (rc == 0)
        sl_etdump_fini(&etdump);
    return rc;
}

/* `out_read`: how many of them could be read. */
static int join_parts(const struct session *s, const struct arm *arm, struct sl_buf *parts,
                      struct sl_buf *out, size_t *out_read, struct sl_diag *diag)
{
    struct sl_bytes files[SL_PLAN_ROUNDS];
    int rc = 0;
    for (*out_read = 0; rc == 0 && *out_read < arm->done; *out_read += rc == 0) {
        struct sl_buf *part = &parts[*out_read];
        rc = read_part(s, arm, *out_read, part, diag);
        files[*out_read] = (struct sl_bytes){part->data, part->size};
    }
    if (rc < 0)
        return rc;
    if (arm->done > 1)
        return sl_etdump_join(files, arm->done, out, diag);
    *out = parts[0];
    parts[0] = (struct sl_buf){.data = NULL};
    return 0;
}

/* One ETDump of all processes. What a device left in its place is the arm's failure, no more. */
static int write_etdump(const struct session *s, struct arm *arm, struct sl_diag *diag)
{
    struct sl_buf parts[SL_PLAN_ROUNDS] = {{.data = NULL}}, joined;
    struct sl_diag found = {.what = ""};
    char path[PATH_BYTES];
    size_t read;
    snprintf(arm->etdump, sizeof(arm->etdump), "%s.etdump", arm->stem);
    path_of(s, arm->etdump, path);
    sl_buf_init(&joined, MAX_ETDUMP_BYTES);
    int rc = join_parts(s, arm, parts, &joined, &read, &found);
    bool refused = rc < 0 && !is_ours(rc);
    if (refused) {
        fail_arm(arm, read < arm->done ? read + 1 : arm->done, "its ETDump cannot be used: %.250s",
                 found.what);
        arm->etdump[0] = '\0';
    } else if (rc == 0) {
        sl_sha256_hex(joined.data, joined.size, arm->etdump_sha256);
        rc = sl_buf_write_file(path, joined.data, joined.size);
    }
    for (size_t i = 0; i < arm->done; i++)
        sl_buf_fini(&parts[i]);
    sl_buf_fini(&joined);
    if (rc == 0 || refused)
        return 0;
    return sl_diag_set(diag, rc, path, "the ETDump cannot be written: %s", sl_strerror(rc));
}

static const struct sl_pte_plan *find_method(const struct sl_pte *pte, const char *method)
{
    for (uint32_t i = 0; i < pte->plan_count; i++)
        if (!method || strcmp(pte->plans[i].name, method) == 0)
            return &pte->plans[i];
    return NULL;
}

/* The files that the runner wrote, with the types that the program says they have. */
static void put_outputs(struct session *s, const struct arm *arm)
{
    const struct sl_pte_plan *plan =
        s->has_program ? find_method(&s->pte, arm->spec->method) : NULL;
    struct sl_output_type types[MAX_OUTPUTS];
    size_t count = plan ? sl_output_types_find(plan, types, MAX_OUTPUTS) : 0;
    struct sl_json *json = &s->json;
    if (!s->has_program || !arm->rows[arm->done - 1]->outputs)
        return;
    sl_json_open_array(json, "outputs");
    for (size_t i = 0; i < count; i++) {
        char name[NAME_BYTES + 32], from[PATH_BYTES], to[PATH_BYTES];
        sl_path_join(from, sizeof(from), s->asked->directory, "files/%zu-%zu.bin", arm->place, i);
        snprintf(name, sizeof(name), "%s-%zu.bin", arm->stem, i);
        path_of(s, name, to);
        unlink(to); /* of a finish that did not get to its end */
        if (types[i].scalar_type < 0 || link(from, to) != 0)
            continue;
        sl_json_open_object(json, NULL);
        sl_json_text(json, "file", name);
        sl_json_text(json, "type", sl_scalar_name(types[i].scalar_type));
        sl_output_type_put(json, &types[i]);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}

/* --- import.json --- */

static void put_failure(struct sl_json *json, const struct arm *arm)
{
    sl_json_u64(json, "process", arm->failed_process);
    sl_json_i64(json, "exit_code", arm->failed_exit_code > 0 ? (int)arm->failed_exit_code : -1);
    sl_json_text(json, "why", arm->why);
    sl_json_text(json, "last_lines", arm->last_lines);
}

/* `together`: other experiments' processes ran next to its own. */
static void put_result(struct session *s, const struct arm *arm, bool together)
{
    struct sl_json *json = &s->json;
    sl_json_text(json, "etdump", arm->etdump);
    sl_json_text(json, "etdump_sha256", arm->etdump_sha256);
    sl_json_open_array(json, "rounds");
    for (size_t i = 0; i < arm->done; i++) {
        sl_json_open_object(json, NULL);
        sl_json_u64(json, "executions", arm->rows[i]->executions);
        sl_json_u64(json, "order", arm->rows[i]->order);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
    sl_json_bool(json, "together", together);
    put_outputs(s, arm);
    sl_json_f64(json, "runner_total_ms", arm->said.has_total ? arm->said.total_ms : (double)NAN);
    sl_json_f64(json, "runner_load_ms", arm->said.has_loaded ? arm->said.loaded_ms : (double)NAN);
}

/* A run, or what is known of its failure. */
static void put_arm(struct session *s, const struct arm *arm, bool together)
{
    const struct sl_spec *e = arm->spec;
    struct sl_json *json = &s->json;
    bool traced = e->mode == SL_MODE_XNNTRACE;
    sl_json_open_object(json, NULL);
    sl_json_text(json, "experiment", e->family);
    sl_json_u64(json, "threads", e->threads[0]);
    sl_json_text(json, "mode", traced ? "xnntrace" : "timing");
    sl_json_text(json, "runner", e->runner);
    if (e->affinity[0])
        sl_json_text(json, "cpu_affinity", e->affinity);
    sl_json_u64(json, "warmup", e->warmup);
    sl_json_open_array(json, "extra_args");
    for (size_t i = 0; i < e->extra_args_count; i++)
        sl_json_text(json, NULL, e->extra_args[i]);
    sl_json_close_array(json);
    sl_json_text(json, traced && !arm->why[0] ? "xnntrace_log" : "log", arm->log);
    if (arm->why[0])
        put_failure(json, arm);
    else
        put_result(s, arm, together);
    sl_json_close_object(json);
}

static bool is_measured(const struct session *s, const char *family, uint32_t threads)
{
    for (size_t i = 0; i < s->asked->plan->count; i++) {
        const struct arm *arm = &s->arms[i];
        if (arm->etdump[0] && strcmp(arm->spec->family, family) == 0 &&
            arm->spec->threads[0] == threads)
            return true;
    }
    return false;
}

/* Pairs whose sides were both measured. */
static void put_pairs(struct session *s)
{
    sl_json_open_array(&s->json, "pairs");
    for (size_t i = 0; i < s->asked->plan->pair_count; i++) {
        const struct sl_plan_pair *pair = &s->asked->plan->pairs[i];
        if (is_measured(s, pair->family[0], pair->threads[0]) &&
            is_measured(s, pair->family[1], pair->threads[1]))
            sl_plan_put_pair(&s->json, pair, pair->family);
    }
    sl_json_close_array(&s->json);
}

static void put_head(struct session *s)
{
    const struct sl_runners *asked = s->asked;
    sl_json_text(&s->json, "schema", "sme2lab.import/1");
    sl_json_text(&s->json, "model", asked->plan->model);
    sl_json_text(&s->json, "generated_at", asked->generated_at);
    sl_json_text(&s->json, "command", asked->command);
    sl_json_text(&s->json, "device", sl_device_kind_name(asked->device_kind));
    if (asked->cpu)
        sl_json_text(&s->json, "cpu", asked->cpu);
    sl_json_text(&s->json, "order", "ABBA");
    sl_json_u64(&s->json, "seed", asked->plan->specs[0].seed);
}

static void put_arms(struct session *s, const char *key, bool failed)
{
    size_t timed = 0;
    for (size_t i = 0; i < s->asked->plan->count; i++)
        timed += s->arms[i].done > 0 && s->arms[i].spec->mode != SL_MODE_XNNTRACE;
    sl_json_open_array(&s->json, key);
    for (size_t i = 0; i < s->asked->plan->count; i++) {
        const struct arm *arm = &s->arms[i];
        bool together = timed > 1 && arm->spec->mode != SL_MODE_XNNTRACE;
        if (failed ? arm->why[0] != '\0' : arm->etdump[0] != '\0')
            put_arm(s, arm, together);
    }
    sl_json_close_array(&s->json);
}

static int write_import(struct session *s, struct sl_diag *diag)
{
    char path[PATH_BYTES];
    sl_json_open_object(&s->json, NULL);
    put_head(s);
    put_arms(s, "runs", false);
    put_pairs(s);
    put_arms(s, "failures", true);
    sl_json_close_object(&s->json);
    path_of(s, "import.json", path);
    int rc = s->json.error ? s->json.error : sl_buf_write_file(path, s->text.data, s->text.size);
    return rc < 0 ? sl_diag_set(diag, rc, path, "the file cannot be written: %s", sl_strerror(rc))
                  : 0;
}

/* --- reports --- */

static void say(const struct sl_comparison *found, struct sl_run_record *out)
{
    if (out->verdict[0])
        return;
    snprintf(out->verdict, sizeof(out->verdict), "%s", sl_verdict_name(found));
    out->ratio = found->ratio > 0 ? found->ratio : 0;
    out->baseline = found->baseline > 0 ? found->baseline : 0;
    out->candidate = found->candidate > 0 ? found->candidate : 0;
}

/* Writes the report of one pair or of several. */
static int write_reports(const struct sl_collection *all, const char *directory,
                         struct sl_diag *diag)
{
    static const char *const formats[] = {"md", "html"};
    struct sl_report_files files = {.count = 0};
    const struct sl_combined combined = {all->reports, all->count};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof(formats) / sizeof(formats[0]); i++)
        rc = all->count > 1 ? sl_report_files_add_combined(&files, &combined, formats[i], diag)
                            : sl_report_files_add(&files, &all->reports[0], "", formats[i], diag);
    if (rc == 0)
        rc = sl_report_files_write(&files, directory, true, diag);
    sl_report_files_fini(&files);
    return rc;
}

int sl_runners_report(const char *directory, const struct sl_categories *categories,
                      double threshold_percent, struct sl_run_record *out, struct sl_diag *diag)
{
    struct sl_collection all = {.count = 0};
    struct sl_diag none = {.what = ""};
    out->exit_code = 0;
    int rc = sl_armkit_write(directory, categories, diag);
    if (rc < 0)
        return rc;
    rc = sl_collection_add(&all, directory, NULL, categories, &none);
    if (rc == 0)
        rc = write_reports(&all, directory, diag);
    else if (rc != SL_E_NOT_FOUND)
        *diag = none;
    for (size_t i = 0; rc == 0 && i < all.count; i++) {
        const struct sl_comparison *found = &all.compared[i]->comparison;
        int code = sl_verdict_exit_code(found, threshold_percent);
        say(found, out);
        out->exit_code = code > out->exit_code ? code : out->exit_code;
    }
    sl_collection_fini(&all);
    return rc == SL_E_NOT_FOUND ? 0 : rc; /* no pair has times: there is nothing to report */
}

/* --- all of it --- */

static int begin(struct session *s, struct sl_diag *diag)
{
    char model[64], folder[PATH_BYTES];
    int rc = 0;
    sl_path_stem(s->asked->plan->model, model, sizeof(model));
    for (size_t i = 0; rc == 0 && i < s->asked->plan->count; i++) {
        struct arm *arm = &s->arms[i];
        const struct sl_spec *e = arm->spec = &s->asked->plan->specs[i];
        arm->place = i;
        sl_buf_init(&arm->text, (size_t)1 << 30);
        sl_path_join(arm->stem, sizeof(arm->stem), e->family, "%.63s_%.64s_t%" PRIu32, model,
                     e->family, e->threads[0]);
        path_of(s, e->family, folder);
        rc = sl_rundir_make_directories(folder, diag);
    }
    s->has_program = sl_buf_read_file(s->asked->model, MAX_MODEL_BYTES, &s->model) == 0;
    if (s->has_program &&
        sl_pte_parse((struct sl_bytes){s->model.data, s->model.size}, &s->pte, NULL) < 0) {
        sl_buf_fini(&s->model);
        s->has_program = false;
    }
    return rc;
}

/* Readers of the run take kernels out of what the runner printed. A text that they would refuse
 * fails this arm and no other. */
static int check_text(struct arm *arm)
{
    struct sl_kernel_log kernels = {.count = 0};
    struct sl_diag found = {.what = ""};
    int rc =
        sl_kernel_log_parse((struct sl_bytes){arm->text.data, arm->text.size}, &kernels, &found);
    sl_kernel_log_fini(&kernels);
    if (rc == 0 || rc == SL_E_NOT_FOUND)
        return 0;
    if (rc != SL_E_LIMIT)
        return rc;
    fail_arm(arm, arm->done, "what it printed cannot be used: %.250s", found.what);
    return 0;
}

static int finish_arm(struct session *s, struct arm *arm, struct sl_diag *diag)
{
    uint32_t asked = sl_plan_rounds(arm->spec);
    int rc = 0;
    if (s->asked->whole && !arm->why[0] && arm->count != asked)
        fail_arm(arm, arm->count + 1, "the agent tells of %zu of its %" PRIu32 " processes",
                 arm->count, asked);
    else if (arm->count == 0)
        return 0;
    if (!arm->why[0])
        rc = check_text(arm);
    if (rc == 0 && !arm->why[0])
        rc = write_etdump(s, arm, diag);
    s->measured += !arm->why[0];
    return rc < 0 ? rc : write_log(s, arm, diag);
}

static int take_report(struct session *s, struct sl_diag *diag)
{
    struct sl_runners_report report;
    char path[PATH_BYTES];
    struct sl_buf text;
    path_of(s, "files/runners.json", path);
    int rc = sl_buf_read_file(path, MAX_REPORT_BYTES, &text);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "the file cannot be read: %s", sl_strerror(rc));
    rc = sl_runners_report_parse((struct sl_bytes){text.data, text.size}, s->asked->plan->count,
                                 &report, diag);
    sl_buf_fini(&text);
    if (rc < 0)
        return rc;
    for (size_t i = 0; rc == 0 && i < report.count; i++)
        rc = take_process(s, &s->arms[report.rows[i].arm], &report.rows[i], diag);
    for (size_t i = 0; rc == 0 && i < s->asked->plan->count; i++)
        rc = finish_arm(s, &s->arms[i], diag);
    if (rc == 0)
        rc = write_import(s, diag);
    sl_runners_report_fini(&report);
    return rc;
}

int sl_runners_finish(const struct sl_runners *runners, struct sl_run_record *out,
                      struct sl_diag *diag)
{
    struct session *s = sl_calloc(1, sizeof(*s));
    if (!s)
        return -ENOMEM;
    out->exit_code = 0;
    out->verdict[0] = '\0';
    s->asked = runners;
    sl_buf_init(&s->text, MAX_IMPORT_BYTES);
    sl_json_init(&s->json, &s->text);
    int rc = begin(s, diag);
    if (rc == 0)
        rc = take_report(s, diag);
    if (rc == 0 && s->measured > 0)
        rc = sl_runners_report(runners->directory, runners->categories, runners->threshold_percent,
                               out, diag);
    for (size_t i = 0; i < runners->plan->count; i++) {
        bool failed = s->arms[i].why[0] != '\0';
        out->exit_code = failed && out->exit_code == 0 ? EXIT_FAILED : out->exit_code;
        sl_buf_fini(&s->arms[i].text);
    }
    if (s->has_program) {
        sl_pte_fini(&s->pte);
        sl_buf_fini(&s->model);
    }
    sl_buf_fini(&s->text);
    sl_free(s);
    return rc;
}
