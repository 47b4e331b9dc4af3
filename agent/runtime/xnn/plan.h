/* agent/runtime/xnn/plan.h: the data of one XNNPACK delegate of one variant: operands, operators,
 * steps. delegate.h builds it, shapes it and gives it addresses. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/runtime/budget.h"
#include "agent/runtime/kept_out.h"
#include "agent/runtime/model.h"
#include "agent/runtime/step_split.h"
#include "common/format/xnngraph.h"

struct sl_diag;
struct sl_weight_store;

enum {
    SL_XNN_MAX_NODES = 16384,
    SL_XNN_NONE = -1,
};

enum sl_xnn_op_kind {
    SL_XNN_OP_CONV = 1,
    SL_XNN_OP_DEPTHWISE,
    SL_XNN_OP_DECONV,
    SL_XNN_OP_GEMM,
    SL_XNN_OP_DYNAMIC_GEMM, /* a product whose weights or bias are computed */
    SL_XNN_OP_BATCH_GEMM,
    SL_XNN_OP_UNARY,
    SL_XNN_OP_BINARY,
    SL_XNN_OP_SQUARE,
    SL_XNN_OP_CLAMP,
    SL_XNN_OP_MAX_POOL,
    SL_XNN_OP_AVG_POOL,
    SL_XNN_OP_RESIZE,
    SL_XNN_OP_MEAN,
    SL_XNN_OP_MEAN_SQUARED,
    SL_XNN_OP_SOFTMAX,
    SL_XNN_OP_TRANSPOSE,
    SL_XNN_OP_RESHAPE,
    SL_XNN_OP_COPY,
    SL_XNN_OP_CONVERT,
    SL_XNN_OP_PAD,
    SL_XNN_OP_SLICE,
    SL_XNN_OP_CONCAT,
    SL_XNN_OP_ARGMAX,
    SL_XNN_OP_TABLE, /* a chain of functions of one int8 value */
};

/* real = scale * (q - zero_point), or by channel, or by group of channel and input. */
struct sl_xnn_scaling {
    float scale; /* PER_TENSOR: of qint8, quint8, qint32 */
    int32_t zero_point;
    const float *scales; /* per channel; borrowed */
    uint32_t scale_count;
    uint32_t channel_dim;
    const uint16_t *group_scales; /* bfloat16 [channels][inputs / group_size]; borrowed */
    uint32_t group_size;
    uint32_t nonbatch_dims; /* qdint8: the innermost dimensions that share one scaling */
};

/* The number format that an operator computes in. */
enum sl_xnn_form {
    SL_XNN_FORM_F32,
    SL_XNN_FORM_F16,
    SL_XNN_FORM_WIDE,  /* bfloat16, and f16 without a kernel: f32 between conversions */
    SL_XNN_FORM_QS8,   /* quantised with constant scales */
    SL_XNN_FORM_QD8,   /* left operand quantised by row or image at run time */
    SL_XNN_FORM_BYTES, /* moved, not looked at */
};

/* The place of a step's operand: the operator's input or output, or memory between its steps. */
enum sl_xnn_wire {
    SL_XNN_WIRE_NONE,
    SL_XNN_WIRE_IN, /* .. + 4 */
    SL_XNN_WIRE_OUT = SL_XNN_WIRE_IN + 5,
    SL_XNN_WIRE_OUT2,
    SL_XNN_WIRE_TEMP, /* .. + SL_XNN_MAX_TEMPS - 1 */
};

enum { SL_XNN_MAX_TEMPS = 4, SL_XNN_MAX_STEPS = 6, SL_XNN_MAX_CHAIN = 10 };

struct sl_xnn_wires {
    uint8_t a, b, out; /* enum sl_xnn_wire */
};

/* A value of the graph: a constant, an argument of the delegate call, or memory of the workspace.
 */
struct sl_xnn_operand {
    uint32_t rank;
    size_t dims[SL_XNN_MAX_RANK]; /* physical order, now */
    size_t count;                 /* elements now */
    int type;                     /* enum sl_xnn_datatype */
    struct sl_xnn_scaling quant;  /* of quantised types */
    uint16_t *own_group_scales;   /* owned; mostly NULL */
    const void *constant;         /* borrowed; NULL otherwise */
    uint32_t external_id;         /* index in the call's arguments, or SL_XNN_NO_ID */
    bool external_input, external_output;
    bool wide;        /* an output whose tensor is int64: sl_xnn_delegate_widen() */
    int32_t stand_in; /* what readers of the serialized value read instead; 0: itself */
    uint32_t uses;    /* live operators that read it */
    bool fixed_shape; /* while rewriting: its shape is that of the file, whatever the inputs' */
    int32_t producer; /* operator, or SL_XNN_NONE */
    int32_t memory;   /* the operand whose memory this is: itself, what a reshape shows anew, or
                         the concatenation that this is a part of */
    size_t part_at;   /* bytes from there on */
    size_t run_bytes, pitch_bytes; /* of a part: runs that lie so far apart; 0: all side by side */
    int32_t first, last;           /* operators between which its memory lives */
    size_t offset;                 /* in the workspace, for internal ones */
    void *data;                    /* bound address */
};

struct sl_xnn_op {
    int kind;                       /* enum sl_xnn_op_kind */
    int form;                       /* enum sl_xnn_form */
    int code;                       /* enum sl_unary_op for UNARY, sl_binary_op for BINARY;
                                       TABLE: its only function, or SL_XNN_NONE */
    bool transposed;                /* GEMMs: the right operand is [k][n], for BATCH_GEMM [n][k] */
    bool dead;                      /* rewritten away */
    bool by_channel;                /* CONVERT and BATCH_GEMM: rewrite.c */
    const struct sl_xnn_node *node; /* where it comes from */
    const char *origin;             /* the serialized node's kind */
    uint32_t input_count;
    int32_t inputs[5];           /* operands; weights and bias included; SL_XNN_NONE where absent */
    int32_t output, output2;     /* the second: places of an ArgMaxPooling2d, or SL_XNN_NONE */
    float min, max;              /* clamp */
    struct sl_xnn_window window; /* with folded padding */
    struct sl_weights weights;
    uint32_t step_first, step_count, step_room;
    size_t scratch_offset, scratch_bytes; /* in the workspace, while it runs */
    size_t temp_bytes[SL_XNN_MAX_TEMPS];  /* first in the scratch: what steps leave each other */
    const char *name;                     /* XNNPACK's, without counter */
    int8_t *table;                        /* TABLE: owned */
};

struct sl_xnn_plan {
    const struct sl_model *model;
    struct sl_budget *budget;
    uint64_t table_bytes;          /* that tables took from it */
    struct sl_weight_store *store; /* borrowed; NULL: none */
    uint32_t isa;
    const struct sl_kept_out *kept; /* borrowed; nodes that stay out of streaming mode; or NULL */
    struct sl_kept_place place;     /* of the first call of the delegate */
    struct sl_xnn_graph graph;
    uint32_t operand_count;
    struct sl_xnn_operand *operands;
    uint32_t op_count; /* after rewriting: live ones only, in order */
    struct sl_xnn_op *ops;
    uint32_t step_count;
    struct sl_step *steps;
    struct sl_xnn_wires *wires; /* of each step */
    size_t workspace_bytes;
    bool shaped;     /* all operators, for the inputs' shapes as they stand */
    int32_t *active; /* layout.c: operands in memory at one time, by offset */
};

/* Zeros, counted until the plan ends; free them. NULL when over the budget or out of memory. */
void *sl_xnn_plan_table(struct sl_xnn_plan *plan, size_t count, size_t size);

static inline void sl_xnn_op_run(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op,
                                 const struct sl_crew *crew)
{
    const struct sl_step *step = &plan->steps[op->step_first];
    for (uint32_t i = 0; i < op->step_count; i++)
        sl_step_go(&step[i], crew);
}

/* True when an earlier input of the operator is the same operand. */
static inline bool sl_xnn_is_repeated(const struct sl_xnn_op *op, uint32_t k)
{
    for (uint32_t i = 0; i < k; i++)
        if (op->inputs[i] == op->inputs[k])
            return true;
    return false;
}

/* enum sl_convert_op from one type to another; -1 where there is none. */
int sl_xnn_convert_op(int from, int to);
/* Rows, or images, that a qdint8 operand has a scaling each for. */
size_t sl_xnn_operand_rows(const struct sl_xnn_operand *operand);
/* Bytes of the operand as it is now, parameters included. */
size_t sl_xnn_operand_bytes(const struct sl_xnn_operand *operand);
/* Every input is quantised as the output is. */
bool sl_xnn_keeps_scaling(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op);
/* The operator's clamp in the output's int8. */
void sl_xnn_bounds(const struct sl_xnn_op *op, const struct sl_xnn_operand *out, int8_t *min,
                   int8_t *max);
/* Copies the operand's elements to or from `dense`, where they lie side by side. */
void sl_xnn_operand_gather(const struct sl_xnn_operand *operand, uint8_t *dense);
void sl_xnn_operand_scatter(const struct sl_xnn_operand *operand, const uint8_t *dense);
/* Sets dims and count; false when the count overflows or the rank is too large. */
bool sl_xnn_set_dims(struct sl_xnn_operand *operand, uint32_t rank, const size_t *dims);
/* Words for an operator in messages: "Conv2d (node 3)". */
int sl_xnn_op_error(const struct sl_xnn_op *op, struct sl_diag *diag, int code, const char *what);
