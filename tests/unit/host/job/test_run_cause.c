/* tests/unit/host/job/test_run_cause.c */
#include <stdint.h>
#include <string.h>

#include "common/base/error.h"
#include "host/device/link.h"
#include "host/job/run_cause.h"
#include "tests/support/test.h"

static int cause_of(int outcome, bool cancelled, int finish_rc, const char *verdict)
{
    char detail[SL_DETAIL_BYTES];
    struct sl_link_result result = {.outcome = outcome};
    struct sl_job_run_end end = {.result = &result,
                                 .cancelled = cancelled,
                                 .finish_rc = finish_rc,
                                 .finish_what = "",
                                 .verdict = verdict};
    return sl_job_run_cause(&end, detail);
}

TEST(each_outcome_has_its_cause)
{
    assert_int_equal(cause_of(SL_OUTCOME_DONE, false, 0, "faster"), SL_CAUSE_NONE);
    assert_int_equal(cause_of(SL_OUTCOME_DONE, false, 0, "wrong"), SL_CAUSE_RESULT);
    assert_int_equal(cause_of(SL_OUTCOME_FAILED, false, 0, ""), SL_CAUSE_RESULT);
    assert_int_equal(cause_of(SL_OUTCOME_CRASHED, false, 0, ""), SL_CAUSE_RESULT);
    assert_int_equal(cause_of(SL_OUTCOME_TIMED_OUT, false, 0, ""), SL_CAUSE_RESULT);
    assert_int_equal(cause_of(SL_OUTCOME_NOT_STARTED, false, 0, ""), SL_CAUSE_LAB);
    assert_int_equal(cause_of(SL_OUTCOME_LOST, false, 0, ""), SL_CAUSE_LAB);
    assert_int_equal(cause_of(99, false, 0, ""), SL_CAUSE_LAB);
    assert_int_equal(cause_of(SL_OUTCOME_CANCELLED, true, 0, ""), SL_CAUSE_NONE);
    assert_int_equal(cause_of(SL_OUTCOME_CANCELLED, false, 0, ""), SL_CAUSE_LAB);
}

TEST(a_finish_that_fails_is_the_labs_unless_the_recording_is_to_blame)
{
    assert_int_equal(cause_of(SL_OUTCOME_DONE, false, SL_E_CRASHED, ""), SL_CAUSE_RESULT);
    assert_int_equal(cause_of(SL_OUTCOME_DONE, false, -28, ""), SL_CAUSE_LAB);
    assert_int_equal(cause_of(SL_OUTCOME_CRASHED, false, -28, ""), SL_CAUSE_LAB);
    assert_int_equal(cause_of(SL_OUTCOME_CANCELLED, true, -28, ""), SL_CAUSE_NONE);
}

TEST(a_device_that_is_lost_while_the_portable_kernels_run_is_the_labs)
{
    char detail[SL_DETAIL_BYTES];
    struct sl_link_result result = {.outcome = SL_OUTCOME_DONE};
    struct sl_link_result reference = {.outcome = SL_OUTCOME_LOST, .detail = "the agent ended"};
    struct sl_job_run_end end = {.result = &result,
                                 .reference = &reference,
                                 .finish_rc = SL_E_CRASHED,
                                 .finish_what = "nothing to compare with",
                                 .verdict = ""};
    assert_int_equal(sl_job_run_cause(&end, detail), SL_CAUSE_LAB);
    assert_string_equal(detail, "the portable kernels did not run: the agent ended");
    reference.outcome = SL_OUTCOME_CRASHED; /* that may be the model */
    assert_int_equal(sl_job_run_cause(&end, detail), SL_CAUSE_RESULT);
    assert_string_equal(detail, "nothing to compare with");
}

TEST(dropped_bytes_are_said)
{
    char detail[SL_DETAIL_BYTES];
    struct sl_link_result result = {
        .outcome = SL_OUTCOME_CRASHED, .detail = "signal 9", .dropped_bytes = 640};
    struct sl_job_run_end end = {.result = &result, .finish_what = "", .verdict = ""};
    assert_int_equal(sl_job_run_cause(&end, detail), SL_CAUSE_RESULT);
    assert_string_equal(detail, "signal 9; the agent's bounded spool dropped 640 bytes");
    result.outcome = SL_OUTCOME_DONE;
    result.detail[0] = '\0';
    assert_int_equal(sl_job_run_cause(&end, detail), SL_CAUSE_LAB);
    assert_string_equal(detail, "the agent's bounded spool dropped 640 bytes");
}

TEST(a_process_that_failed_on_a_full_disk_is_the_labs_and_tried_again)
{
    static const int outcomes[] = {SL_OUTCOME_FAILED, SL_OUTCOME_CRASHED, SL_OUTCOME_TIMED_OUT};
    char detail[SL_DETAIL_BYTES];
    for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++) {
        struct sl_link_result result = {.outcome = outcomes[i], .storage_failed = true};
        struct sl_job_run_end end = {.result = &result, .finish_what = "", .verdict = ""};
        assert_int_equal(sl_job_run_cause(&end, detail), SL_CAUSE_LAB);
        result.dropped_bytes = 640;
        assert_int_equal(sl_job_run_cause(&end, detail), SL_CAUSE_LAB);
    }
}

TEST(a_crash_names_the_operator_that_it_was_in)
{
    char detail[SL_DETAIL_BYTES];
    struct sl_link_result result = {
        .outcome = SL_OUTCOME_CRASHED, .detail = "signal 11", .last_operator = "Softmax #4"};
    struct sl_job_run_end end = {.result = &result, .finish_what = "", .verdict = ""};
    assert_int_equal(sl_job_run_cause(&end, detail), SL_CAUSE_RESULT);
    assert_string_equal(detail, "signal 11 in operator Softmax #4");
}

TEST(a_task_that_refuses_its_words_is_the_users)
{
    char detail[SL_DETAIL_BYTES];
    struct sl_link_result result = {.outcome = SL_OUTCOME_FAILED, .exit_code = 2};
    struct sl_job_run_end end = {.result = &result, .finish_what = "", .verdict = ""};
    assert_int_equal(sl_job_run_cause(&end, detail), SL_CAUSE_RESULT); /* of a run */
    end.asks = true;
    assert_int_equal(sl_job_run_cause(&end, detail), SL_CAUSE_USER);
    result.exit_code = 1;
    assert_int_equal(sl_job_run_cause(&end, detail), SL_CAUSE_RESULT);
}

TEST(what_was_collected_is_not_tried_again)
{
    char detail[SL_DETAIL_BYTES];
    struct sl_link_result result = {.outcome = SL_OUTCOME_LOST};
    struct sl_job_run_end end = {
        .result = &result, .collected = true, .finish_what = "", .verdict = ""};
    assert_int_equal(sl_job_run_cause(&end, detail), SL_CAUSE_RESULT);
    result.outcome = SL_OUTCOME_NOT_STARTED; /* the device has no such result */
    assert_int_equal(sl_job_run_cause(&end, detail), SL_CAUSE_USER);
    end.finish_rc = -28; /* the lab's disk: another attempt makes the files */
    result.outcome = SL_OUTCOME_DONE;
    assert_int_equal(sl_job_run_cause(&end, detail), SL_CAUSE_LAB);
}

TEST(a_run_that_failed_and_of_which_nothing_could_be_written_is_the_labs_failure)
{
    char detail[SL_DETAIL_BYTES];
    struct sl_link_result result = {.outcome = SL_OUTCOME_CRASHED,
                                    .detail = "signal 11",
                                    .last_operator = "conv2d",
                                    .dropped_bytes = 9};
    struct sl_job_run_end end = {
        .result = &result, .finish_rc = -19, .finish_what = "'runs' is not mounted", .verdict = ""};
    assert_int_equal(sl_job_run_cause(&end, detail), SL_CAUSE_LAB);
    assert_string_equal(detail, "'runs' is not mounted");
    end.finish_rc = 0;
    assert_int_equal(sl_job_run_cause(&end, detail), SL_CAUSE_RESULT);
}
