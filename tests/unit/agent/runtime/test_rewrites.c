/* tests/unit/agent/runtime/test_rewrites.c: what becomes of nodes before they are operators. */
#include <math.h>
#include <string.h>

#include "agent/runtime/xnn/delegate.h"
#include "kernels/cpu/isa.h"
#include "tests/support/graph_case.h"
#include "tests/support/test.h"

static const float *in(uint32_t k)
{
    return sl_graph.data[k];
}

static void add_clamp(uint32_t from, uint32_t to, float min, float max)
{
    struct sl_xnn_node *clamp = sl_graph_add_node(SL_XNN_CLAMP, IN(from), to);
    clamp->output_min = min;
    clamp->output_max = max;
}

static void add_reshape(uint32_t from, uint32_t to, const uint32_t *shape, uint32_t rank)
{
    struct sl_xnn_node *reshape = sl_graph_add_node(SL_XNN_STATIC_RESHAPE, IN(from), to);
    reshape->param_count = rank;
    memcpy(reshape->params, shape, rank * sizeof(*shape));
}

static void add_turn(uint32_t from, uint32_t to)
{
    struct sl_xnn_node *turn = sl_graph_add_node(SL_XNN_STATIC_TRANSPOSE, IN(from), to);
    turn->param_count = 3;
    memcpy(turn->params, ((uint32_t[]){0, 2, 1}), 12);
}

TEST(of_clamps_that_do_not_meet_the_later_one_holds)
{
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(9)), y = sl_graph_add_output(DIMS(9));
    uint32_t between = sl_graph_add_value(DIMS(9));
    add_clamp(x, between, 0, 6);
    add_clamp(between, y, 7, 8);
    sl_graph_run();
    sl_graph_check_names(NAMES("Clamp (NC)"));
    for (int i = 0; i < 9; i++)
        sl_graph_check_float(in(1)[i], 7);
    sl_graph_end();
}

TEST(clamps_without_bounds_vanish_or_copy)
{
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(5)), y = sl_graph_add_output(DIMS(5));
    uint32_t z = sl_graph_add_output(DIMS(5)), open = sl_graph_add_value(DIMS(5));
    add_clamp(x, open, -INFINITY, INFINITY);
    sl_graph_add_node(SL_XNN_ADD, IN(open, open), y);
    add_clamp(x, z, -INFINITY, INFINITY);
    sl_graph_run();
    sl_graph_check_names(NAMES("Add (ND)", "Copy (NC, X32)"));
    for (int i = 0; i < 5; i++) {
        sl_graph_check_float(in(1)[i], 2 * in(0)[i]);
        sl_graph_check_float(in(2)[i], in(0)[i]);
    }
    sl_graph_end();
}

TEST(a_copy_that_two_read_of_what_others_read_stays)
{
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(5)), y = sl_graph_add_output(DIMS(5));
    uint32_t z = sl_graph_add_output(DIMS(5)), copy = sl_graph_add_value(DIMS(5));
    sl_graph_add_node(SL_XNN_COPY, IN(x), copy);
    sl_graph_add_node(SL_XNN_ABS, IN(copy), y);
    sl_graph_add_node(SL_XNN_ADD, IN(copy, x), z);
    sl_graph_run();
    sl_graph_check_names(NAMES("Copy (NC, X32)", "Abs (NC)", "Add (ND)"));
    for (int i = 0; i < 5; i++)
        sl_graph_check_float(in(2)[i], 2 * in(0)[i]);
    sl_graph_end();
}

TEST(a_copy_is_not_read_past_another_reader_of_its_input)
{
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(5)), y = sl_graph_add_output(DIMS(5));
    uint32_t z = sl_graph_add_output(DIMS(5)), copy = sl_graph_add_value(DIMS(5));
    struct sl_xnn_node *node = sl_graph_add_node(SL_XNN_COPY, IN(x), copy);
    struct sl_xnn_node *next = sl_graph_add_node(SL_XNN_ABS, IN(x), y);
    sl_graph_add_node(SL_XNN_NEGATE, IN(copy), z);
    assert_int_equal(sl_graph_compile(SL_ISA_NONE), 0);
    sl_graph_check_names(NAMES("Copy (NC, X32)", "Abs (NC)", "Negate (NC)"));
    sl_xnn_delegate_free(sl_graph.plan);
    struct sl_xnn_node first = *node;
    *node = *next;
    *next = first;
    sl_graph_run();
    sl_graph_check_names(NAMES("Abs (NC)", "Negate (NC)"));
    sl_graph_end();
}

TEST(the_mean_of_a_square_that_others_read_squares_again)
{
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(1, 3, 2, 4)), y = sl_graph_add_output(DIMS(1, 3, 2, 4));
    uint32_t mean = sl_graph_add_output(DIMS(1, 1, 1, 4));
    sl_graph_add_node(SL_XNN_MULTIPLY, IN(x, x), y);
    sl_graph_add_node(SL_XNN_GLOBAL_AVG_POOLING_2D, IN(y), mean)->flags = SL_XNN_FLAG_KEEP_DIMS;
    sl_graph_run();
    sl_graph_check_names(NAMES("Square (NC)", "Mean Squared (ND) Reduce2"));
    for (int c = 0; c < 4; c++) {
        float sum = 0;
        for (int p = 0; p < 6; p++)
            sum += in(0)[p * 4 + c] * in(0)[p * 4 + c];
        sl_graph_check_float(in(2)[c], sum / 6);
    }
    sl_graph_end();
}

TEST(reshapes_merge_into_whole_shapes_alone)
{
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(2, 6)), y = sl_graph_add_output(DIMS(2, 3, 2));
    uint32_t z = sl_graph_add_output(DIMS(4, 3)), a = sl_graph_add_value(DIMS(12));
    uint32_t b = sl_graph_add_value(DIMS(3, 4));
    add_reshape(x, a, (uint32_t[]){12}, 1);
    add_reshape(a, y, (uint32_t[]){0, 3, 2}, 3);
    add_reshape(x, b, (uint32_t[]){3, 4}, 2);
    add_reshape(b, z, (uint32_t[]){4, 3}, 2);
    sl_graph_run();
    sl_graph_check_names(
        NAMES("Static Reshape (NC)", "Static Reshape (NC)", "Static Reshape (NC)"));
    for (int i = 0; i < 12; i++) {
        sl_graph_check_float(in(1)[i], in(0)[i]);
        sl_graph_check_float(in(2)[i], in(0)[i]);
    }
    sl_graph_end();
}

TEST(a_reshape_to_the_shape_that_is_there_vanishes)
{
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(12)), y = sl_graph_add_output(DIMS(3, 4));
    uint32_t a = sl_graph_add_value(DIMS(3, 4)), b = sl_graph_add_value(DIMS(3, 4));
    uint32_t c = sl_graph_add_value(DIMS(3, 4));
    add_reshape(x, a, (uint32_t[]){3, 4}, 2);
    sl_graph_add_node(SL_XNN_ABS, IN(a), b);
    add_reshape(b, c, (uint32_t[]){3, 4}, 2);
    sl_graph_add_node(SL_XNN_NEGATE, IN(c), y);
    sl_graph_run();
    sl_graph_check_names(NAMES("Static Reshape (NC)", "Abs (NC)", "Negate (NC)"));
    for (int i = 0; i < 12; i++)
        sl_graph_check_float(in(1)[i], -fabsf(in(0)[i]));
    sl_graph_end();
}

static const char *product_name(void)
{
    return sl_isa_detect() & (SL_ISA_SME | SL_ISA_SME2) ? "Batch Matrix Multiply (NC, PF32) GEMM"
                                                        : "Batch Matrix Multiply (NC, F32) GEMM";
}

TEST(two_turns_of_a_right_operand_are_none)
{
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(1, 2, 3)), y = sl_graph_add_output(DIMS(1, 2, 4));
    uint32_t b = sl_graph_add_input(DIMS(1, 3, 4)), turned = sl_graph_add_value(DIMS(1, 4, 3));
    uint32_t back = sl_graph_add_value(DIMS(1, 3, 4));
    add_turn(b, turned);
    add_turn(turned, back);
    sl_graph_add_node(SL_XNN_BATCH_MATRIX_MULTIPLY, IN(x, back), y);
    sl_graph_run();
    sl_graph_check_names(NAMES(product_name()));
    for (int i = 0; i < 8; i++) {
        float sum = 0;
        for (int k = 0; k < 3; k++)
            sum += in(0)[i / 4 * 3 + k] * in(2)[k * 4 + i % 4];
        sl_graph_check_float(in(1)[i], sum);
    }
    sl_graph_end();
}

TEST(a_turned_operand_on_both_sides_is_turned_once)
{
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(1, 3, 3)), y = sl_graph_add_output(DIMS(1, 3, 3));
    uint32_t turned = sl_graph_add_value(DIMS(1, 3, 3));
    add_turn(x, turned);
    sl_graph_add_node(SL_XNN_BATCH_MATRIX_MULTIPLY, IN(turned, turned), y);
    sl_graph_run();
    sl_graph_check_names(NAMES("Transpose (ND, X32)", product_name()));
    for (int i = 0; i < 9; i++) {
        float sum = 0;
        for (int k = 0; k < 3; k++)
            sum += in(0)[k * 3 + i / 3] * in(0)[i % 3 * 3 + k];
        sl_graph_check_float(in(1)[i], sum);
    }
    sl_graph_end();
}

/* min(max(q + 4, 0), 48) * q / 8 of q = 8 x */
TEST(a_chain_with_numbers_and_both_its_ends_is_one_table)
{
    static const int8_t four = 4;
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(100)), y = sl_graph_add_output(DIMS(100));
    uint32_t q = sl_graph_add_int8(DIMS(100), 0.125f, 0),
             sum = sl_graph_add_int8(DIMS(100), 0.125f, 0);
    uint32_t low = sl_graph_add_int8(DIMS(100), 0.125f, 0);
    uint32_t end = sl_graph_add_int8(DIMS(100), 0.125f, 0);
    uint32_t number = sl_graph_add_int8_constant(&four, DIMS(1), 0.125f);
    sl_graph_add_node(SL_XNN_CONVERT, IN(x), q);
    sl_graph_add_node(SL_XNN_ADD, IN(number, q), sum);
    add_clamp(sum, low, 0, 6);
    sl_graph_add_node(SL_XNN_MULTIPLY, IN(q, low), end);
    sl_graph_add_node(SL_XNN_CONVERT, IN(end), y);
    sl_graph_run();
    sl_graph_check_names(NAMES("Convert (NC)", "Unary Op Table (NC, S8)", "Convert (NC)"));
    for (int i = 0; i < 100; i++) {
        float from = rintf(in(0)[i] * 8), product = from * fminf(fmaxf(from + 4, 0), 48) / 8;
        float want = fminf(fmaxf(product, -128), 127) / 8;
        assert_true(fabsf(in(1)[i] - want) <= 0.0626f); /* a tie of the product either way */
    }
    sl_graph_end();
}

/* Not by the conversion that it ends with: an int8 GELU is no Data Movement. */
TEST(a_table_of_one_function_is_called_by_it)
{
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(40)), y = sl_graph_add_output(DIMS(40));
    uint32_t q = sl_graph_add_int8(DIMS(40), 0.125f, 0), end = sl_graph_add_int8(DIMS(40), 0.1f, 0);
    uint32_t f = sl_graph_add_value(DIMS(40)), g = sl_graph_add_value(DIMS(40));
    sl_graph_add_node(SL_XNN_CONVERT, IN(x), q);
    sl_graph_add_node(SL_XNN_CONVERT, IN(q), f);
    sl_graph_add_node(SL_XNN_GELU, IN(f), g);
    sl_graph_add_node(SL_XNN_CONVERT, IN(g), end);
    sl_graph_add_node(SL_XNN_CONVERT, IN(end), y);
    sl_graph_run();
    sl_graph_check_names(NAMES("Convert (NC)", "GELU (NC)", "Convert (NC)"));
    assert_string_equal(sl_graph.plan->ops[1].origin, sl_xnn_node_name(SL_XNN_GELU));
    assert_int_equal(sl_graph.plan->ops[1].node->type, SL_XNN_GELU);
    sl_graph_end();
}

/* Rows that stay whole are copied: no transpose runs, so none is named. */
TEST(a_transpose_that_keeps_rows_names_a_copy)
{
    static const uint32_t keeps[] = {1, 0, 2}, turns[] = {0, 2, 1};
    for (int k = 0; k < 2; k++) {
        sl_graph_begin();
        uint32_t x = sl_graph_add_input(DIMS(3, 4, 5));
        uint32_t y =
            k == 0 ? sl_graph_add_output(DIMS(4, 3, 5)) : sl_graph_add_output(DIMS(3, 5, 4));
        struct sl_xnn_node *node = sl_graph_add_node(SL_XNN_STATIC_TRANSPOSE, IN(x), y);
        node->param_count = 3;
        memcpy(node->params, k == 0 ? keeps : turns, sizeof(keeps));
        sl_graph_run();
        const char *kernel = sl_graph.plan->steps[0].kernel;
        assert_int_equal(strcmp(kernel, "memcpy") == 0, k == 0);
        assert_int_equal(strncmp(kernel, "sl_transpose_", 13) == 0, k == 1);
        sl_graph_end();
    }
}

TEST(a_clamp_between_scales_converts)
{
    sl_graph_begin();
    uint32_t x = sl_graph_add_input(DIMS(40)), y = sl_graph_add_output(DIMS(40));
    uint32_t z = sl_graph_add_output(DIMS(40)), q = sl_graph_add_int8(DIMS(40), 0.125f, 3);
    uint32_t low = sl_graph_add_int8(DIMS(40), 0.0625f, -5);
    sl_graph_add_node(SL_XNN_CONVERT, IN(x), q);
    add_clamp(q, low, -1, 2);
    sl_graph_add_node(SL_XNN_CONVERT, IN(low), y);
    sl_graph_add_node(SL_XNN_CONVERT, IN(q), z);
    sl_graph_run();
    sl_graph_check_names(NAMES("Convert (NC)", "Clamp (NC)", "Convert (NC)", "Convert (NC)"));
    for (int i = 0; i < 40; i++)
        sl_graph_check_float(in(1)[i], fminf(fmaxf(in(2)[i], -1), 2));
    sl_graph_end();
}

TEST(int8_on_the_right_of_a_product_is_named_and_ordered_as_kept)
{
    sl_graph_begin();
    uint32_t a = sl_graph_add_input(DIMS(1, 2, 3)), b = sl_graph_add_input(DIMS(1, 3, 4));
    uint32_t y = sl_graph_add_output(DIMS(1, 2, 4)), z = sl_graph_add_output(DIMS(1, 3, 4));
    uint32_t q = sl_graph_add_int8(DIMS(1, 3, 4), 0.125f, 0), f = sl_graph_add_value(DIMS(1, 3, 4));
    sl_graph_add_node(SL_XNN_CONVERT, IN(b), q);
    sl_graph_add_node(SL_XNN_CONVERT, IN(q), f);
    sl_graph_add_node(SL_XNN_BATCH_MATRIX_MULTIPLY, IN(a, f), y);
    sl_graph_add_node(SL_XNN_ABS, IN(b), z);
    sl_graph_run();
    sl_graph_check_names(NAMES("Convert (NC)", "Abs (NC)", "Convert (NC, QS8, QC8)",
                               "Batch Matrix Multiply (NC, F32, QC8W) GEMM"));
    for (int i = 0; i < 8; i++) {
        float sum = 0;
        for (int k = 0; k < 3; k++)
            sum += in(0)[i / 4 * 3 + k] * rintf(in(1)[k * 4 + i % 4] * 8) / 8;
        sl_graph_check_float(in(2)[i], sum);
    }
    sl_graph_end();
    sl_graph.values[q].quant.zero_point = 1;
    assert_int_equal(sl_graph_compile(SL_ISA_NONE), 0);
    sl_graph_check_names(
        NAMES("Convert (NC)", "Convert (NC)", "Batch Matrix Multiply (NC, F32) GEMM", "Abs (NC)"));
    sl_xnn_delegate_free(sl_graph.plan);
}

/* A convolution of 2 to 2 channels, a depthwise one and a transposed one, of one scale each. */
TEST(weights_of_one_scale_have_names_of_their_own)
{
    static const int8_t weights[MAX_FLOATS] = {1, 2, 3};
    static const int nodes[3] = {SL_XNN_CONV2D, SL_XNN_DEPTHWISE_CONV2D, SL_XNN_CONV_TRANSPOSE_2D};
    static const char *const names[3][2] = {
        {"Convolution (NHWC, QS8) IGEMM", "Convolution (NHWC, PQS8, QS8, QC8W) IGEMM"},
        {"Convolution (NHWC, QS8) DWConv", "Convolution (NHWC, QS8) DWConv"},
        {"Deconvolution (NHWC, QS8) IGEMM", "Deconvolution (NHWC, PQS8, QS8, QC8W) IGEMM"},
    };
    for (int i = 0; i < 6; i++) {
        bool deep = nodes[i / 2] == SL_XNN_DEPTHWISE_CONV2D;
        sl_graph_begin();
        uint32_t x = sl_graph_add_int8(DIMS(1, 3, 3, 2), 0.125f, 0);
        uint32_t y = sl_graph_add_int8(DIMS(1, 3, 3, 2), 0.25f, 0);
        uint32_t w = deep ? sl_graph_add_int8_constant(weights, DIMS(1, 3, 3, 2), 0.5f)
                          : sl_graph_add_int8_constant(weights, DIMS(2, 3, 3, 2), 0.5f);
        uint32_t from = sl_graph_add_input(DIMS(1, 3, 3, 2));
        uint32_t to = sl_graph_add_output(DIMS(1, 3, 3, 2));
        sl_graph_add_node(SL_XNN_CONVERT, IN(from), x);
        struct sl_xnn_node *node = sl_graph_add_node(nodes[i / 2], IN(x, w, SL_XNN_NO_ID), y);
        sl_graph_set_window(node, 3, 1, 1);
        sl_graph_set_channels(node, deep ? 2 : 1, deep ? 1 : 2, deep ? 1 : 2);
        sl_graph_add_node(SL_XNN_CONVERT, IN(y), to);
        assert_int_equal(sl_graph_compile(i % 2 ? SL_ISA_SME : SL_ISA_NONE), 0);
        assert_string_equal(sl_graph.plan->ops[1].name, names[i / 2][i % 2]);
        sl_graph_end();
    }
}
