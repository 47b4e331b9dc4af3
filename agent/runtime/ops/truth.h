/* agent/runtime/ops/truth.h: comparisons and connections of floats and Bools by kernels: numbers 1
 * and 0 in f32, which become Bools in the end. */
#pragma once

#include <stdbool.h>

struct sl_diag;
struct sl_op_call;

enum sl_truth_op {
    SL_TRUTH_EQUAL, /* of arguments 0 and 1, the second maybe a number */
    SL_TRUTH_UNEQUAL,
    SL_TRUTH_LESS,
    SL_TRUTH_ATMOST,
    SL_TRUTH_MORE,
    SL_TRUTH_ATLEAST,
    SL_TRUTH_AND,
    SL_TRUTH_OR,
    SL_TRUTH_XOR,
    SL_TRUTH_NOT, /* of argument 0, as are those below */
    SL_TRUTH_NAN,
    SL_TRUTH_INFINITE,
};

/* True if kernels take the call: f32, or Bools for logical operators, in logical order, into a
 * tensor of Bools, argument `out_at`. */
bool sl_truth_takes(const struct sl_op_call *call, int op, unsigned out_at);
/* Sizes the output and adds the steps. */
int sl_truth_prepare(struct sl_op_call *call, int op, unsigned out_at, struct sl_diag *diag);

/* A choice element by element: arguments. What is chosen may be a number, the condition not. */
struct sl_truth_choice {
    unsigned condition, yes, no, out;
};

/* The same for choices between f32. */
bool sl_truth_chooses(const struct sl_op_call *call, const struct sl_truth_choice *choice);
int sl_truth_choose(struct sl_op_call *call, const struct sl_truth_choice *choice,
                    struct sl_diag *diag);

/* Bounds that are tensors: arguments; one of them may be Null. */
struct sl_bounds {
    unsigned of, least, most, out;
};

/* The same for f32 between bounds. Where they cross it is the upper. */
bool sl_truth_bounds(const struct sl_op_call *call, const struct sl_bounds *bounds);
int sl_truth_bound(struct sl_op_call *call, const struct sl_bounds *bounds, struct sl_diag *diag);
