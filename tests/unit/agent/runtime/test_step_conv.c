/* tests/unit/agent/runtime/test_step_conv.c: convolutions of halves are those of f32 on numbers
 * that both have, with weights in either order and packed at load or at run time. */
#include "tests/support/step_case.h"

static struct sl_step_operand in, weights;
static float results[2][SL_CASE_STEP_MOST];

static int setup(void **state)
{
    (void)state;
    sl_step_draw(5, &in);
    sl_step_draw(6, &weights);
    return 0;
}

static void check(struct sl_step *step, int element, const struct sl_weights *packed, size_t count)
{
    sl_step_results(step, element, sl_step_as(&in, element), packed->packed, count,
                    results[element]);
    if (element == SL_F16)
        assert_memory_equal(results[SL_F16], results[SL_F32], count * sizeof(float));
}

TEST(convolutions_of_both_types_agree)
{
    const struct sl_conv_shape shape = {2, 5, 5, 5, 5, 1, 3, 4, 3, 3, 1, 1, 1, 1, 1, 1};
    struct sl_budget budget = {.limit = 1 << 20};
    for (int planar = 0; planar < 2; planar++)
        for (int element = SL_F32; element <= SL_F16; element++) {
            struct sl_weights packed = {0};
            const struct sl_constants constants = {.weights = sl_step_as(&weights, element),
                                                   .weights_type = element,
                                                   .planar = planar,
                                                   .isa = SL_ISA_NONE,
                                                   .budget = &budget};
            struct sl_step step;
            assert_int_equal(sl_step_conv(&step, SL_ISA_NONE, element, &shape, &constants, &packed),
                             0);
            check(&step, element, &packed, 2 * 25 * 4);
            sl_weights_fini(&packed);
            assert_int_equal(budget.used, 0);
        }
}

/* Channels of a multiplier are repeated in the workspace first. */
TEST(depthwise_ones_of_both_types_agree_with_a_multiplier_too)
{
    struct sl_budget budget = {.limit = 1 << 20};
    for (size_t multiplier = 1; multiplier <= 2; multiplier++)
        for (int element = SL_F32; element <= SL_F16; element++) {
            const struct sl_depthwise_shape shape = {2, 5, 5, 5, 5, 6, multiplier, 3,
                                                     3, 1, 1, 1, 1, 1, 1};
            struct sl_weights packed = {0};
            const struct sl_constants constants = {.weights = sl_step_as(&weights, element),
                                                   .weights_type = element,
                                                   .isa = SL_ISA_NONE,
                                                   .budget = &budget};
            struct sl_step step;
            assert_int_equal(
                sl_step_depthwise(&step, SL_ISA_NONE, element, &shape, &constants, &packed), 0);
            check(&step, element, &packed, 2 * 25 * 6 * multiplier);
            sl_weights_fini(&packed);
            assert_int_equal(budget.used, 0);
        }
}

/* sl_step_pack() makes at run time what a constant gets at load. */
TEST(weights_packed_at_run_time_are_those_packed_at_load)
{
    const struct sl_conv_shape shape = {2, 5, 5, 5, 5, 1, 3, 4, 3, 3, 1, 1, 1, 1, 1, 1};
    struct sl_budget budget = {.limit = 1 << 20};
    for (int element = SL_F32; element <= SL_F16; element++) {
        struct sl_weights none = {0}, packed = {0};
        const struct sl_constants absent = {.budget = &budget};
        const struct sl_constants constants = {.weights = sl_step_as(&weights, element),
                                               .weights_type = element,
                                               .isa = SL_ISA_NONE,
                                               .budget = &budget};
        struct sl_step step, pack;
        static _Alignas(64) uint8_t later[1 << 14];
        size_t bytes;
        assert_int_equal(sl_step_conv(&step, SL_ISA_NONE, element, &shape, &constants, &packed), 0);
        assert_int_equal(sl_step_conv(&step, SL_ISA_NONE, element, &shape, &absent, &none), 0);
        sl_step_pack(&pack, &step, false, &bytes);
        assert_true(bytes == packed.bytes && bytes <= sizeof(later));
        sl_step_bind(&pack, &(struct sl_step_operands){.a = constants.weights, .out = later});
        pack.run(&pack);
        assert_memory_equal(later, packed.packed, bytes);
        sl_weights_fini(&packed);
        assert_int_equal(budget.used, 0);
    }
}

TEST_GROUP(setup, NULL);
