/* tests/unit/common/base/test_mem.c */
#include "common/base/mem.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/arena.h"
#include "common/base/error.h"
#include "tests/support/unit.h"

TEST(nth_allocation_fails_once)
{
    sl_mem_fail_nth(2);
    void *first = sl_malloc(1, 8);
    assert_non_null(first);
    assert_null(sl_calloc(1, 8));
    char *third = sl_strndup("abcdef", 3);
    assert_string_equal(third, "abc");
    sl_mem_fail_nth(1);
    assert_null(sl_aligned_alloc(64, 100));
    sl_mem_fail_nth(1);
    assert_null(sl_strndup("x", 1));
    sl_mem_fail_nth(0);
    sl_free(first);
    sl_free(third);
    sl_free(NULL);
}

TEST(product_that_wraps_is_refused)
{
    assert_null(sl_malloc(SIZE_MAX / 2, 3));
    assert_null(sl_calloc(SIZE_MAX, 2));
    assert_null(sl_strndup("x", SIZE_MAX));
    void *block = sl_malloc(0, 8); /* none is no failure */
    assert_non_null(block);
    assert_null(sl_realloc(block, SIZE_MAX, 2));
    block = sl_realloc(block, 2, 8);
    assert_non_null(block);
    sl_free(block);
}

TEST(aligned_block_is_aligned)
{
    void *block = sl_aligned_alloc(4096, 10);
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % 4096, 0);
    sl_free(block);
}

#if defined(__GLIBC__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer) && \
    !__has_feature(memory_sanitizer)
static size_t resident_bytes(void)
{
    unsigned long all, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu %lu", &all, &resident), 2);
    fclose(file);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

/* The C library keeps blocks of a size that was freed before, and what lies before one in use. */
TEST(large_block_goes_back_though_its_like_was_freed_before)
{
    enum { LARGE = 16 << 20, SMALLER = 12 << 20 };
    sl_mem_return_large();
    sl_free(sl_malloc(1, LARGE));
    char *first = sl_malloc(1, SMALLER), *second = sl_malloc(1, SMALLER);
    assert_true(first && second);
    memset(first, 1, SMALLER);
    memset(second, 1, SMALLER);
    size_t before = resident_bytes();
    sl_free(first);
    assert_in_range(before - resident_bytes(), SMALLER - (1 << 20), SMALLER + (1 << 20));
    sl_free(second);
}

/* Does the mapping that holds `block` ask for large pages? "hg" among its flags. */
static bool asks_for_large_pages(const void *block)
{
    char line[512];
    bool within = false, asks = false;
    FILE *file = fopen("/proc/self/smaps", "r");
    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            within = (uintptr_t)block >= from && (uintptr_t)block < to;
        if (within && strncmp(line, "VmFlags:", 8) == 0)
            asks = strstr(line, " hg") != NULL;
    }
    fclose(file);
    return asks;
}

TEST(block_of_megabytes_is_of_large_pages)
{
    enum { LARGE = 16 << 20, SMALL = 2 << 20 };
    if (access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) != 0)
        skip(); /* the system has none */
    sl_mem_return_large();
    void *blocks[] = {sl_malloc(1, LARGE), sl_calloc(1, LARGE),
                      sl_realloc(sl_malloc(1, SMALL), 1, LARGE)};
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
        assert_non_null(blocks[i]);
        assert_true(asks_for_large_pages(blocks[i]));
        sl_free(blocks[i]);
    }
    void *small = sl_malloc(1, SMALL);
    assert_non_null(small);
    assert_false(asks_for_large_pages(small));
    sl_free(small);
}
#endif

TEST(arena_gives_zeroed_aligned_blocks)
{
    struct sl_arena *arena = sl_arena_new(10 << 20);
    assert_non_null(arena);
    for (size_t i = 0; i < 3000; i++) {
        size_t size = i % 100 == 0 ? 5000 : i % 40;
        void *block = NULL;
        assert_int_equal(sl_arena_alloc(arena, size, 1, &block), 0);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % _Alignof(max_align_t), 0);
        for (size_t k = 0; k < size; k++)
            assert_int_equal(((uint8_t *)block)[k], 0);
        memset(block, 0xa5, size);
    }
    sl_arena_free(arena);
    sl_arena_free(NULL);
}

TEST(arena_past_its_budget_is_refused)
{
    void *block = NULL;
    struct sl_arena *arena = sl_arena_new(1000);
    assert_non_null(arena);
    assert_int_equal(sl_arena_alloc(arena, SIZE_MAX, 2, &block), SL_E_LIMIT);
    assert_int_equal(sl_arena_alloc(arena, 600, 1, &block), 0);
    assert_int_equal(sl_arena_alloc(arena, 401, 1, &block), SL_E_LIMIT);
    assert_int_equal(sl_arena_alloc(arena, 400, 1, &block), 0);
    assert_int_equal(sl_arena_alloc(arena, 1, 1, &block), SL_E_LIMIT);
    sl_arena_free(arena);
}

TEST(arena_survives_each_failed_allocation)
{
    int rc = -ENOMEM;
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        void *block;
        sl_mem_fail_nth(nth);
        struct sl_arena *arena = sl_arena_new(1 << 20);
        rc = arena ? sl_arena_alloc(arena, 10, 1, &block) : -ENOMEM;
        if (rc == 0)
            rc = sl_arena_alloc(arena, 100000, 1, &block);
        sl_mem_fail_nth(0);
        sl_arena_free(arena);
    }
    assert_int_equal(rc, 0);
}
