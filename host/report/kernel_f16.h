/* host/report/kernel_f16.h: what f16 and bf16 kernels need at least, should not exceed, and cost in
 * other libraries. */
#pragma once

#include "host/report/kernel_bench.h"

/* As the functions of kernel_bench.h, for rows of type "f16" and "bf16". */
uint64_t sl_kernel_f16_min_mac(const struct sl_kernel_row *row, unsigned svl);
uint64_t sl_kernel_f16_goal(const struct sl_kernel_row *row, unsigned svl);
const struct sl_kernel_anchor *sl_kernel_f16_anchor(const struct sl_kernel_row *row, unsigned svl);
