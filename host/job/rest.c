/* host/job/rest.c */
#include "host/job/rest.h"

#include "host/records.h"

int64_t sl_rest_ms(uint32_t attempts)
{
    uint32_t most = attempts < SL_MAX_ATTEMPTS ? attempts : SL_MAX_ATTEMPTS;
    int64_t rest_ms = SL_REST_MS;
    for (uint32_t i = 1; i < most; i++)
        rest_ms *= 4;
    return rest_ms;
}

/* Both times are the store's, so this host's clock does not matter. */
int64_t sl_rest_meant_ms(const struct sl_job_record *job)
{
    if (job->state != SL_JOB_QUEUED || job->lease_until_ms <= job->written_ms)
        return 0;
    uint64_t meant_ms = job->lease_until_ms - job->written_ms;
    return meant_ms < SL_REST_MEANT_MS ? (int64_t)meant_ms : SL_REST_MEANT_MS;
}

bool sl_rest_begin(struct sl_rest *rest, const struct sl_job_record *job, bool same_name,
                   bool same_device, int64_t steady_ms)
{
    int64_t meant_ms = sl_rest_meant_ms(job);
    if (meant_ms > 0) {
        if (rest->meant_until_ms == 0)
            rest->meant_until_ms = steady_ms + meant_ms;
        rest->until_ms = steady_ms + SL_REST_LOOK_MS;
        return !same_name && steady_ms < rest->meant_until_ms;
    }
    if (job->attempts == 0 || rest->rested || (job->attempts == 1 && !same_device))
        return false;
    rest->rested = true;
    rest->until_ms =
        (rest->failed_ms != 0 ? rest->failed_ms : steady_ms) + sl_rest_ms(job->attempts);
    return rest->until_ms > steady_ms;
}
