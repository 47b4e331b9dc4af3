/* tests/unit/host/analysis/test_insn_work.c: a few of each kind;
 * tests/integration/test_insn_work.py has every instruction of the agent. */
#include "host/analysis/insn_work.h"

#include "tests/support/test.h"

static void expect(uint32_t word, int work, unsigned units)
{
    struct sl_insn_work got = sl_insn_work(word);
    if (got.work != work || got.units != units)
        fail_msg("%08x is %s %u, expected %s %u", word, sl_work_name(got.work), got.units,
                 sl_work_name(work), units);
}

TEST(outer_products_are_told_by_their_types)
{
    expect(0x80812000, SL_WORK_OUTER_F32, 1);
    expect(0x80c12000, SL_WORK_OUTER_F64, 1);
    expect(0x81a12000, SL_WORK_OUTER_F16, 1);
    expect(0x81812000, SL_WORK_OUTER_F16, 1);
    expect(0xa0812000, SL_WORK_OUTER_I8, 1);
    expect(0xa0812008, SL_WORK_OUTER_I16, 1);
    expect(0xa0c12000, SL_WORK_OUTER_I16_I64, 1);
}

TEST(za_sums_are_told_by_vectors_and_by_16_bit_floats)
{
    expect(0xc1201800, SL_WORK_ZA_MAC_2, 1);   /* fmla vgx2 */
    expect(0xc1508200, SL_WORK_ZA_MAC_4, 1);   /* fmla vgx4 by element */
    expect(0xc1509208, SL_WORK_ZA_DOT16_4, 1); /* fdot */
    expect(0xc1509220, SL_WORK_ZA_MAC_4, 1);   /* sdot */
    expect(0xc1320a00, SL_WORK_ZA_DOT16_4, 1); /* fmlal vgx4 */
}

TEST(loads_and_stores_count_registers)
{
    expect(0xa048c050, SL_WORK_Z_LOAD_4, 1);
    expect(0xa029c470, SL_WORK_Z_STORE, 4);
    expect(0xe01f0020, SL_WORK_ZA_LOAD, 1);
    expect(0xad4006c0, SL_WORK_LOAD, 2);
    expect(0x3c8f8d20, SL_WORK_STORE, 1);
    expect(0x4c9f4980, SL_WORK_STORE, 3);
}

TEST(switches_of_streaming_mode_are_not_those_of_za)
{
    expect(0xd503437f, SL_WORK_SM_START, 1);
    expect(0xd503477f, SL_WORK_SM_START, 1);
    expect(0xd503427f, SL_WORK_SM_STOP, 1);
    expect(0xd503467f, SL_WORK_SM_STOP, 1);
    expect(0xd503457f, SL_WORK_ZA_SWITCH, 1);
    expect(0xd503447f, SL_WORK_ZA_SWITCH, 1);
}

TEST(what_is_in_no_line_is_unclassified)
{
    expect(0x00000000, SL_WORK_UNCLASSIFIED, 1);
    expect(0xd9600000, SL_WORK_UNCLASSIFIED, 1); /* ldg */
}
