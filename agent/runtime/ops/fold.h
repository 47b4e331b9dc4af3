/* agent/runtime/ops/fold.h: reductions over any set of dimensions, of all types and orders. */
#pragma once

#include "agent/runtime/ops/op.h"

enum sl_fold_op {
    SL_FOLD_SUM,
    SL_FOLD_MEAN,
    SL_FOLD_PROD,
    SL_FOLD_MAX,
    SL_FOLD_MIN,
    SL_FOLD_ARGMAX,
    SL_FOLD_ARGMIN,
    SL_FOLD_ANY,
    SL_FOLD_ALL,
    SL_FOLD_VAR,
};

struct sl_fold_shape {
    int op;            /* enum sl_fold_op */
    unsigned mask;     /* the bits of the dimensions that go */
    bool keep;         /* they stay as ones */
    bool whole;        /* extremes of nothing are the farthest numbers, as of max() over all */
    uint32_t out;      /* argument */
    uint32_t index;    /* argument that is given the places of extremes; 0: none */
    double correction; /* SL_FOLD_VAR: taken off the count */
};

/* Argument 0 into the outputs. */
int sl_fold_prepare(struct sl_op_call *call, const struct sl_fold_shape *shape,
                    struct sl_diag *diag);
/* The bits of the dimensions in argument `arg`, an Int or a list; all of them for none. */
int sl_fold_mask(struct sl_op_call *call, uint32_t arg, unsigned *out, struct sl_diag *diag);

/* The positions of a reduction's arguments. */
struct sl_fold_spec {
    int op;
    int dims, keep, correction; /* arguments; -1: none */
    uint32_t out, index;
    double otherwise; /* correction without the argument */
    bool none;        /* no dims in the list are none at all */
};

/* The shape that the arguments of a call give. */
int sl_fold_read(struct sl_op_call *call, const struct sl_fold_spec *spec,
                 struct sl_fold_shape *out, struct sl_diag *diag);
