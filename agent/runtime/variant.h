/* agent/runtime/variant.h: a method compiled for one ISA mask. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/runtime/method.h"
#include "agent/runtime/ops/op.h"
#include "agent/runtime/xnn/plan.h"
#include "agent/trace/recorder.h"
#include "common/format/sltrace.h"

/* A tensor that an instruction was prepared for. */
struct sl_prepared_for {
    const struct sl_tensor *tensor;
    uint64_t stamp;
};

struct sl_instruction {
    const struct sl_pte_instruction *from;
    uint32_t chain, index;
    struct sl_op_call *call;  /* KERNEL_CALL; of the variant's table */
    struct sl_xnn_plan *plan; /* DELEGATE_CALL; of the variant's table */
    struct sl_tensor **args;  /* DELEGATE_CALL: of the pool; NULL where an argument is no tensor */
    /* The state that it was prepared for; if that has changed, it is prepared again. */
    bool ready;
    bool reads_numbers; /* that instructions write */
    uint64_t epoch, numbers_epoch;
    const uint8_t *workspace;
    uint32_t dependency_count;
    size_t dependency_room;
    struct sl_prepared_for *dependencies; /* of the variant's table; room for every tensor */
    struct sl_trace_label shell, inner;   /* OPERATOR_CALL and its like; native_call_* */
    struct sl_trace_label *op_labels;     /* owned; one for each operator of the plan */
};

struct sl_variant {
    struct sl_method *method;
    uint32_t isa;
    uint16_t index;
    struct sl_recorder *recorder;
    struct sl_budget_pool pool; /* has the tables, and what calls keep */
    uint32_t chain_count;
    uint32_t *chain_first; /* of instructions; chain_count + 1 */
    struct sl_instruction *instructions;
    uint32_t instruction_count;
    struct sl_op_call *calls; /* room for one of each KERNEL_CALL */
    size_t call_count;
    struct sl_prepared_for *dependencies;
    struct sl_xnn_plan **plans;              /* by delegate */
    const struct sl_op **operators;          /* of the program's; NULL: not known */
    const struct sl_instruction **plan_user; /* whom each plan is bound for */
    struct sl_trace_label execute_label;
    size_t events;
    uint64_t began_epoch; /* the method's when the last execution began */
    const uint8_t *began_workspace;
};
