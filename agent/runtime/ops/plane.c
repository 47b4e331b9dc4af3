/* agent/runtime/ops/plane.c: what operators on planes share; group and instance norm. */
#include "agent/runtime/ops/plane.h"

#include <math.h>
#include <string.h>

bool sl_plane_pair(struct sl_op_call *call, uint32_t arg, int64_t low, size_t *h, size_t *w)
{
    int64_t pair[2];
    int count = sl_op_ints(call, arg, pair, 2);
    for (int i = 0; i < count; i++)
        if (pair[i] < low || pair[i] > INT32_MAX)
            return false;
    if (count > 0) {
        *h = (size_t)pair[0];
        *w = (size_t)pair[count - 1];
    }
    return count >= 0;
}

static bool is_nhwc(const struct sl_tensor *tensor)
{
    static const uint8_t order[4] = {0, 2, 3, 1};
    return tensor->rank == 4 && memcmp(tensor->dim_order, order, 4) == 0;
}

/* Where the planes are that stand for tensors whose channels lie last. */
static void run_locate(struct sl_op_call *call)
{
    struct sl_planes *p = call->state;
    for (int i = 0; i < 2; i++)
        p->turned[i].data = call->method->workspace.base + p->places[i];
}

/* Planes in the workspace for a tensor whose channels lie last. */
static struct sl_ref stand_in(struct sl_op_call *call, struct sl_planes *p, int which,
                              const struct sl_tensor *tensor)
{
    struct sl_ref planes = sl_ref_scratch(call, tensor->nbytes);
    p->turned[which] = *tensor;
    p->places[which] = planes.offset;
    return planes;
}

static void turn_input(struct sl_op_call *call, struct sl_planes *p)
{
    static const size_t to_nchw[4] = {0, 3, 1, 2};
    const int32_t *sizes = p->in->sizes;
    const size_t dims[4] = {(size_t)sizes[0], (size_t)sizes[2], (size_t)sizes[3], (size_t)sizes[1]};
    struct sl_ref planes = stand_in(call, p, 0, p->in);
    sl_step_permute(sl_op_step(call), call->isa, 4, dims, to_nchw);
    sl_op_operands(call, sl_ref_tensor(p->in), sl_ref_none(), planes);
    p->in = &p->turned[0];
}

struct sl_planes *sl_plane_begin(struct sl_op_call *call, struct sl_diag *diag, int *rc)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_planes *p = NULL;
    if (in->nbytes == 0) {
        *rc = sl_op_exactly(call, diag);
        return NULL;
    }
    p = sl_op_state(call, sizeof(*p));
    *rc = p ? 0 : sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    if (p && ((in->rank != 3 && in->rank != 4) || (!sl_tensor_contiguous(in) && !is_nhwc(in))))
        *rc = sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED,
                         "its input is not of rank 3 or 4 in a usual memory order");
    if (*rc != 0)
        return NULL;
    *p = (struct sl_planes){.in = in, .stride_h = 1, .stride_w = 1};
    p->in_h = (size_t)in->sizes[in->rank - 2];
    p->in_w = (size_t)in->sizes[in->rank - 1];
    p->count = sl_tensor_count(in) / p->in_h / p->in_w;
    if (is_nhwc(in))
        turn_input(call, p);
    return p;
}

/* The operator's own step, between those that turn its operands. */
static void add_steps(struct sl_op_call *call, struct sl_planes *p, const char *kernel,
                      sl_own_run_fn run)
{
    static const size_t to_nhwc[4] = {0, 2, 3, 1};
    const struct sl_tensor *out = p->out;
    struct sl_ref planes = sl_ref_none();
    if (is_nhwc(out)) {
        planes = stand_in(call, p, 1, out);
        p->out = &p->turned[1];
    }
    if (p->out != out || p->in == &p->turned[0])
        sl_op_own(call, NULL, run_locate);
    call->main_step = call->step_count;
    sl_op_own(call, kernel, run);
    if (p->out == out)
        return;
    const size_t dims[4] = {(size_t)out->sizes[0], (size_t)out->sizes[1], p->out_h, p->out_w};
    sl_step_permute(sl_op_step(call), call->isa, 4, dims, to_nhwc);
    sl_op_operands(call, planes, sl_ref_none(), sl_ref_tensor(out));
}

int sl_plane_finish(struct sl_op_call *call, struct sl_planes *p, uint32_t arg, const char *kernel,
                    sl_own_run_fn run, struct sl_diag *diag)
{
    struct sl_tensor *out = sl_op_tensor(call, arg);
    int32_t sizes[4];
    if (p->out_h == 0 || p->out_w == 0 || p->out_h > INT32_MAX || p->out_w > INT32_MAX)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its output would be empty");
    memcpy(sizes, p->in->sizes, p->in->rank * sizeof(*sizes));
    sizes[p->in->rank - 2] = (int32_t)p->out_h;
    sizes[p->in->rank - 1] = (int32_t)p->out_w;
    int rc = sl_tensor_resize(out, p->in->rank, sizes, diag);
    if (rc == 0 && !sl_tensor_contiguous(out) && !is_nhwc(out))
        rc = sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "this memory order is not supported");
    p->out = out;
    if (rc == 0)
        add_steps(call, p, kernel, run);
    return rc;
}

void *sl_plane_scratch(const struct sl_op_call *call, const struct sl_planes *p)
{
    return call->method->workspace.base + p->scratch;
}

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
