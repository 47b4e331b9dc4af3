/* common/base/arena.c */
#include "common/base/arena.h"

#include <errno.h>
#include <stdalign.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/mem.h"

enum { FIRST_CHUNK_BYTES = 4096, LAST_CHUNK_BYTES = 1 << 20 };

struct chunk {
    struct chunk *next;
    alignas(max_align_t) uint8_t bytes[];
};

struct sl_arena {
    struct chunk *chunks; /* owned; the newest first */
    uint8_t *free_at;     /* in the chunk that small blocks come from */
    size_t free_bytes;
    size_t chunk_bytes; /* of the next such chunk */
    size_t budget_bytes;
};

struct sl_arena *sl_arena_new(size_t budget_bytes)
{
    struct sl_arena *pool = sl_calloc(1, sizeof(*pool));
    if (pool)
        *pool = (struct sl_arena){.budget_bytes = budget_bytes, .chunk_bytes = FIRST_CHUNK_BYTES};
    return pool;
}

void sl_arena_free(struct sl_arena *pool)
{
    if (!pool)
        return;
    for (struct chunk *chunk = pool->chunks; chunk;) {
        struct chunk *next = chunk->next;
        sl_free(chunk);
        chunk = next;
    }
    sl_free(pool);
}

static struct chunk *add_chunk(struct sl_arena *pool, size_t bytes)
{
    struct chunk *chunk = sl_calloc(1, sizeof(*chunk) + bytes);
    if (!chunk)
        return NULL;
    chunk->next = pool->chunks;
    pool->chunks = chunk;
    return chunk;
}

int sl_arena_alloc(struct sl_arena *pool, size_t count, size_t size, void **out_block)
{
    const size_t align = alignof(max_align_t);
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > pool->budget_bytes)
        return SL_E_LIMIT;
    pool->budget_bytes -= bytes;
    bytes = bytes == 0 ? align : (bytes + align - 1) / align * align;
    if (bytes > pool->free_bytes && bytes >= pool->chunk_bytes / 4) {
        struct chunk *own = add_chunk(pool, bytes);
        if (own)
            *out_block = own->bytes;
        return own ? 0 : -ENOMEM;
    }
    if (bytes > pool->free_bytes) {
        struct chunk *chunk = add_chunk(pool, pool->chunk_bytes);
        if (!chunk)
            return -ENOMEM;
        pool->free_at = chunk->bytes;
        pool->free_bytes = pool->chunk_bytes;
        if (pool->chunk_bytes < LAST_CHUNK_BYTES)
            pool->chunk_bytes *= 2;
    }
    *out_block = pool->free_at;
    pool->free_at += bytes;
    pool->free_bytes -= bytes;
    return 0;
}

int sl_arena_charge(struct sl_arena *pool, size_t bytes)
{
    if (bytes > pool->budget_bytes)
        return SL_E_LIMIT;
    pool->budget_bytes -= bytes;
    return 0;
}
