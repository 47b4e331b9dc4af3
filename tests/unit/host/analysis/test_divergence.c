/* tests/unit/host/analysis/test_divergence.c */
#include "host/analysis/divergence.h"

#include <math.h>

#include "tests/support/unit.h"

static struct sl_operator_distance row(const char *name, int kind, double distance)
{
    return (struct sl_operator_distance){
        .name = name, .instruction = 7, .node = -1, .kind = kind, .distance = distance};
}

TEST(the_first_operator_beyond_the_limit_of_its_own_kind_is_found)
{
    struct sl_divergence made = {.known = true};
    const struct sl_operator_distance rows[] = {
        row("halves differ by roundings", SL_DIVERGENCE_HALF, 0.01),
        row("so do floats", SL_DIVERGENCE_FLOAT, 9e-5),
        row("one step is a rounding", SL_DIVERGENCE_STEPS, 1),
        row("rows were rounded", SL_DIVERGENCE_ROUNDED, 0.0039),
        row("two steps are none", SL_DIVERGENCE_STEPS, 2),
        row("not the first", SL_DIVERGENCE_FLOAT, 1),
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        sl_divergence_add(&made, &rows[i]);
        assert_int_equal(made.found, i >= 4);
    }
    assert_string_equal(made.first.name, "two steps are none");
}

TEST(whatever_is_neither_float_nor_rounded_is_equal)
{
    struct sl_divergence made = {.known = true};
    const struct sl_operator_distance other = row("argmax", SL_DIVERGENCE_EXACT, 1);
    sl_divergence_add(&made, &other);
    assert_true(made.found);
}

TEST(the_text_has_place_distance_and_promise)
{
    char text[SL_DIVERGENCE_TEXT_BYTES];
    struct sl_operator_distance one = row("native_call_add.out", SL_DIVERGENCE_FLOAT, 0.25);
    assert_string_equal(
        sl_divergence_text(&one, text),
        "native_call_add.out (instruction 7): 0.25 of its peak, 0.0001 is promised");
    one = row("Softmax (NC, F32) #2", SL_DIVERGENCE_STEPS, (double)INFINITY);
    one.node = 3;
    assert_string_equal(sl_divergence_text(&one, text),
                        "Softmax (NC, F32) #2 (instruction 7, node 3): inf steps, 1 is promised");
}
