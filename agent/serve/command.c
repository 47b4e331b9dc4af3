/* agent/serve/command.c */
#include "agent/serve/command.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/run/options.h"
#include "agent/serve/job_dir.h"
#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/path.h"
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

static int add_blobs(struct sl_command *command, const char *workdir, const char *flag,
                     char *const *names, size_t count)
{
    struct sl_buf list;
    if (count == 0)
        return 0;
    sl_buf_init(&list, MAX_ARG_BYTES);
    int rc = sl_buf_printf(&list, "--%s=", flag);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        rc = is_digest(names[i])
                 ? sl_buf_printf(&list, "%s%s/blobs/%s", i == 0 ? "" : ",", workdir, names[i])
                 : -EINVAL;
    }
    if (rc == 0)
        rc = add(command, (const char *)list.data);
    sl_buf_fini(&list);
    return rc;
}

static uint64_t number_of(const ProtobufCFieldDescriptor *field, const void *value)
{
    if (field->type == PROTOBUF_C_TYPE_BOOL)
        return *(const protobuf_c_boolean *)value != 0;
    return field->type == PROTOBUF_C_TYPE_UINT64 ? *(const uint64_t *)value
                                                 : *(const uint32_t *)value;
}

static int add_number(struct sl_command *command, const struct sl_agent_run_option *option,
                      uint64_t number)
{
    return number != 0 || option->form == SL_FORM_ALWAYS
               ? addf(command, "--%s=%" PRIu64, option->name, number)
               : 0;
}

static int add_text(struct sl_command *command, const struct sl_agent_run_option *option,
                    const char *text)
{
    bool alone = option->form == SL_FORM_VARIANTS && text && !strchr(text, ',');
    return text && text[0] ? addf(command, "--%s=%s", alone ? "isa" : option->name, text) : 0;
}

/* The field of the job that the flag is made of, in the form that options.inc says. */
static int add_field(struct sl_command *command, const char *workdir,
                     const Sme2lab__Proto__Job *job, const struct sl_agent_run_option *option)
{
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field_by_name(
        &sme2lab__proto__job__descriptor, option->job);
    assert(field); /* the list of flags and proto/job.proto agree */
    const void *value = (const char *)job + field->offset;
    switch (option->form) {
    case SL_FORM_BLOB:
        return add_blobs(command, workdir, option->name, value, (*(char *const *)value)[0] != 0);
    case SL_FORM_BLOBS:
        return add_blobs(
            command, workdir, option->name, *(char **const *)value,
            *(const size_t *)(const void *)((const char *)job + field->quantifier_offset));
    case SL_FORM_WEIGHTS:
        return number_of(field, value) ? addf(command, "--%s=%s/weights", option->name, workdir)
                                       : 0;
    case SL_FORM_CLEAN:
        return number_of(field, value) ? addf(command, "--%s=runs", option->name) : 0;
    default:
        return field->type == PROTOBUF_C_TYPE_STRING
                   ? add_text(command, option, *(char *const *)value)
                   : add_number(command, option, number_of(field, value));
    }
}

/* Adds the job's options for processes of kind `whom`. */
static int add_fields(struct sl_command *command, const char *workdir,
                      const Sme2lab__Proto__Job *job, unsigned whom)
{
    int rc = is_digest(job->model) ? 0 : -EINVAL;
    for (size_t i = 0; rc == 0 && i < sl_agent_run_option_count; i++)
        if (sl_agent_run_option_list[i].job && (sl_agent_run_option_list[i].whom & whom))
            rc = add_field(command, workdir, job, &sl_agent_run_option_list[i]);
    return rc;
}

/* The loader starts the program, with the libraries beside it (runtime_folder.h). */
static int add_runtime(struct sl_command *command, const Sme2lab__Proto__Job *job,
                       const struct sl_job_dir *dir)
{
    if (job->n_runtime_names < 2)
        return -EINVAL;
    int rc = addf(command, "%s/runtime/%s", dir->path, job->runtime_names[0]);
    if (rc == 0)
        rc = add(command, "--library-path");
    if (rc == 0)
        rc = addf(command, "%s/runtime", dir->path);
    return rc == 0 ? addf(command, "%s/runtime/%s", dir->path, job->runtime_names[1]) : rc;
}

static int add_program(struct sl_command *command, const char *self, const Sme2lab__Proto__Job *job,
                       const struct sl_job_dir *dir)
{
    int rc = job->n_runtime != 0       ? add_runtime(command, job, dir)
             : job->n_exec_prefix == 0 ? add(command, self)
                                       : 0; /* a prefix names the program it runs itself */
    for (size_t i = 0; rc == 0 && i < job->n_exec_prefix; i++)
        rc = add(command, job->exec_prefix[i]);
    return rc;
}

static int add_own(struct sl_command *command, const char *self, const char *workdir,
                   const Sme2lab__Proto__Job *job, const struct sl_job_dir *dir)
{
    int rc = add_program(command, self, job, dir);
    if (rc == 0)
        rc = add(command, "run");
    if (rc == 0)
        rc = addf(command, "--ring=%d", SL_COMMAND_RING_FD);
    if (rc == 0)
        rc = add(command, "--json");
    if (rc == 0) /* nobody reads them: the outputs are files */
        rc = add(command, "--print_output=none");
    return rc == 0 ? add_fields(command, workdir, job, SL_FOR_RUN) : rc;
}

/* `serve` starts this program again to start the runners, one after another. */
static int add_runners(struct sl_command *command, const char *self, const char *workdir,
                       const struct sl_job_dir *dir)
{
    int rc = add(command, self);
    if (rc == 0)
        rc = add(command, "runners");
    if (rc == 0)
        rc = add(command, workdir);
    if (rc == 0)
        rc = add(command, dir->path);
    if (rc == 0)
        rc = addf(command, "%ld", (long)getpid());
    return rc == 0 ? addf(command, "%" PRIu64, dir->max_bytes) : rc;
}

/* A verb that answers and ends; nothing else may be asked for this way. */
static bool is_task(const char *verb)
{
    static const char *const verbs[] = {"probe", "kernels", "plan"};
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
        if (strcmp(verb, verbs[i]) == 0)
            return true;
    return false;
}

static int add_blob(struct sl_command *command, const char *workdir, const char *name)
{
    if (!name || !name[0])
        return 0;
    return is_digest(name) ? addf(command, "%s/blobs/%s", workdir, name) : -EINVAL;
}

/* The words, and the files behind them. */
static int add_task(struct sl_command *command, const char *self, const char *workdir,
                    const Sme2lab__Proto__Job *job, const struct sl_job_dir *dir)
{
    int rc = is_task(job->task[0]) ? add_program(command, self, job, dir) : -EINVAL;
    for (size_t i = 0; rc == 0 && i < job->n_task; i++)
        rc = add(command, job->task[i]);
    if (rc == 0)
        rc = add_blob(command, workdir, job->model);
    return rc == 0 ? add_blob(command, workdir, job->data) : rc;
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
    *command = (struct sl_command){.time_limit_ms = job->n_arms > 0 ? 0 : job->process_timeout_ms};
    int rc = sl_path_join(command->cwd, sizeof(command->cwd), dir->path, "out");
    if (rc == 0)
        rc = job->n_arms > 0   ? add_runners(command, self, workdir, dir)
             : job->n_task > 0 ? add_task(command, self, workdir, job, dir)
                               : add_own(command, self, workdir, job, dir);
    if (rc == 0 && job->n_task == 0 && job->n_arms == 0)
        rc = add(command, "--output_file=output");
    if (rc == 0 && job->n_exec_prefix > 0 && job->n_arms == 0)
        pad_environment(command, job->n_exec_prefix - 1);
    if (rc < 0)
        sl_command_fini(command);
    return rc;
}

/* Flags that runners of older releases may lack are given only where they are needed. */
static int add_arm_flags(struct sl_command *command, const char *workdir,
                         const Sme2lab__Proto__Arm *arm, const struct sl_command_process *process)
{
    char *const model[] = {arm->model}, *const data[] = {arm->data};
    int rc = add_blobs(command, workdir, "model_path", model, 1);
    if (rc == 0)
        rc = add_blobs(command, workdir, "data_path", data, arm->data[0] != 0);
    if (rc == 0 && arm->method[0])
        rc = addf(command, "--method_name=%s", arm->method);
    if (rc == 0)
        rc = add_blobs(command, workdir, "inputs", arm->inputs, arm->n_inputs);
    if (rc == 0)
        rc = addf(command, "--etdump_path=%s.etdump", process->stem);
    if (rc == 0)
        rc = addf(command, "--num_executions=%" PRIu32, process->executions);
    if (rc == 0 && process->outputs)
        rc = addf(command, "--output_file=%" PRIu32, arm->place);
    if (rc == 0)
        rc = addf(command, "--cpu_threads=%" PRIu32, arm->threads);
    for (size_t i = 0; rc == 0 && i < arm->n_args; i++)
        rc = add(command, arm->args[i]);
    return rc;
}

int sl_command_init_arm(struct sl_command *command, const char *workdir, const char *directory,
                        const Sme2lab__Proto__Job *job, const Sme2lab__Proto__Arm *arm,
                        const struct sl_command_process *process)
{
    int rc = 0;
    *command = (struct sl_command){.time_limit_ms = job->process_timeout_ms};
    for (size_t i = 0; rc == 0 && i + 1 < job->n_exec_prefix; i++) /* the last is the agent */
        rc = add(command, job->exec_prefix[i]);
    if (rc == 0)
        rc = addf(command, "%s/runners/%" PRIu32 "/bin/%s", directory, arm->place, arm->program);
    if (rc == 0)
        rc = add_arm_flags(command, workdir, arm, process);
    if (rc < 0)
        sl_command_fini(command);
    return rc;
}

int sl_command_init_load(struct sl_command *command, const char *self, const char *workdir,
                         const Sme2lab__Proto__Job *job, const struct sl_job_dir *dir,
                         uint32_t place)
{
    *command = (struct sl_command){0};
    int rc = sl_path_join(command->cwd, sizeof(command->cwd), dir->path, "out");
    if (rc == 0)
        rc = add_program(command, self, job, dir);
    if (rc == 0)
        rc = add(command, "run");
    if (rc == 0)
        rc = addf(command, "--load=load-%u.json", place);
    if (rc == 0)
        rc = addf(command, "--place=%u", place);
    if (rc == 0)
        rc = add_fields(command, workdir, job, SL_FOR_LOAD);
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
