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

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : NULL;
}

static bool number_of(const cJSON *object, const char *key, double limit, uint64_t *out)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble < limit))
        return false;
    *out = (uint64_t)item->valuedouble;
    return true;
}

static int bad_plan(struct sl_diag *diag, const char *what)
{
    return sl_diag_set(diag, SL_E_FORMAT, "what the agent printed", "%s", what);
}

/* Nodes of a method stand by chain, instruction and index. */
static struct sl_inspect_node *find_node(const struct sl_inspect *inspect,
                                         const struct sl_inspect_method *method,
                                         const uint64_t key[3])
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
static void take_kernels(const cJSON *op, char name[SL_INSPECT_KERNEL_BYTES])
{
    const cJSON *kernel, *kernels = cJSON_GetObjectItemCaseSensitive(op, "kernels");
    cJSON_ArrayForEach(kernel, kernels)
    {
        if (cJSON_IsString(kernel) && sl_kernel_moves(name) &&
            (name[0] == '\0' || !sl_kernel_moves(kernel->valuestring)))
            snprintf(name, SL_INSPECT_KERNEL_BYTES, "%s", kernel->valuestring);
    }
}

static int take_op(struct sl_inspect *inspect, struct sl_inspect_method *method, const cJSON *op,
                   bool on, struct sl_diag *diag)
{
    uint64_t key[3] = {0, 0, 0};
    const char *name = text_of(op, "name");
    if (!name || !number_of(op, "chain", 1e9, &key[0]) ||
        !number_of(op, "instruction", 1e9, &key[1]))
        return bad_plan(diag, "an operator of the plan is not what sme2lab-agent prints");
    if (cJSON_HasObjectItem(op, "node") && !number_of(op, "node", 1e9, &key[2]))
        return bad_plan(diag, "a node of the plan is not what sme2lab-agent prints");
    struct sl_inspect_node *node = find_node(inspect, method, key);
    if (!node)
        return sl_diag_set(diag, SL_E_MISMATCH, "what the agent printed",
                           "operator '%.64s' is not in the program", name);
    struct sl_choice *choice = on ? &node->on : &node->off;
    if (choice->operators++ == 0)
        snprintf(choice->name, sizeof(choice->name), "%s", name);
    take_kernels(op, choice->kernel);
    choice->engine = sl_engine_of(choice->kernel);
    struct sl_inspect_operator *listed = &method->operators[on][method->operator_count[on]++];
    listed->node = (uint32_t)(node - inspect->nodes);
    snprintf(listed->name, sizeof(listed->name), "%s", name);
    take_kernels(op, listed->kernel);
    return 0;
}

static void take_problem(struct sl_inspect_method *method, const cJSON *variant)
{
    const cJSON *problem, *problems = cJSON_GetObjectItemCaseSensitive(variant, "problems");
    cJSON_ArrayForEach(problem, problems)
    {
        if (cJSON_IsString(problem) && method->problem[0] == '\0')
            snprintf(method->problem, sizeof(method->problem), "%s", problem->valuestring);
    }
}

static int take_variant(struct sl_inspect *inspect, struct sl_inspect_method *method,
                        const cJSON *variant, struct sl_diag *diag)
{
    const char *name = text_of(variant, "name");
    const cJSON *op, *ops = cJSON_GetObjectItemCaseSensitive(variant, "ops");
    if (!name || !cJSON_IsArray(ops))
        return bad_plan(diag, "a variant of the plan is not what sme2lab-agent prints");
    bool on = strcmp(name, "on") == 0;
    if (method->operators[on])
        return bad_plan(diag, "a variant of the plan is there twice");
    method->has_on = method->has_on || on;
    if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(variant, "loads"))) {
        take_problem(method, variant);
        method->loads = false;
        return 0;
    }
    number_of(variant, "packed_bytes", 9e15,
              on ? &method->packed_on_bytes : &method->packed_off_bytes);
    method->operators[on] =
        sl_calloc((size_t)cJSON_GetArraySize(ops) + 1, sizeof(*method->operators[on]));
    if (!method->operators[on])
        return -ENOMEM;
    cJSON_ArrayForEach(op, ops)
    {
        int rc = take_op(inspect, method, op, on, diag);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int take_method(struct sl_inspect *inspect, struct sl_inspect_method *method,
                       const cJSON *from, struct sl_diag *diag)
{
    const char *name = text_of(from, "name"), *problem = text_of(from, "problem");
    const cJSON *variant, *variants = cJSON_GetObjectItemCaseSensitive(from, "variants");
    if (!name || strcmp(name, method->plan->name) != 0)
        return sl_diag_set(diag, SL_E_MISMATCH, "what the agent printed",
                           "its methods are not those of the program");
    for (int on = 0; on < 2; on++) { /* of an answer that was refused half-way */
        sl_free(method->operators[on]);
        method->operators[on] = NULL;
        method->operator_count[on] = 0;
    }
    method->asked = true;
    method->loads = !problem;
    snprintf(method->problem, sizeof(method->problem), "%s", problem ? problem : "");
    cJSON_ArrayForEach(variant, variants)
    {
        int rc = take_variant(inspect, method, variant, diag);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int list_kernels(const cJSON *list, struct sl_sme2_kernels *out, struct sl_diag *diag)
{
    const cJSON *kernel, *kernels = cJSON_GetObjectItemCaseSensitive(list, "kernels");
    if (!cJSON_IsArray(kernels))
        return bad_plan(diag, "the list of kernels is not what sme2lab-agent prints");
    cJSON_ArrayForEach(kernel, kernels)
    {
        const char *name = text_of(kernel, "kernel");
        if (!name || sl_engine_of(name) != SL_ENGINE_SME2)
            continue;
        if (out->count == SL_INSPECT_MAX_KERNELS)
            return sl_diag_set(diag, SL_E_LIMIT, "what the agent printed", "more than %d kernels",
                               SL_INSPECT_MAX_KERNELS);
        out->names[out->count++] = name;
    }
    return 0;
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

static int take_parsed(struct sl_inspect *inspect, const cJSON *plan, const cJSON *list,
                       struct sl_diag *diag)
{
    struct sl_sme2_kernels kernels = {.count = 0};
    const cJSON *methods = cJSON_GetObjectItemCaseSensitive(plan, "methods");
    const char *schema = text_of(plan, "schema");
    uint64_t svl_bytes = 0;
    if (!schema || strcmp(schema, "sme2lab.plan/1") != 0 || !cJSON_IsArray(methods) ||
        !number_of(plan, "svl_bytes", 257, &svl_bytes))
        return bad_plan(diag, "the plan is not what sme2lab-agent prints");
    if (cJSON_GetArraySize(methods) != (int)inspect->method_count)
        return sl_diag_set(diag, SL_E_MISMATCH, "what the agent printed",
                           "its methods are not those of the program");
    inspect->svl_bits = 8 * (uint32_t)svl_bytes;
    int rc = list_kernels(list, &kernels, diag);
    uint32_t i = 0;
    const cJSON *method;
    cJSON_ArrayForEach(method, methods)
    {
        if (rc == 0)
            rc = take_method(inspect, &inspect->methods[i++], method, diag);
    }
    if (rc == 0)
        give_reasons(inspect, &kernels);
    return rc;
}

int sl_inspect_take_plan(struct sl_inspect *inspect, struct sl_bytes plan, struct sl_bytes list,
                         struct sl_diag *diag)
{
    cJSON *plan_json = cJSON_ParseWithLength((const char *)plan.data, plan.size);
    cJSON *list_json = cJSON_ParseWithLength((const char *)list.data, list.size);
    int rc = plan_json && list_json ? take_parsed(inspect, plan_json, list_json, diag)
                                    : bad_plan(diag, "what the agent printed is not JSON");
    cJSON_Delete(plan_json);
    cJSON_Delete(list_json);
    return rc;
}
