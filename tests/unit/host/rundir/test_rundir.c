/* tests/unit/host/rundir/test_rundir.c */
#include "host/rundir/rundir.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "host/analysis/stopping.h"
#include "host/report/analysis.h"
#include "host/spec/json_value.h"
#include "tests/support/run_case.h"
#include "tests/support/test.h"

#define RUN_TEST(name) TEST_WITH(name, sl_run_case_begin, sl_run_case_end)

#define MANIFEST(name, more)                                                                       \
    "{\"schema\":\"sme2lab.manifest/1\",\"experiment\":\"" name "\"" more "}"

static int open_run(const struct sl_run_case *c, const char *experiment, struct sl_rundir *out)
{
    struct sl_diag diag = {.what = ""};
    return sl_rundir_open(c->folder, experiment, out, &diag);
}

RUN_TEST(experiments_are_listed_with_numbers_by_their_value)
{
    struct sl_run_case *c = *state;
    char names[SL_RUNDIR_MAX_EXPERIMENTS][SL_RUNDIR_NAME_BYTES];
    struct sl_diag diag = {.what = ""};
    size_t count = 0;
    sl_run_case_write(c, "manifest_run_t10.json", MANIFEST("run_t10", ""));
    sl_run_case_write(c, "manifest_run_t2.json", MANIFEST("run_t2", ""));
    sl_run_case_write(c, "manifest_.json", "{}");   /* no name */
    sl_run_case_write(c, "manifesto_x.json", "{}"); /* another file */
    sl_run_case_write(c, "manifest_a.json.old", "{}");
    assert_int_equal(sl_rundir_list(c->folder, names, &count, &diag), 0);
    assert_int_equal(count, 2);
    assert_string_equal(names[0], "run_t2");
    assert_string_equal(names[1], "run_t10");
}

RUN_TEST(one_of_several_is_opened_by_its_name_alone)
{
    struct sl_run_case *c = *state;
    struct sl_rundir opened;
    sl_run_case_write(c, "manifest_a.json", MANIFEST("a", ""));
    assert_int_equal(open_run(c, NULL, &opened), 0); /* the only one */
    assert_string_equal(opened.suffix, "_a");
    sl_rundir_close(&opened);
    sl_run_case_write(c, "manifest_b.json", MANIFEST("b", ""));
    assert_int_equal(open_run(c, NULL, &opened), SL_E_NOT_FOUND);
    assert_int_equal(open_run(c, "c", &opened), SL_E_NOT_FOUND);
    assert_int_equal(open_run(c, "b", &opened), 0);
    assert_string_equal(sl_value_text(opened.manifest, "experiment", NULL), "b");
    sl_rundir_close(&opened);
}

RUN_TEST(what_is_no_manifest_is_refused)
{
    static const char *const bad[] = {"", "[]", "{\"schema\":\"sme2lab.manifest/2\"}",
                                      "{\"a\":", "{\"schema\":\"\xff\"}"};
    struct sl_run_case *c = *state;
    struct sl_rundir opened;
    assert_int_equal(open_run(c, NULL, &opened), SL_E_NOT_FOUND);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        sl_run_case_write(c, "manifest.json", bad[i]);
        assert_int_equal(open_run(c, NULL, &opened), SL_E_FORMAT);
    }
}

TEST(no_name_leads_out_of_the_directory)
{
    const struct sl_rundir directory = {.path = "/runs/1"};
    char path[SL_RUNDIR_PATH_BYTES], longest[SL_RUNDIR_PATH_BYTES];
    struct sl_diag diag = {.what = ""};
    memset(longest, 'a', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    assert_int_equal(sl_rundir_file(&directory, "a/b.bin", path, &diag), 0);
    assert_string_equal(path, "/runs/1/a/b.bin");
    assert_int_equal(sl_rundir_file(&directory, "../2/b.bin", path, &diag), SL_E_FORMAT);
    assert_int_equal(sl_rundir_file(&directory, "a/../../b", path, &diag), SL_E_FORMAT);
    assert_int_equal(sl_rundir_file(&directory, "/etc/passwd", path, &diag), SL_E_FORMAT);
    assert_int_equal(sl_rundir_file(&directory, "", path, &diag), SL_E_FORMAT);
    assert_int_equal(sl_rundir_file(&directory, NULL, path, &diag), SL_E_FORMAT);
    assert_int_equal(sl_rundir_file(&directory, longest, path, &diag), -ENAMETOOLONG);
}

RUN_TEST(the_worst_agreement_is_a_disagreement_before_any_difference)
{
    struct sl_run_case *c = *state;
    struct sl_rundir opened;
    struct sl_agreement found;
    sl_run_case_write(c, "manifest.json", MANIFEST("run", ""));
    sl_run_case_write(c, "analysis_summary.json",
                      "{\"output_agreement\":{"
                      "\"on_vs_off\":{\"agree\":true,\"max_rel\":0.5,\"max_abs\":1},"
                      "\"off_vs_portable\":{\"agree\":false,\"max_rel\":0.1,\"max_abs\":null},"
                      "\"on_vs_portable\":{\"agree\":\"yes\"}}}");
    assert_int_equal(open_run(c, NULL, &opened), 0);
    assert_true(sl_rundir_agreement(&opened, SL_RUNDIR_WORST, &found));
    assert_false(found.agree);
    assert_true(isinf(found.max_abs)); /* a difference that is no number stands as null */
    assert_true(sl_rundir_agreement(&opened, SL_ON_VS_OFF, &found));
    assert_true(found.agree && found.max_rel == 0.5);
    assert_false(sl_rundir_agreement(&opened, SL_ON_VS_PORTABLE, &found));
    sl_rundir_close(&opened);
}

RUN_TEST(conditions_rule_and_temperatures_are_the_manifests)
{
    struct sl_run_case *c = *state;
    struct sl_rundir opened;
    struct sl_conditions conditions;
    struct sl_stopping_rule rule;
    struct sl_analysis_reading readings[SL_ANALYSIS_MAX_READINGS];
    bool times = false;
    sl_run_case_write(
        c, "manifest.json",
        MANIFEST(
            "run",
            ",\"time_unit\":\"ns\",\"concurrency\":2,\"cpu_affinity\":\"0-3\",\"sme_threads\":1,"
            "\"stopping\":{\"precision_percent\":1.5,\"max_pairs\":600},"
            "\"results\":[{\"sme2\":\"on\",\"threads\":4}],"
            "\"device\":{\"kind\":\"emulated\",\"emulated\":true,\"cpu\":\"max\","
            "\"emulator_version\":\"9.1\",\"probe\":{\"thermal_zones\":["
            "{\"type\":\"cpu\",\"millidegrees\":41000},{\"type\":\"gone\"}]}}"));
    assert_int_equal(open_run(c, NULL, &opened), 0);
    sl_rundir_conditions(&opened, 1, &conditions);
    assert_string_equal(conditions.values[SL_CONDITION_SME2], "on");
    assert_string_equal(conditions.values[SL_CONDITION_THREADS], "4");
    assert_string_equal(conditions.values[SL_CONDITION_CONCURRENCY], "2");
    assert_string_equal(conditions.values[SL_CONDITION_CPUS], "0-3, 1 in streaming mode");
    assert_string_equal(conditions.values[SL_CONDITION_DEVICE], "emulated max, emulator 9.1");
    assert_true(sl_rundir_rule(&opened, &rule));
    assert_int_equal(rule.max_pairs, 600);
    assert_int_equal(sl_rundir_readings(&opened, readings, SL_ANALYSIS_MAX_READINGS), 1);
    assert_int_equal(readings[0].value, 41000);
    assert_true(sl_rundir_emulated(&opened, &times));
    assert_true(times);
    sl_rundir_close(&opened);
}
