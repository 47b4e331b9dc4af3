/* common/base/mem.h: allocation with overflow checks, and failure on demand for tests. */
#pragma once

#include <stddef.h>

/* All return NULL when the product overflows, memory is short, or a test asked for the failure.
 * Release everything but sl_aligned_alloc()'s with sl_free(). */
void *sl_malloc(size_t count, size_t size);
void *sl_calloc(size_t count, size_t size);
void *sl_realloc(void *old, size_t count, size_t size); /* on NULL the old block stays */
char *sl_strndup(const char *text, size_t len);         /* terminated copy of `len` bytes */
void sl_free(void *block);                              /* NULL is a no-op */

/* Room for one more behind the `count` things of `size` bytes that `*capacity` are there for:
 * `array` is the address of the pointer to them. 0 or -ENOMEM, and all is as it was. */
int sl_grow(void *array, size_t *capacity, size_t count, size_t size);

/* `alignment` is a power of two of at least sizeof(void *); the block is not cleared. Release with
 * sl_free(). Equal sequences of calls give equal offsets within a page: counted runs rely on it. */
void *sl_aligned_alloc(size_t alignment, size_t bytes);

/* Gives back to the system what was freed, where the C library keeps it: after work that took much
 * memory for a short time. Takes about a millisecond; of any thread. */
void sl_mem_trim(void);

/* From now on a block of 1 MiB or more goes back to the system as it is freed. The C library would
 * keep it for the next one, and each thread keeps its own. One of 4 MiB or more is of large pages,
 * where the system has them. Of smaller freed blocks the heap keeps 4 MiB, so that messages reuse
 * them. Programs that work on whole files now and then call this before they start threads. */
void sl_mem_return_large(void);

/* Tests only: the nth allocation from here fails, once; 0 takes that back. Not for several threads.
 */
void sl_mem_fail_nth(unsigned nth);
