/* agent/runtime/method.h: one plan of a program with its values and planned memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/runtime/budget.h"
#include "agent/runtime/kept_out.h"
#include "agent/runtime/model.h"
#include "agent/runtime/step_split.h"
#include "agent/runtime/tensor.h"
#include "agent/runtime/weights/weight_store.h"

struct sl_method_value {
    int kind; /* enum sl_pte_value_kind */
    union {
        int64_t int_value;
        bool bool_value;
        double double_value;
        const char *string_value;
        struct sl_tensor *tensor;        /* of the method's table */
        const struct sl_pte_value *list; /* borrowed from the program */
    };
};

struct sl_method {
    struct sl_model *model;
    const struct sl_pte_plan *plan;
    struct sl_method_value *values; /* plan->value_count */
    struct sl_tensor *tensors;
    size_t tensor_count;
    struct sl_budget budget;
    struct sl_budget_pool tables;
    struct sl_weight_store weights; /* of its variants */
    void **buffers;                 /* planned memory: plan->buffer_count blocks */
    void **loose; /* of inputs and outputs that are not planned: tensor_count, mostly NULL */
    bool *input_set;
    struct sl_crew crew;           /* who runs the steps */
    struct sl_workspace workspace; /* of whatever runs: one variant at a time */
    uint64_t epoch;                /* changes when a value names another tensor */
    uint64_t numbers_epoch;        /* changes when an Int, Bool or Double does */
    bool *computed;                /* plan->value_count: numbers that instructions write */
    bool computes;                 /* any of them */
    bool compiling;                /* a variant is being made: nothing runs yet */
    bool has_halves;               /* tensors of half precision, bfloat16 or doubles */
    bool has_lists;                /* of tensors, among its values */
    uint8_t *keeps;                /* plan->value_count: tensors with state (state.h) */
    struct sl_kept_out *kept;      /* owned; operators that stay out of streaming mode, or NULL */
};

/* The tensor that value `index` holds, or NULL. */
static inline struct sl_tensor *sl_method_tensor(const struct sl_method *method, uint32_t index)
{
    const struct sl_method_value *value = &method->values[index];
    return value->kind == SL_PTE_TENSOR ? value->tensor : NULL;
}
