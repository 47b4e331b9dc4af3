/* common/format/xnn_node.c: the nodes of an XNNPACK graph. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/base/error.h"
#include "common/format/flatbuf_fast.h"
#include "common/format/xnn_parts.h"

/* Slots of the schema's tables. */
enum { GRAPH_NODES = 1 };
enum { XNODE_TYPE = 0, XNODE_CONTENT = 1, XNODE_DEBUG_HANDLE = 2, XNODE_MIN_MAX = 3 };

/* Where a node's table keeps what all nodes have. */
struct form {
    uint8_t input_count, inputs[6]; /* slots */
    uint8_t optional;               /* bit i: input i may be absent */
    uint8_t output_count, outputs[2];
    uint8_t flags;
    void (*read_rest)(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                      struct sl_xnn_node *node); /* NULL: nothing more */
};

/* The window's numbers are the table's first, in its order. */
static void read_numbers(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                         struct sl_xnn_node *node, unsigned count)
{
    uint32_t numbers[sizeof(node->window) / sizeof(uint32_t)] = {0};
    for (unsigned slot = 0; slot < count; slot++)
        numbers[slot] = sl_flatbuf_fast_u32(fb, table, slot, 0);
    memcpy(&node->window, numbers, sizeof(numbers));
}

static void read_window(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                        struct sl_xnn_node *node)
{
    read_numbers(fb, table, node, 6);
}

static void read_pool(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                      struct sl_xnn_node *node)
{
    read_numbers(fb, table, node, 10);
}

static void read_conv(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                      struct sl_xnn_node *node)
{
    read_numbers(fb, table, node, 15);
}

static void read_axis(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                      struct sl_xnn_node *node)
{
    node->axis = sl_flatbuf_u32(fb, table, 0, 0);
}

static void read_slope(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                       struct sl_xnn_node *node)
{
    node->alpha = sl_flatbuf_f32(fb, table, 0, 0);
}

/* A vector with one number for each dimension. */
static uint32_t read_params(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                            unsigned slot, uint32_t *params)
{
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, slot, 4);
    if (fb->error == 0 && vector.count > SL_XNN_MAX_RANK)
        sl_flatbuf_fail(fb, SL_E_FORMAT, vector.at,
                        "a node has parameters for %" PRIu32 " dimensions, more than %d",
                        vector.count, SL_XNN_MAX_RANK);
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++)
        params[i] = sl_load_u32(fb->data + vector.at + 4 * i);
    return vector.count;
}

static void expect_count(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                         uint32_t count, uint32_t expected)
{
    if (fb->error == 0 && count != expected)
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at,
                        "a node for %" PRIu32 " dimensions has %" PRIu32 " parameters", expected,
                        count);
}

static void read_reshape(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                         struct sl_xnn_node *node)
{
    node->param_count = read_params(fb, table, 1, node->params);
    expect_count(fb, table, node->param_count, sl_flatbuf_u32(fb, table, 0, 0));
}

static void read_transpose(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                           struct sl_xnn_node *node)
{
    uint32_t seen = 0;
    read_reshape(fb, table, node);
    for (uint32_t i = 0; i < node->param_count && fb->error == 0; i++) {
        uint32_t dim = node->params[i];
        if (dim >= node->param_count || (seen >> dim & 1) != 0)
            sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "a transpose is not a permutation");
        else
            seen |= 1u << dim;
    }
}

static void read_slice(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                       struct sl_xnn_node *node)
{
    read_reshape(fb, table, node);
    expect_count(fb, table, read_params(fb, table, 2, node->params2), node->param_count);
}

static void read_pad(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                     struct sl_xnn_node *node)
{
    node->param_count = read_params(fb, table, 0, node->params);
    expect_count(fb, table, read_params(fb, table, 1, node->params2), node->param_count);
    node->alpha = sl_flatbuf_f32(fb, table, 2, 0);
}

static void read_resize(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                        struct sl_xnn_node *node)
{
    node->param_count = 2;
    node->params[0] = sl_flatbuf_u32(fb, table, 0, 0);
    node->params[1] = sl_flatbuf_u32(fb, table, 1, 0);
}

static const struct form one = {1, {0}, 0, 1, {1}, 2, NULL};
static const struct form two = {2, {0, 1}, 0, 1, {2}, 3, NULL};
static const struct form cat2 = {2, {1, 2}, 0, 1, {5}, 6, read_axis};
static const struct form cat3 = {3, {1, 2, 3}, 0, 1, {5}, 6, read_axis};
static const struct form cat4 = {4, {1, 2, 3, 4}, 0, 1, {5}, 6, read_axis};
static const struct form cat5 = {5, {1, 2, 3, 4, 7}, 0, 1, {5}, 6, read_axis};
static const struct form conv = {3, {15, 16, 17}, 1 << 2, 1, {18}, 19, read_conv};
static const struct form pool = {1, {10}, 0, 1, {11}, 12, read_pool};
static const struct form argmax = {1, {6}, 0, 2, {7, 8}, 9, read_window};
static const struct form linear = {3, {0, 1, 2}, 1 << 2, 1, {3}, 4, NULL};
static const struct form transpose = {1, {2}, 0, 1, {3}, 4, read_transpose};
static const struct form resize = {1, {2}, 0, 1, {3}, 4, read_resize};
static const struct form pad = {1, {3}, 0, 1, {4}, 5, read_pad};
static const struct form reshape = {1, {2}, 0, 1, {3}, 4, read_reshape};
static const struct form slice = {1, {3}, 0, 1, {4}, 5, read_slice};
static const struct form slope = {1, {1}, 0, 1, {2}, 3, read_slope};
static const struct form attention = {5, {0, 1, 2, 3, 4}, 1 << 3 | 1 << 4, 1, {5}, 6, NULL};

static const struct {
    const char *name;
    const struct form *form;
} node_types[SL_XNN_NODE_TYPE_END] = {
    [SL_XNN_ADD] = {"Add", &two},
    [SL_XNN_FULLY_CONNECTED] = {"FullyConnected", &linear},
    [SL_XNN_SOFTMAX] = {"Softmax", &one},
    [SL_XNN_SIGMOID] = {"Sigmoid", &one},
    [SL_XNN_STATIC_TRANSPOSE] = {"StaticTranspose", &transpose},
    [SL_XNN_CLAMP] = {"Clamp", &one},
    [SL_XNN_CONV2D] = {"Conv2d", &conv},
    [SL_XNN_DIV] = {"Div", &two},
    [SL_XNN_STATIC_RESIZE_BILINEAR_2D] = {"StaticResizeBilinear2D", &resize},
    [SL_XNN_STATIC_CONSTANT_PAD] = {"StaticConstantPad", &pad},
    [SL_XNN_AVG_POOLING_2D] = {"AvgPooling2d", &pool},
    [SL_XNN_MINIMUM] = {"Minimum", &two},
    [SL_XNN_DEPTHWISE_CONV2D] = {"DepthwiseConv2d", &conv},
    [SL_XNN_MAX_POOLING_2D] = {"MaxPooling2d", &pool},
    [SL_XNN_MULTIPLY] = {"Multiply", &two},
    [SL_XNN_SUBTRACT] = {"Subtract", &two},
    [SL_XNN_FLOOR] = {"Floor", &one},
    [SL_XNN_CONVERT] = {"Convert", &one},
    [SL_XNN_GLOBAL_AVG_POOLING_2D] = {"GlobalAvgPooling2d", &one},
    [SL_XNN_STATIC_RESHAPE] = {"StaticReshape", &reshape},
    [SL_XNN_ARG_MAX_POOLING_2D] = {"ArgMaxPooling2d", &argmax},
    [SL_XNN_SQUARE_ROOT] = {"SquareRoot", &one},
    [SL_XNN_CEILING] = {"Ceiling", &one},
    [SL_XNN_HARDSWISH] = {"Hardswish", &one},
    [SL_XNN_LEAKY_RELU] = {"LeakyReLU", &slope},
    [SL_XNN_MAXIMUM] = {"Maximum", &two},
    [SL_XNN_NEGATE] = {"Negate", &one},
    [SL_XNN_SQUARE] = {"Square", &one},
    [SL_XNN_ELU] = {"ELU", &slope},
    [SL_XNN_ABS] = {"Abs", &one},
    [SL_XNN_PRELU] = {"PReLU", &two},
    [SL_XNN_CONCATENATE2] = {"Concatenate2", &cat2},
    [SL_XNN_CONCATENATE3] = {"Concatenate3", &cat3},
    [SL_XNN_CONCATENATE4] = {"Concatenate4", &cat4},
    [SL_XNN_STATIC_SLICE] = {"StaticSlice", &slice},
    [SL_XNN_SCALED_DOT_PRODUCT_ATTENTION] = {"ScaledDotProductAttention", &attention},
    [SL_XNN_BATCH_MATRIX_MULTIPLY] = {"BatchMatrixMultiply", &two},
    [SL_XNN_CONCATENATE5] = {"Concatenate5", &cat5},
    [SL_XNN_CONV_TRANSPOSE_2D] = {"ConvTranspose2d", &conv},
    [SL_XNN_RECIPROCAL_SQUARE_ROOT] = {"ReciprocalSquareRoot", &one},
    [SL_XNN_LOG] = {"Log", &one},
    [SL_XNN_GELU] = {"Gelu", &one},
    [SL_XNN_TANH] = {"Tanh", &one},
    [SL_XNN_EXP] = {"Exp", &one},
    [SL_XNN_SIN] = {"Sin", &one},
    [SL_XNN_COPY] = {"Copy", &one},
    [SL_XNN_COS] = {"Cos", &one},
};

const char *sl_xnn_node_name(int type)
{
    bool known = type > 0 && type < SL_XNN_NODE_TYPE_END && node_types[type].name;
    return known ? node_types[type].name : "?";
}

/* The value id in `slot`, checked. */
static uint32_t read_id(struct sl_xnn_reader *reader, const struct sl_flatbuf_table *table,
                        unsigned slot, bool optional)
{
    struct sl_flatbuf *fb = &reader->fb;
    uint32_t id = sl_flatbuf_u32(fb, table, slot, 0);
    bool absent = optional && id == SL_XNN_NO_ID;
    if (fb->error == 0 && !absent && !sl_xnn_find_value(reader->graph, id))
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at,
                        "a %s node refers to value %" PRIu32 ", which is not defined", table->name,
                        id);
    return id;
}

static void read_node(struct sl_xnn_reader *reader, const struct sl_flatbuf_table *table,
                      struct sl_xnn_node *node)
{
    struct sl_flatbuf *fb = &reader->fb;
    node->type = sl_flatbuf_u8(fb, table, XNODE_TYPE, 0);
    struct sl_flatbuf_table content =
        sl_flatbuf_child(fb, table, XNODE_CONTENT, sl_xnn_node_name(node->type));
    if (fb->error == 0 && (node->type == 0 || node->type >= SL_XNN_NODE_TYPE_END))
        sl_flatbuf_fail(fb, SL_E_UNSUPPORTED, table->at, "a node has unknown kind %d", node->type);
    else if (fb->error == 0 && content.at == 0)
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "a node has no content");
    if (fb->error != 0)
        return;
    const struct form *form = node_types[node->type].form;
    node->input_count = form->input_count;
    for (unsigned i = 0; i < form->input_count; i++)
        node->inputs[i] =
            read_id(reader, &content, form->inputs[i], (form->optional >> i & 1) != 0);
    node->output_count = form->output_count;
    for (unsigned i = 0; i < form->output_count; i++)
        node->outputs[i] = read_id(reader, &content, form->outputs[i], false);
    node->flags = sl_flatbuf_u32(fb, &content, form->flags, 0);
    if (form->read_rest)
        form->read_rest(fb, &content, node);
    node->debug_handle = sl_flatbuf_u32(fb, table, XNODE_DEBUG_HANDLE, 0);
    struct sl_flatbuf_table range = sl_flatbuf_child(fb, table, XNODE_MIN_MAX, "OutputMinMax");
    /* A bound that a present table leaves out is 0; without the table there is none. */
    node->output_min = sl_flatbuf_f32(fb, &range, 0, range.at != 0 ? 0 : -INFINITY);
    node->output_max = sl_flatbuf_f32(fb, &range, 1, range.at != 0 ? 0 : INFINITY);
    if (fb->error == 0 && !(node->output_min <= node->output_max))
        sl_flatbuf_fail(fb, SL_E_FORMAT, range.at, "a node clamps its output to an empty range");
}

void sl_xnn_read_nodes(struct sl_xnn_reader *reader, const struct sl_flatbuf_table *table)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, GRAPH_NODES, 4);
    struct sl_xnn_node *nodes = sl_flatbuf_alloc(fb, vector.count, sizeof(*nodes));
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        struct sl_flatbuf_table element = sl_flatbuf_element(fb, &vector, i, "XNode");
        nodes[i].index = i;
        read_node(reader, &element, &nodes[i]);
    }
    reader->graph->nodes = nodes;
    reader->graph->node_count = vector.count;
}
