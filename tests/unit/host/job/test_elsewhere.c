/* tests/unit/host/job/test_elsewhere.c */
#include "host/job/elsewhere.h"

#include "common/base/mem.h"
#include "host/records.h"
#include "tests/support/test.h"

static struct sl_job_record job(uint64_t id, int state, uint64_t written_ms)
{
    return (struct sl_job_record){
        .id = id, .state = state, .attempts = 1, .written_ms = written_ms, .host = "there"};
}

TEST(jobs_are_open_until_they_end_and_then_ended_until_they_are_forgotten)
{
    struct sl_elsewhere elsewhere = {.jobs = {0}};
    enum { JOBS = 500 };
    for (uint64_t id = 1; id <= JOBS; id++) {
        struct sl_job_record row = job(id, SL_JOB_RUNNING, 100 + id);
        assert_false(sl_elsewhere_same(&elsewhere, &row));
        sl_elsewhere_put(&elsewhere, &row);
        assert_true(sl_elsewhere_same(&elsewhere, &row));
    }
    assert_int_equal(sl_elsewhere_open(&elsewhere, 9)->written_ms, 109);
    for (uint64_t id = 1; id <= JOBS; id += 2) {
        struct sl_job_record row = job(id, SL_JOB_DONE, 1000 + id);
        assert_false(sl_elsewhere_same(&elsewhere, &row));
        sl_elsewhere_put(&elsewhere, &row);
    }
    assert_null(sl_elsewhere_open(&elsewhere, 9));
    assert_true(sl_elsewhere_ended(&elsewhere, 9));
    sl_elsewhere_purge(&elsewhere, 1000 + 301);
    for (uint64_t id = 1; id <= JOBS; id++) {
        assert_int_equal(sl_elsewhere_open(&elsewhere, id) != NULL, id % 2 == 0);
        assert_int_equal(sl_elsewhere_ended(&elsewhere, id), id % 2 == 1 && id >= 301);
    }
    sl_elsewhere_drop(&elsewhere, 2);
    sl_elsewhere_drop(&elsewhere, 2);
    assert_null(sl_elsewhere_open(&elsewhere, 2));
    sl_elsewhere_fini(&elsewhere);
}

TEST(a_row_is_another_by_state_attempt_wish_host_or_time)
{
    struct sl_elsewhere elsewhere = {.jobs = {0}};
    struct sl_job_record known = job(1, SL_JOB_RUNNING, 5), row = known;
    sl_elsewhere_put(&elsewhere, &known);
    row.written_ms++;
    assert_false(sl_elsewhere_same(&elsewhere, &row));
    row = known;
    row.attempts++;
    assert_false(sl_elsewhere_same(&elsewhere, &row));
    row = known;
    row.cancel_wanted = true;
    assert_false(sl_elsewhere_same(&elsewhere, &row));
    row = known;
    row.host[0] = 'w';
    assert_false(sl_elsewhere_same(&elsewhere, &row));
    row = known;
    row.detail[0] = '?'; /* that alone is no other */
    assert_true(sl_elsewhere_same(&elsewhere, &row));
    sl_elsewhere_fini(&elsewhere);
}

TEST(without_memory_a_job_is_not_known)
{
    struct sl_elsewhere elsewhere = {.jobs = {0}};
    const struct sl_job_record row = job(1, SL_JOB_RUNNING, 5);
    for (unsigned nth = 1; nth <= 2; nth++) {
        sl_mem_fail_nth(nth);
        sl_elsewhere_put(&elsewhere, &row);
        assert_null(sl_elsewhere_open(&elsewhere, 1));
    }
    sl_mem_fail_nth(0);
    sl_elsewhere_put(&elsewhere, &row);
    assert_non_null(sl_elsewhere_open(&elsewhere, 1));
    sl_elsewhere_fini(&elsewhere);
}
