/* kernels/matmul/qd8_row_sme2.h: a single row of a dynamic int8 product, quantised into the
 * workspace, for
 * *_sme2.c files alone. */
#pragma once

#include "kernels/matmul/matmul_qd8.h"
#include "kernels/matmul/qd8_gemv.h"
#include "kernels/matmul/qd8_lines.h"
#include "kernels/matmul/qd8_rhs_sme2.h"

/* Bytes of the workspace that a row takes. */
size_t sl_qd8_row_bytes(size_t k);

/* Puts the row of args->lhs there. */
void sl_qd8_row_pack(const struct sl_matmul_qd8_args *args) __arm_streaming __arm_inout("za");

/* The same of a row that is int8 already. */
void sl_qd8_row_pack_int8(const struct sl_matmul_qd8_args *args);

/* The product of the row that stands there. */
struct sl_qd8_gemv sl_qd8_row_job(const struct sl_qd8_call *call) __arm_streaming_compatible;
