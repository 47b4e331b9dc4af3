/* tests/unit/kernels/matmul/test_matmul_f16.c: every f16 matrix product of the list against a plain
 * one. */
#include <string.h>

#include "kernels/matmul/matmul.h"

#define SL_TYPE f16
enum { GAP = 0x7bff, TRIES = 2 };
#include "tests/unit/kernels/matmul/matmul_x16.inc"

/* NEON adds in half precision: 2 ulp * sqrt(k) of the largest sum. The others round once, at the
 * end of sums in f32. */
static double slack_of(const struct sl_matmul *kernel, const struct product *p)
{
    double terms = 1 + (double)p->k;
    if (strstr(kernel->name, "_neon"))
        return 2 * sqrt(terms) * sl_case_half_ulp(sqrt(terms));
    return terms * 0x1p-24;
}

static void compare(const struct sl_matmul *kernel, const struct product *p, const SL_RESULT *dst,
                    size_t count)
{
    double slack = slack_of(kernel, p);
    size_t stride = p->n + p->dst_gap;
    for (size_t row = 0; row < p->m && p->n > 0; row++)
        sl_case_close_halves(kernel->name, p->text, dst + row * stride, p->want + row * stride,
                             p->n, 0.5, slack);
    for (size_t i = 0; i < count; i++)
        if (i % stride >= p->n)
            assert_int_equal(dst[i], GAP);
}

static SL_RESULT *new_results(size_t count)
{
    return sl_case_constant_halves(count, GAP);
}

static SL_RESULT *new_biases(uint32_t *seed, size_t count)
{
    return sl_case_halves(seed, count, false);
}

/* Whole, or in its two halves where there are two. */
static void run_way(const struct sl_matmul *kernel, const struct product *p, int way,
                    struct sl_matmul_args *args)
{
    args->lhs = p->lhs;
    if (way == 0 || !kernel->run_packed) {
        kernel->run(args);
        return;
    }
    kernel->pack_lhs(args);
    args->lhs = NULL;
    kernel->run_packed(args);
}

/* Nothing is flushed to zero: operands, results. */
static void check_denormals(const struct sl_matmul *kernel, size_t k)
{
    assert_int_equal(uniform_product(kernel, k, 0x0001, 0x3c00), k);
    assert_int_equal(uniform_product(kernel, k, 0x3c00, 0x8003), 0x8000 | 3 * k);
    assert_int_equal(uniform_product(kernel, k, 0x0400, 0x2800), 32 * k); /* 2^-14 by 2^-5 */
    assert_int_equal(uniform_product(kernel, k, 0x7c00, 0x0000) & 0x7c00, 0x7c00);
    assert_int_equal(uniform_product(kernel, k, 0x7bff, 0xc000), 0xfc00); /* past the largest */
}
