/* agent/runtime/label.h: the names of a variant's events in the trace. */
#pragma once

#include <stddef.h>

struct sl_variant;
struct sl_xnn_op;
struct sl_xnn_plan;

/* Interns the names of every event of an execution; after all is prepared. 0 or -ENOMEM. */
int sl_variant_label(struct sl_variant *variant);

/* The trace's name of an operator of a delegate: "Softmax (NC, F32) #2". */
void sl_label_op_name(const struct sl_xnn_plan *plan, const struct sl_xnn_op *op, char *out,
                      size_t size);
