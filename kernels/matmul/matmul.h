/* kernels/matmul/matmul.h: y = clamp(x * w^T + bias) in f32 or half precision, weights
 * packed once.
 *
 * x is [m][k] with a row stride, w is [n][k] (or [k][n]), bias is [n] or absent, y is [m][n] with a
 * row stride. All strides count elements.
 *
 * Sums of halves are in f32 and rounded once, but for NEON kernels, which add in half precision (as
 * XNNPACK does): their error grows with k, to 2 ulp * sqrt(k) of the largest value. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_TEMPLATE "kernels/matmul/matmul_head.inc"
#include "kernels/cpu/floats.inc"
