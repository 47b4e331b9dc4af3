/* agent/serve/command.h: the command line of a job's inference process. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Sme2lab__Proto__Arm Sme2lab__Proto__Arm;
typedef struct Sme2lab__Proto__Job Sme2lab__Proto__Job;
struct sl_job_dir;

enum { SL_COMMAND_MAX_ARGS = 128, SL_COMMAND_RING_FD = 3, SL_COMMAND_STACK_STEP = 4096 };

struct sl_command {
    char *argv[SL_COMMAND_MAX_ARGS + 1]; /* owned, NULL at the end */
    size_t argc;
    char cwd[1024];         /* the job's folder for result files */
    uint32_t time_limit_ms; /* 0: none, or (of external runners) each of its processes has one */
    /* With an exec_prefix the whole environment is this one variable: the strings on the guest's
     * stack then fill whole steps, so that it begins at the same place whatever the paths are. */
    char *environment[2];
    char padding[SL_COMMAND_STACK_STEP + 64];
};

/* `[exec_prefix…] self run …`, the job's task (`self probe`, `kernels` or `plan`; -EINVAL for any
 * other) with its model behind it, or `self runners` for its external ones (runners.h). File names
 * of a job are SHA-256 digits naming blobs: anything else is refused with -EINVAL, so no name leads
 * out of `workdir`. SL_E_LIMIT, -ENOMEM. */
int sl_command_init(struct sl_command *command, const char *self, const char *workdir,
                    const Sme2lab__Proto__Job *job, const struct sl_job_dir *dir);
/* `[exec_prefix…] self run --load …`: process `place` (from 1) beside the measured one, which runs
 * the same model with all that the CPU has. Errors are the same. */
int sl_command_init_load(struct sl_command *command, const char *self, const char *workdir,
                         const Sme2lab__Proto__Job *job, const struct sl_job_dir *dir,
                         uint32_t place);

/* One process of an external runner. */
struct sl_command_process {
    const char *stem; /* of its ETDump's name */
    uint32_t executions;
    bool outputs; /* it writes them */
};

/* `[exec_prefix without the agent…] directory/runners/PLACE/bin/PROGRAM …`; `directory` is the
 * job's. Errors are the same. */
int sl_command_init_arm(struct sl_command *command, const char *workdir, const char *directory,
                        const Sme2lab__Proto__Job *job, const Sme2lab__Proto__Arm *arm,
                        const struct sl_command_process *process);
void sl_command_fini(struct sl_command *command);
