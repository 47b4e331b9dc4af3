/* host/report/kernel_csv.h: micro-kernels as the kit's table (AF-43): those that a run executed, or
 * those that an XNNPACK log names. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_analysis;
struct sl_buf;

/* Columns
 * model_id,kernel_name,category,count,dtype,xnn_op,variant,ukernel_shape,arch_chain,has_sme,
 * has_sme2. An SME2 kernel has has_sme2 alone. */
int sl_kernel_csv_head(struct sl_buf *out);
int sl_kernel_csv_row(struct sl_buf *out, const char *model_id, const char *kernel, size_t len,
                      const char *category, uint64_t count);

/* The kernels that the run's own trace names; `count` is their events over all measured runs. */
int sl_kernel_csv_analysis(struct sl_buf *out, const struct sl_analysis *analysis,
                           const char *model_id);
