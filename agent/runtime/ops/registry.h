/* agent/runtime/ops/registry.h: operators by name. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_op;
struct sl_pte_operator;

/* All families, then NULL; of two entries with one name the first counts. No name is shorter than
 * SL_OP_SHORTEST_NAME. */
extern const struct sl_op *const sl_op_families[];
enum { SL_OP_SHORTEST_NAME = 10 };
/* The operators of a program by their full names, in one pass over all there are: out[i] is that of
 * wanted[i], or NULL. `next`: room for `count` numbers. */
void sl_ops_find(const struct sl_pte_operator *wanted, uint32_t count, uint32_t *next,
                 const struct sl_op **out);

/* Writes ExecuTorch's name of the operator in a trace: "native_call_add.out" for aten::add.out, but
 * the whole name if a library registers functions (namespace llama). */
void sl_op_event_name(const struct sl_op *op, char *out, size_t size);
