/* tests/unit/host/rundir/test_divergence_file.c */
#include "host/rundir/divergence_file.h"

#include <math.h>

#include <cjson/cJSON.h>

#include "host/analysis/divergence.h"
#include "tests/support/unit.h"

static void read_text(const char *text, struct sl_divergence *out, cJSON **out_manifest)
{
    *out_manifest = cJSON_Parse(text);
    assert_non_null(*out_manifest);
    sl_divergence_read(*out_manifest, out);
}

TEST(both_variants_are_read_and_rows_that_say_nothing_passed_over)
{
    struct sl_divergence both[2];
    cJSON *manifest;
    read_text("{\"operators\": [{\"variant\": \"off\", \"compared\": 9, \"farther\": []},"
              "{\"variant\": \"on\", \"compared\": 8, \"farther\": [17, {\"kind\": \"float\"},"
              "{\"name\": \"a\", \"kind\": \"unknown\", \"distance\": 5},"
              "{\"name\": \"b\", \"kind\": \"float\", \"distance\": 1e-5, \"node\": null},"
              "{\"name\": \"c\", \"kind\": \"float\", \"distance\": null, \"node\": 4}]}]}",
              both, &manifest);
    assert_true(both[0].known && !both[0].found && both[0].compared == 9);
    assert_true(both[1].known && both[1].found && both[1].compared == 8);
    assert_string_equal(both[1].first.name, "c");
    assert_true(isinf(both[1].first.distance) && both[1].first.node == 4);
    assert_null(both[1].first.kernel);
    cJSON_Delete(manifest);
}

TEST(a_manifest_without_them_knows_nothing)
{
    static const char *const texts[] = {"{}", "{\"operators\": null}", "{\"operators\": 5}",
                                        "{\"operators\": [1, {\"farther\": 3}]}"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct sl_divergence both[2];
        cJSON *manifest;
        read_text(texts[i], both, &manifest);
        assert_false(both[0].known || both[1].known || both[0].found || both[1].found);
        cJSON_Delete(manifest);
    }
}
