/* tests/unit/agent/runtime/test_delegate.c: graphs made by hand: rewrites, names, numbers. */
#include <math.h>
#include <string.h>

#include "common/base/error.h"
#include "kernels/cpu/isa.h"
#include "tests/support/graph_case.h"
#include "tests/support/test.h"

static float clampf(float x, float min, float max)
{
    return x < min ? min : x > max ? max : x;
}

TEST(add_with_relu_is_an_add_and_a_clamp)
{
    sl_graph_begin();
    uint32_t a = sl_graph_add_input(DIMS(2, 3)), b = sl_graph_add_input(DIMS(3)),
             y = sl_graph_add_output(DIMS(2, 3));
    sl_graph_add_node(SL_XNN_ADD, IN(a, b), y)->output_min = 0.0f;
    sl_graph.data[1][0] = 0.5f;
    sl_graph_run();
    sl_graph_check_names(NAMES("Add (ND)", "Clamp (NC)"));
    assert_string_equal(sl_graph.plan->ops[1].origin, "Add");
    for (int i = 0; i < 6; i++)
        sl_graph_check_float(sl_graph.data[2][i],
                             clampf(sl_graph.data[0][i] + sl_graph.data[1][i % 3], 0.0f, INFINITY));
    sl_graph_end();
}

static float binary(int type, float a, float b)
{
    switch (type) {
    case SL_XNN_ADD:
        return a + b;
    case SL_XNN_SUBTRACT:
        return a - b;
    case SL_XNN_MULTIPLY:
        return a * b;
    case SL_XNN_DIV:
        return a / b;
    case SL_XNN_MAXIMUM:
        return a > b ? a : b;
    default:
        return a < b ? a : b;
    }
}

static void check_broadcast(int type, const uint32_t *a_dims, const uint32_t *b_dims)
{
    uint32_t out[4], a_stride[4], b_stride[4], a_all = 1, b_all = 1, at = 0;
    sl_graph_begin();
    for (int d = 3; d >= 0; d--) {
        out[d] = a_dims[d] > b_dims[d] ? a_dims[d] : b_dims[d];
        a_stride[d] = a_dims[d] == 1 ? 0 : a_all;
        b_stride[d] = b_dims[d] == 1 ? 0 : b_all;
        a_all *= a_dims[d];
        b_all *= b_dims[d];
    }
    uint32_t a = sl_graph_add_input(a_dims, 4), b = sl_graph_add_input(b_dims, 4),
             y = sl_graph_add_output(out, 4);
    for (uint32_t i = 0; i < b_all; i++)
        sl_graph.data[1][i] = (float)(i % 5) + 1.5f;
    sl_graph_add_node(type, IN(a, b), y);
    sl_graph_run();
    for (uint32_t i = 0; i < out[0]; i++)
        for (uint32_t j = 0; j < out[1]; j++)
            for (uint32_t k = 0; k < out[2]; k++)
                for (uint32_t l = 0; l < out[3]; l++, at++)
                    sl_graph_check_float(
                        sl_graph.data[2][at],
                        binary(type,
                               sl_graph.data[0][i * a_stride[0] + j * a_stride[1] +
                                                k * a_stride[2] + l * a_stride[3]],
                               sl_graph.data[1][i * b_stride[0] + j * b_stride[1] +
                                                k * b_stride[2] + l * b_stride[3]]));
    sl_graph_end();
}

TEST(every_binary_broadcasts_as_numpy_does)
{
    static const int types[] = {SL_XNN_ADD, SL_XNN_SUBTRACT, SL_XNN_MULTIPLY,
                                SL_XNN_DIV, SL_XNN_MAXIMUM,  SL_XNN_MINIMUM};
    static const uint32_t shapes[][2][4] = {
        {{2, 3, 4, 5}, {2, 3, 4, 5}}, {{2, 3, 4, 5}, {1, 1, 1, 1}}, {{1, 1, 1, 1}, {2, 3, 4, 5}},
        {{2, 3, 4, 5}, {1, 1, 1, 5}}, {{2, 1, 4, 1}, {1, 3, 1, 5}}, {{2, 3, 1, 5}, {2, 3, 4, 1}},
        {{1, 3, 1, 1}, {2, 3, 4, 5}}, {{1, 1, 1, 1}, {1, 1, 1, 1}},
    };
    for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++)
        for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++)
            check_broadcast(types[t], shapes[s][0], shapes[s][1]);
}

/* y of a 3x3 convolution with padding 1, 5x5 pixels, 2 channels in, 3 out. */
static float conv_3x3(const float *x, const float *w, const float *bias, uint32_t oy, uint32_t ox,
                      uint32_t o)
{
    float sum = bias[o];
    for (uint32_t ky = 0; ky < 3; ky++)
        for (uint32_t kx = 0; kx < 3; kx++)
            for (uint32_t c = 0; c < 2; c++)
                if (oy + ky >= 1 && oy + ky <= 5 && ox + kx >= 1 && ox + kx <= 5)
                    sum += x[((oy + ky - 1) * 5 + ox + kx - 1) * 2 + c] *
                           w[((o * 3 + ky) * 3 + kx) * 2 + c];
    return sum;
}

TEST(padding_and_clamp_merge_into_a_convolution)
{
    static float w[54];
    static const float bias[3] = {0.25f, -1.0f, 2.0f};
    for (int i = 0; i < 54; i++)
        w[i] = (float)(i % 7 - 3) / 4.0f;
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(1, 5, 5, 2)), y = sl_graph_add_output(DIMS(1, 5, 5, 3));
    uint32_t weights = sl_graph_add_constant(w, DIMS(3, 3, 3, 2)),
             b = sl_graph_add_constant(bias, DIMS(3));
    uint32_t padded = sl_graph_add_value(DIMS(1, 7, 7, 2)),
             raw = sl_graph_add_value(DIMS(1, 5, 5, 3));
    struct sl_xnn_node *pad = sl_graph_add_node(SL_XNN_STATIC_CONSTANT_PAD, IN(x), padded);
    pad->param_count = 4;
    pad->params[1] = pad->params[2] = pad->params2[1] = pad->params2[2] = 1;
    struct sl_xnn_node *conv = sl_graph_add_node(SL_XNN_CONV2D, IN(padded, weights, b), raw);
    sl_graph_set_window(conv, 3, 1, 0);
    sl_graph_set_channels(conv, 1, 2, 3);
    struct sl_xnn_node *clamp = sl_graph_add_node(SL_XNN_CLAMP, IN(raw), y);
    clamp->output_min = -1.0f;
    clamp->output_max = 2.5f;
    sl_graph_run();
    assert_int_equal(sl_graph.plan->op_count, 1);
    assert_string_equal(sl_graph.plan->ops[0].origin, "Conv2d");
    for (uint32_t i = 0; i < 75; i++)
        sl_graph_check_float(
            sl_graph.data[1][i],
            clampf(conv_3x3(sl_graph.data[0], w, bias, i / 15, i / 3 % 5, i % 3), -1.0f, 2.5f));
    sl_graph_end();
}

/* The name of a lone convolution node. */
static void check_conv_name(int type, uint32_t kernel, uint32_t multiplier, uint32_t isa,
                            const char *name)
{
    static const float w[49 * 8];
    const uint32_t weights_dims[4] = {1, kernel, kernel, 4 * multiplier};
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(1, 7, 7, 4)), y = sl_graph_add_output(DIMS(1, 7, 7, 8));
    uint32_t weights = sl_graph_add_constant(w, weights_dims, 4);
    struct sl_xnn_node *node = sl_graph_add_node(type, IN(x, weights, SL_XNN_NO_ID), y);
    sl_graph_set_window(node, kernel, 1, 0);
    sl_graph_set_channels(node, type == SL_XNN_CONV2D ? 1 : 4, type == SL_XNN_CONV2D ? 4 : 1,
                          multiplier);
    assert_int_equal(sl_graph_compile(isa), 0);
    assert_string_equal(sl_graph.plan->ops[0].name, name);
    sl_graph_end();
}

TEST(convolutions_have_the_names_of_xnnpack)
{
    uint32_t all = sl_isa_detect(), sme = SL_ISA_SME | SL_ISA_SME2, off = all & ~sme;
    check_conv_name(SL_XNN_CONV2D, 3, 2, off, "Convolution (NHWC, F32) IGEMM");
    check_conv_name(SL_XNN_CONV2D, 1, 2, off, "Fully Connected (NC, F32) GEMM");
    check_conv_name(SL_XNN_DEPTHWISE_CONV2D, 3, 1, off, "Convolution (NHWC, F32) DWConv");
    check_conv_name(SL_XNN_DEPTHWISE_CONV2D, 1, 1, off, "Convolution (NHWC, F32) DWConv");
    check_conv_name(SL_XNN_DEPTHWISE_CONV2D, 7, 1, off, "Convolution (NHWC, F32) IGEMM");
    check_conv_name(SL_XNN_DEPTHWISE_CONV2D, 3, 2, off, "Convolution (NHWC, F32) IGEMM");
    if (all != SL_ISA_NONE && (all & SL_ISA_SME2) == 0)
        return; /* such a CPU may not be told that it has SME2 */
    check_conv_name(SL_XNN_CONV2D, 3, 2, all | sme, "Convolution (NHWC, PF32) IGEMM");
    check_conv_name(SL_XNN_CONV2D, 1, 2, all | sme, "Fully Connected (NC, PF32) GEMM");
    check_conv_name(SL_XNN_DEPTHWISE_CONV2D, 3, 1, all | sme, "Convolution (NHWC, F32) DWConv");
    check_conv_name(SL_XNN_DEPTHWISE_CONV2D, 3, 2, all | sme, "Convolution (NHWC, F32) IGEMM");
}

TEST(copies_squares_constants_and_dead_nodes_are_rewritten)
{
    static const float two[1] = {2.0f};
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(4)), y = sl_graph_add_output(DIMS(4));
    uint32_t number = sl_graph_add_constant(two, DIMS(1)), copy = sl_graph_add_value(DIMS(4));
    uint32_t square = sl_graph_add_value(DIMS(4)), dead = sl_graph_add_value(DIMS(4)),
             last = sl_graph_add_value(DIMS(4));
    sl_graph_add_node(SL_XNN_COPY, IN(x), copy);
    sl_graph_add_node(SL_XNN_ADD, IN(copy, copy), dead);
    sl_graph_add_node(SL_XNN_MULTIPLY, IN(copy, x), square);
    sl_graph_add_node(SL_XNN_MINIMUM, IN(number, square), last);
    sl_graph_add_node(SL_XNN_COPY, IN(last), y);
    sl_graph_run();
    sl_graph_check_names(NAMES("Square (NC)", "Clamp (NC)"));
    for (int i = 0; i < 4; i++)
        sl_graph_check_float(sl_graph.data[1][i],
                             clampf(sl_graph.data[0][i] * sl_graph.data[0][i], -INFINITY, 2.0f));
    sl_graph_end();
}

TEST(reshapes_merge_and_move_nothing_inside)
{
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(2, 6)), y = sl_graph_add_output(DIMS(4, 3));
    uint32_t sum = sl_graph_add_value(DIMS(2, 6)), flat = sl_graph_add_value(DIMS(12)),
             box = sl_graph_add_value(DIMS(4, 3));
    sl_graph_add_node(SL_XNN_ADD, IN(x, x), sum);
    struct sl_xnn_node *first = sl_graph_add_node(SL_XNN_STATIC_RESHAPE, IN(sum), flat);
    first->param_count = 1;
    struct sl_xnn_node *second = sl_graph_add_node(SL_XNN_STATIC_RESHAPE, IN(flat), box);
    second->param_count = 2;
    second->params[0] = 4;
    second->params[1] = 3;
    sl_graph_add_node(SL_XNN_SOFTMAX, IN(box), y);
    sl_graph_run();
    sl_graph_check_names(NAMES("Add (ND)", "Static Reshape (NC)", "Softmax (NC, F32)"));
    assert_null(sl_graph.plan->steps[sl_graph.plan->ops[1].step_first].kernel);
    for (int row = 0; row < 4; row++) {
        float total = 0.0f;
        for (int i = 0; i < 3; i++)
            total += expf(2.0f * sl_graph.data[0][row * 3 + i]);
        for (int i = 0; i < 3; i++)
            sl_graph_check_float(sl_graph.data[1][row * 3 + i],
                                 expf(2.0f * sl_graph.data[0][row * 3 + i]) / total);
    }
    sl_graph_end();
}

static float pooled(bool average, uint32_t oy, uint32_t ox, uint32_t c)
{
    float sum = 0.0f, best = -INFINITY, count = 0.0f;
    for (uint32_t ky = 0; ky < 3; ky++)
        for (uint32_t kx = 0; kx < 3; kx++) {
            uint32_t iy = oy * 2 + ky, ix = ox * 2 + kx; /* one more than the pixel: padding 1 */
            if (iy < 1 || iy > 6 || ix < 1 || ix > 6)
                continue;
            float value = sl_graph.data[0][((iy - 1) * 6 + ix - 1) * 2 + c];
            best = value > best ? value : best;
            sum += value;
            count += 1.0f;
        }
    return average ? sum / count : best;
}

TEST(pools_count_valid_pixels_only)
{
    static const char *const names[] = {"Max Pooling (NHWC, F32)",
                                        "Average Pooling (NHWC, F32) Pixelwise Average Pooling"};
    for (int average = 0; average < 2; average++) {
        sl_graph_begin();
        uint32_t x = sl_graph_add_input(DIMS(1, 6, 6, 2)),
                 y = sl_graph_add_output(DIMS(1, 3, 3, 2));
        sl_graph_set_window(
            sl_graph_add_node(average ? SL_XNN_AVG_POOLING_2D : SL_XNN_MAX_POOLING_2D, IN(x), y), 3,
            2, 1);
        sl_graph_run();
        sl_graph_check_names(1, &names[average]);
        for (uint32_t i = 0; i < 18; i++)
            sl_graph_check_float(sl_graph.data[1][i], pooled(average, i / 6, i / 2 % 3, i % 2));
        sl_graph_end();
    }
}

TEST(global_average_is_a_mean_over_pixels)
{
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(2, 3, 4, 5)), y = sl_graph_add_output(DIMS(2, 1, 1, 5));
    sl_graph_add_node(SL_XNN_GLOBAL_AVG_POOLING_2D, IN(x), y)->flags = SL_XNN_FLAG_KEEP_DIMS;
    sl_graph_run();
    sl_graph_check_names(NAMES("Mean (ND) Reduce2"));
    for (int n = 0; n < 2; n++)
        for (int c = 0; c < 5; c++) {
            float sum = 0.0f;
            for (int p = 0; p < 12; p++)
                sum += sl_graph.data[0][(n * 12 + p) * 5 + c];
            sl_graph_check_float(sl_graph.data[1][n * 5 + c], sum / 12.0f);
        }
    sl_graph_end();
}

TEST(transpose_moves_dimensions)
{
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(2, 3, 4, 5)), y = sl_graph_add_output(DIMS(2, 4, 5, 3));
    struct sl_xnn_node *node = sl_graph_add_node(SL_XNN_STATIC_TRANSPOSE, IN(x), y);
    node->param_count = 4;
    memcpy(node->params, ((uint32_t[]){0, 2, 3, 1}), 16);
    sl_graph_run();
    sl_graph_check_names(NAMES("Transpose (ND, X32)"));
    for (int i = 0; i < 120; i++)
        sl_graph_check_float(sl_graph.data[1][i],
                             sl_graph.data[0][i / 60 * 60 + i % 3 * 20 + i / 3 % 20]);
    sl_graph_end();
}

TEST(concatenation_slice_and_pad_move_boxes)
{
    sl_graph_begin();
    uint32_t a = sl_graph_add_input(DIMS(2, 3)), b = sl_graph_add_input(DIMS(2, 1)),
             y = sl_graph_add_output(DIMS(3, 4));
    uint32_t joined = sl_graph_add_value(DIMS(2, 4)), cut = sl_graph_add_value(DIMS(1, 3));
    struct sl_xnn_node *cat = sl_graph_add_node(SL_XNN_CONCATENATE2, IN(a, b), joined);
    cat->axis = 1;
    struct sl_xnn_node *slice = sl_graph_add_node(SL_XNN_STATIC_SLICE, IN(joined), cut);
    slice->param_count = 2;
    memcpy(slice->params, ((uint32_t[]){1, 1}), 8);
    memcpy(slice->params2, ((uint32_t[]){1, 3}), 8);
    struct sl_xnn_node *pad = sl_graph_add_node(SL_XNN_STATIC_CONSTANT_PAD, IN(cut), y);
    pad->param_count = 2;
    pad->alpha = 9.0f;
    memcpy(pad->params, ((uint32_t[]){1, 0}), 8);
    memcpy(pad->params2, ((uint32_t[]){1, 1}), 8);
    sl_graph_run();
    sl_graph_check_names(NAMES("Copy (NC, X32)", "Slice (ND, X32)", "Constant Pad (ND, X32)"));
    const float want[12] = {
        9, 9, 9, 9, sl_graph.data[0][4], sl_graph.data[0][5], sl_graph.data[1][1], 9, 9, 9, 9, 9};
    for (int i = 0; i < 12; i++)
        sl_graph_check_float(sl_graph.data[2][i], want[i]);
    sl_graph_end();
}

enum { FIRE_PIXELS = 16, FIRE_IN = 8, FIRE_MOST = 32 };

static float fire_weight(int i)
{
    return (float)(i % 11) - 5.0f;
}

/* The value of channel `c` at pixel `p` of a 3x3 (or, `taps` 1, a 1x1) convolution of a 4x4 image.
 * */
static float fire_want(int taps, int p, int c)
{
    float sum = (float)c;
    for (int t = 0; t < taps; t++) {
        int y = p / 4 + (taps == 1 ? 0 : t / 3 - 1), x = p % 4 + (taps == 1 ? 0 : t % 3 - 1);
        for (int i = 0; i < FIRE_IN && y >= 0 && y < 4 && x >= 0 && x < 4; i++)
            sum += sl_graph.data[0][(y * 4 + x) * FIRE_IN + i] *
                   fire_weight((c * taps + t) * FIRE_IN + i);
    }
    return sum;
}

/* A fire module of SqueezeNet: a product and a convolution of one input, `expand` channels each,
 * joined. Returns how many operators still copy. */
static uint32_t check_fire(uint32_t isa, uint32_t expand)
{
    static float w[9 * FIRE_IN * FIRE_MOST], bias[FIRE_MOST];
    for (int i = 0; i < 9 * FIRE_IN * FIRE_MOST; i++)
        w[i] = fire_weight(i);
    for (int i = 0; i < FIRE_MOST; i++)
        bias[i] = (float)i;
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(1, 4, 4, FIRE_IN)), made[2];
    uint32_t y = sl_graph_add_output(DIMS(1, 4, 4, 2 * expand));
    uint32_t add = sl_graph_add_constant(bias, DIMS(expand));
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t size = k == 0 ? 1 : 3;
        uint32_t weights = sl_graph_add_constant(w, DIMS(expand, size, size, FIRE_IN));
        made[k] = sl_graph_add_value(DIMS(1, 4, 4, expand));
        struct sl_xnn_node *conv = sl_graph_add_node(SL_XNN_CONV2D, IN(x, weights, add), made[k]);
        sl_graph_set_window(conv, size, 1, k);
        sl_graph_set_channels(conv, 1, FIRE_IN, expand);
    }
    sl_graph_add_node(SL_XNN_CONCATENATE2, IN(made[0], made[1]), y)->axis = 3;
    sl_graph_run_on(isa);
    for (int p = 0; p < FIRE_PIXELS; p++)
        for (uint32_t c = 0; c < 2 * expand; c++)
            sl_graph_check_float(sl_graph.data[1][(uint32_t)p * 2 * expand + c],
                                 fire_want(c < expand ? 1 : 9, p, (int)(c % expand)));
    uint32_t copies = 0;
    for (uint32_t i = 0; i < sl_graph.plan->op_count; i++)
        copies += sl_graph.plan->steps[sl_graph.plan->ops[i].step_first].kind == SL_STEP_COPY;
    sl_graph_end();
    return copies;
}

TEST(convolutions_write_straight_into_their_concatenation)
{
    uint32_t all = sl_isa_detect();
    const uint32_t sme = SL_ISA_SME | SL_ISA_SME2, isas[] = {all, all & ~sme, SL_ISA_NONE};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(check_fire(isas[i], 16), 0);
        assert_int_equal(check_fire(isas[i], 32), 0);
        /* No row of the second convolution would begin with a cache line. */
        assert_int_equal(check_fire(isas[i], 24), 1);
    }
}

TEST(parts_that_are_read_elsewhere_too_are_copied)
{
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(2, 8)), y = sl_graph_add_output(DIMS(4, 8));
    uint32_t twice = sl_graph_add_output(DIMS(4, 8)), z = sl_graph_add_output(DIMS(2, 8));
    uint32_t read = sl_graph_add_value(DIMS(2, 8)), own = sl_graph_add_value(DIMS(2, 8));
    sl_graph_add_node(SL_XNN_ADD, IN(x, x), read);
    sl_graph_add_node(SL_XNN_MULTIPLY, IN(x, x), own);
    sl_graph_add_node(SL_XNN_CONCATENATE2, IN(read, own), y);
    sl_graph_add_node(SL_XNN_ADD, IN(read, x), z);
    uint32_t square = sl_graph_add_value(DIMS(2, 8));
    sl_graph_add_node(SL_XNN_MULTIPLY, IN(x, x), square);
    sl_graph_add_node(SL_XNN_CONCATENATE2, IN(square, square), twice);
    sl_graph_run();
    for (int i = 0; i < 16; i++) {
        float v = sl_graph.data[0][i];
        sl_graph_check_float(sl_graph.data[1][i], v + v);
        sl_graph_check_float(sl_graph.data[1][16 + i], v * v);
        sl_graph_check_float(sl_graph.data[2][i], v * v);
        sl_graph_check_float(sl_graph.data[2][16 + i], v * v);
        sl_graph_check_float(sl_graph.data[3][i], 3.0f * v);
    }
    sl_graph_end();
}

TEST(depthwise_with_multiplier_reads_each_channel_twice)
{
    static float w[9 * 4];
    static const float bias[4] = {1.0f, 2.0f, 3.0f, 4.0f};
    for (int i = 0; i < 36; i++)
        w[i] = (float)(i % 5) - 2.0f;
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(1, 3, 3, 2)), y = sl_graph_add_output(DIMS(1, 1, 1, 4));
    uint32_t weights = sl_graph_add_constant(w, DIMS(1, 3, 3, 4)),
             b = sl_graph_add_constant(bias, DIMS(4));
    struct sl_xnn_node *node = sl_graph_add_node(SL_XNN_DEPTHWISE_CONV2D, IN(x, weights, b), y);
    sl_graph_set_window(node, 3, 1, 0);
    sl_graph_set_channels(node, 2, 1, 2);
    sl_graph_run();
    for (int o = 0; o < 4; o++) {
        float sum = bias[o];
        for (int p = 0; p < 9; p++)
            sum += sl_graph.data[0][p * 2 + o / 2] * w[p * 4 + o];
        sl_graph_check_float(sl_graph.data[1][o], sum);
    }
    sl_graph_end();
}

TEST(unsupported_nodes_and_types_are_refused_by_name)
{
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(4)), y = sl_graph_add_output(DIMS(4));
    sl_graph_add_node(SL_XNN_SCALED_DOT_PRODUCT_ATTENTION, IN(x), y);
    assert_int_equal(sl_graph_compile(SL_ISA_NONE), SL_ET_NOT_IMPLEMENTED);
    assert_string_equal(sl_graph.diag.where, "delegate node ScaledDotProductAttention (0)");
    sl_graph.nodes[0].type = SL_XNN_CLAMP;
    sl_graph.values[x].datatype = SL_XNN_FP16;
    assert_int_equal(sl_graph_compile(SL_ISA_NONE), SL_ET_NOT_SUPPORTED);
    assert_string_equal(sl_graph.diag.where, "delegate node Clamp (0)");
    sl_graph_end();
}

TEST(arguments_that_share_memory_are_refused)
{
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(4)), y = sl_graph_add_output(DIMS(4));
    sl_graph_add_node(SL_XNN_CLAMP, IN(x), y);
    assert_int_equal(sl_graph_compile(SL_ISA_NONE), 0);
    sl_tensor_bind(&sl_graph.tensors[1], sl_graph.data[0] + 2, 64);
    assert_int_equal(sl_graph_shape(), SL_ET_INVALID_PROGRAM);
    sl_tensor_bind(&sl_graph.tensors[1], sl_graph.data[0] + 4, 64);
    assert_int_equal(sl_graph_shape(), 0);
    sl_graph_end();
}

TEST(workspace_holds_only_what_lives_at_once)
{
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(1024)), y = sl_graph_add_output(DIMS(1024)), last = x;
    for (int i = 0; i < 8; i++) {
        uint32_t next = i == 7 ? y : sl_graph_add_value(DIMS(1024));
        sl_graph_add_node(SL_XNN_ADD, IN(last, x), next);
        last = next;
    }
    sl_graph_run();
    assert_int_equal(sl_graph.plan->workspace_bytes, 2 * 1024 * sizeof(float));
    for (int i = 0; i < 1024; i++)
        sl_graph_check_float(sl_graph.data[1][i], 9.0f * sl_graph.data[0][i]);
    sl_graph_end();
}
