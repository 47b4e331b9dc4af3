/* agent/runtime/budget.h: the bytes that a program may still ask for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_budget {
    uint64_t used, limit; /* bytes */
};

/* 64-byte aligned block of zeros, counted against the budget; NULL when over it or out of memory.
 * An empty block is one byte. Release with sl_budget_free(). */
void *sl_budget_alloc(struct sl_budget *budget, uint64_t bytes);
void sl_budget_free(struct sl_budget *budget, void *block, uint64_t bytes);

/* Counts memory that lies elsewhere; false when that goes over the budget. */
bool sl_budget_take(struct sl_budget *budget, uint64_t bytes);
void sl_budget_give(struct sl_budget *budget, uint64_t bytes);

struct sl_arena;

/* Small arrays that live and die together, counted against a budget. All zeros but the budget is a
 * valid start. */
struct sl_budget_pool {
    struct sl_budget *budget;
    struct sl_arena *pool; /* owned */
    uint64_t bytes;        /* taken from the budget */
};

/* `count` zeros of `size` bytes; NULL when over the budget or out of memory. */
void *sl_budget_pool_alloc(struct sl_budget_pool *pool, size_t count, size_t size);
void sl_budget_pool_fini(struct sl_budget_pool *pool);

/* Scratch memory that all operators share: nothing in it outlives one of them. */
struct sl_workspace {
    struct sl_budget *budget;
    uint8_t *base; /* 64-byte aligned */
    size_t bytes;
};

/* Makes the workspace at least `bytes` large, which may move it; after success it has a base. 0 or
 * SL_ET_* (runtime.h). */
int sl_workspace_reserve(struct sl_workspace *workspace, uint64_t bytes);
void sl_workspace_fini(struct sl_workspace *workspace);
