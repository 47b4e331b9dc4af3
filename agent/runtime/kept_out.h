/* agent/runtime/kept_out.h: single operators that a run keeps out of streaming mode, beside the
 * families of kernels/cpu/policy.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

struct sl_kept_out;

/* A call in the program's chains, and the whole call where it has no nodes. */
struct sl_kept_place {
    uint32_t chain, instruction;
};

enum { SL_KEPT_OUT_MAX = 16384 }; /* words */

/* Reads "0.3" (instruction 3 of chain 0), "0.3.17" (node 17 of the delegate that it calls) and
 * "0.3.17-20" (four nodes) between commas; "" is none. 0, SL_E_FORMAT, SL_E_LIMIT or -ENOMEM. */
int sl_kept_out_new(const char *text, struct sl_kept_out **out);
void sl_kept_out_free(struct sl_kept_out *kept);

/* `kept` may be NULL: nothing is kept out. */
bool sl_kept_out_call(const struct sl_kept_out *kept, struct sl_kept_place place);
bool sl_kept_out_node(const struct sl_kept_out *kept, struct sl_kept_place place, uint32_t node);

/* The same bytes for the same words in the same order: for what depends on them. Borrowed. */
struct sl_bytes sl_kept_out_bytes(const struct sl_kept_out *kept);
