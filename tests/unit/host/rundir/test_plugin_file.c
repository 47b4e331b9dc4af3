/* tests/unit/host/rundir/test_plugin_file.c */
#include "host/rundir/plugin_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "tests/support/test.h"

#define METRIC(name, unit, times, values)                                                          \
    "{\"name\":\"" name "\",\"unit\":" unit ",\"at_ms\":[" times "],\"values\":[" values "]}"
#define PLUGIN(metrics)                                                                            \
    "{\"name\":\"meter\",\"began_ms\":1000,\"ended_ms\":4000,\"failures\":2,"                      \
    "\"first_failures\":[],\"left_out\":3,\"metrics\":[" metrics "]}"
#define FILE_OF(plugins)                                                                           \
    "{\"schema\":\"sme2lab.plugins/1\",\"resumed\":true,\"plugins\":[" plugins "]}"

static struct sl_plugin_file file;
static const struct sl_plugin_turns *turns; /* NULL: none */

static int read_text(const char *text)
{
    struct sl_diag diag = {.what = ""};
    int rc = sl_plugin_file_read((struct sl_bytes){(const uint8_t *)text, strlen(text)}, "p.json",
                                 turns, &file, &diag);
    assert_int_equal(rc != 0, diag.what[0] != '\0');
    if (rc < 0)
        assert_non_null(strstr(diag.where, "p.json"));
    return rc;
}

TEST(power_is_summed_up_within_the_run)
{
    assert_int_equal(read_text(FILE_OF(PLUGIN(
                         METRIC("power", "\"W\"", "900,1000,2000,4000,4100", "99,1,3,2,50")))),
                     0);
    assert_int_equal(file.count, 1);
    assert_true(file.resumed);
    assert_int_equal(file.plugins[0].failures, 2);
    assert_int_equal(file.plugins[0].left_out, 3);
    const struct sl_plugin_figures *power = &file.plugins[0].metrics[0];
    assert_int_equal(power->samples, 3);
    assert_int_equal(power->outside, 2);
    assert_true(power->min == 1 && power->median == 2 && power->max == 3);
    assert_true(fabs(power->mean - 2) < 1e-12);
    assert_true(power->seconds == 3);
    assert_true(fabs(power->joules - (2 * 1 + 2.5 * 2)) < 1e-12);
}

TEST(a_total_that_was_told_at_the_end_counts)
{
    assert_int_equal(read_text(FILE_OF(PLUGIN(METRIC("energy", "\"J\"", "4001", "12.5") "," METRIC(
                         "level", "null", "2000", "80")))),
                     0);
    const struct sl_plugin_figures *energy = &file.plugins[0].metrics[0];
    assert_int_equal(energy->samples, 1);
    assert_true(energy->median == 12.5 && energy->seconds == 0 && isnan(energy->joules));
    assert_string_equal(file.plugins[0].metrics[1].unit, "");
}

TEST(the_manifest_says_it_in_a_few_words)
{
    struct sl_buf text;
    struct sl_json json;
    assert_int_equal(read_text(FILE_OF(PLUGIN(METRIC("power", "\"W\"", "1000,2000", "1,2")))), 0);
    sl_buf_init(&text, 4096);
    sl_json_init(&json, &text);
    sl_plugin_file_put(&json, NULL, &file, true);
    assert_int_equal(json.error, 0);
    assert_non_null(strstr((const char *)text.data, "{\"file\":\"p.json\",\"sha256\":\""));
    assert_non_null(strstr(
        (const char *)text.data,
        "\"resumed\":true,\"list\":[{\"name\":\"meter\",\"failures\":2,\"left_out\":3,\"metrics\":["
        "{\"name\":\"power\",\"unit\":\"W\",\"samples\":2,\"outside\":0,\"min\":1,\"median\":1.5,"
        "\"mean\":1.5,\"max\":2,\"seconds\":1,\"joules\":1.5}]}]}"));
    sl_buf_fini(&text);
}

/* Each variant has the machine for a second: do these words stand in the manifest? */
static bool says_apart(bool known, bool wanted, const char *words)
{
    static struct sl_plugin_turn list[] = {{1000000, 2000000, 0}, {2000000, 3000000, 1}};
    const struct sl_plugin_turns two = {list, 2, known};
    struct sl_buf text;
    struct sl_json json;
    turns = &two;
    assert_int_equal(read_text(FILE_OF(PLUGIN(
                         METRIC("power", "\"W\"", "1100,1500,1900,2100,2500", "9,1,2,9,5")))),
                     0);
    turns = NULL;
    sl_buf_init(&text, 4096);
    sl_json_init(&json, &text);
    sl_plugin_file_put(&json, NULL, &file, wanted);
    assert_int_equal(json.error, 0);
    bool said = strstr((const char *)text.data, words) != NULL;
    sl_buf_fini(&text);
    return said;
}

TEST(the_variants_are_told_apart_where_their_turns_are_known)
{
    static const char words[] = "\"off\":{\"samples\":2,\"mean\":1.5},"
                                "\"on\":{\"samples\":1,\"mean\":5},\"unattributed\":2}";
    assert_true(says_apart(true, true, words));
    assert_false(says_apart(true, false, "unattributed"));
    assert_false(says_apart(false, true, "unattributed"));
}

#define CLOCK_OF(clock)                                                                            \
    "{\"schema\":\"sme2lab.plugins/1\",\"resumed\":false,\"device_clock\":" clock ",\"plugins\":["  \
    PLUGIN(METRIC("power", "\"W\"", "1100,1500,1900,2100,2500", "9,1,2,9,5")) "]}"

TEST(a_devices_own_clock_is_taken_into_account)
{
    static struct sl_plugin_turn list[] = {{1500000, 2500000, 0}, {2500000, 3500000, 1}};
    const struct sl_plugin_turns two = {list, 2, true};
    struct sl_buf text;
    struct sl_json json;
    turns = &two;
    assert_int_equal(read_text(CLOCK_OF("{\"ahead_us\":500000,\"uncertain_us\":94999}")), 0);
    turns = NULL;
    assert_true(file.knows_clock);
    assert_int_equal(file.plugins[0].metrics[0].apart.samples[0], 2);
    assert_int_equal(file.plugins[0].metrics[0].apart.samples[1], 1);
    sl_buf_init(&text, 4096);
    sl_json_init(&json, &text);
    sl_plugin_file_put(&json, NULL, &file, true);
    assert_int_equal(json.error, 0);
    assert_non_null(strstr((const char *)text.data,
                           "\"device_clock\":{\"ahead_us\":500000,\"uncertain_us\":94999},"));
    sl_buf_fini(&text);
}

TEST(what_is_no_such_file_is_refused)
{
    static const char *const bad[] = {
        "",
        "{",
        "[]",
        "{}",
        "{\"schema\":\"sme2lab.plugins/2\",\"resumed\":true,\"plugins\":[]}",
        FILE_OF("7"),
        CLOCK_OF("7"),
        CLOCK_OF("{}"),
        CLOCK_OF("{\"ahead_us\":1,\"uncertain_us\":-1}"),
        CLOCK_OF("{\"ahead_us\":1.5,\"uncertain_us\":1}"),
        CLOCK_OF("{\"ahead_us\":-1e16,\"uncertain_us\":1}"),
        CLOCK_OF("{\"ahead_us\":1,\"uncertain_us\":1e16}"),
        FILE_OF("{\"name\":\"a\"}"),
        FILE_OF(PLUGIN("7")),
        FILE_OF(PLUGIN(METRIC("1", "null", "1", "1"))),
        FILE_OF(PLUGIN(METRIC("a", "\"<b>\"", "1", "1"))),
        FILE_OF(PLUGIN(METRIC("a", "7", "1", "1"))),
        FILE_OF(PLUGIN(METRIC("a", "null", "", ""))),
        FILE_OF(PLUGIN(METRIC("a", "null", "1,2", "1"))),
        FILE_OF(PLUGIN(METRIC("a", "null", "2,1", "1,1"))),
        FILE_OF(PLUGIN(METRIC("a", "null", "-1", "1"))),
        FILE_OF(PLUGIN(METRIC("a", "null", "1", "1e300"))),
        FILE_OF(PLUGIN(METRIC("a", "null", "1", "null"))),
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(read_text(bad[i]), SL_E_FORMAT);
        assert_int_equal(file.count, 0);
    }
}

TEST(a_directory_has_one_for_each_experiment_or_none)
{
    char folder[] = "/tmp/sl-plugin-file-XXXXXX", path[64], other[64];
    static const char text[] = FILE_OF(PLUGIN(METRIC("a", "null", "1", "1")));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(sl_plugin_file_open(folder, "_x", NULL, &file, NULL), 0);
    assert_string_equal(file.name, "");
    snprintf(path, sizeof(path), "%s/plugins.json", folder);
    snprintf(other, sizeof(other), "%s/plugins_x.json", folder);
    assert_int_equal(sl_buf_write_file(path, text, sizeof(text) - 1), 0);
    assert_int_equal(sl_plugin_file_open(folder, "", NULL, &file, NULL), 0);
    assert_string_equal(file.name, "plugins.json");
    assert_int_equal(sl_plugin_file_open(folder, "_x", NULL, &file, NULL), 0);
    assert_string_equal(file.name, "plugins_x.json");
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(sl_buf_write_file(other, "x", 1), 0);
    assert_int_equal(sl_plugin_file_open(folder, "_x", NULL, &file, NULL), SL_E_FORMAT);
    assert_int_equal(unlink(other), 0);
    assert_int_equal(rmdir(folder), 0);
}
