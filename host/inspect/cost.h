/* host/inspect/cost.h: how many instructions a kernel takes on a shape, by a fitted formula. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sl_inspect;
struct sl_inspect_node;

/* Instructions of `kernel` for the node on streaming vectors of `svl_bits`, its packing of the left
 * operand included. False when there is no formula for the kernel or the shape is not known. */
bool sl_cost_of(const struct sl_inspect_node *node, const char *kernel, uint32_t svl_bits,
                uint64_t *out_insns);

/* Sets the predictions of every node whose kernels are known. */
void sl_cost_predict(struct sl_inspect *inspect);
