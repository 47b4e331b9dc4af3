/* tests/unit/host/rundir/test_run_policy.c: estimates of a run become a table. */
#include "host/rundir/run_policy.h"

#include <math.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "host/analysis/silicon.h"
#include "host/spec/policy_file.h"
#include "tests/support/test.h"

enum { MOST = 1 << 16 };

static struct sl_silicon silicon = {.name = "made-up",
                                    .has_unit = true,
                                    .core_levels = {{.bytes = 2048}, {.bytes = INFINITY}},
                                    .core_level_count = 2};
static cJSON *table;

/* A step of node `node`: 100 ns on NEON, `on` in streaming mode. */
static struct sl_rundir_policy_step step(uint32_t node, double on)
{
    return (struct sl_rundir_policy_step){.chain = 0,
                                          .instruction = 3,
                                          .node = node,
                                          .name = "Add (ND, F32) #1",
                                          .kernels = {"sl_add_neon", "sl_add_sme2"},
                                          .ns = {100, on},
                                          .streams = true};
}

/* 40 ns a KB, as on Apple. */
static int put(const struct sl_rundir_policy_step *steps, size_t count)
{
    struct sl_buf text;
    struct sl_json json;
    silicon.figures[SL_FIGURE_UNIT_HAND_OVER].value = 40;
    sl_buf_init(&text, 1 << 22);
    sl_json_init(&json, &text);
    int rc = sl_rundir_policy_put(&json, &silicon, steps, count);
    if (rc == 0) {
        struct sl_policy_file file;
        assert_int_equal(
            sl_policy_file_parse((struct sl_bytes){text.data, text.size}, "table", &file, NULL), 0);
        table = cJSON_ParseWithLength((const char *)text.data, text.size);
        assert_non_null(table);
    }
    sl_buf_fini(&text);
    return rc;
}

static const char *text_of(const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(table, key));
}

static const char *why_of(int i)
{
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(table, "operators");
    return cJSON_GetStringValue(
        cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(rows, i), "why"));
}

TEST(nodes_in_a_row_that_stay_out_are_a_range)
{
    const struct sl_rundir_policy_step steps[] = {step(4, 200), step(5, 200), step(6, 300),
                                                  step(7, 50),  step(9, 200), step(11, 200)};
    assert_int_equal(put(steps, 6), 0);
    assert_string_equal(text_of("operators_off"), "0.3.4-6,0.3.9,0.3.11");
    assert_string_equal(why_of(0), "SME2 could, but NEON is faster here");
    assert_string_equal(why_of(3), "SME2 is faster here");
    cJSON_Delete(table);
}

TEST(calls_stand_by_chain_and_instruction)
{
    struct sl_rundir_policy_step steps[] = {step(SL_TRACE_NO_NODE, 200),
                                            step(SL_TRACE_NO_NODE, 200)};
    steps[1].instruction = 4;
    assert_int_equal(put(steps, 2), 0);
    assert_string_equal(text_of("operators_off"), "0.3,0.4");
    cJSON_Delete(table);
}

TEST(what_the_core_wrote_is_waited_for_up_to_its_cache)
{
    struct sl_rundir_policy_step one = step(1, 10);
    one.input_bytes = 1 << 20; /* 2 KB of them: 80 ns */
    assert_int_equal(put(&one, 1), 0);
    assert_null(text_of("operators_off"));
    cJSON_Delete(table);
    one.ns[SL_RUNDIR_POLICY_ON] = 30;
    assert_int_equal(put(&one, 1), 0);
    assert_string_equal(text_of("operators_off"), "0.3.1");
    assert_string_equal(why_of(0), "SME2 is faster alone, but waits for what the core wrote");
    cJSON_Delete(table);
}

TEST(what_has_no_other_kernel_is_not_kept_out)
{
    struct sl_rundir_policy_step steps[] = {step(1, 500), step(2, 500)};
    steps[0].streams = false; /* both are NEON kernels */
    steps[1].kernels[SL_RUNDIR_POLICY_OFF] = NULL;
    assert_int_equal(put(steps, 2), 0);
    assert_null(text_of("operators_off"));
    assert_string_equal(why_of(0), "there is no SME2 kernel");
    assert_string_equal(why_of(1), "there is no other kernel");
    cJSON_Delete(table);
}

TEST(more_than_a_table_can_name_is_a_limit)
{
    struct sl_rundir_policy_step *steps = sl_calloc(MOST, sizeof(*steps));
    assert_non_null(steps);
    for (uint32_t i = 0; i < MOST / 4; i++)
        steps[i] = step(2 * i, 200);
    assert_int_equal(put(steps, MOST / 4), SL_E_LIMIT);
    sl_free(steps);
}

TEST(each_failed_allocation_is_told)
{
    const struct sl_rundir_policy_step one = step(1, 200);
    for (unsigned nth = 1; nth <= 3; nth++) {
        sl_mem_fail_nth(nth);
        assert_true(put(&one, 1) < 0);
    }
    assert_int_equal(put(&one, 1), 0);
    cJSON_Delete(table);
}
