/* tests/unit/host/inspect/test_reader.c */
#include "host/inspect/inspect.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/analysis/random.h"
#include "host/inspect/build.h"
#include "host/inspect/cost.h"
#include "host/inspect/graph.h"
#include "host/inspect/inspect_json.h"
#include "host/inspect/plan.h"
#include "host/inspect/sum.h"
#include "host/inspect/why.h"
#include "tests/support/test.h"

static void read_model(const char *name, struct sl_buf *file)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/models/%s/model.pte", SL_TEST_DATA, name);
    assert_int_equal(sl_buf_read_file(path, 64 << 20, file), 0);
}

static struct sl_inspect *inspect_model(const char *name, struct sl_buf *file)
{
    struct sl_inspect *inspect = NULL;
    struct sl_diag diag = {.what = ""};
    read_model(name, file);
    assert_int_equal(sl_inspect_new((struct sl_bytes){file->data, file->size}, &inspect, &diag), 0);
    return inspect;
}

TEST(delegated_and_portable_forms_of_a_model_do_the_same_work)
{
    struct sl_buf delegated_file, portable_file;
    struct sl_inspect *delegated = inspect_model("toy_cnn_f32_xnnpack", &delegated_file);
    struct sl_inspect *portable = inspect_model("toy_cnn_f32_portable", &portable_file);
    struct sl_inspect_sum a = sl_inspect_sum_of(delegated, &delegated->methods[0]);
    struct sl_inspect_sum b = sl_inspect_sum_of(portable, &portable->methods[0]);
    /* 64*64*16*27 + 32*32*32*144 + 8*8*64*288 + 8*8*64*9 + 10*64 */
    assert_int_equal(a.macs, 7705216);
    assert_int_equal(b.macs, a.macs);
    assert_int_equal(a.delegated, 11);
    assert_int_equal(a.delegated_macs, a.macs);
    assert_int_equal(b.delegated, 0);
    assert_int_equal(b.nodes, 17);
    sl_inspect_free(delegated);
    sl_inspect_free(portable);
    sl_buf_fini(&delegated_file);
    sl_buf_fini(&portable_file);
}

/* The agent counts by the same function; the shape that a kernel is measured with says as much. */
TEST(a_product_multiplies_as_often_as_its_rows_columns_and_depth_say)
{
    static const char *const names[] = {"toy_cnn_f32_xnnpack",      "toy_cnn_int8_xnnpack",
                                        "mobilenet_v2_f32_xnnpack", "unet_int8_xnnpack",
                                        "transformer_dynq_xnnpack", "kitchen_math_portable",
                                        "linear_qd8_qb4w_xnnpack"};
    uint32_t working = 0;
    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
        struct sl_buf file;
        struct sl_inspect *inspect = inspect_model(names[k], &file);
        for (uint32_t i = 0; i < inspect->node_count; i++) {
            const struct sl_inspect_node *node = &inspect->nodes[i];
            if (node->work != SL_WORK_PRODUCT)
                continue;
            uint64_t batch = node->batch > 0 ? node->batch : 1;
            assert_int_equal(node->operands.macs, batch * node->m * node->n * node->k);
            working++;
        }
        sl_inspect_free(inspect);
        sl_buf_fini(&file);
    }
    assert_true(working > 50);
}

TEST(an_operator_knows_what_it_reads_across_delegate_calls)
{
    struct sl_buf file;
    struct sl_inspect *inspect = inspect_model("mobilenet_v2_f32_xnnpack", &file);
    const struct sl_inspect_method *method = &inspect->methods[0];
    uint32_t without = 0, crossing = 0;
    for (uint32_t i = 0; i < method->node_count; i++) {
        const struct sl_inspect_node *node = &inspect->nodes[method->node_first + i];
        without += node->from_count == 0;
        for (uint32_t j = 0; j < node->from_count; j++) {
            assert_true(node->from[j] < method->node_first + i);
            crossing += inspect->nodes[node->from[j]].instruction != node->instruction;
        }
    }
    assert_int_equal(without, 1); /* the one that reads the input */
    assert_int_equal(crossing, 2);
    sl_inspect_free(inspect);
    sl_buf_fini(&file);
}

TEST(shapes_types_and_bytes_of_a_convolution_are_those_of_the_file)
{
    struct sl_buf file;
    struct sl_inspect *inspect = inspect_model("toy_cnn_int8_xnnpack", &file);
    const struct sl_inspect_node *found = NULL;
    for (uint32_t i = 0; i < inspect->node_count && !found; i++)
        if (strcmp(inspect->nodes[i].kind, "Conv2d") == 0)
            found = &inspect->nodes[i];
    assert_non_null(found);
    assert_string_equal(found->type, "qint8");
    assert_string_equal(found->shape, "1x64x64x3 * 16x3x3x3 -> 1x64x64x16");
    assert_int_equal(found->work, SL_WORK_WINDOW);
    assert_int_equal(found->m, 4096);
    assert_int_equal(found->k, 27);
    assert_int_equal(found->weight_bytes, 16 * 27 + 16 * 4);
    assert_int_equal(found->in_bytes, 64 * 64 * 3);
    assert_int_equal(found->out_bytes, 64 * 64 * 16);
    sl_inspect_free(inspect);
    sl_buf_fini(&file);
}

TEST(every_truncation_of_a_program_is_refused_in_words)
{
    struct sl_buf file;
    struct sl_inspect *inspect = NULL;
    read_model("toy_cnn_int8_xnnpack", &file);
    for (size_t size = 0; size < file.size; size += 97) {
        struct sl_diag diag = {.what = ""};
        int rc = sl_inspect_new((struct sl_bytes){file.data, size}, &inspect, &diag);
        assert_true(rc < 0);
        assert_true(diag.what[0] != '\0');
        assert_null(inspect);
    }
    sl_buf_fini(&file);
}

/* Shows in every form what a program that lies may still hold; the sanitizers watch. */
static void show(const struct sl_inspect *inspect)
{
    for (uint32_t i = 0; i < inspect->method_count; i++) {
        struct sl_buf dot, svg, text;
        struct sl_json json;
        sl_buf_init(&dot, 8 << 20);
        sl_buf_init(&svg, 8 << 20);
        sl_buf_init(&text, 8 << 20);
        sl_json_init(&json, &text);
        assert_int_equal(sl_inspect_dot(&dot, inspect, &inspect->methods[i]), 0);
        assert_int_equal(sl_inspect_svg(&svg, inspect, &inspect->methods[i]), 0);
        sl_inspect_json(&json, inspect, "model.pte", i);
        assert_int_equal(json.error, 0);
        sl_buf_fini(&dot);
        sl_buf_fini(&svg);
        sl_buf_fini(&text);
    }
}

TEST(programs_that_lie_are_refused_or_shown)
{
    static const char *const names[] = {"toy_cnn_int8_xnnpack", "kitchen_shape_portable",
                                        "dynamic_shape_f32_xnnpack", "delegate_ops_f32_xnnpack"};
    struct sl_random random = {7};
    unsigned shown = 0, refused = 0;
    for (size_t i = 0; i < 4 * 120; i++) {
        struct sl_buf file;
        struct sl_diag diag = {.what = ""};
        struct sl_inspect *inspect = NULL;
        read_model(names[i % 4], &file);
        for (int change = 0; change < 3; change++) {
            uint8_t *at = &file.data[64 + sl_random_below(&random, file.size - 68)];
            sl_store_u32(at, (uint32_t)sl_random_below(&random, i % 2 ? 256 : UINT32_MAX));
        }
        int rc = sl_inspect_new((struct sl_bytes){file.data, file.size}, &inspect, &diag);
        assert_int_equal(rc == 0, diag.what[0] == '\0');
        if (rc == 0)
            show(inspect);
        shown += rc == 0;
        refused += rc != 0;
        sl_inspect_free(inspect);
        sl_buf_fini(&file);
    }
    assert_true(shown > 20);
    assert_true(refused > 20);
}

TEST(new_survives_each_failed_allocation)
{
    struct sl_buf file;
    read_model("toy_cnn_f32_xnnpack", &file);
    int rc = -ENOMEM;
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        struct sl_inspect *inspect = NULL;
        struct sl_diag diag = {.what = ""};
        sl_mem_fail_nth(nth);
        rc = sl_inspect_new((struct sl_bytes){file.data, file.size}, &inspect, &diag);
        assert_int_equal(inspect == NULL, rc != 0);
        sl_inspect_free(inspect);
    }
    sl_mem_fail_nth(0);
    assert_int_equal(rc, 0);
    sl_buf_fini(&file);
}

static struct sl_inspect_node node_of(const char *kernel)
{
    struct sl_inspect_node node = {.delegate = 0, .on = {.operators = 1}};
    snprintf(node.on.kernel, sizeof(node.on.kernel), "%s", kernel);
    node.on.engine = sl_engine_of(kernel);
    return node;
}

TEST(reasons_follow_from_the_kernel_taken_and_those_there_are)
{
    static const struct sl_sme2_kernels kernels = {3,
                                                   {"sl_depthwise_f32_f32_f32p1vl_3x3s1_sme2_mla",
                                                    "sl_unary_tanh_f32_f32_4vl_sme2",
                                                    "sl_matmul_qd8_qs8_2vlx2vl_sme2_mopa"}};
    static const struct {
        const char *kernel;
        int why;
    } cases[] = {{"sl_unary_tanh_f32_f32_4vl_sme2", SL_WHY_SERVED},
                 {"sl_depthwise_f32_f32_f32_4x16_neon_mla", SL_WHY_SHAPE},
                 {"sl_depthwise_f16_f16_f16_4x32_neon_mla", SL_WHY_TYPE},
                 {"sl_unary_tanh_f16_f16_1x8_neon", SL_WHY_TYPE},
                 {"sl_unary_sin_f32_f32_1x4_neon", SL_WHY_KIND},
                 {"sl_matmul_qd8_qs8_8x8_neon_i8mm", SL_WHY_SHAPE},
                 {"sl_matmul_qd8_q4_8x8_neon_i8mm", SL_WHY_TYPE},
                 {"sl_resize_f32_f32_1x1_scalar", SL_WHY_KIND},
                 {"memmove", SL_WHY_MOVES},
                 {"", SL_WHY_MOVES}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_inspect_node node = node_of(cases[i].kernel);
        assert_int_equal(sl_why_of(&node, &kernels), cases[i].why);
    }
    struct sl_inspect_node outside = node_of("sl_unary_sin_f32_f32_1x4_neon");
    outside.delegate = -1;
    assert_int_equal(sl_why_of(&outside, &kernels), SL_WHY_NOT_DELEGATED);
    struct sl_inspect_node merged = {.delegate = 0};
    assert_int_equal(sl_why_of(&merged, &kernels), SL_WHY_MERGED);
}

#define PLAN(svl, name, ops)                                                                       \
    "{\"schema\":\"sme2lab.plan/1\",\"svl_bytes\":" svl ",\"methods\":[{\"name\":\"" name          \
    "\",\"problem\":null,\"variants\":[{\"name\":\"on\",\"loads\":true,\"problems\":[],"           \
    "\"packed_bytes\":5,\"ops\":[" ops "]}]}]}"
#define OP(chain, node)                                                                            \
    "{\"chain\":" chain ",\"instruction\":0,\"node\":" node ",\"name\":\"x\","                     \
    "\"kernels\":[\"memmove\",\"sl_conv_f32_f32p1vlx1_f32p2vlx1_2vlx2vl_sme2_mopa\"]}"
#define LIST "{\"kernels\":[{\"kernel\":\"sl_unary_tanh_f32_f32_4vl_sme2\"}]}"

static int take(struct sl_inspect *inspect, const char *plan, const char *list)
{
    struct sl_diag diag = {.what = ""};
    int rc = sl_inspect_take_plan(inspect, (struct sl_bytes){(const uint8_t *)plan, strlen(plan)},
                                  (struct sl_bytes){(const uint8_t *)list, strlen(list)}, &diag);
    assert_int_equal(rc < 0, diag.what[0] != '\0');
    return rc;
}

TEST(what_an_agent_says_is_checked_against_the_program)
{
    struct sl_buf file;
    struct sl_inspect *inspect = inspect_model("toy_cnn_f32_xnnpack", &file);
    assert_int_equal(take(inspect, "nonsense", LIST), SL_E_FORMAT);
    assert_int_equal(take(inspect, "{}", LIST), SL_E_FORMAT);
    assert_int_equal(take(inspect, PLAN("64", "forward", ""), "{}"), SL_E_FORMAT);
    assert_int_equal(take(inspect, PLAN("1e99", "forward", ""), LIST), SL_E_FORMAT);
    assert_int_equal(take(inspect, PLAN("64", "backward", ""), LIST), SL_E_MISMATCH);
    assert_int_equal(take(inspect, PLAN("64", "forward", "7"), LIST), SL_E_FORMAT);
    assert_int_equal(take(inspect, PLAN("64", "forward", OP("0", "-1")), LIST), SL_E_FORMAT);
    assert_int_equal(take(inspect, PLAN("64", "forward", OP("0", "11")), LIST), SL_E_MISMATCH);
    assert_int_equal(take(inspect, PLAN("64", "forward", OP("3", "1")), LIST), SL_E_MISMATCH);
    assert_int_equal(take(inspect, PLAN("64", "forward", OP("0", "1")), LIST), 0);
    assert_string_equal(inspect->nodes[1].on.kernel,
                        "sl_conv_f32_f32p1vlx1_f32p2vlx1_2vlx2vl_sme2_mopa");
    assert_int_equal(inspect->nodes[1].why, SL_WHY_SERVED);
    assert_int_equal(inspect->nodes[2].why, SL_WHY_MERGED);
    assert_int_equal(inspect->svl_bits, 512);
    sl_inspect_free(inspect);
    sl_buf_fini(&file);
}

TEST(both_drawings_name_every_operator_and_edge)
{
    struct sl_buf file, dot, svg;
    struct sl_inspect *inspect = inspect_model("transformer_dynq_xnnpack", &file);
    const struct sl_inspect_method *method = &inspect->methods[0];
    size_t edges = 0, drawn = 0, arrows = 0, boxes = 0;
    for (uint32_t i = 0; i < method->node_count; i++)
        edges += inspect->nodes[method->node_first + i].from_count;
    sl_buf_init(&dot, 4 << 20);
    sl_buf_init(&svg, 4 << 20);
    assert_int_equal(sl_inspect_dot(&dot, inspect, method), 0);
    assert_int_equal(sl_inspect_svg(&svg, inspect, method), 0);
    for (const char *at = (const char *)dot.data; (at = strstr(at, " -> n")); at++)
        arrows++;
    for (const char *at = (const char *)svg.data; (at = strstr(at, "<path ")); at++)
        drawn++;
    for (const char *at = (const char *)svg.data; (at = strstr(at, "<g><rect ")); at++)
        boxes++;
    assert_true(edges > method->node_count / 2);
    assert_int_equal(arrows, edges);
    assert_int_equal(drawn, edges);
    assert_int_equal(boxes, method->node_count);
    sl_buf_fini(&dot);
    sl_buf_fini(&svg);
    sl_inspect_free(inspect);
    sl_buf_fini(&file);
}

TEST(a_method_without_operators_is_drawn_empty)
{
    struct sl_pte_plan plan = {.name = "forward"};
    struct sl_inspect_method method = {.plan = &plan};
    struct sl_inspect inspect = {.method_count = 1, .methods = &method};
    struct sl_buf dot, svg;
    sl_buf_init(&dot, 1 << 12);
    sl_buf_init(&svg, 1 << 12);
    assert_int_equal(sl_inspect_dot(&dot, &inspect, &method), 0);
    assert_int_equal(sl_inspect_svg(&svg, &inspect, &method), 0);
    assert_non_null(strstr((const char *)dot.data, "digraph \"forward\""));
    assert_non_null(strstr((const char *)svg.data, "<svg"));
    sl_buf_fini(&dot);
    sl_buf_fini(&svg);
}
