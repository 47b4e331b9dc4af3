/* agent/runtime/ops/plane.c: average pooling, resizing and group norm: plane by plane of NCHW, f32.
 */
#include <math.h>
#include <string.h>

#include "agent/runtime/ops/op.h"

/* Planes of one height and width in, another out. */
struct planes {
    const struct sl_tensor *in, *out;
    size_t count, in_h, in_w, out_h, out_w;
    size_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w;
    bool counts_padding, align_corners;
    int64_t divisor;        /* 0: the window's own */
    float scale_h, scale_w; /* input pixels for an output pixel */
};

static const float *plane_in(const struct planes *p, size_t i)
{
    return (const float *)(const void *)p->in->data + i * p->in_h * p->in_w;
}

static float *plane_out(const struct planes *p, size_t i)
{
    return (float *)(void *)p->out->data + i * p->out_h * p->out_w;
}

static float window_sum(const struct planes *p, const float *in, const size_t *h, const size_t *w)
{
    float sum = 0.0f;
    for (size_t y = h[0]; y < h[1]; y++)
        for (size_t x = w[0]; x < w[1]; x++)
            sum += in[y * p->in_w + x];
    return sum;
}

/* The span of window `at` inside the input, and its length with the padding that counts. */
static size_t span(size_t at, size_t in, size_t kernel, size_t stride, size_t pad, size_t *out)
{
    size_t first = at * stride, end = first + kernel; /* in padded places */
    size_t whole = end < in + 2 * pad ? end : in + 2 * pad;
    out[0] = first > pad ? first - pad : 0;
    out[1] = end > pad ? end - pad : 0;
    out[1] = out[1] < in ? out[1] : in;
    return whole > first ? whole - first : 0;
}

/* The mean of output pixel (y, x)'s window. */
typedef float (*window_fn)(const struct planes *p, const float *in, size_t y, size_t x);

static void run_windows(const struct planes *p, window_fn window)
{
    for (size_t i = 0; i < p->count; i++) {
        float *out = plane_out(p, i);
        for (size_t y = 0; y < p->out_h; y++)
            for (size_t x = 0; x < p->out_w; x++)
                *out++ = window(p, plane_in(p, i), y, x);
    }
}

static float average(const struct planes *p, const float *in, size_t y, size_t x)
{
    size_t h[2], w[2];
    size_t padded = span(y, p->in_h, p->kernel_h, p->stride_h, p->pad_h, h) *
                    span(x, p->in_w, p->kernel_w, p->stride_w, p->pad_w, w);
    size_t inside = h[1] > h[0] && w[1] > w[0] ? (h[1] - h[0]) * (w[1] - w[0]) : 0;
    float by = p->divisor != 0     ? (float)p->divisor
               : p->counts_padding ? (float)padded
                                   : (float)inside;
    return inside != 0 ? window_sum(p, in, h, w) / by : 0.0f;
}

static void run_avg_pool(struct sl_op_call *call)
{
    run_windows(call->state, average);
}

static float adapted(const struct planes *p, const float *in, size_t y, size_t x)
{
    const size_t h[2] = {y * p->in_h / p->out_h, ((y + 1) * p->in_h + p->out_h - 1) / p->out_h};
    const size_t w[2] = {x * p->in_w / p->out_w, ((x + 1) * p->in_w + p->out_w - 1) / p->out_w};
    return window_sum(p, in, h, w) / (float)((h[1] - h[0]) * (w[1] - w[0]));
}

static void run_adaptive(struct sl_op_call *call)
{
    run_windows(call->state, adapted);
}

static size_t nearest(size_t at, float scale, size_t size)
{
    size_t from = (size_t)((float)at * scale);
    return from < size ? from : size - 1;
}

static void run_nearest(struct sl_op_call *call)
{
    const struct planes *p = call->state;
    for (size_t i = 0; i < p->count; i++) {
        const float *in = plane_in(p, i);
        float *out = plane_out(p, i);
        for (size_t y = 0; y < p->out_h; y++) {
            const float *row = in + nearest(y, p->scale_h, p->in_h) * p->in_w;
            for (size_t x = 0; x < p->out_w; x++)
                *out++ = row[nearest(x, p->scale_w, p->in_w)];
        }
    }
}

/* The two pixels around output place `at` and how much of the second. */
static float between(const struct planes *p, size_t at, float scale, size_t size, size_t *out)
{
    float from = p->align_corners ? (float)at * scale : ((float)at + 0.5f) * scale - 0.5f;
    from = from > 0.0f ? from : 0.0f;
    out[0] = (size_t)from < size ? (size_t)from : size - 1;
    out[1] = out[0] + 1 < size ? out[0] + 1 : out[0];
    return from - (float)out[0];
}

static void run_bilinear(struct sl_op_call *call)
{
    const struct planes *p = call->state;
    for (size_t y = 0; y < p->out_h; y++) {
        size_t h[2], w[2];
        float down = between(p, y, p->scale_h, p->in_h, h);
        for (size_t x = 0; x < p->out_w; x++) {
            float right = between(p, x, p->scale_w, p->in_w, w);
            for (size_t i = 0; i < p->count; i++) {
                const float *top = plane_in(p, i) + h[0] * p->in_w;
                const float *bottom = plane_in(p, i) + h[1] * p->in_w;
                float above = top[w[0]] * (1.0f - right) + top[w[1]] * right;
                float below = bottom[w[0]] * (1.0f - right) + bottom[w[1]] * right;
                plane_out(p, i)[y * p->out_w + x] = above * (1.0f - down) + below * down;
            }
        }
    }
}

/* Both numbers of a list of one or two in [low, INT32_MAX]; an empty list leaves them. */
static bool read_pair(struct sl_op_call *call, uint32_t arg, int64_t low, size_t *h, size_t *w)
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

/* The input's planes. */
static struct planes *begin(struct sl_op_call *call, struct sl_diag *diag, int *rc)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct planes *p = sl_op_state(call, sizeof(*p));
    *rc = p ? 0 : sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    if (p && ((in->rank != 3 && in->rank != 4) || !sl_tensor_contiguous(in) || in->nbytes == 0))
        *rc = sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED,
                         "its input is empty, or not of rank 3 or 4 in the usual memory order");
    if (*rc != 0)
        return NULL;
    *p = (struct planes){.in = in, .stride_h = 1, .stride_w = 1};
    p->in_h = (size_t)in->sizes[in->rank - 2];
    p->in_w = (size_t)in->sizes[in->rank - 1];
    p->count = sl_tensor_count(in) / p->in_h / p->in_w;
    return p;
}

static int finish(struct sl_op_call *call, struct planes *p, uint32_t arg, sl_own_run_fn run,
                  struct sl_diag *diag)
{
    struct sl_tensor *out = sl_op_tensor(call, arg);
    int32_t sizes[4];
    if (p->out_h == 0 || p->out_w == 0 || p->out_h > INT32_MAX || p->out_w > INT32_MAX)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its output would be empty");
    memcpy(sizes, p->in->sizes, p->in->rank * sizeof(*sizes));
    sizes[p->in->rank - 2] = (int32_t)p->out_h;
    sizes[p->in->rank - 1] = (int32_t)p->out_w;
    int rc = sl_tensor_resize(out, p->in->rank, sizes, diag);
    if (rc == 0 && !sl_tensor_contiguous(out))
        rc = sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "this memory order is not supported");
    p->out = out;
    if (rc == 0)
        sl_op_own(call, "sl_plane_f32_scalar", run);
    return rc;
}

/* Windows along one dimension; with `up` one that starts inside but ends beyond counts too. */
static size_t windows(size_t in, size_t kernel, size_t stride, size_t pad, bool up)
{
    if (kernel > in + 2 * pad || pad > kernel / 2)
        return 0;
    size_t count = (in + 2 * pad - kernel + (up ? stride - 1 : 0)) / stride + 1;
    return up && (count - 1) * stride >= in + pad ? count - 1 : count;
}

static int prepare_avg_pool(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc;
    struct planes *p = begin(call, diag, &rc);
    if (!p)
        return rc;
    bool fits = read_pair(call, 1, 1, &p->kernel_h, &p->kernel_w) && p->kernel_h != 0;
    p->stride_h = p->kernel_h;
    p->stride_w = p->kernel_w;
    fits = fits && read_pair(call, 2, 1, &p->stride_h, &p->stride_w) &&
           read_pair(call, 3, 0, &p->pad_h, &p->pad_w);
    if (!fits)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its parameters are not valid");
    p->counts_padding = sl_op_bool(call, 5);
    p->divisor = sl_op_int(call, 6, 0);
    p->out_h = windows(p->in_h, p->kernel_h, p->stride_h, p->pad_h, sl_op_bool(call, 4));
    p->out_w = windows(p->in_w, p->kernel_w, p->stride_w, p->pad_w, sl_op_bool(call, 4));
    return finish(call, p, 7, run_avg_pool, diag);
}

static int prepare_adaptive(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc;
    struct planes *p = begin(call, diag, &rc);
    if (!p)
        return rc;
    if (!read_pair(call, 1, 1, &p->out_h, &p->out_w))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its output size is not valid");
    return finish(call, p, 2, run_adaptive, diag);
}

/* Output sizes from the list at argument 1, or the factors of argument `at`. */
static bool read_resize(struct sl_op_call *call, struct planes *p, uint32_t at)
{
    const struct sl_value *factors = &call->method->values[call->args[at]];
    bool scaled = factors->kind == SL_PTE_DOUBLE_LIST && factors->list->list.count == 2;
    double h = scaled ? factors->list->list.doubles[0] : 0.0;
    double w = scaled ? factors->list->list.doubles[1] : 0.0;
    if (!read_pair(call, 1, 1, &p->out_h, &p->out_w))
        return false;
    if (p->out_h == 0 && scaled && h > 0.0 && w > 0.0) {
        h *= (double)p->in_h;
        w *= (double)p->in_w;
        p->out_h = h < INT32_MAX ? (size_t)h : 0;
        p->out_w = w < INT32_MAX ? (size_t)w : 0;
    }
    if (p->out_h == 0 || p->out_w == 0)
        return false;
    p->scale_h = scaled && !p->align_corners ? (float)(1.0 / factors->list->list.doubles[0])
                                             : (float)p->in_h / (float)p->out_h;
    p->scale_w = scaled && !p->align_corners ? (float)(1.0 / factors->list->list.doubles[1])
                                             : (float)p->in_w / (float)p->out_w;
    if (p->align_corners) {
        p->scale_h = p->out_h > 1 ? (float)(p->in_h - 1) / (float)(p->out_h - 1) : 0.0f;
        p->scale_w = p->out_w > 1 ? (float)(p->in_w - 1) / (float)(p->out_w - 1) : 0.0f;
    }
    return true;
}

static int resize_planes(struct sl_op_call *call, bool bilinear, struct sl_diag *diag)
{
    int rc;
    struct planes *p = begin(call, diag, &rc);
    if (!p)
        return rc;
    p->align_corners = bilinear && sl_op_bool(call, 2);
    if (!read_resize(call, p, bilinear ? 3 : 2))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its output size is not valid");
    return finish(call, p, bilinear ? 4 : 3, bilinear ? run_bilinear : run_nearest, diag);
}

static int prepare_bilinear(struct sl_op_call *call, struct sl_diag *diag)
{
    return resize_planes(call, true, diag);
}

static int prepare_nearest(struct sl_op_call *call, struct sl_diag *diag)
{
    return resize_planes(call, false, diag);
}

struct groups {
    const struct sl_tensor *in, *weight, *bias, *out, *mean, *rstd;
    size_t batch, groups, channels, pixels; /* channels of a group */
    double eps;
};

static void normalise(const struct groups *g, const float *in, float *out, size_t group,
                      size_t statistic)
{
    size_t count = g->channels * g->pixels;
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += (double)in[i];
        squares += (double)in[i] * (double)in[i];
    }
    double mean = sum / (double)count;
    double variance = fmax(0.0, squares / (double)count - mean * mean);
    double rstd = 1.0 / sqrt(variance + g->eps);
    ((float *)(void *)g->mean->data)[statistic] = (float)mean;
    ((float *)(void *)g->rstd->data)[statistic] = (float)rstd;
    for (size_t c = 0; c < g->channels; c++) {
        size_t at = group * g->channels + c;
        float weight = g->weight ? ((const float *)(const void *)g->weight->data)[at] : 1.0f;
        float bias = g->bias ? ((const float *)(const void *)g->bias->data)[at] : 0.0f;
        float scale = (float)rstd * weight, shift = bias - (float)mean * scale;
        for (size_t i = c * g->pixels; i < (c + 1) * g->pixels; i++)
            out[i] = in[i] * scale + shift;
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

const struct sl_op sl_ops_plane[] = {
    {.name = "aten::avg_pool2d.out", .signature = "tvvvbbIo", .prepare = prepare_avg_pool},
    {.name = "aten::_adaptive_avg_pool2d.out", .signature = "tvo", .prepare = prepare_adaptive},
    {.name = "aten::upsample_bilinear2d.vec_out",
     .signature = "tVbdo",
     .prepare = prepare_bilinear},
    {.name = "aten::upsample_nearest2d.vec_out", .signature = "tVdo", .prepare = prepare_nearest},
    {.name = "aten::native_group_norm.out",
     .signature = "tTTiiiinooo",
     .prepare = prepare_group_norm},
    {0},
};
