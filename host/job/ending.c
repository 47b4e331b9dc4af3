/* host/job/ending.c */
#include "host/job/ending.h"

#include <stdio.h>
#include <string.h>

#include "host/records.h"

static void say_why(struct sl_job_record *job, int cause, const char *detail)
{
    char earlier[SL_DETAIL_BYTES];
    memcpy(earlier, job->detail, sizeof(earlier));
    if (cause == SL_CAUSE_NONE && detail[0] == '\0' && job->attempts > 1 && earlier[0] != '\0')
        snprintf(job->detail, sizeof(job->detail), "run again, attempt %u: %.200s",
                 (unsigned)job->attempts, earlier);
    else
        snprintf(job->detail, sizeof(job->detail), "%s", detail);
}

void sl_ending_note(struct sl_job_record *job, int cause, uint64_t run, const char *detail,
                    uint64_t now_ms)
{
    say_why(job, cause, detail);
    job->run = run;
    job->lease_until_ms = 0;
    job->cause = cause;
    if (cause == SL_CAUSE_LAB && !job->cancel_wanted && job->attempts < SL_MAX_ATTEMPTS) {
        job->state = SL_JOB_QUEUED;
        return;
    }
    job->state = job->cancel_wanted       ? SL_JOB_CANCELLED
                 : cause == SL_CAUSE_NONE ? SL_JOB_DONE
                                          : SL_JOB_FAILED;
    job->ended_ms = now_ms;
}
