/* tests/unit/agent/runtime/test_step_product.c: products of every type of floats are those of f32
 * on numbers that all of them have. */
#include "tests/support/step_case.h"

static struct sl_step_operand a, b;
static float want[SL_CASE_STEP_MOST], got[SL_CASE_STEP_MOST];

static int setup(void **state)
{
    (void)state;
    sl_step_draw(3, &a);
    sl_step_draw(4, &b);
    return 0;
}

static float sum_of(const float *row, const float *column, size_t k, size_t stride)
{
    float sum = 0;
    for (size_t i = 0; i < k; i++)
        sum += row[i] * column[i * stride];
    return sum;
}

TEST(a_product_takes_weights_of_its_own_type_and_of_another)
{
    struct sl_budget budget = {.limit = 1 << 20};
    for (int element = SL_F32; element <= SL_F16; element++)
        for (int weights_type = SL_F32; weights_type <= SL_F16; weights_type++) {
            struct sl_weights weights = {0};
            const struct sl_constants constants = {.weights = sl_step_as(&b, weights_type),
                                                   .weights_type = weights_type,
                                                   .isa = SL_ISA_NONE,
                                                   .budget = &budget};
            struct sl_step step;
            assert_int_equal(
                sl_step_gemm(&step, SL_ISA_NONE, element, 5, 7, 9, false, &constants, &weights), 0);
            sl_step_results(&step, element, sl_step_as(&a, element), weights.packed, 35, got);
            for (size_t i = 0; i < 35; i++)
                assert_true(got[i] == sum_of(a.f32 + i / 7 * 9, b.f32 + i % 7 * 9, 9, 1));
            sl_weights_fini(&weights);
            assert_int_equal(budget.used, 0);
        }
}

/* The bias of a product of bfloat16 is f32, as its results are. */
TEST(a_product_of_bfloat16_adds_a_bias_of_f32)
{
    struct sl_budget budget = {.limit = 1 << 20};
    struct sl_weights weights = {0};
    static uint16_t lhs[63];
    float bias[7];
    for (size_t i = 0; i < 63; i++)
        lhs[i] = sl_bfloat_from_float(a.f32[i]);
    for (size_t i = 0; i < 7; i++)
        bias[i] = 1.0f + (float)i / 4096; /* more than bfloat16 can say */
    const struct sl_constants constants = {.weights = b.f32,
                                           .weights_type = SL_F32,
                                           .bias = bias,
                                           .bias_type = SL_F32,
                                           .isa = SL_ISA_NONE,
                                           .budget = &budget};
    struct sl_step step;
    assert_int_equal(
        sl_step_gemm(&step, SL_ISA_NONE, SL_BF16, 7, 7, 9, false, &constants, &weights), 0);
    sl_step_results(&step, SL_F32, lhs, weights.packed, 49, got);
    for (size_t i = 0; i < 49; i++)
        assert_true(got[i] == sum_of(a.f32 + i / 7 * 9, b.f32 + i % 7 * 9, 9, 1) + bias[i % 7]);
    sl_weights_fini(&weights);
    assert_int_equal(budget.used, 0);
}

/* [2][3][5][9] times [3][9][7]: the right ones serve twice. */
TEST(batches_walk_in_elements_of_their_type)
{
    const size_t a_dims[] = {2, 3, 5, 9}, b_dims[] = {3, 9, 7};
    const struct sl_batch_shape shape = {4, 3, a_dims, b_dims, false};
    for (size_t i = 0; i < 6 * 35; i++)
        want[i] = sum_of(a.f32 + i / 7 * 9, b.f32 + i / 35 % 3 * 63 + i % 7, 9, 7);
    for (int element = SL_F32; element <= SL_F16; element++) {
        struct sl_step step;
        assert_int_equal(sl_step_batch_gemm(&step, SL_ISA_NONE, element, &shape), 0);
        sl_step_results(&step, element, sl_step_as(&a, element), sl_step_as(&b, element), 6 * 35,
                        got);
        assert_memory_equal(got, want, 6 * 35 * sizeof(float));
    }
}

TEST_GROUP(setup, NULL);
