/* host/daemon/policies.h: the tables that devices have of what runs in streaming mode, as `sme2lab
 * kernels bench --tune` left them in this daemon's state directory or in its user's. */
#pragma once

#include "host/spec/policy_file.h"

struct cJSON;
struct sl_diag;

/* Finds the table that the job came with, a blob (NULL: with none), else that of the device that
 * the probe describes, copies it to <directory>/policy.json and puts what stays out of streaming
 * mode into `out`, as the agent's --policy takes it; "" where there is none. A copy that
 * is there already is the run's. 0, SL_E_UNSUPPORTED (it is no such table), SL_E_NOT_FOUND (no such
 * blob) or the file's -errno, with `diag` set. Blocks. */
int sl_policies_take(const struct cJSON *probe, bool emulated, const char *state_dir,
                     const char *sent_sha256, const char *directory,
                     char out[SL_POLICY_WORDS_BYTES], struct sl_diag *diag);

/* The copy of a run, to end with cJSON_Delete(); NULL: none. */
struct cJSON *sl_policies_of_run(const char *directory);
