/* tests/unit/host/spec/test_scopes.c */
#include "host/spec/scopes.h"

#include <string.h>

#include "common/base/error.h"
#include "tests/support/test.h"

TEST(each_set_of_scopes_comes_back_from_its_words)
{
    for (uint32_t scopes = 1; scopes <= SL_SCOPES_ALL; scopes++) {
        char words[SL_SCOPES_BYTES];
        uint32_t read = 0;
        assert_int_equal(sl_scopes_read(sl_scopes_words(scopes, words), &read), 0);
        assert_int_equal(read, scopes);
        assert_in_range(strlen(words), 4, SL_SCOPES_BYTES - 2);
    }
}

TEST(words_that_are_none_are_refused)
{
    static const char *const bad[] = {"",     ",",   "read,", ",read",       "read,,submit",
                                      "Read", "rea", "readx", "read submit", "all",
                                      "none"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        uint32_t read = 77;
        assert_int_equal(sl_scopes_read(bad[i], &read), SL_E_FORMAT);
        assert_int_equal(read, 77);
    }
}

TEST(roles_are_sets_that_grow_and_none_brings_programs)
{
    uint32_t before = 0;
    for (int role = SL_TOKEN_READ; role <= SL_TOKEN_ADMIN; role++) {
        uint32_t scopes = sl_scopes_of_role(role);
        assert_int_equal(scopes & before, before);
        assert_int_not_equal(scopes, before);
        assert_int_equal(scopes & SL_SCOPE_RUNNER_CODE, 0);
        before = scopes;
    }
    assert_int_equal(sl_scopes_of_role(0), 0);
    assert_int_equal(sl_scopes_of_role(4), 0);
}
