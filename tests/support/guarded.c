/* tests/support/guarded.c */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "tests/support/guarded.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/test.h"

enum { FILL = 0xa5, MAX_BLOCKS = 64 };

/* Three of five blocks end at a guard page, two begin at one, by turns that do not follow the
 * test's own. A test that makes its operands for each shape has all of them at both. */
static bool begins_at_guard(void)
{
    static uint32_t turn = 1;
    turn = turn * 1664525u + 1013904223u;
    return (turn >> 16) % 5 < 2;
}

static struct block {
    unsigned char *data, *map; /* the map starts and ends with a guard page */
    size_t bytes, map_bytes;
} blocks[MAX_BLOCKS];

static struct block *find(const void *data)
{
    for (size_t i = 0; i < MAX_BLOCKS; i++)
        if (blocks[i].data == data)
            return &blocks[i];
    fail_msg("no block of guarded memory is at %p", data);
    return NULL;
}

void *sl_guarded_new(size_t bytes, size_t align)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t room = (bytes + align - 1) / align * align;
    size_t inner = (room + page - 1) / page * page + page;
    struct block *block = find(NULL);
    block->bytes = bytes;
    block->map_bytes = inner + 2 * page;
    block->map = mmap(NULL, block->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(block->map, MAP_FAILED);
    assert_int_equal(mprotect(block->map + page, inner, PROT_READ | PROT_WRITE), 0);
    memset(block->map + page, FILL, inner);
    block->data = block->map + page + (begins_at_guard() ? 0 : inner - room);
    memset(block->data, 0, bytes);
    return block->data;
}

static void check_fill(const unsigned char *from, const unsigned char *to)
{
    for (; from < to; from++)
        if (*from != FILL)
            fail_msg("a byte outside an operand was written");
}

void sl_guarded_free(void *data)
{
    if (!data)
        return;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct block *block = find(data);
    check_fill(block->map + page, block->data);
    check_fill(block->data + block->bytes, block->map + block->map_bytes - page);
    munmap(block->map, block->map_bytes);
    *block = (struct block){.data = NULL};
}
