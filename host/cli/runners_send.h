/* host/cli/runners_send.h: a plan of external runners as one job of the daemon's. */
#pragma once

#include <stdint.h>

struct sl_diag;
struct sl_plan;
struct sl_job_sender;

/* Can every runner be executed here? They are looked for below executorch/, if they have no
 * absolute path, then as they are given. 0 or a negative code with `diag` set. */
int sl_runners_check(const struct sl_plan *plan, struct sl_diag *diag);

/* Sends what the daemon does not have of the files, and the job. 0 or a code with `diag` set. */
int sl_runners_send(struct sl_job_sender *sender, uint64_t *out_job, struct sl_diag *diag);
