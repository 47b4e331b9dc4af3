/* kernels/unary/unary_qs8.h: y[i] = f(x[i]) in int8, by a table of 256 entries or as a clamp. In
 * place is allowed (out == in). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/unary/unary.h"

enum sl_unary_qs8_op { SL_UNARY_QS8_TABLE, SL_UNARY_QS8_CLAMP };

/* Functions beyond enum sl_unary_op that tables are made for. */
enum { SL_UNARY_QS8_SQUARE = SL_UNARY_OP_END, SL_UNARY_QS8_CONVERT };

struct sl_unary_qs8_args {
    size_t count;
    const int8_t *in;
    int8_t *out;
    const int8_t *table; /* TABLE: [256], entry (uint8_t)x for value x */
    int8_t min, max;     /* CLAMP */
};

struct sl_unary_qs8 {
    const char *name;
    uint32_t needs;
    int op; /* enum sl_unary_qs8_op */
    void (*run)(const struct sl_unary_qs8_args *args);
};

const struct sl_unary_qs8 *sl_unary_qs8_select(uint32_t isa, int op);
const struct sl_unary_qs8 *sl_unary_qs8_at(size_t i);

/* A function of quantised values. */
struct sl_unary_qs8_function {
    int op;     /* enum sl_unary_op, SL_UNARY_QS8_SQUARE or SL_UNARY_QS8_CONVERT */
    float a, b; /* its parameters, as of sl_unary */
    float in_scale, out_scale;
    int32_t in_zero, out_zero;
};

/* Fills table[256] with XNNPACK's values: conversion and leaky ReLU in its 8-bit fixed point, the
 * rest as real functions between dequantising and quantising. Clamps between values quantised alike
 * are kernels of their own. Returns 0, -1 when XNNPACK refuses the scales. */
int sl_unary_qs8_table(const struct sl_unary_qs8_function *function, int8_t *table);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_unary_qs8 kernel;
#include "kernels/unary/unary_qs8.inc"
#undef SL_KERNEL
