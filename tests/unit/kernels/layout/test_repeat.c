/* tests/unit/kernels/layout/test_repeat.c: every repetition of the list, byte by byte. */
#include <string.h>

#include "kernels/layout/repeat.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

static void check(const struct sl_repeat *kernel, size_t count, size_t bytes, size_t times)
{
    uint8_t *in = sl_guarded_new(count * bytes, bytes);
    uint8_t *out = sl_guarded_new(count * bytes * times, bytes);
    for (size_t i = 0; i < count * bytes; i++)
        in[i] = (uint8_t)(i * 37 + i / 256);
    if (count > 0)
        memset(out, 77, count * bytes * times);
    kernel->run(count, bytes, times, in, out);
    for (size_t i = 0; i < count * times; i++)
        assert_memory_equal(out + i * bytes, in + i / times * bytes, bytes);
    sl_case_free(2, (void *[]){in, out});
}

TEST(every_element_is_repeated)
{
    const struct sl_repeat *kernel;
    for (size_t i = 0; (kernel = sl_repeat_at(i)) != NULL; i++) {
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t bytes = 1; bytes <= 4; bytes *= 2)
            for (size_t times = 1; times < 20; times++)
                for (size_t count = 0; count < 40; count++)
                    check(kernel, count, bytes, times);
    }
}
