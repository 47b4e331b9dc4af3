/* tests/unit/host/rundir/test_plugin_turns.c */
#include "host/rundir/plugin_turns.h"

#include <errno.h>
#include <math.h>

#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "host/plugin/record.h"
#include "tests/support/test.h"

#define MS UINT64_C(1000000)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const names[] = {"", "Method::execute", "zero_unix_us", "zero_unix_us.end",
                                    "native_call_add.out"};

static struct sl_trace_record meta(uint32_t name, int64_t integer)
{
    struct sl_trace_record record = {.kind = SL_TRACE_META, .name = name};
    record.meta.integer = integer;
    return record;
}

static struct sl_trace_record event(uint32_t name, uint16_t variant, uint64_t begin, uint64_t end)
{
    struct sl_trace_record record = {.kind = SL_TRACE_EVENT, .name = name, .variant = variant};
    record.event.start = begin * MS;
    record.event.end = end * MS;
    return record;
}

/* Takes the turns of a trace of these records, whose zero is at 1000 ms of Unix time. */
static int take(struct sl_plugin_turns *out, int unit, const struct sl_trace_record *more,
                size_t count)
{
    struct sl_trace_record records[8] = {meta(2, 1000000), meta(3, 1004000)};
    const struct sl_trace trace = {.unit = unit,
                                   .names = names,
                                   .name_count = 4,
                                   .records = records,
                                   .record_count = count + 2};
    assert_true(count + 2 <= COUNT(records));
    for (size_t i = 0; i < count; i++)
        records[i + 2] = more[i];
    return sl_plugin_turns_init(out, &trace);
}

static bool is_known(int unit, const struct sl_trace_record *more, size_t count)
{
    struct sl_plugin_turns turns;
    assert_int_equal(take(&turns, unit, more, count), 0);
    bool known = turns.known;
    sl_plugin_turns_fini(&turns);
    return known;
}

TEST(executions_of_one_variant_without_a_pause_are_a_turn)
{
    const struct sl_trace_record records[] = {event(1, 0, 10, 20), event(4, 1, 20, 22),
                                              event(1, 0, 25, 40), event(1, 0, 46, 50),
                                              event(1, 1, 50, 90)};
    struct sl_plugin_turns turns;
    assert_int_equal(take(&turns, SL_TRACE_NS, records, COUNT(records)), 0);
    assert_true(turns.known);
    assert_int_equal(turns.count, 3);
    assert_int_equal(turns.list[0].begin_us, 1010000);
    assert_int_equal(turns.list[0].end_us, 1040000);
    assert_int_equal(turns.list[1].begin_us, 1046000);
    assert_int_equal(turns.list[2].level, 1);
    sl_plugin_turns_fini(&turns);
}

TEST(a_trace_without_a_clock_that_can_be_believed_has_none)
{
    const struct sl_trace_record one = event(1, 0, 10, 20);
    const struct sl_trace_record set[] = {one, meta(3, 1005001)}, back[] = {one, meta(3, 994999)};
    const struct sl_trace_record negative[] = {one, meta(2, -1), meta(3, -1)};
    const struct sl_trace_record far[] = {one, meta(2, INT64_MAX), meta(3, INT64_MAX)};
    const struct sl_trace_record third[] = {event(1, 2, 10, 20)};
    const struct sl_trace_record twisted[] = {event(1, 0, 20, 10)};
    const struct sl_trace_record over[] = {one, event(1, 1, 19, 30)};
    const struct sl_trace_record none[] = {event(4, 0, 10, 20)};
    assert_true(is_known(SL_TRACE_NS, &one, 1));
    assert_false(is_known(SL_TRACE_INSTRUCTIONS, &one, 1));
    assert_false(is_known(SL_TRACE_NS, set, COUNT(set)));
    assert_false(is_known(SL_TRACE_NS, back, COUNT(back)));
    assert_false(is_known(SL_TRACE_NS, negative, COUNT(negative)));
    assert_false(is_known(SL_TRACE_NS, far, COUNT(far)));
    assert_false(is_known(SL_TRACE_NS, third, 1));
    assert_false(is_known(SL_TRACE_NS, twisted, 1));
    assert_false(is_known(SL_TRACE_NS, over, COUNT(over)));
    assert_false(is_known(SL_TRACE_NS, none, 1));
}

TEST(a_trace_of_an_agent_that_says_no_zero_has_none)
{
    const struct sl_trace_record records[] = {event(1, 0, 10, 20)};
    const struct sl_trace trace = {
        .unit = SL_TRACE_NS, .names = names, .records = records, .record_count = 1};
    struct sl_plugin_turns turns;
    assert_int_equal(sl_plugin_turns_init(&turns, &trace), 0);
    assert_false(turns.known);
    sl_plugin_turns_fini(&turns);
}

TEST(a_failed_allocation_is_said)
{
    const struct sl_trace_record one = event(1, 0, 10, 20);
    struct sl_plugin_turns turns;
    sl_mem_fail_nth(1);
    assert_int_equal(take(&turns, SL_TRACE_NS, &one, 1), -ENOMEM);
    sl_plugin_turns_fini(&turns);
}

static const struct sl_plugin_clock same = {0, 0};

TEST(a_sample_is_a_variants_if_the_time_since_the_one_before_is)
{
    struct sl_plugin_turn list[] = {{100000, 200000, 0}, {200000, 300000, 1}, {310000, 400000, 1}};
    const struct sl_plugin_turns turns = {list, COUNT(list), true};
    /* No time before it; before the turn; off; off; too near the end; both; on; the pause; on. */
    const uint64_t at_ms[] = {50, 110, 150, 195, 196, 250, 295, 350, 395};
    const double values[] = {99, 99, 1, 2, 99, 99, 5, 99, 7};
    struct sl_plugin_apart apart;
    sl_plugin_turns_split(&turns, &same, at_ms, values, 0, COUNT(at_ms), &apart);
    assert_int_equal(apart.samples[0], 2);
    assert_int_equal(apart.samples[1], 2);
    assert_int_equal(apart.neither, 5);
    assert_true(apart.means[0] == 1.5 && apart.means[1] == 6);
    sl_plugin_turns_split(&turns, &same, at_ms, values, 3, 5, &apart);
    assert_int_equal(apart.samples[0], 1);
    assert_int_equal(apart.neither, 1);
    assert_true(apart.means[0] == 2 && isnan(apart.means[1]));
}

TEST(a_meter_slower_than_the_turns_has_no_sample_of_either)
{
    struct sl_plugin_turn list[] = {{100000, 120000, 0}, {120000, 140000, 1}, {140000, 160000, 0}};
    const struct sl_plugin_turns turns = {list, COUNT(list), true};
    const uint64_t at_ms[] = {100, 130, 160};
    const double values[] = {1, 2, 3};
    struct sl_plugin_apart apart;
    sl_plugin_turns_split(&turns, &same, at_ms, values, 0, COUNT(at_ms), &apart);
    assert_int_equal(apart.samples[0] + apart.samples[1], 0);
    assert_int_equal(apart.neither, 3);
}

/* The device's clock is an hour behind or ahead; its turns are by it, the samples by ours. */
TEST(a_device_with_a_clock_of_its_own_has_less_of_each_turn)
{
    static const int64_t hours[] = {-3600000, 3600000};
    const uint64_t at_ms[] = {7200105, 7200120, 7200180, 7200190, 7200220, 7200280};
    const double values[] = {99, 1, 2, 99, 99, 5};
    for (size_t i = 0; i < COUNT(hours); i++) {
        uint64_t zero_us = (uint64_t)(7200000 + hours[i]) * 1000;
        struct sl_plugin_turn list[] = {{zero_us + 100000, zero_us + 200000, 0},
                                        {zero_us + 200000, zero_us + 300000, 1}};
        const struct sl_plugin_turns turns = {list, COUNT(list), true};
        const struct sl_plugin_clock sure = {hours[i] * 1000, 0};
        const struct sl_plugin_clock unsure = {hours[i] * 1000, 10000};
        struct sl_plugin_apart apart;
        sl_plugin_turns_split(&turns, &sure, at_ms, values, 0, COUNT(at_ms), &apart);
        assert_int_equal(apart.samples[0], 3);
        assert_int_equal(apart.samples[1], 1);
        sl_plugin_turns_split(&turns, &unsure, at_ms, values, 0, COUNT(at_ms), &apart);
        assert_int_equal(apart.samples[0], 1);
        assert_int_equal(apart.samples[1], 1);
        assert_int_equal(apart.neither, 4);
        assert_true(apart.means[0] == 2 && apart.means[1] == 5);
        const struct sl_plugin_clock wild = {hours[i] * 1000, 9000000000000000};
        sl_plugin_turns_split(&turns, &wild, at_ms, values, 0, COUNT(at_ms), &apart);
        assert_int_equal(apart.neither, COUNT(at_ms));
    }
}
