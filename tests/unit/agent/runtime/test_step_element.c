/* tests/unit/agent/runtime/test_step_element.c: elementwise steps, reductions, pooling and resizing
 * are over elements of the type that is asked for. */
#include "tests/support/step_case.h"

#include <math.h>

static struct sl_step_operand a, b;
static float results[2][SL_CASE_STEP_MOST];

static int setup(void **state)
{
    (void)state;
    sl_step_draw(1, &a);
    sl_step_draw(2, &b);
    return 0;
}

/* The same of a step of both types, into results[element]. */
static void check(struct sl_step *step, int element, size_t count)
{
    sl_step_results(step, element, sl_step_as(&a, element), sl_step_as(&b, element), count,
                    results[element]);
    if (element == SL_F16)
        assert_memory_equal(results[SL_F16], results[SL_F32], count * sizeof(float));
}

TEST(unary_steps_of_both_types_agree)
{
    for (int element = SL_F32; element <= SL_F16; element++) {
        struct sl_step step;
        sl_step_unary(&step, SL_ISA_NONE, element, SL_UNARY_ABS, 100, 0, 0);
        check(&step, element, 100);
        assert_true(results[element][7] == fabsf(a.f32[7]));
    }
}

/* Dense, by rows with strides, and many short rows, which are put together. */
TEST(binary_steps_broadcast_in_both_types)
{
    const size_t shapes[][3][3] = {{{4, 5, 6}, {4, 5, 6}, {4, 5, 6}},
                                   {{4, 1, 6}, {1, 5, 6}, {4, 5, 6}},
                                   {{4, 5, 6}, {4, 5, 1}, {4, 5, 6}},
                                   {{100, 3, 2}, {1, 3, 2}, {100, 3, 2}},
                                   {{1, 3, 2}, {100, 3, 2}, {100, 3, 2}}};
    for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++)
        for (int element = SL_F32; element <= SL_F16; element++) {
            const size_t(*dims)[3] = shapes[s];
            size_t count = dims[2][0] * dims[2][1] * dims[2][2], last = count - 1;
            struct sl_step step;
            assert_int_equal(sl_step_binary(&step, SL_ISA_NONE, element, SL_BINARY_MULTIPLY, 3,
                                            dims[0], 3, dims[1], 3, dims[2]),
                             0);
            check(&step, element, count);
            size_t a_last = dims[0][0] * dims[0][1] * dims[0][2] - 1;
            size_t b_last = dims[1][0] * dims[1][1] * dims[1][2] - 1;
            assert_true(results[element][last] == a.f32[a_last] * b.f32[b_last]);
        }
}

TEST(sums_windows_and_pixels_are_of_both_types)
{
    const struct sl_pool_args pool = {SL_POOL_MAX, 2, 6, 6, 3, 3,    5,    2, 2, 2,
                                      2,           1, 1, 0, 0, NULL, NULL, 0, 0};
    const struct sl_resize_args resize = {2, 3, 4, 5, 7, 3, true, NULL, NULL};
    struct sl_step step;
    for (int element = SL_F32; element <= SL_F16; element++) {
        sl_step_reduce(&step, SL_ISA_NONE, element, SL_REDUCE_MAX, 3, 7, 5);
        check(&step, element, 3 * 5);
    }
    for (int element = SL_F32; element <= SL_F16; element++) {
        assert_int_equal(sl_step_pool(&step, SL_ISA_NONE, element, &pool), 0);
        check(&step, element, 2 * 3 * 3 * 5);
    }
    for (int element = SL_F32; element <= SL_F16; element++) {
        sl_step_resize(&step, SL_ISA_NONE, element, &resize); /* halves and quarters: exact */
        check(&step, element, 2 * 5 * 7 * 3);
    }
}

TEST_GROUP(setup, NULL);
