/* tests/unit/host/rundir/test_log_estimate.c */
#include "host/rundir/log_estimate.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
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

static struct sl_count_log *read_text(const char *from)
{
    struct sl_count_log *log = NULL;
    assert_int_equal(sl_count_log_new(NULL, &log), 0);
    sl_count_log_keep_spans(log, NULL);
    assert_int_equal(sl_count_log_push(log, from, strlen(from), NULL), 0);
    assert_int_equal(sl_count_log_finish(log, NULL), 0);
    return log;
}

static struct sl_count_log *read_log(void)
{
    return read_text(text);
}

/* Four instructions at `pc`, five times, as QEMU logs them: a block ends where its page does. */
static struct sl_estimate estimate_at(uint64_t pc, const uint32_t words[4])
{
    struct sl_silicon silicon;
    struct sl_log_estimator *estimator = NULL;
    struct sl_estimate estimate = {0};
    char log_text[2048];
    size_t len = 0;
    const struct sl_estimate_data once = {.calls = 1, .passes = 1};
    for (int run = 0; run < 5; run++) {
        for (uint64_t i = 0; i < 4; i++) {
            bool begins = i == 0 || (pc + 4 * i) % 4096 == 0;
            if (run > 0 || !begins)
                continue;
            len += (size_t)snprintf(log_text + len, sizeof(log_text) - len, "IN: f\n");
            for (uint64_t k = i; k < 4 && (k == i || (pc + 4 * k) % 4096 != 0); k++)
                len += (size_t)snprintf(log_text + len, sizeof(log_text) - len,
                                        "0x%08" PRIx64 ":  %08x  x \n", pc + 4 * k, words[k]);
            len += (size_t)snprintf(log_text + len, sizeof(log_text) - len, "\n");
        }
        for (uint64_t i = 0; i < 4; i++)
            if (i == 0 || (pc + 4 * i) % 4096 == 0)
                len += (size_t)snprintf(log_text + len, sizeof(log_text) - len,
                                        "Trace 0: 0xa%d [0/%016" PRIx64 "/0/0] f\n", i > 0,
                                        pc + 4 * i);
    }
    struct sl_count_log *log = read_text(log_text);
    assert_int_equal(sl_silicon_load("apple-m4", &silicon, NULL), 0);
    assert_int_equal(sl_log_estimator_new(log, &silicon, &estimator), 0);
    sl_log_estimator_add(estimator, 0, SIZE_MAX, &estimate);
    sl_estimate_finish(&estimate, &silicon, &once);
    sl_log_estimator_free(estimator);
    sl_count_log_free(log);
    assert_int_equal(estimate.sum.insns, 20);
    return estimate;
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
    sl_mem_fail_nth(0);
    sl_count_log_free(log);
}

/* A loop of sums that wait for each other, and one without a branch back. */
TEST(an_estimate_does_not_depend_on_where_pages_end)
{
    static const uint32_t codes[][4] = {{0x4e22cc20, 0x4e22cc20, 0x91000400, 0x54ffffa1},
                                        {0x4e22cc20, 0x4e22cc21, 0xad4006c0, 0xd65f03c0}};
    for (size_t i = 0; i < 2; i++) {
        struct sl_estimate whole = estimate_at(0x1000, codes[i]);
        for (uint64_t pc = 0x1ff4; pc < 0x2000; pc += 4) {
            struct sl_estimate cut = estimate_at(pc, codes[i]);
            for (int p = 0; p < SL_PORT_COUNT; p++)
                assert_true(fabs(cut.sum.port_ns[p] - whole.sum.port_ns[p]) < 1e-9);
            assert_true(fabs(cut.sum.most_ns - whole.sum.most_ns) < 1e-9);
            assert_true(fabs(cut.mid_ns - whole.mid_ns) < 1e-9);
        }
    }
}
