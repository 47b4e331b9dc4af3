/* host/report/kernel_qs8.h: what static int8 kernels need at least, should not exceed, and cost in
 * other libraries. */
#pragma once

#include "host/report/kernel_bench.h"

/* As the functions of kernel_bench.h, for rows of type "qs8". */
uint64_t sl_kernel_qs8_min_mac(const struct sl_kernel_row *row, unsigned svl);
uint64_t sl_kernel_qs8_goal(const struct sl_kernel_row *row, unsigned svl);
const struct sl_kernel_anchor *sl_kernel_qs8_anchor(const struct sl_kernel_row *row, unsigned svl);
