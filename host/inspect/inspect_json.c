/* host/inspect/inspect_json.c */
#include "host/inspect/inspect_json.h"

#include "common/base/json.h"
#include "common/format/scalar_type.h"
#include "host/inspect/inspect.h"
#include "host/inspect/sum.h"
#include "host/inspect/why.h"

static void put_tensor(struct sl_json *json, const struct sl_pte_tensor *tensor)
{
    static const char *const dynamism[] = {"static", "bounded", "unbounded"};
    sl_json_text(json, "dtype", sl_scalar_name(tensor->scalar_type));
    sl_json_open_array(json, "shape");
    for (uint32_t i = 0; i < tensor->rank; i++)
        sl_json_i64(json, NULL, tensor->sizes[i]);
    sl_json_close_array(json);
    sl_json_open_array(json, "dim_order");
    for (uint32_t i = 0; i < tensor->rank; i++)
        sl_json_u64(json, NULL, tensor->dim_order[i]);
    sl_json_close_array(json);
    sl_json_text(json, "shape_is", dynamism[tensor->dynamism]);
    sl_json_bool(json, "planned", tensor->planned);
}

static void put_values(struct sl_json *json, const char *key, const struct sl_pte_plan *plan,
                       const uint32_t *values, uint32_t count)
{
    sl_json_open_array(json, key);
    for (uint32_t i = 0; i < count; i++) {
        const struct sl_pte_value *value = &plan->values[values[i]];
        sl_json_open_object(json, NULL);
        sl_json_text(json, "name", sl_inspect_value_name(value));
        sl_json_text(json, "kind", sl_inspect_value_kind(value));
        if (value->kind == SL_PTE_TENSOR)
            put_tensor(json, value->tensor);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}

static void put_memory(struct sl_json *json, const struct sl_inspect_method *method)
{
    sl_json_open_object(json, "memory");
    sl_json_open_array(json, "planned_buffers_bytes");
    for (uint32_t i = 0; i < method->plan->buffer_count; i++)
        sl_json_u64(json, NULL, method->plan->buffer_bytes[i]);
    sl_json_close_array(json);
    sl_json_u64(json, "planned_tensors", method->planned_tensors);
    sl_json_u64(json, "planned_tensors_bytes", method->planned_tensor_bytes);
    sl_json_u64(json, "constant_tensors", method->constant_tensors);
    sl_json_u64(json, "constant_tensors_bytes", method->constant_bytes);
    if (method->asked && method->loads) {
        sl_json_u64(json, "packed_weights_off_bytes", method->packed_off_bytes);
        if (method->has_on)
            sl_json_u64(json, "packed_weights_on_bytes", method->packed_on_bytes);
    }
    sl_json_close_object(json);
}

static void put_delegates(struct sl_json *json, const struct sl_inspect_method *method)
{
    sl_json_open_array(json, "delegates");
    for (uint32_t i = 0; i < method->plan->delegate_count; i++) {
        const struct sl_inspect_delegate *delegate = &method->delegates[i];
        sl_json_open_object(json, NULL);
        sl_json_text(json, "backend", delegate->id);
        sl_json_u64(json, "blob_bytes", delegate->blob_bytes);
        sl_json_u64(json, "nodes", delegate->nodes);
        sl_json_u64(json, "values", delegate->values);
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}

static void put_choice(struct sl_json *json, const char *key, const struct sl_choice *choice)
{
    if (choice->operators == 0) {
        sl_json_null(json, key);
        return;
    }
    sl_json_open_object(json, key);
    sl_json_text(json, "operator", choice->name);
    sl_json_text(json, "kernel", choice->kernel[0] ? choice->kernel : NULL);
    sl_json_text(json, "engine", sl_engine_name(choice->engine));
    if (choice->predicted)
        sl_json_u64(json, "predicted_insns", choice->insns);
    else
        sl_json_null(json, "predicted_insns");
    sl_json_close_object(json);
}

static void put_node(struct sl_json *json, const struct sl_inspect_node *node, uint32_t first)
{
    sl_json_open_object(json, NULL);
    sl_json_u64(json, "chain", node->chain);
    sl_json_u64(json, "instruction", node->instruction);
    if (node->delegate >= 0) {
        sl_json_i64(json, "delegate", node->delegate);
        sl_json_u64(json, "node", node->index);
    } else {
        sl_json_null(json, "delegate");
    }
    sl_json_text(json, "kind", node->kind);
    sl_json_text(json, "type", node->type);
    sl_json_text(json, "shape", node->shape);
    sl_json_u64(json, "macs", node->operands.macs);
    sl_json_u64(json, "weights_bytes", node->weight_bytes);
    sl_json_u64(json, "inputs_bytes", node->in_bytes);
    sl_json_u64(json, "outputs_bytes", node->out_bytes);
    sl_json_open_array(json, "after");
    for (uint32_t i = 0; i < node->from_count; i++)
        sl_json_u64(json, NULL, node->from[i] - first);
    sl_json_close_array(json);
    put_choice(json, "off", &node->off);
    put_choice(json, "on", &node->on);
    sl_json_text(json, "sme2", sl_why_name(node->why));
    sl_json_close_object(json);
}

static void put_summary(struct sl_json *json, const struct sl_inspect_sum *sum)
{
    sl_json_open_object(json, "summary");
    sl_json_u64(json, "operators", sum->nodes);
    sl_json_u64(json, "delegated", sum->delegated);
    sl_json_f64(json, "delegated_count_share", sl_inspect_share(sum->delegated, sum->nodes));
    sl_json_u64(json, "macs", sum->macs);
    sl_json_u64(json, "delegated_macs", sum->delegated_macs);
    sl_json_f64(json, "delegated_macs_share", sl_inspect_share(sum->delegated_macs, sum->macs));
    sl_json_u64(json, "sme2_served", sum->served);
    sl_json_f64(json, "sme2_macs_share", sl_inspect_share(sum->served_macs, sum->macs));
    sl_json_open_object(json, "sme2_by_reason");
    for (int why = 0; why < SL_WHY_END; why++)
        if (sum->by_why[why] > 0)
            sl_json_u64(json, sl_why_name(why), sum->by_why[why]);
    sl_json_close_object(json);
    sl_json_u64(json, "weights_bytes", sum->weight_bytes);
    sl_json_u64(json, "predicted_operators", sum->predicted);
    sl_json_u64(json, "predicted_off_insns", sum->off_insns);
    sl_json_u64(json, "predicted_on_insns", sum->on_insns);
    sl_json_close_object(json);
}

static void put_method(struct sl_json *json, const struct sl_inspect *inspect,
                       const struct sl_inspect_method *method)
{
    const struct sl_inspect_sum sum = sl_inspect_sum_of(inspect, method);
    sl_json_open_object(json, NULL);
    sl_json_text(json, "name", method->plan->name);
    if (method->asked)
        sl_json_bool(json, "loads", method->loads);
    else
        sl_json_null(json, "loads");
    sl_json_text(json, "problem", method->problem[0] ? method->problem : NULL);
    put_values(json, "inputs", method->plan, method->plan->inputs, method->plan->input_count);
    put_values(json, "outputs", method->plan, method->plan->outputs, method->plan->output_count);
    put_memory(json, method);
    sl_json_u64(json, "delegate_calls", method->delegate_calls);
    put_delegates(json, method);
    put_summary(json, &sum);
    sl_json_open_array(json, "operators");
    for (uint32_t i = 0; i < method->node_count; i++)
        put_node(json, &inspect->nodes[method->node_first + i], method->node_first);
    sl_json_close_array(json);
    sl_json_close_object(json);
}

void sl_inspect_json(struct sl_json *json, const struct sl_inspect *inspect, const char *file,
                     int64_t only)
{
    sl_json_open_object(json, NULL);
    sl_json_text(json, "schema", "sme2lab.inspection/1");
    sl_json_text(json, "file", file);
    sl_json_u64(json, "bytes", inspect->file_bytes);
    if (inspect->svl_bits != 0)
        sl_json_u64(json, "svl_bits", inspect->svl_bits);
    else
        sl_json_null(json, "svl_bits");
    sl_json_open_array(json, "methods");
    for (uint32_t i = 0; i < inspect->method_count; i++)
        if (only < 0 || only == (int64_t)i)
            put_method(json, inspect, &inspect->methods[i]);
    sl_json_close_array(json);
    sl_json_close_object(json);
}
