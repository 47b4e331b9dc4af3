/* tests/unit/host/spec/test_schema.c: the published schema and openapi.yaml say what the list of
 * parameters says. With SME2LAB_UPDATE set they are written in place of being compared. */
#include "host/spec/schema.h"

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "tests/support/unit.h"

enum { MAX_BYTES = 1 << 20 };

static const char schema_file[] = SL_TEST_DATA "/../../configs/experiment.schema.json";
static const char openapi_file[] = SL_TEST_DATA "/../../proto/openapi.yaml";
static const char began[] = "        # From here on made of host/spec/spec.inc.\n";
static const char ended[] = "        # To here.\n";
static void compare_or_write(const char *path, const char *wanted, const char *there)
{
    if (getenv("SME2LAB_UPDATE"))
        assert_int_equal(sl_buf_write_file(path, wanted, strlen(wanted)), 0);
    else if (strcmp(wanted, there) != 0)
        fail_msg("%s is older than host/spec/spec.inc: run SME2LAB_UPDATE=1 "
                 "build/host/tests/host_spec_test_schema",
                 path);
}

TEST(the_schema_is_up_to_date)
{
    struct sl_buf made, there;
    sl_buf_init(&made, MAX_BYTES);
    assert_int_equal(sl_schema_put(&made), 0);
    cJSON *document = cJSON_ParseWithLength((const char *)made.data, made.size);
    char *text = cJSON_Print(document);
    assert_non_null(text);
    assert_int_equal(sl_buf_read_file(schema_file, MAX_BYTES, &there), 0);
    made.size = 0;
    assert_int_equal(sl_buf_printf(&made, "%s\n", text), 0);
    compare_or_write(schema_file, (const char *)made.data, (const char *)there.data);
    cJSON_free(text);
    cJSON_Delete(document);
    sl_buf_fini(&made);
    sl_buf_fini(&there);
}

TEST(openapi_has_the_properties_of_a_job)
{
    struct sl_buf lines, whole, there;
    sl_buf_init(&lines, MAX_BYTES);
    sl_buf_init(&whole, MAX_BYTES);
    assert_int_equal(sl_schema_put_body(&lines), 0);
    assert_int_equal(sl_buf_read_file(openapi_file, MAX_BYTES, &there), 0);
    const char *text = (const char *)there.data;
    const char *from = strstr(text, began), *to = strstr(text, ended);
    assert_true(from && to && from < to);
    from += strlen(began);
    assert_int_equal(
        sl_buf_printf(&whole, "%.*s%s%s", (int)(from - text), text, (const char *)lines.data, to),
        0);
    compare_or_write(openapi_file, (const char *)whole.data, text);
    sl_buf_fini(&lines);
    sl_buf_fini(&whole);
    sl_buf_fini(&there);
}
