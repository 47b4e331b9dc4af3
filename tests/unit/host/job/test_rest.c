/* tests/unit/host/job/test_rest.c */
#include "host/job/rest.h"

#include "host/records.h"
#include "tests/support/test.h"

TEST(what_the_store_says_of_a_waiting_job_is_a_bounded_time)
{
    struct sl_job_record job = {.written_ms = 1000};
    assert_int_equal(sl_rest_meant_ms(&job), 0);
    job.lease_until_ms = 1000;
    assert_int_equal(sl_rest_meant_ms(&job), 0);
    job.lease_until_ms = 31000;
    assert_int_equal(sl_rest_meant_ms(&job), 30000);
    job.written_ms = 40000; /* written once more since */
    assert_int_equal(sl_rest_meant_ms(&job), 0);
    job.lease_until_ms = UINT64_MAX;
    assert_int_equal(sl_rest_meant_ms(&job), SL_REST_MEANT_MS);
    job.state = SL_JOB_RUNNING; /* its lease is one */
    assert_int_equal(sl_rest_meant_ms(&job), 0);
}

TEST(a_job_that_is_meant_for_a_device_looks_for_it_and_rests_as_any_other_when_it_failed_there)
{
    struct sl_job_record job = {.attempts = 1, .written_ms = 1000, .lease_until_ms = 3000};
    struct sl_rest rest = {0};
    assert_true(sl_rest_begin(&rest, &job, false, false, 100));
    assert_int_equal(rest.until_ms, 100 + SL_REST_LOOK_MS);
    assert_false(sl_rest_begin(&rest, &job, true, false, 200));
    assert_true(sl_rest_begin(&rest, &job, false, false, 2099));
    assert_false(sl_rest_begin(&rest, &job, false, false, 2100));
    job.lease_until_ms = 0;
    rest.failed_ms = 5000;
    assert_false(sl_rest_begin(&rest, &job, true, false, 5000));
    assert_true(sl_rest_begin(&rest, &job, true, true, 5000));
    assert_int_equal(rest.until_ms, 5000 + SL_REST_MS);
    assert_false(sl_rest_begin(&rest, &job, true, true, 5000)); /* once */
}
