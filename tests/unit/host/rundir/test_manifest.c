/* tests/unit/host/rundir/test_manifest.c */
#include "host/rundir/manifest.h"

#include <cjson/cJSON.h>

#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "common/format/sltrace.h"
#include "host/report/analysis.h"
#include "tests/support/test.h"

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const char recorded[] =
    "{\"generated_at\":\"2026-01-02T03:04:05Z\",\"sme2lab_version\":\"0.1.0\",\"command\":null,"
    "\"experiment\":\"run\",\"model\":\"m.pte\",\"model_bytes\":7,\"model_sha256\":\"" HASH "\","
    "\"agent\":\"a\",\"agent_sha256\":\"" HASH "\",\"input_shapes\":null,\"method\":null,"
    "\"mode\":\"clean\",\"runs\":5,\"warmup\":1,\"labels\":{\"who\":\"me\"},\"wall_ns\":12,"
    "\"device\":{\"kind\":\"local\",\"cpu\":\"x\",\"probe\":{\"isa\":[],\"odd\":1}},"
    "\"schedule\":{\"seed\":9},\"counted_insns\":1,\"stranger\":1,"
    "\"results\":[{\"sme2\":\"off\",\"threads\":3,\"log\":\"m_run_t3_latency.log\"}],"
    "\"outputs\":[{\"scalar_type\":6},{\"scalar_type\":-1}]}";

/* Writes a manifest of no execution; the caller ends it with cJSON_Delete(). */
static cJSON *put(const cJSON *said)
{
    static const struct sl_trace trace = {.unit = SL_TRACE_NS};
    static const struct sl_analysis analysis = {.sha256 = HASH};
    const struct sl_manifest_source source = {&trace, {&analysis, &analysis}, NULL};
    struct sl_buf text;
    struct sl_json json;
    sl_buf_init(&text, 1 << 20);
    sl_json_init(&json, &text);
    sl_manifest_put(&json, said, &source);
    assert_int_equal(json.error, 0);
    cJSON *made = cJSON_ParseWithLength((const char *)text.data, text.size);
    assert_non_null(made);
    sl_buf_fini(&text);
    return made;
}

/* The manifest of `recorded`, in which `from` stands as `to`. */
static cJSON *put_changed(const char *from, const char *to)
{
    char text[sizeof(recorded) + 64];
    const char *at = strstr(recorded, from);
    assert_non_null(at);
    snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - recorded), recorded, to, at + strlen(from));
    cJSON *said = cJSON_Parse(text);
    assert_non_null(said);
    cJSON *made = put(said);
    cJSON_Delete(said);
    return made;
}

static const char *text_at(const cJSON *made, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(made, key));
}

TEST(it_comes_out_as_it_went_in)
{
    cJSON *once = put_changed("", ""), *twice = put(once);
    assert_true(cJSON_Compare(once, twice, true));
    assert_string_equal(text_at(once, "schema"), "sme2lab.manifest/1");
    assert_string_equal(text_at(once, "mode"), "clean");
    cJSON_Delete(once);
    cJSON_Delete(twice);
}

TEST(members_that_are_not_in_the_table_are_left_out)
{
    cJSON *made = put_changed("", "");
    const cJSON *device = cJSON_GetObjectItemCaseSensitive(made, "device");
    const cJSON *probe = cJSON_GetObjectItemCaseSensitive(device, "probe");
    assert_null(cJSON_GetObjectItemCaseSensitive(made, "stranger"));
    assert_null(cJSON_GetObjectItemCaseSensitive(made, "counted_insns")); /* nothing was counted */
    assert_null(cJSON_GetObjectItemCaseSensitive(probe, "odd"));
    assert_non_null(cJSON_GetObjectItemCaseSensitive(probe, "isa"));
    assert_true(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(device, "cpu"))); /* its own */
    cJSON_Delete(made);
}

TEST(a_recorded_member_without_its_form_becomes_null)
{
    static const char *const all[][3] = {
        {"2026-01-02T03:04:05Z", "2026-01-02 03:04:05Z", "generated_at"},
        {"\"0.1.0\"", "\"\"", "sme2lab_version"},
        {"\"command\":null", "\"command\":1", "command"},
        {"\"model_bytes\":7", "\"model_bytes\":0", "model_bytes"},
        {"0123456789abcdef", "0123456789ABCDEF", "model_sha256"},
        {"{\"who\":\"me\"}", "{\"who\":1}", "labels"},
        {"\"wall_ns\":12", "\"wall_ns\":0.5", "wall_ns"},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        cJSON *made = put_changed(all[i][0], all[i][1]);
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(made, all[i][2]);
        if (!cJSON_IsNull(value))
            fail_msg("%s is not null", all[i][2]);
        cJSON_Delete(made);
    }
}

TEST(what_was_not_asked_for_is_absent_and_what_was_is_checked)
{
    cJSON *plain = put_changed("", "");
    cJSON *several = put_changed("\"runs\":5", "\"runs\":5,\"concurrency\":1,\"noise_floor\":0.1");
    assert_null(cJSON_GetObjectItemCaseSensitive(plain, "concurrency"));
    assert_null(cJSON_GetObjectItemCaseSensitive(plain, "load"));
    assert_true(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(several, "concurrency")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(several, "load")));
    assert_true(cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(several, "noise_floor")));
    cJSON_Delete(plain);
    cJSON_Delete(several);
}

TEST(the_agents_report_is_believed_before_what_was_asked_for)
{
    cJSON *made = put_changed("\"runs\":5", "\"runs\":5,\"agent_report\":{\"iterations\":3,"
                                            "\"threads\":2,\"seed\":8,\"mine\":1}");
    const cJSON *report = cJSON_GetObjectItemCaseSensitive(made, "agent_report");
    const cJSON *schedule = cJSON_GetObjectItemCaseSensitive(made, "schedule");
    assert_int_equal(cJSON_GetObjectItemCaseSensitive(made, "runs")->valueint, 3);
    assert_int_equal(cJSON_GetObjectItemCaseSensitive(schedule, "seed")->valueint, 8);
    assert_null(cJSON_GetObjectItemCaseSensitive(report, "mine"));
    cJSON_Delete(made);
}

TEST(names_of_files_follow_from_the_log_of_the_first_result)
{
    cJSON *made = put_changed("", "");
    const cJSON *results = cJSON_GetObjectItemCaseSensitive(made, "results");
    const cJSON *outputs = cJSON_GetObjectItemCaseSensitive(made, "outputs");
    assert_int_equal(cJSON_GetArraySize(results), 2);
    assert_string_equal(text_at(cJSON_GetArrayItem(results, 1), "etdump"),
                        "run_sme2-on/m_run_sme2-on_t3.etdump");
    assert_string_equal(text_at(cJSON_GetArrayItem(outputs, 0), "portable"),
                        "m_run_t3_portable-0.bin");
    assert_null(cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(outputs, 1), "portable"));
    cJSON_Delete(made);
}
