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

TEST(verdicts_mean_their_exit_codes)
{
    const char *done = "{\"id\":1,\"state\":\"done\",\"config\":{\"threshold_percent\":5}}";
    assert_int_equal(code_of(done, "{\"verdict\":\"faster\",\"ratio\":2}"), SL_EXIT_DONE);
    assert_int_equal(code_of(done, "{\"verdict\":\"equivalent\"}"), SL_EXIT_DONE);
    assert_int_equal(code_of(done, "{\"verdict\":\"fewer-instructions\"}"), SL_EXIT_DONE);
    assert_int_equal(code_of(done, "{\"verdict\":\"equal\"}"), SL_EXIT_DONE);
    assert_int_equal(code_of(done, "{\"verdict\":\"more-instructions\",\"ratio\":0.5}"),
                     SL_EXIT_REGRESSION);
    assert_int_equal(code_of(done, "{\"verdict\":null}"), SL_EXIT_DONE);
    assert_int_equal(code_of(done, "{\"verdict\":\"slower\",\"ratio\":0.96}"), SL_EXIT_DONE);
    assert_int_equal(code_of(done, "{\"verdict\":\"slower\",\"ratio\":0.9}"), SL_EXIT_REGRESSION);
    assert_int_equal(code_of(done, "{\"verdict\":\"wrong\"}"), SL_EXIT_FAILED);
    assert_int_equal(code_of(done, "{\"verdict\":\"unfit\"}"), SL_EXIT_INCONCLUSIVE);
    assert_int_equal(code_of(done, "{\"verdict\":\"of later\"}"), SL_EXIT_INCONCLUSIVE);
}

TEST(causes_mean_their_exit_codes)
{
    assert_int_equal(code_of("{\"state\":\"failed\",\"cause\":\"result\"}", ""), SL_EXIT_FAILED);
    assert_int_equal(code_of("{\"state\":\"failed\",\"cause\":\"user\"}", ""), SL_EXIT_USAGE);
    assert_int_equal(code_of("{\"state\":\"failed\",\"cause\":\"lab\"}", ""), SL_EXIT_LAB);
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
    struct sl_follow_state follow = {.pair = 0};
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
