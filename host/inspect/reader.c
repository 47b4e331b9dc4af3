/* host/inspect/reader.c: a program into its nodes. */
#include "host/inspect/inspect.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/saturate.h"
#include "common/format/bundle.h"
#include "common/format/scalar_type.h"
#include "common/format/xnngraph.h"
#include "host/inspect/build.h"

/* Graphs are read once a call; a program whose calls repeat them too often is refused. */
enum { MAX_GRAPH_BYTES = 1 << 30 };

static int add_delegate_call(struct sl_inspect_build *b,
                             const struct sl_pte_instruction *instruction, uint64_t *graph_bytes,
                             struct sl_diag *diag)
{
    struct sl_inspect_method *method = &b->inspect->methods[b->method];
    const struct sl_pte_delegate *delegate = &method->plan->delegates[instruction->index];
    struct sl_inspect_delegate *about = &method->delegates[instruction->index];
    struct sl_xnn_graph graph;
    method->delegate_calls++;
    if (strcmp(delegate->id, "XnnpackBackend") != 0)
        return 0;
    *graph_bytes = sl_plus(*graph_bytes, delegate->blob.size);
    if (*graph_bytes > MAX_GRAPH_BYTES)
        return sl_diag_set(diag, SL_E_LIMIT, NULL, "the calls of delegates repeat too many graphs");
    int rc = sl_xnn_graph_parse(delegate->blob, &graph, diag);
    if (rc < 0)
        return rc;
    about->nodes = graph.node_count;
    about->values = graph.value_count;
    rc = sl_inspect_graph(b, instruction, &graph, diag);
    sl_xnn_graph_fini(&graph);
    return rc;
}

static void count_tensors(struct sl_inspect_method *method)
{
    for (uint32_t i = 0; i < method->plan->value_count; i++) {
        const struct sl_pte_value *value = &method->plan->values[i];
        if (value->kind != SL_PTE_TENSOR)
            continue;
        uint64_t bytes = sl_inspect_tensor_bytes(value->tensor);
        if (value->tensor->planned) {
            method->planned_tensors++;
            method->planned_tensor_bytes = sl_plus(method->planned_tensor_bytes, bytes);
        } else if (value->tensor->data_buffer_idx != 0 || value->tensor->external) {
            method->constant_tensors++;
            method->constant_bytes = sl_plus(method->constant_bytes, bytes);
        }
    }
}

static int add_instructions(struct sl_inspect_build *b, struct sl_diag *diag)
{
    struct sl_inspect_method *method = &b->inspect->methods[b->method];
    uint64_t graph_bytes = 0;
    for (b->chain = 0; b->chain < method->plan->chain_count; b->chain++) {
        const struct sl_pte_chain *chain = &method->plan->chains[b->chain];
        for (b->instruction = 0; b->instruction < chain->count; b->instruction++) {
            const struct sl_pte_instruction *at = &chain->instructions[b->instruction];
            int rc = 0;
            if (at->kind == SL_PTE_DELEGATE_CALL)
                rc = add_delegate_call(b, at, &graph_bytes, diag);
            else if (at->kind == SL_PTE_KERNEL_CALL)
                rc = sl_inspect_call(b, at, diag);
            else if (at->kind == SL_PTE_MOVE_CALL)
                b->writer[at->to] = b->writer[at->from];
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

static int add_method(struct sl_inspect *inspect, uint32_t index, struct sl_diag *diag)
{
    struct sl_inspect_build b = {.inspect = inspect, .method = index};
    struct sl_inspect_method *method = &inspect->methods[index];
    const struct sl_pte_plan *plan = &inspect->pte.plans[index];
    method->plan = plan;
    method->node_first = inspect->node_count;
    method->delegates = sl_calloc(plan->delegate_count, sizeof(*method->delegates));
    b.writer = sl_malloc(plan->value_count, sizeof(*b.writer));
    if (!method->delegates || !b.writer) {
        sl_free(b.writer);
        return sl_diag_set(diag, -ENOMEM, NULL, "memory is short");
    }
    for (uint32_t i = 0; i < plan->value_count; i++)
        b.writer[i] = SL_INSPECT_NO_NODE;
    for (uint32_t i = 0; i < plan->delegate_count; i++) {
        method->delegates[i].id = plan->delegates[i].id;
        method->delegates[i].blob_bytes = plan->delegates[i].blob.size;
    }
    int rc = add_instructions(&b, diag);
    sl_free(b.writer);
    method->node_count = inspect->node_count - method->node_first;
    count_tensors(method);
    return rc;
}

int sl_inspect_new(struct sl_bytes file, struct sl_inspect **out, struct sl_diag *diag)
{
    struct sl_inspect *inspect = sl_calloc(1, sizeof(*inspect));
    if (!inspect)
        return sl_diag_set(diag, -ENOMEM, NULL, "memory is short");
    struct sl_bytes program;
    int rc = sl_bundle_program(file, &program, diag);
    if (rc == 0)
        rc = sl_pte_parse(program, &inspect->pte, diag);
    if (rc < 0) {
        sl_free(inspect);
        return rc;
    }
    inspect->file_bytes = file.size;
    inspect->methods = sl_calloc(inspect->pte.plan_count, sizeof(*inspect->methods));
    if (!inspect->methods)
        rc = sl_diag_set(diag, -ENOMEM, NULL, "memory is short");
    else
        inspect->method_count = inspect->pte.plan_count;
    for (uint32_t i = 0; rc == 0 && i < inspect->method_count; i++)
        rc = add_method(inspect, i, diag);
    if (rc < 0) {
        sl_inspect_free(inspect);
        return rc;
    }
    *out = inspect;
    return 0;
}

void sl_inspect_free(struct sl_inspect *inspect)
{
    if (!inspect)
        return;
    for (uint32_t i = 0; i < inspect->method_count; i++) {
        sl_free(inspect->methods[i].delegates);
        sl_free(inspect->methods[i].operators[0]);
        sl_free(inspect->methods[i].operators[1]);
    }
    sl_free(inspect->methods);
    sl_free(inspect->nodes);
    sl_pte_fini(&inspect->pte);
    sl_free(inspect);
}

void sl_inspect_name_file(const char *path, struct sl_diag *diag)
{
    char place[sizeof(diag->where)];
    if (!diag->hint[0])
        sl_diag_hint(diag, "name a whole program (.pte); 'sme2lab analyze' shows an ETDump");
    memcpy(place, diag->where, sizeof(place));
    snprintf(diag->where, sizeof(diag->where), "%.100s%s%.80s", path, place[0] ? ", " : "", place);
}
