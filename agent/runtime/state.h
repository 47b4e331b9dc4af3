/* agent/runtime/state.h: which tensors of a plan keep state from one execution to the next. Pure.
 */
#pragma once

#include <stdint.h>

struct sl_pte_plan;

enum { SL_STATE_KEEPS = 1 }; /* the other bits are the search's own */

/* Sets SL_STATE_KEEPS in marks[plan->value_count], all zero at first, for the planned tensors that
 * are read before anything writes them, inputs aside: what they hold comes from the execution
 * before. Branches are taken as if each ran, so more may be marked than keep state; whatever is
 * marked may be given its initial bytes before an execution. Linear in the plan. */
void sl_state_find(const struct sl_pte_plan *plan, uint8_t *marks);
