/* tests/unit/host/rundir/test_log_estimate.c */
#include "host/rundir/log_estimate.h"

#include <errno.h>
#include <string.h>

#include "common/base/mem.h"
#include "host/analysis/estimate.h"
#include "host/analysis/silicon.h"
#include "host/device/count_log.h"
#include "host/report/silicon_file.h"
#include "tests/support/test.h"

/* Streaming mode begins, two outer products run three times, and it ends. */
static const char text[] = "IN: f\n0x00001000:  d503477f  smstart \n\n"
                           "Trace 0: 0xa0 [0/0000000000001000/0/0] f\n"
                           "IN: f\n0x00001004:  80812000  fmopa \n0x00001008:  80812001  fmopa \n\n"
                           "Trace 0: 0xa1 [0/0000000000001004/0/0] f\n"
                           "Trace 0: 0xa1 [0/0000000000001004/0/0] f\n"
                           "Trace 0: 0xa1 [0/0000000000001004/0/0] f\n"
                           "IN: f\n0x0000100c:  d503467f  smstop \n\n"
                           "Trace 0: 0xa2 [0/000000000000100c/0/0] f\n";

static struct sl_count_log *read_log(void)
{
    struct sl_count_log *log = NULL;
    assert_int_equal(sl_count_log_new(NULL, &log), 0);
    sl_count_log_keep_spans(log, NULL);
    assert_int_equal(sl_count_log_push(log, text, strlen(text), NULL), 0);
    assert_int_equal(sl_count_log_finish(log, NULL), 0);
    return log;
}

TEST(spans_of_a_log_become_stages_of_an_estimate)
{
    struct sl_silicon silicon;
    struct sl_log_estimator *estimator = NULL;
    struct sl_estimate estimate = {0};
    const struct sl_estimate_data once = {.calls = 1, .passes = 1};
    struct sl_count_log *log = read_log();
    assert_int_equal(sl_silicon_load("apple-m4", &silicon, NULL), 0);
    assert_int_equal(sl_log_estimator_new(log, &silicon, &estimator), 0);
    sl_log_estimator_add(estimator, 0, SIZE_MAX, &estimate);
    sl_estimate_finish(&estimate, &silicon, &once);
    assert_int_equal(estimate.sum.insns, 8);
    assert_int_equal(estimate.sessions, 1);
    assert_int_equal(estimate.sum.units[SL_WORK_OUTER_F32], 6);
    assert_true(estimate.sum.streaming);
    assert_true(estimate.sum.port_ns[SL_PORT_OUTER] > 6 / 4.0);
    sl_log_estimator_free(estimator);
    sl_count_log_free(log);
}

TEST(an_estimator_survives_each_failed_allocation)
{
    struct sl_silicon silicon;
    struct sl_count_log *log = read_log();
    assert_int_equal(sl_silicon_load("apple-m4", &silicon, NULL), 0);
    int rc = -ENOMEM;
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        struct sl_log_estimator *estimator = NULL;
        sl_mem_fail_nth(nth);
        rc = sl_log_estimator_new(log, &silicon, &estimator);
        assert_int_equal(estimator == NULL, rc != 0);
        sl_log_estimator_free(estimator);
    }
    assert_int_equal(rc, 0);
    sl_count_log_free(log);
}
