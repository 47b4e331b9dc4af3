/* tests/unit/host/job/test_unsaved.c */
#include <stdint.h>

#include "common/base/mem.h"
#include "host/job/unsaved.h"
#include "tests/support/test.h"

static struct sl_store_ending job_in(uint64_t id, int state)
{
    return (struct sl_store_ending){.job = {.id = id, .state = state}};
}

TEST(the_latest_change_of_each_job_is_kept)
{
    struct sl_unsaved *list = NULL;
    struct sl_store_ending one = job_in(1, SL_JOB_RUNNING), two = job_in(2, SL_JOB_FAILED);
    assert_int_equal(sl_unsaved_put(&list, &one, 1), 0);
    assert_int_equal(sl_unsaved_put(&list, &two, 2), 0);
    one.job.state = SL_JOB_DONE;
    assert_int_equal(sl_unsaved_put(&list, &one, 4), 0);
    one.job.state = SL_JOB_RUNNING;
    assert_int_equal(sl_unsaved_put(&list, &one, 3), 0); /* late: passed over */
    for (int left = 2; left > 0; left--) {
        struct sl_unsaved *entry = sl_unsaved_take(&list);
        assert_int_equal(entry->ending.job.state,
                         entry->ending.job.id == 1 ? SL_JOB_DONE : SL_JOB_FAILED);
        sl_free(entry);
    }
    assert_null(sl_unsaved_take(&list));
}

TEST(what_a_later_change_saved_is_forgotten)
{
    struct sl_unsaved *list = NULL;
    struct sl_store_ending job = job_in(7, SL_JOB_RUNNING);
    assert_int_equal(sl_unsaved_put(&list, &job, 5), 0);
    sl_unsaved_saved(&list, 8, 9);
    sl_unsaved_saved(&list, 7, 4);
    assert_int_equal(sl_unsaved_find(list, 7)->id, 7);
    sl_unsaved_saved(&list, 7, 6);
    assert_null(sl_unsaved_find(list, 7));
    sl_unsaved_saved(&list, 7, 6);
}
