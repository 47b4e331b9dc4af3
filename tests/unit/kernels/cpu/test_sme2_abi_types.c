/* tests/unit/kernels/cpu/test_sme2_abi_types.c: as test_sme2_abi.c, for bfloat16 and static int8.
 */
#include <stdint.h>

#include "kernels/conv/conv.h"
#include "kernels/conv/conv_qs8.h"
#include "kernels/depthwise/depthwise.h"
#include "kernels/depthwise/depthwise_qs8.h"
#include "kernels/layout/layout_x16.h"
#include "kernels/layout/layout_x8.h"
#include "kernels/matmul/matmul.h"
#include "kernels/matmul/matmul_qs8.h"
#include "tests/support/test.h"
#include "tests/unit/kernels/cpu/sme2_abi_case.h"

enum { M = 37, N = 41, K = 19 };

/* Zeros, enough of them for every operand of every case below. */
static _Alignas(64) float operand[8192], result[8192];
static _Alignas(64) char packed[256 * 1024], workspace[256 * 1024];
static const float scales[N] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const struct sl_requant requant = {NULL, scales, 3};
static const struct sl_requant_out quantised = {1, -128, 127};

static const struct sl_conv_shape conv_shape = {1, 9, 9, 9, 9, 1, 5, 7, 3, 3, 1, 1, 1, 1, 1, 1};
RUNS(matmul)
RUNS(matmul_qs8)
RUNS(conv_qs8)
RUNS(depthwise_qs8)
RUNS(transpose_x16)
RUNS(transpose_x8)

#define M_OF (kernel->gemv ? 1 : (size_t)M)

TEST(products_keep_the_callers_state)
{
    for (int is_f32 = 0; is_f32 < 2; is_f32++)
        EACH(matmul, kernel->element == SL_BF16 && kernel->rhs_bytes(N, K) <= sizeof(packed),
             kernel->pack_rhs(N, K, operand, false, NULL, packed), M_OF, N, K, operand, K, packed,
             result, N, -1, 1, workspace, is_f32 != 0)
    EACH(matmul_qs8, kernel->rhs_bytes(N, K) <= sizeof(packed),
         kernel->pack_rhs(N, K, (const int8_t *)operand, false, &requant, packed), M_OF, N, K,
         (const int8_t *)operand, K, packed, (int8_t *)result, N, quantised, workspace)
}

TEST(windows_keep_the_callers_state)
{
    EACH(conv_qs8, true,
         kernel->pack_weights(&conv_shape, (const int8_t *)operand, &requant, packed), conv_shape,
         (const int8_t *)operand, 3, packed, (int8_t *)result, 7, 63, 567, quantised, workspace)
    for (size_t s = 0; s < DEPTHWISE_SHAPES; s++) {
        const struct sl_depthwise_shape *shape = &depthwise_shapes[s];
        EACH(depthwise_qs8, !kernel->fits || kernel->fits(shape),
             kernel->pack_weights(shape, (const int8_t *)operand, &requant, packed), *shape,
             (const int8_t *)operand, 3, packed, (int8_t *)result, quantised, workspace)
    }
}

TEST(elements_keep_the_callers_state)
{
    EACH(transpose_x16, true, (void)0, 1, 33, N, (const uint16_t *)(const void *)operand, 0, N,
         (uint16_t *)(void *)result, 0, 33)
    EACH(transpose_x8, true, (void)0, 1, 33, N, (const uint8_t *)operand, 0, N, (uint8_t *)result,
         0, 33)
}

struct pack_case { /* one of these */
    const struct sl_matmul *floats;
    const struct sl_matmul_qs8 *qs8;
    const struct sl_conv_qs8 *conv;
    const struct sl_depthwise_qs8 *depthwise;
};

static void pack(const void *context)
{
    const struct pack_case *c = context;
    if (c->floats)
        c->floats->pack_rhs(N, K, operand, false, NULL, packed);
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
    PACKS(matmul, floats)
    PACKS(matmul_qs8, qs8)
    PACKS(conv_qs8, conv)
    PACKS(depthwise_qs8, depthwise)
}
