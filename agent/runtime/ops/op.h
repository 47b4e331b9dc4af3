/* agent/runtime/ops/op.h: operators outside delegates: the registry and what their code is given.
 *
 * An operator has no code of its own at run time: it prepares steps (agent/runtime/step.h) for the
 * shapes it is called with, and the executor runs these until a shape or an address changes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/runtime/method.h"
#include "agent/runtime/step.h"
#include "common/base/error.h"

enum { SL_OP_MAX_STEPS = 14, SL_OP_MAX_NUMBERS = 4, SL_OP_MAX_ARGS = 17 };

struct sl_op_call;

/* Tells what an operator does if its tensors are all of single or half precision, some of them
 * halves. With neither bit, halves become f32 only where the signature says f32. */
enum sl_op_halves {
    SL_OP_AS_THEY_ARE = 1, /* Half on its own stays: prepare() has kernels for it */
    SL_OP_WIDENED = 2,     /* else halves become f32 wherever they stand */
};

/* Sets sizes of outputs and adds steps. Returns 0 or a code of enum sl_et_error. */
typedef int (*sl_op_prepare_fn)(struct sl_op_call *call, struct sl_diag *diag);

struct sl_op {
    const char *name;  /* with namespace and overload */
    const char *event; /* what ExecuTorch calls it in a trace; NULL: as sl_op_event_name() says */
    /* One letter an argument, the return entry left out. Tensors: t f32, T f32 or Null, a any type,
     * A any type or Null, r any but Bool, o f32 written, O any type written, l int64 written; half
     * and double precision where f32 stands become f32 before and come back after the operator. w
     * f32 weights that are packed, W their bias or Null: constant weights of half precision stay
     * so, for packing takes them. Lists of tensors: L read, P with gaps, M written. Others: i Int,
     * I Int or Null, n number (Int, Double or Bool), N number or Null, b Bool, v list of Int, V
     * list of Int or Null, z String or Null, d list of Double or Null, s any value, not read. */
    const char *signature;
    bool in_place;  /* an output may have exactly an input's memory */
    bool prim;      /* a "prim op": traced as OPERATOR_CALL only */
    bool view;      /* its output takes over its input's memory; its return entry may be left out */
    bool computes;  /* a prim op on numbers: at load prepare() writes the result, for shapes */
    uint8_t halves; /* bits of enum sl_op_halves */
    sl_op_prepare_fn prepare;
    const void *data; /* what prepare() is to know, where several entries share it */
    /* A family whose entry of the same name takes over where a tensor that the signature wants in
     * f32 is of integers or doubles; its prepare() also does what kernels do not. Or NULL. */
    const struct sl_op *exact;
};

/* The kind of memory or value that a step's operand is. */
enum sl_ref_kind { SL_REF_NONE, SL_REF_TENSOR, SL_REF_SCRATCH, SL_REF_NUMBER, SL_REF_POINTER };

struct sl_ref {
    int kind; /* enum sl_ref_kind */
    const struct sl_tensor *tensor;
    const void *pointer;
    size_t offset; /* bytes into the workspace; index of a number */
};

enum { SL_OP_FEW_STEPS = 2 }; /* what most calls need */

struct sl_op_call { /* one KernelCall instruction of one variant */
    const struct sl_op *op;
    struct sl_method *method; /* borrowed */
    uint32_t isa;
    uint32_t arg_count;
    const uint32_t *args;
    struct sl_step *steps; /* while it is prepared room for SL_OP_MAX_STEPS, then `few` or `many` */
    struct sl_step few[SL_OP_FEW_STEPS];
    struct sl_step *many; /* of the pool; as many as were needed */
    uint32_t many_room;
    struct sl_ref refs[SL_OP_MAX_STEPS][3]; /* a, b, out of each step */
    size_t scratch[SL_OP_MAX_STEPS];        /* the step's own workspace, as an offset */
    uint32_t step_count;
    uint32_t main_step; /* the one whose kernel the trace names */
    size_t workspace_bytes;
    float numbers[SL_OP_MAX_NUMBERS];
    uint32_t number_count;
    struct sl_weights weights;
    struct sl_budget_pool *pool; /* the variant's: for what stays as long */
    struct sl_tensor *stand_ins; /* of the pool; in f32 for tensors of half precision */
    uint32_t stand_in_room;
    struct sl_tensor *wide[SL_OP_MAX_ARGS];    /* of these; NULL: the tensor itself */
    uint32_t wide_in, wide_out, wide_constant; /* a bit for each such argument, by what it is */
    bool wide_known;                           /* that they are all */
    void *constant_block;                      /* owned: the numbers of stand-ins of constants */
    size_t constant_bytes;
    void *state; /* owned: what the operator's own steps run on */
    size_t state_bytes;
    const char *failure; /* set by a step that found its data not valid: why */
    bool checked;        /* its arguments were, at these two of the method's */
    uint64_t checked_epoch, checked_numbers;
};

static inline const struct sl_method_value *sl_op_argument(const struct sl_op_call *call,
                                                           uint32_t i)
{
    return &call->method->values[call->args[i]];
}

static inline bool sl_op_is_null(const struct sl_method_value *value)
{
    return value->kind == SL_PTE_NONE || value->kind == SL_PTE_NULL;
}

static inline bool sl_op_is_tensor_list(const struct sl_method_value *value)
{
    return value->kind == SL_PTE_TENSOR_LIST || value->kind == SL_PTE_OPTIONAL_TENSOR_LIST;
}

/* For the operators' code. Arguments by position; kinds were checked. */
struct sl_tensor *sl_op_tensor(const struct sl_op_call *call, uint32_t i); /* NULL for Null */
int64_t sl_op_int(const struct sl_op_call *call, uint32_t i, int64_t otherwise);
double sl_op_number(const struct sl_op_call *call, uint32_t i, double otherwise);
bool sl_op_bool(const struct sl_op_call *call, uint32_t i);
/* The numbers of an int list: -1 if there are more than `max` or it is no list, else their count (0
 * for Null). */
int sl_op_ints(const struct sl_op_call *call, uint32_t i, int64_t *out, uint32_t max);
/* True of a list of no numbers, not of Null. */
bool sl_op_list_is_empty(const struct sl_op_call *call, uint32_t i);
/* dim counted from the end when negative; false if there is no such dimension. */
bool sl_op_dim(int64_t dim, uint32_t rank, uint32_t *out);

/* The next step to shape; there is always room for SL_OP_MAX_STEPS. Then name its operands. */
struct sl_step *sl_op_step(struct sl_op_call *call);
void sl_op_operands(struct sl_op_call *call, struct sl_ref a, struct sl_ref b, struct sl_ref out);
struct sl_ref sl_ref_none(void);
struct sl_ref sl_ref_tensor(const struct sl_tensor *tensor);
/* `bytes` of workspace that live as long as the call. */
struct sl_ref sl_ref_scratch(struct sl_op_call *call, size_t bytes);
struct sl_ref sl_ref_pointer(const void *pointer); /* fixed until the next prepare; read only */
struct sl_ref sl_ref_number(struct sl_op_call *call, float number);

/* Adds the step that converts a dense tensor of halves into f32, or f32 into halves. */
void sl_op_convert(struct sl_op_call *call, const struct sl_tensor *from,
                   const struct sl_tensor *to);
/* Adds a step of the operator's own: `run` reads `call` with what sl_op_state() gave. */
void sl_op_own(struct sl_op_call *call, const char *kernel, sl_own_run_fn run);
/* The call's one block of zeros for its own steps, at least `bytes`; NULL when over the budget. */
void *sl_op_state(struct sl_op_call *call, size_t bytes);
/* Which of enum sl_element a tensor of floats is made of; NULL: SL_F32. */
int sl_op_element(const struct sl_tensor *tensor);
/* Operands that packing takes, in their own types; NULL: none. */
struct sl_constants sl_op_constants(const struct sl_op_call *call, const struct sl_tensor *weights,
                                    const struct sl_tensor *bias);
/* A list of tensors: how many, and each (NULL for a gap). Every call asks at each run of a program:
 * inline. */
static inline uint32_t sl_op_list_count(const struct sl_op_call *call, uint32_t i)
{
    const struct sl_method_value *value = sl_op_argument(call, i);
    return sl_op_is_tensor_list(value) ? value->list->list.count : 0;
}

static inline struct sl_tensor *sl_op_list_tensor(const struct sl_op_call *call, uint32_t i,
                                                  uint32_t k)
{
    int64_t at = sl_op_argument(call, i)->list->list.ints[k];
    return at < 0 ? NULL : sl_method_tensor(call->method, (uint32_t)at);
}
/* NULL for Null. */
const char *sl_op_string(const struct sl_op_call *call, uint32_t i);
/* True if argument i is a Double, or a tensor of a floating point type. */
bool sl_op_is_float(const struct sl_op_call *call, uint32_t i);
/* The type of the tensor that the program has as argument i, also where prepare() sees f32. */
int sl_op_type(const struct sl_op_call *call, uint32_t i);
/* True if argument i is a Bool, not a tensor of them. */
bool sl_op_is_bool(const struct sl_op_call *call, uint32_t i);
/* True if argument i is a tensor of doubles. */
bool sl_op_is_double(const struct sl_op_call *call, uint32_t i);
/* Prepares by the code for what kernels do not take. */
int sl_op_exactly(struct sl_op_call *call, struct sl_diag *diag);
int sl_op_fail(const struct sl_op_call *call, struct sl_diag *diag, int code, const char *what);

/* The families, each ended by an entry without a name. */
extern const struct sl_op sl_ops_elementwise[], sl_ops_copy[], sl_ops_reduce[], sl_ops_window[],
    sl_ops_matmul[], sl_ops_map[], sl_ops_move[], sl_ops_join[], sl_ops_fold[], sl_ops_index[],
    sl_ops_scan[], sl_ops_make[], sl_ops_plane[], sl_ops_prim[], sl_ops_quant[], sl_ops_attention[],
    sl_ops_put[], sl_ops_quant_by[];
/* For `exact`, and for names of their own. */
extern const struct sl_op sl_ops_exact_product[], sl_ops_exact_conv[], sl_ops_exact_norm[],
    sl_ops_exact_plane[];
extern const struct sl_op sl_ops_remap[], sl_ops_shuffle[], sl_ops_mask[], sl_ops_distance[],
    sl_ops_sample[], sl_ops_moments[], sl_ops_compose[], sl_ops_spectrum[], sl_ops_draw[],
    sl_ops_hadamard[], sl_ops_delta[], sl_ops_experts[];
