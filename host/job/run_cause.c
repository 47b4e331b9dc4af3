/* host/job/run_cause.c */
#include "host/job/run_cause.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "host/device/link.h"

enum { USAGE = 2 }; /* exit code of a process that refuses its arguments */

static int cause_of_outcome(const struct sl_link_result *result, bool cancelled)
{
    switch (result->outcome) {
    case SL_OUTCOME_DONE:
        return SL_CAUSE_NONE;
    case SL_OUTCOME_CANCELLED:
        return cancelled ? SL_CAUSE_NONE : SL_CAUSE_LAB; /* else the agent was stopped */
    case SL_OUTCOME_FAILED:
    case SL_OUTCOME_CRASHED:
    case SL_OUTCOME_TIMED_OUT:
        /* a process on a full disk may well fail for that */
        return result->storage_failed ? SL_CAUSE_LAB : SL_CAUSE_RESULT;
    default: /* not started, lost, or of a newer agent */
        return SL_CAUSE_LAB;
    }
}

/* The recording gives no run: that is the model's doing, or ours. */
static int cause_of_finish(int rc)
{
    return rc == SL_E_CRASHED || rc == SL_E_MISMATCH || rc == SL_E_UNSUPPORTED ? SL_CAUSE_RESULT
                                                                               : SL_CAUSE_LAB;
}

/* A device that was lost while the portable kernels ran says nothing of the model. */
static bool lab_lost_reference(const struct sl_job_run_end *end)
{
    return end->result->outcome == SL_OUTCOME_DONE && end->reference &&
           cause_of_outcome(end->reference, end->cancelled) == SL_CAUSE_LAB;
}

static void put_finish(const struct sl_job_run_end *end, char out_detail[SL_DETAIL_BYTES])
{
    snprintf(out_detail, SL_DETAIL_BYTES, "%.255s",
             end->finish_what[0] ? end->finish_what : sl_strerror(end->finish_rc));
}

static int cause_of(const struct sl_job_run_end *end, char out_detail[SL_DETAIL_BYTES])
{
    const struct sl_link_result *result = end->result;
    int cause = cause_of_outcome(result, end->cancelled);
    if (lab_lost_reference(end)) {
        snprintf(out_detail, SL_DETAIL_BYTES, "the portable kernels did not run: %.200s",
                 end->reference->detail);
        return SL_CAUSE_LAB;
    }
    if (result->last_operator[0] && cause == SL_CAUSE_RESULT)
        snprintf(out_detail, SL_DETAIL_BYTES, "%.120s in operator %s", result->detail,
                 result->last_operator);
    else
        snprintf(out_detail, SL_DETAIL_BYTES, "%.255s", result->detail);
    if (cause == SL_CAUSE_RESULT && !end->asks && end->finish_rc < 0) {
        put_finish(end, out_detail);
        return SL_CAUSE_LAB;
    }
    if (result->dropped_bytes > 0) {
        snprintf(out_detail, SL_DETAIL_BYTES,
                 "%.150s%sthe agent's bounded spool dropped %" PRIu64 " bytes", result->detail,
                 result->detail[0] ? "; " : "", result->dropped_bytes);
        return cause == SL_CAUSE_NONE ? SL_CAUSE_LAB : cause;
    }
    if (result->outcome == SL_OUTCOME_DONE && end->finish_rc < 0) {
        put_finish(end, out_detail);
        return cause_of_finish(end->finish_rc);
    }
    return cause == SL_CAUSE_NONE && strcmp(end->verdict, "wrong") == 0 ? SL_CAUSE_RESULT : cause;
}

int sl_job_run_cause(const struct sl_job_run_end *end, char out_detail[SL_DETAIL_BYTES])
{
    const struct sl_link_result *result = end->result;
    bool refused = result->outcome == SL_OUTCOME_FAILED && result->exit_code == USAGE;
    int cause = cause_of(end, out_detail);
    if (end->asks && cause == SL_CAUSE_RESULT && refused)
        return SL_CAUSE_USER; /* the task's arguments */
    if (end->collected && cause == SL_CAUSE_LAB && end->finish_rc == 0)
        return result->outcome == SL_OUTCOME_NOT_STARTED ? SL_CAUSE_USER : SL_CAUSE_RESULT;
    return cause;
}
