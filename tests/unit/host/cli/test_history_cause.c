/* tests/unit/host/cli/test_history_cause.c */
#include "host/cli/history_cause.h"

#include <cjson/cJSON.h>

#include "tests/support/test.h"

static const char earlier[] =
    "{\"comparison\":{\"categories\":[{\"name\":\"GEMM\",\"baseline_ns\":80,\"candidate_ns\":20},"
    "{\"name\":\"CONV\",\"baseline_ns\":10,\"candidate_ns\":5}],"
    "\"operators\":[{\"name\":\"mm\",\"baseline_ns\":40,\"candidate_ns\":10},"
    "{\"name\":\"mm\",\"baseline_ns\":40,\"candidate_ns\":10},"
    "{\"name\":\"gone\",\"baseline_ns\":10,\"candidate_ns\":0}]}}";
static const char later[] =
    "{\"comparison\":{\"categories\":[{\"name\":\"GEMM\",\"baseline_ns\":80,\"candidate_ns\":35},"
    "{\"name\":\"CONV\",\"baseline_ns\":10,\"candidate_ns\":6}],"
    "\"operators\":[{\"name\":\"mm\",\"baseline_ns\":80,\"candidate_ns\":35}]}}";

TEST(the_largest_change_of_an_arm_is_named)
{
    struct sl_history_part part;
    cJSON *before = cJSON_Parse(earlier), *after = cJSON_Parse(later);
    assert_non_null(before);
    assert_non_null(after);
    sl_history_cause(before, after, "categories", 1, &part);
    assert_string_equal(part.name, "GEMM");
    assert_true(part.before == 20 && part.after == 35);
    sl_history_cause(before, after, "operators", 1, &part);
    assert_string_equal(part.name, "mm");
    assert_true(part.before == 20 && part.after == 35);
    sl_history_cause(before, after, "operators", 0, &part);
    assert_string_equal(part.name, "gone");
    sl_history_cause(before, after, "categories", 0, &part);
    assert_null(part.name);
    sl_history_cause(NULL, NULL, "operators", 0, &part);
    assert_null(part.name);
    cJSON_Delete(before);
    cJSON_Delete(after);
}
