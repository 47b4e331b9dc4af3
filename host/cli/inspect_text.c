/* host/cli/inspect_text.c */
#include "host/cli/inspect_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/format/sltrace.h"
#include "host/inspect/inspect.h"
#include "host/inspect/sum.h"
#include "host/inspect/why.h"
#include "host/report/doc.h"
#include "host/report/style.h"
#include "host/report/table.h"
#include "host/report/unit.h"

enum { FIGURE_BYTES = 32 };

static const char *figure(char out[FIGURE_BYTES], uint64_t value)
{
    return sl_unit_format(out, FIGURE_BYTES, (double)value, SL_TRACE_INSTRUCTIONS);
}

static const char *bytes(char out[FIGURE_BYTES], uint64_t value)
{
    if (value < 1000)
        snprintf(out, FIGURE_BYTES, "%" PRIu64 " B", value);
    else if (value < 1000000)
        snprintf(out, FIGURE_BYTES, "%.1f kB", (double)value / 1e3);
    else
        snprintf(out, FIGURE_BYTES, "%.2f MB", (double)value / 1e6);
    return out;
}

static void put_values(struct sl_doc *doc, const struct sl_pte_plan *plan, const char *what,
                       const uint32_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct sl_pte_value *value = &plan->values[values[i]];
        const char *name = sl_inspect_value_name(value);
        char shape[160];
        sl_inspect_value_shape(value, shape, sizeof(shape));
        sl_doc_say(doc, SL_DOC_SENTENCE, NULL, "  %s %" PRIu32 ": %s%s%s", what, i,
                   shape[0] ? shape : sl_inspect_value_kind(value), name ? ", " : "",
                   name ? name : "");
    }
}

static void put_memory(struct sl_doc *doc, const struct sl_inspect_method *method)
{
    char planned[FIGURE_BYTES], tensors[FIGURE_BYTES], constants[FIGURE_BYTES];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < method->plan->buffer_count; i++)
        sum += method->plan->buffer_bytes[i];
    sl_doc_say(doc, SL_DOC_SENTENCE, NULL,
               "  memory: %" PRIu32 " planned buffers of %s for %" PRIu32 " tensors of %s; %" PRIu32
               " constant tensors of %s outside delegates",
               method->plan->buffer_count, bytes(planned, sum), method->planned_tensors,
               bytes(tensors, method->planned_tensor_bytes), method->constant_tensors,
               bytes(constants, method->constant_bytes));
    if (method->asked && method->loads)
        sl_doc_say(doc, SL_DOC_SENTENCE, NULL, "  packed weights: %s with SME2 off, %s on",
                   bytes(planned, method->packed_off_bytes),
                   method->has_on ? bytes(tensors, method->packed_on_bytes) : "unknown");
}

static void put_delegates(struct sl_doc *doc, const struct sl_inspect_method *method)
{
    char size[FIGURE_BYTES];
    for (uint32_t i = 0; i < method->plan->delegate_count; i++) {
        const struct sl_inspect_delegate *delegate = &method->delegates[i];
        sl_doc_say(doc, SL_DOC_SENTENCE, NULL,
                   "  delegate %" PRIu32 ": %s, %" PRIu32 " nodes, %" PRIu32 " values, blob of %s",
                   i, delegate->id, delegate->nodes, delegate->values,
                   bytes(size, delegate->blob_bytes));
    }
}

static void put_shares(struct sl_doc *doc, const struct sl_inspect_method *method,
                       const struct sl_inspect_sum *sum)
{
    char macs[FIGURE_BYTES], off[FIGURE_BYTES], on[FIGURE_BYTES];
    sl_doc_say(doc, SL_DOC_SENTENCE, NULL,
               "  delegated: %" PRIu32 " of %" PRIu32 " operators (%.1f %%), %.1f %% of %s "
               "multiply-accumulates",
               sum->delegated, sum->nodes, 100 * sl_inspect_share(sum->delegated, sum->nodes),
               100 * sl_inspect_share(sum->delegated_macs, sum->macs), figure(macs, sum->macs));
    if (!method->asked)
        return;
    if (!method->loads) {
        sl_doc_say(doc, SL_DOC_SENTENCE, NULL, "  the agent cannot load it: %s", method->problem);
        return;
    }
    sl_doc_say(doc, SL_DOC_SENTENCE, NULL,
               "  SME2 serves: %" PRIu32 " operators, %.1f %% of the multiply-accumulates",
               sum->served, 100 * sl_inspect_share(sum->served_macs, sum->macs));
    for (int why = SL_WHY_SERVED + 1; why < SL_WHY_END; why++)
        if (sum->by_why[why] > 0)
            sl_doc_say(doc, SL_DOC_SENTENCE, NULL, "    %s: %" PRIu32 " (%s)", sl_why_name(why),
                       sum->by_why[why], sl_why_words(why));
    if (sum->predicted > 0)
        sl_doc_say(
            doc, SL_DOC_SENTENCE, NULL,
            "  predicted instructions: %s with SME2 off, %s on, %.2f times fewer, for the %" PRIu32
            " operators whose kernels have a formula",
            figure(off, sum->off_insns), figure(on, sum->on_insns),
            sum->on_insns ? (double)sum->off_insns / (double)sum->on_insns : 0.0, sum->predicted);
}

enum column {
    COLUMN_PLACE,
    COLUMN_OPERATOR,
    COLUMN_TYPE,
    COLUMN_SHAPE,
    COLUMN_MACS,
    COLUMN_WEIGHTS,
    COLUMN_KERNEL,
    COLUMN_OFF,
    COLUMN_ON,
    COLUMN_SME2
};

/* Columns and the width of terminal from which they are shown. */
static const struct {
    const char *head;
    int from_width;
} columns[] = {
    [COLUMN_PLACE] = {"#", 0},          [COLUMN_OPERATOR] = {"~Operator", 0},
    [COLUMN_TYPE] = {"~Type", 72},      [COLUMN_SHAPE] = {"~Shape", 80},
    [COLUMN_MACS] = {">MACs", 0},       [COLUMN_WEIGHTS] = {">Weights", 110},
    [COLUMN_KERNEL] = {"~Kernel", 130}, [COLUMN_OFF] = {">Off", 0},
    [COLUMN_ON] = {">On", 0},           [COLUMN_SME2] = {"~SME2", 0},
};

enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static void put_place(struct sl_table *table, const struct sl_inspect_node *node)
{
    if (node->delegate >= 0)
        sl_table_printf(table, "%" PRIu32 ".%" PRIu32, node->instruction, node->index);
    else
        sl_table_printf(table, "%" PRIu32, node->instruction);
}

static void put_cell(struct sl_table *table, const struct sl_inspect_node *node, int column)
{
    char text[FIGURE_BYTES];
    const char *kernel = node->on.operators > 0 ? node->on.kernel : node->off.kernel;
    const struct sl_choice *choice = column == COLUMN_OFF ? &node->off : &node->on;
    switch (column) {
    case COLUMN_PLACE:
        put_place(table, node);
        break;
    case COLUMN_OPERATOR:
        sl_table_put(table, node->kind);
        break;
    case COLUMN_TYPE:
        sl_table_put(table, node->type);
        break;
    case COLUMN_SHAPE:
        sl_table_put(table, node->shape);
        break;
    case COLUMN_MACS:
        sl_table_put(table, node->operands.macs > 0 ? figure(text, node->operands.macs) : NULL);
        break;
    case COLUMN_WEIGHTS:
        sl_table_put(table, node->weight_bytes > 0 ? bytes(text, node->weight_bytes) : NULL);
        break;
    case COLUMN_KERNEL:
        sl_table_put(table, strncmp(kernel, "sl_", 3) == 0 ? kernel + 3 : kernel);
        break;
    case COLUMN_SME2:
        sl_table_put(table, node->why == SL_WHY_SERVED ? "yes" : sl_why_name(node->why));
        break;
    default:
        sl_table_put(table, choice->predicted ? figure(text, choice->insns) : NULL);
    }
}

static void put_nodes(struct sl_doc *doc, int width, const struct sl_inspect *inspect,
                      const struct sl_inspect_method *method)
{
    const char *heads[COLUMNS + 1];
    int ids[COLUMNS];
    size_t count = 0;
    struct sl_table table;
    if (method->node_count == 0) {
        sl_doc_say(doc, SL_DOC_LINE, NULL, "  no operators: nothing is computed");
        return;
    }
    for (int i = 0; i < COLUMNS; i++) {
        if (columns[i].from_width > width)
            continue;
        ids[count] = i;
        heads[count++] = columns[i].head;
    }
    heads[count] = NULL;
    sl_table_init(&table, "operators", "Operators", heads);
    for (uint32_t i = 0; i < method->node_count; i++)
        for (size_t j = 0; j < count; j++)
            put_cell(&table, &inspect->nodes[method->node_first + i], ids[j]);
    sl_doc_table(doc, &table);
}

static void put_method(struct sl_doc *doc, int width, const struct sl_inspect *inspect,
                       const struct sl_inspect_method *method)
{
    const struct sl_inspect_sum sum = sl_inspect_sum_of(inspect, method);
    const struct sl_pte_plan *plan = method->plan;
    sl_doc_begin(doc, SL_DOC_LINE, NULL);
    sl_doc_say(doc, SL_DOC_HEADING, "method", "Method %s", plan->name);
    put_values(doc, plan, "input", plan->inputs, plan->input_count);
    put_values(doc, plan, "output", plan->outputs, plan->output_count);
    put_memory(doc, method);
    put_delegates(doc, method);
    put_shares(doc, method, &sum);
    sl_doc_begin(doc, SL_DOC_LINE, NULL);
    put_nodes(doc, width, inspect, method);
}

int sl_inspect_text(struct sl_buf *out, const struct sl_style *style,
                    const struct sl_inspect *inspect, const char *file, int64_t only)
{
    struct sl_doc doc;
    int width = sl_style_width(style);
    sl_doc_init(&doc, SL_DOC_TERMINAL);
    char size[FIGURE_BYTES];
    sl_doc_say(&doc, SL_DOC_SENTENCE, NULL, "%s: %s, %" PRIu32 " method%s, %zu shared constants",
               file, bytes(size, inspect->file_bytes), inspect->method_count,
               inspect->method_count == 1 ? "" : "s", (size_t)inspect->pte.named_count);
    for (uint32_t i = 0; i < inspect->method_count; i++)
        if (only < 0 || only == (int64_t)i)
            put_method(&doc, width, inspect, &inspect->methods[i]);
    sl_doc_begin(&doc, SL_DOC_LINE, NULL);
    if (inspect->svl_bits != 0)
        sl_doc_say(&doc, SL_DOC_SENTENCE, NULL,
                   "# is the instruction, and the node in its delegate. Off and On: instructions "
                   "predicted with SME2 off and on, on vectors of %" PRIu32 " bits.",
                   inspect->svl_bits);
    int rc = sl_doc_text(out, style, &doc);
    sl_doc_fini(&doc);
    return rc;
}
