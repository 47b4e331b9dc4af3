/* tests/unit/host/analysis/test_attribution.c */
#include "host/analysis/attribution.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/etdump.h"
#include "common/format/sltrace.h"
#include "common/format/trace_etdump.h"
#include "host/analysis/comparison.h"
#include "host/analysis/rounds.h"
#include "tests/support/operands.h"
#include "tests/support/test.h"

static const char *const framework[] = {"Method::execute", "OPERATOR_CALL", "DELEGATE_CALL",
                                        "Method::init", "Program::load_method"};
static const struct sl_rule phrases[] = {
    {SL_CATEGORY_CONV, " convolution ", NULL}, {SL_CATEGORY_CONV, " conv2d ", NULL},
    {SL_CATEGORY_GEMM, " gemm ", NULL},        {SL_CATEGORY_GEMM, " mm ", NULL},
    {SL_CATEGORY_MOVEMENT, " convert ", NULL}, {SL_CATEGORY_ELEMENTWISE, " add ", NULL}};
static const struct sl_rules rules = {.version = 1,
                                      .fallback = SL_CATEGORY_OTHER,
                                      .framework = framework,
                                      .framework_count = 5,
                                      .rules = phrases,
                                      .rule_count = 6};

static struct sl_etdump_event frame(const char *name, int64_t chain, int32_t instruction,
                                    uint64_t start, uint64_t end)
{
    return (struct sl_etdump_event){.name = name,
                                    .name_len = (uint32_t)strlen(name),
                                    .delegate_id_int = -1,
                                    .chain_index = chain,
                                    .instruction_id = instruction,
                                    .start = start,
                                    .end = end};
}

static struct sl_etdump_event inside(const char *id, int32_t instruction, uint64_t start,
                                     uint64_t end)
{
    struct sl_etdump_event event = frame("", 0, instruction, start, end);
    event.name = NULL;
    event.name_len = 0;
    event.delegate_id = id;
    event.delegate_id_len = (uint32_t)strlen(id);
    return event;
}

static struct sl_etdump_run block(const char *name, const struct sl_etdump_event *events,
                                  size_t count)
{
    return (struct sl_etdump_run){.name = name,
                                  .name_len = (uint32_t)strlen(name),
                                  .bundled_input_index = -1,
                                  .has_events = count > 0,
                                  .event_count = (uint32_t)count,
                                  .events = events};
}

static struct sl_attribution attribute(const struct sl_etdump_run *runs, size_t count,
                                       const struct sl_trace *trace)
{
    struct sl_etdump etdump = {.run_count = (uint32_t)count, .runs = runs};
    struct sl_attribution_options options = {.rules = &rules, .trace = trace, .only_run = -1};
    struct sl_attribution made;
    assert_int_equal(sl_attribution_make(&etdump, &options, &made, NULL), 0);
    return made;
}

static void assert_sums_hold(const struct sl_attribution *a)
{
    uint64_t operators = 0;
    uint64_t measured = 0;
    for (size_t r = 0; r < a->run_count; r++) {
        uint64_t sum = 0;
        for (int c = 0; c < SL_CATEGORY_COUNT; c++)
            sum += (uint64_t)a->runs[r].categories[c];
        assert_true(sum == (uint64_t)a->runs[r].end_to_end);
        measured += a->runs[r].warmup ? 0 : (uint64_t)a->runs[r].end_to_end;
    }
    for (size_t i = 0; i < a->operator_count; i++)
        operators += (uint64_t)a->operators[i].total;
    assert_true(operators == measured);
}

static bool warned(const struct sl_attribution *a, const char *part)
{
    for (size_t i = 0; i < a->warning_count; i++) {
        if (strstr(a->warnings[i], part))
            return true;
    }
    return false;
}

TEST(self_time_of_each_level_goes_to_its_category)
{
    const struct sl_etdump_event events[] = {
        inside("Convolution (NHWC, F32) IGEMM #1", 0, 110, 150),
        inside("Convert (NC) #1", 0, 150, 160),
        frame("DELEGATE_CALL", 0, 0, 105, 170),
        frame("native_call_add.out", 0, 1, 175, 185),
        frame("OPERATOR_CALL", 0, 1, 174, 188),
        frame("Method::execute", -1, 0, 100, 200),
    };
    struct sl_etdump_run run = block("Execute", events, 6);
    struct sl_attribution a = attribute(&run, 1, NULL);
    assert_sums_hold(&a);
    const int64_t *c = a.runs[0].categories;
    assert_int_equal(a.runs[0].end_to_end, 100);
    assert_int_equal(c[SL_CATEGORY_CONV], 40);
    assert_int_equal(c[SL_CATEGORY_MOVEMENT], 10);
    assert_int_equal(c[SL_CATEGORY_ELEMENTWISE], 10);
    assert_int_equal(c[SL_CATEGORY_FRAMEWORK], 15 + 4 + 21);
    assert_int_equal(a.warning_count, 0);
    assert_false(a.by_origin);
    sl_attribution_fini(&a);
}

TEST(identical_intervals_nest_by_file_order)
{
    const struct sl_etdump_event events[] = {
        frame("native_call_mm.out", 0, 0, 10, 20),
        frame("OPERATOR_CALL", 0, 0, 10, 20),
        frame("Method::execute", -1, 0, 10, 20),
    };
    struct sl_etdump_run run = block("Execute", events, 3);
    struct sl_attribution a = attribute(&run, 1, NULL);
    assert_sums_hold(&a);
    assert_int_equal(a.runs[0].categories[SL_CATEGORY_GEMM], 10);
    assert_int_equal(a.runs[0].categories[SL_CATEGORY_FRAMEWORK], 0);
    sl_attribution_fini(&a);
}

TEST(times_laid_end_to_end_stay_in_their_delegate_call)
{
    const struct sl_etdump_event events[] = {
        inside("Add (ND) #1", 0, 1500, 3500),     inside("Add (ND) #2", 0, 3500, 3500),
        inside("Add (ND) #3", 0, 3500, 5500), /* sticks out of the call */
        frame("DELEGATE_CALL", 0, 0, 1400, 5400), frame("Method::execute", -1, 0, 1000, 6000),
    };
    struct sl_etdump_run run = block("Execute", events, 5);
    struct sl_attribution a = attribute(&run, 1, NULL);
    assert_sums_hold(&a);
    assert_int_equal(a.runs[0].categories[SL_CATEGORY_ELEMENTWISE], 4000);
    assert_int_equal(a.runs[0].categories[SL_CATEGORY_FRAMEWORK], 1000);
    assert_true(warned(&a, "1 events lie partly outside"));
    sl_attribution_fini(&a);
}

TEST(delegate_times_of_another_clock_make_negative_self_times)
{
    /* The test vector of ExecuTorch's own writer: a delegate event far outside of its call. */
    const struct sl_etdump_event events[] = {
        inside("Add (ND) #1", 0, 5000, 6000),
        frame("DELEGATE_CALL", 0, 0, 1300, 1400),
        frame("Method::execute", -1, 0, 1200, 1500),
    };
    struct sl_etdump_run run = block("Execute", events, 3);
    struct sl_attribution a = attribute(&run, 1, NULL);
    assert_sums_hold(&a);
    assert_int_equal(a.runs[0].end_to_end, 300);
    assert_int_equal(a.runs[0].categories[SL_CATEGORY_ELEMENTWISE], 1000);
    assert_int_equal(a.runs[0].categories[SL_CATEGORY_FRAMEWORK], -700);
    assert_true(warned(&a, "DELEGATE_CALL, self -900"));
    sl_attribution_fini(&a);
}

TEST(native_call_with_a_delegate_inside_is_framework)
{
    const struct sl_etdump_event events[] = {
        inside("GEMM #1", 0, 12, 18),
        frame("native_call_add.out", 0, 0, 10, 20),
        frame("OPERATOR_CALL", 0, 0, 10, 20),
        frame("Method::execute", -1, 0, 10, 20),
    };
    struct sl_etdump_run run = block("Execute", events, 4);
    struct sl_attribution a = attribute(&run, 1, NULL);
    assert_sums_hold(&a);
    assert_int_equal(a.runs[0].categories[SL_CATEGORY_GEMM], 6);
    assert_int_equal(a.runs[0].categories[SL_CATEGORY_FRAMEWORK], 4);
    assert_int_equal(a.runs[0].categories[SL_CATEGORY_ELEMENTWISE], 0);
    sl_attribution_fini(&a);
}

TEST(run_without_method_execute_sums_its_instructions)
{
    const struct sl_etdump_event events[] = {
        frame("native_call_mm.out", 0, 0, 10, 18),
        frame("OPERATOR_CALL", 0, 0, 9, 20),
        frame("OPERATOR_CALL", 0, 1, 30, 35),
    };
    struct sl_etdump_run run = block("Execute", events, 3);
    struct sl_attribution a = attribute(&run, 1, NULL);
    assert_sums_hold(&a);
    assert_int_equal(a.runs[0].end_to_end, 16);
    assert_true(warned(&a, "have no Method::execute"));
    sl_attribution_fini(&a);
}

TEST(several_methods_of_a_run_are_added)
{
    const struct sl_etdump_event events[] = {
        frame("OPERATOR_CALL", 0, 0, 12, 18),
        frame("Method::execute", -1, 0, 10, 20),
        frame("OPERATOR_CALL", 0, 0, 112, 118),
        frame("Method::execute", -1, 0, 110, 130),
    };
    struct sl_etdump_run run = block("Execute", events, 4);
    struct sl_attribution a = attribute(&run, 1, NULL);
    assert_sums_hold(&a);
    assert_int_equal(a.runs[0].end_to_end, 30);
    assert_true(warned(&a, "several Method::execute"));
    sl_attribution_fini(&a);
}

TEST(wrapped_32_bit_clock_counts_modulo)
{
    const struct sl_etdump_event events[] = {
        frame("native_call_mm.out", 0, 0, UINT64_C(0xfffffff8), 8),
        frame("OPERATOR_CALL", 0, 0, UINT64_C(0xfffffff4), 12),
        frame("OPERATOR_CALL", 0, 1, 20, 30),
        frame("Method::execute", -1, 0, UINT64_C(0xfffffff0), 48),
    };
    struct sl_etdump_run run = block("Execute", events, 4);
    struct sl_attribution a = attribute(&run, 1, NULL);
    assert_sums_hold(&a);
    assert_int_equal(a.runs[0].end_to_end, 64);
    assert_int_equal(a.runs[0].categories[SL_CATEGORY_GEMM], 16);
    assert_int_equal(a.runs[0].categories[SL_CATEGORY_FRAMEWORK], 48);
    assert_true(warned(&a, "32-bit clock wrapped within 3 events"));
    sl_attribution_fini(&a);
}

TEST(load_block_gives_load_figures_and_no_run)
{
    const struct sl_etdump_event load[] = {
        frame(SL_ETDUMP_INSTRUCTIONS_MARKER, -1, 0, 0, 0),
        frame("Method::init", -1, 0, 10, 50),
        frame("Program::load_method", -1, 0, 5, 60),
    };
    const struct sl_etdump_event events[] = {frame("Method::execute", -1, 0, 100, 200)};
    const struct sl_etdump_run runs[] = {block("Default", load, 3), block("Execute", events, 1),
                                         block("Execute", events, 1)};
    struct sl_attribution a = attribute(runs, 3, NULL);
    assert_sums_hold(&a);
    assert_int_equal(a.run_count, 2);
    assert_true(a.has_program_load && a.has_method_init);
    assert_int_equal(a.program_load, 55);
    assert_int_equal(a.method_init, 40);
    assert_int_equal(a.unit, SL_TRACE_INSTRUCTIONS);
    const struct sl_etdump_run named[] = {
        block("Default (" SL_ETDUMP_INSTRUCTIONS_MARKER ")", load + 1, 2),
        block("Execute", events, 1)};
    struct sl_attribution counted = attribute(named, 2, NULL);
    assert_int_equal(counted.unit, SL_TRACE_INSTRUCTIONS);
    sl_attribution_fini(&counted);
    assert_int_equal(a.runs[1].block, 2);
    assert_int_equal(a.position_count, 1);
    assert_int_equal(a.positions[0].total, 200);
    sl_attribution_fini(&a);
}

TEST(one_run_can_be_asked_for)
{
    const struct sl_etdump_event first[] = {frame("Method::execute", -1, 0, 0, 9)};
    const struct sl_etdump_event second[] = {frame("Method::execute", -1, 0, 10, 17)};
    const struct sl_etdump_run runs[] = {block("Execute", first, 1), block("Execute", second, 1)};
    struct sl_etdump etdump = {.run_count = 2, .runs = runs};
    struct sl_attribution_options options = {.rules = &rules, .only_run = 1};
    struct sl_attribution a;
    struct sl_diag diag = {.what = ""};
    assert_int_equal(sl_attribution_make(&etdump, &options, &a, &diag), 0);
    assert_int_equal(a.run_count, 1);
    assert_int_equal(a.runs[0].run, 1);
    assert_int_equal(a.runs[0].end_to_end, 7);
    sl_attribution_fini(&a);
    options.only_run = 2;
    assert_int_equal(sl_attribution_make(&etdump, &options, &a, &diag), SL_E_NOT_FOUND);
    assert_string_equal(diag.what, "there is no run 2; the file has 2");
}

TEST(rounds_set_warm_up_aside_and_make_pairs)
{
    const struct sl_etdump_event load[] = {frame("Method::init", -1, 0, 0, 30)};
    const struct sl_etdump_event warm[] = {frame("Method::execute", -1, 0, 0, 90)};
    const struct sl_etdump_event steady[] = {frame("Method::execute", -1, 0, 10, 17)};
    const struct sl_etdump_run runs[] = {block("Default", load, 1),   block("Execute", warm, 1),
                                         block("Execute", steady, 1), block("Default", load, 1),
                                         block("Execute", warm, 1),   block("Execute", steady, 1)};
    struct sl_etdump etdump = {.run_count = 6, .runs = runs};
    struct sl_rounds rounds = {.warmup = 1, .count = 2, .executions = {2, 2}};
    struct sl_attribution_options options = {.rules = &rules, .only_run = -1, .rounds = &rounds};
    struct sl_attribution a;
    assert_int_equal(sl_attribution_make(&etdump, &options, &a, NULL), 0);
    assert_int_equal(a.run_count, 4);
    assert_int_equal(a.measured_count, 2);
    assert_true(a.runs[0].warmup && !a.runs[1].warmup && a.runs[2].warmup && !a.runs[3].warmup);
    assert_int_equal(a.runs[1].pair, 0);
    assert_int_equal(a.runs[3].pair, 1);
    assert_int_equal(a.method_init, 30); /* of one process, not of both */
    assert_int_equal(a.operators[0].total, 14);
    assert_int_equal(a.warning_count, 0);
    sl_attribution_fini(&a);
    rounds.executions[0] = 1;
    assert_int_equal(sl_attribution_make(&etdump, &options, &a, NULL), 0);
    assert_int_equal(a.measured_count + a.cold_count, 4);
    assert_non_null(strstr(a.warnings[0], "4 runs in place of 3"));
    sl_attribution_fini(&a);
}

/* A trace of one block whose dense 1x1 convolution runs as a GEMM. */
static const char *const names[] = {"",
                                    "Execute",
                                    "Fully Connected (NC, PF32) GEMM #1",
                                    "Conv2d",
                                    "sl_matmul_sme2",
                                    "DELEGATE_CALL",
                                    "Method::execute"};

static struct sl_trace_record traced(uint32_t name, uint64_t start, uint64_t end)
{
    struct sl_trace_record record = {.kind = SL_TRACE_EVENT, .name = name};
    record.event.start = start;
    record.event.end = end;
    return record;
}

TEST(origins_of_the_trace_decide)
{
    struct sl_trace_record records[] = {{.kind = SL_TRACE_BLOCK, .name = 1},
                                        traced(2, 12, 18),
                                        traced(5, 11, 19),
                                        traced(6, 10, 20)};
    records[0].block.pair = 3;
    records[1].event.origin = 3;
    records[1].event.kernel = 4;
    const struct sl_trace trace = {.unit = SL_TRACE_NS,
                                   .name_count = 6,
                                   .names = names,
                                   .record_count = 4,
                                   .records = records};
    struct sl_etdump_event events[] = {inside(names[2], 0, 12, 18),
                                       frame("DELEGATE_CALL", 0, 0, 11, 19),
                                       frame("Method::execute", -1, 0, 10, 20)};
    struct sl_etdump_run run = block("Execute", events, 3);
    struct sl_attribution a = attribute(&run, 1, &trace);
    assert_sums_hold(&a);
    assert_true(a.by_origin);
    assert_int_equal(a.runs[0].pair, 3);
    assert_int_equal(a.runs[0].categories[SL_CATEGORY_CONV], 6);
    assert_int_equal(a.operators[0].category, SL_CATEGORY_CONV);
    assert_int_equal(a.operators[0].category_by_name, SL_CATEGORY_GEMM);
    assert_string_equal(a.operators[0].kernel, "sl_matmul_sme2");
    sl_attribution_fini(&a);

    events[0].end++; /* now it is the ETDump of something else */
    a = attribute(&run, 1, &trace);
    assert_sums_hold(&a);
    assert_false(a.by_origin);
    assert_int_equal(a.runs[0].categories[SL_CATEGORY_GEMM], 7);
    assert_true(warned(&a, "categories are by name"));
    sl_attribution_fini(&a);
}

/* A single large event is enough: its operator is not of a small class. */
TEST(events_of_small_shapes_are_counted_apart)
{
    const char *const words[] = {"",
                                 "Execute",
                                 "Fully Connected (NC, F32) GEMM #1",
                                 "FullyConnected",
                                 "sl_matmul_f32_f32_f32p16x1_5x16_neon_mla",
                                 "DELEGATE_CALL",
                                 "Method::execute"};
    const struct sl_operands operands[] = {
        {.macs = 0},
        operands_of("4x16 * 16x16 -> 4x16", "FullyConnected"),
        operands_of("1024x1024 * 1024x1024 -> 1024x1024", "FullyConnected")};
    struct sl_trace_record records[] = {{.kind = SL_TRACE_BLOCK, .name = 1},
                                        traced(2, 12, 14),
                                        traced(2, 14, 18),
                                        traced(5, 11, 19),
                                        traced(6, 10, 20)};
    for (uint32_t i = 1; i < 3; i++) {
        records[i].event.origin = 3;
        records[i].event.kernel = 4;
        records[i].event.operands = i;
    }
    const struct sl_trace trace = {.unit = SL_TRACE_NS,
                                   .name_count = 6,
                                   .names = words,
                                   .operands_count = 2,
                                   .operands = operands,
                                   .record_count = 5,
                                   .records = records};
    struct sl_etdump_event events[] = {inside(words[2], 0, 12, 14), inside(words[2], 0, 14, 18),
                                       frame("DELEGATE_CALL", 0, 0, 11, 19),
                                       frame("Method::execute", -1, 0, 10, 20)};
    struct sl_etdump_run run = block("Execute", events, 4);
    struct sl_attribution a = attribute(&run, 1, &trace);
    assert_string_equal(a.operators[0].kernel, words[4]);
    assert_true(a.operators[0].count == 2 && a.operators[0].small_count == 1);
    sl_attribution_fini(&a);
}

/* An operator within another; more than there is; an inner one that ends after the outer. */
TEST(packing_is_at_most_what_the_event_took_itself)
{
    static const struct {
        uint64_t inner_end, packing;
        int64_t wanted[2]; /* of the outer, of the inner event */
    } cases[] = {{18, 4, {2, 4}}, {18, 1, {1, 1}}, {18, UINT64_MAX, {2, 6}}, {25, 9, {0, 9}}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_trace_record records[] = {{.kind = SL_TRACE_BLOCK, .name = 1},
                                            traced(2, 12, cases[i].inner_end),
                                            traced(4, 11, 19),
                                            traced(6, 10, 20)};
        records[1].event.packing = records[2].event.packing = cases[i].packing;
        const struct sl_trace trace = {.unit = SL_TRACE_INSTRUCTIONS,
                                       .packing = true,
                                       .name_count = 6,
                                       .names = names,
                                       .record_count = 4,
                                       .records = records};
        struct sl_etdump_event events[] = {inside(names[2], 0, 12, cases[i].inner_end),
                                           frame(names[4], 0, 0, 11, 19),
                                           frame("Method::execute", -1, 0, 10, 20)};
        struct sl_etdump_run run = block("Execute", events, 3);
        struct sl_attribution a = attribute(&run, 1, &trace);
        assert_true(a.packing);
        assert_int_equal(a.positions[1].packing, cases[i].wanted[0]);
        assert_int_equal(a.positions[0].packing, cases[i].wanted[1]);
        for (size_t k = 0; k < a.operator_count; k++)
            assert_true(a.operators[k].packing == 0 ||
                        a.operators[k].packing <= a.operators[k].total);
        sl_attribution_fini(&a);
    }
}

static uint32_t random_state = 12345;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

/* Anything a foreign file may hold: any order, any times, any names, events without time. */
TEST(sums_hold_for_random_events)
{
    static const char *const pool[] = {"Method::execute",    "OPERATOR_CALL",       "DELEGATE_CALL",
                                       "native_call_mm.out", "native_call_odd.out", "Add (ND)"};
    struct sl_etdump_event events[40];
    struct sl_etdump_run runs[3];
    for (unsigned round = 0; round < 4000; round++) {
        size_t used = 0;
        for (size_t r = 0; r < 3; r++) {
            size_t count = draw(13);
            for (size_t i = 0; i < count; i++) {
                uint64_t start = draw(8) == 0 ? UINT64_C(0xffffffff) - draw(9) : draw(60);
                uint64_t end = draw(16) == 0 ? draw(60) : start + draw(40);
                bool delegated = draw(3) == 0;
                int32_t instruction = (int32_t)draw(3);
                events[used + i] =
                    delegated ? inside("Convert (NC) #7", instruction, start, end)
                              : frame(pool[draw(6)], (int64_t)draw(2) - 1, instruction, start, end);
                if (draw(12) == 0)
                    events[used + i].kind = SL_ETDUMP_DEBUG;
                if (draw(50) == 0)
                    events[used + i].end = UINT64_MAX - draw(3);
            }
            runs[r] = block(draw(4) == 0 ? "Default" : "Execute", events + used, count);
            used += count;
        }
        struct sl_attribution a = attribute(runs, 3, NULL);
        assert_sums_hold(&a);
        sl_attribution_fini(&a);
    }
}

/* Well-formed trees: the self time of each event is what its own code took. */
static size_t grow_tree(struct sl_etdump_event *events, size_t used, uint64_t *clock,
                        int64_t *framework_time, int64_t *operator_time)
{
    uint64_t begin = *clock;
    for (uint32_t i = 0; i < 6; i++) {
        uint64_t call = *clock += draw(5);
        *clock += draw(5);
        uint64_t start = *clock;
        uint64_t work = draw(100);
        *clock += work;
        events[used++] = frame("native_call_mm.out", 0, (int32_t)i, start, *clock);
        *operator_time += (int64_t)work;
        *clock += draw(3);
        events[used++] = frame("OPERATOR_CALL", 0, (int32_t)i, call, *clock);
    }
    *clock += draw(5);
    events[used++] = frame("Method::execute", -1, 0, begin, *clock);
    *framework_time = (int64_t)(*clock - begin) - *operator_time;
    return used;
}

TEST(well_formed_trees_give_every_events_own_time)
{
    for (unsigned round = 0; round < 500; round++) {
        struct sl_etdump_event events[16];
        uint64_t clock = draw(1000);
        int64_t shells = 0;
        int64_t work = 0;
        size_t count = grow_tree(events, 0, &clock, &shells, &work);
        struct sl_etdump_run run = block("Execute", events, count);
        struct sl_attribution a = attribute(&run, 1, NULL);
        assert_sums_hold(&a);
        assert_int_equal(a.runs[0].categories[SL_CATEGORY_GEMM], work);
        assert_int_equal(a.runs[0].categories[SL_CATEGORY_FRAMEWORK], shells);
        assert_int_equal(a.warning_count, 0);
        sl_attribution_fini(&a);
    }
}

enum { COLD_RUNS = 25 };

/* An ETDump of one operator a run, with a cold first run. */
struct cold_file {
    struct sl_etdump_event events[COLD_RUNS][2];
    struct sl_etdump_run runs[COLD_RUNS];
    struct sl_attribution a;
};

static void attribute_cold(struct cold_file *f, uint64_t first, uint64_t steady,
                           const struct sl_attribution_options *options)
{
    struct sl_etdump etdump = {.run_count = COLD_RUNS, .runs = f->runs};
    uint64_t now = 0;
    for (size_t i = 0; i < COLD_RUNS; i++) {
        uint64_t took = i == 0 ? first : steady + i * 7 % 11;
        f->events[i][0] = inside("Convolution (NHWC, F32) IGEMM #1", 0, now, now + took);
        f->events[i][1] = frame("Method::execute", -1, 0, now, now + took + 10);
        f->runs[i] = block("Execute", f->events[i], 2);
        now += took + 20;
    }
    assert_int_equal(sl_attribution_make(&etdump, options, &f->a, NULL), 0);
    assert_sums_hold(&f->a);
}

/* By the medians the candidate is 1.246 times as fast, by the means with its cold run it is slower:
 * the verdict and every row of the tables speak of the same, steady runs. */
TEST(cold_first_runs_are_in_no_figure)
{
    static struct cold_file off, on;
    const struct sl_attribution_options options = {.rules = &rules, .only_run = -1};
    struct sl_comparison c;
    attribute_cold(&off, 200000, 100000, &options);
    attribute_cold(&on, 1498000, 80300, &options);
    assert_int_equal(on.a.cold_count, 1);
    assert_int_equal(on.a.measured_count, COLD_RUNS - 1);
    assert_true(on.a.runs[0].cold && on.a.runs[0].warmup && !on.a.runs[1].warmup);
    const struct sl_comparison_options how = {.seed = 1, .iterations = 200, .noise_floor = NAN};
    assert_int_equal(sl_comparison_make(&off.a, &on.a, &how, &c), 0);
    assert_int_equal(c.verdict, SL_VERDICT_FASTER);
    assert_true(fabs(c.ratio - 1.245) < 0.002);
    assert_true(fabs(c.whole_baseline / c.whole_candidate - c.ratio) < 0.002);
    assert_int_equal(c.operator_count, 2);
    assert_true(fabs(c.operators[0].baseline_cost / c.operators[0].candidate_cost - c.ratio) <
                0.002);
    sl_comparison_fini(&c);
    sl_attribution_fini(&off.a);
    sl_attribution_fini(&on.a);
}

TEST(warm_up_may_be_stated)
{
    static struct cold_file file;
    uint32_t cold = 0;
    struct sl_attribution_options options = {.rules = &rules, .only_run = -1, .cold = &cold};
    attribute_cold(&file, 900000, 100000, &options);
    assert_int_equal(file.a.measured_count, COLD_RUNS);
    sl_attribution_fini(&file.a);
    cold = 4;
    attribute_cold(&file, 900000, 100000, &options);
    assert_int_equal(file.a.cold_count, 4);
    assert_int_equal(file.a.operators[0].sample_count, COLD_RUNS - 4);
    sl_attribution_fini(&file.a);
    cold = COLD_RUNS;
    attribute_cold(&file, 900000, 100000, &options);
    assert_int_equal(file.a.cold_count, 0);
    assert_true(warned(&file.a, "none is set aside"));
    sl_attribution_fini(&file.a);
}

TEST(make_survives_each_failed_allocation)
{
    const struct sl_etdump_event events[] = {frame("OPERATOR_CALL", 0, 0, 10, 18),
                                             frame("Method::execute", -1, 0, 9, 20)};
    struct sl_etdump_run run = block("Execute", events, 2);
    struct sl_etdump etdump = {.run_count = 1, .runs = &run};
    struct sl_attribution_options options = {.rules = &rules, .only_run = -1};
    int rc = -1;
    for (unsigned nth = 1; rc != 0; nth++) {
        struct sl_attribution a = {.pool = NULL};
        assert_true(nth < 60);
        sl_mem_fail_nth(nth);
        rc = sl_attribution_make(&etdump, &options, &a, NULL);
        sl_attribution_fini(&a);
    }
    sl_mem_fail_nth(0);
}
