/* host/cli/estimated_policy.h: policies that are words, not files. "estimated:PROFILE": the model
 * is counted once in this machine's emulator, and what the estimates come to is the table that the
 * run gets. "all": a table that keeps nothing out of streaming mode. */
#pragma once

#include <stdbool.h>
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

/* Is the policy such a word? */
bool sl_estimated_policies_take(const char *policy);

/* Puts the path of a table in place of every such word of the plan, which borrows it from
 * `policies` (zero at the start). Waits for a counted run of each model that is estimated. 0 or a
 * code with `diag` set. */
int sl_estimated_policies_make(const struct sl_cli *cli, struct sl_plan *plan,
                               struct sl_estimated_policies *policies, struct sl_diag *diag);
