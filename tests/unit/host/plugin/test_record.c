/* tests/unit/host/plugin/test_record.c */
#include "host/plugin/record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "tests/support/test.h"

enum { TOLD_MS = 1000000 };

static int take(struct sl_plugin_record *record, const char *name, const char *unit, double value,
                uint64_t at_ms, uint64_t now_ms)
{
    struct sl_plugin_line line = {.said = SL_PLUGIN_METRIC, .value = value, .at_ms = at_ms};
    snprintf(line.metric, sizeof(line.metric), "%s", name);
    snprintf(line.unit, sizeof(line.unit), "%s", unit);
    return sl_plugin_record_take(record, &line, now_ms, NULL);
}

TEST(the_file_has_every_figure_and_every_failure)
{
    struct sl_plugin_record records[2];
    struct sl_buf text;
    sl_plugin_record_init(&records[0], "meter", TOLD_MS);
    sl_plugin_record_init(&records[1], "hub", TOLD_MS);
    records[0].began_ms = TOLD_MS + 1;
    records[0].ended_ms = TOLD_MS + 50;
    assert_int_equal(take(&records[0], "power", "W", 1.5, TOLD_MS + 10, TOLD_MS + 11), 0);
    assert_int_equal(take(&records[0], "power", "W", 2.5, 0, TOLD_MS + 20), 0);
    assert_int_equal(take(&records[0], "level", "", 80, 0, TOLD_MS + 30), 0);
    sl_plugin_record_fail(&records[1], SL_PLUGIN_LATE, "no answer", TOLD_MS + 40);
    sl_buf_init(&text, 4096);
    assert_int_equal(sl_plugin_records_put(&text, records, 2, true, NULL), 0);
    assert_string_equal(
        (const char *)text.data,
        "{\"schema\":\"sme2lab.plugins/1\",\"resumed\":true,\"plugins\":[{\"name\":\"meter\","
        "\"began_ms\":1000001,\"ended_ms\":1000050,\"failures\":0,\"first_failures\":[],"
        "\"left_out\":0,\"metrics\":[{\"name\":\"power\",\"unit\":\"W\",\"at_ms\":[1000010,1000020]"
        ","
        "\"values\":[1.5,2.5]},{\"name\":\"level\",\"unit\":null,\"at_ms\":[1000030],"
        "\"values\":[80]}]},{\"name\":\"hub\",\"began_ms\":0,\"ended_ms\":0,\"failures\":1,"
        "\"first_failures\":[{\"at_ms\":1000040,\"what\":\"late\",\"words\":\"no answer\"}],"
        "\"left_out\":0,\"metrics\":[]}]}");
    text.size = 0;
    const struct sl_plugin_clock clock = {-7, 3};
    assert_int_equal(sl_plugin_records_put(&text, records, 0, false, &clock), 0);
    assert_string_equal((const char *)text.data,
                        "{\"schema\":\"sme2lab.plugins/1\",\"resumed\":false,\"device_clock\":{"
                        "\"ahead_us\":-7,\"uncertain_us\":3},\"plugins\":[]}");
    sl_buf_fini(&text);
    for (int i = 0; i < 2; i++)
        sl_plugin_record_fini(&records[i]);
}

TEST(a_figure_of_another_time_or_unit_is_refused)
{
    struct sl_plugin_record record;
    sl_plugin_record_init(&record, "meter", TOLD_MS);
    assert_int_equal(take(&record, "p", "W", 1, TOLD_MS - SL_PLUGIN_SLACK_MS - 1, TOLD_MS),
                     SL_E_FORMAT);
    assert_int_equal(take(&record, "p", "W", 1, TOLD_MS + SL_PLUGIN_SLACK_MS + 1, TOLD_MS),
                     SL_E_FORMAT);
    assert_int_equal(take(&record, "p", "W", 1, TOLD_MS, TOLD_MS), 0);
    assert_int_equal(take(&record, "p", "mW", 1, TOLD_MS, TOLD_MS), SL_E_FORMAT);
    assert_int_equal(take(&record, "p", "W", 1, TOLD_MS - 1, TOLD_MS), SL_E_FORMAT);
    assert_int_equal(take(&record, "p", "W", 1, TOLD_MS, TOLD_MS),
                     0); /* the same time is none before */
    assert_int_equal(record.sample_count, 2);
    assert_int_equal(record.left_out, 0);
    sl_plugin_record_fini(&record);
}

TEST(more_than_a_run_takes_is_left_out_and_counted)
{
    struct sl_plugin_record record;
    char name[8];
    sl_plugin_record_init(&record, "flood", TOLD_MS);
    for (int i = 0; i < SL_PLUGIN_MAX_METRICS + 3; i++) {
        snprintf(name, sizeof(name), "m%d", i);
        assert_int_equal(take(&record, name, "", 1, 0, TOLD_MS),
                         i < SL_PLUGIN_MAX_METRICS ? 0 : SL_E_FULL);
    }
    assert_int_equal(record.left_out, 3);
    for (int i = SL_PLUGIN_MAX_METRICS; i < SL_PLUGIN_MAX_SAMPLES; i++)
        assert_int_equal(take(&record, "m1", "", i, 0, TOLD_MS), 0);
    assert_int_equal(take(&record, "m1", "", 1, 0, TOLD_MS), SL_E_FULL);
    assert_int_equal(record.left_out, 4);
    assert_int_equal(record.sample_count, SL_PLUGIN_MAX_SAMPLES);
    sl_plugin_record_fini(&record);
}

TEST(the_first_failures_are_kept_and_all_are_counted)
{
    struct sl_plugin_record record;
    sl_plugin_record_init(&record, "bad", TOLD_MS);
    for (int i = 0; i < 3 * SL_PLUGIN_FAILURES_KEPT; i++)
        sl_plugin_record_fail(&record, SL_PLUGIN_BAD_LINE, "x", TOLD_MS);
    assert_int_equal(record.failure_count, 3 * SL_PLUGIN_FAILURES_KEPT);
    sl_plugin_record_fini(&record);
    for (int i = 0; i < SL_PLUGIN_FAILURES; i++)
        assert_string_not_equal(sl_plugin_failure_name(i), "unknown");
    assert_string_equal(sl_plugin_failure_name(SL_PLUGIN_FAILURES), "unknown");
}

TEST(taking_survives_each_failed_allocation)
{
    struct sl_plugin_record record;
    int rc = -ENOMEM;
    sl_plugin_record_init(&record, "meter", TOLD_MS);
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        sl_mem_fail_nth(nth);
        rc = take(&record, "p", "W", 1, 0, TOLD_MS);
        assert_int_equal(record.sample_count, rc == 0);
        assert_int_equal(record.metric_count, rc == 0);
    }
    sl_mem_fail_nth(0);
    assert_int_equal(rc, 0);
    sl_plugin_record_fini(&record);
}
