/* tests/unit/host/rundir/test_cross_outputs.c */
#include "host/rundir/cross_outputs.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "host/analysis/agreement.h"
#include "host/rundir/rundir.h"
#include "tests/support/run_case.h"
#include "tests/support/test.h"

#define FINISHED_TEST(name) TEST_WITH(name, sl_run_case_begin_finished, sl_run_case_end)

static bool compare(const struct sl_run_case *c, int level, struct sl_agreement *out)
{
    struct sl_rundir directory;
    const struct sl_rundir *const both[2] = {&directory, &directory};
    const int levels[2] = {0, level};
    assert_int_equal(sl_rundir_open(c->folder, NULL, &directory, NULL), 0);
    bool found = sl_cross_outputs(both, levels, out);
    sl_rundir_close(&directory);
    return found;
}

FINISHED_TEST(outputs_of_two_runs_are_compared)
{
    struct sl_run_case *c = *state;
    struct sl_agreement found;
    char path[SL_RUNDIR_PATH_BYTES];
    assert_true(compare(c, 1, &found));
    assert_true(found.agree);
    assert_int_equal(found.outputs, 1);
    static const float other[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11};
    sl_rundir_output_path(&c->run, "sme2-on", 0, path);
    assert_int_equal(sl_buf_write_file(path, other, sizeof(other)), 0);
    assert_true(compare(c, 1, &found));
    assert_false(found.agree);
    assert_float_equal(found.max_abs, 1, 0);
}

FINISHED_TEST(without_its_file_an_output_is_not_compared)
{
    struct sl_run_case *c = *state;
    struct sl_agreement found;
    sl_run_case_replace(c, "manifest.json", "\"outputs\"", "\"results\"");
    assert_false(compare(c, 1, &found));
}

/* A run against itself, whose second manifest `change` changed. */
static void must_disagree(const struct sl_run_case *c, void (*change)(cJSON *outputs),
                          const char *words)
{
    struct sl_rundir directories[2];
    const struct sl_rundir *const both[2] = {&directories[0], &directories[1]};
    const struct sl_rundir *const turned[2] = {&directories[1], &directories[0]};
    const int levels[2] = {0, 0};
    struct sl_agreement found = {.agree = true};
    char text[SL_AGREEMENT_TEXT_BYTES];
    for (int i = 0; i < 2; i++)
        assert_int_equal(sl_rundir_open(c->folder, NULL, &directories[i], NULL), 0);
    change(cJSON_GetObjectItemCaseSensitive(directories[1].manifest, "outputs"));
    assert_true(sl_cross_outputs(both, levels, &found));
    assert_false(found.agree);
    assert_non_null(strstr(sl_agreement_more_text(&found, text), words));
    assert_true(sl_cross_outputs(turned, levels, &found));
    assert_false(found.agree);
    for (int i = 0; i < 2; i++)
        sl_rundir_close(&directories[i]);
}

static void add_output(cJSON *outputs)
{
    cJSON_AddItemToArray(outputs, cJSON_Duplicate(cJSON_GetArrayItem(outputs, 0), true));
}

static void change_type(cJSON *outputs)
{
    cJSON *type = cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(outputs, 0), "scalar_type");
    cJSON_SetNumberValue(type, type->valuedouble + 1);
}

FINISHED_TEST(outputs_of_another_number_or_type_disagree)
{
    must_disagree(*state, add_output, "another number of outputs");
    must_disagree(*state, change_type, "another type");
}
