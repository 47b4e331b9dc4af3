/* host/cli/runner_arm.c */
#include "host/cli/runner_arm.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/format/etdump_join.h"
#include "common/format/pte.h"
#include "common/format/scalar_type.h"
#include "host/rundir/output_type.h"
#include "host/rundir/run.h"
#include "host/spec/path_stem.h"

enum { PATH_BYTES = 1024, MAX_OUTPUTS = 64 };
#define MAX_ETDUMP_BYTES ((size_t)1 << 31)
#define MAX_MODEL_BYTES ((size_t)1 << 31)

int sl_runner_arm_begin(struct sl_runner_arm *arm, struct sl_diag *diag)
{
    const struct sl_spec *e = &arm->job.experiment;
    char model[64], folder[PATH_BYTES];
    sl_path_stem(e->model, model, sizeof(model));
    snprintf(arm->stem, sizeof(arm->stem), "%.64s/%.63s_%.64s_t%" PRIu32, e->family, model,
             e->family, e->threads[0]);
    snprintf(folder, sizeof(folder), "%.900s/%.64s", arm->job.directory, e->family);
    sl_rounds_plan(e->runs, e->warmup, e->mode == SL_MODE_XNNTRACE ? 1 : SL_ROUNDS_DEFAULT,
                   &arm->rounds);
    sl_buf_init(&arm->text, (size_t)1 << 30);
    return sl_run_make_directories(folder, diag);
}

void sl_runner_arm_fini(struct sl_runner_arm *arm)
{
    sl_buf_fini(&arm->text);
}

/* The ETDump of one process, until all are joined. */
static void part_path(const struct sl_runner_arm *arm, size_t round, char out[PATH_BYTES])
{
    snprintf(out, PATH_BYTES, "%.600s/%.230s_process%zu.etdump", arm->job.directory, arm->stem,
             round + 1);
}

static void add_figures(struct sl_runner_arm *arm, const struct sl_runner_end *end)
{
    const struct sl_runner_log *said = &end->said;
    bool first = arm->done == 0;
    arm->wall_ns += end->wall_ns;
    arm->said.has_total = said->has_total && (first || arm->said.has_total);
    arm->said.executions += said->executions;
    arm->said.total_ms += said->total_ms;
    arm->said.has_loaded = said->has_loaded && (first || arm->said.has_loaded);
    arm->said.loaded_ms += (said->loaded_ms - arm->said.loaded_ms) / (double)(arm->done + 1);
}

static int take(struct sl_runner_arm *arm, struct sl_runner_end *end, uint32_t order)
{
    int rc = sl_buf_printf(&arm->text, "===== process %zu of %zu, %" PRIu32 " of all =====\n",
                           arm->done + 1, arm->rounds.count, order + 1);
    if (rc == 0)
        rc = sl_buf_append(&arm->text, end->text.data, end->text.size);
    sl_buf_fini(&end->text);
    if (end->failed) {
        arm->failure = *end;
        return rc;
    }
    add_figures(arm, end);
    arm->order[arm->done++] = order;
    return rc;
}

int sl_runner_arm_round(struct sl_runner_arm *arm, uint32_t order, struct sl_diag *diag)
{
    struct sl_runner_end end;
    char etdump[PATH_BYTES], outputs[PATH_BYTES];
    uint32_t executions = arm->rounds.executions[arm->done];
    part_path(arm, arm->done, etdump);
    snprintf(outputs, sizeof(outputs), "%.600s/%.250s", arm->job.directory, arm->stem);
    int rc = sl_runner_process_run(&arm->job, executions, etdump,
                                   arm->lacks_outputs ? NULL : outputs, &end, diag);
    if (rc == 0 && end.lacks_outputs && !arm->lacks_outputs) {
        sl_buf_fini(&end.text);
        arm->lacks_outputs = true;
        rc = sl_runner_process_run(&arm->job, executions, etdump, NULL, &end, diag);
    }
    if (rc < 0) {
        unlink(etdump);
        return rc;
    }
    rc = take(arm, &end, order);
    return rc < 0 ? sl_diag_set(diag, rc, arm->stem, "what the runners printed is too long") : 0;
}

/* The kit's block of figures; "-" for what the log does not say. */
static int put_summary(struct sl_runner_arm *arm, const char *etdump)
{
    const struct sl_spec *e = &arm->job.experiment;
    const struct sl_runner_log *said = &arm->said;
    struct sl_buf *out = &arm->text;
    struct stat model = {.st_size = 0};
    double wall_s = (double)arm->wall_ns / 1e9;
    double executions = (double)sl_rounds_executions(&arm->rounds);
    int rc = stat(e->model, &model) < 0 ? -errno : 0;
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
                                  e->threads[0], arm->job.device.agent.path,
                                  (long long)model.st_size, etdump);
}

static int write_log(struct sl_runner_arm *arm, const char *etdump, struct sl_diag *diag)
{
    char path[PATH_BYTES];
    snprintf(arm->log, sizeof(arm->log), "%.230s%s", arm->stem,
             arm->job.experiment.mode == SL_MODE_XNNTRACE ? "_xnntrace.log" : "_latency.log");
    snprintf(path, sizeof(path), "%.600s/%s", arm->job.directory, arm->log);
    int rc = arm->failure.failed ? 0 : put_summary(arm, etdump);
    if (rc == 0)
        rc = sl_buf_write_file(path, arm->text.data, arm->text.size);
    return rc < 0 ? sl_diag_set(diag, rc, path, "the file cannot be written: %s", sl_strerror(rc))
                  : 0;
}

/* Reads what the processes left, and joins it. */
static int join_parts(const struct sl_runner_arm *arm, struct sl_buf *parts, struct sl_buf *out,
                      struct sl_diag *diag)
{
    struct sl_bytes files[SL_ROUNDS_MAX];
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < arm->done; i++) {
        char path[PATH_BYTES];
        part_path(arm, i, path);
        rc = sl_buf_read_file(path, MAX_ETDUMP_BYTES, &parts[i]);
        if (rc < 0)
            return sl_diag_set(diag, rc, path, "the file cannot be read: %s", sl_strerror(rc));
        files[i] = (struct sl_bytes){parts[i].data, parts[i].size};
    }
    if (arm->done > 1)
        return sl_etdump_join(files, arm->done, out, diag);
    *out = parts[0];
    parts[0] = (struct sl_buf){.data = NULL};
    return 0;
}

/* One ETDump of all processes in place of theirs. */
static int write_etdump(struct sl_runner_arm *arm, const char *path, struct sl_diag *diag)
{
    struct sl_buf *parts = sl_calloc(arm->done, sizeof(*parts)), joined;
    sl_buf_init(&joined, MAX_ETDUMP_BYTES);
    int rc = parts ? join_parts(arm, parts, &joined, diag) : -ENOMEM;
    if (rc == 0) {
        sl_sha256_hex(joined.data, joined.size, arm->etdump_sha256);
        rc = sl_buf_write_file(path, joined.data, joined.size);
    }
    for (size_t i = 0; parts && i < arm->done; i++)
        sl_buf_fini(&parts[i]);
    sl_free(parts);
    sl_buf_fini(&joined);
    if (rc < 0 && diag->what[0] == '\0')
        sl_diag_set(diag, rc, path, "the ETDump cannot be written: %s", sl_strerror(rc));
    return rc;
}

static void remove_parts(const struct sl_runner_arm *arm)
{
    for (size_t i = 0; i <= arm->done; i++) { /* one that failed may have left its own */
        char path[PATH_BYTES];
        part_path(arm, i, path);
        unlink(path);
    }
}

int sl_runner_arm_finish(struct sl_runner_arm *arm, struct sl_diag *diag)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof(path), "%.600s/%.240s.etdump", arm->job.directory, arm->stem);
    arm->rounds.count = arm->done;
    int rc = arm->done > 0 || arm->failure.failed ? write_log(arm, path, diag) : 0;
    if (rc == 0 && arm->done > 0 && !arm->failure.failed) {
        snprintf(arm->etdump, sizeof(arm->etdump), "%.240s.etdump", arm->stem);
        rc = write_etdump(arm, path, diag);
    }
    remove_parts(arm);
    return rc;
}

static const struct sl_pte_plan *find_method(const struct sl_pte *pte, const char *method)
{
    for (uint32_t i = 0; i < pte->plan_count; i++)
        if (!method || strcmp(pte->plans[i].name, method) == 0)
            return &pte->plans[i];
    return NULL;
}

/* The files that the runner wrote, with the types that the program says they have. */
static void put_outputs(const struct sl_runner_arm *arm, struct sl_json *json)
{
    const struct sl_spec *e = &arm->job.experiment;
    struct sl_buf model;
    struct sl_pte pte;
    if (arm->lacks_outputs || sl_buf_read_file(e->model, MAX_MODEL_BYTES, &model) < 0)
        return;
    if (sl_pte_parse((struct sl_bytes){model.data, model.size}, &pte, NULL) < 0) {
        sl_buf_fini(&model);
        return;
    }
    const struct sl_pte_plan *plan = find_method(&pte, e->method);
    struct sl_output_type types[MAX_OUTPUTS];
    size_t count = plan ? sl_output_types_find(plan, types, MAX_OUTPUTS) : 0;
    sl_json_open_array(json, "outputs");
    for (size_t i = 0; i < count; i++) {
        char name[SL_RUNNER_NAME_BYTES + 16], path[PATH_BYTES];
        snprintf(name, sizeof(name), "%s-%zu.bin", arm->stem, i);
        snprintf(path, sizeof(path), "%.600s/%.300s", arm->job.directory, name);
        if (types[i].scalar_type < 0 || access(path, R_OK) != 0)
            continue;
        sl_json_open_object(json, NULL);
        sl_json_text(json, "file", name);
        sl_json_text(json, "type", sl_scalar_name(types[i].scalar_type));
        sl_output_type_put(json, &types[i]);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
    sl_pte_fini(&pte);
    sl_buf_fini(&model);
}

static void put_rounds(const struct sl_runner_arm *arm, struct sl_json *json)
{
    sl_json_open_array(json, "rounds");
    for (size_t i = 0; i < arm->done; i++) {
        sl_json_open_object(json, NULL);
        sl_json_u64(json, "executions", arm->rounds.executions[i]);
        sl_json_u64(json, "order", arm->order[i]);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}

static void put_result(const struct sl_runner_arm *arm, bool together, struct sl_json *json)
{
    sl_json_text(json, "etdump", arm->etdump);
    sl_json_text(json, "etdump_sha256", arm->etdump_sha256);
    put_rounds(arm, json);
    sl_json_bool(json, "together", together);
    put_outputs(arm, json);
    sl_json_f64(json, "runner_total_ms", arm->said.has_total ? arm->said.total_ms : NAN);
    sl_json_f64(json, "runner_load_ms", arm->said.has_loaded ? arm->said.loaded_ms : NAN);
}

void sl_runner_arm_json(const struct sl_runner_arm *arm, bool together, struct sl_json *json)
{
    const struct sl_spec *e = &arm->job.experiment;
    bool failed = arm->failure.failed;
    sl_json_open_object(json, NULL);
    sl_json_text(json, "experiment", e->family);
    sl_json_u64(json, "threads", e->threads[0]);
    sl_json_text(json, "mode", e->mode == SL_MODE_XNNTRACE ? "xnntrace" : "timing");
    sl_json_text(json, "runner", arm->job.device.agent.path);
    if (e->affinity[0])
        sl_json_text(json, "cpu_affinity", e->affinity);
    sl_json_u64(json, "warmup", e->warmup);
    sl_json_open_array(json, "extra_args");
    for (size_t i = 0; i < e->extra_args_count; i++)
        sl_json_text(json, NULL, e->extra_args[i]);
    sl_json_close_array(json);
    sl_json_text(json, e->mode == SL_MODE_XNNTRACE && !failed ? "xnntrace_log" : "log",
                 arm->log[0] ? arm->log : NULL);
    if (failed) {
        sl_json_u64(json, "process", arm->done + 1);
        sl_json_i64(json, "exit_code", arm->failure.exit_code);
        sl_json_text(json, "why", arm->failure.why);
        sl_json_text(json, "last_lines", arm->failure.last_lines);
    } else {
        put_result(arm, together, json);
    }
    sl_json_close_object(json);
}
