/* tests/unit/host/spec/test_json_value.c */
#include "host/spec/json_value.h"

#include <cjson/cJSON.h>

#include "tests/support/unit.h"

static const char record[] = "{\"text\":\"a\",\"empty\":\"\",\"half\":0.5,\"less\":-1,"
                             "\"most\":9007199254740992,\"more\":9007199254740994,\"none\":null}";

TEST(what_a_record_has_is_given)
{
    cJSON *object = cJSON_Parse(record);
    assert_non_null(sl_value(object, "none"));
    assert_string_equal(sl_value_text(object, "text", "b"), "a");
    assert_string_equal(sl_value_text(object, "empty", "b"), "");
    assert_true(sl_value_number(object, "less", 7) < 0);
    assert_true(sl_value_u64(object, "most") == UINT64_C(1) << 53);
    cJSON_Delete(object);
}

TEST(what_is_absent_or_of_another_type_is_not_there)
{
    cJSON *object = cJSON_Parse(record);
    assert_null(sl_value(object, "TEXT"));
    assert_null(sl_value(NULL, "text"));
    assert_null(sl_value(sl_value(object, "text"), "text"));
    assert_null(sl_value_text(object, "half", NULL));
    assert_string_equal(sl_value_text(object, "none", "b"), "b");
    assert_true(sl_value_number(object, "text", 7) > 6);
    assert_int_equal(sl_value_u64(object, "half"), 0);
    assert_int_equal(sl_value_u64(object, "less"), 0);
    assert_int_equal(sl_value_u64(object, "more"), 0);
    assert_int_equal(sl_value_u64(object, "text"), 0);
    cJSON_Delete(object);
}
