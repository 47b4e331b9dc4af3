/* tests/unit/host/report/test_comparison.c: two real ETDumps, SME2 off and on, side by side. */
#include "host/report/comparison.h"
#include "tests/support/sme2_report.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "common/format/sltrace.h"
#include "host/analysis/agreement.h"
#include "host/analysis/comparison.h"
#include "host/report/analysis.h"
#include "host/report/categories_file.h"
#include "host/report/style.h"
#include "tests/support/test.h"

#define FOLDER SL_TEST_DATA "/models/mobilenet_v2_f32_xnnpack/"

static struct {
    struct sl_categories categories;
    struct sl_buf bytes[2];
    struct sl_etdump etdumps[2];
    struct sl_analysis sides[2];
} all;

static int open_both(void **state)
{
    (void)state;
    static const char *const paths[] = {FOLDER "aarch64-nosme.etdump",
                                        FOLDER "aarch64-sme2.etdump"};
    assert_int_equal(sl_categories_load(NULL, &all.categories, NULL), 0);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(sl_buf_read_file(paths[i], 1 << 26, &all.bytes[i]), 0);
        struct sl_bytes bytes = {all.bytes[i].data, all.bytes[i].size};
        assert_int_equal(sl_etdump_parse(bytes, &all.etdumps[i], NULL), 0);
        struct sl_analysis_request request = {.file = i == 0 ? "off.etdump" : "on.etdump",
                                              .etdump = &all.etdumps[i],
                                              .categories = &all.categories,
                                              .only_run = -1};
        assert_int_equal(sl_analysis_make(&request, &all.sides[i], NULL), 0);
    }
    return 0;
}

static int close_both(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        sl_analysis_fini(&all.sides[i]);
        sl_etdump_fini(&all.etdumps[i]);
        sl_buf_fini(&all.bytes[i]);
    }
    sl_categories_fini(&all.categories);
    return 0;
}

static struct sl_comparison_report report_of(const struct sl_comparison *comparison,
                                             const struct sl_agreement *agreement)
{
    struct sl_comparison_report report = sme2_report(comparison, all.sides);
    report.agreement = agreement;
    return report;
}

static struct sl_comparison compare(const struct sl_agreement *agreement)
{
    struct sl_comparison c;
    struct sl_comparison_options options = {
        .seed = 1, .iterations = 200, .noise_floor = NAN, .agreement = agreement};
    assert_int_equal(
        sl_comparison_make(&all.sides[0].attribution, &all.sides[1].attribution, &options, &c), 0);
    return c;
}

TEST(json_has_the_promised_keys)
{
    static const char *const parts[] = {
        "\"schema\":\"sme2lab.comparison/1\"",
        "\"factor\":{\"name\":\"sme2\",\"baseline\":\"off\",\"candidate\":\"on\"}",
        "\"method\":\"block-bootstrap\"",
        "\"verdict\":\"inconclusive\"",
        "\"noise_floor\":null",
        "\"output_agreement\":{\"max_abs\":0,\"max_rel\":0,\"tolerance\":0.0001,\"agree\":true",
        "\"baseline_ns\":",
        "\"delta_ns\":",
        "\"interval_ns\":[",
        "\"share_candidate\":",
        "\"name\":\"Fully Connected (NC, F32) GEMM\"",
        "\"name\":\"Fully Connected (NC, PF32) GEMM\"",
        "\"evidence\":\"not proven\"",
        "\"emulated\":true"};
    struct sl_agreement agreement;
    struct sl_buf text;
    struct sl_json json;
    sl_agreement_init(&agreement);
    struct sl_comparison c = compare(&agreement);
    struct sl_comparison_report report = report_of(&c, &agreement);
    sl_buf_init(&text, 1 << 22);
    sl_json_init(&json, &text);
    assert_int_equal(sl_comparison_json(&json, NULL, &report), 0);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (!strstr((const char *)text.data, parts[i]))
            fail_msg("%s is missing", parts[i]);
    }
    sl_buf_fini(&text);
    sl_comparison_fini(&c);
}

TEST(table_shows_the_shift_within_eighty_columns)
{
    struct sl_buf text;
    const struct sl_style style = {.width = 80, .color = false, .operators = 12};
    struct sl_comparison c = compare(NULL);
    struct sl_comparison_report report = report_of(&c, NULL);
    sl_buf_init(&text, 1 << 20);
    assert_int_equal(sl_comparison_text(&text, &style, &report, SL_COMPARISON_ANALYSES), 0);
    assert_non_null(strstr((const char *)text.data, "these times mean nothing"));
    assert_non_null(strstr((const char *)text.data, "categories are by name"));
    unsigned bars = 0;
    for (char *line = strtok((char *)text.data, "\n"); line; line = strtok(NULL, "\n")) {
        bars += strchr(line, '#') != NULL;
        assert_true(sl_text_columns(line) <= 80);
    }
    assert_true(bars >= 8);
    sl_buf_fini(&text);
    sl_comparison_fini(&c);
}

/* A ratio in front would be read as the result. */
TEST(a_verdict_that_is_none_stands_before_its_ratio)
{
    struct sl_buf text;
    const struct sl_style style = {.width = 100, .color = false, .operators = 12};
    struct sl_comparison c = compare(NULL);
    struct sl_comparison_report report = report_of(&c, NULL);
    sl_buf_init(&text, 1 << 20);
    assert_int_equal(sl_comparison_text(&text, &style, &report, SL_COMPARISON_VERDICT), 0);
    assert_non_null(
        strstr((const char *)text.data, "sme2 on against off: inconclusive (measured ratio "));
    sl_buf_fini(&text);
    sl_comparison_fini(&c);
}

TEST(a_summary_is_about_ten_lines_and_the_verdict_one)
{
    struct sl_buf text;
    const struct sl_style style = {.width = 80, .color = false, .operators = 12};
    struct sl_comparison c = compare(NULL);
    struct sl_comparison_report report = report_of(&c, NULL);
    unsigned lines = 0;
    sl_buf_init(&text, 1 << 20);
    assert_int_equal(sl_comparison_text(&text, &style, &report, SL_COMPARISON_SUMMARY), 0);
    assert_non_null(strstr((const char *)text.data, "a run"));
    assert_non_null(strstr((const char *)text.data, "next:"));
    assert_null(strstr((const char *)text.data, "our kernels"));
    text.size = 0;
    report.own = report.emulated = true; /* said in the first line */
    assert_int_equal(sl_comparison_text(&text, &style, &report, SL_COMPARISON_SUMMARY), 0);
    assert_true(strncmp((const char *)text.data, "our kernels: ", 13) == 0);
    for (char *line = strtok((char *)text.data, "\n"); line; line = strtok(NULL, "\n"), lines++)
        assert_true(sl_text_columns(line) <= 80);
    assert_true(lines <= 10);
    text.size = 0;
    report.pages = "out/report.html";
    assert_int_equal(sl_comparison_text(&text, &style, &report, SL_COMPARISON_GROUNDS), 0);
    assert_non_null(strstr((const char *)text.data, "report: out/report.html, or --full"));
    text.size = 0;
    assert_int_equal(sl_comparison_text(&text, &style, &report, SL_COMPARISON_VERDICT), 0);
    assert_ptr_equal(strchr((const char *)text.data, '\n'), text.data + text.size - 1);
    sl_buf_fini(&text);
    sl_comparison_fini(&c);
}

static void verdict_is(const struct sl_comparison_report *report, const char *wanted)
{
    struct sl_buf text;
    const struct sl_style style = {.width = 100};
    sl_buf_init(&text, 1 << 12);
    assert_int_equal(sl_comparison_text(&text, &style, report, SL_COMPARISON_VERDICT), 0);
    assert_int_equal(sl_buf_append(&text, "", 1), 0);
    assert_string_equal((const char *)text.data, wanted);
    sl_buf_fini(&text);
}

TEST(the_outcome_of_ours_stands_in_executorchs_line)
{
    struct sl_comparison theirs = {.unit = SL_TRACE_INSTRUCTIONS, .ratio = 0.5};
    struct sl_comparison ours = {.unit = SL_TRACE_INSTRUCTIONS, .ratio = 15.653};
    const struct sl_comparison_report report = {.comparison = &theirs,
                                                .beside = &ours,
                                                .runtime = "ExecuTorch",
                                                .factor = "sme2",
                                                .baseline_level = "off",
                                                .candidate_level = "on",
                                                .svl_bits = 512};
    theirs.verdict = SL_VERDICT_SLOWER;
    ours.verdict = SL_VERDICT_FASTER;
    verdict_is(&report, "ExecuTorch, sme2 on against off: 2.000x more instructions at SVL 512 (not "
                        "speed); ours 15.653x fewer\n");
    theirs.verdict = SL_VERDICT_EQUIVALENT;
    theirs.ratio = 1;
    verdict_is(&report, "ExecuTorch, sme2 on against off: the same number of instructions at SVL "
                        "512; ours 15.653x fewer\n");
    theirs.verdict = SL_VERDICT_FASTER;
    theirs.ratio = 2.8252;
    verdict_is(&report, "ExecuTorch, sme2 on against off: 2.825x fewer instructions at SVL 512 "
                        "(not speed); ours 15.653x\n");
    ours.verdict = SL_VERDICT_WRONG;
    verdict_is(&report, "ExecuTorch, sme2 on against off: 2.825x fewer instructions at SVL 512 "
                        "(not speed); ours wrong\n");
}

/* The better side can hardly be beaten: no word of it. */
TEST(headroom_below_one_per_cent_is_not_spoken_of)
{
    struct sl_operator ops[2] = {{.name = "A", .name_len = 1}, {.name = "B", .name_len = 1}};
    struct sl_operator_shift rows[2] = {{.baseline = &ops[0], .candidate = &ops[0]},
                                        {.baseline = &ops[1], .candidate = &ops[1]}};
    struct sl_comparison c = compare(NULL), of_two = c;
    const struct sl_style style = {.width = 100, .operators = 3};
    for (int wide = 0; wide < 2; wide++) {
        struct sl_buf text;
        struct sl_comparison_report report = report_of(&of_two, NULL);
        rows[0].baseline_cost = 500, rows[0].candidate_cost = wide ? 300 : 498;
        rows[1].baseline_cost = 500, rows[1].candidate_cost = 501;
        of_two.operators = rows, of_two.operator_count = 2;
        of_two.whole_baseline = 1000, of_two.whole_candidate = wide ? 1100 : 999;
        sl_buf_init(&text, 1 << 20);
        assert_int_equal(sl_comparison_text(&text, &style, &report, SL_COMPARISON_ANALYSES), 0);
        assert_int_equal(strstr((const char *)text.data, "headroom: ") != NULL, wide);
        sl_buf_fini(&text);
    }
    sl_comparison_fini(&c);
}

TEST(counts_are_said_to_be_no_speed_and_at_which_vector_length)
{
    struct sl_buf text;
    const struct sl_style style = {.width = 100};
    struct sl_comparison c = {.unit = SL_TRACE_INSTRUCTIONS, .method = SL_METHOD_EXACT, .ratio = 4};
    struct sl_comparison_report report = {.comparison = &c,
                                          .factor = "sme2",
                                          .baseline_level = "off",
                                          .candidate_level = "on",
                                          .svl_bits = 512};
    sl_buf_init(&text, 1 << 12);
    assert_int_equal(sl_comparison_text(&text, &style, &report, SL_COMPARISON_VERDICT), 0);
    assert_string_equal(
        (const char *)text.data,
        "sme2 on against off: executes 4.000x fewer instructions at SVL 512 (not speed)\n");
    text.size = 0;
    report.own = true;
    assert_int_equal(sl_comparison_text(&text, &style, &report, SL_COMPARISON_VERDICT), 0);
    assert_string_equal((const char *)text.data,
                        "our kernels, sme2 on against off: executes 4.000x fewer instructions at "
                        "SVL 512 (not speed)\n");
    text.size = 0;
    report.own = false;
    report.runtime = "ExecuTorch";
    assert_int_equal(sl_comparison_text(&text, &style, &report, SL_COMPARISON_VERDICT), 0);
    assert_true(strncmp((const char *)text.data, "ExecuTorch, sme2 on against off: ", 33) == 0);
    sl_buf_fini(&text);
}

TEST(no_ratio_stands_beside_outputs_that_differ)
{
    struct sl_buf text;
    const struct sl_style style = {.width = 80, .color = true, .operators = 3};
    struct sl_agreement agreement;
    sl_agreement_init(&agreement);
    agreement.agree = false;
    struct sl_comparison c = compare(&agreement);
    struct sl_comparison_report report = report_of(&c, &agreement);
    sl_buf_init(&text, 1 << 20);
    assert_int_equal(sl_comparison_text(&text, &style, &report, SL_COMPARISON_VERDICT), 0);
    assert_non_null(strstr((const char *)text.data, "WRONG: the outputs differ"));
    assert_non_null(strchr((const char *)text.data, '\033'));
    char *end = strchr((char *)text.data, '\n');
    *end = '\0';
    assert_null(strstr((const char *)text.data, "x "));
    sl_buf_fini(&text);
    sl_comparison_fini(&c);
}

TEST_GROUP(open_both, close_both);
