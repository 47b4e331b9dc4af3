/* tests/unit/host/store/test_pq_plans.c */
#include "host/store/pq_plans.h"

#include <errno.h>
#include <stdio.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/store/database.h"
#include "tests/support/test.h"

static struct sl_pq_plans plans;

static struct sl_pq_call call_of(const char *sql, int64_t number)
{
    struct sl_pq_call call = {.sql = sql};
    const struct sl_value value = {.kind = SL_VALUE_INTEGER, .integer = number};
    assert_int_equal(sl_pq_call_bind(&call, 1, &value), 0);
    return call;
}

TEST(a_plan_is_found_by_text_types_and_number_of_rows)
{
    const struct sl_pq_call insert = call_of("INSERT INTO t (a) VALUES (?) RETURNING id", 1);
    const struct sl_pq_call again = call_of("INSERT INTO t (a) VALUES (?) RETURNING id", 2);
    struct sl_pq_call text = {.sql = insert.sql};
    const struct sl_value value = {.kind = SL_VALUE_TEXT, .text = "x"};
    assert_int_equal(sl_pq_call_bind(&text, 1, &value), 0);
    const struct sl_pq_plan *one = NULL, *many = NULL;
    assert_null(sl_pq_plans_find(&plans, &insert, false));
    assert_int_equal(sl_pq_plans_add(&plans, &insert, false, &one), 0);
    assert_int_equal(sl_pq_plans_add(&plans, &insert, true, &many), 0);
    assert_string_not_equal(one->name, many->name);
    assert_ptr_equal(sl_pq_plans_find(&plans, &again, false), one);
    assert_ptr_equal(sl_pq_plans_find(&plans, &again, true), many);
    assert_null(sl_pq_plans_find(&plans, &text, false));
    sl_pq_plans_clear(&plans);
    assert_null(sl_pq_plans_find(&plans, &again, false));
    sl_pq_call_fini(&text);
}

TEST(one_plan_goes_and_its_name_is_not_given_to_another)
{
    const struct sl_pq_call question = call_of("SELECT ?", 1), other = call_of("SELECT 1, ?", 1);
    const struct sl_pq_plan *plan = NULL;
    assert_int_equal(sl_pq_plans_add(&plans, &question, false, &plan), 0);
    unsigned number = plan->number;
    char name[SL_PQ_PLAN_NAME_BYTES];
    snprintf(name, sizeof(name), "%s", plan->name);
    assert_int_equal(sl_pq_plans_add(&plans, &other, false, &plan), 0);
    sl_pq_plans_drop(&plans, number);
    assert_null(sl_pq_plans_find(&plans, &question, false));
    assert_non_null(sl_pq_plans_find(&plans, &other, false));
    sl_pq_plans_drop(&plans, number); /* it is gone already */
    assert_int_equal(plans.count, 1);
    assert_int_equal(sl_pq_plans_add(&plans, &question, false, &plan), 0);
    assert_string_not_equal(plan->name, name);
    sl_pq_plans_clear(&plans);
}

TEST(only_an_insert_of_a_numbered_row_joins_others)
{
    const struct sl_pq_call insert = call_of("INSERT INTO t (a) VALUES (?) RETURNING id", 1);
    const struct sl_pq_call question = call_of("SELECT ?", 1);
    const struct sl_pq_plan *plan = NULL;
    assert_int_equal(sl_pq_plans_add(&plans, &insert, false, &plan), 0);
    assert_true(plan->joins);
    assert_int_equal(sl_pq_plans_add(&plans, &question, false, &plan), 0);
    assert_false(plan->joins);
    sl_pq_plans_clear(&plans);
}

TEST(no_more_plans_are_kept_than_there_is_room_for)
{
    char sql[32];
    const struct sl_pq_plan *plan = NULL;
    for (int i = 0; i < SL_PQ_MAX_PLANS; i++) {
        snprintf(sql, sizeof(sql), "SELECT ?, %d", i);
        const struct sl_pq_call call = call_of(sql, 1);
        assert_int_equal(sl_pq_plans_add(&plans, &call, false, &plan), 0);
    }
    const struct sl_pq_call more = call_of("SELECT ?", 1);
    assert_int_equal(sl_pq_plans_add(&plans, &more, false, &plan), SL_E_FULL);
    sl_pq_plans_clear(&plans);
    sl_mem_fail_nth(1);
    assert_int_equal(sl_pq_plans_add(&plans, &more, false, &plan), -ENOMEM);
    assert_null(sl_pq_plans_find(&plans, &more, false));
}
