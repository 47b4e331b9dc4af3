/* host/cli/estimated_policy.h: "estimated:PROFILE" as a policy: the model is counted once in this
 * machine's emulator, and what the estimates come to is the table that the run gets. */
#pragma once

#include <stddef.h>

#include "host/spec/paths.h"

struct sl_cli;
struct sl_diag;
struct sl_plan;

enum { SL_ESTIMATED_POLICIES_MAX = 8 };

/* The tables that were made; they lie in the state directory. */
struct sl_estimated_policies {
    struct {
        const char *model, *words; /* borrowed from the plan */
        char path[SL_PATH_BYTES];
    } made[SL_ESTIMATED_POLICIES_MAX];
    size_t count;
};

/* Puts the path of a table in place of every "estimated:PROFILE" of the plan, which borrows it from
 * `policies` (zero at the start). Waits for a counted run of each model. 0 or a code with `diag`
 * set. */
int sl_estimated_policies_make(const struct sl_cli *cli, struct sl_plan *plan,
                               struct sl_estimated_policies *policies, struct sl_diag *diag);
