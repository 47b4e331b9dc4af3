/* tests/unit/kernels/matmul/test_matmul.c: every matrix product of the list against a plain one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/cpu/isa.h"
#include "kernels/matmul/matmul.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

/* The filling between the rows of dst, which must stay: no number, so that no tolerance grows by
 * it. */
#define GAP (-INFINITY)

struct matmul_case {
    size_t m, n, k, lhs_gap, dst_gap;
    bool transposed, has_bias, clamps;
};

static double element(const struct matmul_case *c, const float *lhs, const float *rhs,
                      const float *bias, size_t i, size_t j)
{
    double sum = bias ? (double)bias[j] : 0;
    for (size_t p = 0; p < c->k; p++)
        sum += (double)lhs[i * (c->k + c->lhs_gap) + p] *
               (double)(c->transposed ? rhs[p * c->n + j] : rhs[j * c->k + p]);
    return c->clamps ? sl_case_clamp(sum, -0.5, 0.75) : sum;
}

static double *reference(const struct matmul_case *c, const float *lhs, const float *rhs,
                         const float *bias)
{
    size_t stride = c->n + c->dst_gap;
    double *want = calloc(c->m * stride + 1, sizeof(double));
    for (size_t i = 0; i < c->m; i++)
        for (size_t j = 0; j < stride; j++)
            want[i * stride + j] = j < c->n ? element(c, lhs, rhs, bias, i, j) : (double)GAP;
    return want;
}

static size_t flush(size_t rows, size_t stride, size_t used)
{
    return rows ? (rows - 1) * stride + used : 0;
}

static void check(const struct sl_matmul *kernel, const struct matmul_case *c, float *lhs,
                  uint32_t *seed)
{
    size_t lhs_stride = c->k + c->lhs_gap, dst_stride = c->n + c->dst_gap;
    size_t dst_count = flush(c->m, dst_stride, c->n);
    float *rhs = sl_case_floats(seed, c->n * c->k);
    float *bias = c->has_bias ? sl_case_floats(seed, c->n) : NULL;
    float *dst = sl_case_constant(dst_count, GAP);
    void *packed = sl_guarded_new(kernel->rhs_bytes(c->n, c->k), 64);
    void *workspace = sl_guarded_new(kernel->workspace_bytes(c->m, c->n, c->k), 64);
    kernel->pack_rhs(c->n, c->k, rhs, c->transposed, bias, packed);
    struct sl_matmul_args args = {
        c->m,
        c->n,
        c->k,
        lhs,
        lhs_stride,
        packed,
        dst,
        dst_stride,
        c->clamps ? -0.5f : -INFINITY,
        c->clamps ? 0.75f : INFINITY,
        workspace,
        false,
    };
    double *want = reference(c, lhs, rhs, bias);
    char shape[96];
    snprintf(shape, sizeof(shape), "m=%zu n=%zu k=%zu bias=%d clamp=%d transposed=%d", c->m, c->n,
             c->k, c->has_bias, c->clamps, c->transposed);
    kernel->run(&args);
    sl_case_close_sums(kernel->name, shape, dst, want, dst_count, c->k);
    if (kernel->run_packed) {
        for (size_t i = 0; i < dst_count; i++)
            dst[i] = GAP;
        kernel->pack_lhs(&args);
        kernel->run_packed(&args);
        sl_case_close_sums(kernel->name, shape, dst, want, dst_count, c->k);
    }
    free(want);
    sl_guarded_free(rhs);
    sl_guarded_free(bias);
    sl_guarded_free(dst);
    sl_guarded_free(packed);
    sl_guarded_free(workspace);
}

static void check_random(const struct sl_matmul *kernel, struct matmul_case c, uint32_t *seed)
{
    c.m = kernel->gemv ? 1 : c.m;
    float *lhs = sl_case_floats(seed, flush(c.m, c.k + c.lhs_gap, c.k));
    check(kernel, &c, lhs, seed);
    sl_guarded_free(lhs);
}

TEST(sizes_one_to_forty_equal_the_reference)
{
    const struct sl_matmul *kernel;
    SL_EACH (kernel, matmul, SL_F32) {
        uint32_t seed = 1;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t size = 1; size <= 40; size++) {
            check_random(kernel, (struct matmul_case){size, 17, 5, 0, 0, false, true, true}, &seed);
            check_random(kernel, (struct matmul_case){3, size, 7, 0, 1, true, true, false}, &seed);
            check_random(kernel, (struct matmul_case){6, 19, size, 2, 0, false, false, false},
                         &seed);
            check_random(kernel,
                         (struct matmul_case){1, size * 7 % 90 + 1, size, 0, 0, false, true, true},
                         &seed);
            check_random(kernel, /* few columns */
                         (struct matmul_case){size * 7 % 23 + 1, size % 7 + 1, size, size % 2,
                                              size % 3 / 2, size % 5 > 2, size % 2, size % 4 > 1},
                         &seed);
        }
    }
}

/* Every remainder of rows and of columns, on one block and on the next. */
TEST(sizes_up_to_two_blocks_equal_the_reference)
{
    const struct sl_matmul *kernel;
    SL_EACH (kernel, matmul, SL_F32) {
        uint32_t seed = 4;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t m = 1; m > 0 && !kernel->gemv; m = sl_case_next_size(m, kernel->m_step()))
            check_random(kernel, (struct matmul_case){m, 3, 4, m % 2, 0, false, true, m % 3 == 0},
                         &seed);
        for (size_t n = 1; n > 0; n = sl_case_next_size(n, kernel->n_step()))
            check_random(kernel,
                         (struct matmul_case){2, n, 3, 0, n % 2, n % 4 > 1, n % 3 > 0, n % 5 == 0},
                         &seed);
    }
}

/* Rows and columns about whole tiles of the usual vector lengths, and up to nine tiles of this one.
 */
TEST(products_with_a_narrow_side_equal_the_reference)
{
    static const size_t edges[] = {1, 15, 16, 17, 31, 63, 64, 65};
    const struct sl_matmul *kernel;
    SL_EACH (kernel, matmul, SL_F32) {
        uint32_t seed = 6;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t i = 0; i < 64; i++)
            check_random(kernel,
                         (struct matmul_case){edges[i / 8], edges[i % 8], i * 5 % 39, i % 3, i % 4,
                                              i % 5 > 2, i % 3 > 0, i % 2},
                         &seed);
        for (size_t tiles = 1; tiles <= 9; tiles++) {
            size_t m = tiles * kernel->m_step() / 2, n = tiles * kernel->n_step() / 2;
            check_random(kernel, (struct matmul_case){m - tiles / 5, 3, 21, 0, 1, 0, true, n % 3},
                         &seed);
            check_random(kernel, (struct matmul_case){3, n - tiles / 5, 19, 1, 0, 1, true, n % 5},
                         &seed);
        }
        if (!(kernel->needs & SL_ISA_SME2))
            continue; /* only kernels of SME2 pack a chunk of rows at a time */
        check_random(kernel, (struct matmul_case){150, 5, 1100, 0, 0, false, true, false}, &seed);
        check_random(kernel, (struct matmul_case){135, 37, 900, 1, 1, true, true, true}, &seed);
    }
}

TEST(random_shapes_equal_the_reference)
{
    const struct sl_matmul *kernel;
    SL_EACH (kernel, matmul, SL_F32) {
        uint32_t seed = 2;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (int n = 0; n < 60; n++) {
            size_t flags = sl_case_pick(&seed, 0, 7);
            struct matmul_case c = {sl_case_pick(&seed, 1, 40),
                                    sl_case_pick(&seed, 1, 70),
                                    sl_case_pick(&seed, 0, 130),
                                    sl_case_pick(&seed, 0, 3),
                                    sl_case_pick(&seed, 0, 3),
                                    flags & 1,
                                    flags & 2,
                                    flags & 4};
            check_random(kernel, c, &seed);
        }
        check_random(kernel, (struct matmul_case){2, 300, 700, 0, 0, false, true, false}, &seed);
        check_random(kernel, (struct matmul_case){0, 4, 4, 0, 0, false, true, false}, &seed);
        check_random(kernel, (struct matmul_case){4, 0, 4, 0, 0, false, true, false}, &seed);
    }
}

TEST(infinities_and_nan_stay_in_their_row)
{
    const struct sl_matmul *kernel;
    SL_EACH (kernel, matmul, SL_F32) {
        uint32_t seed = 3;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (int clamps = 0; clamps < 2; clamps++) {
            struct matmul_case c = {kernel->gemv ? 1 : 7, 9, 6, 0, 0, false, true, clamps};
            float *lhs = sl_case_floats(&seed, c.m * c.k);
            lhs[3] = INFINITY;
            check(kernel, &c, lhs, &seed);
            lhs[c.m * c.k - 1] = NAN;
            check(kernel, &c, lhs, &seed);
            sl_guarded_free(lhs);
        }
    }
}

/* One value everywhere in a row, one in the weights, no bias: what each of some columns is. */
static float product_of(const struct sl_matmul *kernel, size_t k, float left, float right)
{
    enum { N = 19 };
    float *lhs = sl_case_constant(k, left), *rhs = sl_case_constant(N * k, right), dst[N];
    void *packed = sl_guarded_new(kernel->rhs_bytes(N, k), 64);
    void *workspace = sl_guarded_new(kernel->workspace_bytes(1, N, k), 64);
    kernel->pack_rhs(N, k, rhs, false, NULL, packed);
    kernel->run(&(struct sl_matmul_args){1, N, k, lhs, k, packed, dst, N, -INFINITY, INFINITY,
                                         workspace, false});
    for (size_t j = 1; j < N; j++)
        assert_memory_equal(dst, dst + j, sizeof(*dst));
    sl_case_free(4, (void *[]){lhs, rhs, packed, workspace});
    return dst[0];
}

/* As XNNPACK's, nothing is flushed to zero. Zeros of either sign sum up to a zero: to +0 by outer
 * products, whose biases are added to +0, as KleidiAI's are. */
TEST(denormals_are_kept_and_infinities_times_zero_are_nan)
{
    const struct sl_matmul *kernel;
    SL_EACH (kernel, matmul, SL_F32) {
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t k = 1; k < 40; k++) {
            assert_true(product_of(kernel, k, 0x1p-140f, 0x1p100f) == (float)k * 0x1p-40f);
            assert_true(product_of(kernel, k, 0x1p100f, -0x1p-140f) == (float)k * -0x1p-40f);
            assert_true(product_of(kernel, k, 0x1p-72f, 0x1p-72f) == (float)k * 0x1p-144f);
            assert_true(product_of(kernel, k, -0x1p-80f, 0x1p-80f) == 0);
            assert_true(product_of(kernel, k, -0.0f, 1) == 0);
            assert_true(isnan(product_of(kernel, k, INFINITY, 0)));
            assert_true(product_of(kernel, k, 0x1.8p127f, -2) == -INFINITY);
        }
    }
}

TEST(select_prefers_the_list_and_keeps_gemv_for_one_row)
{
    assert_int_equal(sl_matmul_select(SL_ISA_NONE, SL_F32, 7, 64, 64)->needs, SL_ISA_NONE);
    assert_false(sl_matmul_select(sl_isa_detect(), SL_F32, 2, 64, 64)->gemv);
    const struct sl_matmul *kernel;
    SL_EACH (kernel, matmul, SL_F32)
        if (kernel->gemv && (kernel->needs & ~sl_isa_detect()) == 0)
            assert_true(sl_matmul_select(sl_isa_detect(), SL_F32, 1, 64, 64)->gemv);
}
