/* tests/unit/host/rundir/test_runners_report.c */
#include "host/rundir/runners_report.h"

#include <string.h>

#include "common/base/error.h"
#include "tests/support/test.h"

#define ROW(arm, etdump)                                                                           \
    "{\"arm\":" arm ",\"order\":0,\"executions\":3,\"exit_code\":0,\"signal\":11,"                 \
    "\"timed_out\":false,\"etdump\":" etdump ",\"outputs\":true,\"wall_ns\":5e9,"                  \
    "\"stderr_bytes\":7}"

static int parse(const char *text, struct sl_runners_report *out)
{
    struct sl_diag diag = {.what = ""};
    int rc = sl_runners_report_parse((struct sl_bytes){(const uint8_t *)text, strlen(text)}, 2, out,
                                     &diag);
    assert_int_equal(rc < 0, diag.what[0] != '\0');
    return rc;
}

TEST(each_process_is_a_row)
{
    struct sl_runners_report report;
    assert_int_equal(parse("[" ROW("1", "true") "," ROW("1", "false") "]", &report), 0);
    assert_int_equal(report.count, 2);
    assert_int_equal(report.rows[1].arm, 1);
    assert_int_equal(report.rows[1].executions, 3);
    assert_int_equal(report.rows[1].exit_code, 0);
    assert_int_equal(report.rows[1].signal, 11);
    assert_int_equal(report.rows[1].stderr_bytes, 7);
    assert_true(report.rows[0].etdump && !report.rows[1].etdump && report.rows[1].outputs);
    assert_null(report.rows[1].problem);
    sl_runners_report_fini(&report);
}

TEST(what_cannot_be_is_refused)
{
    static const char *const texts[] = {"",
                                        "{}",
                                        "[1]",
                                        "[{}]",
                                        "[" ROW("2", "true") "]",
                                        "[" ROW("-1", "true") "]",
                                        "[" ROW("0", "1") "]",
                                        "[" ROW("0", "false") "," ROW("0", "true") "]"};
    struct sl_runners_report report;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_int_equal(parse(texts[i], &report), SL_E_FORMAT);
}
