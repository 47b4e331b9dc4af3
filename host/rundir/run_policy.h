/* host/rundir/run_policy.h: from the estimates of a counted run the table of which operators stay
 * out of streaming mode on a silicon: schema sme2lab.policy/1 with "source": "estimated". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_json;
struct sl_silicon;

enum { SL_RUNDIR_POLICY_OFF, SL_RUNDIR_POLICY_ON, SL_RUNDIR_POLICY_SIDES };
enum { SL_RUNDIR_POLICY_FILE_BYTES = 256 };

/* An operator of the execution, in its order; texts are borrowed. */
struct sl_rundir_policy_step {
    int32_t chain, instruction;
    uint32_t node; /* SL_TRACE_NO_NODE: the whole call */
    const char *name;
    const char *kernels[SL_RUNDIR_POLICY_SIDES]; /* NULL: it did not run on that side */
    double ns[SL_RUNDIR_POLICY_SIDES];           /* estimated, without hand-over */
    bool streams;                                /* with SME2 on it ran in streaming mode */
    double input_bytes;                          /* of its first operand */
};

/* Returns the bytes that a step waits for if it streams and the core wrote its operand. */
double sl_rundir_policy_hand_over_bytes(const struct sl_silicon *silicon, double input_bytes);

/* The table's file in a run directory: policy_PROFILE.json, with the suffix of the run's other
 * files before its ending. */
void sl_rundir_policy_file(const char *profile, const char *suffix,
                           char out[SL_RUNDIR_POLICY_FILE_BYTES]);

/* Writes the table as an object. 0, SL_E_LIMIT (more operators than a table names) or -ENOMEM. */
int sl_rundir_policy_put(struct sl_json *json, const struct sl_silicon *silicon,
                         const struct sl_rundir_policy_step *steps, size_t count);
