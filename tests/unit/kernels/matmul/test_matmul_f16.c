/* tests/unit/kernels/matmul/test_matmul_f16.c: every f16 matrix product of the list against a plain
 * one. */
#include <string.h>

#include "kernels/matmul/matmul_f16.h"

#define SL_TYPE f16
enum { GAP = 0x7bff, TRIES = 2 };
#include "tests/unit/kernels/matmul/matmul_x16.h"

/* NEON adds in half precision: 2 ulp * sqrt(k) of the largest sum. The others round once, at the
 * end of sums in f32. */
static double slack_of(const KERNEL *kernel, const struct product *p)
{
    double terms = 1 + (double)p->k;
    if (strstr(kernel->name, "_neon"))
        return 2 * sqrt(terms) * sl_case_half_ulp(sqrt(terms));
    return terms * 0x1p-24;
}

static void compare(const KERNEL *kernel, const struct product *p, const SL_RESULT *dst,
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
static void run_way(const KERNEL *kernel, const struct product *p, int way, ARGS *args)
{
    args->lhs = p->lhs;
    if (way == 0 || !kernel->run_packed) {
        kernel->run(args);
        return;
    }
    kernel->pack_lhs(p->m, p->k, p->lhs, args->lhs_stride, args->workspace);
    args->lhs = NULL;
    kernel->run_packed(args);
}

int main(void)
{
    return run_all();
}
