/* agent/runtime/state.c */
#include "agent/runtime/state.h"

#include <stdbool.h>
#include <string.h>

#include "common/format/pte.h"

enum {
    INPUT = 2,
    RETURNED = 4, /* by a kernel, anywhere in the plan */
    WRITTEN = 8,  /* so far */
};

static bool is_planned(const struct sl_pte_plan *plan, uint32_t value)
{
    return plan->values[value].kind == SL_PTE_TENSOR && plan->values[value].tensor->planned;
}

/* Items of a list of tensors; 0 of any other value. */
static uint32_t item_count(const struct sl_pte_plan *plan, uint32_t value)
{
    int kind = plan->values[value].kind;
    return kind == SL_PTE_TENSOR_LIST || kind == SL_PTE_OPTIONAL_TENSOR_LIST
               ? plan->values[value].list.count
               : 0;
}

/* False where the list has nothing in that place. */
static bool item(const struct sl_pte_plan *plan, uint32_t value, uint32_t i, uint32_t *out)
{
    int64_t index = plan->values[value].list.ints[i];
    *out = (uint32_t)index;
    return index >= 0 && (uint64_t)index < plan->value_count;
}

static void read_value(const struct sl_pte_plan *plan, uint32_t value, uint8_t *marks)
{
    if ((marks[value] & (INPUT | WRITTEN)) == 0 && is_planned(plan, value))
        marks[value] |= SL_STATE_KEEPS;
}

static void read_items(const struct sl_pte_plan *plan, uint32_t list, uint8_t *marks)
{
    uint32_t one;
    for (uint32_t i = 0; i < item_count(plan, list); i++)
        if (item(plan, list, i, &one))
            read_value(plan, one, marks);
}

static void write_items(const struct sl_pte_plan *plan, uint32_t list, uint8_t *marks)
{
    uint32_t one;
    for (uint32_t i = 0; i < item_count(plan, list); i++)
        if (item(plan, list, i, &one))
            marks[one] |= WRITTEN;
}

/* A kernel's last argument is what it returns: a tensor, or a list of them. */
static void follow_kernel(const struct sl_pte_plan *plan, const struct sl_pte_instruction *one,
                          uint8_t *marks)
{
    uint32_t last = one->arg_count > 0 ? one->args[one->arg_count - 1] : 0;
    /* It returns what it was given, with some elements written. */
    bool partly = strcmp(plan->operators[one->index].name, "aten::index_put_") == 0;
    for (uint32_t k = 0; k < one->arg_count; k++) {
        if (one->args[k] == last && !partly)
            continue;
        read_value(plan, one->args[k], marks);
        read_items(plan, one->args[k], marks);
    }
    if (one->arg_count > 0) {
        marks[last] |= WRITTEN;
        write_items(plan, last, marks);
    }
}

/* It does not say what it writes: what a kernel returns elsewhere is an argument that it reads, any
 * other is its own. */
static void follow_delegate(const struct sl_pte_plan *plan, const struct sl_pte_instruction *one,
                            uint8_t *marks)
{
    for (uint32_t k = 0; k < one->arg_count; k++) {
        if (marks[one->args[k]] & RETURNED)
            read_value(plan, one->args[k], marks);
        marks[one->args[k]] |= WRITTEN;
    }
}

static void follow(const struct sl_pte_plan *plan, const struct sl_pte_instruction *one,
                   uint8_t *marks)
{
    if (one->kind == SL_PTE_KERNEL_CALL)
        follow_kernel(plan, one, marks);
    else if (one->kind == SL_PTE_DELEGATE_CALL)
        follow_delegate(plan, one, marks);
    else if (one->kind == SL_PTE_MOVE_CALL)
        marks[one->to] |= WRITTEN;
}

void sl_state_find(const struct sl_pte_plan *plan, uint8_t *marks)
{
    for (uint32_t i = 0; i < plan->input_count; i++)
        marks[plan->inputs[i]] |= INPUT;
    for (uint32_t v = 0; v < plan->value_count; v++)
        if (is_planned(plan, v) &&
            (plan->values[v].tensor->external || plan->values[v].tensor->data_buffer_idx != 0))
            marks[v] |= SL_STATE_KEEPS;
    for (uint32_t c = 0; c < plan->chain_count; c++)
        for (uint32_t i = 0; i < plan->chains[c].count; i++) {
            const struct sl_pte_instruction *one = &plan->chains[c].instructions[i];
            if (one->kind == SL_PTE_KERNEL_CALL && one->arg_count > 0)
                marks[one->args[one->arg_count - 1]] |= RETURNED;
        }
    for (uint32_t c = 0; c < plan->chain_count; c++)
        for (uint32_t i = 0; i < plan->chains[c].count; i++)
            follow(plan, &plan->chains[c].instructions[i], marks);
}
