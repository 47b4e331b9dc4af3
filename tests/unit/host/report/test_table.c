/* tests/unit/host/report/test_table.c */
#include "host/report/table.h"

#include <string.h>

#include "host/report/markup.h"
#include "host/report/style.h"
#include "tests/support/unit.h"

static void check(const struct sl_table *table, const struct sl_style *style, const char *expected)
{
    struct sl_buf out;
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(sl_table_show(&out, style, table), 0);
    assert_int_equal(sl_buf_append(&out, "", 1), 0);
    assert_string_equal((const char *)out.data, expected);
    sl_buf_fini(&out);
}

TEST(columns_are_as_wide_as_their_cells_until_the_terminal_ends)
{
    static const char *const heads[] = {">RUN", "~MODEL", "STATE", NULL};
    const struct sl_style style = {.width = 60};
    struct sl_table table;
    sl_table_init(&table, "runs", "Runs", heads);
    assert_true(sl_table_is_empty(&table));
    sl_table_printf(&table, "%d", 7);
    sl_table_put(&table, "a\tmodel");
    sl_table_put(&table, NULL);
    assert_false(sl_table_is_empty(&table));
    check(&table, &style, "RUN  MODEL    STATE\n  7  a?model  -\n");
    sl_table_text(&table, "12");
    sl_table_text(&table, "a model whose name is longer than what a terminal has left for it");
    sl_table_text(&table, "done");
    check(&table, &style,
          "RUN  MODEL                                             STATE\n"
          "  7  a?model                                           -\n"
          " 12  a model whose name is longer than what a termin~  done\n");
    sl_table_fini(&table);
}

TEST(titles_are_strong_where_columns_have_no_widths)
{
    static const char *const heads[] = {"A", "B", NULL};
    const struct sl_style style = {.width = 60, .color = true};
    struct sl_table table;
    sl_table_init(&table, "t", "T", heads);
    sl_table_text(&table, "1");
    sl_table_text(&table, "");
    check(&table, &style, "\033[1mA  B\033[0m\n1\n");
    sl_table_widths(&table, (const struct sl_table_column[]){{2, 1}, {3, 0}});
    check(&table, &style, " A B\n 1\n");
    table.headless = true;
    check(&table, &style, " 1\n");
    sl_table_fini(&table);
}

TEST(a_part_is_told_from_its_whole)
{
    static const char *const heads[] = {"A", ">B", NULL};
    const struct sl_style style = {.width = 60};
    struct sl_table table;
    struct sl_buf out;
    struct sl_markup m = {.out = &out};
    sl_table_init(&table, "t", "T", heads);
    table.fixed = true;
    sl_table_text(&table, "whole");
    sl_table_text(&table, "2");
    sl_table_part(&table, "half");
    sl_table_text(&table, "1");
    check(&table, &style, "A       B\nwhole   2\n  half  1\n");
    sl_buf_init(&out, 1 << 12);
    sl_table_md(&m, &table);
    sl_table_html(&m, &table);
    assert_int_equal(sl_buf_append(&out, "", 1), 0);
    assert_non_null(strstr((const char *)out.data, "| of which half | 1 |"));
    assert_non_null(strstr((const char *)out.data, "<tr class=\"part\"><td>half</td>"));
    assert_null(strstr((const char *)out.data, "class=\"free\""));
    sl_buf_fini(&out);
    sl_table_fini(&table);
}

TEST(long_words_break_at_their_joints_on_a_page)
{
    static const char *const heads[] = {"Verdict", NULL};
    struct sl_table table;
    struct sl_buf out;
    struct sl_markup m = {.out = &out};
    sl_table_init(&table, "t", "T", heads);
    sl_table_text(&table, "fewer-instructions");
    sl_buf_init(&out, 1 << 12);
    sl_table_html(&m, &table);
    assert_int_equal(sl_buf_append(&out, "", 1), 0);
    assert_non_null(strstr((const char *)out.data, "<td>fewer-<wbr>instructions</td>"));
    sl_buf_fini(&out);
    sl_table_fini(&table);
}

TEST(what_is_not_known_is_a_dash)
{
    static const char *const heads[] = {">share", ">ratio", NULL};
    const struct sl_style style = {.width = 60};
    struct sl_table table;
    sl_table_init(&table, "t", "T", heads);
    sl_table_share(&table, 0.5);
    sl_table_ratio(&table, 3, 2, 3);
    sl_table_share(&table, 0.0 / 0.0);
    sl_table_ratio(&table, 3, 0, 2);
    check(&table, &style, " share   ratio\n50.0 %  1.500x\n     -       -\n");
    sl_table_fini(&table);
}

/* Fixed widths that a terminal has no room for leave nothing to the open column, and no overflow.
 */
TEST(a_column_may_be_left_nothing)
{
    static const char *const heads[] = {"name", ">cost", NULL};
    const struct sl_style style = {.width = 60};
    struct sl_table table;
    sl_table_init(&table, "t", "T", heads);
    sl_table_widths(&table, (const struct sl_table_column[]){{0, 0}, {70, 0}});
    sl_table_text(&table, "conv");
    sl_table_text(&table, "1");
    struct sl_buf out;
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(sl_table_show(&out, &style, &table), 0);
    sl_buf_fini(&out);
    sl_table_fini(&table);
}

TEST(a_link_leads_on_from_a_page_alone)
{
    static const char *const heads[] = {">RUN", "MODEL", NULL};
    const struct sl_style style = {.width = 60};
    struct sl_table table;
    struct sl_buf out;
    struct sl_markup m = {.out = &out};
    sl_table_init(&table, "runs", "Runs", heads);
    sl_table_link(&table, "/runs/7?a&b", "7");
    sl_table_link(&table, "/runs", "a <b>");
    check(&table, &style, "RUN  MODEL\n  7  a <b>\n");
    sl_buf_init(&out, 1 << 16);
    sl_table_html(&m, &table);
    sl_buf_append(&out, "", 1);
    assert_non_null(strstr((const char *)out.data,
                           "<td class=\"r\"><a href=\"/runs/7?a&amp;b\">7</a></td>"
                           "<td><a href=\"/runs\">a &lt;b&gt;</a></td>"));
    sl_buf_fini(&out);
    sl_table_md(&m, &table);
    sl_buf_append(&out, "", 1);
    assert_non_null(strstr((const char *)out.data, "| 7 | a \\<b\\> |"));
    sl_buf_fini(&out);
    sl_table_fini(&table);
}
