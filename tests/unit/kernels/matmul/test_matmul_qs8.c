/* tests/unit/kernels/matmul/test_matmul_qs8.c: every static int8 product of the list against a
 * plain one, to the bit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/matmul/matmul_qs8.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/qs8_case.h"
#include "tests/support/test.h"

enum { GAP = 77 }; /* what stands between the rows of dst, and must stay */

struct shape {
    size_t m, n, k, lhs_gap, dst_gap;
    bool transposed;
};

static size_t extent(size_t rows, size_t stride, size_t used)
{
    return rows ? (rows - 1) * stride + used : 0;
}

static void reference(const struct shape *c, const struct sl_qs8_case *layer, const int8_t *lhs,
                      const int8_t *rhs, int8_t *want)
{
    size_t zero_step = c->transposed ? c->n : 1, column = c->transposed ? 1 : c->k;
    for (size_t i = 0; i < c->m; i++)
        for (size_t j = 0; j < c->n; j++) {
            int64_t sum = 0;
            for (size_t p = 0; p < c->k; p++)
                sum += (lhs[i * (c->k + c->lhs_gap) + p] - layer->requant.in_zero) *
                       rhs[j * column + p * zero_step];
            want[i * (c->n + c->dst_gap) + j] = sl_qs8_case_value(layer, j, sum);
        }
}

static void check(const struct sl_matmul_qs8 *kernel, struct shape c, uint32_t *seed)
{
    char text[96];
    if (kernel->gemv)
        c.m = c.m < 1 ? c.m : 1;
    size_t dst_count = extent(c.m, c.n + c.dst_gap, c.n);
    struct sl_qs8_case layer = sl_qs8_case_new(seed, c.n, c.k);
    int8_t *lhs = sl_case_bytes(seed, extent(c.m, c.k + c.lhs_gap, c.k));
    int8_t *rhs = sl_case_bytes(seed, c.n * c.k), *dst = sl_case_same_bytes(dst_count, GAP);
    int8_t *want = sl_case_same_bytes(dst_count, GAP);
    void *packed = sl_guarded_new(kernel->rhs_bytes(c.n, c.k), 64);
    void *workspace = sl_guarded_new(kernel->workspace_bytes(c.m, c.n, c.k), 64);
    struct sl_matmul_qs8_args args = {
        c.m, c.n, c.k, lhs, c.k + c.lhs_gap, packed, dst, c.n + c.dst_gap, layer.out, workspace};
    snprintf(text, sizeof(text), "m=%zu n=%zu k=%zu transposed=%d", c.m, c.n, c.k, c.transposed);
    reference(&c, &layer, lhs, rhs, want);
    kernel->pack_rhs(c.n, c.k, rhs, c.transposed, &layer.requant, packed);
    kernel->run(&args);
    sl_qs8_case_equal(kernel->name, text, dst, want, dst_count);
    if (kernel->run_packed) {
        memset(dst, GAP, dst_count);
        kernel->pack_lhs(c.m, c.k, lhs, c.k + c.lhs_gap, workspace);
        kernel->run_packed(&args);
        sl_qs8_case_equal(kernel->name, text, dst, want, dst_count);
    }
    sl_case_free(6, (void *[]){lhs, rhs, dst, want, packed, workspace});
    sl_qs8_case_free(&layer);
}

TEST(sizes_around_panels_equal_the_reference)
{
    const struct sl_matmul_qs8 *kernel;
    size_t sizes[8], count = sl_qs8_case_sizes(sizes);
    for (size_t i = 0; (kernel = sl_matmul_qs8_at(i)) != NULL; i++) {
        uint32_t seed = 1;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t m = 0; m < (kernel->gemv ? 1 : count); m++)
            for (size_t n = 0; n < count; n++)
                check(kernel, (struct shape){sizes[m], sizes[n], 9, m % 3, n % 3, (m + n) % 2},
                      &seed);
        for (size_t k = 0; k <= 70; k++)
            check(kernel, (struct shape){6, 19, k, 0, 0, k % 2}, &seed);
        for (size_t k = 0; k <= 140; k++)
            check(kernel, (struct shape){1, k * 7 % 90 + 1, k, 0, 0, k % 2}, &seed);
        for (size_t n = 1; n <= 40; n++)
            check(kernel, (struct shape){n % 7, n, 5, 1, 1, n % 2}, &seed);
        for (size_t k = 14; k <= 70; k++) /* few columns, gaps between rows and none */
            check(kernel, (struct shape){k * 7 % 29 + 1, k * 5 % 9 + 1, k, k % 3, k % 2, false},
                  &seed);
    }
}

TEST(random_shapes_equal_the_reference)
{
    const struct sl_matmul_qs8 *kernel;
    for (size_t i = 0; (kernel = sl_matmul_qs8_at(i)) != NULL; i++) {
        uint32_t seed = 2;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (int n = 0; n < 40; n++)
            check(kernel,
                  (struct shape){sl_case_pick(&seed, 0, 40), sl_case_pick(&seed, 0, 70),
                                 sl_case_pick(&seed, 0, 300), sl_case_pick(&seed, 0, 3),
                                 sl_case_pick(&seed, 0, 3), n % 2},
                  &seed);
        check(kernel, (struct shape){3, 300, 700, 0, 0, false}, &seed);
        for (size_t n = 97; n < 600; n += 31) /* a row over panels one by one, by two and by four */
            check(kernel, (struct shape){1, n, n * 7 % 140, 0, 0, false}, &seed);
        check(kernel, (struct shape){0, 4, 4, 0, 0, false}, &seed);
        check(kernel, (struct shape){4, 0, 4, 0, 0, true}, &seed);
    }
}

/* -128 everywhere: the largest sums there are. */
TEST(saturating_operands_equal_the_reference)
{
    const struct sl_matmul_qs8 *kernel;
    for (size_t i = 0; (kernel = sl_matmul_qs8_at(i)) != NULL; i++) {
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        enum { M = 1, N = 21, K = 1030 };
        float scale[N];
        int8_t lhs[M * K], rhs[N * K], dst[M * N];
        void *packed = sl_guarded_new(kernel->rhs_bytes(N, K), 64);
        void *workspace = sl_guarded_new(kernel->workspace_bytes(M, N, K), 64);
        memset(lhs, -128, sizeof(lhs));
        memset(rhs, -128, sizeof(rhs));
        for (size_t j = 0; j < N; j++)
            scale[j] = j % 2 ? 0x1p-17f : 255.0f;
        kernel->pack_rhs(N, K, rhs, false, &(struct sl_requant){NULL, scale, 127}, packed);
        kernel->run(&(struct sl_matmul_qs8_args){
            M, N, K, lhs, K, packed, dst, N, {-3, -128, 127}, workspace});
        for (size_t j = 0; j < N; j++) /* 255 * 128 * 1030 / 2^17 = 256.49 */
            assert_int_equal(dst[j], 127);
        memset(lhs, 127, sizeof(lhs));
        kernel->run(&(struct sl_matmul_qs8_args){
            M, N, K, lhs, K, packed, dst, N, {-3, -128, 127}, workspace});
        for (size_t j = 0; j < N; j++)
            assert_int_equal(dst[j], -3); /* the input's zero point adds nothing */
        sl_case_free(2, (void *[]){packed, workspace});
    }
}

TEST(select_prefers_the_list_and_keeps_gemv_for_one_row)
{
    assert_int_equal(sl_matmul_qs8_select(SL_ISA_NONE, 7, 64, 64)->needs, SL_ISA_NONE);
    assert_false(sl_matmul_qs8_select(sl_isa_detect(), 2, 64, 64)->gemv);
}
