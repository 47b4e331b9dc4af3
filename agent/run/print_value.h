/* agent/run/print_value.h: outputs as executor_runner prints them. */
#pragma once

#include <stddef.h>

struct sl_buf;
struct sl_tensor_view;

/* --print_output=summary: `OutputX <i>: tensor(sizes=[…], […])`, the first and last hundred
 * elements in memory order. 0, SL_E_LIMIT or -ENOMEM. */
int sl_print_summary(struct sl_buf *out, size_t index, const struct sl_tensor_view *value);

/* --print_output=all: a line for each element of Int, Float, Char and Bool tensors. */
int sl_print_all(struct sl_buf *out, size_t index, const struct sl_tensor_view *value);
