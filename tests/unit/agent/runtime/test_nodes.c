/* tests/unit/agent/runtime/test_nodes.c: delegate nodes one by one: names, rewrites, numbers. */
#include <math.h>
#include <string.h>

#include "kernels/cpu/isa.h"
#include "tests/support/graph_case.h"
#include "tests/support/test.h"

static const float *in(uint32_t k)
{
    return sl_graph.data[k];
}

/* True where this CPU's operators carry the names of packed left operands. */
static const char *packed_or(const char *packed, const char *plain)
{
    return sl_isa_detect() & (SL_ISA_SME | SL_ISA_SME2) ? packed : plain;
}

static float same(float x)
{
    return x;
}

static float negated(float x)
{
    return -x;
}

static float rsqrt(float x)
{
    return 1 / sqrtf(x);
}

static float sigmoid(float x)
{
    return 1 / (1 + expf(-x));
}

static float hardswish(float x)
{
    return x / 6 * fminf(fmaxf(x + 3, 0), 6);
}

static float gelu(float x)
{
    return x / 2 * (1 + erff(x * sqrtf(0.5f)));
}

static float elu(float x)
{
    return x < 0 ? 0.5f * expm1f(x) : x;
}

static float leaky(float x)
{
    return x < 0 ? 0.5f * x : x;
}

TEST(unary_nodes_compute_what_they_are_named_for)
{
    static const struct {
        int type;
        const char *name;
        float (*function)(float);
    } nodes[] = {
        {SL_XNN_ABS, "Abs (NC)", fabsf},
        {SL_XNN_NEGATE, "Negate (NC)", negated},
        {SL_XNN_FLOOR, "Floor (NC)", floorf},
        {SL_XNN_CEILING, "Ceiling (NC)", ceilf},
        {SL_XNN_SQUARE_ROOT, "Square Root (NC)", sqrtf},
        {SL_XNN_RECIPROCAL_SQUARE_ROOT, "Reciprocal Square Root (NC)", rsqrt},
        {SL_XNN_EXP, "Exp (NC)", expf},
        {SL_XNN_LOG, "Log (NC)", logf},
        {SL_XNN_SIN, "Sine (NC)", sinf},
        {SL_XNN_COS, "Cosine (NC)", cosf},
        {SL_XNN_SIGMOID, "Sigmoid (NC)", sigmoid},
        {SL_XNN_TANH, "TanH (NC)", tanhf},
        {SL_XNN_HARDSWISH, "HardSwish (NC)", hardswish},
        {SL_XNN_GELU, "GELU (NC)", gelu},
        {SL_XNN_ELU, "ELU (NC)", elu},
        {SL_XNN_LEAKY_RELU, "LeakyReLU (NC)", leaky},
        {SL_XNN_CONVERT, "Convert (NC)", same},
        {SL_XNN_COPY, "Copy (NC, X32)", same},
    };
    for (size_t k = 0; k < sizeof(nodes) / sizeof(nodes[0]); k++) {
        sl_graph_begin();
        uint32_t x = sl_graph_add_input(DIMS(3, 7)), y = sl_graph_add_output(DIMS(3, 7));
        sl_graph_add_node(nodes[k].type, IN(x), y)->alpha = 0.5f;
        sl_graph_run();
        sl_graph_check_names(1, &nodes[k].name);
        for (int i = 0; i < 21; i++) {
            float want = nodes[k].function(in(0)[i]);
            if (isnan(want))
                assert_true(isnan(in(1)[i]));
            else if (isinf(want))
                assert_true(in(1)[i] == want);
            else
                sl_graph_check_float(in(1)[i], want);
        }
        sl_graph_end();
    }
}

TEST(prelu_has_a_slope_for_each_channel)
{
    static const float slope[3] = {0.5f, -1.0f, 2.0f};
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(1, 2, 4, 3)), y = sl_graph_add_output(DIMS(1, 2, 4, 3));
    sl_graph_add_node(SL_XNN_PRELU, IN(x, sl_graph_add_constant(slope, DIMS(3))), y);
    sl_graph_run();
    sl_graph_check_names(NAMES("PReLU (ND)"));
    for (int i = 0; i < 24; i++)
        sl_graph_check_float(in(1)[i], in(0)[i] < 0 ? in(0)[i] * slope[i % 3] : in(0)[i]);
    sl_graph_end();
}

/* a [2][1][3][4] (or its matrices turned) times b [3][4][5] (or turned): y [2][3][3][5]. */
static void check_batch(bool a_turned, bool b_turned, bool by_node)
{
    sl_graph_begin();
    uint32_t a =
        a_turned ? sl_graph_add_input(DIMS(2, 1, 4, 3)) : sl_graph_add_input(DIMS(2, 1, 3, 4));
    uint32_t b = b_turned ? sl_graph_add_input(DIMS(3, 5, 4)) : sl_graph_add_input(DIMS(3, 4, 5));
    uint32_t y = sl_graph_add_output(DIMS(2, 3, 3, 5)), right = b;
    if (by_node) { /* a transpose that the product takes over */
        right = b_turned ? sl_graph_add_value(DIMS(3, 4, 5)) : sl_graph_add_value(DIMS(3, 5, 4));
        struct sl_xnn_node *turn = sl_graph_add_node(SL_XNN_STATIC_TRANSPOSE, IN(b), right);
        turn->param_count = 3;
        memcpy(turn->params, ((uint32_t[]){0, 2, 1}), 12);
    }
    struct sl_xnn_node *node = sl_graph_add_node(SL_XNN_BATCH_MATRIX_MULTIPLY, IN(a, right), y);
    node->flags = (a_turned ? SL_XNN_FLAG_TRANSPOSE_A : 0) |
                  (b_turned != by_node ? SL_XNN_FLAG_TRANSPOSE_WEIGHTS : 0);
    sl_graph_run();
    sl_graph_check_names(NAMES(packed_or("Batch Matrix Multiply (NC, PF32) GEMM",
                                         "Batch Matrix Multiply (NC, F32) GEMM")));
    for (int i = 0; i < 90; i++) {
        int n = i % 5, m = i / 5 % 3, c = i / 15 % 3, o = i / 45;
        float sum = 0;
        for (int k = 0; k < 4; k++)
            sum += in(0)[o * 12 + (a_turned ? k * 3 + m : m * 4 + k)] *
                   in(1)[c * 20 + (b_turned ? n * 4 + k : k * 5 + n)];
        sl_graph_check_float(in(2)[i], sum);
    }
    sl_graph_end();
}

TEST(batched_products_broadcast_and_transpose)
{
    for (int k = 0; k < 8; k++)
        check_batch(k & 1, k & 2, k & 4);
}

/* The same value in halves. */
static uint32_t halves_of(uint32_t value, const uint32_t *dims, uint32_t rank)
{
    uint32_t halves = sl_graph_add_value(dims, rank);
    sl_graph.values[halves].datatype = SL_XNN_FP16;
    sl_graph_add_node(SL_XNN_CONVERT, IN(value), halves);
    return halves;
}

/* a [2][17][21] (two heads) times b [2][21][40], or turned, in halves: more than one block of most
 * vectors. */
static void check_batch_of_halves(bool turned)
{
    enum { M = 17, K = 21, N = 40 };
    sl_graph_begin();
    uint32_t a = sl_graph_add_input(DIMS(2, M, K));
    uint32_t b = turned ? sl_graph_add_input(DIMS(2, N, K)) : sl_graph_add_input(DIMS(2, K, N));
    uint32_t y = sl_graph_add_output(DIMS(2, M, N)), product = sl_graph_add_value(DIMS(2, M, N));
    sl_graph.values[product].datatype = SL_XNN_FP16;
    uint32_t half_b = turned ? halves_of(b, DIMS(2, N, K)) : halves_of(b, DIMS(2, K, N));
    struct sl_xnn_node *node = sl_graph_add_node(SL_XNN_BATCH_MATRIX_MULTIPLY,
                                                 IN(halves_of(a, DIMS(2, M, K)), half_b), product);
    node->flags = turned ? SL_XNN_FLAG_TRANSPOSE_WEIGHTS : 0;
    sl_graph_add_node(SL_XNN_CONVERT, IN(product), y);
    sl_graph_run();
    for (int i = 0; i < 2 * M * N; i++) {
        int n = i % N, m = i / N % M, head = i / N / M;
        float sum = 0, most = 0;
        for (int k = 0; k < K; k++) {
            float term = in(0)[(head * M + m) * K + k] *
                         in(1)[head * N * K + (turned ? n * K + k : k * N + n)];
            sum += term;
            most = fmaxf(most, fabsf(sum));
        }
        assert_true(fabsf(in(2)[i] - sum) <= 0x1p-7f * (most + 1));
    }
    sl_graph_end();
}

TEST(batched_products_of_halves_are_those_of_floats_but_for_rounding)
{
    check_batch_of_halves(false);
    check_batch_of_halves(true);
}

static void check_dynamic(bool turned, bool by_node, bool bias)
{
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(2, 3, 4));
    uint32_t w = turned ? sl_graph_add_input(DIMS(4, 5)) : sl_graph_add_input(DIMS(5, 4));
    uint32_t b = sl_graph_add_input(DIMS(5)), y = sl_graph_add_output(DIMS(2, 3, 5)), filter = w;
    if (by_node) {
        filter = turned ? sl_graph_add_value(DIMS(5, 4)) : sl_graph_add_value(DIMS(4, 5));
        struct sl_xnn_node *turn = sl_graph_add_node(SL_XNN_STATIC_TRANSPOSE, IN(w), filter);
        turn->param_count = 2;
        turn->params[0] = 1;
    }
    struct sl_xnn_node *node =
        sl_graph_add_node(SL_XNN_FULLY_CONNECTED, IN(x, filter, bias ? b : SL_XNN_NO_ID), y);
    node->flags = turned != by_node ? SL_XNN_FLAG_TRANSPOSE_WEIGHTS : 0;
    node->output_max = 1.5f;
    sl_graph_run();
    sl_graph_check_names(NAMES(packed_or("Dynamic Fully Connected (NC, PF32) GEMM",
                                         "Dynamic Fully Connected (NC, F32) GEMM")));
    for (int i = 0; i < 30; i++) {
        float sum = bias ? in(2)[i % 5] : 0;
        for (int k = 0; k < 4; k++)
            sum += in(0)[i / 5 * 4 + k] * in(1)[turned ? k * 5 + i % 5 : i % 5 * 4 + k];
        sl_graph_check_float(in(3)[i], fminf(sum, 1.5f));
    }
    sl_graph_end();
}

TEST(computed_weights_are_packed_at_each_run)
{
    for (int k = 0; k < 8; k++)
        check_dynamic(k & 1, k & 2, k & 4);
}

/* One output of a 3x3 transposed convolution, stride 2, padding 1, 4x3 pixels, two groups of two
 * channels in, three out. */
static float deconv_of(const float *w, const float *bias, int oy, int ox, int o)
{
    float sum = bias[o];
    for (int k = 0; k < 4 * 3 * 9; k++) {
        int ky = k % 3, kx = k / 3 % 3, iy = k / 9 % 4, ix = k / 36;
        if (iy * 2 + ky - 1 != oy || ix * 2 + kx - 1 != ox)
            continue;
        for (int i = 0; i < 2; i++)
            sum += in(0)[(iy * 3 + ix) * 4 + o / 3 * 2 + i] * w[((o * 3 + ky) * 3 + kx) * 2 + i];
    }
    return sum;
}

TEST(transposed_convolution_sums_what_overlaps)
{
    static float w[6 * 9 * 2];
    static const float bias[6] = {0.25f, -1.0f, 2.0f, 0.5f, 3.0f, -2.0f};
    for (int i = 0; i < 108; i++)
        w[i] = (float)(i % 7 - 3) / 4.0f;
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(1, 4, 3, 4)), y = sl_graph_add_output(DIMS(1, 8, 5, 6));
    uint32_t weights = sl_graph_add_constant(w, DIMS(6, 3, 3, 2));
    struct sl_xnn_node *node = sl_graph_add_node(
        SL_XNN_CONV_TRANSPOSE_2D, IN(x, weights, sl_graph_add_constant(bias, DIMS(6))), y);
    sl_graph_set_window(node, 3, 2, 1);
    sl_graph_set_channels(node, 2, 2, 3);
    node->window.adjustment_height = 1;
    node->output_min = 0.0f;
    sl_graph_run();
    sl_graph_check_names(NAMES("Deconvolution (NHWC, F32) Subconv2D"));
    for (int i = 0; i < 240; i++)
        sl_graph_check_float(in(1)[i], fmaxf(deconv_of(w, bias, i / 30, i / 6 % 5, i % 6), 0.0f));
    sl_graph_end();
}

TEST(resize_blends_pixels)
{
    for (int corners = 0; corners < 2; corners++) {
        sl_graph_begin();
        uint32_t x = sl_graph_add_input(DIMS(1, 1, 3, 2));
        uint32_t y = sl_graph_add_output(DIMS(1, 1, 6, 2));
        struct sl_xnn_node *node = sl_graph_add_node(SL_XNN_STATIC_RESIZE_BILINEAR_2D, IN(x), y);
        node->params[0] = 1;
        node->params[1] = 6;
        node->flags = corners ? SL_XNN_FLAG_ALIGN_CORNERS : 0;
        sl_graph_run();
        sl_graph_check_names(NAMES("Resize Bilinear (NHWC)"));
        for (int i = 0; i < 12; i++) {
            float at = corners ? (float)(i / 2) * 0.4f : ((float)(i / 2) + 0.5f) * 0.5f - 0.5f;
            at = fminf(fmaxf(at, 0.0f), 2.0f);
            int left = (int)at, right = left < 2 ? left + 1 : left;
            float l = in(0)[left * 2 + i % 2], r = in(0)[right * 2 + i % 2];
            sl_graph_check_float(in(1)[i], l + (r - l) * (at - (float)left));
        }
        sl_graph_end();
    }
}

static void begin_int8_resize(float out_scale)
{
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(1, 1, 3, 2));
    uint32_t y = sl_graph_add_output(DIMS(1, 1, 6, 2));
    uint32_t from = sl_graph_add_int8(DIMS(1, 1, 3, 2), 1.0f / 7.0f, 3);
    uint32_t to = sl_graph_add_int8(DIMS(1, 1, 6, 2), out_scale, 3);
    sl_graph_add_node(SL_XNN_CONVERT, IN(x), from);
    struct sl_xnn_node *node = sl_graph_add_node(SL_XNN_STATIC_RESIZE_BILINEAR_2D, IN(from), to);
    node->params[0] = 1;
    node->params[1] = 6;
    sl_graph_add_node(SL_XNN_CONVERT, IN(to), y);
}

TEST(resize_of_int8_blends_raw_values_and_rounds_once)
{
    begin_int8_resize(1.0f / 7.0f);
    sl_graph_run();
    for (int i = 0; i < 12; i++) {
        float at = fminf(fmaxf(((float)(i / 2) + 0.5f) * 0.5f - 0.5f, 0.0f), 2.0f);
        int left = (int)at, right = left < 2 ? left + 1 : left;
        float l = roundf(in(0)[left * 2 + i % 2] * 7) + 3,
              r = roundf(in(0)[right * 2 + i % 2] * 7) + 3;
        float raw = floorf(l + (r - l) * (at - (float)left) + 0.5f);
        sl_graph_check_float(in(1)[i], (raw - 3) / 7.0f);
    }
    sl_graph_end();
}

TEST(resize_between_scales_is_refused)
{
    begin_int8_resize(1.0f / 6.0f);
    assert_int_equal(sl_graph_compile(0), SL_ET_NOT_SUPPORTED);
    sl_graph_end();
}

TEST(mean_of_squares_is_one_operator)
{
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(1, 3, 4, 5)), y = sl_graph_add_output(DIMS(1, 1, 1, 5));
    uint32_t square = sl_graph_add_value(DIMS(1, 3, 4, 5));
    sl_graph_add_node(SL_XNN_MULTIPLY, IN(x, x), square);
    sl_graph_add_node(SL_XNN_GLOBAL_AVG_POOLING_2D, IN(square), y)->flags = SL_XNN_FLAG_KEEP_DIMS;
    sl_graph_run();
    sl_graph_check_names(NAMES("Mean Squared (ND) Reduce2"));
    for (int c = 0; c < 5; c++) {
        float sum = 0;
        for (int p = 0; p < 12; p++)
            sum += in(0)[p * 5 + c] * in(0)[p * 5 + c];
        sl_graph_check_float(in(1)[c], sum / 12);
    }
    sl_graph_end();
}

TEST(constants_are_reshaped_at_load)
{
    static const float row[4] = {1, 2, 3, 4};
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(4, 1)), y = sl_graph_add_output(DIMS(4, 1));
    uint32_t flat = sl_graph_add_constant(row, DIMS(4)), column = sl_graph_add_value(DIMS(4, 1));
    struct sl_xnn_node *reshape = sl_graph_add_node(SL_XNN_STATIC_RESHAPE, IN(flat), column);
    reshape->param_count = 2;
    memcpy(reshape->params, ((uint32_t[]){4, 1}), 8);
    sl_graph_add_node(SL_XNN_ADD, IN(x, column), y);
    sl_graph_run();
    sl_graph_check_names(NAMES("Add (ND)"));
    for (int i = 0; i < 4; i++)
        sl_graph_check_float(in(1)[i], in(0)[i] + row[i]);
    sl_graph_end();
}

/* Rows of `left` bytes, each before a row of 5. */
static void check_rows(uint32_t left)
{
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(7, left)), y = sl_graph_add_input(DIMS(7, 5));
    uint32_t to = sl_graph_add_output(DIMS(7, left + 5));
    uint32_t a = sl_graph_add_int8(DIMS(7, left), 1.0f / 7.0f, 0);
    uint32_t b = sl_graph_add_int8(DIMS(7, 5), 1.0f / 7.0f, 0);
    uint32_t both = sl_graph_add_int8(DIMS(7, left + 5), 1.0f / 7.0f, 0);
    sl_graph_add_node(SL_XNN_CONVERT, IN(x), a);
    sl_graph_add_node(SL_XNN_CONVERT, IN(y), b);
    sl_graph_add_node(SL_XNN_CONCATENATE2, IN(a, b), both)->axis = 1;
    sl_graph_add_node(SL_XNN_CONVERT, IN(both), to);
    sl_graph_run();
    for (uint32_t i = 0; i < 7 * (left + 5); i++) {
        uint32_t row = i / (left + 5), column = i % (left + 5);
        float want = column < left ? in(0)[row * left + column] : in(1)[row * 5 + column - left];
        sl_graph_check_float(in(2)[i], fminf(fmaxf(want, -128.0f / 7), 127.0f / 7));
    }
    sl_graph_end();
}

TEST(rows_of_bytes_of_any_length_are_joined)
{
    for (uint32_t left = 1; left < 70; left++)
        check_rows(left);
}

TEST(shapes_that_do_not_fit_are_refused)
{
    sl_graph_begin();
    uint32_t a = sl_graph_add_input(DIMS(2, 3)), b = sl_graph_add_input(DIMS(4, 5));
    uint32_t y = sl_graph_add_output(DIMS(2, 5));
    struct sl_xnn_node *node = sl_graph_add_node(SL_XNN_BATCH_MATRIX_MULTIPLY, IN(a, b), y);
    assert_int_equal(sl_graph_compile(SL_ISA_NONE), SL_ET_INVALID_PROGRAM);
    node->type = SL_XNN_STATIC_RESIZE_BILINEAR_2D;
    node->input_count = 1;
    assert_int_equal(sl_graph_compile(SL_ISA_NONE), SL_ET_INVALID_PROGRAM);
    sl_graph_end();
}
