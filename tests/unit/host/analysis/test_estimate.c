/* tests/unit/host/analysis/test_estimate.c */
#include "host/analysis/estimate.h"

#include <math.h>

#include "host/analysis/block_work.h"
#include "host/analysis/silicon.h"
#include "tests/support/test.h"

/* Everything takes one cycle of one nanosecond, a session 10 and a call 20. */
static struct sl_silicon simple(void)
{
    struct sl_silicon s = {.name = "simple", .has_unit = true, .core_level_count = 1};
    for (int id = 0; id < SL_FIGURE_COUNT; id++)
        s.figures[id] = (struct sl_silicon_figure){1, 'M'};
    for (int w = 0; w < SL_WORK_COUNT; w++)
        s.cycles[w] = s.latency[w] = (struct sl_silicon_figure){1, 'V'};
    s.figures[SL_FIGURE_UNIT_SESSION].value = 10;
    s.figures[SL_FIGURE_CORE_CALL].value = 20;
    s.figures[SL_FIGURE_UNIT_OVERLAP].value = 0.5;
    s.figures[SL_FIGURE_UNIT_BAND_FIXED].value = 0;
    s.figures[SL_FIGURE_UNIT_DRAIN].value = 0;
    s.figures[SL_FIGURE_CORE_WIDTH].value = 8;
    s.core_levels[0] = s.unit_levels[0] = (struct sl_silicon_level){INFINITY, 2, 'M', false};
    s.unit_level_count = 1;
    return s;
}

static void add(struct sl_estimate_stage *stage, const struct sl_silicon *silicon, int work,
                uint32_t units, uint64_t times)
{
    struct sl_block_work block = {.insns = units};
    struct sl_block_cost cost;
    block.units[work] = units;
    sl_block_cost_make(silicon, &block, stage->streaming, &cost);
    sl_estimate_stage_add(stage, &block, &cost, times);
}

static const struct sl_estimate_data once = {.calls = 1, .passes = 1};

static void near(double got, double expected)
{
    if (fabs(got - expected) > 1e-9)
        fail_msg("%g, expected %g", got, expected);
}

TEST(a_stage_takes_the_middle_between_no_overlap_and_all)
{
    struct sl_silicon s = simple();
    struct sl_estimate_stage stage = {.streaming = true};
    struct sl_estimate e = {0};
    add(&stage, &s, SL_WORK_OUTER_F32, 8, 10); /* 80 ns of products */
    add(&stage, &s, SL_WORK_Z_STORE, 4, 10);   /* and 40 of stores, in other blocks */
    sl_estimate_add(&e, &s, &stage, 1);
    sl_estimate_finish(&e, &s, &once);
    near(e.least_ns, 80);
    near(e.sum.most_ns, 120);
    near(e.mid_ns, 20 + 100);
    near(e.low_ns, 100);
    near(e.high_ns, 140);
    assert_int_equal(e.bound, SL_BOUND_OUTER);
    assert_int_equal(e.confidence, 'V');
}

TEST(what_it_is_spent_on_sums_to_the_whole)
{
    struct sl_silicon s = simple();
    struct sl_estimate_stage stage = {.streaming = true};
    struct sl_estimate e = {0};
    double sum = 0;
    add(&stage, &s, SL_WORK_SM_START, 1, 1);
    add(&stage, &s, SL_WORK_Z_1, 5, 7);
    sl_estimate_add(&e, &s, &stage, 3);
    sl_estimate_finish(&e, &s, &once);
    for (int b = 0; b < SL_BOUND_COUNT; b++)
        sum += e.sum.bound_ns[b];
    near(sum, e.mid_ns);
    assert_int_equal(e.sessions, 3);
    near(e.sum.bound_ns[SL_BOUND_SWITCH], 30);
}

TEST(scalar_floats_are_the_units_in_streaming_mode_and_the_cores_outside)
{
    struct sl_silicon s = simple();
    struct sl_estimate_stage in = {.streaming = true}, out = {.streaming = false};
    s.cycles[SL_WORK_Z_1].value = 4;
    add(&in, &s, SL_WORK_NEON, 1, 1);
    add(&out, &s, SL_WORK_NEON, 1, 1);
    near(in.port_ns[SL_PORT_VECTOR], 4);
    near(in.port_ns[SL_PORT_NEON], 0);
    near(out.port_ns[SL_PORT_NEON], 1);
}

TEST(memory_that_takes_longer_is_the_bound)
{
    struct sl_silicon s = simple();
    struct sl_estimate_stage stage = {.streaming = false};
    struct sl_estimate e = {0};
    const struct sl_estimate_traffic traffic = {.bytes = 2000, .footprint = 2000};
    struct sl_estimate_data data = {
        .traffic = &traffic, .traffic_count = 1, .calls = 1, .passes = 1};
    add(&stage, &s, SL_WORK_NEON, 10, 1);
    sl_estimate_add(&e, &s, &stage, 1);
    sl_estimate_finish(&e, &s, &data);
    near(e.mid_ns, 1020);
    assert_int_equal(e.bound, SL_BOUND_MEMORY);
    s.core_levels[0].waits = true;
    e = (struct sl_estimate){0};
    sl_estimate_add(&e, &s, &stage, 1);
    sl_estimate_finish(&e, &s, &data);
    near(e.mid_ns, 1030); /* not instead of the instructions, but after them */
}

TEST(instructions_without_a_class_widen_the_band)
{
    struct sl_silicon s = simple();
    struct sl_estimate known = {0}, unknown = {0};
    struct sl_estimate_stage stage = {.streaming = false};
    add(&stage, &s, SL_WORK_NEON, 100, 1);
    sl_estimate_add(&known, &s, &stage, 1);
    add(&stage, &s, SL_WORK_UNCLASSIFIED, 1, 1);
    sl_estimate_add(&unknown, &s, &stage, 1);
    sl_estimate_finish(&known, &s, &once);
    sl_estimate_finish(&unknown, &s, &once);
    assert_int_equal(unknown.unclassified, 1);
    assert_true(unknown.high_ns / unknown.mid_ns > 1.4 * known.high_ns / known.mid_ns);
}

TEST(a_range_of_clocks_is_in_the_band)
{
    struct sl_silicon s = simple();
    struct sl_estimate e = {0};
    struct sl_estimate_stage stage = {.streaming = true};
    s.figures[SL_FIGURE_UNIT_CLOCK_LOW].value = 0.5;
    s.figures[SL_FIGURE_UNIT_CLOCK_HIGH].value = 2;
    add(&stage, &s, SL_WORK_OUTER_F32, 100, 1);
    sl_estimate_add(&e, &s, &stage, 1);
    sl_estimate_finish(&e, &s, &once);
    near(e.low_ns, 20 + 50);
    near(e.mid_ns, 20 + 100);
    near(e.high_ns, 20 + 200);
}

TEST(nothing_executed_is_a_call)
{
    struct sl_silicon s = simple();
    struct sl_estimate e = {0};
    sl_estimate_finish(&e, &s, &once);
    near(e.mid_ns, 20);
    assert_true(e.low_ns <= e.mid_ns && e.mid_ns <= e.high_ns);
}

TEST(bounds_and_ports_have_names)
{
    for (int b = 0; b < SL_BOUND_COUNT; b++)
        assert_non_null(sl_bound_name(b));
    for (int p = 0; p < SL_PORT_COUNT; p++)
        assert_non_null(sl_port_name(p));
}
