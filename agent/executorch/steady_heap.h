/* agent/executorch/steady_heap.h: memory that costs the same number of instructions each time.
 *
 * The instructions of glibc's malloc depend on everything that was allocated and freed before, so
 * that two executions of one operator that allocates (XNNPACK's batch matrix products do) differ by
 * some hundred instructions. On the counted clock the libraries' allocations during an execution
 * are served from here: a list of free blocks for each power of two, the last one given back first.
 * One thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { SL_STEADY_HEAP_ALIGNMENT = 64 };

/* From now on blocks are taken from here, or are not. Those that are out stay valid. */
void sl_steady_heap_use(bool on);

/* The allocator's functions, for those of a program; what is too large, aligned to more, or asked
 * for while the heap is not in use is glibc's. A block may be freed at any time. */
void *sl_steady_malloc(size_t bytes);
void *sl_steady_calloc(size_t count, size_t bytes);
void *sl_steady_realloc(void *block, size_t bytes);
void *sl_steady_memalign(size_t alignment, size_t bytes);
int sl_steady_posix_memalign(void **out, size_t alignment, size_t bytes); /* EINVAL, ENOMEM */
void sl_steady_free(void *block);
