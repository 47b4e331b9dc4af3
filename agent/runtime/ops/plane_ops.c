/* agent/runtime/ops/plane_ops.c: group and channel norms; the list of what goes plane by plane. */
#include <math.h>
#include <string.h>

#include "agent/runtime/ops/plane.h"

struct groups {
    const struct sl_tensor *in, *weight, *bias, *out, *mean, *rstd;
    size_t batch, groups, channels, pixels; /* channels of a group */
    double eps;
};

/* The sum of in[i] and of their squares, in two lanes that are added at the end. */
static void sum_up(const float *in, size_t count, double *out_sum, double *out_squares)
{
    typedef double pair __attribute__((vector_size(16)));
    pair sums = {0.0, 0.0}, squares = {0.0, 0.0};
    size_t i = 0;
#pragma clang loop unroll_count(4)
    for (; i + 2 <= count; i += 2) {
        pair x = {(double)in[i], (double)in[i + 1]};
        sums += x;
        squares += x * x;
    }
    if (i < count) {
        sums[0] += (double)in[i];
        squares[0] += (double)in[i] * (double)in[i];
    }
    *out_sum = sums[0] + sums[1];
    *out_squares = squares[0] + squares[1];
}

/* out = in * by + plus */
struct scaling {
    float by, plus;
};

/* Statistics as they are written down. */
struct statistics {
    double mean, rstd;
};

static struct statistics note_statistics(const struct groups *g, double mean, double mean_square,
                                         size_t at)
{
    double rstd = 1.0 / sqrt(fmax(0.0, mean_square - mean * mean) + g->eps);
    ((float *)(void *)g->mean->data)[at] = (float)mean;
    ((float *)(void *)g->rstd->data)[at] = (float)rstd;
    return (struct statistics){mean, rstd};
}

static struct scaling scaling_of(const struct groups *g, const struct statistics *s, size_t channel)
{
    float weight = g->weight ? ((const float *)(const void *)g->weight->data)[channel] : 1.0f;
    float bias = g->bias ? ((const float *)(const void *)g->bias->data)[channel] : 0.0f;
    float by = (float)s->rstd * weight;
    return (struct scaling){by, bias - (float)s->mean * by};
}

static void scale(const struct scaling *s, const float *in, size_t count, float *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = in[i] * s->by + s->plus;
}

static void normalise(const struct groups *g, const float *in, float *out, size_t group,
                      size_t statistic)
{
    size_t count = g->channels * g->pixels;
    double sum, squares;
    sum_up(in, count, &sum, &squares);
    const struct statistics noted =
        note_statistics(g, sum / (double)count, squares / (double)count, statistic);
    for (size_t c = 0; c < g->channels; c++) {
        const struct scaling s = scaling_of(g, &noted, group * g->channels + c);
        scale(&s, in + c * g->pixels, g->pixels, out + c * g->pixels);
    }
}

static void run_group_norm(struct sl_op_call *call)
{
    const struct groups *g = call->state;
    const float *in = (const float *)(const void *)g->in->data;
    float *out = (float *)(void *)g->out->data;
    size_t each = g->channels * g->pixels;
    for (size_t i = 0; i < g->batch * g->groups; i++)
        normalise(g, in + i * each, out + i * each, i % g->groups, i);
}

static int prepare_group_norm(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_tensor *out = sl_op_tensor(call, 8);
    int64_t n = sl_op_int(call, 3, 0), c = sl_op_int(call, 4, 0), pixels = sl_op_int(call, 5, 0);
    int64_t count = sl_op_int(call, 6, 0), total;
    struct groups *g = sl_op_state(call, sizeof(*g));
    if (in->nbytes == 0)
        return sl_op_exactly(call, diag);
    if (!g)
        return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    *g = (struct groups){.in = in, .out = out, .eps = sl_op_number(call, 7, 0.0)};
    g->weight = sl_op_tensor(call, 1);
    g->bias = sl_op_tensor(call, 2);
    g->mean = sl_op_tensor(call, 9);
    g->rstd = sl_op_tensor(call, 10);
    bool fits = n > 0 && c > 0 && pixels > 0 && count > 0 && c % count == 0 && n <= INT32_MAX &&
                count <= INT32_MAX && in->nbytes != 0 && in->rank >= 2 &&
                !__builtin_mul_overflow(n, c, &total) &&
                !__builtin_mul_overflow(total, pixels, &total) &&
                (uint64_t)total == sl_tensor_count(in) && in->sizes[1] == c &&
                (!g->weight || (int64_t)sl_tensor_count(g->weight) == c) &&
                (!g->bias || (int64_t)sl_tensor_count(g->bias) == c) && sl_tensor_contiguous(in) &&
                sl_tensor_contiguous(out);
    if (!fits)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its shapes do not fit together");
    g->batch = (size_t)n;
    g->groups = (size_t)count;
    g->channels = (size_t)(c / count);
    g->pixels = (size_t)pixels;
    const int32_t sizes[2] = {(int32_t)n, (int32_t)count};
    int rc = sl_tensor_resize(out, in->rank, in->sizes, diag);
    for (uint32_t k = 9; k <= 10 && rc == 0; k++)
        rc = sl_tensor_resize(sl_op_tensor(call, k), 2, sizes, diag);
    if (rc == 0)
        sl_op_own(call, "sl_group_norm_f32_scalar", run_group_norm);
    return rc;
}

/* Channels by their own statistics over the whole batch, as instance norm is exported. */
static void run_channel_norm(struct sl_op_call *call)
{
    const struct groups *g = call->state;
    for (size_t c = 0; c < g->groups; c++) {
        double sum = 0.0, squares = 0.0, count = (double)(g->batch * g->pixels);
        for (size_t n = 0; n < g->batch; n++) {
            size_t at = (n * g->groups + c) * g->pixels;
            double more = 0.0, more_squares = 0.0;
            sum_up((const float *)(const void *)g->in->data + at, g->pixels, &more, &more_squares);
            sum += more;
            squares += more_squares;
        }
        const struct statistics noted = note_statistics(g, sum / count, squares / count, c);
        const struct scaling s = scaling_of(g, &noted, c);
        for (size_t n = 0; n < g->batch; n++) {
            size_t at = (n * g->groups + c) * g->pixels;
            scale(&s, (const float *)(const void *)g->in->data + at, g->pixels,
                  (float *)(void *)g->out->data + at);
        }
    }
}

static int prepare_channel_norm(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_tensor *out = sl_op_tensor(call, 6);
    struct groups *g = sl_op_state(call, sizeof(*g));
    if (!g)
        return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    *g = (struct groups){.in = in, .out = out, .channels = 1, .eps = sl_op_number(call, 5, 0.0)};
    g->weight = sl_op_tensor(call, 1);
    g->bias = sl_op_tensor(call, 2);
    g->mean = sl_op_tensor(call, 7);
    g->rstd = sl_op_tensor(call, 8);
    size_t channels = in->rank >= 2 ? (size_t)in->sizes[1] : 0;
    bool fits = in->nbytes != 0 && channels != 0 &&
                (!g->weight || sl_tensor_count(g->weight) == channels) &&
                (!g->bias || sl_tensor_count(g->bias) == channels) && sl_tensor_contiguous(in) &&
                sl_tensor_contiguous(out);
    if (!fits)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its shapes do not fit together");
    g->batch = (size_t)in->sizes[0];
    g->groups = channels;
    g->pixels = sl_tensor_count(in) / g->batch / channels;
    int rc = sl_tensor_resize(out, in->rank, in->sizes, diag);
    for (uint32_t k = 7; k <= 8 && rc == 0; k++)
        rc = sl_tensor_resize(sl_op_tensor(call, k), 1, &in->sizes[1], diag);
    if (rc == 0)
        sl_op_own(call, "sl_channel_norm_f32_scalar", run_channel_norm);
    return rc;
}

#define PLANES(id, letters, fn, family)                                                            \
    {.name = "aten::" id, .signature = letters, .prepare = fn, .exact = family}
const struct sl_op sl_ops_plane[] = {
    PLANES("avg_pool2d.out", "tvvvbbIo", sl_plane_avg_pool, sl_ops_exact_plane),
    PLANES("_adaptive_avg_pool2d.out", "tvo", sl_plane_adaptive, sl_ops_exact_plane),
    PLANES("upsample_bilinear2d.vec_out", "tVbdo", sl_plane_bilinear, sl_ops_exact_plane),
    PLANES("upsample_nearest2d.vec_out", "tVdo", sl_plane_nearest, sl_ops_exact_plane),
    PLANES("native_group_norm.out", "tTTiiiinooo", prepare_group_norm, sl_ops_exact_norm),
    PLANES("_native_batch_norm_legit.no_stats_out", "tTTbnnooo", prepare_channel_norm,
           sl_ops_exact_norm),
    {0},
};
