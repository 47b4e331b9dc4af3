/* tests/unit/host/http/test_record_json.c: what the records of the daemon are in JSON. */
#include "host/http/record_json.h"

#include <string.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "host/records.h"
#include "host/store/answers.h"
#include "tests/support/test.h"

static struct sl_buf text;
static struct sl_json json;

static void begin(void)
{
    sl_buf_init(&text, 4096);
    sl_json_init(&json, &text);
}

static void is(const char *expected)
{
    assert_int_equal(json.error, 0);
    assert_int_equal(sl_buf_append(&text, "", 1), 0);
    assert_string_equal((const char *)text.data, expected);
    sl_buf_fini(&text);
}

static void has(const char *part)
{
    assert_int_equal(json.error, 0);
    assert_int_equal(sl_buf_append(&text, "", 1), 0);
    assert_non_null(strstr((const char *)text.data, part));
    sl_buf_fini(&text);
}

static const struct sl_run_record run = {.id = 7,
                                         .job = 3,
                                         .started_ms = 1000,
                                         .ended_ms = 2000,
                                         .device_kind = SL_DEVICE_COUNTED,
                                         .model = "toy",
                                         .device = "d",
                                         .verdict = "faster",
                                         .ratio = 1.5,
                                         .baseline = 30,
                                         .candidate = 20,
                                         .directory = "runs/x",
                                         .series = "0123",
                                         .runtime = "own"};

TEST(a_job_shows_what_it_has_and_null_for_what_it_has_not)
{
    begin();
    sl_json_of_job(&json, NULL,
                   &(struct sl_job_record){.id = 2,
                                           .state = SL_JOB_RUNNING,
                                           .attempts = 1,
                                           .priority = -4,
                                           .submitted_ms = 9,
                                           .lease_until_ms = 11,
                                           .cancel_wanted = true,
                                           .device = "d"});
    is("{\"id\":2,\"state\":\"running\",\"cause\":\"none\",\"detail\":\"\",\"priority\":-4,"
       "\"attempts\":1,\"submitted_ms\":9,\"started_ms\":null,\"ended_ms\":null,\"selector\":null,"
       "\"device\":\"d\",\"run\":null,\"cancel_wanted\":true,\"owner\":null,\"group_id\":null,"
       "\"deadline_ms\":null,\"begin_ms\":null,\"after_jobs\":null,\"host\":null}");
}

TEST(an_attempt_has_the_directory_that_was_made_after_it_began)
{
    static const struct sl_attempt_record attempts[] = {
        {.number = 1, .device = "a", .started_ms = 1000, .ended_ms = 5000, .cause = SL_CAUSE_LAB},
        {.number = 2, .device = "b", .started_ms = 6000, .ended_ms = 7000, .cause = SL_CAUSE_LAB},
        {.number = 3, .device = "a", .started_ms = 8000, .run = 5}};
    static const struct sl_store_finding left[] = {{.name = "runs/1970-01-01/000000.500-9"},
                                                   {.name = "runs/1970-01-01/000002.000-9"},
                                                   {.name = "runs/1970-01-01/000009.000-9"}};
    const struct sl_job_story story = {.job = &(struct sl_job_record){.id = 9},
                                       .config_json = "{}",
                                       .attempts = attempts,
                                       .attempt_count = 3,
                                       .left = left,
                                       .left_count = 2};
    assert_ptr_equal(sl_attempt_directory(&story, 0), left[1].name);
    assert_null(sl_attempt_directory(&story, 1));
    assert_null(sl_attempt_directory(&story, 2));
    begin();
    sl_json_of_job_story(&json, &story);
    has("\"attempt_records\":[{\"number\":1,\"device\":\"a\",\"host\":null,\"started_ms\":1000,"
        "\"ended_ms\":5000,"
        "\"cause\":\"lab\",\"run\":null,\"detail\":\"\",\"directory\":"
        "\"runs/1970-01-01/000002.000-9\",\"log\":\"/api/v1/jobs/9/attempts/1/log\"},");
    begin();
    sl_json_of_job_story(&json, &story);
    has("\"run\":5,\"detail\":\"\",\"directory\":null,\"log\":\"/api/v1/runs/5/log\"}],"
        "\"attempt_directories\":[\"runs/1970-01-01/000000.500-9\",");
}

TEST(a_run_a_series_and_a_point_show_each_its_own_part)
{
    begin();
    sl_json_of_run(&json, NULL, &run);
    is("{\"id\":7,\"job\":3,\"model\":\"toy\",\"model_sha256\":null,\"device\":\"d\","
       "\"device_kind\":\"counted\",\"series\":\"0123\",\"ended_ms\":2000,\"started_ms\":1000,"
       "\"runtime\":"
       "\"own\","
       "\"verdict\":\"faster\",\"ratio\":1.5,\"exit_code\":0,\"pinned\":false,\"host\":null}");
    begin();
    sl_json_of_point(&json, &run);
    is("{\"run\":7,\"started_ms\":1000,\"verdict\":\"faster\",\"ratio\":1.5,\"exit_code\":0,"
       "\"baseline\":30,\"candidate\":20}");
    begin();
    sl_json_of_series(&json, &(struct sl_run_record){.id = 1, .series = "ab", .model = "m"});
    is("{\"id\":\"ab\",\"model\":\"m\",\"model_sha256\":null,\"device\":\"\",\"newest\":{\"id\":1,"
       "\"job\":null,\"model\":\"m\",\"model_sha256\":null,\"device\":\"\",\"device_kind\":"
       "\"unknown\",\"series\":\"ab\",\"ended_ms\":null,\"started_ms\":null,\"runtime\":null,"
       "\"verdict\":null,\"ratio\":null,\"exit_code\":0,\"pinned\":false,\"host\":null}}");
}

TEST(a_device_and_a_token_show_no_secret)
{
    begin();
    sl_json_of_device(&json, "adb:S1",
                      &(struct sl_device_record){.name = "p",
                                                 .kind = SL_DEVICE_ADB,
                                                 .state = SL_DEVICE_READY,
                                                 .tags = "bench,usb3",
                                                 .model = "Pixel",
                                                 .sme2 = SL_MAYBE_NO,
                                                 .no_sme2 = "its cores have none",
                                                 .memory_bytes = 4096,
                                                 .temperature_celsius = 41,
                                                 .warmest = "cpu-1",
                                                 .battery_percent = 83,
                                                 .power_saver = SL_MAYBE_NO,
                                                 .looked_ms = 7});
    is("{\"name\":\"p\",\"kind\":\"adb\",\"state\":\"ready\",\"job\":null,\"queued\":null,"
       "\"cause\":\"none\","
       "\"detail\":\"\",\"tags\":\"bench,usb3\",\"cpu\":null,\"model\":\"Pixel\",\"soc\":null,"
       "\"system\":null,\"sme2\":"
       "false,"
       "\"no_sme2\":\"its cores have none\",\"svl_bits\":null,\"svl_lengths\":null,"
       "\"memory_bytes\":4096,\"host\":null,\"temperature_celsius\":41,\"warmest\":\"cpu-1\","
       "\"battery_percent\":83,\"power_saver\":false,\"looked_ms\":7,"
       "\"times_mean_something\":true,\"link\":\"adb:S1\"}");
    begin();
    sl_json_of_device(&json, NULL, &(struct sl_device_record){.name = "q", .sme2 = SL_MAYBE_YES});
    has("\"sme2\":true,\"no_sme2\":null");
    begin();
    sl_json_of_device(&json, NULL, &(struct sl_device_record){.name = "q"});
    has("\"sme2\":null");
    begin();
    sl_json_of_token(&json, NULL,
                     &(struct sl_token_record){.id = 1,
                                               .scopes = "read,devices",
                                               .max_jobs = 3,
                                               .created_ms = 5,
                                               .name = "ci",
                                               .sha256 = "s"});
    is("{\"id\":1,\"name\":\"ci\",\"scopes\":\"read,devices\",\"max_jobs\":3,\"created_ms\":5,"
       "\"expires_ms\":null}");
}
