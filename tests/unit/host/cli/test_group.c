/* tests/unit/host/cli/test_group.c */
#include "host/cli/group.h"

#include <string.h>

#include "common/base/error.h"
#include "tests/support/test.h"

TEST(a_group_is_told_from_a_job_by_its_letter)
{
    uint64_t id = 0;
    assert_true(sl_group_named("g7", &id));
    assert_int_equal(id, 7);
    static const char *const others[] = {"7", "g", "g0", "g-1", "group", "G7", "", "g7x", "gg7"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(sl_group_named(others[i], &id));
}

TEST(where_only_a_group_can_stand_its_letter_may_be_missing)
{
    struct sl_diag diag = {.what = ""};
    uint64_t id = 0;
    assert_int_equal(sl_group_id("8", &id, &diag), 0);
    assert_int_equal(id, 8);
    assert_int_equal(sl_group_id("g9", &id, &diag), 0);
    assert_int_equal(id, 9);
    assert_true(sl_group_id("zoo", &id, &diag) < 0);
    assert_non_null(strstr(diag.what, "group"));
}

TEST(words_that_are_no_groups_stay_as_they_are)
{
    const char *words[] = {"12", "a-directory"};
    char texts[2][SL_GROUP_WORD_BYTES];
    size_t count = 2;
    assert_int_equal(sl_group_expand(NULL, words, &count, 2, texts, NULL), 0);
    assert_int_equal(count, 2);
    assert_string_equal(words[0], "12");
}
