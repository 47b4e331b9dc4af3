/* tests/unit/host/analysis/test_nesting.c */
#include "host/analysis/nesting.h"

#include <errno.h>

#include "common/base/mem.h"
#include "common/format/etdump.h"
#include "tests/support/unit.h"

enum { MOST = 16 };

static struct sl_etdump_event events[MOST];
static struct sl_etdump_run run;
static struct sl_nesting nesting;
static struct sl_nesting_result result;

static struct sl_etdump_event *add(const char *name, int32_t instruction, uint64_t start,
                                   uint64_t end)
{
    struct sl_etdump_event *event = &events[run.event_count++];
    *event = (struct sl_etdump_event){.kind = SL_ETDUMP_PROFILE,
                                      .name = name,
                                      .name_len = (uint32_t)strlen(name),
                                      .delegate_id_int = -1,
                                      .instruction_id = instruction,
                                      .start = start,
                                      .end = end};
    return event;
}

static void begin(void)
{
    run = (struct sl_etdump_run){.bundled_input_index = -1, .has_events = true, .events = events};
}

static void build(void)
{
    assert_int_equal(sl_nesting_build(&nesting, &run, &result), 0);
}

static void end(void)
{
    sl_nesting_fini(&nesting);
}

/* The self times of what lies under a Method::execute sum to its duration. */
static int64_t self_sum(void)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < run.event_count; i++)
        sum += nesting.events[i].self;
    return sum;
}

TEST(events_nest_by_time_within_an_instruction)
{
    begin();
    add("inner", 0, 20, 30);
    add("outer", 0, 10, 50);
    add("other", 1, 52, 60); /* of another instruction */
    add("Method::execute", -1, 0, 100);
    build();
    assert_int_equal(nesting.events[0].parent, 1);
    assert_int_equal(nesting.events[1].parent, 3);
    assert_int_equal(nesting.events[2].parent, 3);
    assert_int_equal(nesting.events[3].parent, SL_NESTING_NONE);
    assert_int_equal(nesting.events[1].self, 30);
    assert_int_equal(nesting.events[3].self, 100 - 40 - 8);
    assert_int_equal(result.executes, 1);
    assert_int_equal(result.end_to_end, 100);
    assert_int_equal(self_sum(), 100);
    end();
}

TEST(equal_times_of_another_instruction_do_not_nest)
{
    begin();
    add("a", 0, 20, 30);
    add("b", 1, 10, 50);
    build();
    assert_int_equal(nesting.events[0].parent, SL_NESTING_NONE);
    assert_int_equal(result.executes, 0);
    assert_int_equal(result.end_to_end, 10 + 40); /* without a Method::execute its roots are it */
    end();
}

TEST(a_call_of_a_delegate_holds_its_events_whatever_their_times)
{
    begin();
    add("dense", 3, 5, 400)->delegate_id = "dense"; /* in a coarser unit */
    add("DELEGATE_CALL", 3, 10, 50);
    add("Method::execute", -1, 0, 100);
    build();
    assert_int_equal(nesting.events[0].parent, 1);
    assert_true(nesting.events[0].delegated && nesting.events[1].holds_delegated);
    assert_int_equal(nesting.events[1].self, 40 - 395);
    assert_int_equal(result.negative_self, 1);
    assert_int_equal(result.worst, 1);
    assert_int_equal(result.strays, 1);
    assert_int_equal(self_sum(), 100);
    end();
}

TEST(a_clock_of_32_bits_that_wraps_goes_on)
{
    begin();
    add("before", 0, UINT32_MAX - 9, UINT32_MAX - 4);
    add("across", 1, UINT32_MAX - 3, 6);
    add("after", 2, 8, 20);
    add("Method::execute", -1, UINT32_MAX - 10, 30);
    build();
    assert_int_equal(nesting.events[1].duration, 10);
    assert_int_equal(nesting.events[2].duration, 12);
    assert_int_equal(result.wrapped, 2);
    assert_int_equal(result.backwards, 0);
    assert_int_equal(result.strays, 0);
    assert_int_equal(result.end_to_end, 41);
    assert_int_equal(self_sum(), 41);
    end();
}

TEST(an_event_that_ends_before_it_begins_is_counted_and_the_sum_holds)
{
    begin();
    add("turned", 0, 50, 20);
    add("Method::execute", -1, 0, 100);
    build();
    assert_int_equal(nesting.events[0].duration, -30);
    assert_int_equal(result.backwards, 1);
    assert_int_equal(self_sum(), 100);
    end();
}

TEST(a_method_that_calls_a_method_is_outermost)
{
    begin();
    add("a", 0, 12, 18);
    add("Method::execute", -1, 10, 20);
    add("Method::execute", -1, 0, 100);
    add("late", 0, 101, 103); /* behind the last: its own, as it has nowhere else to be */
    build();
    assert_int_equal(nesting.events[0].parent, 1);
    assert_int_equal(nesting.events[1].parent, 2);
    assert_int_equal(nesting.events[3].parent, 2);
    assert_int_equal(result.executes, 1);
    assert_int_equal(result.strays, 1);
    assert_int_equal(self_sum(), 100);
    end();
}

TEST(allocations_have_no_time_and_memory_serves_again)
{
    begin();
    add("", 0, 0, 1000)->kind = SL_ETDUMP_ALLOCATION;
    add("Method::execute", -1, 0, 100);
    build();
    assert_false(nesting.events[0].profile);
    assert_int_equal(nesting.events[0].self, 0);
    assert_int_equal(result.end_to_end, 100);
    const struct sl_nested_event *kept = nesting.events;
    build();
    assert_ptr_equal(nesting.events, kept);
    assert_int_equal(result.end_to_end, 100);
    end();
}

TEST(build_survives_each_failed_allocation)
{
    int rc = -ENOMEM;
    begin();
    add("Method::execute", -1, 0, 100);
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        sl_mem_fail_nth(nth);
        rc = sl_nesting_build(&nesting, &run, &result);
        sl_nesting_fini(&nesting);
        assert_true(nth < 10);
    }
    sl_mem_fail_nth(0);
    assert_int_equal(rc, 0);
}
