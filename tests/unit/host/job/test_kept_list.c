/* tests/unit/host/job/test_kept_list.c */
#include "host/job/kept_list.h"

#include <errno.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/mem.h"
#include "host/device/link_job.h"
#include "tests/support/unit.h"

static const struct sl_link_told described = {
    .job = 7, .started_ms = 1764000000000, .config = "{\"model\":\"m\"}", .host = "lab\033[1m"};

TEST(what_is_known_of_one_stays_while_it_is_kept)
{
    struct sl_kept_list list = {.count = 0};
    struct sl_link_kept kept[] = {{.job = 7, .bytes = 10}, {.job = 8, .bytes = 1, .outcome = 1}};
    assert_int_equal(sl_kept_list_take(&list, kept, 2), 0);
    assert_int_equal(sl_kept_list_told(&list, &described), 0);
    list.all[0].asked = true;
    kept[0].outcome = SL_OUTCOME_DONE;
    kept[0].bytes = 20;
    assert_int_equal(sl_kept_list_take(&list, kept, 1), 0);
    assert_int_equal(list.count, 1);
    const struct sl_kept *one = sl_kept_list_find(&list, 7);
    assert_non_null(one);
    assert_string_equal(one->config, "{\"model\":\"m\"}");
    assert_string_equal(one->host, "lab?[1m");
    assert_true(one->started_ms == 1764000000000 && one->asked);
    assert_int_equal(one->bytes, 20);
    assert_int_equal(one->outcome, SL_OUTCOME_DONE);
    assert_null(sl_kept_list_find(&list, 8));
    assert_int_equal(sl_kept_list_take(&list, NULL, 0), 0);
    assert_int_equal(list.count, 0);
}

TEST(a_comparison_is_a_part_of_its_run)
{
    struct sl_kept_list list = {.count = 0};
    const struct sl_link_kept kept[] = {
        {.job = sl_kept_reference(7), .bytes = 5},
        {.job = 7, .bytes = 10, .outcome = SL_OUTCOME_DONE},
        {.job = sl_kept_reference(9), .bytes = 3, .outcome = SL_OUTCOME_DONE}};
    assert_int_equal(sl_kept_list_take(&list, kept, 3), 0);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.all[0].id, 7);
    assert_int_equal(list.all[0].bytes, 15);
    assert_int_equal(list.all[0].outcome, 0); /* the comparison still runs */
    assert_int_equal(list.all[1].id, sl_kept_reference(9));
    sl_kept_list_fini(&list);
}

TEST(what_cannot_be_true_is_not_known)
{
    struct sl_kept_list list = {.count = 0};
    const struct sl_link_kept kept[] = {{.job = 7}, {.job = 7}};
    struct sl_link_told told = described;
    assert_int_equal(sl_kept_list_take(&list, kept, 2), 0);
    told.started_ms = sl_clock_utc_ms() + 3600000;
    told.config = "";
    assert_int_equal(sl_kept_list_told(&list, &told), 0);
    assert_int_equal(list.all[0].started_ms, 0);
    assert_null(list.all[0].config);
    told.job = 99;
    assert_int_equal(sl_kept_list_told(&list, &told), 0);
    assert_int_equal(sl_kept_list_take(&list, kept, 2), 0);
    sl_kept_list_fini(&list);
}

TEST(each_failed_allocation_leaves_the_list)
{
    struct sl_kept_list list = {.count = 0};
    const struct sl_link_kept kept = {.job = 7};
    assert_int_equal(sl_kept_list_take(&list, &kept, 1), 0);
    sl_mem_fail_nth(1);
    assert_int_equal(sl_kept_list_take(&list, &kept, 1), -ENOMEM);
    sl_mem_fail_nth(1);
    assert_int_equal(sl_kept_list_told(&list, &described), -ENOMEM);
    sl_mem_fail_nth(0);
    assert_int_equal(list.count, 1);
    assert_null(list.all[0].config);
    sl_kept_list_fini(&list);
}
