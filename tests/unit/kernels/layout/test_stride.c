/* tests/unit/kernels/layout/test_stride.c: every step of the list's kernels, byte by byte. */
#include <string.h>

#include "kernels/layout/stride.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

/* The memory ends with the last element that is read, on both sides. */
static void check(const struct sl_stride *kernel, size_t count, size_t bytes, ptrdiff_t step)
{
    size_t apart = (size_t)(step < 0 ? -step : step),
           all = count == 0 ? 0 : (count - 1) * apart + 1;
    uint8_t *in = sl_guarded_new(all * bytes, bytes), *out = sl_guarded_new(count * bytes, bytes);
    for (size_t i = 0; i < all * bytes; i++)
        in[i] = (uint8_t)(i * 37 + i / 256);
    const uint8_t *first = step < 0 && all > 0 ? in + (all - 1) * bytes : in;
    if (count > 0)
        memset(out, 77, count * bytes);
    kernel->run(count, bytes, step, first, out);
    for (size_t i = 0; i < count; i++)
        assert_memory_equal(out + i * bytes, first + (ptrdiff_t)(i * bytes) * step, bytes);
    sl_case_free(2, (void *[]){in, out});
}

TEST(elements_that_lie_apart_come_together)
{
    const struct sl_stride *kernel;
    for (size_t i = 0; (kernel = sl_stride_at(i)) != NULL; i++) {
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t bytes = 1; bytes <= 8; bytes *= 2)
            for (ptrdiff_t step = -6; step <= 6; step++)
                for (size_t count = 0; count < 40; count++)
                    check(kernel, count, bytes, step);
    }
}

/* A kernel is chosen where it takes at least one vector and an element behind it. */
TEST(runs_without_a_vector_go_to_the_portable_kernel)
{
    const struct sl_stride *last = &sl_stride_1x1_scalar,
                           *first = sl_stride_select(UINT32_MAX, 5, 4, 2);
    assert_ptr_equal(sl_stride_select(0, 5, 4, 2), last);
    assert_ptr_equal(sl_stride_select(UINT32_MAX, 0, 1, 0), last);
    assert_ptr_equal(sl_stride_select(UINT32_MAX, 4, 4, -2), last);
    assert_ptr_equal(sl_stride_select(UINT32_MAX, 5, 4, 5), last);
    assert_ptr_equal(sl_stride_select(UINT32_MAX, 17, 1, -4), first);
}
