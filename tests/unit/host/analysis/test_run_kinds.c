/* tests/unit/host/analysis/test_run_kinds.c: files of two methods, of which each figure is known.
 */
#include "host/analysis/run_kinds.h"

#include <math.h>
#include <string.h>

#include "common/format/etdump.h"
#include "host/analysis/attribution.h"
#include "host/analysis/comparison.h"
#include "tests/support/test.h"

static const char *const framework[] = {" method execute "};
static const struct sl_rules rules = {
    .version = 1, .fallback = SL_CATEGORY_OTHER, .framework = framework, .framework_count = 1};

static struct sl_etdump_event event(const char *name, int64_t chain, int32_t instruction,
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

static struct sl_etdump_run block(const struct sl_etdump_event *events, size_t count)
{
    return (struct sl_etdump_run){.name = "Execute",
                                  .name_len = 7,
                                  .bundled_input_index = -1,
                                  .has_events = true,
                                  .event_count = (uint32_t)count,
                                  .events = events};
}

static struct sl_attribution attribute(const struct sl_etdump_run *runs, size_t count)
{
    static const uint32_t none = 0;
    struct sl_etdump etdump = {.run_count = (uint32_t)count, .runs = runs};
    struct sl_attribution_options options = {.rules = &rules, .only_run = -1, .cold = &none};
    struct sl_attribution made;
    assert_int_equal(sl_attribution_make(&etdump, &options, &made, NULL), 0);
    return made;
}

static bool warned(const struct sl_attribution *a, const char *part)
{
    bool found = false;
    for (size_t i = 0; i < a->warning_count; i++)
        found = found || strstr(a->warnings[i], part);
    return found;
}

/* 10 ms and 30 ms long, four of one and two of the other. */
TEST(runs_of_two_methods_are_told_apart)
{
    const struct sl_etdump_event encode[] = {event("native_call_mm.out", 0, 0, 12000000, 18000000),
                                             event("Method::execute", -1, 0, 10000000, 20000000)};
    const struct sl_etdump_event decode[] = {event("native_call_add.out", 0, 0, 12000000, 18000000),
                                             event("native_call_mm.out", 0, 1, 18000000, 30000000),
                                             event("Method::execute", -1, 0, 10000000, 40000000)};
    struct sl_etdump_run runs[6];
    struct sl_attribution_kind kinds[SL_ATTRIBUTION_KINDS_MAX];
    struct sl_comparison c;
    const struct sl_comparison_options options = {.seed = 1, .iterations = 100, .noise_floor = NAN};
    for (size_t i = 0; i < 6; i++)
        runs[i] = i % 3 == 1 ? block(decode, 3) : block(encode, 2);
    struct sl_attribution a = attribute(runs, 6);
    assert_int_equal(sl_attribution_kinds(&a, kinds), 2);
    assert_true(kinds[0].first == 0 && kinds[0].count == 4 && kinds[0].mean == 10000000);
    assert_true(kinds[1].first == 1 && kinds[1].count == 2 && kinds[1].mean == 30000000);
    sl_attribution_kinds_warn(&a);
    assert_true(warned(&a, "4 as run 0, 10 ms; 2 as run 1, 30 ms on average"));
    assert_int_equal(sl_comparison_make(&a, &a, &options, &c), 0);
    assert_int_equal(c.verdict, SL_VERDICT_UNFIT);
    sl_comparison_fini(&c);
    sl_attribution_fini(&a);
}

TEST(one_kind_of_run_is_nothing_to_tell)
{
    const struct sl_etdump_event encode[] = {event("native_call_mm.out", 0, 0, 12000000, 18000000),
                                             event("Method::execute", -1, 0, 10000000, 20000000)};
    struct sl_etdump_run runs[] = {block(encode, 2), block(encode, 2)};
    struct sl_attribution_kind kinds[SL_ATTRIBUTION_KINDS_MAX];
    struct sl_attribution_method methods[SL_ATTRIBUTION_KINDS_MAX];
    struct sl_attribution a = attribute(runs, 2);
    assert_int_equal(sl_attribution_kinds(&a, kinds), 1);
    assert_int_equal(sl_attribution_methods(&a, methods), 0);
    sl_attribution_kinds_warn(&a);
    assert_int_equal(a.warning_count, 0);
    sl_attribution_fini(&a);
}

TEST(each_method_of_one_run_has_its_own_figure)
{
    const struct sl_etdump_event both[] = {
        event("native_call_mm.out", 0, 0, 12000000, 18000000),
        event("Method::execute", -1, 0, 10000000, 20000000),
        event("native_call_add.out", 0, 0, 112000000, 118000000),
        event("Method::execute", -1, 0, 110000000, 130000000),
    };
    struct sl_etdump_run run = block(both, 4);
    struct sl_attribution_method methods[SL_ATTRIBUTION_KINDS_MAX];
    struct sl_attribution a = attribute(&run, 1);
    assert_int_equal(a.runs[0].end_to_end, 30000000);
    assert_int_equal(sl_attribution_methods(&a, methods), 2);
    assert_true(methods[0].mean == 10000000 && methods[1].mean == 20000000);
    assert_int_equal(methods[0].events, 2);
    sl_attribution_kinds_warn(&a);
    assert_true(warned(&a, "1 of 2 takes 10 ms (2 events), 2 of 2 takes 20 ms (2 events)"));
    sl_attribution_fini(&a);
}
