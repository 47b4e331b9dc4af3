/* tests/unit/kernels/matmul/test_matmul_bf16.c: every bf16 matrix product of the list against a
 * plain one. */
#include "kernels/matmul/matmul.h"

#include <string.h>

#define SL_TYPE bf16
#define GAP 123456.0F
enum { TRIES = 4 };
#include "tests/unit/kernels/matmul/matmul_x16.inc"

static void compare(const struct sl_matmul *kernel, const struct product *p, const SL_RESULT *dst,
                    size_t count)
{
    size_t stride = p->n + p->dst_gap;
    for (size_t row = 0; row < p->m && p->n > 0; row++)
        sl_case_close_sums(kernel->name, p->text, dst + row * stride, p->want + row * stride, p->n,
                           p->k);
    for (size_t i = 0; i < count; i++)
        if (i % stride >= p->n)
            assert_true(dst[i] == GAP);
}

static SL_RESULT *new_results(size_t count)
{
    return sl_case_constant(count, GAP);
}

static SL_RESULT *new_biases(uint32_t *seed, size_t count)
{
    return sl_case_floats(seed, count);
}

/* In bf16 or in f32, whole or in two halves. The f32 operand has in its low halves what rounding
 * must take away. */
static void run_way(const struct sl_matmul *kernel, const struct product *p, int way,
                    struct sl_matmul_args *args)
{
    size_t count = flush(p->m, args->lhs_stride, p->k);
    float *wide = sl_case_constant(count, 0);
    for (size_t i = 0; i < count; i++) {
        wide[i] = sl_bfloat_to_float(p->lhs[i]);
        if (fabsf(wide[i]) < 1 && fabsf(wide[i]) > 0.01f)
            wide[i] *= i % 2 == 0 ? 1 + 0x1p-10f : 1 - 0x1p-11f;
    }
    args->lhs_is_f32 = way & 1;
    args->lhs = args->lhs_is_f32 ? (const void *)wide : p->lhs;
    if (way < 2 || !kernel->run_packed) {
        kernel->run(args);
    } else {
        kernel->pack_lhs(args);
        kernel->run_packed(args);
    }
    sl_guarded_free(wide);
}

/* The CPU's instructions for bfloat16, which XNNPACK and KleidiAI use as well, take denormal
 * operands as zeros and make zeros of denormal sums; kernels that compute in f32 keep both. */
static void check_denormals(const struct sl_matmul *kernel, size_t k)
{
    bool keeps = !strstr(kernel->name, "_mopa") && !strstr(kernel->name, "_mmla") &&
                 !strstr(kernel->name, "_dot");
    float wide = uniform_product(kernel, k, 0x0040, 0x7180);  /* 2^-127 by 2^100 */
    float small = uniform_product(kernel, k, 0x2080, 0x1f00); /* 2^-62 by 2^-65 */
    float least = uniform_product(kernel, k, 0x8080, 0x3f80); /* the least normal one, negative */
    assert_true(wide == (keeps ? (float)k * 0x1p-27f : 0));
    assert_true(k > 1 || small == (keeps ? 0x1p-127f : 0));
    assert_true(least == (float)k * -0x1p-126f);
    assert_true(isnan(uniform_product(kernel, k, 0x7f80, 0)));
    assert_true(uniform_product(kernel, k, 0x7f00, 0xc000) == -INFINITY);
}
