/* tests/unit/host/inspect/test_cost.c */
#include "host/inspect/cost.h"

#include <stdio.h>
#include <string.h>

#include "host/inspect/inspect.h"
#include "tests/support/test.h"

static const char scalar[] = "sl_binary_add_f32_f32_f32_1x1_scalar";
static const char streaming[] = "sl_conv_f32_f32p1vlx1_f32p2vlx1_2vlx2vl_sme2_mopa";

/* 32 rows by 64 columns, 27 deep, of a window of three rows. */
static const struct sl_inspect_node window = {
    .work = SL_WORK_WINDOW, .batch = 1, .m = 32, .n = 64, .k = 27, .taps = 3};

static uint64_t cost(const struct sl_inspect_node *node, const char *kernel, uint32_t svl_bits)
{
    uint64_t insns = 0;
    if (!sl_cost_of(node, kernel, svl_bits, &insns))
        fail_msg("%s has no formula", kernel);
    return insns;
}

/* They are looked up by halving, so one that is out of its order is not found. */
TEST(every_formula_is_found_by_its_kernel)
{
    static const char *const kernels[] = {
#define SL_COST(kernel, ...) #kernel,
#include "host/inspect/cost.inc"
#undef SL_COST
    };
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
        cost(&window, kernels[i], 512);
}

TEST(twice_the_work_is_twice_the_instructions)
{
    struct sl_inspect_node twice = window;
    twice.batch = 2;
    uint64_t once = cost(&window, streaming, 512);
    assert_true(once > 0);
    assert_in_range(cost(&twice, streaming, 512), 2 * once, 2 * once + 1); /* of a fraction */
}

TEST(longer_vectors_need_fewer_instructions_where_a_kernel_streams)
{
    assert_true(cost(&window, streaming, 1024) < cost(&window, streaming, 256));
    assert_int_equal(cost(&window, scalar, 1024), cost(&window, scalar, 256));
}

TEST(part_of_a_block_costs_a_whole_one)
{
    struct sl_inspect_node part = window, whole = window;
    part.n = 33; /* blocks of two vectors, of 16 elements each, are 32 wide */
    whole.n = 48;
    assert_int_equal(cost(&whole, streaming, 512) > cost(&part, streaming, 512), 0);
    whole.n = 65;
    assert_true(cost(&whole, streaming, 512) > cost(&part, streaming, 512));
}

TEST(what_is_not_known_is_not_predicted)
{
    struct sl_inspect_node node = window;
    uint64_t insns = 7;
    assert_false(sl_cost_of(&node, "sl_conv_of_tomorrow", 512, &insns));
    assert_false(sl_cost_of(&node, "", 512, &insns));
    assert_false(sl_cost_of(&node, streaming, 0, &insns));
    node.work = SL_WORK_OTHER;
    assert_false(sl_cost_of(&node, streaming, 512, &insns));
    node = window;
    node.m = node.n = node.k = UINT64_MAX; /* of a hostile program */
    assert_false(sl_cost_of(&node, streaming, 512, &insns));
    assert_int_equal(insns, 7);
}

TEST(a_node_is_predicted_where_one_operator_serves_it)
{
    struct sl_inspect_node nodes[2] = {window, window};
    struct sl_inspect inspect = {.svl_bits = 512, .nodes = nodes, .node_count = 2};
    snprintf(nodes[0].off.kernel, sizeof(nodes[0].off.kernel), "%s", scalar);
    snprintf(nodes[0].on.kernel, sizeof(nodes[0].on.kernel), "%s", streaming);
    nodes[0].off.operators = nodes[0].on.operators = 1;
    nodes[1].off = nodes[0].off;
    nodes[1].off.operators = 2; /* how they share the work is not known */
    sl_cost_predict(&inspect);
    assert_true(nodes[0].off.predicted && nodes[0].on.predicted);
    assert_int_equal(nodes[0].off.insns, cost(&window, scalar, 512));
    assert_int_equal(nodes[0].on.insns, cost(&window, streaming, 512));
    assert_false(nodes[1].off.predicted || nodes[1].on.predicted);
}
