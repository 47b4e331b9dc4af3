/* tests/unit/common/format/test_operands.c */
#include "common/format/operands.h"

#include <string.h>

#include "tests/support/operands.h"
#include "tests/support/test.h"

TEST(words_name_each_operand_and_the_output)
{
    static const char *const words[] = {"1x56x56x64 * 128x3x3x64 -> 1x56x56x128", "-> 13",
                                        "1x6x10 * 8 * 3x1 -> 1", "2x3", ""};
    char text[SL_OPERANDS_WORDS_BYTES], dims[8];
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        struct sl_operands operands = operands_of(words[i], "");
        assert_string_equal(sl_operands_words(&operands, text, sizeof(text)), words[i]);
    }
    struct sl_operands operands = operands_of(words[0], "");
    assert_string_equal(sl_operands_words(&operands, text, 8), "1x56x56");
    assert_string_equal(sl_dims_words(&operands.in[1], dims, sizeof(dims)), "128x3x3");
}

TEST(multiply_accumulates_follow_the_kind)
{
    static const struct {
        const char *kind, *words;
        bool turned;
        uint64_t macs;
    } cases[] = {
        {"FullyConnected", "1x64 * 10x64 -> 1x10", false, 640},
        {"BatchMatrixMultiply", "2x64x3 * 2x64x5 -> 2x3x5", true, 1920},
        {"aten::addmm.out", "4 * 2x3 * 3x4 -> 2x4", false, 24},
        {"Conv2d", "1x8x8x3 * 16x3x3x3 -> 1x8x8x16", false, 27648},
        {"DepthwiseConv2d", "1x8x8x6 * 1x3x3x6 -> 1x8x8x6", false, 3456},
        {"ConvTranspose2d", "1x4x4x6 * 8x2x2x6 -> 1x8x8x8", false, 3072},
        {"ConvTranspose2d", "1x4x4x6 * 8x2x2x3 -> 1x8x8x8", false, 1536}, /* two groups */
        {"ConvTranspose2d", "1x4x4x6 * 8x2x2x0 -> 1x8x8x8", false, 0},
        {"aten::convolution.out", "1x6x4x4 * 6x8x2x2 -> 1x8x8x8", true, 3072},
        {"aten::convolution.out", "1x6x4x4 * 8 -> 1x8x8x8", false, 0},
        {"Add2", "8 * 8 -> 8", false, 0},
        {"FullyConnected", "1x64 -> 1x10", false, 0},
        {"FullyConnected", "1x64 * 10x64", false, 0}, /* no output */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_operands operands = operands_of(cases[i].words, "");
        sl_operands_finish(&operands, cases[i].kind, cases[i].turned);
        assert_int_equal(operands.macs, cases[i].macs);
    }
}

TEST(what_is_beyond_the_limits_is_cleared_as_a_whole)
{
    static const char *const words[] = {"1x1x1x1x1x1x1x1x1 -> 1", "1 -> 1x1x1x1x1x1x1x1x1",
                                        "4294967296 -> 1",
                                        "1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 -> 1"};
    const struct sl_operands none = {.macs = 0};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        struct sl_operands operands = operands_of(words[i], "");
        assert_memory_equal(&operands, &none, sizeof(none));
    }
}
