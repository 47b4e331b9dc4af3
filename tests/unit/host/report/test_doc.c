/* tests/unit/host/report/test_doc.c */
#include "host/report/doc.h"

#include <errno.h>
#include <string.h>

#include "common/base/digest.h"
#include "common/base/mem.h"
#include "host/report/style.h"
#include "host/report/table.h"
#include "tests/support/unit.h"

static void put_table(struct sl_doc *doc)
{
    static const char *const heads[] = {"What", ">Much", NULL};
    struct sl_table table;
    sl_table_init(&table, "t", "Table", heads);
    sl_table_text(&table, "a|b");
    sl_table_text(&table, "7");
    sl_doc_table(doc, &table);
}

/* Every kind of block once. */
static void fill(struct sl_doc *doc)
{
    sl_doc_init(doc, SL_DOC_PAGE);
    sl_doc_say(doc, SL_DOC_TITLE, NULL, "A & B");
    sl_doc_say(doc, SL_DOC_VERDICT, "faster", "2x");
    sl_doc_say(doc, SL_DOC_FACT, "Device", "a<b");
    sl_doc_say(doc, SL_DOC_STEP, NULL, "Go");
    sl_doc_say(doc, SL_DOC_ITEM, NULL, "outputs ");
    sl_doc_put(doc, SL_TONE_STRONG, "differ");
    sl_doc_say(doc, SL_DOC_ITEM, NULL, "two");
    sl_doc_say(doc, SL_DOC_NOTE, "banner", "emulated");
    sl_doc_say(doc, SL_DOC_HEADING, "t", "Table");
    sl_markup_put(sl_doc_figure(doc), "<svg/>");
    put_table(doc);
    sl_doc_say(doc, SL_DOC_FOLDED, "next", "Next");
    sl_doc_say(doc, SL_DOC_STEP, NULL, "Look");
    sl_doc_put(doc, SL_TONE_RULE, "r");
    sl_doc_say(doc, SL_DOC_COMMAND, NULL, "run <x>");
    sl_doc_begin(doc, SL_DOC_SENTENCE, NULL);
    sl_doc_put(doc, SL_TONE_CODE, "x*");
    sl_doc_put(doc, SL_TONE_PLAIN, " ends.");
}

static void check(int (*show)(struct sl_buf *out, const struct sl_doc *doc), const char *expected)
{
    struct sl_doc doc;
    struct sl_buf out;
    fill(&doc);
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(show(&out, &doc), 0);
    assert_int_equal(sl_buf_append(&out, "", 1), 0);
    const char *text = (const char *)out.data;
    const char *body = strstr(text, "<body>");
    char *script = strstr((char *)out.data, "<script>");
    if (script) {
        assert_non_null(strstr(script, "</script>\n</body></html>\n"));
        *script = '\0';
    }
    assert_string_equal(body ? body : text, expected);
    sl_buf_fini(&out);
    sl_doc_fini(&doc);
}

TEST(markdown_shows_all_but_figures)
{
    check(
        sl_doc_md,
        "# A & B\n\n**2x**\n\n- Device: a\\<b\n\nGo\n\n- outputs **differ**\n- two\n\nemulated\n\n"
        "## Table\n\n| What | Much |\n|---|---:|\n| a\\|b | 7 |\n\n"
        "## Next\n\nLook. (rule `r`)\n\n    run <x>\n\n`x\\*` ends.\n");
}

TEST(a_page_closes_what_it_opens)
{
    check(sl_doc_html,
          "<body>\n<h1>A &amp; B</h1>\n"
          "<div class=\"verdict faster\"><strong>2x</strong><dl>\n"
          "<dt>Device</dt><dd>a&lt;b</dd>\n</dl><p class=\"step\"><b>Next:</b> Go</p>\n<ul>\n"
          "<li>outputs <b>differ</b></li>\n<li>two</li>\n</ul></div>\n"
          "<p class=\"banner\">emulated</p>\n"
          "<section id=\"t\"><details open><summary><h2>Table</h2></summary>\n<svg/>"
          "<div class=\"wide\"><table class=\"free\">\n<thead><tr><th>What</th><th "
          "class=\"r\">Much</th></tr>"
          "</thead>\n<tbody>\n<tr><td>a|b</td><td class=\"r\">7</td></tr>\n</tbody></table></div>\n"
          "</details></section>\n<section id=\"next\"><details><summary><h2>Next</h2></summary>\n"
          "<p>Look. <span class=\"note\">(rule r)</span></p>\n<pre>run &lt;x&gt;</pre>\n"
          "<p><code>x*</code> ends.</p></details></section>\n");
}

/* On a terminal: what is left goes to the first column, bars and lines are drawn, colours are on.
 */
TEST(a_terminal_gets_bars_lines_and_broken_sentences)
{
    static const char *const heads[] = {"name", ">cost", "", NULL};
    const struct sl_style style = {.width = 60, .color = true};
    struct sl_table table;
    struct sl_doc doc;
    struct sl_buf out;
    sl_doc_init(&doc, SL_DOC_TERMINAL);
    sl_buf_init(&out, 1 << 16);
    sl_doc_say(&doc, SL_DOC_TITLE, NULL, "file");
    sl_doc_begin(&doc, SL_DOC_LINE, NULL);
    sl_doc_begin(&doc, SL_DOC_SENTENCE, NULL);
    sl_doc_put(&doc, SL_TONE_BAD, "warning:");
    sl_doc_put(&doc, SL_TONE_PLAIN, " a file of which more is said than fits on one line of 60");
    sl_doc_say(&doc, SL_DOC_STEP, NULL, "Look");
    sl_doc_put(&doc, SL_TONE_RULE, "r");
    sl_table_init(&table, "t", "T", heads);
    sl_table_widths(&table, (const struct sl_table_column[]){{0, 0}, {6, 0}, {4, 2}});
    sl_table_text(&table, "conv");
    sl_table_ratio(&table, 3, 2, 2);
    sl_table_bar(&table, SL_TONE_GOOD, 0.5);
    sl_table_line(&table, SL_TONE_FAINT, "  %s", "kernel");
    sl_table_text(&table, "gemm");
    sl_table_share(&table, 0.0 / 0.0);
    sl_table_text(&table, "");
    sl_doc_table(&doc, &table);
    assert_int_equal(sl_doc_text(&out, &style, &doc), 0);
    assert_int_equal(sl_buf_append(&out, "", 1), 0);
    assert_string_equal(
        (const char *)out.data,
        "\033[1mfile\033[0m\n\n"
        "\033[31mwarning:\033[0m a file of which more is said than fits on one line\n"
        "  of 60\nnext: Look (rule r)\n"
        "name                                              cost\n"
        "conv                                             1.50x  \033[32m##\033[0m\n"
        "\033[2m  kernel\033[0m\n"
        "gemm                                                 -\n");
    sl_buf_fini(&out);
    sl_doc_fini(&doc);
}

/* Nothing else may run: the policy names the script by its hash. */
TEST(a_page_runs_its_own_script_alone)
{
    struct sl_doc doc;
    struct sl_buf out;
    char hash[SL_SHA256_BASE64_SIZE];
    fill(&doc);
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(sl_doc_html(&out, &doc), 0);
    assert_int_equal(sl_buf_append(&out, "", 1), 0);
    const char *script = strstr((const char *)out.data, "<script>") + strlen("<script>");
    sl_sha256_base64(script, (size_t)(strstr(script, "</script>") - script), hash);
    const char *policy = strstr((const char *)out.data, "script-src 'sha256-");
    assert_non_null(policy);
    assert_memory_equal(policy + strlen("script-src 'sha256-"), hash, strlen(hash));
    assert_null(strstr((const char *)out.data, "<script src"));
    sl_buf_fini(&out);
    sl_doc_fini(&doc);
}

TEST(each_failed_allocation_is_told)
{
    for (unsigned nth = 1, failed = 1; failed; nth++) {
        struct sl_doc doc;
        struct sl_buf out;
        sl_buf_init(&out, 1 << 16);
        sl_mem_fail_nth(nth);
        fill(&doc);
        int rc = sl_doc_html(&out, &doc);
        failed = rc != 0;
        assert_true(rc == 0 || rc == -ENOMEM);
        sl_mem_fail_nth(0);
        sl_doc_fini(&doc);
        sl_buf_fini(&out);
        assert_in_range(nth, 1, 100);
    }
}

TEST(links_lead_on_from_pages_and_markdown_alone)
{
    const struct sl_style style = {.width = 60};
    struct sl_doc doc;
    struct sl_buf out;
    sl_doc_init(&doc, SL_DOC_PAGE);
    sl_doc_begin(&doc, SL_DOC_LINKS, NULL);
    sl_doc_link(&doc, "/runs?a=1&b=%22", "Runs <all>");
    sl_doc_link(&doc, "/", "Lab");
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(sl_doc_html(&out, &doc), 0);
    assert_int_equal(sl_buf_append(&out, "", 1), 0);
    assert_non_null(strstr((const char *)out.data,
                           "<nav><a href=\"/runs?a=1&amp;b=%22\">Runs &lt;all&gt;</a> "
                           "<a href=\"/\">Lab</a> </nav>\n"));
    sl_buf_fini(&out);
    assert_int_equal(sl_doc_md(&out, &doc), 0);
    assert_int_equal(sl_buf_append(&out, "", 1), 0);
    assert_string_equal((const char *)out.data, "[Runs \\<all\\>](/runs?a=1&b=%22) [Lab](/) \n\n");
    sl_buf_fini(&out);
    assert_int_equal(sl_doc_text(&out, &style, &doc), 0);
    assert_int_equal(out.size, 0);
    sl_buf_fini(&out);
    sl_doc_fini(&doc);
}

/* How often `what` stands in the page. */
static int count_in(const struct sl_doc *doc, const char *what)
{
    struct sl_buf out;
    int found = 0;
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(sl_doc_html(&out, doc), 0);
    assert_int_equal(sl_buf_append(&out, "", 1), 0);
    for (const char *at = (const char *)out.data; (at = strstr(at, what)); at++)
        found++;
    sl_buf_fini(&out);
    return found;
}

TEST(only_a_live_page_speaks_to_its_daemon)
{
    struct sl_doc doc;
    sl_doc_init(&doc, SL_DOC_PAGE);
    sl_doc_say(&doc, SL_DOC_TITLE, NULL, "Lab");
    assert_int_equal(count_in(&doc, "connect-src"), 0);
    assert_int_equal(count_in(&doc, "'sha256-"), 1);
    assert_int_equal(count_in(&doc, "<script>"), 1);
    doc.live = true;
    assert_int_equal(count_in(&doc, "; connect-src 'self'\">"), 1);
    assert_int_equal(count_in(&doc, "'sha256-"), 2);
    assert_int_equal(count_in(&doc, "<script>"), 2);
    sl_doc_fini(&doc);
}
