/* tests/unit/host/job/test_ending.c */
#include "host/job/ending.h"

#include <string.h>

#include "host/records.h"
#include "tests/support/test.h"

static struct sl_job_record ended(uint32_t attempts, bool cancelled, int cause)
{
    struct sl_job_record job = {.id = 1,
                                .state = SL_JOB_RUNNING,
                                .attempts = attempts,
                                .cancel_wanted = cancelled,
                                .lease_until_ms = 9,
                                .detail = "link lost"};
    sl_ending_note(&job, cause, cause == SL_CAUSE_NONE ? 5 : 0, "", 100);
    assert_int_equal(job.lease_until_ms, 0);
    return job;
}

TEST(only_failures_of_the_lab_are_tried_again_and_not_for_ever)
{
    assert_int_equal(ended(1, false, SL_CAUSE_LAB).state, SL_JOB_QUEUED);
    assert_int_equal(ended(1, false, SL_CAUSE_LAB).ended_ms, 0);
    assert_int_equal(ended(SL_MAX_ATTEMPTS, false, SL_CAUSE_LAB).state, SL_JOB_FAILED);
    assert_int_equal(ended(1, false, SL_CAUSE_RESULT).state, SL_JOB_FAILED);
    assert_int_equal(ended(1, false, SL_CAUSE_NONE).state, SL_JOB_DONE);
    assert_int_equal(ended(1, false, SL_CAUSE_NONE).run, 5);
    assert_int_equal(ended(1, true, SL_CAUSE_LAB).state, SL_JOB_CANCELLED);
    assert_int_equal(ended(1, true, SL_CAUSE_NONE).ended_ms, 100);
}

TEST(a_success_after_retries_says_why_they_were_needed)
{
    assert_string_equal(ended(2, false, SL_CAUSE_NONE).detail, "run again, attempt 2: link lost");
    assert_string_equal(ended(1, false, SL_CAUSE_NONE).detail, "");
    assert_string_equal(ended(2, false, SL_CAUSE_RESULT).detail, "");
}
