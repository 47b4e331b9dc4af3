/* tests/unit/kernels/cpu/test_sme2_abi_types.c: as test_sme2_abi.c, for halves, bfloat16 and static
 * int8. */
#include <stdint.h>

#include "kernels/binary/binary.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/conv_qs8.h"
#include "kernels/depthwise/depthwise.h"
#include "kernels/depthwise/depthwise_qs8.h"
#include "kernels/layout/layout_x16.h"
#include "kernels/layout/layout_x8.h"
#include "kernels/matmul/matmul.h"
#include "kernels/matmul/matmul_bf16.h"
#include "kernels/matmul/matmul_qs8.h"
#include "kernels/unary/unary.h"
#include "tests/support/test.h"
#include "tests/unit/kernels/cpu/sme2_abi_case.h"

enum { M = 37, N = 41, K = 19, COUNT = 1000 };

/* Zeros, enough of them for every operand of every case below. */
static _Alignas(64) uint16_t operand[8192], result[8192];
static _Alignas(64) char packed[256 * 1024], workspace[256 * 1024];
static const float scales[N] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const struct sl_requant requant = {NULL, scales, 3};
static const struct sl_requant_out quantised = {1, -128, 127};

static const struct sl_conv_shape conv_shape = {1, 9, 9, 9, 9, 1, 5, 7, 3, 3, 1, 1, 1, 1, 1, 1};
RUNS(matmul_f16)
RUNS(matmul_bf16)
RUNS(matmul_qs8)
RUNS(conv_f16)
RUNS(conv_qs8)
RUNS(depthwise_f16)
RUNS(depthwise_qs8)
RUNS(binary_f16)
RUNS(transpose_x16)
RUNS(transpose_x8)

#define M_OF (kernel->gemv ? 1 : (size_t)M)

TEST(products_keep_the_callers_state)
{
    EACH(matmul_f16, kernel->rhs_bytes(N, K) <= sizeof(packed),
         kernel->pack_rhs(N, K, operand, false, NULL, packed), M_OF, N, K, operand, K, packed,
         result, N, -1, 1, workspace)
    for (int is_f32 = 0; is_f32 < 2; is_f32++)
        EACH(matmul_bf16, kernel->rhs_bytes(N, K) <= sizeof(packed),
             kernel->pack_rhs(N, K, operand, false, NULL, packed), M_OF, N, K, operand, is_f32 != 0,
             K, packed, (float *)(void *)result, N, -1, 1, workspace)
    EACH(matmul_qs8, kernel->rhs_bytes(N, K) <= sizeof(packed),
         kernel->pack_rhs(N, K, (const int8_t *)operand, false, &requant, packed), M_OF, N, K,
         (const int8_t *)operand, K, packed, (int8_t *)result, N, quantised, workspace)
}

TEST(windows_keep_the_callers_state)
{
    EACH(conv_f16, !kernel->fits || kernel->fits(&conv_shape),
         kernel->pack_weights(&conv_shape, operand, NULL, packed), conv_shape, operand, packed,
         result, -1, 1, workspace, 0, 0)
    EACH(conv_qs8, true,
         kernel->pack_weights(&conv_shape, (const int8_t *)operand, &requant, packed), conv_shape,
         (const int8_t *)operand, 3, packed, (int8_t *)result, 7, 63, 567, quantised, workspace)
    for (size_t s = 0; s < DEPTHWISE_SHAPES; s++) {
        const struct sl_depthwise_shape *shape = &depthwise_shapes[s];
        EACH(depthwise_f16, !kernel->fits || kernel->fits(shape),
             kernel->pack_weights(shape, operand, NULL, packed), *shape, operand, packed, result,
             -1, 1, workspace)
        EACH(depthwise_qs8, !kernel->fits || kernel->fits(shape),
             kernel->pack_weights(shape, (const int8_t *)operand, &requant, packed), *shape,
             (const int8_t *)operand, 3, packed, (int8_t *)result, quantised, workspace)
    }
}

static void run_unary_f16(const void *context)
{
    const struct sl_unary_f16 *kernel = context;
    kernel->run(COUNT, operand, result, -1, 1);
}

TEST(elements_keep_the_callers_state)
{
    const struct sl_unary_f16 *unary;
    for (size_t i = 0; (unary = sl_unary_f16_at(i)) != NULL; i++)
        if (sl_case_is_sme2(unary->name, unary->needs))
            sl_case_survives(unary->name, run_unary_f16, unary);
    EACH(binary_f16, true, (void)0, COUNT, operand, operand, 1, 1, result, -1, 1)
    EACH(transpose_x16, true, (void)0, 1, 33, N, operand, 0, N, result, 0, 33)
    EACH(transpose_x8, true, (void)0, 1, 33, N, (const uint8_t *)operand, 0, N, (uint8_t *)result,
         0, 33)
}

struct pack_case { /* one of these */
    const struct sl_matmul_f16 *f16;
    const struct sl_matmul_bf16 *bf16;
    const struct sl_matmul_qs8 *qs8;
    const struct sl_conv_qs8 *conv;
    const struct sl_depthwise_qs8 *depthwise;
};

static void pack(const void *context)
{
    const struct pack_case *c = context;
    if (c->f16)
        c->f16->pack_rhs(N, K, operand, false, NULL, packed);
    if (c->bf16)
        c->bf16->pack_rhs(N, K, operand, false, NULL, packed);
    if (c->qs8)
        c->qs8->pack_rhs(N, K, (const int8_t *)operand, false, &requant, packed);
    if (c->conv)
        c->conv->pack_weights(&conv_shape, (const int8_t *)operand, &requant, packed);
    if (c->depthwise)
        c->depthwise->pack_weights(&depthwise_shapes[0], (const int8_t *)operand, &requant, packed);
}

#define PACKS(family, member)                                                                      \
    {                                                                                              \
        const struct sl_##family *kernel;                                                          \
        for (size_t i = 0; (kernel = sl_##family##_at(i)) != NULL; i++)                            \
            if (sl_case_is_sme2(kernel->name, kernel->needs))                                      \
                sl_case_survives(kernel->name, pack, &(struct pack_case){.member = kernel});       \
    }

TEST(packs_of_weights_keep_the_callers_state)
{
    PACKS(matmul_f16, f16)
    PACKS(matmul_bf16, bf16)
    PACKS(matmul_qs8, qs8)
    PACKS(conv_qs8, conv)
    PACKS(depthwise_qs8, depthwise)
}
