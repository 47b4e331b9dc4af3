/* tests/unit/host/analysis/test_origin_plan.c */
#include "host/analysis/origin_plan.h"

#include <stdint.h>
#include <string.h>

#include "tests/support/test.h"

static const struct sl_origin_planned planned[] = {
    {0, 1, "Fully Connected (NC, F32) GEMM", "Conv2d", NULL, NULL},
    {0, 1, "Add (ND)", "Add2", NULL, NULL},
    {0, 3, "mul.out", "aten::mul.out", NULL, NULL},
    {0, 4, "Fully Connected (NC, F32) GEMM", "FullyConnected", NULL, NULL},
};
static const struct sl_origin_plan plan = {planned, 4};

static const char *next(struct sl_origin_walk *walk, int64_t instruction, const char *name)
{
    const struct sl_origin_planned *found =
        sl_origin_plan_next(&plan, walk, 0, instruction, name, strlen(name));
    return found ? found->origin : NULL;
}

TEST(operators_outside_delegates_are_found_by_their_instruction)
{
    assert_string_equal(sl_origin_plan_at(&plan, 0, 3)->origin, "aten::mul.out");
    assert_null(sl_origin_plan_at(&plan, 1, 3));
    assert_null(sl_origin_plan_at(&plan, 0, 2));
}

TEST(events_take_origins_in_order_whatever_their_types_and_numbers)
{
    struct sl_origin_walk walk = {0};
    for (int run = 0; run < 2; run++) {
        assert_string_equal(next(&walk, 1, "Fully Connected (NC, PF32) GEMM #1"), "Conv2d");
        assert_string_equal(next(&walk, 1, "Add (ND) #1"), "Add2");
        sl_origin_plan_end_call(&plan, &walk);
        assert_string_equal(next(&walk, 4, "Fully Connected (NC, PF32) GEMM #1"), "FullyConnected");
        sl_origin_plan_end_call(&plan, &walk);
    }
    assert_int_equal(walk.unknown, 0);
}

TEST(events_of_another_model_have_no_origin_and_are_counted)
{
    struct sl_origin_walk walk = {0};
    assert_null(next(&walk, 1, "Convolution (NHWC, F32) IGEMM #1"));
    assert_null(next(&walk, 2, "Add (ND) #1"));
    assert_int_equal(walk.unknown, 2);
    assert_null(next(&walk, 1, "Add"));
    sl_origin_plan_end_call(&plan, &walk);
    assert_int_equal(walk.unknown, 5); /* and the two that never came */
}

TEST(a_call_that_is_shorter_than_the_plan_is_counted)
{
    struct sl_origin_walk walk = {0};
    assert_string_equal(next(&walk, 1, "Fully Connected (NC, PF32) GEMM #1"), "Conv2d");
    sl_origin_plan_end_call(&plan, &walk);
    assert_int_equal(walk.unknown, 1);
    sl_origin_plan_end_call(&plan, &walk);
    assert_int_equal(walk.unknown, 1);
}
