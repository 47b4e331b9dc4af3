/* tests/unit/host/report/test_report.c: pages of two real ETDumps whose figures are times. */
#include "host/report/report.h"

#include "host/report/markup.h"
#include "host/report/next_step.h"
#include "tests/support/report_case.h"

typedef int (*make_fn)(struct sl_buf *out, const struct sl_report *report);

/* The text of a page; end it with sl_buf_fini(). */
static const char *make(make_fn page, struct sl_buf *out)
{
    sl_buf_init(out, 1 << 24);
    assert_int_equal(page(out, &all.report), 0);
    return (const char *)out->data;
}

TEST(emulated_times_are_said_to_mean_nothing_on_every_page)
{
    static const make_fn pages[] = {sl_report_md, sl_report_html};
    for (size_t i = 0; i < 2; i++) {
        struct sl_buf text;
        assert_non_null(strstr(make(pages[i], &text), "mean nothing"));
        assert_non_null(strstr((const char *)text.data, "inconclusive"));
        assert_null(strstr((const char *)text.data, " nan"));
        sl_buf_fini(&text);
    }
}

TEST(texts_of_files_are_never_markup)
{
    struct sl_buf text;
    const char *page = make(sl_report_html, &text);
    assert_non_null(strstr(page, "a&lt;b&gt;&amp;&quot;c&quot;|d"));
    assert_null(strstr(page, "a<b>"));
    sl_buf_fini(&text);
    assert_non_null(strstr(make(sl_report_md, &text), "a\\<b\\>&\"c\"\\|d"));
    sl_buf_fini(&text);
    struct sl_markup m = {.out = &text};
    sl_buf_init(&text, 64);
    sl_markup_text(&m, "\xff\xc3\xa4\x01\xed\xa0\x80");
    assert_string_equal((const char *)text.data, "?\xc3\xa4????");
    sl_buf_fini(&text);
}

TEST(no_verdict_is_skipped_in_junit_and_named_as_the_next_step)
{
    struct sl_buf text;
    struct sl_next_step step;
    const char *page = make(sl_report_junit, &text);
    assert_non_null(strstr(page, "name=\"verdict\" time=\"0\"><skipped"));
    assert_non_null(strstr(page, "failures=\"0\""));
    sl_buf_fini(&text);
    sl_next_step_find(&all.compared, &step);
    assert_string_equal(step.rule, "conditions");
    all.comparison.verdict = SL_VERDICT_SLOWER;
    assert_non_null(strstr(make(sl_report_junit, &text), "name=\"verdict\" time=\"0\"><failure"));
    sl_buf_fini(&text);
    sl_next_step_find(&all.compared, &step);
    assert_string_not_equal(step.rule, "conditions");
    all.comparison.verdict = SL_VERDICT_INCONCLUSIVE;
}

TEST(a_comment_is_short_and_names_what_moved_most)
{
    struct sl_buf text;
    const char *page = make(sl_report_comment, &text);
    size_t lines = 0;
    for (const char *at = page; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    assert_true(lines <= 25);
    assert_non_null(strstr(page, "\n- Convolution "));
    assert_non_null(strstr(page, "Next: "));
    sl_buf_fini(&text);
}

TEST(sides_of_an_import_carry_their_names_everywhere)
{
    static const make_fn pages[] = {sl_report_md, sl_report_html, sl_report_comment};
    strcpy(all.report.names[0], "phone-a");
    strcpy(all.report.names[1], "phone-b");
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        struct sl_buf text;
        assert_non_null(strstr(make(pages[i], &text), "phone-b"));
        assert_null(strstr((const char *)text.data, "SME2 off"));
        sl_buf_fini(&text);
    }
    all.report.names[0][0] = all.report.names[1][0] = '\0';
}

static size_t count(const char *text, const char *words)
{
    size_t found = 0;
    while ((text = strstr(text, words)) != NULL) {
        text += strlen(words);
        found++;
    }
    return found;
}

/* Equal figures are one row, and that counts are no time is said once. */
TEST(counts_have_one_row_and_one_warning)
{
    struct sl_statistics kept[2] = {all.sides[0].latency, all.sides[1].latency};
    struct sl_buf text;
    for (int i = 0; i < 2; i++)
        all.sides[i].latency =
            (struct sl_statistics){.n = 2, .median = 7, .mean = 7, .min = 7, .max = 7};
    all.comparison.unit = SL_TRACE_INSTRUCTIONS;
    all.comparison.method = SL_METHOD_EXACT;
    all.comparison.verdict = SL_VERDICT_FASTER;
    all.comparison.ratio = 2;
    all.compared.svl_bits = 256;
    all.compared.emulated = true;
    const char *page = make(sl_report_html, &text);
    assert_int_equal(count(page, ">Every run the same<"), 1);
    assert_int_equal(count(page, ">Median<"), 0);
    assert_int_equal(count(page, "not time"), 1);
    assert_non_null(strstr(page, "executes 2.000x fewer instructions than SME2 off, at SVL 256 "
                                 "(not speed)"));
    sl_buf_fini(&text);
    page = make(sl_report_md, &text);
    assert_int_equal(count(page, "not time"), 1);
    sl_buf_fini(&text);
    all.comparison.unit = SL_TRACE_NS;
    all.comparison.method = SL_METHOD_UNPAIRED;
    all.comparison.verdict = SL_VERDICT_INCONCLUSIVE;
    all.compared.svl_bits = 0;
    for (int i = 0; i < 2; i++)
        all.sides[i].latency = kept[i];
}

/* The longest note there is: times with intervals. */
TEST(the_page_says_whether_packing_is_told_apart)
{
    struct sl_comparison kept = all.comparison;
    struct sl_buf text;
    all.comparison.whole_low = 1;
    all.comparison.whole_high = 2;
    const char *page = make(sl_report_md, &text);
    static const char unknown[] = "What convolutions and products spend on packing is told apart "
                                  "where both sides are counted runs of our own kernels. "
                                  "*Interval of the difference.";
    assert_non_null(strstr(page, unknown));
    sl_buf_fini(&text);
    all.sides[1].attribution.packing = true;
    assert_non_null(strstr(make(sl_report_md, &text), unknown));
    sl_buf_fini(&text);
    all.sides[0].attribution.packing = true;
    page = make(sl_report_md, &text);
    assert_non_null(strstr(page, "Packing inside: instructions that lay operands out; the parts "
                                 "beside it are without them. *Interval of the difference."));
    sl_buf_fini(&text);
    all.sides[0].attribution.packing = all.sides[1].attribution.packing = false;
    all.comparison = kept;
}

/* Who reads the headline alone knows whose kernels it is of. */
TEST(headline_of_every_page_says_whose_kernels_it_is_of)
{
    static const make_fn pages[] = {sl_report_md, sl_report_html, sl_report_comment};
    static const char own[] = ": our kernels (not ExecuTorch's), ";
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        char verdict[256];
        struct sl_buf text;
        all.compared.own = true;
        sl_report_verdict(&all.report, verdict, sizeof(verdict));
        assert_non_null(strstr(verdict, own));
        assert_non_null(strstr(make(pages[i], &text), "our kernels (not ExecuTorch"));
        sl_buf_fini(&text);
        all.compared.own = false;
        assert_null(strstr(make(pages[i], &text), "our kernels"));
        sl_buf_fini(&text);
    }
}

/* Verdict, device, vectors, type and next step stand before the first table. */
TEST(what_matters_is_on_the_first_screen)
{
    struct sl_buf text;
    all.report.device = "phone<7>";
    all.compared.svl_bits = 512;
    const char *page = make(sl_report_html, &text);
    const char *table = strstr(page, "<section");
    static const char *const wanted[] = {"<div class=\"verdict ", "<dd>phone&lt;7&gt;</dd>",
                                         "<dd>512 bits</dd>", "<dd>f32</dd>", "<b>Next:</b> "};
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        const char *at = strstr(page, wanted[i]);
        assert_non_null(at);
        assert_true(at < table);
    }
    sl_buf_fini(&text);
    all.report.device = NULL;
    all.compared.svl_bits = 0;
    all.report.facts[0] = (struct sl_report_fact){SL_REPORT_VECTORS, "1024 bits"}; /* of times */
    all.report.fact_count = 1;
    page = make(sl_report_html, &text);
    assert_non_null(strstr(page, "<dd>1024 bits</dd>"));
    sl_buf_fini(&text);
    all.report.fact_count = 0;
}

/* Letters and lines take the page's colour; what has a fixed one shows on dark pages too. */
TEST(charts_are_narrow_and_show_on_a_dark_page)
{
    struct sl_buf text;
    const char *page = make(sl_report_html, &text);
    assert_non_null(strstr(page, "prefers-color-scheme:dark"));
    assert_non_null(strstr(page, "viewBox=\"0 0 460 "));
    assert_null(strstr(page, "fill=\"#111\""));
    assert_null(strstr(page, "stroke=\"#111\""));
    assert_int_equal(count(page, "<svg "), count(page, "fill=\"currentColor\">"));
    sl_buf_fini(&text);
}

TEST(a_full_buffer_is_an_error_and_not_half_a_page)
{
    static const make_fn pages[] = {sl_report_md, sl_report_html, sl_report_junit, sl_report_csv,
                                    sl_report_comment};
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        struct sl_buf text;
        sl_buf_init(&text, 100);
        assert_true(pages[i](&text, &all.report) < 0);
        sl_buf_fini(&text);
    }
}

TEST_GROUP(open_report, close_report);
