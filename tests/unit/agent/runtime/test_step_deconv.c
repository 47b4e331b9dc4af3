/* tests/unit/agent/runtime/test_step_deconv.c: transposed convolutions of halves are those of f32
 * on numbers that both have, by windows that overlap and by those that do not. */
#include "tests/support/step_case.h"

static struct sl_step_operand in, weights, bias;
static float results[2][SL_CASE_STEP_MOST];

static void check(const struct sl_conv_shape *shape, bool planar)
{
    struct sl_budget budget = {.limit = 1 << 20};
    size_t count = shape->batch * shape->out_h * shape->out_w * shape->groups * shape->group_out_c;
    for (int element = SL_F32; element <= SL_F16; element++) {
        struct sl_weights packed = {0};
        const struct sl_constants constants = {.weights = sl_step_as(&weights, element),
                                               .bias = sl_step_as(&bias, element),
                                               .weights_type = element,
                                               .bias_type = element,
                                               .planar = planar,
                                               .isa = SL_ISA_NONE,
                                               .budget = &budget};
        struct sl_step step;
        assert_int_equal(sl_step_deconv(&step, SL_ISA_NONE, element, shape, &constants, &packed),
                         0);
        sl_step_results(&step, element, sl_step_as(&in, element), packed.packed, count,
                        results[element]);
        sl_weights_fini(&packed);
        assert_int_equal(budget.used, 0);
    }
    assert_memory_equal(results[SL_F16], results[SL_F32], count * sizeof(float));
}

TEST(windows_apart_and_windows_that_overlap_agree_in_both_types)
{
    const struct sl_conv_shape apart = {2, 3, 4, 6, 8, 1, 5, 3, 2, 2, 2, 2, 1, 1, 0, 0};
    const struct sl_conv_shape overlap = {2, 3, 4, 5, 7, 1, 5, 3, 3, 3, 2, 2, 1, 1, 1, 1};
    const struct sl_conv_shape groups = {2, 3, 4, 5, 7, 2, 2, 3, 3, 3, 2, 2, 1, 1, 1, 1};
    sl_step_draw(7, &in);
    sl_step_draw(8, &weights);
    sl_step_draw(9, &bias);
    for (int planar = 0; planar < 2; planar++) {
        check(&apart, planar != 0);
        check(&overlap, planar != 0);
        check(&groups, planar != 0);
    }
}
