/* agent/executorch/main_allocator.c: the C library's functions for memory, which ExecuTorch's
 * libraries call, by the steady heap. Linked into the program alone. */
#include <malloc.h>
#include <stdlib.h>

#include "agent/executorch/steady_heap.h"

void *malloc(size_t bytes)
{
    return sl_steady_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return sl_steady_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
    return sl_steady_realloc(block, bytes);
}

void free(void *block)
{
    sl_steady_free(block);
}

void *memalign(size_t alignment, size_t bytes)
{
    return sl_steady_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return sl_steady_memalign(alignment, bytes);
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    return sl_steady_posix_memalign(out, alignment, bytes);
}
