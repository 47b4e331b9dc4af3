/* tests/unit/agent/runtime/test_state.c */
#include "agent/runtime/state.h"

#include "common/format/pte.h"
#include "tests/support/test.h"

/* 0: input, 1: state, 2: scratch, 3: output, 4: state that begins with bytes, 5: state of a
 * delegate, 6: state in a list with the input, 7: that list, 8: state that is written in part */
static const struct sl_pte_tensor planned = {.planned = true};
static const struct sl_pte_tensor filled = {.planned = true, .data_buffer_idx = 3};
static const int64_t joined[] = {6, 0};
static const struct sl_pte_value values[] = {
    {.kind = SL_PTE_TENSOR, .tensor = &planned},
    {.kind = SL_PTE_TENSOR, .tensor = &planned},
    {.kind = SL_PTE_TENSOR, .tensor = &planned},
    {.kind = SL_PTE_TENSOR, .tensor = &planned},
    {.kind = SL_PTE_TENSOR, .tensor = &filled},
    {.kind = SL_PTE_TENSOR, .tensor = &planned},
    {.kind = SL_PTE_TENSOR, .tensor = &planned},
    {.kind = SL_PTE_TENSOR_LIST, .list = {.count = 2, .ints = joined}},
    {.kind = SL_PTE_TENSOR, .tensor = &planned}};
static const struct sl_pte_operator operators[] = {{.name = "aten::add.out"},
                                                   {.name = "aten::index_put_"}};
static const uint32_t add[] = {0, 1, 2, 2}; /* scratch = input + state */
static const uint32_t keep[] = {1, 2, 1};   /* state = scratch */
static const uint32_t call[] = {2, 5, 3};   /* a delegate reads scratch and its state */
static const uint32_t store[] = {5, 3, 5};  /* its state = output */
static const uint32_t join[] = {7, 2};      /* scratch = state beside input */
static const uint32_t shift[] = {2, 6};     /* that state = scratch */
static const uint32_t put[] = {8, 2, 8};    /* some elements of a state = scratch */
static const struct sl_pte_instruction instructions[] = {
    {.kind = SL_PTE_KERNEL_CALL, .args = add, .arg_count = 4},
    {.kind = SL_PTE_KERNEL_CALL, .args = keep, .arg_count = 3},
    {.kind = SL_PTE_DELEGATE_CALL, .args = call, .arg_count = 3},
    {.kind = SL_PTE_KERNEL_CALL, .args = store, .arg_count = 3},
    {.kind = SL_PTE_KERNEL_CALL, .args = join, .arg_count = 2},
    {.kind = SL_PTE_KERNEL_CALL, .args = shift, .arg_count = 2},
    {.kind = SL_PTE_KERNEL_CALL, .index = 1, .args = put, .arg_count = 3}};

TEST(what_is_read_before_it_is_written_keeps_state)
{
    static const uint32_t inputs[] = {0};
    const struct sl_pte_chain chain = {.count = 7, .instructions = instructions};
    const struct sl_pte_plan plan = {.value_count = 9,
                                     .operators = operators,
                                     .operator_count = 2,
                                     .values = values,
                                     .inputs = inputs,
                                     .input_count = 1,
                                     .chains = &chain,
                                     .chain_count = 1};
    static const bool keeps[] = {false, true, false, false, true, true, true, false, true};
    uint8_t marks[9] = {0};
    sl_state_find(&plan, marks);
    for (int i = 0; i < 9; i++)
        assert_int_equal((marks[i] & SL_STATE_KEEPS) != 0, keeps[i]);
}
