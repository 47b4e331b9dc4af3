/* tests/unit/host/rundir/test_collection.c */
#include "host/rundir/collection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/analysis/comparison.h"
#include "host/report/comparison.h"
#include "tests/support/run_case.h"
#include "tests/support/test.h"

#define FINISHED_TEST(name) TEST_WITH(name, sl_run_case_begin_finished, sl_run_case_end)

/* Makes of the finished run an import of `count` runs: off and on at one thread, and again at four;
 * `declared` says which are pairs. */
static void import(const struct sl_run_case *c, int count, const char *declared)
{
    char text[4096] = "{\"schema\":\"sme2lab.import/1\",\"model\":\"m\",\"runs\":[";
    for (int i = 0; i < count; i++) {
        const char *path = c->run.variants[i % 2].etdump_path + strlen(c->folder) + 1;
        size_t used = strlen(text);
        snprintf(text + used, sizeof(text) - used,
                 "%s{\"experiment\":\"%s\",\"threads\":%d,\"etdump\":\"%s\"}", i > 0 ? "," : "",
                 i % 2 == 0 ? "base" : "new", i < 2 ? 1 : 4, path);
    }
    size_t used = strlen(text);
    snprintf(text + used, sizeof(text) - used, "]%s}", declared);
    sl_run_case_write(c, "import.json", text);
}

static const char pair[] = ",\"pair\":{\"baseline\":\"base\",\"candidate\":\"new\"}";

static int add(const struct sl_run_case *c, const char *experiment, struct sl_collection *all,
               struct sl_diag *diag)
{
    *all = (struct sl_collection){.count = 0};
    return sl_collection_add(all, c->folder, experiment, &c->categories, diag);
}

FINISHED_TEST(a_run_is_one_comparison_of_off_and_on)
{
    struct sl_collection all;
    struct sl_diag diag = {.what = ""};
    assert_int_equal(add(*state, NULL, &all, &diag), 0);
    assert_int_equal(all.count, 1);
    assert_string_equal(all.reports[0].comparison->factor, "sme2");
    assert_string_equal(sl_report_side(&all.reports[0], 1), "SME2 on");
    sl_collection_fini(&all);
}

FINISHED_TEST(an_experiment_that_is_not_there_is_refused)
{
    struct sl_collection all;
    struct sl_diag diag = {.what = ""};
    assert_true(add(*state, "nobodys", &all, &diag) < 0);
    assert_true(diag.what[0] != '\0');
    sl_collection_fini(&all);
}

FINISHED_TEST(an_import_has_a_comparison_for_each_number_of_threads)
{
    struct sl_run_case *c = *state;
    struct sl_collection all;
    struct sl_diag diag = {.what = ""};
    import(c, 4, pair);
    assert_int_equal(add(c, NULL, &all, &diag), 0);
    assert_int_equal(all.count, 2);
    assert_string_equal(sl_report_side(&all.reports[0], 0), "base");
    assert_string_equal(sl_report_side(&all.reports[0], 1), "new");
    assert_string_equal(all.reports[0].threads, "1");
    assert_string_equal(all.reports[1].threads, "4");
    sl_collection_fini(&all);
    assert_int_equal(add(c, "base", &all, &diag), SL_E_NOT_FOUND); /* it is no candidate */
    assert_non_null(strstr(diag.what, "with the candidate base"));
    sl_collection_fini(&all);
}

FINISHED_TEST(an_import_without_pairs_says_how_to_declare_them)
{
    struct sl_run_case *c = *state;
    struct sl_collection all;
    struct sl_diag diag = {.what = ""};
    import(c, 2, "");
    assert_int_equal(add(c, NULL, &all, &diag), SL_E_NOT_FOUND);
    assert_non_null(strstr(diag.hint, "--pair"));
    sl_collection_fini(&all);
    sl_run_case_write(c, "import.json", "{\"schema\":\"sme2lab.import/2\"}");
    assert_int_equal(add(c, NULL, &all, &diag), SL_E_FORMAT);
    sl_collection_fini(&all);
}

FINISHED_TEST(several_comparisons_have_a_page_together)
{
    struct sl_run_case *c = *state;
    struct sl_buf words, members;
    struct sl_diag diag = {.what = ""};
    sl_buf_init(&words, 1 << 16);
    sl_buf_init(&members, 1 << 16);
    struct sl_collection_told told = {.words = &words, .members = &members, .exit_code = -1};
    assert_int_equal(sl_collection_write(c->folder, &c->categories, &told, &diag), 0);
    assert_false(sl_run_case_has(c, "combined_report.md")); /* of one there is none */
    assert_int_equal(told.exit_code, -1);
    import(c, 4, pair);
    assert_int_equal(sl_collection_write(c->folder, &c->categories, &told, &diag), 0);
    assert_true(sl_run_case_has(c, "combined_report.html"));
    char *page = sl_run_case_read(c, "combined_report.md");
    assert_non_null(strstr(page, "new"));
    assert_int_equal(told.exit_code, 0);
    assert_false(told.outputs_agree); /* there are no two runtimes */
    assert_true(members.size > 0);
    free(page);
    sl_buf_fini(&words);
    sl_buf_fini(&members);
}
