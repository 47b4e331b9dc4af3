/* tests/unit/host/rundir/test_validation.c */
#include "host/rundir/validation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "tests/support/run_case.h"
#include "tests/support/test.h"

#define FINISHED_TEST(name) TEST_WITH(name, sl_run_case_begin_finished, sl_run_case_end)

static struct sl_validation *validate(const struct sl_run_case *c)
{
    struct sl_validation *v = calloc(1, sizeof(*v));
    struct sl_diag diag = {.what = ""};
    assert_non_null(v);
    assert_int_equal(sl_validate(c->folder, NULL, &c->categories, v, &diag), 0);
    assert_int_equal(sl_validate_kit(c->folder, &c->categories, v), 0);
    return v;
}

static bool is_found(const struct sl_validation *v, const char *where)
{
    for (size_t i = 0; i < v->differences && i < SL_VALIDATION_MAX_DIFFERENCES; i++)
        if (strcmp(v->list[i].where, where) == 0)
            return true;
    return false;
}

FINISHED_TEST(a_finished_run_is_valid)
{
    struct sl_validation *v = validate(*state);
    if (v->differences > 0)
        fail_msg("%s: %s", v->list[0].where, v->list[0].what);
    assert_true(v->files > 20);
    assert_true(v->numbers > 100);
    free(v);
}

FINISHED_TEST(each_changed_member_is_found_at_its_place)
{
    static const struct {
        const char *file, *from, *to, *where;
    } all[] = {
        {"manifest.json", "\"wall_ns\":1000000", "\"wall_ns\":1", "manifest.json#/wall_ns"},
        {"manifest.json", "\"runs\":2", "\"runs\":-2", "manifest.json#/runs"},
        {"manifest.json", "\"kind\":\"local\"", "\"kind\":\"lokal\"", "manifest.json#/device/kind"},
        {"manifest.json", "\"median_ms\":0.004", "\"median_ms\":0.005",
         "manifest.json#/results/0/metrics/median_ms"},
        {"manifest.json", "\"labels\":{}", "\"labels\":{\"a\":1}", "manifest.json#/labels"},
        {"manifest.json", "\"order\":\"ABBA\"", "\"order\":\"AB\"",
         "manifest.json#/schedule/order"},
        {"manifest.json", "\"mode\":\"timing\"", "\"mode\":\"timing\",\"more\":1",
         "manifest.json#/more"},
        {"analysis_summary.json", "\"agree\":true", "\"agree\":false",
         "analysis_summary.json#/comparison/output_agreement/agree"},
        {"result.json", "\"outcome\":\"done\"", "\"outcome\":\"crashed\"", "result.json"},
        {"metrics.json", "0.004", "0.005", "metrics.json"},
        {"report.md", "run", "walk", "report.md"},
        {"report.html", "</html>", "", "report.html"},
    };
    struct sl_run_case *c = *state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        char *right = sl_run_case_read(c, all[i].file);
        sl_run_case_replace(c, all[i].file, all[i].from, all[i].to);
        struct sl_validation *v = validate(c);
        if (!is_found(v, all[i].where))
            fail_msg("%s: %zu differences, none there; the first is %s: %s", all[i].where,
                     v->differences, v->list[0].where, v->list[0].what);
        sl_run_case_write(c, all[i].file, right);
        free(v);
        free(right);
    }
}

FINISHED_TEST(each_missing_file_is_named)
{
    static const char *const names[] = {"result.json",
                                        "report.md",
                                        "metrics.json",
                                        "model_run_t1_latency.log",
                                        "model_run_t1_sme2-on-0.bin",
                                        "run_sme2-on/model_run_sme2-on_t1_kernels.csv"};
    struct sl_run_case *c = *state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        sl_run_case_remove(c, names[i]);
    struct sl_validation *v = validate(c);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!is_found(v, names[i]))
            fail_msg("%s is not named", names[i]);
    free(v);
    sl_run_case_remove(c, "analysis_summary.json");
    v = validate(c);
    assert_true(is_found(v, "analysis_summary.json"));
    free(v);
}

FINISHED_TEST(a_directory_without_a_run_is_no_directory_to_check)
{
    struct sl_run_case *c = *state;
    struct sl_validation *v = calloc(1, sizeof(*v));
    struct sl_diag diag = {.what = ""};
    sl_run_case_remove(c, "manifest.json");
    assert_int_equal(sl_validate(c->folder, NULL, &c->categories, v, &diag), SL_E_NOT_FOUND);
    assert_non_null(strstr(diag.what, "manifest.json"));
    free(v);
}
