/* tests/unit/common/format/test_xnngraph.c */
#include "common/format/xnngraph.h"

#include <errno.h>
#include <math.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/flatbuild.h"
#include "common/format/pte.h"
#include "tests/support/unit.h"

enum { BLOB_AT = 1280, BLOB_BYTES = 592 }; /* in hand/add_mul.pte */

static struct sl_bytes hand_made_blob(void)
{
    struct sl_bytes file = sl_test_file("hand/add_mul.pte");
    uint8_t *copy = sl_test_copy(file.data + BLOB_AT, BLOB_BYTES);
    free((void *)(uintptr_t)file.data);
    return (struct sl_bytes){copy, BLOB_BYTES};
}

static void release(struct sl_bytes bytes)
{
    free((void *)(uintptr_t)bytes.data);
}

TEST(hand_made_graph_is_read_whole)
{
    struct sl_bytes blob = hand_made_blob();
    struct sl_xnn_graph graph;
    assert_int_equal(sl_xnn_graph_parse(blob, &graph, NULL), 0);
    assert_int_equal(graph.extern_count, 2);
    assert_int_equal(graph.value_count, 3);
    assert_int_equal(graph.node_count, 1);
    const struct sl_xnn_value *value = sl_xnn_find_value(&graph, 0);
    assert_true(value->external_input);
    assert_int_equal(value->external_id, 0);
    assert_int_equal(value->rank, 2);
    assert_int_equal(value->dims[1], 4);
    assert_int_equal(sl_xnn_value_bytes(value), 16);
    value = sl_xnn_find_value(&graph, 1);
    assert_int_equal(value->data.source, SL_XNN_DATA_NAMED);
    assert_int_equal(strlen(value->data.key), 64);
    assert_int_equal(value->external_id, SL_XNN_NO_ID);
    assert_true(sl_xnn_find_value(&graph, 2)->external_output);
    assert_null(sl_xnn_find_value(&graph, 3));
    const struct sl_xnn_node *node = &graph.nodes[0];
    assert_int_equal(node->type, SL_XNN_ADD);
    assert_int_equal(node->debug_handle, 1);
    assert_int_equal(node->inputs[1], 1);
    assert_int_equal(node->outputs[0], 2);
    assert_true(node->output_min == 0 && isinf(node->output_max));
    sl_xnn_graph_fini(&graph);
    release(blob);
}

TEST(exported_network_has_the_nodes_of_its_model)
{
    struct sl_bytes file = sl_test_file("models/mobilenet_v2_f32_xnnpack/model.pte");
    struct sl_pte pte;
    struct sl_xnn_graph graph;
    assert_int_equal(sl_pte_parse(file, &pte, NULL), 0);
    assert_int_equal(sl_xnn_graph_parse(pte.plans[0].delegates[0].blob, &graph, NULL), 0);
    unsigned dense = 0, depthwise = 0;
    for (uint32_t i = 0; i < graph.node_count; i++) {
        const struct sl_xnn_node *node = &graph.nodes[i];
        assert_int_equal(node->index, i);
        dense += node->type == SL_XNN_CONV2D;
        depthwise += node->type == SL_XNN_DEPTHWISE_CONV2D;
        if (node->type != SL_XNN_CONV2D)
            continue;
        const struct sl_xnn_value *filter = sl_xnn_find_value(&graph, node->inputs[1]);
        struct sl_bytes weights;
        assert_int_equal(filter->rank, 4);
        assert_int_equal(filter->dims[0], node->window.group_output_channels);
        assert_int_equal(filter->dims[1], node->window.kernel_height);
        assert_int_equal(filter->dims[3], node->window.group_input_channels);
        assert_int_equal(sl_pte_find_named(&pte, filter->data.key, &weights), 0);
        assert_int_equal(weights.size, sl_xnn_value_bytes(filter));
    }
    assert_int_equal(dense, 35);
    assert_int_equal(depthwise, 17);
    sl_xnn_graph_fini(&graph);
    sl_pte_fini(&pte);
    release(file);
}

TEST(blob_cut_anywhere_is_refused)
{
    struct sl_bytes blob = hand_made_blob();
    struct sl_xnn_graph graph;
    struct sl_diag diag = {0};
    for (size_t size = 0; size < blob.size; size++) {
        uint8_t *copy = sl_test_copy(blob.data, size);
        int rc = sl_xnn_graph_parse((struct sl_bytes){copy, size}, &graph, &diag);
        assert_int_equal(rc, size < 30 ? SL_E_TRUNCATED : SL_E_FORMAT);
        free(copy);
    }
    release(blob);
}

TEST(each_bit_flip_gives_an_error_or_a_graph)
{
    struct sl_bytes blob = hand_made_blob();
    uint8_t *copy = sl_test_copy(blob.data, blob.size);
    unsigned refused = 0;
    for (size_t bit = 0; bit < 8 * blob.size; bit++) {
        struct sl_xnn_graph graph;
        struct sl_diag diag = {0};
        copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
        int rc = sl_xnn_graph_parse((struct sl_bytes){copy, blob.size}, &graph, &diag);
        copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (rc == 0) {
            sl_xnn_graph_fini(&graph);
            continue;
        }
        refused++;
        assert_true(diag.what[0] != '\0' && strncmp(diag.where, "byte ", 5) == 0);
    }
    assert_in_range(refused, 100, 8 * blob.size);
    free(copy);
    release(blob);
}

TEST(parse_survives_each_failed_allocation)
{
    struct sl_bytes blob = hand_made_blob();
    int rc = -ENOMEM;
    unsigned nth = 1;
    for (; rc == -ENOMEM; nth++) {
        struct sl_xnn_graph graph = {0};
        sl_mem_fail_nth(nth);
        rc = sl_xnn_graph_parse(blob, &graph, NULL);
        sl_mem_fail_nth(0);
        if (rc == 0)
            sl_xnn_graph_fini(&graph);
    }
    assert_int_equal(rc, 0);
    assert_true(nth > 2);
    release(blob);
}

/* Graphs made here: values with these ids, then one node. */
struct maker {
    struct sl_flatbuild build;
    struct sl_buf out;
};

static uint32_t numbers(struct maker *m, const uint32_t *items, uint32_t count)
{
    uint32_t ref = sl_flatbuild_bytes(&m->build, items, 4 * (size_t)count);
    sl_store_u32(m->build.data + m->build.capacity - m->build.size, count);
    return ref;
}

static uint32_t variant(struct maker *m, int32_t kind, uint32_t content)
{
    struct sl_flatbuild_table table;
    sl_flatbuild_begin_table(&table);
    sl_flatbuild_add_i32(&table, 0, kind, 0);
    sl_flatbuild_add_ref(&table, 1, content);
    return sl_flatbuild_end_table(&m->build, &table);
}

static uint32_t make_shaped(struct maker *m, int32_t datatype, int32_t id, const uint32_t *dims,
                            uint32_t rank)
{
    struct sl_flatbuild_table table;
    uint32_t list = numbers(m, dims, rank);
    sl_flatbuild_begin_table(&table);
    sl_flatbuild_add_i32(&table, 0, datatype, 0);
    sl_flatbuild_add_i32(&table, 1, (int32_t)rank, 0);
    sl_flatbuild_add_ref(&table, 2, list);
    sl_flatbuild_add_i32(&table, 6, id, 0);
    return sl_flatbuild_end_table(&m->build, &table);
}

/* XNNTensorValue of [8, 64]. */
static uint32_t make_tensor(struct maker *m, int32_t datatype, int32_t id)
{
    static const uint32_t dims[] = {8, 64};
    return make_shaped(m, datatype, id, dims, 2);
}

static int parse_made(struct maker *m, const uint32_t *values, uint32_t value_count, uint32_t node,
                      struct sl_xnn_graph *out)
{
    struct sl_flatbuild_table graph;
    uint32_t value_list = sl_flatbuild_refs(&m->build, values, value_count);
    uint32_t node_list = sl_flatbuild_refs(&m->build, &node, node ? 1 : 0);
    sl_flatbuild_begin_table(&graph);
    sl_flatbuild_add_ref(&graph, 1, node_list);
    sl_flatbuild_add_ref(&graph, 2, value_list);
    uint32_t root = sl_flatbuild_end_table(&m->build, &graph);
    sl_buf_init(&m->out, 1 << 16);
    assert_int_equal(sl_flatbuild_finish(&m->build, root, "XN01", &m->out), 0);
    sl_flatbuild_fini(&m->build);
    struct sl_diag diag = {0};
    /* Without the size in front it is a bare graph, as old exporters wrote them. */
    return sl_xnn_graph_parse((struct sl_bytes){m->out.data + 4, m->out.size - 4}, out, &diag);
}

TEST(values_in_any_order_are_found_by_id)
{
    static const int32_t ids[] = {70, 3, 500, 0};
    struct maker m;
    struct sl_xnn_graph graph;
    uint32_t values[4];
    sl_flatbuild_init(&m.build);
    for (unsigned i = 0; i < 4; i++)
        values[i] = variant(&m, 1, make_tensor(&m, SL_XNN_FP32 + (int32_t)i, ids[i]));
    assert_int_equal(parse_made(&m, values, 4, 0, &graph), 0);
    for (unsigned i = 0; i < 4; i++) {
        const struct sl_xnn_value *value = sl_xnn_find_value(&graph, (uint32_t)ids[i]);
        assert_non_null(value);
        assert_int_equal(value->datatype, SL_XNN_FP32 + (int)i);
    }
    assert_null(sl_xnn_find_value(&graph, 4));
    assert_null(sl_xnn_find_value(&graph, 501));
    sl_xnn_graph_fini(&graph);
    sl_buf_fini(&m.out);
}

TEST(two_values_of_one_id_are_refused)
{
    struct maker m;
    struct sl_xnn_graph graph;
    uint32_t values[2];
    sl_flatbuild_init(&m.build);
    values[0] = variant(&m, 1, make_tensor(&m, SL_XNN_FP32, 5));
    values[1] = variant(&m, 1, make_tensor(&m, SL_XNN_FP32, 5));
    assert_int_equal(parse_made(&m, values, 2, 0, &graph), SL_E_FORMAT);
    sl_buf_fini(&m.out);
}

/* 65537 in every dimension: the product outgrows memory at rank 3 and 64 bits at rank 4. */
TEST(a_value_that_no_memory_holds_is_refused)
{
    static const uint32_t dims[] = {65537, 65537, 65537, 65537, 65537, 65537};
    for (uint32_t rank = 2; rank <= 6; rank++) {
        struct maker m;
        struct sl_xnn_graph graph;
        sl_flatbuild_init(&m.build);
        uint32_t value = variant(&m, 1, make_shaped(&m, SL_XNN_FP32, 0, dims, rank));
        int rc = parse_made(&m, &value, 1, 0, &graph);
        assert_int_equal(rc, rank == 2 ? 0 : SL_E_FORMAT);
        if (rc == 0)
            sl_xnn_graph_fini(&graph);
        sl_buf_fini(&m.out);
    }
}

/* A 4-bit weight of [8, 64] with scales in groups of `group`. */
static int parse_groups(uint32_t group, uint32_t scales, struct sl_xnn_graph *out, struct maker *m)
{
    static const uint32_t ones[64] = {0x3f800000, 0x3f800000};
    struct sl_flatbuild_table table;
    sl_flatbuild_init(&m->build);
    uint32_t tensor = make_tensor(m, SL_XNN_QBINT4, 0), list = numbers(m, ones, scales);
    sl_flatbuild_begin_table(&table);
    sl_flatbuild_add_ref(&table, 0, list);
    sl_flatbuild_add_i32(&table, 2, (int32_t)group, 0);
    uint32_t params = sl_flatbuild_end_table(&m->build, &table);
    sl_flatbuild_begin_table(&table);
    sl_flatbuild_add_ref(&table, 0, tensor);
    sl_flatbuild_add_i32(&table, 1, SL_XNN_QUANT_PER_CHANNEL_GROUP, 0);
    sl_flatbuild_add_ref(&table, 2, params);
    uint32_t value = variant(m, 2, sl_flatbuild_end_table(&m->build, &table));
    return parse_made(m, &value, 1, 0, out);
}

TEST(group_scales_must_fit_the_shape)
{
    struct maker m;
    struct sl_xnn_graph graph;
    assert_int_equal(parse_groups(32, 16, &graph, &m), 0);
    assert_int_equal(graph.values[0].quant.kind, SL_XNN_QUANT_PER_CHANNEL_GROUP);
    assert_int_equal(graph.values[0].quant.scale_count, 16);
    assert_true(graph.values[0].quant.scales[1] == 1.0f);
    assert_int_equal(sl_xnn_value_bytes(&graph.values[0]), 8 * 32);
    sl_xnn_graph_fini(&graph);
    sl_buf_fini(&m.out);
    assert_int_equal(parse_groups(32, 15, &graph, &m), SL_E_FORMAT);
    sl_buf_fini(&m.out);
    assert_int_equal(parse_groups(16, 32, &graph, &m), SL_E_FORMAT);
    sl_buf_fini(&m.out);
    assert_int_equal(parse_groups(0, 16, &graph, &m), SL_E_FORMAT);
    sl_buf_fini(&m.out);
}

/* FullyConnected(0, 1, bias) -> 2 or an unknown node. */
static int parse_linear(int32_t type, int32_t bias, struct sl_xnn_graph *out, struct maker *m)
{
    uint32_t values[3];
    struct sl_flatbuild_table table;
    sl_flatbuild_init(&m->build);
    for (int32_t i = 0; i < 3; i++)
        values[i] = variant(m, 1, make_tensor(m, SL_XNN_FP32, i));
    sl_flatbuild_begin_table(&table);
    sl_flatbuild_add_i32(&table, 1, 1, 0);
    sl_flatbuild_add_i32(&table, 2, bias, 0);
    sl_flatbuild_add_i32(&table, 3, 2, 0);
    uint32_t node = variant(m, type, sl_flatbuild_end_table(&m->build, &table));
    return parse_made(m, values, 3, node, out);
}

TEST(only_optional_operands_may_be_absent)
{
    struct maker m;
    struct sl_xnn_graph graph;
    assert_int_equal(parse_linear(SL_XNN_FULLY_CONNECTED, -1, &graph, &m), 0);
    assert_int_equal(graph.nodes[0].inputs[2], SL_XNN_NO_ID);
    assert_true(isinf(graph.nodes[0].output_min) && graph.nodes[0].output_min < 0);
    sl_xnn_graph_fini(&graph);
    sl_buf_fini(&m.out);
    assert_int_equal(parse_linear(SL_XNN_FULLY_CONNECTED, 9, &graph, &m), SL_E_FORMAT);
    sl_buf_fini(&m.out);
    assert_int_equal(parse_linear(SL_XNN_ADD, -1, &graph, &m), SL_E_FORMAT); /* its output */
    sl_buf_fini(&m.out);
    assert_int_equal(parse_linear(SL_XNN_NODE_TYPE_END, -1, &graph, &m), SL_E_UNSUPPORTED);
    sl_buf_fini(&m.out);
}

TEST(node_names_are_those_of_the_schema)
{
    assert_string_equal(sl_xnn_node_name(SL_XNN_CONV2D), "Conv2d");
    assert_string_equal(sl_xnn_node_name(SL_XNN_COS), "Cos");
    assert_string_equal(sl_xnn_node_name(0), "?");
    assert_string_equal(sl_xnn_node_name(-1), "?");
    assert_string_equal(sl_xnn_node_name(SL_XNN_NODE_TYPE_END), "?");
    for (int type = 1; type < SL_XNN_NODE_TYPE_END; type++)
        assert_string_not_equal(sl_xnn_node_name(type), "?");
    assert_int_equal(sl_xnn_datatype_size(SL_XNN_FP16), 2);
    assert_int_equal(sl_xnn_datatype_size(SL_XNN_QBINT4), 0);
    assert_int_equal(sl_xnn_datatype_size(99), 0);
    assert_string_equal(sl_xnn_datatype_name(SL_XNN_FP16), "fp16");
    assert_string_equal(sl_xnn_datatype_name(0), "?");
    for (int type = SL_XNN_FP32; type <= SL_XNN_BF16; type++)
        assert_string_not_equal(sl_xnn_datatype_name(type), "?");
    assert_string_equal(sl_xnn_datatype_name(SL_XNN_BF16 + 1), "?");
}
