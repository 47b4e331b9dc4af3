/* tests/unit/kernels/cpu/test_sme2_abi.c: what a caller of an SME2 kernel may rely on: d8-d15 and
 * its own ZA survive, and streaming mode is off afterwards. Floats, dynamic int8, conversions; the
 * other types are in test_sme2_abi_types.c and test_sme2_abi_rest.c. */
#include <stdint.h>

#include "kernels/binary/binary.h"
#include "kernels/conv/conv.h"
#include "kernels/convert/convert.h"
#include "kernels/convert/quantise.h"
#include "kernels/cpu/isa.h"
#include "kernels/depthwise/depthwise.h"
#include "kernels/layout/layout.h"
#include "kernels/matmul/matmul.h"
#include "kernels/matmul/matmul_qd8.h"
#include "kernels/pool/pool.h"
#include "kernels/reduce/reduce.h"
#include "kernels/unary/unary.h"
#include "tests/support/test.h"
#include "tests/unit/kernels/cpu/sme2_abi_case.h"

/* Enough floats for every operand of every case below. */
static _Alignas(64) float operand[4096], other[4096], result[4096];
static _Alignas(64) float packed[64 * 1024], workspace[64 * 1024];

struct matmul_case {
    const struct sl_matmul *kernel;
    struct sl_matmul_args args;
};

static void run_matmul(const void *context)
{
    const struct matmul_case *c = context;
    c->kernel->run(&c->args);
}

static void pack_matmul(const void *context)
{
    const struct matmul_case *c = context;
    c->kernel->pack_lhs(&c->args);
}

static void run_packed_matmul(const void *context)
{
    const struct matmul_case *c = context;
    c->kernel->run_packed(&c->args);
}

TEST(matmul_keeps_the_callers_state)
{
    const struct sl_matmul *kernel;
    for (size_t i = 0; (kernel = sl_matmul_at(i)) != NULL; i++) {
        if (!sl_case_is_sme2(kernel->name, kernel->needs))
            continue;
        size_t m = kernel->gemv ? 1 : 37;
        assert_true(kernel->rhs_bytes(41, 19) <= sizeof(packed));
        assert_true(kernel->workspace_bytes(m, 41, 19) <= sizeof(workspace));
        struct matmul_case c = {
            kernel, {m, 41, 19, operand, 19, packed, result, 41, -1, 1, workspace, false}};
        kernel->pack_rhs(41, 19, other, false, NULL, packed);
        sl_case_survives(kernel->name, run_matmul, &c);
        if (kernel->pack_lhs) {
            sl_case_survives(kernel->name, pack_matmul, &c);
            sl_case_survives(kernel->name, run_packed_matmul, &c);
        }
    }
}

struct conv_case {
    const struct sl_conv *kernel;
    struct sl_conv_args args;
};

static void run_conv(const void *context)
{
    const struct conv_case *c = context;
    c->kernel->run(&c->args);
}

TEST(conv_keeps_the_callers_state)
{
    struct sl_conv_shape shape = {1, 9, 9, 9, 9, 1, 5, 7, 3, 3, 1, 1, 1, 1, 1, 1};
    const struct sl_conv *kernel;
    for (size_t i = 0; (kernel = sl_conv_at(i)) != NULL; i++) {
        if (!sl_case_is_sme2(kernel->name, kernel->needs) ||
            (kernel->fits && !kernel->fits(&shape)))
            continue;
        assert_true(kernel->weights_bytes(&shape) <= sizeof(packed));
        assert_true(kernel->workspace_bytes(&shape) <= sizeof(workspace));
        struct conv_case c = {kernel, {shape, operand, packed, result, -1, 1, workspace, 0, 0}};
        kernel->pack_weights(&shape, other, NULL, packed);
        sl_case_survives(kernel->name, run_conv, &c);
    }
}

struct depthwise_case {
    const struct sl_depthwise *kernel;
    struct sl_depthwise_args args;
};

static void run_depthwise(const void *context)
{
    const struct depthwise_case *c = context;
    c->kernel->run(&c->args);
}

TEST(depthwise_keeps_the_callers_state)
{
    const struct sl_depthwise *kernel;
    for (size_t i = 0; (kernel = sl_depthwise_at(i)) != NULL; i++) {
        bool fits = (kernel->needs & ~sl_isa_detect()) != 0 || !(kernel->needs & SL_ISA_SME2);
        for (size_t s = 0; s < DEPTHWISE_SHAPES; s++) {
            if (!sl_case_is_sme2(kernel->name, kernel->needs) ||
                (kernel->fits && !kernel->fits(&depthwise_shapes[s])))
                continue;
            assert_true(kernel->weights_bytes(&depthwise_shapes[s]) <= sizeof(packed));
            assert_true(kernel->workspace_bytes(&depthwise_shapes[s]) <= sizeof(workspace));
            struct depthwise_case c = {
                kernel, {depthwise_shapes[s], operand, packed, result, -1, 1, workspace}};
            kernel->pack_weights(&depthwise_shapes[s], other, NULL, packed);
            sl_case_survives(kernel->name, run_depthwise, &c);
            fits = true;
        }
        assert_true(fits || sl_isa_svl_bytes() < 64); /* shorter vectors: some fit nothing */
    }
}

struct transpose_case {
    const struct sl_transpose *kernel;
    struct sl_transpose_args args;
};

static void run_transpose(const void *context)
{
    const struct transpose_case *c = context;
    c->kernel->run(&c->args);
}

TEST(transpose_keeps_the_callers_state)
{
    const struct sl_transpose *kernel;
    for (size_t i = 0; (kernel = sl_transpose_at(i)) != NULL; i++) {
        if (!sl_case_is_sme2(kernel->name, kernel->needs))
            continue;
        for (size_t rows = 3; rows < 40; rows += 30) {
            const uint32_t *in = (const uint32_t *)(const void *)operand;
            uint32_t *out = (uint32_t *)(void *)result;
            struct transpose_case c = {kernel, {1, rows, 37, in, 0, 37, out, 0, rows}};
            sl_case_survives(kernel->name, run_transpose, &c);
        }
    }
}

struct element_case { /* one of these families */
    const struct sl_unary *unary;
    const struct sl_binary *binary;
    const struct sl_reduce *reduce;
    const struct sl_pool *pool;
};

static void run_element(const void *context)
{
    const struct element_case *c = context;
    if (c->unary)
        c->unary->run(1000, operand, result, -1, 1);
    if (c->binary)
        c->binary->run(&(struct sl_binary_args){1000, operand, other, 1, 1, result, -1, 1});
    if (c->pool)
        c->pool->run(&(struct sl_pool_args){c->pool->op, 1, 9, 9, 5, 5, 21, 3, 3, 2, 2, 1, 1, 1, 1,
                                            operand, result, -1, 1});
}

static void reduce_outer(const void *context)
{
    const struct element_case *c = context;
    c->reduce->run(&(struct sl_reduce_args){
        .outer = 7, .reduced = 131, .inner = 1, .in = operand, .out = result, .scale = 1});
}

static void reduce_inner(const void *context)
{
    const struct element_case *c = context;
    c->reduce->run(&(struct sl_reduce_args){
        .outer = 2, .reduced = 13, .inner = 70, .in = operand, .out = result, .scale = 1});
}

TEST(the_other_families_keep_the_callers_state)
{
    const struct sl_unary *unary;
    for (size_t i = 0; (unary = sl_unary_at(i)) != NULL; i++)
        if (sl_case_is_sme2(unary->name, unary->needs))
            sl_case_survives(unary->name, run_element, &(struct element_case){.unary = unary});
    const struct sl_binary *binary;
    for (size_t i = 0; (binary = sl_binary_at(i)) != NULL; i++)
        if (sl_case_is_sme2(binary->name, binary->needs))
            sl_case_survives(binary->name, run_element, &(struct element_case){.binary = binary});
    const struct sl_pool *pool;
    for (size_t i = 0; (pool = sl_pool_at(i)) != NULL; i++)
        if (sl_case_is_sme2(pool->name, pool->needs))
            sl_case_survives(pool->name, run_element, &(struct element_case){.pool = pool});
    const struct sl_reduce *reduce;
    for (size_t i = 0; (reduce = sl_reduce_at(i)) != NULL; i++) {
        if (!sl_case_is_sme2(reduce->name, reduce->needs))
            continue;
        sl_case_survives(reduce->name, reduce_outer, &(struct element_case){.reduce = reduce});
        if (sl_reduce_folds(reduce->op))
            sl_case_survives(reduce->name, reduce_inner, &(struct element_case){.reduce = reduce});
    }
}

struct qd8_case {
    const struct sl_matmul_qd8 *kernel;
    struct sl_weights_qd8 weights;
    struct sl_matmul_qd8_args args;
};

static void pack_rhs_qd8(const void *context)
{
    const struct qd8_case *c = context;
    c->kernel->pack_rhs(c->kernel, &c->weights, packed);
}

static void pack_lhs_qd8(const void *context)
{
    const struct qd8_case *c = context;
    c->kernel->pack_lhs(c->kernel, c->args.m, c->args.k, &c->args.lhs, workspace);
}

static void run_qd8(const void *context)
{
    const struct qd8_case *c = context;
    c->kernel->run(c->kernel, &c->args);
}

TEST(dynamic_products_keep_the_callers_state)
{
    const struct sl_matmul_qd8 *kernel;
    for (size_t i = 0; (kernel = sl_matmul_qd8_at(i)) != NULL; i++) {
        for (size_t group = 0; group <= 32; group += 32) {
            if (!sl_case_is_sme2(kernel->name, kernel->needs) || (group > 0 && !kernel->q4))
                continue;
            struct qd8_case c = {
                .kernel = kernel,
                .weights = {.n = 21, .k = 64, .data = operand, .scale = other, .group = group},
                .args = {.m = kernel->gemv ? 1 : 19,
                         .n = 21,
                         .k = 64,
                         .group = group,
                         .lhs = {operand, 64, SL_ROWS_F32, NULL},
                         .rhs = packed,
                         .dst = result,
                         .dst_stride = 21,
                         .max = 1,
                         .workspace = workspace}};
            sl_case_survives(kernel->name, pack_rhs_qd8, &c);
            sl_case_survives(kernel->name, pack_lhs_qd8, &c);
            sl_case_survives(kernel->name, run_qd8, &c);
        }
    }
}

/* Enough elements for a turn of the assembly at 512 bits. */
static void run_convert(const void *context)
{
    const struct sl_convert *kernel = context;
    kernel->run(&(struct sl_convert_args){1100, operand, result, 0.5f, 0.25f, 3, -7});
}

static void run_quantise(const void *context)
{
    const struct sl_quantise *kernel = context;
    struct sl_row_params params[3];
    const struct sl_rows rows = {operand, 100, SL_ROWS_F32, NULL};
    kernel->run(3, 100, &rows, (int8_t *)result, 100, params);
}

TEST(conversions_keep_the_callers_state)
{
    const struct sl_convert *convert;
    for (size_t i = 0; (convert = sl_convert_at(i)) != NULL; i++)
        if (sl_case_is_sme2(convert->name, convert->needs))
            sl_case_survives(convert->name, run_convert, convert);
    const struct sl_quantise *quantise;
    for (size_t i = 0; (quantise = sl_quantise_at(i)) != NULL; i++)
        if (sl_case_is_sme2(quantise->name, quantise->needs))
            sl_case_survives(quantise->name, run_quantise, quantise);
}
