/* tests/unit/host/rundir/test_task_estimate.c */
#include "host/rundir/task_estimate.h"

#include <errno.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/device/count_log.h"
#include "tests/support/test.h"

/* Four marks: streaming work between the first two, and between the last two nothing. */
#define RETURN(pc) "IN: f\n0x0000" pc ":  d65f03c0  ret \n\n"
#define AT(code, pc) "Trace 0: 0x" code " [0/000000000000" pc "/0/0] f\n"
static const char text[] = RETURN("1020") AT("a2", "1020")
    RETURN("1030") "IN: f\n0x00002000:  d503477f  smstart \n0x00002004:  80812000  fmopa "
                   "\n0x00002008:  d503467f  "
                   "smstop \n\n" AT("b0", "2000") AT("a3", "1030") AT("a2", "1020")
                       AT("a3", "1030");

static struct sl_count_log *read_log(void)
{
    static const struct sl_count_marks marks = {
        .pause = 0x1000, .resume = 0x1010, .begin = 0x1020, .end = 0x1030};
    struct sl_count_log *log = NULL;
    assert_int_equal(sl_count_log_new(&marks, &log), 0);
    sl_count_log_keep_spans(log, NULL);
    assert_int_equal(sl_count_log_push(log, text, strlen(text), NULL), 0);
    assert_int_equal(sl_count_log_finish(log, NULL), 0);
    return log;
}

static int put(struct sl_buf *out, const char *names, struct sl_diag *diag)
{
    struct sl_count_log *log = read_log();
    struct sl_json json;
    sl_buf_init(out, 65536);
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    int rc = sl_task_estimates_put(&json, log, names, diag);
    sl_json_close_object(&json);
    assert_int_equal(sl_buf_append(out, "", 1), 0);
    sl_count_log_free(log);
    return rc;
}

TEST(each_pair_of_marks_has_an_estimate_for_each_profile)
{
    struct sl_diag diag = {.what = ""};
    struct sl_buf out;
    assert_int_equal(put(&out, "apple-m4,arm-c1-ultra", &diag), 0);
    unsigned m4 = 0, c1 = 0;
    for (const char *at = (const char *)out.data; (at = strstr(at, "\"apple-m4\"")); at++)
        m4++;
    for (const char *at = (const char *)out.data; (at = strstr(at, "\"arm-c1-ultra\"")); at++)
        c1++;
    assert_int_equal(m4, 2);
    assert_int_equal(c1, 2);
    assert_non_null(strstr((const char *)out.data, "\"mid_ns\""));
    sl_buf_fini(&out);
}

TEST(a_profile_that_is_not_there_is_named)
{
    struct sl_diag diag = {.what = ""};
    struct sl_buf out;
    assert_true(put(&out, "apple-m4,nobody", &diag) < 0);
    assert_true(diag.what[0] != '\0');
    sl_buf_fini(&out);
    assert_true(put(&out, "../secret.json", &diag) < 0); /* a path is no name */
    sl_buf_fini(&out);
}

TEST(more_profiles_than_there_is_room_for_are_refused)
{
    struct sl_diag diag = {.what = ""};
    struct sl_buf out;
    assert_int_equal(put(&out,
                         "apple-m4,apple-m5,apple-m4,apple-m5,apple-m4,apple-m5,apple-m4,apple-m5,"
                         "apple-m4",
                         &diag),
                     SL_E_LIMIT);
    sl_buf_fini(&out);
}
