/* tests/unit/agent/runtime/test_step_qd8.c: what is quantised at run time, against sums by hand.
 * All numbers are small and scales are powers of two, so that floats have them exactly. */
#include <stdint.h>
#include <string.h>

#include "common/base/error.h"
#include "tests/support/step_case.h"

enum { ZERO = 3, MOST = SL_CASE_STEP_MOST };
static const float SCALE = 0.5f;

static _Alignas(64) uint8_t input[2 * MOST]; /* pixels and, at a multiple of 64, parameters */
static int8_t weights[MOST];
static float scales[16], bias[16], want[MOST], got[MOST];

static int set_up(void **state)
{
    static struct sl_step_operand drawn;
    (void)state;
    sl_step_draw(5, &drawn);
    for (size_t i = 0; i < MOST; i++)
        weights[i] = (int8_t)drawn.f32[i];
    for (size_t i = 0; i < 16; i++) {
        scales[i] = i % 2 == 0 ? 0.25f : 2.0f;
        bias[i] = (float)i - 4;
    }
    return 0;
}

/* `count` pixels for each of `batch` images. */
static void fill_input(size_t batch, size_t count)
{
    static struct sl_step_operand drawn;
    const struct sl_row_params params = {.scale = SCALE, .zero_point = ZERO};
    size_t bytes = batch * count, at = (bytes + 63) & ~(size_t)63;
    sl_step_draw(6, &drawn);
    for (size_t i = 0; i < bytes; i++)
        input[i] = (uint8_t)(int8_t)((int)drawn.f32[i] + ZERO);
    for (size_t i = 0; i < batch; i++)
        memcpy(input + at + i * sizeof(params), &params, sizeof(params));
}

/* One tap from input pixel `in` to output pixel `out`, each of all images together. */
static void add_tap(const struct sl_conv_shape *s, size_t in, size_t out, size_t tap)
{
    size_t taps = s->kernel_h * s->kernel_w, channels = s->groups * s->group_out_c;
    for (size_t c = 0; c < channels; c++) {
        int sum = 0;
        for (size_t k = 0; k < s->group_in_c; k++) {
            size_t from = c / s->group_out_c * s->group_in_c + k;
            sum += ((int8_t)input[in * s->groups * s->group_in_c + from] - ZERO) *
                   weights[(c * taps + tap) * s->group_in_c + k];
        }
        want[out * channels + c] += (float)sum * SCALE * scales[c];
    }
}

/* The small grid steps over the large one: of a transposed convolution the input over the output.
 */
static void sum_up(const struct sl_conv_shape *s, bool transposed)
{
    size_t rows = transposed ? s->in_h : s->out_h, columns = transposed ? s->in_w : s->out_w;
    size_t high = transposed ? s->out_h : s->in_h, wide = transposed ? s->out_w : s->in_w;
    size_t channels = s->groups * s->group_out_c;
    for (size_t i = 0; i < s->batch * s->out_h * s->out_w * channels; i++)
        want[i] = bias[i % channels];
    for (size_t i = 0; i < s->batch * rows * columns * s->kernel_h * s->kernel_w; i++) {
        size_t tap = i % (s->kernel_h * s->kernel_w), small = i / (s->kernel_h * s->kernel_w);
        size_t y = small / columns % rows * s->stride_h + tap / s->kernel_w * s->dilation_h;
        size_t x = small % columns * s->stride_w + tap % s->kernel_w * s->dilation_w;
        if (y < s->pad_top || x < s->pad_left || y - s->pad_top >= high || x - s->pad_left >= wide)
            continue;
        size_t large = (small / columns / rows * high + y - s->pad_top) * wide + x - s->pad_left;
        add_tap(s, transposed ? small : large, transposed ? large : small, tap);
    }
}

static void check(const struct sl_conv_shape *s, bool transposed)
{
    struct sl_budget budget = {.limit = 1 << 20};
    const struct sl_gemm_qd8 gemm = {.lhs_type = SL_ROWS_QD8,
                                     .out_type = SL_ROWS_F32,
                                     .weights = {.data = weights, .scale = scales, .bias = bias},
                                     .budget = &budget};
    struct sl_weights packed = {0};
    struct sl_step step;
    size_t count = s->batch * s->out_h * s->out_w * s->groups * s->group_out_c;
    fill_input(s->batch, s->in_h * s->in_w * s->groups * s->group_in_c);
    sum_up(s, transposed);
    assert_int_equal(sl_step_conv_qd8(&step, SL_ISA_NONE, s, transposed, &gemm, &packed), 0);
    sl_step_results(&step, SL_F32, input, NULL, count, got);
    for (size_t i = 0; i < count; i++)
        assert_true(got[i] == want[i]);
    sl_weights_fini(&packed);
    assert_int_equal(budget.used, 0);
}

TEST_WITH(a_window_sees_zeros_beside_the_image, set_up, NULL)
{
    const struct sl_conv_shape padded = {2, 4, 5, 4, 5, 1, 3, 4, 3, 3, 1, 1, 1, 1, 1, 1};
    const struct sl_conv_shape strided = {2, 5, 7, 2, 3, 1, 3, 4, 2, 3, 2, 2, 1, 1, 0, 0};
    const struct sl_conv_shape dilated = {1, 6, 6, 4, 4, 1, 2, 3, 2, 2, 1, 1, 2, 2, 0, 0};
    const struct sl_conv_shape groups = {2, 4, 5, 4, 5, 2, 2, 3, 3, 3, 1, 1, 1, 1, 1, 1};
    check(&padded, false);
    check(&strided, false);
    check(&dilated, false);
    check(&groups, false);
}

TEST_WITH(a_transposed_window_spreads_each_pixel, set_up, NULL)
{
    const struct sl_conv_shape apart = {2, 3, 4, 6, 8, 1, 3, 3, 2, 2, 2, 2, 1, 1, 0, 0};
    const struct sl_conv_shape overlap = {2, 3, 4, 5, 7, 1, 3, 3, 3, 3, 2, 2, 1, 1, 1, 1};
    const struct sl_conv_shape groups = {1, 3, 4, 5, 7, 2, 2, 3, 3, 3, 2, 2, 1, 1, 1, 1};
    check(&apart, true);
    check(&overlap, true);
    check(&groups, true);
}

TEST_WITH(rows_that_were_quantised_before_give_the_same_product, set_up, NULL)
{
    static struct sl_step_operand a;
    static _Alignas(64) uint8_t quantised[1024];
    struct sl_budget budget = {.limit = 1 << 20};
    struct sl_gemm_qd8 gemm = {
        .m = 5,
        .lhs_type = SL_ROWS_F32,
        .out_type = SL_ROWS_F32,
        .weights = {.n = 7, .k = 9, .data = weights, .scale = scales, .bias = bias},
        .budget = &budget};
    struct sl_weights packed[2] = {{0}};
    struct sl_step step;
    sl_step_draw(8, &a);
    assert_int_equal(sl_step_gemm_qd8(&step, SL_ISA_NONE, &gemm, &packed[0]), 0);
    sl_step_results(&step, SL_F32, a.f32, NULL, 35, want);
    for (size_t i = 0; i < 35; i++) { /* rows are quantised to within a 255th of their range */
        float sum = 0;
        for (size_t k = 0; k < 9; k++)
            sum += a.f32[i / 7 * 9 + k] * (float)weights[i % 7 * 9 + k];
        assert_float_equal(want[i], sum * scales[i % 7] + bias[i % 7], 0.5);
    }
    assert_true(sl_quantised_bytes(5, 9) <= sizeof(quantised));
    sl_step_quantise(&step, SL_ISA_NONE, SL_ROWS_F32, 5, 9);
    sl_step_bind(&step, &(struct sl_step_operands){a.f32, NULL, quantised, NULL});
    step.run(&step);
    gemm.lhs_type = SL_ROWS_QD8;
    assert_int_equal(sl_step_gemm_qd8(&step, SL_ISA_NONE, &gemm, &packed[1]), 0);
    sl_step_results(&step, SL_F32, quantised, NULL, 35, got);
    assert_memory_equal(got, want, 35 * sizeof(float));
    sl_weights_fini(&packed[0]);
    sl_weights_fini(&packed[1]);
    assert_int_equal(budget.used, 0);
}

TEST_WITH(shapes_that_no_memory_holds_are_refused, set_up, NULL)
{
    const struct sl_conv_shape s = {1, 4, 4, SIZE_MAX / 2, 4, 1, 3, 4, 3, 3, 1, 1, 1, 1, 1, 1};
    struct sl_budget budget = {.limit = 1 << 20};
    struct sl_gemm_qd8 gemm = {.m = SIZE_MAX,
                               .out_type = SL_ROWS_F32,
                               .weights = {.n = 7, .k = 9, .data = weights, .scale = scales},
                               .budget = &budget};
    struct sl_weights packed = {0};
    struct sl_step step;
    assert_true(sl_step_gemm_qd8(&step, SL_ISA_NONE, &gemm, &packed) != 0);
    assert_true(sl_step_conv_qd8(&step, SL_ISA_NONE, &s, false, &gemm, &packed) != 0);
    assert_true(sl_step_conv_qd8(&step, SL_ISA_NONE, &s, true, &gemm, &packed) != 0);
    assert_null(packed.packed);
}
