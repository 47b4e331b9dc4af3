/* common/base/mem.c */
#define _DEFAULT_SOURCE /* madvise() */
#include "common/base/mem.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

enum { RETURNED_BYTES = 1 << 20, KEPT_BYTES = 4 << 20, LARGE_PAGES_BYTES = 4 << 20 };

static unsigned fail_in; /* 0: never */
#if defined(__GLIBC__)
static bool returns_large;
#endif

static int fails_now(size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return 1;
    return fail_in != 0 && --fail_in == 0;
}

void sl_mem_fail_nth(unsigned nth)
{
    fail_in = nth;
}

/* An empty block is one byte, so that NULL always means failure. */
static size_t total(size_t count, size_t size)
{
    return count * size != 0 ? count * size : 1;
}

/* A block that goes back to the system when it is freed costs page faults each time it is taken;
 * large pages make these few. Returns the block. */
static void *in_large_pages(void *block, size_t bytes)
{
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
    if (returns_large && block && bytes >= LARGE_PAGES_BYTES) {
        uintptr_t within = (uintptr_t)block % (uintptr_t)sysconf(_SC_PAGESIZE);
        madvise((uint8_t *)block - within, bytes + within, MADV_HUGEPAGE); /* else small ones */
    }
#else
    (void)bytes;
#endif
    return block;
}

void *sl_malloc(size_t count, size_t size)
{
    size_t bytes = total(count, size);
    return fails_now(count, size) ? NULL : in_large_pages(malloc(bytes), bytes);
}

void *sl_calloc(size_t count, size_t size)
{
    size_t bytes = total(count, size);
    return fails_now(count, size) ? NULL : in_large_pages(calloc(1, bytes), bytes);
}

void *sl_realloc(void *old, size_t count, size_t size)
{
    size_t bytes = total(count, size);
    return fails_now(count, size) ? NULL : in_large_pages(realloc(old, bytes), bytes);
}

int sl_grow(void *array, size_t *capacity, size_t count, size_t size)
{
    void *things;
    size_t more = *capacity == 0 ? 8 : *capacity;
    if (count < *capacity)
        return 0;
    while (more <= count)
        more *= 2;
    memcpy(&things, array, sizeof(things)); /* whatever the things are */
    things = sl_realloc(things, more, size);
    if (!things)
        return -ENOMEM;
    memcpy(array, &things, sizeof(things));
    *capacity = more;
    return 0;
}

char *sl_strndup(const char *text, size_t len)
{
    if (len == SIZE_MAX)
        return NULL;
    char *copy = sl_malloc(len + 1, 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

void sl_free(void *block)
{
    free(block);
}

void *sl_aligned_alloc(size_t alignment, size_t bytes)
{
    void *block = NULL;
    if (fails_now(bytes, 1))
        return NULL;
    return posix_memalign(&block, alignment, total(bytes, 1)) == 0 ? block : NULL;
}

void sl_mem_trim(void)
{
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

void sl_mem_return_large(void)
{
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, RETURNED_BYTES); /* glibc raises a threshold that nobody set */
    mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);     /* and now would give back 128 KiB at once */
    returns_large = true;
#endif
}
