/* host/job/ending.h: what becomes of a job whose start on a device has ended: it waits again, or
 * ends for good. Pure. */
#pragma once

#include <stdint.h>

struct sl_job_record;

/* `cause` is enum sl_job_cause, `run` the run it made (0: none). A failure of the lab puts the job
 * back while attempts are left and nobody wants it cancelled; a success after retries still says
 * why they were needed. */
void sl_ending_note(struct sl_job_record *job, int cause, uint64_t run, const char *detail,
                    uint64_t now_ms);
