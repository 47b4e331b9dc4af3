/* agent/runtime/budget.c */
#include "agent/runtime/budget.h"

#include <string.h>

#include "agent/runtime/runtime.h"
#include "common/base/arena.h"
#include "common/base/mem.h"

enum { ALIGNMENT = 64 };

void *sl_budget_alloc(struct sl_budget *budget, uint64_t bytes)
{
    if (bytes > budget->limit - budget->used || bytes > SIZE_MAX - ALIGNMENT)
        return NULL;
    /* A large block comes from fresh pages, which are zero until a program touches them: calloc
     * knows that. The block's true start stands before the aligned one. */
    char *block = sl_calloc(1, (size_t)bytes + ALIGNMENT + sizeof(void *));
    if (!block)
        return NULL;
    uintptr_t at = (uintptr_t)block + sizeof(void *);
    char *aligned = block + sizeof(void *) + (ALIGNMENT - at % ALIGNMENT) % ALIGNMENT;
    memcpy(aligned - sizeof(void *), &block, sizeof(block));
    budget->used += bytes;
    return aligned;
}

void sl_budget_free(struct sl_budget *budget, void *block, uint64_t bytes)
{
    char *start;
    if (!block)
        return;
    memcpy(&start, (char *)block - sizeof(start), sizeof(start));
    budget->used -= bytes;
    sl_free(start);
}

bool sl_budget_take(struct sl_budget *budget, uint64_t bytes)
{
    if (bytes > budget->limit - budget->used)
        return false;
    budget->used += bytes;
    return true;
}

void sl_budget_give(struct sl_budget *budget, uint64_t bytes)
{
    budget->used -= bytes;
}

void *sl_budget_pool_alloc(struct sl_budget_pool *pool, size_t count, size_t size)
{
    void *block = NULL;
    uint64_t bytes;
    if (!pool->pool)
        pool->pool = sl_arena_new(SIZE_MAX);
    if (!pool->pool || __builtin_mul_overflow((uint64_t)count, (uint64_t)size, &bytes) ||
        !sl_budget_take(pool->budget, bytes))
        return NULL;
    pool->bytes += bytes;
    return sl_arena_alloc(pool->pool, count, size, &block) == 0 ? block : NULL;
}

void sl_budget_pool_fini(struct sl_budget_pool *pool)
{
    sl_arena_free(pool->pool);
    if (pool->bytes != 0)
        sl_budget_give(pool->budget, pool->bytes);
    pool->pool = NULL;
    pool->bytes = 0;
}

int sl_workspace_reserve(struct sl_workspace *workspace, uint64_t bytes)
{
    if (workspace->base && bytes <= workspace->bytes)
        return 0;
    uint8_t *base = sl_budget_alloc(workspace->budget, bytes);
    if (!base)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    sl_budget_free(workspace->budget, workspace->base, workspace->bytes);
    workspace->base = base;
    workspace->bytes = (size_t)bytes;
    return 0;
}

void sl_workspace_fini(struct sl_workspace *workspace)
{
    if (workspace->base)
        sl_budget_free(workspace->budget, workspace->base, workspace->bytes);
    workspace->base = NULL;
    workspace->bytes = 0;
}
