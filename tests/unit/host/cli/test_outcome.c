/* tests/unit/host/cli/test_outcome.c */
#include <stdint.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "host/cli/cli.h"
#include "host/cli/follow.h"
#include "host/cli/outcome.h"
#include "tests/support/test.h"

static int code_of(const char *job_text, const char *run_text)
{
    struct sl_outcome outcome;
    cJSON *job = cJSON_Parse(job_text), *run = cJSON_Parse(run_text);
    sl_outcome_read(job, run, &outcome);
    cJSON_Delete(job);
    cJSON_Delete(run);
    assert_true(outcome.ended);
    return outcome.exit_code;
}

TEST(a_run_says_what_its_verdict_means_to_scripts)
{
    const char *done = "{\"id\":1,\"state\":\"done\",\"run\":4}";
    assert_int_equal(code_of(done, "{\"verdict\":\"slower\",\"exit_code\":0}"), SL_EXIT_DONE);
    assert_int_equal(code_of(done, "{\"verdict\":\"slower\",\"exit_code\":3}"), SL_EXIT_REGRESSION);
    assert_int_equal(code_of("{\"state\":\"done\"}", ""), SL_EXIT_DONE); /* no run was made */
}

TEST(causes_mean_their_exit_codes)
{
    assert_int_equal(code_of("{\"state\":\"failed\",\"cause\":\"result\"}", ""), SL_EXIT_FAILED);
    assert_int_equal(code_of("{\"state\":\"failed\",\"cause\":\"user\"}", ""), SL_EXIT_USAGE);
    assert_int_equal(code_of("{\"state\":\"failed\",\"cause\":\"lab\"}", ""), SL_EXIT_LAB);
    assert_int_equal(code_of("{\"state\":\"cancelled\",\"cause\":\"deadline\"}", ""), SL_EXIT_LAB);
    assert_int_equal(code_of("{\"state\":\"cancelled\",\"cause\":\"dependency\"}", ""),
                     SL_EXIT_LAB);
    assert_int_equal(code_of("{\"state\":\"cancelled\"}", ""), SL_EXIT_INTERRUPTED);
}

TEST(answers_of_other_types_are_empty)
{
    struct sl_outcome outcome;
    cJSON *job = cJSON_Parse("{\"id\":\"x\",\"state\":[],\"run\":-1,\"config\":7,\"detail\":{}}");
    sl_outcome_read(job, NULL, &outcome);
    assert_false(outcome.ended);
    assert_int_equal(outcome.run, 0);
    cJSON_Delete(job);
    sl_outcome_read(NULL, NULL, &outcome);
    assert_false(outcome.ended);
}

static void take(struct sl_follow_state *follow, const char *text)
{
    cJSON *data = cJSON_Parse(text);
    sl_follow_take(follow, data);
    cJSON_Delete(data);
}

TEST(progress_is_told_until_the_state_changes)
{
    char line[256];
    struct sl_follow_state follow = {.percent = -1};
    take(&follow, "{\"state\":\"queued\",\"device\":null,\"detail\":\"\"}");
    assert_string_equal(sl_follow_words(&follow, 7, line, sizeof(line)), "job 7: queued");
    take(&follow, "{\"state\":\"running\",\"device\":\"counted-512\",\"detail\":\"\"}");
    take(&follow,
         "{\"phase\":\"measuring\",\"part\":\"measured\",\"pair\":1,\"pairs\":2,\"ratio\":3.1}");
    assert_string_equal(sl_follow_words(&follow, 7, line, sizeof(line)),
                        "job 7 on counted-512: measuring, pair 1 of 2, off / on = 3.100");
    take(&follow, "{\"state\":\"queued\",\"detail\":\"the link was lost\"}");
    assert_string_equal(sl_follow_words(&follow, 7, line, sizeof(line)),
                        "job 7: queued: the link was lost");
}

TEST(progress_has_percentage_elapsed_time_and_time_left)
{
    char line[256];
    struct sl_follow_state follow = {.percent = -1, .now_ms = 1000000};
    take(&follow, "{\"state\":\"running\",\"device\":\"counted-512\",\"detail\":\"\"}");
    follow.now_ms += 2000;
    take(&follow, "{\"phase\":\"measuring\",\"part\":\"measured\",\"pair\":0,\"pairs\":2,"
                  "\"percent\":0.0,\"insns\":1000000}");
    assert_string_equal(
        sl_follow_words(&follow, 7, line, sizeof(line)),
        "job 7 on counted-512: measuring, pair 0 of 2, 0 %, 2.0 s, 1.0 M instructions");
    follow.now_ms += 4000;
    take(&follow, "{\"phase\":\"measuring\",\"part\":\"measured\",\"pair\":0,\"pairs\":2,"
                  "\"percent\":40.0,\"insns\":3000000,\"expected_insns\":6000000}");
    assert_string_equal(sl_follow_words(&follow, 7, line, sizeof(line)),
                        "job 7 on counted-512: measuring, pair 0 of 2, 40 %, 6.0 s, 6.0 s left, "
                        "3.0 of 6.0 M instructions");
    take(&follow, "{\"phase\":\"finishing\",\"part\":\"measured\",\"pair\":2,\"pairs\":2}");
    assert_null(strstr(sl_follow_words(&follow, 7, line, sizeof(line)), "left"));
    take(&follow, "{\"phase\":\"measuring\",\"percent\":1e300}"); /* of a hostile server */
    assert_null(strstr(sl_follow_words(&follow, 7, line, sizeof(line)), "%"));
}

/* A script that asks for a regression must not be told of one where an output is wrong. */
TEST(the_graver_of_two_codes_is_not_the_larger)
{
    static const int rising[] = {SL_EXIT_DONE,   SL_EXIT_INCONCLUSIVE, SL_EXIT_REGRESSION,
                                 SL_EXIT_FAILED, SL_EXIT_USAGE,        SL_EXIT_LAB,
                                 SL_EXIT_DEFECT, SL_EXIT_INTERRUPTED,  SL_EXIT_TERMINATED};
    const size_t count = sizeof(rising) / sizeof(rising[0]);
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < count; b++)
            assert_int_equal(sl_outcome_worse(rising[a], rising[b]), rising[a > b ? a : b]);
}
