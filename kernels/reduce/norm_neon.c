/* kernels/reduce/norm_neon.c: layer norm of rows, 4 rows together, up to 32 elements of a row at a
 * time; where there are weights and biases, as there mostly are, in assembly. */
#include <stdbool.h>

#include "kernels/cpu/isa.h"
#include "kernels/reduce/reduce.h"
#include "kernels/reduce/rows_neon.h"

enum { ROWS = 4 };

SL_INLINE float32x4_t masked(float32x4_t v, uint32x4_t lanes)
{
    return vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(v), lanes));
}

/* Adds elements to `sum`, or their squared distances from the mean. */
SL_INLINE float32x4_t add(bool squares, float32x4_t sum, float32x4_t v, float32x4_t mean)
{
    float32x4_t d = vsubq_f32(v, mean);
    return squares ? vfmaq_f32(sum, d, d) : vaddq_f32(sum, v);
}

SL_INLINE void add_quad(bool squares, const float **in, float32x4_t mean, float32x4_t sum[4])
{
    float32x4x4_t v = load_quad(in);
    SL_UNROLL
    for (size_t j = 0; j < 4; j++)
        sum[j] = add(squares, sum[j], v.val[j], mean);
}

/* In 4 parts; `lanes` are last_lanes(). */
SL_INLINE float32x4_t row_sum(bool squares, const float *in, size_t count, uint32x4_t lanes,
                              float32x4_t mean)
{
    float32x4_t sum[4] = {vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0)};
    if (count % LANES > 0) {
        float32x4_t v = load_last(in, count), d = masked(vsubq_f32(v, mean), lanes);
        sum[0] = squares ? vmulq_f32(d, d) : masked(v, lanes);
    }
    for (size_t turns = count / (2 * QUAD); turns > 0; turns--) {
        add_quad(squares, &in, mean, sum);
        add_quad(squares, &in, mean, sum);
    }
    if (count & QUAD)
        add_quad(squares, &in, mean, sum);
    for (count %= QUAD; count >= LANES; count -= LANES, in += LANES)
        sum[1] = add(squares, sum[1], vld1q_f32(in), mean);
    return vaddq_f32(vaddq_f32(sum[0], sum[1]), vaddq_f32(sum[2], sum[3]));
}

struct row {
    const float *in, *weight, *bias;
    float *out;
    float32x4_t mean, scale;
};

SL_INLINE float32x4_t norm_of(bool weighted, bool biased, float32x4_t v, float32x4_t weight,
                              float32x4_t bias, const struct row *r)
{
    v = vmulq_f32(vsubq_f32(v, r->mean), r->scale);
    if (weighted && biased)
        return vfmaq_f32(bias, v, weight);
    v = weighted ? vmulq_f32(v, weight) : v;
    return biased ? vaddq_f32(v, bias) : v;
}

SL_INLINE void norm_quad(bool weighted, bool biased, struct row *r)
{
    float32x4x4_t v = load_quad(&r->in), weight = v, bias = v;
    if (weighted)
        weight = load_quad(&r->weight);
    if (biased)
        bias = load_quad(&r->bias);
    SL_UNROLL
    for (size_t j = 0; j < 4; j++)
        v.val[j] = norm_of(weighted, biased, v.val[j], weight.val[j], bias.val[j], r);
    store_quad(&r->out, v);
}

SL_INLINE void normalise(bool weighted, bool biased, struct row r, size_t count)
{
    float32x4_t last = r.mean, weight = last, bias = last;
    float *out = r.out;
    if (count % LANES > 0) { /* before `out` is written, which may be `in` */
        weight = weighted ? load_last(r.weight, count) : last;
        bias = biased ? load_last(r.bias, count) : last;
        last = norm_of(weighted, biased, load_last(r.in, count), weight, bias, &r);
    }
    for (size_t turns = count / (2 * QUAD); turns > 0; turns--) {
        norm_quad(weighted, biased, &r);
        norm_quad(weighted, biased, &r);
    }
    if (count & QUAD)
        norm_quad(weighted, biased, &r);
    for (size_t i = 0; i + LANES <= count % QUAD; i += LANES) {
        weight = weighted ? vld1q_f32(r.weight + i) : last;
        bias = biased ? vld1q_f32(r.bias + i) : last;
        vst1q_f32(r.out + i, norm_of(weighted, biased, vld1q_f32(r.in + i), weight, bias, &r));
    }
    if (count % LANES > 0)
        store_last(out, count, last);
}

SL_INLINE float32x4_t total(const float32x4_t part[ROWS])
{
    return vpaddq_f32(vpaddq_f32(part[0], part[1]), vpaddq_f32(part[2], part[3]));
}

/* Into norm_neon_asm.S, for rows of a quad and more with both weight and bias. */
void sl_norm_sums_neon_asm(size_t rows, const float *in, size_t count, float (*parts)[LANES],
                           const uint32x4_t *lanes);
void sl_norm_distances_neon_asm(size_t rows, const float *in, size_t count, float (*parts)[LANES],
                                const uint32x4_t *lanes, const float *mean, float *out);
void sl_norm_results_neon_asm(size_t rows, const float *weight, size_t count, const float *bias,
                              const float *scale, float *out);

/* 1 / deviation, of sums of squares. */
SL_INLINE float32x4_t scale_of(float32x4_t squares, const struct sl_reduce_args *args)
{
    float32x4_t variance = vdivq_f32(squares, vdupq_n_f32((float)args->reduced));
    variance = vaddq_f32(variance, vdupq_n_f32(args->eps));
    return vdivq_f32(vdupq_n_f32(1), vsqrtq_f32(variance));
}

SL_INLINE void keep(const struct sl_reduce_args *args, size_t o, size_t rows, const float *mean,
                    const float *scale)
{
    if (args->mean)
        memcpy((float *)args->mean + o, mean, rows * sizeof(mean[0]));
    if (args->rstd)
        memcpy((float *)args->rstd + o, scale, rows * sizeof(scale[0]));
}

/* 4 rows, or fewer of the last ones. What is done once for a row is done for all of them. */
SL_INLINE void some_rows(bool weighted, bool biased, const struct sl_reduce_args *args, size_t o,
                         size_t rows)
{
    size_t count = args->reduced;
    struct row r = {(const float *)args->in + o * count, args->weight,   args->bias,
                    (float *)args->out + o * count,      vdupq_n_f32(0), vdupq_n_f32(0)};
    uint32x4_t lanes = last_lanes(count);
    float32x4_t part[ROWS] = {r.mean, r.mean, r.mean, r.mean};
    float mean[ROWS], scale[ROWS];
    for (size_t i = 0; i < rows; i++)
        part[i] = row_sum(false, r.in + i * count, count, lanes, r.mean);
    vst1q_f32(mean, vdivq_f32(total(part), vdupq_n_f32((float)count)));
    for (size_t i = 0; i < rows; i++)
        part[i] = row_sum(true, r.in + i * count, count, lanes, vld1q_dup_f32(mean + i));
    vst1q_f32(scale, scale_of(total(part), args));
    for (size_t i = 0; i < rows; i++, r.in += count, r.out += count) {
        r.mean = vld1q_dup_f32(mean + i);
        r.scale = vld1q_dup_f32(scale + i);
        normalise(weighted, biased, r, count);
    }
    keep(args, o, rows, mean, scale);
}

SL_INLINE float32x4_t total_of(float (*parts)[LANES])
{
    return vpaddq_f32(vpaddq_f32(vld1q_f32(parts[0]), vld1q_f32(parts[1])),
                      vpaddq_f32(vld1q_f32(parts[2]), vld1q_f32(parts[3])));
}

enum { MANY_ROWS = 16 };

/* The same in assembly, more rows together; sums of rows that are none are anything. */
SL_INLINE void many_rows(const struct sl_reduce_args *args, size_t o, size_t rows,
                         const uint32x4_t *lanes, float (*parts)[LANES])
{
    size_t count = args->reduced;
    const float *in = (const float *)args->in + o * count;
    float *out = (float *)args->out + o * count, mean[MANY_ROWS], scale[MANY_ROWS];
    float32x4_t elements = vdupq_n_f32((float)count);
    sl_norm_sums_neon_asm(rows, in, count, parts, lanes);
    for (size_t i = 0; i < rows; i += LANES)
        vst1q_f32(mean + i, vdivq_f32(total_of(parts + i), elements));
    sl_norm_distances_neon_asm(rows, in, count, parts, lanes, mean, out);
    for (size_t i = 0; i < rows; i += LANES)
        vst1q_f32(scale + i, scale_of(total_of(parts + i), args));
    sl_norm_results_neon_asm(rows, args->weight, count, args->bias, scale, out);
    keep(args, o, rows, mean, scale);
}

static void common_rows(const struct sl_reduce_args *args)
{
    uint32x4_t lanes = last_lanes(args->reduced);
    float parts[MANY_ROWS][LANES] = {{0}};
    for (size_t o = 0; o < args->outer; o += MANY_ROWS)
        many_rows(args, o, args->outer - o < MANY_ROWS ? args->outer - o : MANY_ROWS, &lanes,
                  parts);
}

SL_INLINE void all_rows(bool weighted, bool biased, const struct sl_reduce_args *args)
{
    for (size_t o = 0; args->reduced > 0 && o < args->outer; o += ROWS)
        some_rows(weighted, biased, args, o, args->outer - o < ROWS ? args->outer - o : ROWS);
}

static void layer_norm(const struct sl_reduce_args *args)
{
    if (args->weight && args->bias && args->reduced >= QUAD)
        common_rows(args);
    else if (args->weight && args->bias)
        all_rows(true, true, args);
    else if (args->weight)
        all_rows(true, false, args);
    else if (args->bias)
        all_rows(false, true, args);
    else
        all_rows(false, false, args);
}

const struct sl_reduce sl_reduce_layer_norm_f32_f32_1x16_neon = {
    .name = "sl_reduce_layer_norm_f32_f32_1x16_neon",
    .needs = SL_ISA_NEON,
    .element = SL_F32,
    .op = SL_REDUCE_LAYER_NORM,
    .run = layer_norm,
};
