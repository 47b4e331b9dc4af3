/* tests/unit/kernels/cpu/test_isa.c */
#include <stdint.h>

#include "tests/support/test.h"

#include "kernels/cpu/isa.h"
#include "kernels/cpu/sve.h"

static const uint32_t all = SL_ISA_NEON | SL_ISA_FP16 | SL_ISA_SME | SL_ISA_SME2;

TEST(words_give_their_masks)
{
    assert_int_equal(sl_isa_parse("sme2", all), all);
    assert_int_equal(sl_isa_parse("nosme2", all), SL_ISA_NEON | SL_ISA_FP16);
    assert_int_equal(sl_isa_parse("neon", all), SL_ISA_NEON);
    assert_int_equal(sl_isa_parse("portable", all), SL_ISA_NONE);
    assert_int_equal(sl_isa_parse("neon,sme", all), SL_ISA_NEON | SL_ISA_SME);
    assert_int_equal(sl_isa_parse("sve,neon", all | SL_ISA_SVE), SL_ISA_NEON | SL_ISA_SVE);
}

TEST(unknown_words_are_refused)
{
    assert_int_equal(sl_isa_parse("", all), -1);
    assert_int_equal(sl_isa_parse("neon,", all), -1);
    assert_int_equal(sl_isa_parse(",neon", all), -1);
    assert_int_equal(sl_isa_parse("sme3", all), -1);
    assert_int_equal(sl_isa_parse("neo", all), -1);
}

TEST(bits_the_cpu_lacks_are_refused)
{
    assert_int_equal(sl_isa_parse("neon,bf16", all), -2);
    assert_int_equal(sl_isa_parse("sme2", SL_ISA_NEON), -2);
    assert_int_equal(sl_isa_parse("neon", SL_ISA_NONE), -2);
    assert_int_equal(sl_isa_parse("nosme2", SL_ISA_NONE), SL_ISA_NONE);
}

TEST(format_lists_the_bits_and_stops_at_the_size)
{
    char text[64], small[6];
    sl_isa_format(all, text, sizeof(text));
    assert_string_equal(text, "neon,fp16,sme,sme2");
    sl_isa_format(SL_ISA_NONE, text, sizeof(text));
    assert_string_equal(text, "portable");
    sl_isa_format(all, small, sizeof(small));
    assert_string_equal(small, "neon,");
    sl_isa_format(all, small, 0);
    assert_string_equal(small, "neon,");
}

TEST(what_is_detected_is_consistent)
{
    uint32_t isa = sl_isa_detect();
    assert_int_equal((isa & SL_ISA_SME) != 0, sl_isa_svl_bytes() > 0);
    assert_true((isa & SL_ISA_SME) || !(isa & SL_ISA_SME2));
#if defined(__aarch64__)
    assert_true(isa & SL_ISA_NEON);
#else
    assert_int_equal(isa, SL_ISA_NONE);
#endif
}
