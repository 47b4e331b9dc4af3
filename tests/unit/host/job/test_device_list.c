/* tests/unit/host/job/test_device_list.c */
#include "host/job/device_list.h"

#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "tests/support/unit.h"

static struct sl_device_list list;

static int setup(void **state)
{
    (void)state;
    memset(&list, 0, sizeof(list));
    assert_int_equal(sl_device_list_add(&list, "m", SL_DEVICE_COUNTED), 0);
    assert_int_equal(sl_device_list_add(&list, "z", SL_DEVICE_COUNTED), 0);
    assert_int_equal(sl_device_list_add(&list, "a", SL_DEVICE_EMULATED), 0);
    return 0;
}

TEST_WITH(devices_stand_in_the_order_of_their_names, setup, NULL)
{
    assert_int_equal(list.count, 3);
    assert_string_equal(list.records[0].name, "a");
    assert_string_equal(list.records[1].name, "m");
    assert_string_equal(list.records[2].name, "z");
    assert_ptr_equal(sl_device_list_find(&list, "m"), &list.records[1]);
    assert_null(sl_device_list_find(&list, "n"));
}

TEST_WITH(one_that_is_known_changes_only_its_kind, setup, NULL)
{
    list.records[1].job = 7;
    assert_int_equal(sl_device_list_add(&list, "m", SL_DEVICE_EMULATED), 0);
    assert_int_equal(list.count, 3);
    assert_int_equal(list.records[1].kind, SL_DEVICE_EMULATED);
    assert_int_equal(list.records[1].job, 7);
}

TEST_WITH(one_that_leaves_is_dropped_once_it_has_no_job, setup, NULL)
{
    list.records[1].job = 7;
    assert_false(sl_device_list_drop(&list, "m")); /* it does not leave */
    assert_int_equal(sl_device_list_leave(&list, "m"), 0);
    assert_false(sl_device_list_drop(&list, "m"));
    list.records[1].job = 0;
    assert_true(sl_device_list_drop(&list, "m"));
    assert_false(sl_device_list_drop(&list, "m"));
    assert_int_equal(list.count, 2);
    assert_string_equal(list.records[1].name, "z");
    assert_int_equal(sl_device_list_leave(&list, "m"), SL_E_NOT_FOUND);
}

TEST_WITH(one_that_leaves_stays_when_it_is_added_again, setup, NULL)
{
    assert_int_equal(sl_device_list_leave(&list, "z"), 0);
    assert_int_equal(sl_device_list_add(&list, "b", SL_DEVICE_COUNTED), 0); /* moves z along */
    assert_int_equal(sl_device_list_add(&list, "z", SL_DEVICE_COUNTED), 0);
    assert_false(sl_device_list_drop(&list, "z"));
    assert_int_equal(list.count, 4);
}

TEST_WITH(what_is_due_first_counts_and_no_step_of_one_that_is_lent, setup, NULL)
{
    assert_int_equal(sl_device_list_wait_ms(&list, 1000, 50), UINT64_MAX);
    list.more[0].reserved_until_ms = 1700;
    list.more[1].life.due_ms = 350;
    assert_int_equal(sl_device_list_wait_ms(&list, 1000, 50), 300);
    list.more[1].lent = true;
    assert_int_equal(sl_device_list_wait_ms(&list, 1000, 50), 700);
    assert_int_equal(sl_device_list_wait_ms(&list, 1800, 50), 0);
}

TEST_WITH(a_full_list_takes_no_more, setup, NULL)
{
    char name[16];
    for (int i = 3; i < SL_MAX_DEVICES; i++) {
        snprintf(name, sizeof(name), "n%d", i);
        assert_int_equal(sl_device_list_add(&list, name, SL_DEVICE_COUNTED), 0);
    }
    assert_int_equal(sl_device_list_add(&list, "one-more", SL_DEVICE_COUNTED), SL_E_FULL);
    assert_int_equal(list.count, SL_MAX_DEVICES);
}

TEST(a_job_that_waits_again_or_is_elsewhere_is_not_its_own)
{
    const struct sl_device_record device = {.name = "a", .job = 7};
    struct sl_job_record job = {.id = 7, .state = SL_JOB_RUNNING, .device = "a"};
    assert_true(sl_device_list_runs(&device, &job));
    job.state = SL_JOB_DETACHED;
    assert_true(sl_device_list_runs(&device, &job));
    job.state = SL_JOB_QUEUED;
    assert_false(sl_device_list_runs(&device, &job));
    job.state = SL_JOB_RUNNING;
    job.device[0] = 'b';
    assert_false(sl_device_list_runs(&device, &job));
    assert_false(sl_device_list_runs(&device, NULL));
}
