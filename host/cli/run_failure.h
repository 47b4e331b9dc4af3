/* host/cli/run_failure.h: what `sme2lab run` says when it does not come to a result. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_cli;
struct sl_client;
struct sl_diag;
struct sl_spec;
struct sl_plan;
struct sl_outcome;
struct sl_job_sender;

/* Can all files that it names be read? 0 or the file's -errno with `diag` set. */
int sl_cli_run_failure_check(const struct sl_plan *plan, struct sl_diag *diag);

/* Why a job failed, with the user's names of the files for the daemon's; what the agent said is put
 * into `directory`. The experiment's is the last that was sent of these digests. */
void sl_cli_run_failure_tell(const struct sl_job_sender *sender, const struct sl_spec *experiment,
                             const struct sl_outcome *outcome, const char *directory,
                             struct sl_diag *diag);

/* The daemon failed us: `diag` has why, and gets how to go on. */
void sl_cli_run_failure_return(const struct sl_client *client, uint64_t job, const char *directory,
                               struct sl_diag *diag);

/* Interrupted: cancels the open jobs, or says that they go on and how to come back. */
void sl_cli_run_failure_leave(struct sl_client *client, const struct sl_cli *cli,
                              const uint64_t *jobs, size_t count, bool cancel,
                              const char *directory);
