/* tests/unit/host/spec/test_names.c */
#include "host/spec/names.h"

#include <stdint.h>

#include "host/records.h"
#include "tests/support/test.h"

TEST(every_value_has_a_name_that_finds_it)
{
    for (int job = SL_JOB_QUEUED; job <= SL_JOB_DETACHED; job++)
        assert_int_equal(sl_job_state_of_name(sl_job_state_name(job)), job);
    for (int role = SL_TOKEN_READ; role <= SL_TOKEN_ADMIN; role++)
        assert_int_equal(sl_token_role_of_name(sl_token_role_name(role)), role);
    assert_string_equal(sl_job_cause_name(SL_CAUSE_USER), "user");
    assert_string_equal(sl_job_cause_name(SL_CAUSE_DEPENDENCY), "dependency");
    assert_string_equal(sl_device_state_name(SL_DEVICE_QUARANTINED), "quarantined");
}

TEST(what_is_none_is_told_apart)
{
    assert_string_equal(sl_job_state_name(-1), "unknown");
    assert_string_equal(sl_job_state_name(SL_JOB_DETACHED + 1), "unknown");
    assert_string_equal(sl_device_state_name(0), "unknown");
    assert_string_equal(sl_token_role_name(9), "none");
    assert_int_equal(sl_job_state_of_name("paused"), -1);
    assert_int_equal(sl_token_role_of_name("none"), 0);
}
