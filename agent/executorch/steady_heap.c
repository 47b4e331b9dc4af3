/* agent/executorch/steady_heap.c */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "agent/executorch/steady_heap.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST_BITS = 30 }; /* of a block with its head */
static const size_t whole_bytes = (size_t)1 << 34;

/* glibc's own, under the names that a program's functions do not hide. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *block);

/* Before each block, which it keeps aligned. */
union head {
    struct {
        size_t bits; /* of the block's size, with this */
        union head *next;
    } of;
    char room[SL_STEADY_HEAP_ALIGNMENT];
};

static union head *lists[MOST_BITS + 1];
static char *begin; /* of the address space, NULL: none yet */
static size_t used; /* of it */
static bool in_use;

void sl_steady_heap_use(bool on)
{
    if (on && !begin) {
        void *space = mmap(NULL, whole_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        begin = space == MAP_FAILED ? NULL : space;
    }
    in_use = on && begin;
}

static union head *carve(size_t bits)
{
    size_t bytes = (size_t)1 << bits;
    if (bytes > whole_bytes - used)
        return NULL;
    union head *head = (void *)(begin + used);
    used += bytes;
    head->of.bits = bits;
    return head;
}

/* Its content is anything. NULL: not from here. */
static void *take(size_t bytes)
{
    if (!in_use || bytes > ((size_t)1 << MOST_BITS) - sizeof(union head))
        return NULL;
    size_t bits = 64 - (size_t)__builtin_clzll(bytes + sizeof(union head) - 1);
    bits += bits == 6; /* no bytes: a block is more than its head */
    union head *head = lists[bits];
    if (head)
        lists[bits] = head->of.next;
    else
        head = carve(bits);
    return head ? head + 1 : NULL;
}

static union head *head_of(const void *block)
{
    uintptr_t at = (uintptr_t)block - (uintptr_t)begin;
    return begin && at < used ? (union head *)(uintptr_t)block - 1 : NULL;
}

/* 0: it is not from here. */
static size_t room(const void *block)
{
    const union head *head = head_of(block);
    return head ? ((size_t)1 << head->of.bits) - sizeof(*head) : 0;
}

void *sl_steady_malloc(size_t bytes)
{
    void *block = take(bytes);
    return block ? block : __libc_malloc(bytes);
}

void *sl_steady_calloc(size_t count, size_t bytes)
{
    size_t whole;
    void *block = __builtin_mul_overflow(count, bytes, &whole) ? NULL : take(whole);
    return block ? memset(block, 0, whole) : __libc_calloc(count, bytes);
}

void *sl_steady_realloc(void *block, size_t bytes)
{
    size_t had = room(block);
    if (had == 0)
        return __libc_realloc(block, bytes);
    void *moved = sl_steady_malloc(bytes);
    if (moved) {
        memcpy(moved, block, bytes < had ? bytes : had);
        sl_steady_free(block);
    }
    return moved;
}

void *sl_steady_memalign(size_t alignment, size_t bytes)
{
    void *block = alignment <= sizeof(union head) ? take(bytes) : NULL;
    return block ? block : __libc_memalign(alignment, bytes);
}

int sl_steady_posix_memalign(void **out, size_t alignment, size_t bytes)
{
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0)
        return EINVAL;
    void *block = sl_steady_memalign(alignment, bytes);
    if (!block)
        return ENOMEM;
    *out = block;
    return 0;
}

void sl_steady_free(void *block)
{
    union head *head = head_of(block);
    if (!head) {
        __libc_free(block);
        return;
    }
    head->of.next = lists[head->of.bits];
    lists[head->of.bits] = head;
}
