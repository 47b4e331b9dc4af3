/* tests/unit/host/spec/test_after.c */
#include "host/spec/after.h"

#include <string.h>

#include "common/base/error.h"
#include "host/records.h"
#include "tests/support/test.h"

TEST(a_list_of_jobs_is_read_as_numbers)
{
    uint64_t jobs[SL_AFTER_MOST];
    assert_int_equal(sl_after_read("", jobs, NULL), 0);
    assert_int_equal(sl_after_read("17", jobs, NULL), 1);
    assert_int_equal(jobs[0], 17);
    assert_int_equal(sl_after_read("9,17,1", jobs, NULL), 3);
    assert_int_equal(jobs[2], 1);
    assert_int_equal(sl_after_read("9,g17", jobs, NULL), 2);
    assert_int_equal(jobs[0], 9);
    assert_int_equal(jobs[1], SL_AFTER_GROUP | 17);
    static const char longest[] =
        "g9999999999999999,g9999999999999999,g9999999999999999,g9999999999999999,"
        "g9999999999999999,g9999999999999999,g9999999999999999,g9999999999999999";
    assert_int_equal(sl_after_read(longest, jobs, NULL), SL_AFTER_MOST);
    assert_int_equal(jobs[7], SL_AFTER_GROUP | 9999999999999999);
    assert_int_equal(sizeof(longest), SL_AFTER_BYTES); /* a record takes it */
}

TEST(what_is_no_list_of_jobs_is_refused)
{
    static const char *const bad[] = {
        "0",
        "01",
        "-1",
        " 1",
        "1 ",
        ",",
        "1,",
        ",1",
        "1,,2",
        "1;2",
        "1,02",
        "1,x",
        "g",
        "g0",
        "g01",
        "gg1",
        "G1",
        "1g",
        "g1,g",
        "g12345678901234567",
        "x",
        "job 17",
        "1.5",
        "12345678901234567",
        "1,2,3,4,5,6,7,8,9",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        uint64_t jobs[SL_AFTER_MOST];
        struct sl_diag diag = {0};
        if (sl_after_read(bad[i], jobs, &diag) != SL_E_FORMAT || !strstr(diag.hint, "17,18"))
            fail_msg("%s: %s", bad[i], diag.what);
    }
}
