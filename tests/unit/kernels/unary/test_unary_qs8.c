/* tests/unit/kernels/unary/test_unary_qs8.c: every look-up and clamp of int8 of the list. */
#include <stdio.h>
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/unary/unary_qs8.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/qs8_case.h"
#include "tests/support/test.h"

static void check(const struct sl_unary_qs8 *kernel, size_t count, bool in_place, uint32_t *seed)
{
    char text[48];
    int8_t *in = sl_case_bytes(seed, count), *table = sl_case_bytes(seed, 256);
    int8_t *want = sl_case_same_bytes(count, 0);
    int8_t *out = in_place ? in : sl_case_same_bytes(count, 0);
    for (size_t i = 0; i < count; i++) {
        in[i] = (int8_t)(i < 256 ? i : (uint8_t)in[i]); /* each value once at least */
        int clamped = in[i] < -100 ? -100 : in[i] > 77 ? 77 : in[i];
        want[i] = kernel->op == SL_UNARY_QS8_CLAMP ? (int8_t)clamped : table[(uint8_t)in[i]];
    }
    kernel->run(&(struct sl_unary_qs8_args){count, in, out, table, -100, 77});
    snprintf(text, sizeof(text), "%zu in place=%d", count, in_place);
    sl_qs8_case_equal(kernel->name, text, out, want, count);
    sl_case_free(in_place ? 3 : 4, (void *[]){in, table, want, out});
}

TEST(every_count_and_value_equals_the_reference)
{
    const struct sl_unary_qs8 *kernel;
    for (size_t i = 0; (kernel = sl_unary_qs8_at(i)) != NULL; i++) {
        uint32_t seed = 1;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t count = 0; count <= 140; count++)
            check(kernel, count, count % 2, &seed);
        check(kernel, 257, true, &seed);
        check(kernel, 4099, false, &seed);
    }
}

TEST(select_finds_the_operation)
{
    for (int op = SL_UNARY_QS8_TABLE; op <= SL_UNARY_QS8_CLAMP; op++) {
        assert_int_equal(sl_unary_qs8_select(SL_ISA_NONE, op)->op, op);
        assert_int_equal(sl_unary_qs8_select(SL_ISA_NONE, op)->needs, SL_ISA_NONE);
        assert_int_equal(sl_unary_qs8_select(sl_isa_detect(), op)->op, op);
    }
}
