/* tests/unit/host/job/test_kept_list.c */
#include "host/job/kept_list.h"

#include <errno.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/mem.h"
#include "host/device/link_job.h"
#include "tests/support/unit.h"

#define REFERENCE (UINT64_C(1) << 62)

static const struct sl_link_told described = {.job = {0, 7},
                                              .started_ms = 1764000000000,
                                              .config = "{\"model\":\"m\"}",
                                              .host = "lab\033[1m"};

TEST(what_is_known_of_one_stays_while_it_is_kept)
{
    struct sl_kept_list list = {.count = 0};
    struct sl_link_kept kept[] = {{.job = {0, 7}, .bytes = 10},
                                  {.job = {0, 8}, .bytes = 1, .outcome = 1}};
    assert_int_equal(sl_kept_list_take(&list, kept, 2), 0);
    assert_int_equal(sl_kept_list_told(&list, &described), 0);
    list.all[0].asked = true;
    kept[0].outcome = SL_OUTCOME_DONE;
    kept[0].bytes = 20;
    assert_int_equal(sl_kept_list_take(&list, kept, 1), 0);
    assert_int_equal(list.count, 1);
    const struct sl_kept *one = sl_kept_list_find(&list, (struct sl_run_id){0, 7});
    assert_non_null(one);
    assert_string_equal(one->config, "{\"model\":\"m\"}");
    assert_string_equal(one->host, "lab?[1m");
    assert_true(one->started_ms == 1764000000000 && one->asked);
    assert_int_equal(one->bytes, 20);
    assert_int_equal(one->outcome, SL_OUTCOME_DONE);
    assert_null(sl_kept_list_find(&list, (struct sl_run_id){1, 7}));
    assert_int_equal(sl_kept_list_take(&list, NULL, 0), 0);
    assert_int_equal(list.count, 0);
}

TEST(a_comparison_is_a_part_of_its_run)
{
    struct sl_kept_list list = {.count = 0};
    const struct sl_link_kept kept[] = {
        {.job = {0, 7 | REFERENCE}, .bytes = 5},
        {.job = {0, 7}, .bytes = 10, .outcome = SL_OUTCOME_DONE},
        {.job = {0, 9 | REFERENCE}, .bytes = 3, .outcome = SL_OUTCOME_DONE}};
    assert_int_equal(sl_kept_list_take(&list, kept, 3), 0);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.all[0].id.low, 7);
    assert_int_equal(list.all[0].bytes, 15);
    assert_int_equal(list.all[0].outcome, 0); /* the comparison still runs */
    assert_true(sl_run_ids_equal(list.all[1].id, sl_kept_reference((struct sl_run_id){0, 9})));
    sl_kept_list_fini(&list);
}

TEST(no_two_starts_have_one_number)
{
    const struct sl_kept_start first = {"lab", 1, 1764000000000, 1};
    struct sl_kept_start others[] = {first, first, first, first};
    struct sl_run_id id = sl_kept_id(&first);
    others[0].store = "another lab"; /* whose jobs begin with 1, too */
    others[1].job += 1 << 24;
    others[2].submitted_ms++; /* of a state that was put back to an earlier day */
    others[3].attempt += 1 << 8;
    assert_true(sl_run_ids_equal(id, sl_kept_id(&first))); /* a later daemon, another host */
    assert_true(id.high != 0 && id.low != 0 && (id.low & REFERENCE) == 0);
    for (size_t i = 0; i < 4; i++)
        assert_false(sl_run_ids_equal(id, sl_kept_id(&others[i])));
    assert_false(sl_run_ids_equal(id, sl_kept_reference(id)));
}

TEST(a_start_and_those_before_it_are_of_one_job)
{
    struct sl_kept_start start = {"a store", 7, 1764000000000, 2};
    const struct sl_run_id own = sl_kept_id(&start);
    assert_true(sl_kept_is_of(own, &start));
    start.attempt = 3;
    assert_true(sl_kept_is_of(own, &start));
    start.attempt = 1;
    assert_false(sl_kept_is_of(own, &start));
    start = (struct sl_kept_start){"another", 7, 1764000000000, 3};
    assert_false(sl_kept_is_of(own, &start));
}

TEST(what_ended_by_itself_is_worth_having)
{
    for (int outcome = 0; outcome <= SL_OUTCOME_BUSY; outcome++) {
        const struct sl_kept kept = {.outcome = outcome};
        assert_int_equal(sl_kept_is_worth(&kept), outcome <= SL_OUTCOME_TIMED_OUT);
    }
}

TEST(what_cannot_be_true_is_not_known)
{
    struct sl_kept_list list = {.count = 0};
    const struct sl_link_kept kept[] = {{.job = {0, 7}}, {.job = {0, 7}}};
    struct sl_link_told told = described;
    assert_int_equal(sl_kept_list_take(&list, kept, 2), 0);
    told.started_ms = sl_clock_utc_ms() + 3600000;
    told.config = "";
    assert_int_equal(sl_kept_list_told(&list, &told), 0);
    assert_int_equal(list.all[0].started_ms, 0);
    assert_null(list.all[0].config);
    told.job.high = 99;
    assert_int_equal(sl_kept_list_told(&list, &told), 0);
    assert_int_equal(sl_kept_list_take(&list, kept, 2), 0);
    sl_kept_list_fini(&list);
}

TEST(each_failed_allocation_leaves_the_list)
{
    struct sl_kept_list list = {.count = 0};
    const struct sl_link_kept kept = {.job = {0, 7}};
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
