/* tests/unit/host/daemon/test_series_name.c */
#include "host/daemon/series_name.h"

#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "host/records.h"
#include "host/spec/spec.h"
#include "tests/support/test.h"

#define BOARD(id, state) "{\"phone\":null,\"board_id\":" id ",\"fingerprint\":\"" state "\"}"
#define PHONE(id, state) "{\"phone\":" id ",\"fingerprint\":\"" state "\"}"
#define ONE "00000000000000aa"
#define OTHER "00000000000000bb"

/* The record of a run on the device of that name, whose agent sent `probe`. */
static struct sl_run_record run_of(bool far, const char *name, const char *probe, bool emulated)
{
    struct sl_spec spec = {.threads = {1}, .concurrency = {1}, .affinity = ""};
    struct sl_run_record record = {.model_sha256 = "11"};
    cJSON *json = cJSON_Parse(probe);
    assert_non_null(json);
    snprintf(record.device, sizeof(record.device), "%s", name);
    sl_series_name(&spec, json, (struct sl_device_traits){.emulated = emulated, .needs_push = far},
                   &record);
    cJSON_Delete(json);
    return record;
}

static struct sl_run_record run_on(const char *name, const char *probe, bool emulated)
{
    return run_of(true, name, probe, emulated);
}

static bool same(struct sl_run_record a, struct sl_run_record b)
{
    assert_int_equal(strlen(a.series), SL_SERIES_BYTES - 1);
    assert_int_equal(strlen(b.series), SL_SERIES_BYTES - 1);
    return strcmp(a.series, b.series) == 0;
}

TEST(a_phone_that_is_renamed_keeps_its_series_and_another_of_its_name_has_its_own)
{
    struct sl_run_record named = run_on("pixel", PHONE("\"1\"", ONE), false);
    assert_true(same(named, run_on("lab-shelf-3", PHONE("\"1\"", ONE), false)));
    assert_false(same(named, run_on("pixel", PHONE("\"2\"", OTHER), false)));
    assert_false(same(named, run_on("pixel", PHONE("\"1\"", ONE), true)));
}

TEST(a_device_that_is_no_phone_has_the_series_of_its_name_as_before)
{
    struct sl_run_record machine = run_on("local", PHONE("null", ONE), false);
    assert_true(same(machine, run_on("local", PHONE("null", OTHER), false)));
    assert_false(same(machine, run_on("elsewhere", PHONE("null", ONE), false)));
    assert_true(same(machine, run_on("local", "{}", false)));
    assert_true(same(machine, run_on("local", PHONE("\"1\"", "no fingerprint"), false)));
    assert_string_equal(machine.former_series, "");
    /* The digest of an earlier version: stored series go on. */
    assert_string_equal(machine.series, "dab5b77eff8c4e11");
}

TEST(a_board_that_is_renamed_keeps_its_series_and_this_machines_devices_have_those_of_their_names)
{
    struct sl_run_record named = run_of(true, "pi", BOARD("\"1\"", ONE), false);
    assert_true(same(named, run_of(true, "shelf", BOARD("\"1\"", ONE), false)));
    assert_false(same(named, run_of(true, "pi", BOARD("\"2\"", ONE), false)));
    assert_false(same(named, run_of(true, "pi", BOARD("\"1\"", OTHER), false)));
    assert_false(same(named, run_of(true, "pi", BOARD("\"1\"", ONE), true)));
    struct sl_run_record by_name = run_of(true, "pi", BOARD("null", ONE), false);
    assert_string_equal(named.former_series, by_name.series);
    assert_true(same(by_name, run_of(false, "pi", BOARD("\"1\"", ONE), false)));
}

TEST(a_phones_run_says_what_an_earlier_version_called_its_series)
{
    struct sl_run_record phone = run_on("pixel", PHONE("\"1\"", ONE), false);
    assert_string_equal(phone.former_series, run_on("pixel", "{}", false).series);
}
