/* tests/unit/host/cli/test_ci.c */
#include "host/cli/ci.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/cli/exit_code.h"
#include "host/report/categories_file.h"
#include "tests/support/run_case.h"
#include "tests/support/test.h"

struct case_ {
    struct sl_ci ci;
    struct sl_plan plan;
    struct sl_categories categories;
    char folder[64], junit[96], comment[96], quality[96];
};

static int set_up(void **state)
{
    struct case_ *c = sl_calloc(1, sizeof(*c));
    assert_non_null(c);
    snprintf(c->folder, sizeof(c->folder), "/tmp/sl-ci-XXXXXX");
    assert_non_null(mkdtemp(c->folder));
    snprintf(c->junit, sizeof(c->junit), "%s/out.xml", c->folder);
    snprintf(c->comment, sizeof(c->comment), "%s/out.md", c->folder);
    snprintf(c->quality, sizeof(c->quality), "%s/out.json", c->folder);
    sl_plan_init(&c->plan, "models/<net>.pte");
    assert_int_equal(sl_categories_load(NULL, &c->categories, NULL), 0);
    *state = c;
    return 0;
}

static int tear_down(void **state)
{
    struct case_ *c = *state;
    remove(c->junit);
    remove(c->comment);
    remove(c->quality);
    remove(c->folder);
    sl_categories_fini(&c->categories);
    sl_plan_fini(&c->plan);
    sl_free(c);
    return 0;
}

static struct sl_ci_wish wish_of(const struct case_ *c)
{
    return (struct sl_ci_wish){.fail_on = "slower:3%",
                               .junit = c->junit,
                               .comment = c->comment,
                               .codequality = c->quality};
}

static void must_have(const char *path, const char *text)
{
    struct sl_buf file;
    assert_int_equal(sl_buf_read_file(path, 1 << 20, &file), 0);
    if (!strstr((const char *)file.data, text))
        fail_msg("%s has no '%s': %s", path, text, (const char *)file.data);
    sl_buf_fini(&file);
}

TEST_WITH(a_run_that_failed_is_an_error_in_each_file_and_a_regression_a_failure, set_up, tear_down)
{
    struct case_ *c = *state;
    const struct sl_ci_wish wish = wish_of(c);
    struct sl_buf file;
    assert_int_equal(sl_ci_take(&c->ci, &wish, false, NULL), 0);
    sl_ci_add(&c->ci, 0, "run", SL_EXIT_FAILED, "It \"crashed\": %s", "signal 11\n100% | gone");
    sl_ci_add(&c->ci, 0, "baseline", SL_EXIT_REGRESSION, "held to %d", 7);
    sl_ci_add(&c->ci, 0, "verdict", SL_EXIT_DONE, "nothing to say");
    assert_int_equal(c->ci.count, 2);
    assert_int_equal(sl_ci_write(&c->ci, &c->plan, NULL, &c->categories, NULL), 0);
    must_have(c->junit, "errors=\"1\"");
    must_have(c->junit, "name=\"run\" time=\"0\"><error message=\"It &quot;crashed&quot;");
    must_have(c->junit, "name=\"baseline\" time=\"0\"><failure message=\"held to 7\"/>");
    must_have(c->comment, "**Not passed**: `--fail-on slower:3%`\n");
    must_have(c->comment, "\\| gone");
    assert_int_equal(sl_buf_read_file(c->quality, 1 << 20, &file), 0);
    cJSON *list = cJSON_Parse((const char *)file.data);
    assert_int_equal(cJSON_GetArraySize(list), 2);
    const cJSON *first = cJSON_GetArrayItem(list, 0);
    const cJSON *place = cJSON_GetObjectItemCaseSensitive(first, "location");
    assert_string_equal(cJSON_GetObjectItemCaseSensitive(place, "path")->valuestring,
                        "models/<net>.pte");
    assert_string_not_equal(
        cJSON_GetObjectItemCaseSensitive(first, "fingerprint")->valuestring,
        cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(list, 1), "fingerprint")->valuestring);
    cJSON_Delete(list);
    sl_buf_fini(&file);
}

TEST_WITH(files_that_cannot_be_made_and_a_regression_from_nothing_are_told_before, set_up,
          tear_down)
{
    struct case_ *c = *state;
    struct sl_diag diag = {.what = ""};
    struct sl_ci_wish wish = {.junit = "/nonexistent/out.xml"};
    assert_true(sl_ci_take(&c->ci, &wish, false, &diag) < 0);
    assert_non_null(strstr(diag.what, "--junit cannot be written"));
    wish = (struct sl_ci_wish){.fail_on = "regression"};
    assert_int_equal(sl_ci_take(&c->ci, &wish, false, &diag), SL_E_UNSUPPORTED);
    assert_non_null(strstr(diag.hint, "--baseline"));
    assert_int_equal(sl_ci_take(&c->ci, &wish, true, &diag), 0);
}

TEST_WITH(a_gate_that_lets_a_verdict_pass_lets_it_pass_in_junit, set_up, tear_down)
{
    struct case_ *c = *state;
    const struct sl_ci_wish wish = wish_of(c);
    struct sl_diag diag = {.what = ""};
    void *run_state = NULL;
    assert_int_equal(sl_run_case_begin_finished(&run_state), 0);
    struct sl_run_case *run = run_state;
    assert_int_equal(sl_ci_take(&c->ci, &wish, false, NULL), 0);
    assert_int_equal(sl_ci_write(&c->ci, &c->plan, run->folder, &c->categories, &diag), 0);
    must_have(c->junit, "tests=\"3\"");
    must_have(c->comment, "Passed: ");
    sl_run_case_end(&run_state);
}
