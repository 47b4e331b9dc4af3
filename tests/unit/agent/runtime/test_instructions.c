/* tests/unit/agent/runtime/test_instructions.c: jumps, moves, and operands that are refused. */
#include <math.h>
#include <string.h>

#include "common/format/scalar_type.h"
#include "kernels/cpu/isa.h"
#include "tests/support/program_case.h"
#include "tests/support/test.h"

TEST(jump_backwards_for_ever_is_stopped)
{
    sl_program_begin();
    sl_program.code[0] = (struct sl_pte_instruction){
        .kind = SL_PTE_JUMP_FALSE_CALL, .from = sl_program_add_bool(false), .to = 0};
    sl_program.chain.count = 1;
    assert_int_equal(sl_program_load(SL_ISA_NONE), 0);
    assert_int_equal(sl_program_execute(), SL_ET_INVALID_PROGRAM);
    assert_string_equal(sl_program.diag.what, "the method ran more than 1000 instructions");
    sl_program_end();
}

TEST(jump_skips_and_move_renames)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(4)), y = sl_program_add_tensor(SL_SIZES(4)),
             z = sl_program_add_tensor(SL_SIZES(4));
    uint32_t in = sl_program_add_tensor(SL_SIZES(4)), no = sl_program_add_bool(false);
    sl_program_add_call("aten::relu.out", SL_ARGS(in, z));
    sl_program_add_call("aten::relu.out", SL_ARGS(y, z));
    sl_program.code[2] = sl_program.code[1]; /* skipped */
    sl_program.code[1] =
        (struct sl_pte_instruction){.kind = SL_PTE_JUMP_FALSE_CALL, .from = no, .to = 3};
    sl_program.code[3] = (struct sl_pte_instruction){.kind = SL_PTE_MOVE_CALL, .from = x, .to = in};
    sl_program.code[4] = (struct sl_pte_instruction){.kind = SL_PTE_FREE_CALL, .index = y};
    sl_program.chain.count = 5;
    sl_program_run();
    for (size_t i = 0; i < 4; i++)
        sl_program_check_float(sl_program_floats(z)[i],
                               fmax((double)sl_program_sample(i + in), 0.0));
    assert_ptr_equal(sl_method_tensor(sl_program.method, in),
                     sl_method_tensor(sl_program.method, x));
    assert_int_equal(sl_program_execute(), 0); /* now the first instruction reads x */
    for (size_t i = 0; i < 4; i++)
        sl_program_check_float(sl_program_floats(z)[i], fmax((double)sl_program_floats(x)[i], 0.0));
    sl_program_end();
}

TEST(operand_of_another_type_fails_at_load_by_name)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(2, 2)), y = sl_program_add_tensor(SL_SIZES(2, 1)),
             places = sl_program_add_typed(SL_SCALAR_INT, SL_SIZES(2, 1), true);
    uint32_t one = sl_program_add_int(1), yes = sl_program_add_bool(true);
    sl_program_add_call("aten::topk.values", SL_ARGS(x, one, one, yes, yes, y, places));
    assert_int_equal(sl_program_load(SL_ISA_NONE), SL_ET_OPERATOR_MISSING);
    assert_non_null(strstr(sl_program.log, "Missing operator: [0] aten::topk.values"));
    assert_non_null(strstr(sl_program.log, "type Int"));
    assert_string_equal(sl_program.diag.where, "operator aten::topk.values");
    sl_program_end();
}

TEST(hostile_operands_are_refused)
{
    sl_program_begin(); /* output over half of the input */
    uint32_t x = sl_program_add_tensor(SL_SIZES(64)), y = sl_program_add_tensor(SL_SIZES(64));
    sl_program.tensors[y].memory_offset = 128;
    sl_program_add_call("aten::relu.out", SL_ARGS(x, y));
    assert_int_equal(sl_program_load(SL_ISA_NONE), 0);
    assert_int_equal(sl_program_execute(), SL_ET_INVALID_PROGRAM);
    sl_program_end();
    sl_program_begin(); /* a constant as output */
    x = sl_program_add_tensor(SL_SIZES(4));
    sl_program_add_call("aten::relu.out", SL_ARGS(x, sl_program_add_constant(SL_SIZES(4))));
    assert_int_equal(sl_program_load(SL_ISA_NONE), SL_ET_OPERATOR_MISSING);
    sl_program_end();
    sl_program_begin(); /* an output without memory */
    x = sl_program_add_tensor(SL_SIZES(4));
    sl_program_add_call("aten::relu.out",
                        SL_ARGS(x, sl_program_add_typed(SL_SCALAR_FLOAT, SL_SIZES(4), false)));
    assert_int_equal(sl_program_load(SL_ISA_NONE), 0);
    assert_int_equal(sl_program_execute(), SL_ET_INVALID_PROGRAM);
    sl_program_end();
    sl_program_begin(); /* an output of another shape */
    x = sl_program_add_tensor(SL_SIZES(4));
    sl_program_add_call("aten::relu.out", SL_ARGS(x, sl_program_add_tensor(SL_SIZES(5))));
    assert_int_equal(sl_program_load(SL_ISA_NONE), SL_ET_NOT_SUPPORTED);
    sl_program_end();
}
