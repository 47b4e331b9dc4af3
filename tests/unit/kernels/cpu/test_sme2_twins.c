/* tests/unit/kernels/cpu/test_sme2_twins.c: each assembly kernel computes, to the bit, what its
 * twin in plain C states. */
#include <stdint.h>
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/depthwise/depthwise_strip.h"
#include "kernels/depthwise/depthwise_window.h"
#include "kernels/layout/transpose_rows.h"
#include "kernels/matmul/gemv.h"
#include "kernels/matmul/matmul.h"
#include "kernels/matmul/matmul_mopa.h"
#include "kernels/pack/pack_f32.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

typedef void (*body_fn)(const void *job);

#if defined(__aarch64__)
/* As files that are not compiled for SME2 see them: functions that are called in streaming mode. */
void sl_streaming_run_za(body_fn body, const void *job);
void sl_pack_f32_1vl_sme2_asm(const void *job);
void sl_pack_f32_16_sme2_asm(const void *job);
void sl_mopa_f32_sme2_asm(const void *job);
void sl_mopa_f32_few_sme2_asm(const void *job);
void sl_gemv_f32_sme2_asm(const void *job);
void sl_depthwise_3x3s1_sme2_asm(const void *job);
void sl_depthwise_3x3s2_sme2_asm(const void *job);
void sl_depthwise_5x5s1_sme2_asm(const void *job);
void sl_depthwise_5x5s2_sme2_asm(const void *job);
void sl_transpose_rows_sme2_asm(const void *job);
#else
/* Elsewhere may_run() is false and nothing of this is called. */
static void sl_streaming_run_za(body_fn body, const void *job)
{
    body(job);
}
#define sl_pack_f32_1vl_sme2_asm ((body_fn)0)
#define sl_pack_f32_16_sme2_asm ((body_fn)0)
#define sl_mopa_f32_sme2_asm ((body_fn)0)
#define sl_mopa_f32_few_sme2_asm ((body_fn)0)
#define sl_gemv_f32_sme2_asm ((body_fn)0)
#define sl_depthwise_3x3s1_sme2_asm ((body_fn)0)
#define sl_depthwise_3x3s2_sme2_asm ((body_fn)0)
#define sl_depthwise_5x5s1_sme2_asm ((body_fn)0)
#define sl_depthwise_5x5s2_sme2_asm ((body_fn)0)
#define sl_transpose_rows_sme2_asm ((body_fn)0)
#endif

static size_t vl; /* floats of a streaming vector */

static bool may_run(const char *twin)
{
    vl = sl_isa_svl_bytes() / sizeof(float);
    return sl_case_may_run(twin, SL_ISA_SME2);
}

static void same(float *got, float *want, size_t count)
{
    assert_memory_equal(got, want, count * sizeof(float));
    sl_guarded_free(got);
    sl_guarded_free(want);
}

TEST(packing_equals_its_twin)
{
    uint32_t seed = 1;
    if (!may_run("sl_pack_f32_1vl_sme2_asm"))
        return;
    for (size_t turn = 0; turn < 60; turn++) {
        size_t tiles = sl_case_pick(&seed, 1, 3), segments = sl_case_pick(&seed, 1, 4);
        size_t length = sl_case_pick(&seed, 1, turn % 2 ? 9 * vl : 2 * vl);
        size_t width = segments * length, count = tiles * vl * width;
        float *in = sl_case_floats(&seed, count);
        const float *rows[3 * 64];
        int64_t offsets[4];
        for (size_t i = 0; i < tiles * vl; i++)
            rows[i] = in + (tiles * vl - 1 - i) * width;
        for (size_t s = 0; s < segments; s++)
            offsets[s] = (int64_t)((segments - 1 - s) * length);
        float *got = sl_case_constant(count, 7), *want = sl_case_constant(count, 7);
        struct sl_pack_f32 job = {rows, offsets, segments, length, tiles, got};
        sl_streaming_run_za(sl_pack_f32_1vl_sme2_asm, &job);
        job.packed = want;
        sl_pack_f32_1vl_scalar(&job, vl);
        same(got, want, count);
        sl_guarded_free(in);
    }
}

static void check_rows_at_equal_distances(uint32_t *seed, size_t m, size_t k)
{
    static const int64_t start = 0;
    const float *rows[48];
    size_t stride = k + sl_case_pick(seed, 0, 3), tiles = (m + SL_PACK_16 - 1) / SL_PACK_16;
    size_t count = tiles * SL_PACK_16 * k;
    float *in = sl_case_floats(seed, (m - 1) * stride + k);
    for (size_t i = 0; i < tiles * SL_PACK_16; i++)
        rows[i] = in + (i < m ? i : m - 1) * stride;
    float *got = sl_case_constant(count, 7), *want = sl_case_constant(count, 7);
    struct sl_pack_lhs_f32 job = {in, stride, m, k, got};
    sl_streaming_run_za(sl_pack_f32_16_sme2_asm, &job);
    struct sl_pack_f32 plain = {rows, &start, 1, k, tiles, want};
    sl_pack_f32_1vl_scalar(&plain, SL_PACK_16);
    same(got, want, count);
    sl_guarded_free(in);
}

TEST(packing_of_rows_at_equal_distances_equals_its_twin)
{
    uint32_t seed = 3;
    if (!may_run("sl_pack_f32_16_sme2_asm") || vl != SL_PACK_16)
        return;
    for (size_t k = 1; k <= 140; k++)
        check_rows_at_equal_distances(&seed, 1 + k % 37, k);
    for (size_t m = 1; m <= 40; m++)
        check_rows_at_equal_distances(&seed, m, 67);
}

static void check_outer_products(uint32_t *seed, size_t m, size_t n, size_t k, bool clamp)
{
    size_t stride = n + sl_case_pick(seed, 0, 3);
    float *lhs = sl_case_floats(seed, (m + vl - 1) / vl * vl * k);
    float *rhs = sl_case_floats(seed, sl_mopa_f32_rhs_floats(n, k, vl));
    float *got = sl_case_constant(m * stride, 7), *want = sl_case_constant(m * stride, 7);
    struct sl_mopa_f32 job = {lhs, rhs, got, stride, m, n, k, -0.5f, 0.75f, clamp};
    if (!clamp) {
        job.min = -1e30f;
        job.max = 1e30f;
    }
    sl_streaming_run_za(sl_mopa_f32_sme2_asm, &job);
    job.dst = want;
    sl_mopa_f32_scalar(&job, vl);
    same(got, want, m * stride);
    sl_guarded_free(lhs);
    sl_guarded_free(rhs);
}

TEST(outer_products_equal_their_twin)
{
    uint32_t seed = 2;
    if (!may_run("sl_mopa_f32_sme2_asm"))
        return;
    for (size_t turn = 0; turn < 60; turn++) {
        size_t m = sl_case_pick(&seed, 1, 4 * vl), n = sl_case_pick(&seed, 1, 4 * vl);
        check_outer_products(&seed, m, n, sl_case_pick(&seed, 1, 40), turn % 2);
    }
}

/* One to six tiles of rows by as many of columns: every shape of a block, with the last tile whole,
 * one short and of one. */
TEST(outer_products_of_few_tiles_equal_their_twin)
{
    uint32_t seed = 7;
    if (!may_run("sl_mopa_f32_sme2_asm"))
        return;
    for (size_t turn = 0; turn < 36; turn++) {
        size_t m = (turn / 6 + 1) * vl, n = (turn % 6 + 1) * vl, k = turn % 7 * 5 + 1;
        check_outer_products(&seed, m, n, k, turn % 2);
        check_outer_products(&seed, m - 1, n + 1 - vl, k % 16 + 1, turn % 3 > 0);
        check_outer_products(&seed, m + 1 - vl, n - 1, k % 8 + 1, turn % 3 > 1);
    }
}

TEST(products_of_one_tile_equal_their_twin)
{
    uint32_t seed = 4;
    if (!may_run("sl_mopa_f32_few_sme2_asm"))
        return;
    for (size_t turn = 0; turn < 60; turn++) {
        size_t m = sl_case_pick(&seed, 1, vl), n = sl_case_pick(&seed, 1, vl);
        size_t k = sl_case_pick(&seed, 1, 3 * vl), lhs_stride = k + sl_case_pick(&seed, 0, 3);
        size_t stride = n + sl_case_pick(&seed, 0, 3);
        float *lhs = sl_case_floats(&seed, (m - 1) * lhs_stride + k);
        float *rhs = sl_case_floats(&seed, (k + 1) * vl);
        float *got = sl_case_constant(m * stride, 7), *want = sl_case_constant(m * stride, 7);
        struct sl_mopa_f32_few few = {
            {NULL, rhs, got, stride, m, n, k, -0.5f, 0.75f, turn % 2}, lhs, lhs_stride};
        if (!few.product.clamp) {
            few.product.min = -1e30f;
            few.product.max = 1e30f;
        }
        sl_streaming_run_za(sl_mopa_f32_few_sme2_asm, &few);
        few.product.dst = want;
        sl_mopa_f32_few_scalar(&few, vl);
        same(got, want, m * stride);
        sl_guarded_free(lhs);
        sl_guarded_free(rhs);
    }
}

TEST(a_row_times_weights_equals_its_twin)
{
    uint32_t seed = 3;
    if (!may_run("sl_gemv_f32_sme2_asm"))
        return;
    for (size_t turn = 0; turn < 40; turn++) {
        size_t n = sl_case_pick(&seed, 1, 36 * vl), k = sl_case_pick(&seed, 1, 21);
        float *row = sl_case_floats(&seed, k);
        float *weights = sl_case_floats(&seed, sl_gemv_f32_floats(n, k, vl));
        float *got = sl_case_constant(n, 7), *want = sl_case_constant(n, 7);
        struct sl_gemv_f32 job = {row, weights, got, n, k, -0.5f, 0.75f};
        sl_streaming_run_za(sl_gemv_f32_sme2_asm, &job);
        job.dst = want;
        sl_gemv_f32_scalar(&job, vl);
        same(got, want, n);
        sl_guarded_free(row);
        sl_guarded_free(weights);
    }
}

/* Weights of `blocks` times VL channels; a bias stands there four times. */
static float *bias_and_taps(uint32_t *seed, size_t blocks, size_t vectors)
{
    float *weights = sl_case_floats(seed, blocks * vectors * vl);
    for (size_t i = 0; i < blocks; i++)
        for (size_t j = vl; j < 4 * vl; j++)
            weights[i * vectors * vl + j] = weights[i * vectors * vl + j % vl];
    return weights;
}

/* A strip in the middle of a taller image, so that every row but the padded ones is there. */
static void check_strip(uint32_t *seed, size_t stride)
{
    size_t most = stride == 1 && vl > 4 ? 8 : 4;
    struct sl_depthwise_strip strip = {
        .channels = sl_case_pick(seed, 1, 3 * vl),
        .lead = stride == 1 ? sl_case_pick(seed, 1, 2) : sl_case_pick(seed, 0, 1),
        .body = sl_case_pick(seed, 1, 6),
        .trail = sl_case_pick(seed, 0, 1),
        .rows = sl_case_pick(seed, 1, most),
        .top = (uint32_t)sl_case_pick(seed, 0, 1),
        .bottom = (uint32_t)sl_case_pick(seed, 0, 1),
        .min = -0.5f,
        .max = 0.75f,
    };
    size_t c = strip.channels, lines = (strip.rows - 1) * stride + 3;
    size_t columns =
        stride == 1 ? strip.lead + strip.body : strip.lead + 2 * strip.body + strip.trail;
    size_t outputs = strip.body + strip.trail, shift = stride == 1 ? strip.lead : 0;
    float *in = sl_case_floats(seed, (lines - strip.top - strip.bottom) * columns * c);
    float *weights = bias_and_taps(seed, (c + vl - 1) / vl, 13);
    size_t count = strip.rows * outputs * c;
    float *got = sl_case_constant(count, 7), *want = sl_case_constant(count, 7);
    strip.in = in - (strip.top ? columns * c : 0);
    strip.in_row_bytes = (int64_t)(columns * c * sizeof(float));
    strip.out_row_bytes = (int64_t)(outputs * c * sizeof(float));
    strip.weights = weights;
    strip.out = got - shift * c;
    sl_streaming_run_za(stride == 1 ? sl_depthwise_3x3s1_sme2_asm : sl_depthwise_3x3s2_sme2_asm,
                        &strip);
    strip.out = want - shift * c;
    sl_depthwise_strip_scalar(&strip, stride, vl);
    same(got, want, count);
    sl_guarded_free(in);
    sl_guarded_free(weights);
}

TEST(depthwise_strips_equal_their_twin)
{
    uint32_t seed = 4;
    if (!may_run("sl_depthwise_3x3s1_sme2_asm"))
        return;
    for (size_t turn = 0; turn < 80; turn++)
        check_strip(&seed, 1 + turn % 2);
}

static void check_window(uint32_t *seed, size_t stride)
{
    struct sl_depthwise_window w = {
        .channels = sl_case_pick(seed, 1, 3 * vl),
        .pad_left = sl_case_pick(seed, 0, 3),
        .in_w = sl_case_pick(seed, 1, 9),
        .out_w = sl_case_pick(seed, 1, 7),
        .rows = sl_case_pick(seed, 1, SL_WINDOW_ROWS),
        .top = (uint32_t)sl_case_pick(seed, 0, 2),
        .bottom = (uint32_t)sl_case_pick(seed, 0, 2),
        .min = -0.5f,
        .max = 0.75f,
    };
    size_t row = w.in_w * w.channels, lines = (w.rows - 1) * stride + 5;
    size_t count = w.rows * w.out_w * w.channels;
    float *in = sl_case_floats(seed, (lines - w.top - w.bottom) * row);
    float *weights = bias_and_taps(seed, (w.channels + vl - 1) / vl, SL_WINDOW_VECTORS);
    float *got = sl_case_constant(count, 7), *want = sl_case_constant(count, 7);
    w.in = in - w.top * row;
    w.in_row_bytes = (int64_t)(row * sizeof(float));
    w.out_row_bytes = (int64_t)(w.out_w * w.channels * sizeof(float));
    w.weights = weights;
    w.out = got;
    sl_streaming_run_za(stride == 1 ? sl_depthwise_5x5s1_sme2_asm : sl_depthwise_5x5s2_sme2_asm,
                        &w);
    w.out = want;
    sl_depthwise_window_scalar(&w, stride, vl);
    same(got, want, count);
    sl_guarded_free(in);
    sl_guarded_free(weights);
}

TEST(depthwise_windows_equal_their_twin)
{
    uint32_t seed = 6;
    if (!may_run("sl_depthwise_5x5s1_sme2_asm") || vl < 8)
        return;
    for (size_t turn = 0; turn < 80; turn++)
        check_window(&seed, 1 + turn % 2);
}

TEST(transposing_rows_equals_its_twin)
{
    uint32_t seed = 5;
    if (!may_run("sl_transpose_rows_sme2_asm"))
        return;
    for (size_t turn = 0; turn < 40; turn++) {
        size_t rows = sl_case_pick(&seed, 1, 2 * vl), columns = sl_case_pick(&seed, 1, 5 * vl);
        float *in = sl_case_floats(&seed, rows * columns);
        const uint32_t *table[2 * 64];
        for (size_t i = 0; i < 2 * vl; i++) {
            size_t row = i < rows ? i : rows - 1;
            table[i] = (const uint32_t *)(const void *)(in + row * columns);
        }
        float *got = sl_case_constant(rows * columns, 7);
        float *want = sl_case_constant(rows * columns, 7);
        struct sl_transpose_rows job = {table, columns, (uint32_t *)(void *)got, rows, rows};
        sl_streaming_run_za(sl_transpose_rows_sme2_asm, &job);
        job.out = (uint32_t *)(void *)want;
        sl_transpose_rows_scalar(&job);
        same(got, want, rows * columns);
        sl_guarded_free(in);
    }
}

typedef void (*pack_fn)(size_t n, size_t k, const float *weights, size_t n_stride, size_t k_stride,
                        const float *bias, size_t vl, float *packed);

/* Every panel's lanes up to its last column; those behind are of no account. */
static void check_weights(uint32_t *seed, const struct sl_matmul *kernel, pack_fn pack, size_t most,
                          size_t least)
{
    size_t n = sl_case_pick(seed, 1, 2 * most + 3), k = sl_case_pick(seed, 1, 3 * vl);
    bool transposed = sl_case_pick(seed, 0, 1);
    size_t count = kernel->rhs_bytes(n, k) / sizeof(float);
    float *in = sl_case_floats(seed, n * k), *bias = sl_case_floats(seed, n);
    float *got = sl_case_constant(count, 7), *want = sl_case_constant(count, 7), *at = got;
    kernel->pack_rhs(n, k, in, transposed, bias, got);
    pack(n, k, in, transposed ? 1 : k, transposed ? n : 1, bias, vl, want);
    for (size_t n0 = 0; n0 < n; n0 += most) {
        size_t columns = n - n0 < most ? n - n0 : most;
        size_t width = (columns + least - 1) / least * least;
        for (size_t line = 0; line <= k; line++, at += width)
            assert_memory_equal(at, want + (at - got), columns * sizeof(float));
    }
    assert_int_equal(at - got, count);
    void *blocks[] = {in, bias, got, want};
    sl_case_free(4, blocks);
}

TEST(weights_are_packed_as_stated_in_c)
{
    uint32_t seed = 6;
#if defined(__aarch64__)
    if (!may_run("sl_pack_rhs_f32_sme2"))
        return;
    for (size_t turn = 0; turn < 40; turn++) {
        check_weights(&seed, &sl_matmul_f32_f32p1vlx1_f32p2vlx1_2vlx2vl_sme2_mopa,
                      sl_mopa_f32_pack_rhs, 2 * vl, vl);
        check_weights(&seed, &sl_matmul_f32_f32_f32p16vlx1_1x16vl_sme2_mla, sl_gemv_f32_pack,
                      16 * vl, 4 * vl);
    }
#else
    (void)seed;
    (void)check_weights;
#endif
}
