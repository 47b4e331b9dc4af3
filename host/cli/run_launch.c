/* host/cli/run_launch.c: the agent's runs of an experiment. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/cli/cli.h"
#include "host/cli/run_steps.h"
#include "host/config/experiment.h"
#include "host/device/count_log.h"
#include "host/device/launch.h"

enum { MAX_ARGS = 24, ARG_BYTES = 2 * SL_RUN_PATH_BYTES, PROBE_TIMEOUT_MS = 60000 };

/* Arguments of the agent; each string is owned. */
struct args {
    const char *items[MAX_ARGS + 1];
    size_t count;
    int error;
};

__attribute__((format(printf, 2, 3))) static void add(struct args *args, const char *format, ...)
{
    char text[ARG_BYTES];
    va_list list;
    va_start(list, format);
    int size = vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    if (size < 0 || size >= (int)sizeof(text) || args->count == MAX_ARGS) {
        args->error = SL_E_LIMIT;
        return;
    }
    const char *copy = sl_strndup(text, (size_t)size);
    if (!copy)
        args->error = -ENOMEM;
    else
        args->items[args->count++] = copy;
}

static void args_fini(struct args *args)
{
    for (size_t i = 0; i < args->count; i++)
        sl_free((void *)(uintptr_t)args->items[i]);
}

/* The comma list of the input files. */
static void add_inputs(struct args *args, const struct sl_experiment *experiment)
{
    struct sl_buf list;
    if (experiment->input_count == 0)
        return;
    sl_buf_init(&list, ARG_BYTES);
    int rc = 0;
    for (size_t i = 0; i < experiment->input_count && rc == 0; i++)
        rc = sl_buf_printf(&list, "%s%s", i ? "," : "", experiment->inputs[i]);
    if (rc < 0)
        args->error = rc;
    else
        add(args, "--inputs=%s", (const char *)list.data);
    sl_buf_fini(&list);
}

static void add_common(struct args *args, const struct sl_run *run)
{
    add(args, "run");
    add(args, "--model_path=%s", run->plan->model);
    add(args, "--cpu_threads=1");
    add(args, "--print_output=none");
    add(args, "--json");
    add_inputs(args, run->experiment);
    if (run->experiment->input_shapes)
        add(args, "--input_shapes=%s", run->experiment->input_shapes);
}

static void add_measured(struct args *args, const struct sl_run *run)
{
    bool counted = run->device->kind == SL_DEVICE_COUNTED;
    add_common(args, run);
    add(args, "--variants=off,on");
    add(args, "--num_executions=%" PRIu32, run->experiment->runs);
    add(args, "--warmup=%" PRIu32, run->experiment->warmup);
    add(args, "--seed=%" PRIu32, run->experiment->seed);
    add(args, "--clock=%s", counted ? "marks" : "ns");
    add(args, "--trace_path=%s.sltrace", run->raw_base);
    add(args, "--output_file=%s", run->raw_base);
    add(args, "--etdump_path=%s.etdump", run->raw_base);
}

/* What is seen of a run while it lasts. */
struct progress {
    const struct sl_run *run;
    const struct sl_cli *cli;
    const char *phase;
    char line[256]; /* of stderr, as far as it has come */
    size_t line_len;
    char at[64]; /* ", Pair 3 of 20, variant on" */
};

static void see_line(struct progress *progress)
{
    const char *found = strstr(progress->line, "] Pair ");
    if (found)
        snprintf(progress->at, sizeof(progress->at), ", %.*s", (int)strcspn(found + 2, ":"),
                 found + 2);
}

static void see_stderr(void *user, const char *bytes, size_t len)
{
    struct progress *progress = user;
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] == '\n') {
            progress->line[progress->line_len] = '\0';
            see_line(progress);
            progress->line_len = 0;
        } else if (progress->line_len + 1 < sizeof(progress->line)) {
            progress->line[progress->line_len++] = bytes[i];
        }
    }
}

static void draw(void *user)
{
    const struct progress *progress = user;
    const struct sl_run *run = progress->run;
    char counted[64] = "";
    if (!progress->cli->live)
        return;
    if (run->log)
        snprintf(counted, sizeof(counted), ", %.1f M instructions",
                 (double)sl_count_log_counted(run->log, SL_INSN_ANY) / 1e6);
    fprintf(stderr, "\r\033[K%s: %s%s%s", run->experiment->name, progress->phase, progress->at,
            counted);
}

static void undraw(const struct sl_cli *cli)
{
    if (cli->live)
        fprintf(stderr, "\r\033[K");
}

/* The last line of stderr that reads like an error, else the last at all. */
static void last_words(const struct sl_child_result *result, char *out, size_t size)
{
    const char *text = result->err.data ? (const char *)result->err.data : "", *best = "";
    bool is_error = false;
    for (const char *line = text; *line;) {
        size_t len = strcspn(line, "\n");
        bool error = line[0] == 'E' && line[1] == ' ';
        if (len > 0 && (error || !is_error)) {
            best = line;
            is_error = is_error || error;
        }
        line += len + (line[len] == '\n');
    }
    const char *message = strstr(best, "] ");
    size_t len = strcspn(best, "\n");
    if (message && message < best + len) {
        len -= (size_t)(message + 2 - best);
        best = message + 2;
    }
    snprintf(out, size, "%.*s", (int)(len < 160 ? len : 160), best);
}

/* 0 if the run ended well; else a code with `diag` saying how it ended. */
static int judge_end(const struct sl_run *run, const struct sl_child_result *result,
                     const char *phase, struct sl_diag *diag)
{
    char words[192], log[SL_RUN_PATH_BYTES];
    if (!result->timed_out && result->signal == 0 && result->exit_code == 0)
        return 0;
    last_words(result, words, sizeof(words));
    snprintf(log, sizeof(log), "%.900s_latency.log", run->raw_base);
    sl_diag_hint(diag, "the agent's own words are in %.150s", log);
    if (result->timed_out)
        return sl_diag_set(diag, SL_E_TIMEOUT, run->plan->model,
                           "The agent hung: %s took longer than %" PRIu64 " s", phase,
                           run->timeout_ms / 1000);
    if (result->signal != 0)
        return sl_diag_set(diag, SL_E_CRASHED, run->plan->model,
                           "The agent crashed with signal %d while %s%s%s", result->signal, phase,
                           words[0] ? ": " : "", words);
    return sl_diag_set(diag, SL_E_CRASHED, run->plan->model,
                       "The model cannot run (%s; exit code %d)%s%s", phase, result->exit_code,
                       words[0] ? ": " : "", words);
}

/* Keeps what the agent printed, the reference run's after the measured one's. */
static int keep_log(const struct sl_run *run, const struct sl_child_result *result,
                    const char *suffix, struct sl_diag *diag)
{
    char path[SL_RUN_PATH_BYTES];
    struct sl_buf text;
    sl_buf_init(&text, 2 * (size_t)SL_CHILD_MAX_OUTPUT);
    snprintf(path, sizeof(path), "%.900s_%s.log", run->raw_base, suffix);
    int rc = sl_buf_append(&text, result->err.data, result->err.size);
    if (rc == 0)
        rc = sl_buf_append(&text, result->out.data, result->out.size);
    if (rc == 0)
        rc = sl_run_write(path, &text, diag);
    sl_buf_fini(&text);
    return rc;
}

/* The last line of stdout that is a JSON object, or NULL. */
static cJSON *last_object(const struct sl_child_result *result)
{
    const char *text = result->out.data ? (const char *)result->out.data : "", *last = NULL;
    for (const char *line = text; *line;) {
        if (*line == '{')
            last = line;
        size_t len = strcspn(line, "\n");
        line += len + (line[len] == '\n');
    }
    return last ? cJSON_Parse(last) : NULL;
}

static int launch(struct sl_run *run, const struct sl_run_watch *watch, const struct args *args,
                  const char *phase, const char *suffix, struct sl_count_log *log,
                  cJSON **out_report, struct sl_diag *diag)
{
    struct progress progress = {.run = run, .cli = watch->cli, .phase = phase};
    struct sl_child_result result;
    struct sl_launch launch = {.args = args->items,
                               .timeout_ms = run->timeout_ms,
                               .interrupted = watch->interrupted,
                               .log = log,
                               .on_stderr = see_stderr,
                               .on_tick = draw,
                               .user = &progress};
    if (args->error < 0)
        return sl_diag_set(diag, args->error, "command line", "The arguments are too long");
    int rc = sl_device_launch(run->device, &launch, &result, diag);
    undraw(watch->cli);
    if (rc < 0)
        return rc;
    rc = keep_log(run, &result, suffix, diag);
    if (rc == 0)
        rc = judge_end(run, &result, phase, diag);
    if (rc == 0 && out_report)
        *out_report = last_object(&result);
    run->wall_ns += result.wall_ns;
    sl_child_fini(&result);
    return rc;
}

int sl_run_measure(struct sl_run *run, const struct sl_run_watch *watch, struct sl_diag *diag)
{
    struct args args = {0};
    int rc = 0;
    if (run->device->kind == SL_DEVICE_COUNTED)
        rc = sl_device_new_log(run->device, &run->log, diag);
    add_measured(&args, run);
    if (rc == 0)
        rc = launch(run, watch, &args, "measuring off and on", "latency", run->log,
                    &run->agent_report, diag);
    args_fini(&args);
    return rc;
}

int sl_run_reference(struct sl_run *run, const struct sl_run_watch *watch, struct sl_diag *diag)
{
    struct args args = {0};
    add_common(&args, run);
    add(&args, "--isa=portable");
    add(&args, "--num_executions=1");
    add(&args, "--output_file=%s_portable", run->raw_base);
    add(&args, "--etdump_path=%s_portable.etdump", run->raw_base);
    int rc = launch(run, watch, &args, "running the portable kernels for comparison", "portable",
                    NULL, NULL, diag);
    args_fini(&args);
    /* It has the times of kernels that nobody measures. */
    char path[SL_RUN_PATH_BYTES];
    snprintf(path, sizeof(path), "%.900s_portable.etdump", run->raw_base);
    unlink(path);
    return rc;
}

void sl_run_probe(struct sl_run *run, const struct sl_run_watch *watch)
{
    const char *args[] = {"probe", "--json", NULL};
    struct sl_launch launch = {
        .args = args, .timeout_ms = PROBE_TIMEOUT_MS, .interrupted = watch->interrupted};
    struct sl_child_result result;
    if (sl_device_launch(run->device, &launch, &result, NULL) < 0)
        return;
    if (result.exit_code == 0)
        run->probe = cJSON_Parse(result.out.data ? (const char *)result.out.data : "");
    sl_child_fini(&result);
}
