/* agent/runtime/xnn/table.h: functions of one int8 as tables of 256. */
#pragma once

#include <stdint.h>

struct sl_xnn_op;
struct sl_xnn_plan;

/* Makes one operator of each chain of such functions. */
void sl_xnn_fuse_tables(struct sl_xnn_plan *plan);

/* Fills the table of a function of int8. 0, -1 when XNNPACK refuses the scales. */
int sl_xnn_fill_table(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op, int8_t *table);
