/* common/base/mem.c */
#include "common/base/mem.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

static unsigned fail_in; /* 0: never */

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

void *sl_malloc(size_t count, size_t size)
{
    return fails_now(count, size) ? NULL : malloc(total(count, size));
}

void *sl_calloc(size_t count, size_t size)
{
    return fails_now(count, size) ? NULL : calloc(1, total(count, size));
}

void *sl_realloc(void *old, size_t count, size_t size)
{
    return fails_now(count, size) ? NULL : realloc(old, total(count, size));
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
    mallopt(M_MMAP_THRESHOLD, 1 << 20); /* glibc raises a threshold that nobody set */
#endif
}
