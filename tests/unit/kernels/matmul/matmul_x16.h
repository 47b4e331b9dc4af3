/* tests/unit/kernels/matmul/matmul_x16.h: every product of a list of 16-bit kernels against a plain
 * one, for the type that the including file names (kernels/cpu/element.h).
 *
 * That file defines GAP (what stands between the rows of dst, as it lies there), TRIES (ways to
 * hand over the left operand), and the functions below. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

struct shape {
    size_t m, n, k, lhs_gap, dst_gap;
    bool transposed, has_bias, clamps;
};

struct product {
    size_t m, n, k, lhs_gap, dst_gap;
    bool transposed, has_bias, clamps;
    const SL_ELEMENT *lhs, *rhs; /* lhs as elements */
    const SL_RESULT *bias;
    const double *want;
    char text[96];
};

#define KERNEL struct SL_NAME(sl_matmul, )
#define ARGS struct SL_NAME(sl_matmul, _args)

/* Runs one kernel in way `way` of TRIES, with everything but the left operand set. */
static void run_way(const KERNEL *kernel, const struct product *p, int way, ARGS *args);
/* Compares the results, gaps included. */
static void compare(const KERNEL *kernel, const struct product *p, const SL_RESULT *dst,
                    size_t count);
static SL_RESULT *new_results(size_t count);
static SL_RESULT *new_biases(uint32_t *seed, size_t count);

static double exact(const struct product *p, size_t i, size_t j)
{
    double sum = p->bias ? (double)SL_BIAS(p->bias[j]) : 0;
    for (size_t q = 0; q < p->k; q++)
        sum += (double)SL_GET(p->lhs[i * (p->k + p->lhs_gap) + q]) *
               (double)SL_GET(p->transposed ? p->rhs[q * p->n + j] : p->rhs[j * p->k + q]);
    return p->clamps ? sl_case_clamp(sum, -0.5, 0.75) : sum;
}

static size_t flush(size_t rows, size_t stride, size_t used)
{
    return rows ? (rows - 1) * stride + used : 0;
}

static void check_operands(const KERNEL *kernel, struct product *p, uint32_t *seed)
{
    size_t stride = p->n + p->dst_gap, count = flush(p->m, stride, p->n);
    SL_ELEMENT *rhs = sl_case_halves(seed, p->n * p->k, SL_TYPE_CODE(SL_TYPE) == SL_TYPE_bf16);
    SL_RESULT *bias = p->has_bias ? new_biases(seed, p->n) : NULL;
    void *packed = sl_guarded_new(kernel->rhs_bytes(p->n, p->k), 64);
    p->rhs = rhs;
    p->bias = bias;
    kernel->pack_rhs(p->n, p->k, rhs, p->transposed, bias, packed);
    double *want = calloc(count + 1, sizeof(double));
    for (size_t i = 0; i < count; i++)
        want[i] = i % stride < p->n ? exact(p, i / stride, i % stride) : (double)NAN;
    p->want = want;
    snprintf(p->text, sizeof(p->text), "m=%zu n=%zu k=%zu bias=%d clamp=%d transposed=%d", p->m,
             p->n, p->k, p->has_bias, p->clamps, p->transposed);
    for (int way = 0; way < TRIES; way++) {
        SL_RESULT *dst = new_results(count);
        void *workspace = sl_guarded_new(kernel->workspace_bytes(p->m, p->n, p->k), 64);
        ARGS args = {
            .m = p->m,
            .n = p->n,
            .k = p->k,
            .lhs_stride = p->k + p->lhs_gap,
            .rhs = packed,
            .dst = dst,
            .dst_stride = stride,
            .min = p->clamps ? -0.5f : -INFINITY,
            .max = p->clamps ? 0.75f : INFINITY,
            .workspace = workspace,
        };
        run_way(kernel, p, way, &args);
        compare(kernel, p, dst, count);
        sl_guarded_free(dst);
        sl_guarded_free(workspace);
    }
    free(want);
    void *blocks[] = {rhs, bias, packed};
    sl_case_free(3, blocks);
}

static struct product product_of(struct shape s)
{
    return (struct product){.m = s.m,
                            .n = s.n,
                            .k = s.k,
                            .lhs_gap = s.lhs_gap,
                            .dst_gap = s.dst_gap,
                            .transposed = s.transposed,
                            .has_bias = s.has_bias,
                            .clamps = s.clamps};
}

static void check(const KERNEL *kernel, struct shape s, uint32_t *seed)
{
    s.m = kernel->gemv && s.m > 1 ? 1 : s.m;
    struct product p = product_of(s);
    uint16_t *lhs = sl_case_halves(seed, flush(p.m, p.k + p.lhs_gap, p.k),
                                   SL_TYPE_CODE(SL_TYPE) == SL_TYPE_bf16);
    p.lhs = lhs;
    check_operands(kernel, &p, seed);
    sl_guarded_free(lhs);
}

/* Every remainder of rows and of columns, on one block and on the next. */
TEST(sizes_up_to_two_blocks_equal_the_reference)
{
    const KERNEL *kernel;
    for (size_t i = 0; (kernel = SL_NAME(sl_matmul, _at)(i)) != NULL; i++) {
        uint32_t seed = 1;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t m = 1; m > 0 && !kernel->gemv; m = sl_case_next_size(m, kernel->m_step()))
            check(kernel, (struct shape){m, 3, 4, m % 2, 0, false, true, m % 3 == 0}, &seed);
        for (size_t n = 1; n > 0; n = sl_case_next_size(n, kernel->n_step()))
            check(kernel, (struct shape){2, n, 3, 0, n % 2, n % 4 > 1, n % 3 > 0, n % 5 == 0},
                  &seed);
    }
}

TEST(sizes_one_to_forty_equal_the_reference)
{
    const KERNEL *kernel;
    for (size_t i = 0; (kernel = SL_NAME(sl_matmul, _at)(i)) != NULL; i++) {
        uint32_t seed = 1;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t size = 1; size <= 40; size++) {
            check(kernel, (struct shape){size, 17, 5, 0, 0, false, true, true}, &seed);
            check(kernel, (struct shape){3, size, 7, 0, 1, true, true, false}, &seed);
            check(kernel, (struct shape){6, 19, size, 2, 0, false, false, false}, &seed);
            check(kernel, (struct shape){2, 9, size, 1, 0, true, false, false}, &seed);
            check(kernel, (struct shape){1, size * 7 % 90 + 1, size, 0, 0, false, true, true},
                  &seed);
            check(kernel, /* few columns */
                  (struct shape){size * 7 % 23 + 1, size % 7 + 1, size, size % 2, size % 3 / 2,
                                 size % 5 > 2, size % 2, size % 4 > 1},
                  &seed);
        }
    }
}

TEST(random_shapes_equal_the_reference)
{
    const KERNEL *kernel;
    for (size_t i = 0; (kernel = SL_NAME(sl_matmul, _at)(i)) != NULL; i++) {
        uint32_t seed = 2;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (int n = 0; n < 40; n++) {
            size_t flags = sl_case_pick(&seed, 0, 7);
            struct shape s = {.m = sl_case_pick(&seed, 1, 40), .n = sl_case_pick(&seed, 1, 70)};
            s.k = sl_case_pick(&seed, 0, 200);
            s.lhs_gap = sl_case_pick(&seed, 0, 3);
            s.dst_gap = sl_case_pick(&seed, 0, 3);
            s.transposed = flags & 1;
            s.has_bias = flags & 2;
            s.clamps = flags & 4;
            check(kernel, s, &seed);
        }
        check(kernel, (struct shape){2, 130, 700, 0, 0, false, true, false}, &seed);
        check(kernel, (struct shape){0, 4, 4, 0, 0, false, true, false}, &seed);
        check(kernel, (struct shape){4, 0, 4, 0, 0, false, true, false}, &seed);
    }
}

TEST(infinities_and_nan_stay_in_their_row)
{
    const KERNEL *kernel;
    for (size_t i = 0; (kernel = SL_NAME(sl_matmul, _at)(i)) != NULL; i++) {
        uint32_t seed = 3;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t k = 6; k < 10; k++) { /* the last pair whole, and half; clamped from 8 on */
            struct shape s = {kernel->gemv ? 1 : 7, 9, k, 0, 0, false, true, k > 7};
            struct product p = product_of(s);
            uint16_t *lhs = sl_case_halves(&seed, p.m * p.k, SL_TYPE_CODE(SL_TYPE) == SL_TYPE_bf16);
            p.lhs = lhs;
            lhs[3] = 0x7f80; /* +inf as bfloat16, a NaN as a half */
            lhs[p.m * p.k - 1] = SL_TYPE_CODE(SL_TYPE) == SL_TYPE_bf16 ? 0x7fc0 : 0x7c00;
            check_operands(kernel, &p, &seed);
            sl_guarded_free(lhs);
        }
    }
}

/* One value everywhere in a row, one in the weights, no bias: the result's bits. */
static SL_RESULT uniform_product(const KERNEL *kernel, size_t k, uint16_t left, uint16_t right)
{
    enum { N = 19 };
    uint16_t *lhs = sl_case_constant_halves(k, left), *rhs = sl_case_constant_halves(N * k, right);
    SL_RESULT dst[N];
    void *packed = sl_guarded_new(kernel->rhs_bytes(N, k), 64);
    void *workspace = sl_guarded_new(kernel->workspace_bytes(1, N, k), 64);
    kernel->pack_rhs(N, k, rhs, false, NULL, packed);
    kernel->run(&(ARGS){.m = 1,
                        .n = N,
                        .k = k,
                        .lhs = (const void *)lhs,
                        .lhs_stride = k,
                        .rhs = packed,
                        .dst = dst,
                        .dst_stride = N,
                        .min = -INFINITY,
                        .max = INFINITY,
                        .workspace = workspace});
    for (size_t j = 1; j < N; j++)
        assert_memory_equal(dst, dst + j, sizeof(*dst));
    sl_case_free(4, (void *[]){lhs, rhs, packed, workspace});
    return dst[0];
}

/* What the file that includes this one says of denormals. */
static void check_denormals(const KERNEL *kernel, size_t k);

TEST(denormals_are_as_in_xnnpack)
{
    const KERNEL *kernel;
    for (size_t i = 0; (kernel = SL_NAME(sl_matmul, _at)(i)) != NULL; i++)
        for (size_t k = 1; k < 40 && sl_case_may_run(kernel->name, kernel->needs); k++)
            check_denormals(kernel, k);
}

TEST(select_prefers_the_list_and_keeps_gemv_for_one_row)
{
    assert_int_equal(SL_NAME(sl_matmul, _select)(SL_ISA_NONE, 7)->needs, SL_ISA_NONE);
    assert_false(SL_NAME(sl_matmul, _select)(sl_isa_detect(), 2)->gemv);
    for (size_t i = 0; SL_NAME(sl_matmul, _at)(i) != NULL; i++)
        if (SL_NAME(sl_matmul, _at)(i)->gemv &&
            (SL_NAME(sl_matmul, _at)(i)->needs & ~sl_isa_detect()) == 0)
            assert_true(SL_NAME(sl_matmul, _select)(sl_isa_detect(), 1)->gemv);
}
