#include "host/store/run_name.h"

#include <string.h>

#include "tests/support/test.h"

TEST(a_run_lies_in_the_folder_of_its_day)
{
    char name[SL_RUN_NAME_BYTES];
    sl_run_name(1795392000007, 12, name);
    assert_string_equal(name, "runs/2026-11-23/000000.007-12");
    assert_int_equal(sl_run_name_job(strrchr(name, '/') + 1), 12);
    sl_run_name(253402300799999, UINT64_MAX / 2, name);
    assert_string_equal(name, "runs/9999-12-31/235959.999-9223372036854775807");
}

TEST(other_names_have_no_job)
{
    static const char *const others[] = {"",         "000000.007",    "000000.007-",
                                         "00000-12", "000000.007-1x", "a00000.007-12"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_int_equal(sl_run_name_job(others[i]), 0);
}
