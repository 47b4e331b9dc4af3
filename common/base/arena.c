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
    struct sl_arena *arena = sl_calloc(1, sizeof(*arena));
    if (arena)
        *arena = (struct sl_arena){.budget_bytes = budget_bytes, .chunk_bytes = FIRST_CHUNK_BYTES};
    return arena;
}

void sl_arena_free(struct sl_arena *arena)
{
    if (!arena)
        return;
    for (struct chunk *chunk = arena->chunks; chunk;) {
        struct chunk *next = chunk->next;
        sl_free(chunk);
        chunk = next;
    }
    sl_free(arena);
}

static struct chunk *add_chunk(struct sl_arena *arena, size_t bytes)
{
    struct chunk *chunk = sl_calloc(1, sizeof(*chunk) + bytes);
    if (!chunk)
        return NULL;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    return chunk;
}

int sl_arena_alloc(struct sl_arena *arena, size_t count, size_t size, void **out_block)
{
    const size_t align = alignof(max_align_t);
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > arena->budget_bytes)
        return SL_E_LIMIT;
    arena->budget_bytes -= bytes;
    bytes = bytes == 0 ? align : (bytes + align - 1) / align * align;
    if (bytes > arena->free_bytes && bytes >= arena->chunk_bytes / 4) {
        struct chunk *own = add_chunk(arena, bytes);
        if (own)
            *out_block = own->bytes;
        return own ? 0 : -ENOMEM;
    }
    if (bytes > arena->free_bytes) {
        struct chunk *chunk = add_chunk(arena, arena->chunk_bytes);
        if (!chunk)
            return -ENOMEM;
        arena->free_at = chunk->bytes;
        arena->free_bytes = arena->chunk_bytes;
        if (arena->chunk_bytes < LAST_CHUNK_BYTES)
            arena->chunk_bytes *= 2;
    }
    *out_block = arena->free_at;
    arena->free_at += bytes;
    arena->free_bytes -= bytes;
    return 0;
}

int sl_arena_charge(struct sl_arena *arena, size_t bytes)
{
    if (bytes > arena->budget_bytes)
        return SL_E_LIMIT;
    arena->budget_bytes -= bytes;
    return 0;
}
