/* tests/unit/host/cli/test_run_answer.c */
#include "host/cli/run_answer.h"

#include <string.h>

#include "common/base/error.h"
#include "host/spec/plan.h"
#include "tests/support/test.h"

static void append(struct sl_buf *out, const char *text)
{
    assert_int_equal(sl_buf_append(out, text, strlen(text)), 0);
}

static void check(const struct sl_cli_run_answer *answer, const char *wanted)
{
    struct sl_buf out;
    sl_buf_init(&out, 4096);
    assert_int_equal(sl_cli_run_answer_put(answer, &out), 0);
    append(&out, "");
    assert_int_equal(sl_buf_append(&out, "", 1), 0);
    assert_string_equal((const char *)out.data, wanted);
    sl_buf_fini(&out);
}

TEST(one_experiment_is_an_object_and_several_are_an_array)
{
    struct sl_cli_run_answer answer;
    struct sl_plan plan;
    sl_plan_init(&plan, "m.pte");
    sl_cli_run_answer_init(&answer, &plan);
    check(&answer, "");
    append(sl_cli_run_answer_next(&answer, 0), "{\"a\":1}");
    check(&answer, "{\"a\":1}");
    plan.specs[1] = plan.specs[0];
    plan.count = 2;
    append(sl_cli_run_answer_next(&answer, 1), "{\"a\":2}");
    check(&answer, "[{\"a\":1},{\"a\":2}]");
    sl_cli_run_answer_fini(&answer);
}

static void begin_both(struct sl_cli_run_answer *answer, struct sl_plan *plan)
{
    struct sl_diag diag;
    sl_plan_init(plan, "m.pte");
    assert_int_equal(sl_plan_add_executorch(plan, &diag), 0);
    sl_cli_run_answer_init(answer, plan);
}

TEST(both_runtimes_are_one_object_whose_top_is_ours)
{
    struct sl_cli_run_answer answer;
    struct sl_plan plan;
    begin_both(&answer, &plan);
    append(sl_cli_run_answer_next(&answer, 1), "{\"a\":\"ours\"}"); /* whichever ends first */
    append(sl_cli_run_answer_next(&answer, 0), "{\"a\":\"theirs\"}");
    check(&answer, "{\"a\":\"ours\",\"runtimes\":[{\"a\":\"theirs\"},{\"a\":\"ours\"}]}");
    append(&answer.together, "{\"left\":[]}");
    check(&answer,
          "{\"a\":\"ours\",\"runtimes\":[{\"a\":\"theirs\"},{\"a\":\"ours\"}],\"left\":[]}");
    sl_cli_run_answer_fini(&answer);
}

TEST(a_runtime_that_failed_says_why_beside_the_other)
{
    struct sl_cli_run_answer answer;
    struct sl_diag diag = {.what = "it does not run"};
    struct sl_plan plan;
    begin_both(&answer, &plan);
    sl_cli_run_answer_fail(&answer, 0, 1, &diag);
    append(sl_cli_run_answer_next(&answer, 1), "{\"a\":1}");
    check(&answer, "{\"a\":1,\"runtimes\":[{\"schema\":\"sme2lab.run/1\",\"model\":\"m.pte\","
                   "\"experiment\":\"run_executorch\",\"exit_code\":1,\"error\":{\"code\":"
                   "\"failed\",\"message\":\"it does not run\",\"where\":null,\"hint\":null}},"
                   "{\"a\":1}]}");
    sl_cli_run_answer_fini(&answer);
}

TEST(executorchs_half_alone_is_never_the_top)
{
    struct sl_cli_run_answer answer;
    struct sl_plan plan;
    begin_both(&answer, &plan);
    check(&answer, "");
    append(sl_cli_run_answer_next(&answer, 0), "{\"a\":\"theirs\"}");
    check(&answer, "{\"schema\":\"sme2lab.run/1\",\"runtimes\":[{\"a\":\"theirs\"}]}");
    sl_cli_run_answer_fini(&answer);
}
