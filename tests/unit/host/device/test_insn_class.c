#include <stdint.h>

#include "tests/support/test.h"

#include "host/device/insn_class.h"

TEST(outer_products_of_every_type_are_outer)
{
    static const uint32_t words[] = {
        0x80812000 /* fmopa za0.s, f32 */,
        0x80812013 /* fmops */,
        0x81a12000 /* f16 */,
        0x81812000 /* bfmopa */,
        0xa0812000 /* smopa */,
        0xa1a12000 /* umopa */,
        0xa1812000 /* usmopa */,
        0xa0812008 /* smopa 2-way */,
        0x80c12000 /* f64 */,
        0x80812008 /* bmopa */,
        0xa0c12000 /* smopa za.d */,
    };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        assert_int_equal(sl_insn_classify(words[i]), SL_INSN_OUTER);
}

TEST(smstart_is_told_from_smstop)
{
    assert_int_equal(sl_insn_classify(0xd503477f), SL_INSN_SMSTART);
    assert_int_equal(sl_insn_classify(0xd503437f), SL_INSN_SMSTART);
    assert_int_equal(sl_insn_classify(0xd503457f), SL_INSN_SMSTART);
    assert_int_equal(sl_insn_classify(0xd503467f), SL_INSN_ANY);
    assert_int_equal(sl_insn_classify(0xd503427f), SL_INSN_ANY);
    assert_int_equal(sl_insn_classify(0xd503447f), SL_INSN_ANY);
}

TEST(multiply_accumulates_of_neon_sve_and_za_are_macs)
{
    static const uint32_t words[] = {
        0x4e22cc20, 0x4e62cc20, 0x4ea2cc20, 0x4fbf1820, 0x4fbf5820, 0x4e420c20, 0x4f321820,
        0x4e22ec20, 0x4e829420, 0x4fa2e820, 0x6e829420, 0x4e829c20, 0x4e82a420, 0x6e42ec20,
        0x6e42fc20, 0x4ea29420, 0x65a20020, 0x65a22020, 0x65a28020, 0x64ba0020, 0x65620020,
        0x44820020, 0xc1341800, 0xc1241800, 0xc1a51800, 0xc1a41800, 0xc1548c00, 0xc1540c00,
        0xc1341808, 0xc1a51808, 0xc1548c10, 0xc13f7b87, 0xc1bd7b87, 0xc15fef87, 0xc1341400,
    };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        assert_int_equal(sl_insn_classify(words[i]), SL_INSN_VECTOR_MAC);
}

TEST(other_instructions_have_no_class)
{
    static const uint32_t words[] = {
        0xd503201f /* nop */,  0xd65f03c0 /* ret */,    0x4e22d420 /* fadd */,
        0x6e22dc20 /* fmul */, 0xc1a11c10 /* add za */, 0xc1a11c00 /* fadd za */,
        0xa9b67bfd /* stp */,  0x1f010800 /* fmadd */,  0xa540a000 /* ld1w */,
    };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        assert_int_equal(sl_insn_classify(words[i]), SL_INSN_ANY);
}
