/* host/cli/runner_process.c */
#include "host/cli/runner_process.h"

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
#include "host/cli/interrupt.h"
#include "host/device/launch.h"
#include "host/experiment/path_stem.h"
#include "host/experiment/run.h"

enum {
    PATH_BYTES = 1024,
    FLAGS = 8,   /* of ours at most */
    PINNING = 4, /* words before them: taskset's, and the runner */
    WORDS = PINNING + FLAGS + SL_EXPERIMENT_MAX_ARGS,
    LAST_LINES = 10,
    MAX_COMMAND_BYTES = 1 << 20,
};
#define MAX_ETDUMP_BYTES ((size_t)1 << 31)

/* The flags of one process; each ends with a zero byte in `text`. */
struct command {
    struct sl_buf text;
    size_t starts[FLAGS], count;
    size_t first; /* words before the flags */
    const char *words[WORDS + 1];
};

__attribute__((format(printf, 2, 3))) static int add_flag(struct command *c, const char *form, ...);

static int add_flag(struct command *c, const char *form, ...)
{
    char flag[PATH_BYTES + 64];
    va_list values;
    va_start(values, form);
    int len = vsnprintf(flag, sizeof(flag), form, values);
    va_end(values);
    if (len < 0 || (size_t)len >= sizeof(flag))
        return -ENAMETOOLONG;
    c->starts[c->count++] = c->text.size;
    return sl_buf_append(&c->text, flag, (size_t)len + 1);
}

static int add_inputs(struct command *c, const struct sl_experiment *e)
{
    if (e->input_count == 0)
        return 0;
    c->starts[c->count++] = c->text.size;
    int rc = sl_buf_append(&c->text, "--inputs=", strlen("--inputs="));
    for (size_t i = 0; rc == 0 && i < e->input_count; i++) {
        if (i > 0)
            rc = sl_buf_append(&c->text, ",", 1);
        if (rc == 0)
            rc = sl_buf_append(&c->text, e->inputs[i], strlen(e->inputs[i]));
    }
    return rc < 0 ? rc : sl_buf_append(&c->text, "", 1);
}

/* Flags that runners of older releases may lack are given only where they are needed. */
static int build(struct command *c, const struct sl_experiment *e, const char *etdump,
                 bool measured)
{
    int rc = add_flag(c, "--model_path=%s", e->model);
    if (rc == 0 && e->data_path)
        rc = add_flag(c, "--data_path=%s", e->data_path);
    if (rc == 0 && e->method)
        rc = add_flag(c, "--method_name=%s", e->method);
    if (rc == 0)
        rc = add_inputs(c, e);
    if (rc == 0)
        rc = add_flag(c, "--etdump_path=%s", etdump);
    if (rc == 0)
        rc = add_flag(c, "--num_executions=%" PRIu32, measured ? e->runs : e->warmup);
    if (rc == 0)
        rc = add_flag(c, "--cpu_threads=%" PRIu32, e->threads[0]);
    if (rc < 0)
        return rc;
    size_t n = c->first;
    for (size_t i = 0; i < c->count; i++)
        c->words[n++] = (const char *)c->text.data + c->starts[i];
    for (size_t i = 0; measured && i < e->extra_arg_count; i++)
        c->words[n++] = e->extra_args[i];
    c->words[n] = NULL;
    return 0;
}

/* The mask of the kit's cpu_affinity, or a list of CPUs. */
static bool is_list(const char *affinity)
{
    return strpbrk(affinity, ",-") != NULL;
}

static int launch(const struct sl_runner_job *job, const char *etdump, bool measured,
                  struct sl_child_result *out, struct sl_diag *diag)
{
    struct command c = {.count = 0};
    struct sl_device device = *job->device;
    const char *cpus = job->experiment->affinity;
    if (cpus) { /* taskset becomes the runner in the same process */
        snprintf(device.agent.path, sizeof(device.agent.path), "/usr/bin/env");
        c.words[c.first++] = "taskset";
        if (is_list(cpus))
            c.words[c.first++] = "-c";
        c.words[c.first++] = cpus;
        c.words[c.first++] = job->device->agent.path;
    }
    sl_buf_init(&c.text, MAX_COMMAND_BYTES);
    int rc = build(&c, job->experiment, etdump, measured);
    if (rc < 0)
        sl_diag_set(diag, rc, job->experiment->name, "The runner's command line is too long");
    const struct sl_launch spec = {
        .args = c.words, .timeout_ms = job->timeout_ms, .interrupted = sl_interrupt_flag()};
    if (rc == 0)
        rc = sl_device_launch(&device, &spec, out, diag);
    sl_buf_fini(&c.text);
    return rc;
}

/* The last lines that the runner printed on stderr, or on stdout where that has none. */
static void keep_last_lines(const struct sl_child_result *child, struct sl_runner_result *out)
{
    const struct sl_buf *text = child->err.size > 0 ? &child->err : &child->out;
    size_t end = text->size, begin, lines = 0;
    while (end > 0 && text->data[end - 1] == '\n')
        end--;
    for (begin = end; begin > 0 && end - begin < sizeof(out->last_lines) - 1; begin--) {
        if (text->data[begin - 1] == '\n' && ++lines == LAST_LINES)
            break;
    }
    memcpy(out->last_lines, text->data ? text->data + begin : (const uint8_t *)"", end - begin);
    out->last_lines[end - begin] = '\0';
}

static void judge(const struct sl_child_result *child, const char *stage, const char *etdump,
                  struct sl_runner_result *out)
{
    struct stat info;
    out->exit_code = child->exit_code;
    if (child->timed_out)
        snprintf(out->why, sizeof(out->why), "the runner did not end in time");
    else if (child->signal != 0)
        snprintf(out->why, sizeof(out->why), "signal %d ended the runner", child->signal);
    else if (child->exit_code != 0)
        snprintf(out->why, sizeof(out->why), "the runner ended with exit code %d",
                 child->exit_code);
    else if (stat(etdump, &info) < 0 || info.st_size == 0)
        snprintf(out->why, sizeof(out->why),
                 "the runner left no ETDump: it must be built with the event tracer");
    if (!out->why[0])
        return;
    if (child->exit_code == 0)
        out->exit_code = -1;
    out->stage = stage;
    keep_last_lines(child, out);
}

/* The kit's block of figures; "-" for what the log does not say. */
static int put_summary(struct sl_buf *out, const struct sl_runner_job *job,
                       const struct sl_child_result *child, const struct sl_runner_log *said,
                       const char *etdump)
{
    const struct sl_experiment *e = job->experiment;
    struct stat model = {.st_size = 0};
    double wall_s = (double)child->wall_ns / 1e9;
    int rc = stat(e->model, &model) < 0 ? -errno : 0;
    if (rc == 0)
        rc = sl_buf_printf(out,
                           "\n===== PERFORMANCE SUMMARY =====\nExperiment: %s\nModel: %s\n"
                           "Warmup Iterations: %" PRIu32 "\nExecution Iterations: %" PRIu32 "\n"
                           "Execution Total Wall: %.6f s (loading included)\n",
                           e->family, e->model, e->warmup, e->runs, wall_s);
    if (rc == 0 && said->has_total && said->executions > 0)
        rc = sl_buf_printf(out,
                           "Execution Total Runner: %.6f ms\nAvg Wall/Run: %.6f s\n"
                           "Avg Runner/Run: %.6f ms\n",
                           said->total_ms, wall_s / e->runs, said->total_ms / said->executions);
    else if (rc == 0)
        rc = sl_buf_printf(out,
                           "Execution Total Runner: -\nAvg Wall/Run: %.6f s\nAvg Runner/Run: -\n",
                           wall_s / e->runs);
    return rc < 0 ? rc
                  : sl_buf_printf(out,
                                  "CPU Threads: %" PRIu32 "\nQuiet Runner: %s\n"
                                  "Model Size: %lld bytes\nETDump Path: %s\n",
                                  e->threads[0], job->device->agent.path, (long long)model.st_size,
                                  etdump);
}

/* What the runner printed: its log, then the outputs; of one that did not fail the kit's block. */
static int write_log(const struct sl_runner_job *job, const struct sl_child_result *child,
                     const char *path, const char *etdump, struct sl_runner_result *out,
                     struct sl_diag *diag)
{
    struct sl_buf text;
    sl_buf_init(&text, 3 * (size_t)SL_CHILD_MAX_OUTPUT);
    int rc = sl_buf_append(&text, child->err.data, child->err.size);
    if (rc == 0)
        rc = sl_buf_append(&text, child->out.data, child->out.size);
    if (rc == 0)
        sl_runner_log_read((struct sl_bytes){text.data, text.size}, &out->said);
    if (rc == 0 && !out->stage)
        rc = put_summary(&text, job, child, &out->said, etdump);
    if (rc == 0)
        rc = sl_buf_write_file(path, text.data, text.size);
    sl_buf_fini(&text);
    return rc < 0 ? sl_diag_set(diag, rc, path, "the file cannot be written: %s", sl_strerror(rc))
                  : 0;
}

static int hash(const char *path, struct sl_runner_result *out, struct sl_diag *diag)
{
    struct sl_buf bytes;
    int rc = sl_buf_read_file(path, MAX_ETDUMP_BYTES, &bytes);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "the file cannot be read: %s", sl_strerror(rc));
    sl_sha256_hex(bytes.data, bytes.size, out->etdump_sha256);
    sl_buf_fini(&bytes);
    return 0;
}

/* One process. Its log is kept of the measured one, and of the other if it failed. */
static int run_stage(const struct sl_runner_job *job, bool measured, const char *stem,
                     struct sl_runner_result *out, struct sl_diag *diag)
{
    struct sl_child_result child = {.exit_code = 0};
    char etdump[PATH_BYTES], log[PATH_BYTES];
    const char *ending = !measured                   ? "_warmup.log"
                         : job->experiment->xnntrace ? "_xnntrace.log"
                                                     : "_latency.log";
    snprintf(etdump, sizeof(etdump), "%.600s/%.250s%s.etdump", job->directory, stem,
             measured ? "" : "_warmup");
    snprintf(out->log, sizeof(out->log), "%.230s%s", stem, ending);
    snprintf(log, sizeof(log), "%.600s/%s", job->directory, out->log);
    unlink(etdump);
    int rc = launch(job, etdump, measured, &child, diag);
    if (rc < 0)
        return rc;
    judge(&child, measured ? "measured" : "warmup", etdump, out);
    if (measured || out->stage)
        rc = write_log(job, &child, log, etdump, out, diag);
    else
        out->log[0] = '\0';
    sl_child_fini(&child);
    if (rc == 0 && measured && !out->stage) {
        snprintf(out->etdump, sizeof(out->etdump), "%.240s.etdump", stem);
        rc = hash(etdump, out, diag);
    } else {
        unlink(etdump);
    }
    return rc;
}

int sl_runner_process_run(const struct sl_runner_job *job, struct sl_runner_result *out,
                          struct sl_diag *diag)
{
    const struct sl_experiment *e = job->experiment;
    char model[64], stem[SL_RUNNER_NAME_BYTES], folder[PATH_BYTES];
    *out = (struct sl_runner_result){.stage = NULL};
    sl_path_stem(e->model, model, sizeof(model));
    snprintf(stem, sizeof(stem), "%.64s/%.63s_%.64s_t%" PRIu32, e->family, model, e->family,
             e->threads[0]);
    snprintf(folder, sizeof(folder), "%.900s/%.64s", job->directory, e->family);
    int rc = sl_run_make_directories(folder, diag);
    if (rc == 0 && e->warmup > 0)
        rc = run_stage(job, false, stem, out, diag);
    return rc < 0 || out->stage ? rc : run_stage(job, true, stem, out, diag);
}

int sl_runner_process_find(const char *path, char *out, uint64_t size, struct sl_diag *diag)
{
    int len = snprintf(out, size, "%s%s", path[0] == '/' ? "" : "executorch/", path);
    if (len > 0 && (uint64_t)len < size && access(out, X_OK) == 0)
        return 0;
    len = snprintf(out, size, "%s%s", strchr(path, '/') ? "" : "./", path);
    if (len > 0 && (uint64_t)len < size && access(out, X_OK) == 0)
        return 0;
    sl_diag_hint(diag, "name an executor_runner with 'runner_path'; it is looked for below "
                       "executorch/ and as it is given");
    return sl_diag_set(diag, -errno, path, "The runner cannot be executed (%s)",
                       sl_strerror(-errno));
}

static void put_text(struct sl_json *json, const char *key, const char *text)
{
    sl_json_text(json, key, text[0] ? text : NULL);
}

void sl_runner_result_json(const struct sl_runner_job *job, const struct sl_runner_result *result,
                           struct sl_json *json)
{
    const struct sl_experiment *e = job->experiment;
    sl_json_open_object(json, NULL);
    sl_json_text(json, "experiment", e->family);
    sl_json_u64(json, "threads", e->threads[0]);
    sl_json_text(json, "mode", e->xnntrace ? "xnntrace" : "timing");
    sl_json_text(json, "runner", job->device->agent.path);
    if (e->affinity)
        sl_json_text(json, "cpu_affinity", e->affinity);
    sl_json_u64(json, "warmup", e->warmup);
    sl_json_open_array(json, "extra_args");
    for (size_t i = 0; i < e->extra_arg_count; i++)
        sl_json_text(json, NULL, e->extra_args[i]);
    sl_json_close_array(json);
    put_text(json, e->xnntrace && !result->stage ? "xnntrace_log" : "log", result->log);
    if (result->stage) {
        sl_json_text(json, "stage", result->stage);
        sl_json_i64(json, "exit_code", result->exit_code);
        sl_json_text(json, "why", result->why);
        sl_json_text(json, "last_lines", result->last_lines);
    } else {
        sl_json_text(json, "etdump", result->etdump);
        sl_json_text(json, "etdump_sha256", result->etdump_sha256);
        sl_json_f64(json, "runner_total_ms", result->said.has_total ? result->said.total_ms : NAN);
        sl_json_f64(json, "runner_load_ms", result->said.has_loaded ? result->said.loaded_ms : NAN);
    }
    sl_json_close_object(json);
}
