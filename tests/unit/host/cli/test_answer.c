/* tests/unit/host/cli/test_answer.c */
#include "host/cli/answer.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/spec/json_value.h"
#include "tests/support/test.h"

TEST(what_is_absent_or_of_another_type_is_empty)
{
    cJSON *object = cJSON_Parse("{\"a\":\"x\",\"b\":7,\"c\":-1,\"d\":1e300}");
    assert_string_equal(sl_value_text(object, "a", ""), "x");
    assert_string_equal(sl_value_text(object, "b", ""), "");
    assert_string_equal(sl_value_text(NULL, "a", ""), "");
    assert_int_equal(sl_value_u64(object, "b"), 7);
    assert_int_equal(sl_value_u64(object, "a"), 0);
    assert_int_equal(sl_value_u64(object, "c"), 0);
    assert_int_equal(sl_value_u64(object, "d"), 0);
    cJSON_Delete(object);
}

TEST(an_id_is_a_whole_number_from_1_on)
{
    static const char *const wrong[] = {"", "0", "-1", "+1", " 1", "1x", "99999999999999999999"};
    uint64_t id = 0;
    assert_int_equal(sl_answer_id("12", "job", &id, NULL), 0);
    assert_int_equal(id, 12);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct sl_diag diag = {0};
        assert_int_equal(sl_answer_id(wrong[i], "job", &id, &diag), SL_E_UNSUPPORTED);
        assert_string_equal(diag.hint, "'sme2lab jobs' lists them");
    }
}

/* The text that is printed for an object. */
static void prints(const char *object, const char *expected)
{
    char said[200] = "";
    struct sl_buf text;
    int pipes[2], kept = dup(STDOUT_FILENO);
    sl_buf_init(&text, 1000);
    assert_int_equal(sl_buf_append(&text, object, strlen(object)), 0);
    assert_int_equal(pipe(pipes), 0);
    fflush(stdout);
    dup2(pipes[1], STDOUT_FILENO);
    sl_answer_print("jobs", &text);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    assert_true(read(pipes[0], said, sizeof(said) - 1) > 0);
    assert_string_equal(said, expected);
    close(pipes[0]);
    close(pipes[1]);
    close(kept);
    sl_buf_fini(&text);
}

TEST(a_printed_answer_begins_with_its_schema)
{
    prints("{\"jobs\":[1]}\n\n", "{\"schema\":\"sme2lab.jobs/1\",\"jobs\":[1]}\n");
    prints("{}", "{\"schema\":\"sme2lab.jobs/1\"}\n");
    prints("", "{\"schema\":\"sme2lab.jobs/1\"}\n");
}
