/* tests/unit/agent/executorch/test_steady_heap.c */
#include "agent/executorch/steady_heap.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "tests/support/unit.h"

TEST(what_is_freed_is_taken_next)
{
    sl_steady_heap_use(true);
    void *a = sl_steady_malloc(100), *b = sl_steady_malloc(100);
    assert_ptr_not_equal(a, b);
    sl_steady_free(a);
    assert_ptr_equal(sl_steady_malloc(80), a); /* of the same size, as blocks go */
    sl_steady_free(a);
    sl_steady_free(b);
    sl_steady_heap_use(false);
}

TEST(blocks_are_aligned_and_have_no_byte_in_common)
{
    enum { COUNT = 200 };
    unsigned char *blocks[COUNT];
    sl_steady_heap_use(true);
    for (size_t i = 0; i < COUNT; i++) {
        blocks[i] = sl_steady_malloc(i * 7);
        assert_int_equal((uintptr_t)blocks[i] % 64, 0);
        memset(blocks[i], (int)i, i * 7);
    }
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t at = 0; at < i * 7; at++)
            assert_int_equal(blocks[i][at], i);
        sl_steady_free(blocks[i]);
    }
    sl_steady_heap_use(false);
}

TEST(a_block_that_is_taken_again_is_cleared_where_that_is_asked_for)
{
    sl_steady_heap_use(true);
    unsigned char *block = sl_steady_malloc(1000);
    memset(block, 1, 1000);
    sl_steady_free(block);
    unsigned char *again = sl_steady_calloc(10, 100);
    assert_ptr_equal(again, block);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(again[i], 0);
    again[999] = 7;
    unsigned char *longer = sl_steady_realloc(again, 5000);
    assert_int_equal(longer[999], 7);
    sl_steady_heap_use(false);
    sl_steady_free(longer); /* also when it is not in use */
}

TEST(what_it_cannot_have_is_glibcs)
{
    void *block = NULL;
    sl_steady_heap_use(true);
    assert_null(sl_steady_calloc(SIZE_MAX, 2));
    assert_int_equal(sl_steady_posix_memalign(&block, 3, 8), EINVAL);
    /* AddressSanitizer has a __libc_memalign() of its own, but no __libc_free(). */
#if !__has_feature(address_sanitizer)
    assert_int_equal(sl_steady_posix_memalign(&block, 4096, 8), 0);
    assert_int_equal((uintptr_t)block % 4096, 0);
    sl_steady_free(block);
#endif
    assert_int_equal(sl_steady_posix_memalign(&block, 64, 8), 0);
    sl_steady_free(block);
    sl_steady_heap_use(false);
    block = sl_steady_realloc(sl_steady_malloc(8), 16);
    assert_non_null(block);
    sl_steady_free(block);
    sl_steady_free(NULL);
}
