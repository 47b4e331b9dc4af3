/* tests/unit/kernels/cpu/test_policy.c: what a run keeps out of streaming mode, and only that. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "kernels/binary/binary.h"
#include "kernels/binary/binary_qs8.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/conv_qs8.h"
#include "kernels/convert/convert.h"
#include "kernels/convert/quantise.h"
#include "kernels/cpu/policy.h"
#include "kernels/depthwise/depthwise.h"
#include "kernels/depthwise/depthwise_qs8.h"
#include "kernels/layout/layout_x16.h"
#include "kernels/layout/layout_x8.h"
#include "kernels/matmul/matmul.h"
#include "kernels/matmul/matmul_qd8.h"
#include "kernels/matmul/matmul_qs8.h"
#include "kernels/pool/pool.h"
#include "kernels/pool/pool_qs8.h"
#include "kernels/reduce/mean_qs8.h"
#include "kernels/reduce/reduce.h"
#include "kernels/unary/unary.h"
#include "kernels/unary/unary_qs8.h"
#include "tests/support/test.h"

static const struct sl_conv_shape conv = {1, 9, 9, 9, 9, 1, 8, 7, 3, 3, 1, 1, 1, 1, 1, 1};
static const struct sl_conv_shape small = {1, 3, 3, 3, 3, 1, 8, 7, 3, 3, 1, 1, 1, 1, 1, 1};
static const struct sl_depthwise_shape depthwise = {1, 9, 9, 9, 9, 21, 1, 3, 3, 1, 1, 1, 1, 1, 1};

/* Every _select() there is, with the family it heeds and the class of it, or the family again. */
#define SELECTIONS(X)                                                                              \
    X(MATMUL, MATMUL, sl_matmul_select(isa, SL_F32, 64, 128, 128))                                 \
    X(MATMUL, MATMUL_SMALL, sl_matmul_select(isa, SL_F32, 2, 33, 64))                              \
    X(GEMV, GEMV, sl_matmul_select(isa, SL_F32, 1, 128, 128))                                      \
    X(GEMV, MATMUL_SMALL, sl_matmul_select(isa, SL_F32, 1, 33, 64))                                \
    X(MATMUL, MATMUL, sl_matmul_select(isa, SL_F16, 64, 128, 128))                                 \
    X(MATMUL, MATMUL_SMALL, sl_matmul_select(isa, SL_F16, 2, 33, 64))                              \
    X(GEMV, MATMUL_SMALL, sl_matmul_select(isa, SL_F16, 1, 128, 128))                              \
    X(GEMV, MATMUL_SMALL, sl_matmul_select(isa, SL_F16, 1, 33, 64))                                \
    X(MATMUL, MATMUL, sl_matmul_select(isa, SL_BF16, 64, 128, 128))                                \
    X(MATMUL, MATMUL_SMALL, sl_matmul_select(isa, SL_BF16, 2, 33, 64))                             \
    X(GEMV, GEMV, sl_matmul_select(isa, SL_BF16, 1, 128, 128))                                     \
    X(GEMV, MATMUL_SMALL, sl_matmul_select(isa, SL_BF16, 1, 33, 64))                               \
    X(MATMUL_INT8, MATMUL_INT8, sl_matmul_qs8_select(isa, 64, 128, 128))                           \
    X(MATMUL_INT8, MATMUL_INT8_SMALL, sl_matmul_qs8_select(isa, 2, 33, 64))                        \
    X(GEMV_INT8, GEMV_INT8, sl_matmul_qs8_select(isa, 1, 128, 128))                                \
    X(GEMV_INT8, MATMUL_INT8_SMALL, sl_matmul_qs8_select(isa, 1, 33, 64))                          \
    X(MATMUL_INT8, MATMUL_INT8, sl_matmul_qd8_select(isa, 64, 128, 128))                           \
    X(MATMUL_INT8, MATMUL_INT8_SMALL, sl_matmul_qd8_select(isa, 2, 33, 64))                        \
    X(GEMV_INT8, GEMV_INT8, sl_matmul_qd8_select(isa, 1, 128, 128))                                \
    X(GEMV_INT8, MATMUL_INT8_SMALL, sl_matmul_qd8_select(isa, 1, 33, 64))                          \
    X(MATMUL_INT8, MATMUL_INT8, sl_matmul_q4_select(isa, 64, 128, 128))                            \
    X(MATMUL_INT8, MATMUL_INT8_SMALL, sl_matmul_q4_select(isa, 2, 33, 64))                         \
    X(GEMV_INT8, GEMV_INT8, sl_matmul_q4_select(isa, 1, 128, 128))                                 \
    X(GEMV_INT8, MATMUL_INT8_SMALL, sl_matmul_q4_select(isa, 1, 33, 64))                           \
    X(CONV, CONV, sl_conv_select(isa, SL_F32, &conv))                                              \
    X(CONV, CONV_SMALL, sl_conv_select(isa, SL_F32, &small))                                       \
    X(CONV, CONV, sl_conv_select(isa, SL_F16, &conv))                                              \
    X(CONV, CONV_SMALL, sl_conv_select(isa, SL_F16, &small))                                       \
    X(CONV_INT8, CONV_INT8, sl_conv_qs8_select(isa, &conv))                                        \
    X(CONV_INT8, CONV_INT8_SMALL, sl_conv_qs8_select(isa, &small))                                 \
    X(DEPTHWISE, DEPTHWISE, sl_depthwise_select(isa, SL_F32, &depthwise))                          \
    X(DEPTHWISE, DEPTHWISE_F16, sl_depthwise_select(isa, SL_F16, &depthwise))                      \
    X(DEPTHWISE_INT8, DEPTHWISE_INT8, sl_depthwise_qs8_select(isa, &depthwise))                    \
    X(POOL, POOL, sl_pool_select(isa, SL_F32, SL_POOL_MAX))                                        \
    X(POOL, POOL, sl_pool_select(isa, SL_F16, SL_POOL_MAX))                                        \
    X(POOL_INT8, POOL_INT8, sl_pool_qs8_select(isa))                                               \
    X(UNARY, UNARY, sl_unary_select(isa, SL_F32, SL_UNARY_GELU))                                   \
    X(UNARY, UNARY, sl_unary_select(isa, SL_F16, SL_UNARY_GELU))                                   \
    X(UNARY_INT8, UNARY_INT8, sl_unary_qs8_select(isa, SL_UNARY_CLAMP))                            \
    X(BINARY, BINARY, sl_binary_select(isa, SL_F32, SL_BINARY_ADD))                                \
    X(BINARY, BINARY, sl_binary_select(isa, SL_F16, SL_BINARY_ADD))                                \
    X(BINARY_INT8, BINARY_INT8, sl_binary_qs8_select(isa, SL_BINARY_ADD))                          \
    X(REDUCE, REDUCE, sl_reduce_select(isa, SL_F32, SL_REDUCE_MEAN))                               \
    X(REDUCE, REDUCE, sl_reduce_select(isa, SL_F16, SL_REDUCE_MEAN))                               \
    X(REDUCE_INT8, REDUCE_INT8, sl_mean_qs8_select(isa))                                           \
    X(LAYOUT, LAYOUT, sl_transpose_select(isa))                                                    \
    X(LAYOUT, LAYOUT, sl_transpose_x16_select(isa))                                                \
    X(LAYOUT, LAYOUT, sl_transpose_x8_select(isa))                                                 \
    X(CONVERT, CONVERT, sl_convert_select(isa, SL_CONVERT_F32_QS8))                                \
    X(CONVERT, CONVERT, sl_quantise_select(isa))

enum { SELECTIONS_MAX = 64 };

struct selection {
    int family, class;
    const char *name;
    uint32_t needs;
};

static size_t select_all(uint32_t isa, struct selection *out)
{
    size_t count = 0;
#define TAKE(of, in, choice)                                                                       \
    out[count++] =                                                                                 \
        (struct selection){SL_POLICY_##of, SL_POLICY_##in, (choice)->name, (choice)->needs};
    SELECTIONS(TAKE)
#undef TAKE
    return count;
}

TEST(a_family_kept_out_takes_no_sme_kernel_and_no_other_changes)
{
    const uint32_t sme = SL_ISA_SME | SL_ISA_SME2, all = sl_isa_detect();
    struct selection with[SELECTIONS_MAX], without[SELECTIONS_MAX], kept[SELECTIONS_MAX];
    size_t count = select_all(all, with);
    select_all(all & ~sme, without);
    assert_true(count <= SELECTIONS_MAX);
    for (int family = 0; family < SL_POLICY_END; family++) {
        size_t of_family = 0;
        select_all(all | SL_POLICY_BIT(family), kept);
        for (size_t i = 0; i < count; i++) {
            bool is = kept[i].family == family || kept[i].class == family;
            assert_string_equal(kept[i].name, is ? without[i].name : with[i].name);
            assert_true(!is || (kept[i].needs & sme) == 0);
            of_family += is;
        }
        assert_true(of_family > 0); /* there is a kernel that heeds it */
    }
}

/* Large products and convolutions gain time in streaming mode; small ones, and what works on one
 * vector at a time, lose it. */
TEST(the_default_takes_sme_kernels_for_products_and_convolutions_alone)
{
    const uint32_t gain = SL_POLICY_BIT(SL_POLICY_MATMUL) | SL_POLICY_BIT(SL_POLICY_MATMUL_INT8) |
                          SL_POLICY_BIT(SL_POLICY_GEMV) | SL_POLICY_BIT(SL_POLICY_GEMV_INT8) |
                          SL_POLICY_BIT(SL_POLICY_CONV) | SL_POLICY_BIT(SL_POLICY_CONV_INT8);
    struct selection got[SELECTIONS_MAX];
    size_t count = select_all(sl_isa_detect() | sl_policy_default(), got);
    for (size_t i = 0; i < count; i++) {
        bool gains = (gain & SL_POLICY_BIT(got[i].family)) && (gain & SL_POLICY_BIT(got[i].class));
        bool streams = (got[i].needs & SL_ISA_SME2) != 0;
        assert_true(streams == (gains && (sl_isa_detect() & SL_ISA_SME2) != 0));
    }
}

TEST(a_product_is_small_by_its_work_and_by_what_it_leaves_empty_of_a_tile)
{
    assert_true(sl_policy_small(16, 16, 31) && !sl_policy_small(16, 16, 32));
    assert_true(sl_policy_small(1, 64, 127) && !sl_policy_small(1, 64, 128));
    assert_true(sl_policy_small(1000, 7, 1000) && !sl_policy_small(1000, 8, 1000));
    assert_true(sl_policy_small(1, 15, 10000) && !sl_policy_small(1, 16, 10000));
    assert_true(sl_policy_small_f16(1, 4096, 4096) && !sl_policy_small_f16(2, 4096, 4096));
    assert_true(sl_policy_small_f16(16, 16, 31) && !sl_policy_small_f16(16, 16, 32));
    assert_true(sl_policy_small_bf16(8, 512, 512) && !sl_policy_small_bf16(9, 512, 512));
    assert_true(sl_policy_small_bf16(64, 15, 512) && !sl_policy_small_bf16(64, 16, 512));
    assert_true(sl_policy_small_bf16(16, 16, 31) && !sl_policy_small_bf16(16, 16, 32));
    assert_true(sl_policy_small_bf16(1, 64, 127) && !sl_policy_small_bf16(1, 64, 128));
    assert_true(sl_policy_small_int8(8, 64, 127) && !sl_policy_small_int8(8, 64, 128));
    assert_true(sl_policy_small_int8(7, 1000, 1000) && !sl_policy_small_int8(8, 1000, 1000));
    assert_true(sl_policy_small_int8(1000, 15, 1000) && !sl_policy_small_int8(1000, 16, 1000));
    assert_true(sl_policy_small_int8(999, 999, 64) && !sl_policy_small_int8(999, 999, 65));
    assert_true(sl_policy_small_int8(1, 64, 127) && !sl_policy_small_int8(1, 64, 128));
    assert_true(sl_policy_small(0, 0, 0));                       /* nothing to do */
    assert_false(sl_policy_small(SIZE_MAX, SIZE_MAX, SIZE_MAX)); /* no product overflows */
    assert_true(sl_conv_is_small(&small) && !sl_conv_is_small(&conv));
}

TEST(names_are_parsed_and_written_as_they_are)
{
    char text[SL_POLICY_TEXT_BYTES], all[SL_POLICY_TEXT_BYTES];
    uint32_t every = 0;
    assert_int_equal(sl_policy_parse("default"), sl_policy_default());
    assert_int_equal(sl_policy_parse("none"), 0);
    assert_int_equal(sl_policy_parse("gemv,unary_int8"),
                     SL_POLICY_BIT(SL_POLICY_GEMV) | SL_POLICY_BIT(SL_POLICY_UNARY_INT8));
    for (int i = 0; i < SL_POLICY_END; i++) {
        every |= SL_POLICY_BIT(i);
        sl_policy_format(SL_POLICY_BIT(i) | SL_ISA_NEON, text);
        assert_string_equal(text, sl_policy_name(i));
        assert_int_equal(sl_policy_parse(text), SL_POLICY_BIT(i));
        assert_true(strlen(sl_policy_about(i)) > 0);
    }
    sl_policy_format(every, all);
    assert_true(strlen(all) < sizeof(all) - 1);
    assert_int_equal(sl_policy_parse(all), every);
    sl_policy_format(SL_ISA_NEON | SL_ISA_SME2, text);
    assert_string_equal(text, "none");
}

TEST(other_words_are_refused)
{
    static const char *const bad[] = {"",      "gemv,",     ",gemv", "conv_f32",
                                      "matmu", "matmul ",   "sme2",  "none,gemv",
                                      "gemv;", "default,x", "gem",   "gemv,,conv"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(sl_policy_parse(bad[i]), -1);
}

TEST(bits_of_the_policy_have_no_name_among_instructions)
{
    char text[64];
    sl_isa_format(SL_ISA_NEON | SL_POLICY_BIT(SL_POLICY_CONV), text, sizeof(text));
    assert_string_equal(text, "neon");
    sl_isa_format(SL_POLICY_BIT(SL_POLICY_CONV), text, sizeof(text));
    assert_string_equal(text, "portable");
}
