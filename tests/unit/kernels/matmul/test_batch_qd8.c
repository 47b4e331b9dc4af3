/* tests/unit/kernels/matmul/test_batch_qd8.c: batches equal their products one by one, which
 * test_matmul_qd8.c holds to the formula. */
#include "kernels/matmul/batch_qd8.h"

#include <math.h>

#include "kernels/cpu/isa.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

enum { BATCHES = 3, M = 5, N = 19, K = 37 };

/* Steps from batch to batch, in products; 0: the same operand for all. */
struct batch_case {
    size_t lhs, rhs;
    bool transposed;
};

static void check(const struct sl_matmul_qd8 *kernel, const struct batch_case *c, uint32_t *seed)
{
    size_t m = kernel->gemv ? 1 : M, bytes = kernel->q4 ? N * ((K + 1) / 2) : N * K;
    float *lhs = sl_case_floats(seed, BATCHES * m * K), *scale = sl_case_floats(seed, BATCHES * N);
    float *weights = sl_case_floats(seed, (BATCHES * bytes + 3) / 4);
    float *got = sl_case_constant(BATCHES * m * N, 7), *want = sl_case_constant(m * N, 7);
    void *packed = sl_guarded_new(kernel->rhs_bytes(kernel, N, K, 0), 64);
    void *workspace = sl_guarded_new(sl_batch_qd8_workspace_bytes(kernel, m, N, K, 0), 64);
    struct sl_batch_qd8_args args = {
        .batches = BATCHES,
        .product = {.m = m,
                    .n = N,
                    .k = K,
                    .lhs = {lhs, K, SL_ROWS_F32, NULL},
                    .dst = got,
                    .dst_type = SL_ROWS_F32,
                    .dst_stride = N,
                    .min = -INFINITY,
                    .max = INFINITY,
                    .workspace = workspace},
        .rhs = {.n = N, .k = K, .data = weights, .transposed = c->transposed, .scale = scale},
        .lhs_bytes = c->lhs * m * K * sizeof(float),
        .rhs_bytes = c->rhs * bytes,
        .scale_bytes = c->rhs * N * sizeof(float),
        .dst_bytes = m * N * sizeof(float),
    };
    sl_batch_qd8_run(kernel, &args);
    for (size_t b = 0; b < BATCHES; b++) {
        struct sl_weights_qd8 rhs = args.rhs;
        struct sl_matmul_qd8_args one = args.product;
        rhs.data = (const char *)weights + b * args.rhs_bytes;
        rhs.scale = scale + b * c->rhs * N;
        kernel->pack_rhs(kernel, &rhs, packed);
        one.lhs.data = lhs + b * c->lhs * m * K;
        one.rhs = packed;
        one.dst = want;
        kernel->run(kernel, &one);
        for (size_t i = 0; i < m * N; i++)
            if (got[b * m * N + i] != want[i])
                fail_msg("%s: batch %zu, element %zu is %g, want %g", kernel->name, b, i,
                         (double)got[b * m * N + i], (double)want[i]);
    }
    void *const blocks[] = {lhs, scale, weights, got, want, packed, workspace};
    sl_case_free(sizeof(blocks) / sizeof(blocks[0]), blocks);
}

TEST(batches_equal_their_products)
{
    static const struct batch_case cases[] = {
        {1, 1, false}, {1, 0, false}, {0, 1, false}, {1, 1, true}};
    const struct sl_matmul_qd8 *kernel;
    for (size_t i = 0; (kernel = sl_matmul_qd8_at(i)) != NULL; i++) {
        uint32_t seed = 6;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
            check(kernel, &cases[c], &seed);
    }
}

TEST(no_batches_touch_nothing)
{
    const struct sl_matmul_qd8 *kernel = sl_matmul_qd8_select(sl_isa_detect(), 2, 32, 32);
    float dst = 7;
    const struct sl_batch_qd8_args args = {.product = {.dst = &dst}};
    sl_batch_qd8_run(kernel, &args);
    assert_true(dst == 7);
}
