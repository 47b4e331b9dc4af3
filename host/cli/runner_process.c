/* host/cli/runner_process.c */
#include "host/cli/runner_process.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/cli/interrupt.h"

enum {
    PATH_BYTES = 1024,
    FLAGS = 9,   /* of ours at most */
    PINNING = 4, /* words before them: taskset's, and the runner */
    WORDS = PINNING + FLAGS + SL_SPEC_MAX_ARGS,
    LAST_LINES = 10,
    MAX_COMMAND_BYTES = 1 << 20,
};

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

static int add_inputs(struct command *c, const struct sl_spec *e)
{
    if (e->inputs_count == 0)
        return 0;
    c->starts[c->count++] = c->text.size;
    int rc = sl_buf_append(&c->text, "--inputs=", strlen("--inputs="));
    for (size_t i = 0; rc == 0 && i < e->inputs_count; i++) {
        if (i > 0)
            rc = sl_buf_append(&c->text, ",", 1);
        if (rc == 0)
            rc = sl_buf_append(&c->text, e->inputs[i], strlen(e->inputs[i]));
    }
    return rc < 0 ? rc : sl_buf_append(&c->text, "", 1);
}

/* Flags that runners of older releases may lack are given only where they are needed. */
static int build(struct command *c, const struct sl_spec *e, uint32_t executions,
                 const char *etdump, const char *outputs)
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
        rc = add_flag(c, "--num_executions=%" PRIu32, executions);
    if (rc == 0 && outputs)
        rc = add_flag(c, "--output_file=%s", outputs);
    if (rc == 0)
        rc = add_flag(c, "--cpu_threads=%" PRIu32, e->threads[0]);
    if (rc < 0)
        return rc;
    size_t n = c->first;
    for (size_t i = 0; i < c->count; i++)
        c->words[n++] = (const char *)c->text.data + c->starts[i];
    for (size_t i = 0; i < e->extra_args_count; i++)
        c->words[n++] = e->extra_args[i];
    c->words[n] = NULL;
    return 0;
}

/* The mask of the kit's cpu_affinity, or a list of CPUs. */
static bool is_list(const char *affinity)
{
    return strpbrk(affinity, ",-") != NULL;
}

static int launch(const struct sl_runner_job *job, uint32_t executions, const char *etdump,
                  const char *outputs, struct sl_child_result *out, struct sl_diag *diag)
{
    struct command c = {.count = 0};
    struct sl_device device = job->device;
    const char *cpus = job->experiment.affinity;
    if (cpus[0]) { /* taskset becomes the runner in the same process */
        snprintf(device.agent.path, sizeof(device.agent.path), "/usr/bin/env");
        c.words[c.first++] = "taskset";
        if (is_list(cpus))
            c.words[c.first++] = "-c";
        c.words[c.first++] = cpus;
        c.words[c.first++] = job->device.agent.path;
    }
    sl_buf_init(&c.text, MAX_COMMAND_BYTES);
    int rc = build(&c, &job->experiment, executions, etdump, outputs);
    if (rc < 0)
        sl_diag_set(diag, rc, job->experiment.name, "The runner's command line is too long");
    const struct sl_launch spec = {
        .args = c.words, .timeout_ms = job->timeout_ms, .interrupted = sl_interrupt_flag()};
    if (rc == 0)
        rc = sl_device_launch(&device, &spec, out, diag);
    sl_buf_fini(&c.text);
    return rc;
}

/* The last lines that the runner printed on stderr, or on stdout where that has none. */
static void keep_last_lines(const struct sl_child_result *child, struct sl_runner_end *out)
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

static void judge(const struct sl_child_result *child, const char *etdump,
                  struct sl_runner_end *out)
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
    out->failed = true;
    keep_last_lines(child, out);
    out->lacks_outputs = child->exit_code == 1 &&
                         strstr(out->last_lines, "unknown command line flag") &&
                         strstr(out->last_lines, "output_file");
}

int sl_runner_process_run(const struct sl_runner_job *job, uint32_t executions, const char *etdump,
                          const char *outputs, struct sl_runner_end *out, struct sl_diag *diag)
{
    struct sl_child_result child = {.exit_code = 0};
    *out = (struct sl_runner_end){.failed = false};
    sl_buf_init(&out->text, 2 * (size_t)SL_CHILD_MAX_OUTPUT);
    unlink(etdump);
    int rc = launch(job, executions, etdump, outputs, &child, diag);
    if (rc < 0)
        return rc;
    out->wall_ns = child.wall_ns;
    judge(&child, etdump, out);
    rc = sl_buf_append(&out->text, child.err.data, child.err.size);
    if (rc == 0)
        rc = sl_buf_append(&out->text, child.out.data, child.out.size);
    sl_child_fini(&child);
    sl_runner_log_read((struct sl_bytes){out->text.data, out->text.size}, &out->said);
    if (rc == 0)
        return 0;
    sl_buf_fini(&out->text);
    return sl_diag_set(diag, rc, etdump, "what the runner printed is too long");
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
