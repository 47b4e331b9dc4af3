/* tests/unit/host/cli/test_exit_code.c */
#include "host/cli/exit_code.h"

#include <errno.h>

#include "common/base/error.h"
#include "host/cli/cli.h"
#include "tests/support/test.h"

TEST(every_exit_code_has_a_name_of_its_own)
{
    static const struct {
        int code;
        const char *name;
    } names[] = {
        {SL_EXIT_DONE, "done"},
        {SL_EXIT_FAILED, "failed"},
        {SL_EXIT_USAGE, "usage"},
        {SL_EXIT_REGRESSION, "regression"},
        {SL_EXIT_INCONCLUSIVE, "inconclusive"},
        {SL_EXIT_LAB, "lab"},
        {SL_EXIT_INTERRUPTED, "interrupted"},
        {SL_EXIT_TERMINATED, "terminated"},
        {SL_EXIT_DEFECT, "defect"},
        {77, "defect"}, /* one that nothing gives */
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_string_equal(sl_exit_name(names[i].code), names[i].name);
}

TEST(who_can_put_an_error_right_decides_its_code)
{
    assert_int_equal(sl_exit_for_error(0), SL_EXIT_DONE);
    assert_int_equal(sl_exit_for_error(SL_E_CRASHED), SL_EXIT_FAILED);
    static const int users[] = {SL_E_FORMAT, SL_E_TRUNCATED, SL_E_LIMIT,    -ENOENT,
                                -EACCES,     -EEXIST,        -ENAMETOOLONG, -ELOOP};
    for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++)
        assert_int_equal(sl_exit_for_error(users[i]), SL_EXIT_USAGE);
    static const int labs[] = {-ENOMEM, -ENOSPC, -ECONNREFUSED, -ENODEV, -EPERM, -ETIMEDOUT};
    for (size_t i = 0; i < sizeof(labs) / sizeof(labs[0]); i++)
        assert_int_equal(sl_exit_for_error(labs[i]), SL_EXIT_LAB);
    assert_int_equal(sl_exit_for_error(-EINTR), SL_EXIT_INTERRUPTED);
    assert_int_equal(sl_exit_for_error(-EDOM),
                     SL_EXIT_DEFECT); /* nothing here gives it: a defect */
}

TEST(only_failed_and_usage_lie_in_the_model)
{
    assert_true(sl_exit_blames_model(SL_EXIT_FAILED));
    assert_true(sl_exit_blames_model(SL_EXIT_USAGE));
    static const int others[] = {
        SL_EXIT_DONE,        SL_EXIT_REGRESSION, SL_EXIT_INCONCLUSIVE, SL_EXIT_LAB,
        SL_EXIT_INTERRUPTED, SL_EXIT_TERMINATED, SL_EXIT_DEFECT,       -1};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(sl_exit_blames_model(others[i]));
}
