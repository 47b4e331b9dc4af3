/* common/format/pte_plan.c: one method: operators, delegates, chains of instructions. */
#include <inttypes.h>
#include <string.h>

#include "common/base/error.h"
#include "common/format/pte_parts.h"

/* Slots of the schema's tables. */
enum { PLAN_NAME = 0, PLAN_INPUTS = 3, PLAN_OUTPUTS = 4, PLAN_CHAINS = 5, PLAN_OPERATORS = 6 };
enum { PLAN_DELEGATES = 7, PLAN_BUFFER_SIZES = 8 };
enum { CHAIN_INSTRUCTIONS = 2 };
enum { INSTRUCTION_TYPE = 0, INSTRUCTION_CONTENT = 1 };
enum { DELEGATE_ID = 0, DELEGATE_PROCESSED = 1, DELEGATE_SPECS = 2 };
enum { PROCESSED_LOCATION = 0, PROCESSED_INDEX = 1 };
enum { LOCATION_INLINE = 0, LOCATION_SEGMENT = 1 };

static const struct sl_flatbuf_kind instruction_kind = {"Instruction", 2, {1, 4}};
/* Two numbers, or a number and the offset of arguments; a number alone. */
static const struct sl_flatbuf_kind call_kind = {"instruction's content", 2, {4, 4}};
static const struct sl_flatbuf_kind free_kind = {"FreeCall", 1, {4}};

static void read_buffer_sizes(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                              struct sl_pte_plan *plan)
{
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, PLAN_BUFFER_SIZES, 8);
    if (fb->error == 0 && !vector.present)
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "method %s plans no buffers", plan->name);
    uint32_t count = vector.count > 0 ? vector.count - 1 : 0; /* entry 0 is reserved */
    uint64_t *sizes = sl_flatbuf_alloc(fb, count, sizeof(*sizes));
    for (uint32_t i = 0; i < count && fb->error == 0; i++) {
        sizes[i] = sl_load_u64(fb->data + vector.at + 8 * (size_t)(i + 1));
        if (sizes[i] > INT64_MAX)
            sl_flatbuf_fail(fb, SL_E_FORMAT, vector.at,
                            "planned buffer %" PRIu32 " has a negative size", i + 1);
    }
    plan->buffer_bytes = sizes;
    plan->buffer_count = count;
}

/* Value indices, where they stand or a copy of them. */
static const uint32_t *take_indices(struct sl_flatbuf *fb, const struct sl_flatbuf_vector *vector,
                                    const struct sl_pte_plan *plan, uint32_t *out_count)
{
    const uint32_t *indices = sl_flatbuf_numbers(fb, vector, sizeof(*indices)), *first = NULL;
    for (uint32_t i = 0; indices && i < vector->count; i++)
        if (indices[i] >= plan->value_count) {
            first = &indices[i];
            break;
        }
    if (first)
        sl_flatbuf_fail(fb, SL_E_FORMAT, vector->at + 4 * (uint64_t)(first - indices),
                        "there is no value %" PRId32 " (the method has %" PRIu32 ")",
                        (int32_t)*first, plan->value_count);
    *out_count = vector->count;
    return indices;
}

static const uint32_t *read_indices(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                                    unsigned slot, const struct sl_pte_plan *plan,
                                    uint32_t *out_count)
{
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, slot, 4);
    return take_indices(fb, &vector, plan, out_count);
}

static void read_operators(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                           struct sl_pte_plan *plan)
{
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, PLAN_OPERATORS, 4);
    struct sl_pte_operator *operators = sl_flatbuf_alloc(fb, vector.count, sizeof(*operators));
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        struct sl_flatbuf_table element = sl_flatbuf_element(fb, &vector, i, "Operator");
        struct sl_bytes name = sl_flatbuf_string(fb, &element, 0);
        struct sl_bytes overload = sl_flatbuf_string(fb, &element, 1);
        size_t dot = overload.size > 0 ? 1 : 0;
        if (fb->error != 0)
            return;
        if (name.size == 0 || name.size > SL_PTE_MAX_OPERATOR_NAME ||
            overload.size > SL_PTE_MAX_OPERATOR_NAME - name.size ||
            name.size + dot + overload.size > SL_PTE_MAX_OPERATOR_NAME) {
            sl_flatbuf_fail(fb, SL_E_FORMAT, element.at,
                            "operator %" PRIu32 " has no name or one of more than %d characters", i,
                            SL_PTE_MAX_OPERATOR_NAME);
            return;
        }
        char *joined = sl_flatbuf_alloc(fb, name.size + dot + overload.size + 1, 1);
        if (!joined)
            return;
        memcpy(joined, name.data, name.size);
        if (dot) {
            joined[name.size] = '.';
            memcpy(joined + name.size + 1, overload.data, overload.size);
        }
        operators[i].name = joined;
    }
    plan->operators = operators;
    plan->operator_count = vector.count;
}

static void read_specs(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                       struct sl_pte_delegate *delegate)
{
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, DELEGATE_SPECS, 4);
    struct sl_pte_compile_spec *specs = sl_flatbuf_alloc(fb, vector.count, sizeof(*specs));
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        struct sl_flatbuf_table element = sl_flatbuf_element(fb, &vector, i, "CompileSpec");
        struct sl_flatbuf_vector value = sl_flatbuf_vector(fb, &element, 1, 1);
        specs[i].key = sl_flatbuf_text(fb, &element, 0);
        if (fb->error == 0 && !specs[i].key)
            sl_flatbuf_fail(fb, SL_E_FORMAT, element.at, "a compile spec has no key");
        specs[i].value = (struct sl_bytes){value.present ? fb->data + value.at : NULL, value.count};
    }
    delegate->specs = specs;
    delegate->spec_count = vector.count;
}

static void read_blob(struct sl_pte_reader *reader, const struct sl_flatbuf_table *table,
                      struct sl_pte_delegate *delegate)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_flatbuf_table processed =
        sl_flatbuf_child(fb, table, DELEGATE_PROCESSED, "BackendDelegateDataReference");
    unsigned location = sl_flatbuf_u8(fb, &processed, PROCESSED_LOCATION, LOCATION_INLINE);
    uint32_t index = sl_flatbuf_u32(fb, &processed, PROCESSED_INDEX, 0);
    uint32_t limit = location == LOCATION_INLINE    ? reader->inline_blobs.count
                     : location == LOCATION_SEGMENT ? reader->segment_count
                                                    : 0;
    if (fb->error == 0 && (processed.at == 0 || index >= limit))
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "the data of a delegate is not in the file");
    if (fb->error != 0)
        return;
    if (location == LOCATION_SEGMENT) {
        delegate->blob = reader->segments[index].bytes;
        delegate->blob_offset = reader->segments[index].offset;
        return;
    }
    struct sl_flatbuf_table holder =
        sl_flatbuf_element(fb, &reader->inline_blobs, index, "BackendDelegateInlineData");
    struct sl_flatbuf_vector data = sl_flatbuf_vector(fb, &holder, 0, 1);
    delegate->blob = (struct sl_bytes){fb->data + data.at, data.count};
    delegate->blob_offset = data.at;
}

static void read_delegates(struct sl_pte_reader *reader, const struct sl_flatbuf_table *table,
                           struct sl_pte_plan *plan)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, PLAN_DELEGATES, 4);
    struct sl_pte_delegate *delegates = sl_flatbuf_alloc(fb, vector.count, sizeof(*delegates));
    if (fb->error == 0 && !vector.present)
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "method %s has no list of delegates",
                        plan->name);
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        struct sl_flatbuf_table element = sl_flatbuf_element(fb, &vector, i, "BackendDelegate");
        delegates[i].id = sl_flatbuf_text(fb, &element, DELEGATE_ID);
        if (fb->error == 0 && !delegates[i].id)
            sl_flatbuf_fail(fb, SL_E_FORMAT, element.at, "delegate %" PRIu32 " has no name", i);
        read_blob(reader, &element, &delegates[i]);
        read_specs(fb, &element, &delegates[i]);
    }
    plan->delegates = delegates;
    plan->delegate_count = vector.count;
}

/* The two numbers that every kind of instruction but calls consists of. */
static void read_operands(struct sl_flatbuf *fb, const struct sl_flatbuf_record *content,
                          const struct sl_pte_plan *plan, uint32_t instruction_count,
                          struct sl_pte_instruction *out)
{
    uint32_t first = sl_flatbuf_record_u32(content, 0);
    uint32_t second = out->kind == SL_PTE_FREE_CALL ? 0 : sl_flatbuf_record_u32(content, 1);
    bool ok = first < plan->value_count;
    if (out->kind == SL_PTE_FREE_CALL) {
        out->index = first;
    } else {
        out->from = first;
        out->to = second;
        /* A jump right behind the last instruction ends the chain. */
        ok = ok && (out->kind == SL_PTE_MOVE_CALL ? second < plan->value_count
                                                  : second <= instruction_count);
    }
    if (!ok)
        sl_flatbuf_fail(fb, SL_E_FORMAT, content->at,
                        "an instruction names a value or a destination that is not there");
}

static void read_call(struct sl_flatbuf *fb, const struct sl_flatbuf_record *content,
                      const struct sl_pte_plan *plan, struct sl_pte_instruction *out)
{
    bool kernel = out->kind == SL_PTE_KERNEL_CALL;
    out->index = sl_flatbuf_record_u32(content, 0);
    if (out->index >= (kernel ? plan->operator_count : plan->delegate_count))
        sl_flatbuf_fail(fb, SL_E_FORMAT, content->at,
                        "an instruction calls %s %" PRIu32 ", which is not there",
                        kernel ? "operator" : "delegate", out->index);
    struct sl_flatbuf_vector args = sl_flatbuf_record_vector(fb, content, &call_kind, 1, 4);
    out->args = take_indices(fb, &args, plan, &out->arg_count);
}

static void read_instruction(struct sl_pte_reader *reader, const struct sl_flatbuf_record *from,
                             const struct sl_pte_plan *plan, uint32_t instruction_count,
                             struct sl_pte_instruction *out)
{
    struct sl_flatbuf *fb = &reader->fb;
    out->kind = sl_flatbuf_record_u8(from, INSTRUCTION_TYPE);
    unsigned field = from->layout->at[INSTRUCTION_CONTENT];
    if (field == 0 || out->kind < SL_PTE_KERNEL_CALL || out->kind > SL_PTE_FREE_CALL) {
        sl_flatbuf_fail(fb, SL_E_FORMAT, from->at, "an instruction has unknown kind %d", out->kind);
        return;
    }
    bool frees = out->kind == SL_PTE_FREE_CALL;
    struct sl_flatbuf_record content =
        sl_flatbuf_record_at(fb, (uint64_t)from->at + field, frees ? &free_kind : &call_kind,
                             frees ? &reader->of_free : &reader->of_call);
    if (!content.data)
        return;
    if (out->kind == SL_PTE_KERNEL_CALL || out->kind == SL_PTE_DELEGATE_CALL)
        read_call(fb, &content, plan, out);
    else
        read_operands(fb, &content, plan, instruction_count, out);
}

static void read_chains(struct sl_pte_reader *reader, const struct sl_flatbuf_table *table,
                        struct sl_pte_plan *plan)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, PLAN_CHAINS, 4);
    struct sl_pte_chain *chains = sl_flatbuf_alloc(fb, vector.count, sizeof(*chains));
    if (fb->error == 0 && vector.count == 0)
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "method %s has no instructions", plan->name);
    for (uint32_t c = 0; c < vector.count && fb->error == 0; c++) {
        struct sl_flatbuf_table chain = sl_flatbuf_element(fb, &vector, c, "Chain");
        struct sl_flatbuf_vector list = sl_flatbuf_vector(fb, &chain, CHAIN_INSTRUCTIONS, 4);
        struct sl_pte_instruction *instructions =
            sl_flatbuf_alloc(fb, list.count, sizeof(*instructions));
        for (uint32_t i = 0; i < list.count && fb->error == 0; i++) {
            struct sl_flatbuf_record element = sl_flatbuf_record_at(
                fb, list.at + 4 * (uint64_t)i, &instruction_kind, &reader->of_instruction);
            if (element.data)
                read_instruction(reader, &element, plan, list.count, &instructions[i]);
        }
        chains[c] = (struct sl_pte_chain){list.count, instructions};
    }
    plan->chains = chains;
    plan->chain_count = vector.count;
}

void sl_pte_read_plan(struct sl_pte_reader *reader, const struct sl_flatbuf_table *table,
                      struct sl_pte_plan *plan)
{
    struct sl_flatbuf *fb = &reader->fb;
    plan->name = sl_flatbuf_text(fb, table, PLAN_NAME);
    if (fb->error == 0 && !plan->name)
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "a method has no name");
    if (fb->error != 0)
        return;
    read_buffer_sizes(fb, table, plan);
    sl_pte_read_values(reader, table, plan);
    plan->inputs = read_indices(fb, table, PLAN_INPUTS, plan, &plan->input_count);
    plan->outputs = read_indices(fb, table, PLAN_OUTPUTS, plan, &plan->output_count);
    read_operators(fb, table, plan);
    read_delegates(reader, table, plan);
    read_chains(reader, table, plan);
}
