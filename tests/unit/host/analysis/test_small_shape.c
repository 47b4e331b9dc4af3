/* tests/unit/host/analysis/test_small_shape.c: the edges, as the runtime's choice has them. */
#include "host/analysis/small_shape.h"

#include <stddef.h>

#include "tests/support/operands.h"
#include "tests/support/test.h"

static const char f32[] = "sl_matmul_f32_f32_f32p16x1_5x16_neon_mla",
                  qs8[] = "sl_matmul_qs8_qs8_8x8_neon_dot", qd8[] = "sl_matmul_qd8_q4_8x8_neon_dot",
                  f16[] = "sl_matmul_f16_f16_f16p32x1_1x32_neon_mla",
                  bf16[] = "sl_matmul_bf16_bf16p8x4_bf16p12x4_8x12_neon_mmla",
                  conv[] = "sl_conv_f32_f32_f32p16x1_5x16_neon_mla";

TEST(shapes_are_small_where_the_runtime_takes_them_for_small)
{
    static const struct {
        const char *shape, *origin, *kernel;
        bool small;
    } cases[] = {
        {"1024x1024 * 1024x1024 -> 1024x1024", "FullyConnected", f32, false},
        {"4x16 * 16x16 -> 4x16", "FullyConnected", f32, true},
        {"16x31 * 16x31 -> 16x16", "FullyConnected", f32, true},
        {"16x32 * 16x32 -> 16x16", "FullyConnected", f32, false},
        {"1x10000 * 15x10000 -> 1x15", "FullyConnected", f32, true}, /* few columns */
        {"1x10000 * 16x10000 -> 1x16", "FullyConnected", f32, false},
        {"9x16x1000 * 7x1000 -> 9x16x7", "aten::linear.out", f32, true}, /* all rows are of one */
        {"8x16x16 * 8x16x16 -> 8x16x16", "BatchMatrixMultiply", f32, true}, /* each for itself */
        {"4x16x16x32 * 4x16x32x16 -> 4x16x16x16", "aten::bmm.out", f32, false},
        {"64 * 16x31 * 31x16 -> 16x16", "aten::addmm.out", f32, true},
        {"1x8x8x96 * 7x1x1x96 -> 1x8x8x7", "Conv2d", f32, true}, /* a product by pixels */
        {"1x8x8x96 * 64x1x1x96 -> 1x8x8x64", "Conv2d", f32, false},
        {"1x96x8x64 * 7x96x1x1 -> 1x7x8x64", "aten::convolution.out", f32, true},
        {"1x96x64x7 * 64x96x1x1 -> 1x64x64x7", "aten::convolution.out", f32, false},
        {"8x127 * 64x127 -> 8x64", "FullyConnected", qs8, true}, /* of int8, by its own limits */
        {"8x128 * 64x128 -> 8x64", "FullyConnected", qs8, false},
        {"7x1000 * 999x1000 -> 7x999", "FullyConnected", qd8, true},
        {"8x1000 * 999x1000 -> 8x999", "FullyConnected", qd8, false},
        {"999x64 * 999x64 -> 999x999", "FullyConnected", qs8, true}, /* short sums */
        {"999x65 * 999x65 -> 999x999", "FullyConnected", qs8, false},
        {"1x1000 * 999x1000 -> 1x999", "FullyConnected", f16, true}, /* a single row */
        {"2x1000 * 999x1000 -> 2x999", "FullyConnected", f16, false},
        {"8x1000 * 999x1000 -> 8x999", "FullyConnected", bf16, true}, /* by its own, too */
        {"9x1000 * 999x1000 -> 9x999", "FullyConnected", bf16, false},
        {"99x1000 * 15x1000 -> 99x15", "FullyConnected", bf16, true},
        {"99x1000 * 16x1000 -> 99x16", "FullyConnected", bf16, false},
        {"1x4x4x8 * 8x2x2x8 -> 1x4x4x8", "Conv2d", conv, true},
        {"1x8x8x8 * 8x3x3x8 -> 1x8x8x8", "Conv2d", conv, false},
        {"4x16 * 16x16 -> 4x16", "Add2", f32, false}, /* not a product */
        {"4x16 * 16x16 -> 4x16", "FullyConnected", "sl_map_f32_scalar", false},
        {"4x16 * 16x16 -> 4x16", "FullyConnected", NULL, false},
        {"4x16 * 0x16 -> 4x0", "FullyConnected", f32, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_operands operands = operands_of(cases[i].shape, cases[i].origin);
        if (sl_shape_is_small(&operands, cases[i].origin, cases[i].kernel) != cases[i].small)
            fail_msg("%s by %s", cases[i].shape, cases[i].kernel ? cases[i].kernel : "nothing");
    }
    struct sl_operands operands = operands_of("4x16 * 16x16 -> 4x16", "FullyConnected");
    assert_true(sl_shape_is_small(&operands, "FullyConnected", f32));
    assert_false(sl_shape_is_small(&operands, NULL, f32));
    assert_false(sl_shape_is_small(NULL, "FullyConnected", f32));
}
