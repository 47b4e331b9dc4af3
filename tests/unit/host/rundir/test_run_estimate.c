/* tests/unit/host/rundir/test_run_estimate.c */
#include "host/rundir/run_estimate.h"

#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/format/sltrace.h"
#include "host/device/count_log.h"
#include "tests/support/test.h"

static const struct sl_count_marks marks = {.begin = 0x1020, .end = 0x1030};

#define MARK(code, pc) "Trace 0: 0x" code " [0/0000000000" pc "/0/0] f\n"
#define BEGIN MARK("a2", "001020")
#define END MARK("a3", "001030")
#define WORK MARK("b0", "002000")
/* Each block once without a count: listed before the first mark. */
#define LISTED                                                                                     \
    "IN: f\n0x00001020:  d65f03c0  ret \n\n" BEGIN "IN: f\n0x00002000:  4e22cc20  fmla \n\n" WORK  \
    "IN: f\n0x00001030:  d65f03c0  ret \n\n" END
/* An execution with work of its own, and an operator with twice as much in the middle of it. */
#define RUN BEGIN WORK BEGIN WORK WORK END WORK END

static const char *const names[] = {"", "Method::execute", "Convolution (NHWC) #7",
                                    "Convolution (NHWC, PF32) #7"};

static struct sl_trace_record event(uint32_t name, uint16_t variant, uint64_t start, uint64_t end)
{
    return (struct sl_trace_record){.kind = SL_TRACE_EVENT,
                                    .variant = variant,
                                    .name = name,
                                    .event = {.start = start, .end = end}};
}

/* The estimates of two executions, of which the second is variant 1's and its operator is called
 * names[on]. */
static void estimate(uint32_t on, struct sl_buf *out)
{
    static const char text[] = LISTED RUN RUN;
    struct sl_trace_record records[] = {event(2, 0, 3, 4), event(1, 0, 2, 5), event(on, 1, 7, 8),
                                        event(1, 1, 6, 9)};
    struct sl_trace trace = {
        .names = names, .name_count = 4, .records = records, .record_count = 4};
    struct sl_count_log *log = NULL;
    struct sl_json json;
    struct sl_diag diag = {.what = ""};
    assert_int_equal(sl_count_log_new(&marks, &log), 0);
    sl_count_log_keep_spans(log, NULL);
    assert_int_equal(sl_count_log_push(log, text, strlen(text), &diag), 0);
    assert_int_equal(sl_count_log_finish(log, &diag), 0);
    sl_buf_init(out, 1 << 16);
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    assert_int_equal(sl_rundir_estimate_put(&json, &trace, log, "apple-m4", NULL, &diag), 0);
    sl_json_close_object(&json);
    sl_count_log_free(log);
}

TEST(own_work_goes_to_the_innermost_event_of_the_last_execution)
{
    struct sl_buf out;
    estimate(2, &out);
    const char *made = (const char *)out.data;
    const char *operators = strstr(made, "\"operators\"");
    assert_non_null(strstr(made, "\"profile\":\"apple-m4\""));
    assert_non_null(operators);
    assert_non_null(strstr(operators, "\"operator\":\"Convolution (NHWC)\",\"off\""));
    assert_non_null(strstr(operators, "\"operator\":\"Method::execute\""));
    assert_non_null(strstr(operators, "\"on\""));
    sl_buf_fini(&out);
}

TEST(an_operator_of_another_name_with_sme2_has_one_row)
{
    struct sl_buf out;
    estimate(3, &out);
    const char *operators = strstr((const char *)out.data, "\"operators\"");
    assert_non_null(operators);
    assert_null(strstr(operators, "\"Convolution (NHWC)\""));
    const char *row = strstr(operators, "\"operator\":\"Convolution (NHWC, PF32)\",\"off\"");
    assert_non_null(row);
    const char *end = strstr(row, "\"operator\":\"Method::execute\""), *on = strstr(row, "\"on\"");
    assert_true(on && (!end || on < end));
    sl_buf_fini(&out);
}

/* The name that it has with SME2 is also another operator's. */
TEST(a_name_of_two_operators_joins_neither)
{
    struct sl_buf out;
    estimate(1, &out);
    assert_non_null(strstr((const char *)out.data, "\"operator\":\"Convolution (NHWC)\",\"off\""));
    sl_buf_fini(&out);
}

TEST(a_name_that_no_profile_has_is_refused)
{
    struct sl_trace trace = {.names = names};
    struct sl_count_log *log = NULL;
    struct sl_buf out;
    struct sl_json json;
    struct sl_diag diag = {.what = ""};
    assert_int_equal(sl_count_log_new(&marks, &log), 0);
    sl_buf_init(&out, 1 << 16);
    sl_json_init(&json, &out);
    sl_json_open_object(&json, NULL);
    assert_int_equal(
        sl_rundir_estimate_put(&json, &trace, log, "apple-m4,/etc/x.json", NULL, &diag),
        SL_E_NOT_FOUND);
    sl_buf_fini(&out);
    sl_count_log_free(log);
}
