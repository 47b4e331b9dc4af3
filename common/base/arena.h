/* common/base/arena.h: many small arrays that live and die together, within a budget. */
#pragma once

#include <stddef.h>

struct sl_arena; /* one thread at a time */

/* `budget_bytes` bounds the sum of all allocations, so that a small file cannot ask for much
 * memory. NULL when memory is short. End with sl_arena_free(), which takes NULL. */
struct sl_arena *sl_arena_new(size_t budget_bytes);
void sl_arena_free(struct sl_arena *arena);

/* Puts `count` zeroed elements, owned by the arena and aligned for any type, to *out_block (never
 * NULL, not even for none): 0, SL_E_LIMIT when the budget is spent, or -ENOMEM. */
int sl_arena_alloc(struct sl_arena *arena, size_t count, size_t size, void **out_block);
/* Takes `bytes` from the budget for what lies elsewhere: 0, or SL_E_LIMIT when it is spent. */
int sl_arena_charge(struct sl_arena *arena, size_t bytes);
