/* agent/serve/command.c */
#include "agent/serve/command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "agent/serve/job_dir.h"
#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "proto/job.pb-c.h"

enum { MAX_ARG_BYTES = 64 << 10 };

static int add(struct sl_command *command, const char *text)
{
    if (command->argc == SL_COMMAND_MAX_ARGS)
        return SL_E_LIMIT;
    char *copy = sl_strndup(text, strlen(text));
    if (!copy)
        return -ENOMEM;
    command->argv[command->argc++] = copy;
    return 0;
}

__attribute__((format(printf, 2, 3))) static int addf(struct sl_command *command,
                                                      const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return n < 0 || (size_t)n >= sizeof(text) ? SL_E_LIMIT : add(command, text);
}

static bool is_digest(const char *name)
{
    return name && strlen(name) == 64 && strspn(name, "0123456789abcdef") == 64;
}

static int add_inputs(struct sl_command *command, const char *workdir,
                      const Sme2lab__Proto__Job *job)
{
    struct sl_buf list;
    int rc = job->n_inputs == 0 ? 0 : 1;
    if (rc == 0)
        return 0;
    sl_buf_init(&list, MAX_ARG_BYTES);
    rc = sl_buf_printf(&list, "--inputs=");
    for (size_t i = 0; rc == 0 && i < job->n_inputs; i++) {
        rc = is_digest(job->inputs[i])
                 ? sl_buf_printf(&list, "%s%s/blobs/%s", i == 0 ? "" : ",", workdir, job->inputs[i])
                 : -EINVAL;
    }
    if (rc == 0)
        rc = add(command, (const char *)list.data);
    sl_buf_fini(&list);
    return rc;
}

static int add_files(struct sl_command *command, const char *workdir,
                     const Sme2lab__Proto__Job *job)
{
    if (!is_digest(job->model))
        return -EINVAL;
    int rc = addf(command, "--model_path=%s/blobs/%s", workdir, job->model);
    if (rc == 0 && job->data && job->data[0])
        rc = is_digest(job->data) ? addf(command, "--data_path=%s/blobs/%s", workdir, job->data)
                                  : -EINVAL;
    if (rc == 0)
        rc = add_inputs(command, workdir, job);
    if (rc == 0 && job->method && job->method[0])
        rc = addf(command, "--method_name=%s", job->method);
    return rc == 0 ? addf(command, "--cpu_threads=%u", job->threads) : rc;
}

/* Both our own run and an external runner take these, by executor_runner's names. */
static int add_common(struct sl_command *command, const char *workdir,
                      const Sme2lab__Proto__Job *job)
{
    int rc = add_files(command, workdir, job);
    if (rc == 0)
        rc = addf(command, "--num_executions=%u", job->pairs);
    return rc == 0 ? add(command, "--output_file=output") : rc;
}

static int add_program(struct sl_command *command, const char *self, const Sme2lab__Proto__Job *job)
{
    int rc = job->n_exec_prefix == 0 ? add(command, self)
                                     : 0; /* a prefix names the program it runs itself */
    for (size_t i = 0; rc == 0 && i < job->n_exec_prefix; i++)
        rc = add(command, job->exec_prefix[i]);
    return rc == 0 ? add(command, "run") : rc;
}

/* Which kernels on which threads. */
static int add_kernels(struct sl_command *command, const Sme2lab__Proto__Job *job)
{
    int rc = 0;
    if (job->policy && job->policy[0])
        rc = addf(command, "--policy=%s", job->policy);
    if (rc == 0 && job->sme_threads != 0)
        rc = addf(command, "--sme-threads=%u", job->sme_threads);
    if (rc == 0 && job->affinity && job->affinity[0])
        rc = addf(command, "--affinity=%s", job->affinity);
    if (rc == 0 && job->input_shapes && job->input_shapes[0])
        rc = addf(command, "--input-shapes=%s", job->input_shapes);
    return rc;
}

static int add_own(struct sl_command *command, const char *self, const char *workdir,
                   const Sme2lab__Proto__Job *job)
{
    int rc = add_program(command, self, job);
    if (rc == 0)
        rc = addf(command, "--ring=%d", SL_COMMAND_RING_FD);
    if (rc == 0 && job->variants && job->variants[0])
        rc = addf(command, "--%s=%s", strchr(job->variants, ',') ? "variants" : "isa",
                  job->variants);
    if (rc == 0)
        rc = addf(command, "--warmup=%u", job->warmup);
    if (rc == 0)
        rc = addf(command, "--seed=%" PRIu64, job->seed);
    if (rc == 0 && job->clock && job->clock[0])
        rc = addf(command, "--clock=%s", job->clock);
    if (rc == 0)
        rc = add_kernels(command, job);
    if (rc == 0 && job->first_look != 0)
        rc = addf(command, "--first-look=%u", job->first_look);
    if (rc == 0 && job->budget_ms != 0)
        rc = addf(command, "--budget-ms=%u", job->budget_ms);
    if (rc == 0 && job->clean)
        rc = add(command, "--events=runs");
    if (rc == 0 && job->weight_cache)
        rc = addf(command, "--weight-cache=%s/weights", workdir);
    return rc == 0 ? add(command, "--json") : rc;
}

static int add_external(struct sl_command *command, const char *workdir,
                        const Sme2lab__Proto__Job *job)
{
    int rc = is_digest(job->runner) ? addf(command, "%s/blobs/%s", workdir, job->runner) : -EINVAL;
    for (size_t i = 0; rc == 0 && i < job->n_runner_args; i++)
        rc = add(command, job->runner_args[i]);
    return rc == 0 ? add(command, "--etdump_path=model.etdump") : rc;
}

/* The guest's program is the last word of the prefix; it is on its stack twice (AT_EXECFN). */
static void pad_environment(struct sl_command *command, size_t guest)
{
    static const char name[] = "SME2LAB_STACK=";
    size_t bytes = sizeof(name) + strlen(command->argv[guest]) + 1;
    for (size_t i = guest; i < command->argc; i++)
        bytes += strlen(command->argv[i]) + 1;
    size_t fill = SL_COMMAND_STACK_STEP - bytes % SL_COMMAND_STACK_STEP;
    memcpy(command->padding, name, sizeof(name));
    memset(command->padding + sizeof(name) - 1, 'x', fill);
    command->padding[sizeof(name) - 1 + fill] = '\0';
    command->environment[0] = command->padding;
}

int sl_command_init(struct sl_command *command, const char *self, const char *workdir,
                    const Sme2lab__Proto__Job *job, const struct sl_job_dir *dir)
{
    *command = (struct sl_command){0};
    int n = snprintf(command->cwd, sizeof(command->cwd), "%s/out", dir->path);
    int rc = n < 0 || (size_t)n >= sizeof(command->cwd) ? -ENAMETOOLONG : 0;
    if (rc == 0)
        rc = job->runner && job->runner[0] ? add_external(command, workdir, job)
                                           : add_own(command, self, workdir, job);
    if (rc == 0)
        rc = add_common(command, workdir, job);
    if (rc == 0 && job->n_exec_prefix > 0 && !(job->runner && job->runner[0]))
        pad_environment(command, job->n_exec_prefix - 1);
    if (rc < 0)
        sl_command_fini(command);
    return rc;
}

int sl_command_init_load(struct sl_command *command, const char *self, const char *workdir,
                         const Sme2lab__Proto__Job *job, const struct sl_job_dir *dir,
                         uint32_t place)
{
    *command = (struct sl_command){0};
    int n = snprintf(command->cwd, sizeof(command->cwd), "%s/out", dir->path);
    int rc = n < 0 || (size_t)n >= sizeof(command->cwd) ? -ENAMETOOLONG : 0;
    if (rc == 0)
        rc = add_program(command, self, job);
    if (rc == 0)
        rc = addf(command, "--load=load-%u.json", place);
    if (rc == 0)
        rc = addf(command, "--place=%u", place);
    if (rc == 0)
        rc = add_kernels(command, job);
    if (rc == 0)
        rc = add_files(command, workdir, job);
    if (rc < 0)
        sl_command_fini(command);
    return rc;
}

void sl_command_fini(struct sl_command *command)
{
    for (size_t i = 0; i < command->argc; i++)
        sl_free(command->argv[i]);
    *command = (struct sl_command){0};
}
