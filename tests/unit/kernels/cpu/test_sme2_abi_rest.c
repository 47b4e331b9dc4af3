/* tests/unit/kernels/cpu/test_sme2_abi_rest.c: as test_sme2_abi.c, for what has no products: static
 * int8 by elements, floats and int8 by windows, rows of floats, resizing, and products of two
 * activations. */
#include <stdint.h>

#include "kernels/binary/binary_qs8.h"
#include "kernels/layout/resize.h"
#include "kernels/matmul/batch_qd8.h"
#include "kernels/pool/argmax.h"
#include "kernels/pool/pool.h"
#include "kernels/pool/pool_qs8.h"
#include "kernels/reduce/mean_qs8.h"
#include "kernels/reduce/reduce.h"
#include "kernels/unary/unary_qs8.h"
#include "tests/support/test.h"
#include "tests/unit/kernels/cpu/sme2_abi_case.h"

enum { COUNT = 1100, ROWS = 7, CHANNELS = 21 };

/* Zeros, enough of them for every operand of every case below. */
static _Alignas(64) char operand[64 * 1024], result[64 * 1024], workspace[256 * 1024];
static const struct sl_requant_out quantised = {1, -128, 127};

/* A list's arguments hold pointers of its type, or of any, which none of these operands is too
 * small for. */
static const int8_t *const bytes = (const int8_t *)operand;
static int8_t *const bytes_out = (int8_t *)result;
static const float *const floats = (const float *)(const void *)operand;
static float *const floats_out = (float *)(void *)result;

RUNS(binary_qs8)
RUNS(unary_qs8)
RUNS(pool)
RUNS(pool_qs8)
RUNS(mean_qs8)
RUNS(reduce)
RUNS(argmax)
RUNS(resize)

TEST(elements_of_int8_keep_the_callers_state)
{
    struct sl_binary_qs8_plan plan;
    const struct sl_quant_scale scale = {0.5f, 3};
    assert_int_equal(sl_binary_qs8_prepare(SL_BINARY_ADD, scale, scale, 0.25f, &plan), 0);
    EACH(binary_qs8, true, (void)0, COUNT, bytes, bytes, 1, 1, bytes_out, plan, quantised)
    EACH(unary_qs8, true, (void)0, COUNT, bytes, bytes_out, (const int8_t *)workspace, -7, 9)
}

TEST(windows_keep_the_callers_state)
{
    for (size_t size = 2; size <= 3; size++) { /* 2x2 at stride 2 has a path of its own */
        size_t out = (8 - size) / 2 + 1;
        EACH(pool, true, (void)0, kernel->op, 1, 8, 8, out, out, CHANNELS, size, size, 2, 2, 1, 1,
             0, 0, floats, floats_out, -1, 1)
        EACH(pool_qs8, true, (void)0, 1, 8, 8, out, out, CHANNELS, size, size, 2, 2, 1, 1, 0, 0,
             bytes, bytes_out, -7, 9)
    }
    EACH(argmax, true, (void)0, 1, 4, 3, CHANNELS, 2, 3, floats, floats_out,
         (int32_t *)(void *)workspace)
    EACH(resize, true, (void)0, 1, 5, 4, 7, 9, CHANNELS, false, floats, floats_out)
}

TEST(rows_keep_the_callers_state)
{
    for (size_t reduced = 131; reduced <= COUNT; reduced += 900)
        EACH(reduce, true, (void)0, ROWS, reduced, 1, floats, floats_out, 1, 1e-5f, NULL, NULL,
             NULL, NULL)
    for (size_t inner = 1; inner <= 70; inner += 23) {
        EACH(reduce, sl_reduce_folds(kernel->op), (void)0, 2, 13, inner, floats, floats_out, 1, 0,
             NULL, NULL, NULL, NULL)
        EACH(mean_qs8, kernel->workspace_bytes(inner) <= sizeof(workspace), (void)0, 2, 13, inner,
             bytes, bytes_out, 1, 3, quantised, workspace)
    }
}

static void run_batch(const void *context)
{
    const struct sl_matmul_qd8 *kernel = context;
    const struct sl_batch_qd8_args args = {
        .batches = 2,
        .product = {.m = kernel->gemv ? 1 : 19,
                    .n = CHANNELS,
                    .k = 64,
                    .lhs = {operand, 64, SL_ROWS_F32, NULL},
                    .dst = result,
                    .dst_stride = CHANNELS,
                    .max = 1,
                    .workspace = workspace},
        .rhs = {.n = CHANNELS, .k = 64, .data = operand, .scale = floats},
    };
    sl_batch_qd8_run(kernel, &args);
}

TEST(products_of_activations_keep_the_callers_state)
{
    const struct sl_matmul_qd8 *kernel;
    for (size_t i = 0; (kernel = sl_matmul_qd8_at(i)) != NULL; i++)
        if (!kernel->q4 && sl_case_is_sme2(kernel->name, kernel->needs) &&
            sl_batch_qd8_workspace_bytes(kernel, 19, CHANNELS, 64, 0) <= sizeof(workspace))
            sl_case_survives(kernel->name, run_batch, kernel);
}
