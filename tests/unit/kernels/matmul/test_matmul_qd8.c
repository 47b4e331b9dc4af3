/* tests/unit/kernels/matmul/test_matmul_qd8.c: every dynamic int8 product of the list against a
 * plain one, to the bit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/half.h"
#include "kernels/cpu/isa.h"
#include "kernels/matmul/matmul_qd8.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

#define GAP 0x5a /* what stands between the rows of dst, and must stay */

struct product_case {
    size_t m, n, k, group, lhs_gap, dst_gap;
    int lhs_type, dst_type;
    bool transposed, has_bias, clamps, scale_bf16, extreme;
};

/* The operands of one case, and what they say as plain numbers. */
struct operands {
    struct sl_weights_qd8 weights;
    struct sl_rows lhs;
    int8_t *w, *q; /* [n][k], [m][k] */
    float *scale;  /* [n][groups] */
    float *want;   /* [m][n] */
    struct sl_row_params *params;
};

static size_t type_bytes(int type)
{
    return type == SL_ROWS_F32 ? 4 : type == SL_ROWS_F16 ? 2 : 1;
}

static int8_t pick_int8(uint32_t *seed, bool extreme, int low, int high)
{
    if (extreme)
        return (int8_t)(sl_case_pick(seed, 0, 3) ? low : high);
    return (int8_t)((int)sl_case_pick(seed, 0, (size_t)(high - low)) + low);
}

static void make_weights(const struct product_case *c, bool q4, struct operands *o, uint32_t *seed)
{
    size_t row_bytes = (c->k + 1) / 2, groups = c->group ? c->k / c->group : 1;
    uint8_t *data = sl_guarded_new(c->n * (q4 ? row_bytes : c->k), 1);
    o->w = malloc(c->n * c->k + 1);
    o->scale = malloc((c->n * groups + 1) * sizeof(float));
    for (size_t j = 0; q4 && c->k > 0 && j < c->n; j++)
        data[j * row_bytes + row_bytes - 1] = 0x80; /* odd k: the exporter's padding */
    for (size_t i = 0; i < c->n * c->k; i++) {
        size_t j = i / c->k, p = i % c->k;
        o->w[i] = pick_int8(seed, c->extreme, q4 ? -8 : -128, q4 ? 7 : 127);
        uint8_t *nibbles = &data[q4 ? j * row_bytes + p / 2 : 0];
        if (!q4)
            data[c->transposed ? p * c->n + j : i] = (uint8_t)o->w[i];
        else
            *nibbles =
                (uint8_t)(p % 2 ? (*nibbles & 15) | (o->w[i] + 8) << 4 : 0x80 | (o->w[i] + 8));
    }
    bool bf16 = c->group && c->scale_bf16;
    void *scale = sl_guarded_new(c->n * groups * (bf16 ? 2 : 4), bf16 ? 2 : 4);
    for (size_t i = 0; i < c->n * groups; i++) {
        o->scale[i] = (float)sl_case_pick(seed, 1, 255) / 4096.0f;
        if (bf16)
            ((uint16_t *)scale)[i] = sl_bfloat_from_float(o->scale[i]);
        else
            ((float *)scale)[i] = o->scale[i];
    }
    float *bias = c->has_bias ? sl_case_floats(seed, c->n) : NULL;
    o->weights = (struct sl_weights_qd8){c->n,  c->k,          data,     c->transposed,
                                         scale, c->scale_bf16, c->group, bias};
}

/* As kernels/convert/quantise.h states it. */
static void quantise(size_t k, const float *x, int8_t *q, struct sl_row_params *params)
{
    float low = 0, high = 0;
    for (size_t p = 0; p < k; p++) {
        low = isnan(x[p]) || isnan(low) ? NAN : fminf(low, x[p]);
        high = isnan(low) ? NAN : fmaxf(high, x[p]);
    }
    float s = low == high ? 1 : 255 / (high - low);
    float at_low = low * s, at_high = high * s;
    float z = (at_low - 128) + (at_high + 127) > 0 ? -128 - at_low : 127 - at_high;
    z = isnan(z) ? 0 : rintf(fminf(fmaxf(z, -128), 127));
    *params = (struct sl_row_params){1 / s, (int32_t)z};
    for (size_t p = 0; p < k; p++) {
        float y = x[p] * s;
        q[p] = (int8_t)fminf(fmaxf(isnan(y) ? z : rintf(y) + z, -128), 127);
    }
}

static void make_rows(const struct product_case *c, struct operands *o, float spoilt,
                      uint32_t *seed)
{
    size_t stride = c->k + c->lhs_gap, count = c->m ? (c->m - 1) * stride + c->k : 0;
    size_t bytes = type_bytes(c->lhs_type);
    char *data = sl_guarded_new(count * bytes, bytes);
    float *row = malloc((c->k + 1) * sizeof(float));
    struct sl_row_params *params = sl_guarded_new(c->m * sizeof(*params), 4);
    o->q = malloc(c->m * c->k + 1);
    o->params = malloc((c->m + 1) * sizeof(*params));
    for (size_t i = 0; i < c->m; i++) {
        float size = (float)sl_case_pick(seed, 0, 9), shift = (float)sl_case_pick(seed, 0, 4) - 2;
        for (size_t p = 0; p < c->k; p++) {
            row[p] = ((float)sl_case_pick(seed, 0, 2000) / 1000 - 1) * size + shift * size;
            row[p] = spoilt != 0 && i == 1 && p == c->k / 2 ? spoilt : row[p];
            if (c->lhs_type == SL_ROWS_F16)
                row[p] = sl_half_to_float(sl_half_from_float(row[p]));
        }
        quantise(c->k, row, o->q + i * c->k, &o->params[i]);
        for (size_t p = 0; p < c->k; p++) {
            size_t at = i * stride + p;
            if (c->lhs_type == SL_ROWS_F32)
                ((float *)(void *)data)[at] = row[p];
            else if (c->lhs_type == SL_ROWS_F16)
                ((uint16_t *)(void *)data)[at] = sl_half_from_float(row[p]);
            else
                data[at] = (char)o->q[i * c->k + p];
        }
        params[i] = o->params[i];
    }
    free(row);
    o->lhs = (struct sl_rows){data, stride, c->lhs_type, params};
}

static void free_operands(const struct operands *o)
{
    void *const blocks[] = {(void *)(uintptr_t)o->weights.data, (void *)(uintptr_t)o->weights.scale,
                            (void *)(uintptr_t)o->weights.bias, (void *)(uintptr_t)o->lhs.data,
                            (void *)(uintptr_t)o->lhs.params};
    sl_case_free(sizeof(blocks) / sizeof(blocks[0]), blocks);
    free(o->w);
    free(o->q);
    free(o->scale);
    free(o->want);
    free(o->params);
}

static int32_t dot(const int8_t *q, const int8_t *w, size_t k, int32_t zero_point)
{
    int32_t sum = 0;
    for (size_t p = 0; p < k; p++)
        sum += (q[p] - zero_point) * w[p];
    return sum;
}

static int32_t sum_of(const int8_t *w, size_t k)
{
    int32_t sum = 0;
    for (size_t p = 0; p < k; p++)
        sum += w[p];
    return sum;
}

/* Element (i, j) as kernels/matmul/matmul_qd8.h states it. */
static float element(const struct product_case *c, const struct operands *o, size_t i, size_t j)
{
    const struct sl_row_params *row = &o->params[i];
    const int8_t *q = o->q + i * c->k, *w = o->w + j * c->k;
    float bias = o->weights.bias ? o->weights.bias[j] : 0, total = 0, y;
    if (!c->group) {
        y = fmaf((float)dot(q, w, c->k, row->zero_point) * row->scale, o->scale[j], bias);
    } else {
        const float *scale = o->scale + j * (c->k / c->group);
        for (size_t at = 0; at < c->k; at += c->group)
            total += (float)sum_of(w + at, c->group) * scale[at / c->group];
        total = (float)-row->zero_point * total;
        for (size_t at = 0; at < c->k; at += c->group)
            total = fmaf((float)dot(q + at, w + at, c->group, 0), scale[at / c->group], total);
        y = fmaf(total, row->scale, bias);
    }
    return c->clamps ? (float)sl_case_clamp((double)y, -0.5, 0.75) : y;
}

static void want_elements(const struct product_case *c, struct operands *o)
{
    o->want = malloc((c->m * c->n + 1) * sizeof(float));
    for (size_t i = 0; i < c->m; i++)
        for (size_t j = 0; j < c->n; j++)
            o->want[i * c->n + j] = element(c, o, i, j);
}

static void compare(const char *name, const struct product_case *c, const struct operands *o,
                    const void *dst)
{
    size_t stride = c->n + c->dst_gap, bytes = type_bytes(c->dst_type);
    const uint8_t *raw = dst;
    for (size_t i = 0; i < c->m; i++) {
        for (size_t j = 0; j < (i + 1 < c->m ? stride : c->n); j++) {
            size_t at = i * stride + j;
            float want = j < c->n ? o->want[i * c->n + j] : 0;
            bool same = true;
            if (j >= c->n)
                same = raw[at * bytes] == GAP && raw[at * bytes + bytes - 1] == GAP;
            else if (isnan(want) && c->clamps)
                continue; /* may have become a bound */
            else if (c->dst_type == SL_ROWS_F32)
                same = ((const float *)dst)[at] == want ||
                       (isnan(want) && isnan(((const float *)dst)[at]));
            else
                same = sl_half_to_float(((const uint16_t *)dst)[at]) ==
                           sl_half_to_float(sl_half_from_float(want)) ||
                       (isnan(want) && isnan(sl_half_to_float(((const uint16_t *)dst)[at])));
            if (!same)
                fail_msg("%s: m=%zu n=%zu k=%zu group=%zu lhs=%d dst=%d bias=%d clamp=%d "
                         "transposed=%d: row %zu column %zu is %.9g, want %.9g",
                         name, c->m, c->n, c->k, c->group, c->lhs_type, c->dst_type, c->has_bias,
                         c->clamps, c->transposed, i, j,
                         c->dst_type == SL_ROWS_F32
                             ? (double)((const float *)dst)[at]
                             : (double)sl_half_to_float(((const uint16_t *)dst)[at]),
                         (double)want);
        }
    }
}

static void check_spoilt(const struct sl_matmul_qd8 *kernel, struct product_case c, float spoilt,
                         uint32_t *seed)
{
    struct operands o;
    c.m = kernel->gemv && c.m > 1 ? 1 : c.m;
    c.transposed = c.transposed && !kernel->q4;
    c.group = kernel->q4 ? c.group : 0;
    c.k = c.group ? (c.k + c.group - 1) / c.group * c.group : c.k;
    make_weights(&c, kernel->q4, &o, seed);
    make_rows(&c, &o, spoilt, seed);
    want_elements(&c, &o);
    size_t stride = c.n + c.dst_gap, bytes = type_bytes(c.dst_type);
    size_t dst_bytes = c.m ? ((c.m - 1) * stride + c.n) * bytes : 0;
    void *dst = sl_guarded_new(dst_bytes, bytes);
    void *packed = sl_guarded_new(kernel->rhs_bytes(kernel, c.n, c.k, c.group), 64);
    void *workspace = sl_guarded_new(kernel->workspace_bytes(kernel, c.m, c.n, c.k), 64);
    struct sl_matmul_qd8_args args = {.m = c.m,
                                      .n = c.n,
                                      .k = c.k,
                                      .group = c.group,
                                      .lhs = o.lhs,
                                      .rhs = packed,
                                      .dst = dst,
                                      .dst_type = c.dst_type,
                                      .dst_stride = stride,
                                      .min = c.clamps ? -0.5f : -INFINITY,
                                      .max = c.clamps ? 0.75f : INFINITY,
                                      .workspace = workspace};
    memset(dst, GAP, dst_bytes);
    kernel->pack_rhs(kernel, &o.weights, packed);
    kernel->run(kernel, &args);
    compare(kernel->name, &c, &o, dst);
    memset(dst, GAP, dst_bytes);
    kernel->pack_lhs(kernel, c.m, c.k, &o.lhs, workspace);
    args.lhs = (struct sl_rows){0};
    kernel->run_packed(kernel, &args);
    compare(kernel->name, &c, &o, dst);
    sl_guarded_free(dst);
    sl_guarded_free(packed);
    sl_guarded_free(workspace);
    free_operands(&o);
}

static void check(const struct sl_matmul_qd8 *kernel, struct product_case c, uint32_t *seed)
{
    check_spoilt(kernel, c, 0, seed);
}

TEST(sizes_around_panels_equal_the_reference)
{
    const struct sl_matmul_qd8 *kernel;
    for (size_t i = 0; (kernel = sl_matmul_qd8_at(i)) != NULL; i++) {
        uint32_t seed = 1;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t size = 1; size <= 70; size++) {
            int f16 = size % 2 ? SL_ROWS_F16 : SL_ROWS_F32;
            size_t group = size % 3 ? 0 : 32 * (size / 3 % 3 + 1);
            struct product_case rows = {.m = size, .n = 5, .k = 9, .group = group, .dst_type = f16};
            struct product_case columns = {.m = 3, .n = size, .k = 7, .group = group, .dst_gap = 1};
            struct product_case depth = {.m = 6, .n = 11, .k = size, .group = group, .lhs_gap = 2};
            struct product_case row = {
                .m = 1, .n = size * 7 % 150 + 1, .k = 2 * size, .group = group};
            rows.has_bias = depth.clamps = columns.scale_bf16 = columns.transposed = true;
            columns.dst_type = depth.lhs_type = row.lhs_type = f16;
            row.has_bias = row.clamps = size % 4 == 1;
            row.dst_type = size % 4 > 1 ? SL_ROWS_F16 : SL_ROWS_F32;
            check(kernel, row, &seed);
            check(kernel, rows, &seed);
            check(kernel, columns, &seed);
            check(kernel, depth, &seed);
        }
    }
}

static struct product_case random_case(uint32_t *seed)
{
    static const size_t groups[] = {0, 32, 64, 128};
    size_t flags = sl_case_pick(seed, 0, 63);
    return (struct product_case){.m = sl_case_pick(seed, 1, 70),
                                 .n = sl_case_pick(seed, 1, 80),
                                 .k = sl_case_pick(seed, 0, 200),
                                 .group = groups[sl_case_pick(seed, 0, 3)],
                                 .lhs_gap = sl_case_pick(seed, 0, 3),
                                 .dst_gap = sl_case_pick(seed, 0, 3),
                                 .lhs_type = (int)sl_case_pick(seed, SL_ROWS_F32, SL_ROWS_QD8),
                                 .dst_type = flags & 1 ? SL_ROWS_F16 : SL_ROWS_F32,
                                 .transposed = flags & 2,
                                 .has_bias = flags & 4,
                                 .clamps = flags & 8,
                                 .scale_bf16 = flags & 16,
                                 .extreme = flags & 32};
}

TEST(random_shapes_equal_the_reference)
{
    const struct sl_matmul_qd8 *kernel;
    for (size_t i = 0; (kernel = sl_matmul_qd8_at(i)) != NULL; i++) {
        uint32_t seed = 2;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (int n = 0; n < 60; n++)
            check(kernel, random_case(&seed), &seed);
        check(kernel, (struct product_case){.m = 2, .n = 150, .k = 700, .group = 0}, &seed);
        for (size_t n = 97; n < 600; n += 31) /* a row over panels one by one, by two and by four */
            check(kernel, (struct product_case){.m = 1, .n = n, .k = n * 7 % 140}, &seed);
        for (size_t n = 150; n < 600; n += 95)
            check(kernel, (struct product_case){.m = 1, .n = n, .k = 192, .group = n % 2 ? 32 : 96},
                  &seed);
        check(kernel, (struct product_case){.m = 0, .n = 4, .k = 4}, &seed);
        check(kernel, (struct product_case){.m = 4, .n = 0, .k = 4}, &seed);
        check(kernel, (struct product_case){.m = 4, .n = 3, .k = 0, .has_bias = true}, &seed);
    }
}

/* Every sum of weights at the edge of what int32 and the packing's own numbers hold. */
TEST(long_rows_of_extreme_weights_do_not_overflow)
{
    const struct sl_matmul_qd8 *kernel;
    for (size_t i = 0; (kernel = sl_matmul_qd8_at(i)) != NULL; i++) {
        uint32_t seed = 4;
        if (sl_case_may_run(kernel->name, kernel->needs))
            for (size_t m = 1; m <= 2; m++)
                check(kernel, (struct product_case){.m = m, .n = 2, .k = 70000, .extreme = true},
                      &seed);
    }
}

TEST(nan_and_infinity_stay_in_their_row)
{
    const struct sl_matmul_qd8 *kernel;
    const float spoilt[] = {NAN, INFINITY, -INFINITY, 3e38f};
    for (size_t i = 0; (kernel = sl_matmul_qd8_at(i)) != NULL; i++) {
        uint32_t seed = 3;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t s = 0; s < sizeof(spoilt) / sizeof(spoilt[0]); s++)
            for (size_t k = 1; k < 90; k += 11)
                check_spoilt(kernel,
                             (struct product_case){.m = 4, .n = 9, .k = k, .group = 32 * (k & 1)},
                             spoilt[s], &seed);
    }
}

TEST(select_prefers_the_list_and_keeps_gemv_for_one_row)
{
    const struct sl_matmul_qd8 *kernel;
    assert_int_equal(sl_matmul_qd8_select(SL_ISA_NONE, 7, 64, 64)->needs, SL_ISA_NONE);
    assert_int_equal(sl_matmul_q4_select(SL_ISA_NONE, 1, 64, 64)->needs, SL_ISA_NONE);
    assert_true(sl_matmul_q4_select(sl_isa_detect(), 2, 64, 64)->q4);
    assert_false(sl_matmul_qd8_select(sl_isa_detect(), 2, 64, 64)->q4);
    assert_false(sl_matmul_qd8_select(sl_isa_detect(), 2, 64, 64)->gemv);
    for (size_t i = 0; (kernel = sl_matmul_qd8_at(i)) != NULL; i++)
        if (kernel->gemv && sl_case_may_run(kernel->name, kernel->needs))
            assert_true((kernel->q4 ? sl_matmul_q4_select : sl_matmul_qd8_select)(sl_isa_detect(),
                                                                                  1, 64, 64)
                            ->gemv);
}
