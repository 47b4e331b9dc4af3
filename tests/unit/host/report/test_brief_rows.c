/* tests/unit/host/report/test_brief_rows.c */
#include "host/report/brief_rows.h"

#include <string.h>

#include "tests/support/test.h"

/* `wanted` has a letter for each category: a alone, r in the row of the rest or absent. */
static void rows_are(const double *shares, const char *wanted)
{
    bool alone[8];
    size_t count = strlen(wanted);
    sl_brief_rows(shares, count, alone);
    for (size_t i = 0; i < count; i++)
        if (alone[i] != (wanted[i] == 'a'))
            fail_msg("category %zu of %s", i, wanted);
}

TEST(two_categories_have_a_row_each_and_of_more_the_largest)
{
    rows_are((const double[]){0.5, 0.3, 0, 0}, "aarr");
    rows_are((const double[]){0.5, 0.3, 0.2, 0}, "arrr");
    rows_are((const double[]){0.2, 0.3, 0.1, 0.4}, "rrra");
    rows_are((const double[]){0.3, 0.2, 0.19, 0.2, 0.07, 0.04}, "arrrrr");
}

TEST(small_ones_share_a_row_but_one_has_its_own)
{
    rows_are((const double[]){0.94, 0.03, 0.02, 0.01}, "arrr");
    rows_are((const double[]){0.97, 0.03}, "aa");
    rows_are((const double[]){0, 0, 1}, "rra");
    rows_are((const double[]){0.9, 0.08, 0.02}, "arr");
}

TEST(of_nothing_there_are_no_rows)
{
    rows_are((const double[]){0, 0, 0}, "rrr");
    rows_are((const double[]){0}, "r");
}

TEST(four_that_share_a_row_are_named_and_five_are_counted)
{
    static const char *const names[] = {"GEMM", "Data Movement", "Other", "Framework", "CONV"};
    char row[SL_BRIEF_NAMES_BYTES] = "";
    for (size_t i = 0; i < 4; i++)
        sl_brief_rows_name(row, i, names[i]);
    assert_string_equal(row, "GEMM, Data Movement, Other, Framework");
    sl_brief_rows_name(row, 4, names[4]);
    assert_string_equal(row, "5 other categories");
}
