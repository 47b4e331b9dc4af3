/* host/inspect/plan.c */
#include "host/inspect/plan.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/inspect/inspect.h"
#include "host/inspect/why.h"
#include "host/spec/json_read.h"

enum { MAX_INDEX = 999999999 };

static const char printed[] = "what the agent printed";

/* Fails where what the agent printed is not of this program. */
static void mismatch(const struct sl_json_at *at)
{
    if (at->reader->error == 0)
        sl_json_stop(at, sl_diag_set(at->reader->diag, SL_E_MISMATCH, printed,
                                     "its methods are not those of the program"));
}

/* Nodes of a method stand by chain, instruction and index. */
static struct sl_inspect_node *find_node(const struct sl_inspect *inspect,
                                         const struct sl_inspect_method *method,
                                         const uint32_t key[3])
{
    uint32_t low = method->node_first, high = method->node_first + method->node_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        struct sl_inspect_node *node = &inspect->nodes[middle];
        uint64_t at[3] = {node->chain, node->instruction, node->delegate < 0 ? 0 : node->index};
        int order = 0;
        for (int i = 0; i < 3 && order == 0; i++)
            order = (at[i] > key[i]) - (at[i] < key[i]);
        if (order == 0)
            return node;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* The kernel that counts is the first that computes. */
static void take_kernels(const struct sl_json_at *op, char name[SL_INSPECT_KERNEL_BYTES])
{
    struct sl_json_at list = sl_json_member(op, "kernels");
    for (struct sl_json_at at = sl_json_first(&list); sl_json_more(&at); sl_json_next(&at)) {
        const char *kernel = sl_json_get_text(at);
        if (kernel && sl_kernel_moves(name) && (name[0] == '\0' || !sl_kernel_moves(kernel)))
            snprintf(name, SL_INSPECT_KERNEL_BYTES, "%s", kernel);
    }
}

static void take_op(struct sl_inspect *inspect, struct sl_inspect_method *method,
                    const struct sl_json_at *op, bool on)
{
    static const char *const keys[] = {"name", "chain", "instruction", "node"};
    uint32_t key[3] = {0, 0, 0};
    sl_json_need_keys(op, keys, 3);
    const char *name = sl_json_get_text(sl_json_member(op, keys[0]));
    for (int i = 0; i < 3; i++)
        sl_json_get_integer(sl_json_member(op, keys[i + 1]), 0, MAX_INDEX, &key[i]);
    struct sl_inspect_node *node = name ? find_node(inspect, method, key) : NULL;
    if (!node && op->reader->error == 0)
        sl_json_stop(op, sl_diag_set(op->reader->diag, SL_E_MISMATCH, printed,
                                     "operator '%.64s' is not in the program", name));
    if (!node)
        return;
    struct sl_choice *choice = on ? &node->on : &node->off;
    if (choice->operators++ == 0)
        snprintf(choice->name, sizeof(choice->name), "%s", name);
    take_kernels(op, choice->kernel);
    choice->engine = sl_engine_of(choice->kernel);
    struct sl_inspect_operator *listed = &method->operators[on][method->operator_count[on]++];
    listed->node = (uint32_t)(node - inspect->nodes);
    snprintf(listed->name, sizeof(listed->name), "%s", name);
    take_kernels(op, listed->kernel);
}

/* The first of them. */
static void take_problem(struct sl_inspect_method *method, const struct sl_json_at *variant)
{
    struct sl_json_at list = sl_json_member(variant, "problems"), first = sl_json_first(&list);
    const char *problem = sl_json_get_text(first);
    if (problem && method->problem[0] == '\0')
        snprintf(method->problem, sizeof(method->problem), "%s", problem);
}

static void take_variant(struct sl_inspect *inspect, struct sl_inspect_method *method,
                         const struct sl_json_at *variant)
{
    static const char *const keys[] = {"name", "ops"};
    struct sl_json_at ops = sl_json_member(variant, "ops");
    bool loads = false;
    sl_json_need_keys(variant, keys, 2);
    bool on = sl_json_is_text(sl_json_member(variant, "name"), "on");
    size_t count = sl_json_need_array(&ops, MAX_INDEX, "operators");
    if (method->operators[on])
        sl_json_refuse(variant, "A variant of the plan is there twice");
    sl_json_get_bool(sl_json_member(variant, "loads"), &loads);
    method->has_on = method->has_on || on;
    if (!loads) {
        take_problem(method, variant);
        method->loads = false;
        return;
    }
    sl_json_get_count(sl_json_member(variant, "packed_bytes"),
                      on ? &method->packed_on_bytes : &method->packed_off_bytes);
    method->operators[on] = sl_calloc(count + 1, sizeof(*method->operators[on]));
    if (!method->operators[on])
        sl_json_stop(variant, -ENOMEM);
    for (struct sl_json_at at = sl_json_first(&ops); sl_json_more(&at); sl_json_next(&at))
        take_op(inspect, method, &at, on);
}

static void take_method(struct sl_inspect *inspect, struct sl_inspect_method *method,
                        const struct sl_json_at *from)
{
    struct sl_json_at variants = sl_json_member(from, "variants"),
                      why = sl_json_member(from, "problem");
    if (!sl_json_is_text(sl_json_member(from, "name"), method->plan->name))
        mismatch(from);
    const char *problem = sl_json_has_text(&why) ? sl_json_get_text(why) : NULL; /* null: none */
    for (int on = 0; on < 2; on++) { /* of an answer that was refused half-way */
        sl_free(method->operators[on]);
        method->operators[on] = NULL;
        method->operator_count[on] = 0;
    }
    method->asked = true;
    method->loads = !problem;
    snprintf(method->problem, sizeof(method->problem), "%s", problem ? problem : "");
    for (struct sl_json_at at = sl_json_first(&variants); sl_json_more(&at); sl_json_next(&at))
        take_variant(inspect, method, &at);
}

static void list_kernels(const struct sl_json_at *root, struct sl_sme2_kernels *out)
{
    struct sl_json_at list = sl_json_member(root, "kernels");
    sl_json_need_array(&list, MAX_INDEX, "kernels");
    for (struct sl_json_at at = sl_json_first(&list); sl_json_more(&at); sl_json_next(&at)) {
        const char *name = sl_json_get_text(sl_json_member(&at, "kernel"));
        if (!name || sl_engine_of(name) != SL_ENGINE_SME2)
            continue;
        if (out->count == SL_INSPECT_MAX_KERNELS)
            sl_json_refuse(&at, "More than %d kernels", SL_INSPECT_MAX_KERNELS);
        else
            out->names[out->count++] = name;
    }
}

/* Why a node is not served, known for methods that were compiled for SME2. */
static void give_reasons(struct sl_inspect *inspect, const struct sl_sme2_kernels *kernels)
{
    for (uint32_t i = 0; i < inspect->node_count; i++) {
        struct sl_inspect_node *node = &inspect->nodes[i];
        const struct sl_inspect_method *method = &inspect->methods[node->method];
        if (!method->loads)
            node->why = SL_WHY_REFUSED;
        else if (method->has_on)
            node->why = sl_why_of(node, kernels);
    }
}

static void take_parsed(struct sl_inspect *inspect, const struct sl_json_at *plan,
                        const struct sl_json_at *list)
{
    static const char *const keys[] = {"schema", "svl_bytes", "methods"};
    struct sl_sme2_kernels kernels = {.count = 0};
    struct sl_json_at methods = sl_json_member(plan, "methods"),
                      schema = sl_json_member(plan, "schema");
    uint32_t svl_bytes = 0, i = 0;
    sl_json_need_keys(plan, keys, sizeof(keys) / sizeof(keys[0]));
    if (!sl_json_is_text(schema, "sme2lab.plan/1"))
        sl_json_refuse(&schema, "This must be sme2lab.plan/1");
    sl_json_get_integer(sl_json_member(plan, "svl_bytes"), 0, 256, &svl_bytes);
    if (sl_json_need_array(&methods, MAX_INDEX, "methods") != inspect->method_count)
        mismatch(&methods);
    if (plan->reader->error == 0)
        inspect->svl_bits = 8 * svl_bytes;
    list_kernels(list, &kernels);
    for (struct sl_json_at at = sl_json_first(&methods); sl_json_more(&at); sl_json_next(&at))
        take_method(inspect, &inspect->methods[i++], &at);
    if (plan->reader->error == 0)
        give_reasons(inspect, &kernels);
}

int sl_inspect_take_plan(struct sl_inspect *inspect, struct sl_bytes plan, struct sl_bytes list,
                         struct sl_diag *diag)
{
    struct sl_json_reader reader = {.diag = diag};
    cJSON *plan_json = cJSON_ParseWithLength((const char *)plan.data, plan.size);
    cJSON *list_json = cJSON_ParseWithLength((const char *)list.data, list.size);
    struct sl_json_at plan_at = sl_json_root(&reader, plan_json),
                      list_at = sl_json_root(&reader, list_json);
    if (plan_json && list_json)
        take_parsed(inspect, &plan_at, &list_at);
    else
        reader.error = sl_diag_set(diag, SL_E_FORMAT, printed, "it is not JSON");
    if (reader.error < 0)
        sl_json_name_file(printed, diag);
    cJSON_Delete(plan_json);
    cJSON_Delete(list_json);
    return reader.error;
}
