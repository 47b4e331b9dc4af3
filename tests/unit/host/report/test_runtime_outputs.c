/* tests/unit/host/report/test_runtime_outputs.c */
#include "host/report/runtime_outputs.h"

#include <string.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "common/format/sltrace.h"
#include "host/analysis/comparison.h"
#include "host/report/comparison.h"
#include "host/report/report.h"
#include "host/report/table.h"
#include "tests/support/test.h"

/* ExecuTorch's run and ours, all of whose outputs agree. */
struct both {
    struct sl_comparison comparison;
    struct sl_comparison_report sides[2];
    struct sl_agreement expected;
    struct sl_runtime_outputs outputs;
    struct sl_report reports[2];
};

static const struct sl_agreement fine = {.max_rel = 1e-7, .tolerance = 1e-4, .agree = true};

static void make(struct both *both)
{
    *both = (struct both){.comparison = {.unit = SL_TRACE_INSTRUCTIONS}, .expected = fine};
    for (int i = 0; i < 2; i++) {
        both->sides[i] = (struct sl_comparison_report){.comparison = &both->comparison,
                                                       .runtime = i == 0 ? "ExecuTorch" : NULL};
        both->reports[i] =
            (struct sl_report){.model = "m", .threads = "1", .comparison = &both->sides[i]};
    }
    for (int i = 0; i < 4; i++)
        both->outputs.pairs[i / 2][i % 2] = fine;
    both->reports[0].outputs = &both->outputs;
    both->reports[0].on_expected = &both->expected;
}

static void words_are(const struct both *both, const char *wanted)
{
    struct sl_buf words;
    sl_buf_init(&words, 4096);
    assert_int_equal(sl_runtime_outputs_words(&words, both->reports, 2), 0);
    assert_int_equal(sl_buf_append(&words, "", 1), 0);
    assert_string_equal((const char *)words.data, wanted);
    sl_buf_fini(&words);
}

TEST(all_four_that_agree_are_one_line)
{
    struct both both;
    make(&both);
    both.outputs.pairs[1][0].max_rel = 3e-7;
    assert_int_equal(sl_runtime_outputs_count(both.reports, 2), 1);
    assert_true(sl_runtime_outputs_agree(both.reports, 2));
    words_are(&both, "outputs of both, m: agree; ExecuTorch, SME2 on against ours, SME2 off most: "
                     "3e-07 of the peak (up to 1e-04)\n");
}

TEST(what_disagrees_is_named_though_others_differ_by_more)
{
    struct both both;
    struct sl_table table;
    make(&both);
    both.outputs.pairs[0][1].max_rel = 0.5; /* of another type, which may */
    both.expected = (struct sl_agreement){.max_rel = 0.25, .tolerance = 1e-4, .agree = false};
    assert_false(sl_runtime_outputs_agree(both.reports, 2));
    words_are(&both, "outputs of both, m: DISAGREE; ExecuTorch, SME2 on against expected differ by "
                     "0.25 of the peak (up to 1e-04)\n");
    sl_runtime_outputs_table(both.reports, 2, &table);
    size_t cells = 0;
    for (size_t i = 0; i < table.cells.size; i++)
        cells += table.cells.data[i] == '\0';
    assert_int_equal(cells, 7 * (1 + 5)); /* the head, four pairs and the expected one */
    sl_table_fini(&table);
}

TEST(json_names_both_sides_of_every_pair)
{
    struct both both;
    struct sl_buf text;
    struct sl_json json;
    make(&both);
    sl_buf_init(&text, 1 << 14);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_runtime_outputs_json(&json, both.reports, 2);
    sl_json_close_object(&json);
    assert_int_equal(json.error, 0);
    assert_int_equal(sl_buf_append(&text, "", 1), 0);
    const char *said = (const char *)text.data;
    assert_non_null(strstr(said, "\"agree\":true,\"pairs\":[{\"output\":\"executorch_off\","
                                 "\"reference\":\"own_off\""));
    assert_non_null(strstr(said, "{\"output\":\"executorch_on\",\"reference\":\"expected\""));
    sl_buf_fini(&text);
}

TEST(what_was_not_compared_says_nothing)
{
    struct both both;
    make(&both);
    both.reports[0].outputs = NULL;
    assert_int_equal(sl_runtime_outputs_count(both.reports, 2), 0);
    assert_true(sl_runtime_outputs_agree(both.reports, 2));
    words_are(&both, "");
}
