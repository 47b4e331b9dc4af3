/* tests/unit/host/spec/test_selector_json.c */
#include "host/spec/selector_json.h"

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "host/records.h"
#include "tests/support/unit.h"

static struct sl_diag diag;

static int fold(const char *json, char *out, size_t size)
{
    cJSON *owner = cJSON_Parse(json);
    diag = (struct sl_diag){.what = ""};
    int rc = sl_selector_fold(owner, &diag);
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(owner, "device"));
    snprintf(out, size, "%s", text ? text : "(no text)");
    cJSON_Delete(owner);
    return rc;
}

TEST(an_object_of_conditions_becomes_a_text)
{
    char text[SL_SELECTOR_BYTES];
    assert_int_equal(
        fold("{\"device\":{\"soc\":\"tensor\",\"sme2\":true,\"svl\":\">=256\",\"memory\":"
             "4096}}",
             text, sizeof(text)),
        0);
    assert_string_equal(text, "soc=tensor,sme2=yes,svl>=256,memory=4096");
    assert_int_equal(fold("{\"device\":{\"sme2\":false}}", text, sizeof(text)), 0);
    assert_string_equal(text, "sme2=no");
}

TEST(a_device_that_is_no_object_is_left_alone)
{
    char text[SL_SELECTOR_BYTES];
    assert_int_equal(fold("{\"device\":\"here\"}", text, sizeof(text)), 0);
    assert_string_equal(text, "here");
    assert_int_equal(fold("{\"device\":[]}", text, sizeof(text)), 0);
    assert_int_equal(fold("{\"other\":{}}", text, sizeof(text)), 0);
    assert_int_equal(fold("[1]", text, sizeof(text)), 0);
}

TEST(what_is_no_condition_is_refused_with_its_place)
{
    static const struct {
        const char *json, *where;
    } cases[] = {{"{\"device\":{}}", "/device"},
                 {"{\"device\":{\"soc\":\"\"}}", "/device/soc"},
                 {"{\"device\":{\"soc\":\"a,tag=b\"}}", "/device/soc"},
                 {"{\"device\":{\"soc\":null}}", "/device/soc"},
                 {"{\"device\":{\"soc\":{}}}", "/device/soc"}};
    char text[SL_SELECTOR_BYTES];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(fold(cases[i].json, text, sizeof(text)), SL_E_FORMAT);
        assert_string_equal(diag.where, cases[i].where);
    }
}

TEST(conditions_without_end_are_refused)
{
    char json[8 * SL_SELECTOR_BYTES] = "{\"device\":{", text[SL_SELECTOR_BYTES];
    for (size_t i = 0; strlen(json) < 2 * SL_SELECTOR_BYTES; i++)
        snprintf(json + strlen(json), sizeof(json) - strlen(json), "%s\"soc%zu\":\"%040zu\"",
                 i ? "," : "", i, i);
    strcat(json, "}}");
    assert_int_equal(fold(json, text, sizeof(text)), SL_E_FORMAT);
    assert_string_equal(diag.where, "/device");
}
