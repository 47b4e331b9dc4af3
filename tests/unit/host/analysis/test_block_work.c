/* tests/unit/host/analysis/test_block_work.c */
#include "host/analysis/block_work.h"

#include "tests/support/test.h"

#define FMOPA_0 0x80812000
#define FMOPA_1 0x80812001
#define FMLA_V0 0x4e22cc20
#define FMLA_V1 0x4e22cc21
#define MOVI_V0 0x6f00e400
#define ADD 0x91000400
#define B_NE_BACK_3 0x54ffffa1
#define B_NE_BACK_4 0x54ffff81

TEST(a_block_is_the_sum_of_its_instructions)
{
    static const uint32_t words[] = {FMOPA_0, FMOPA_1, ADD, 0xad4006c0};
    struct sl_block_work work;
    sl_block_work_make(words, 4, 0x1000, &work);
    assert_int_equal(work.insns, 4);
    assert_int_equal(work.units[SL_WORK_OUTER_F32], 2);
    assert_int_equal(work.units[SL_WORK_LOAD], 2);
    assert_int_equal(work.chain[SL_WORK_OUTER_F32], 0); /* no loop */
}

TEST(a_loop_has_the_chain_of_its_busiest_accumulator)
{
    static const uint32_t words[] = {FMOPA_0, FMOPA_0, FMOPA_1, B_NE_BACK_3};
    struct sl_block_work work;
    sl_block_work_make(words, 4, 0x1000, &work);
    assert_int_equal(work.chain[SL_WORK_OUTER_F32], 2);
}

TEST(a_branch_elsewhere_is_no_loop)
{
    static const uint32_t words[] = {FMOPA_0, FMOPA_0, FMOPA_1, B_NE_BACK_4};
    struct sl_block_work work;
    sl_block_work_make(words, 4, 0x1000, &work);
    assert_int_equal(work.chain[SL_WORK_OUTER_F32], 0);
}

TEST(a_sum_that_begins_anew_in_the_loop_waits_for_nothing)
{
    static const uint32_t words[] = {MOVI_V0, FMLA_V0, FMLA_V0, FMLA_V1, B_NE_BACK_4};
    struct sl_block_work work;
    sl_block_work_make(words, 5, 0x1000, &work);
    assert_int_equal(work.chain[SL_WORK_NEON_MAC], 1); /* v1's */
}

TEST(no_instructions_are_no_work)
{
    struct sl_block_work work;
    sl_block_work_make(NULL, 0, 0, &work);
    assert_int_equal(work.insns, 0);
}
