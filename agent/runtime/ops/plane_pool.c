/* agent/runtime/ops/plane_pool.c: average pooling of planes: a row of windows is summed down its
 * columns first, then across. */
#include <string.h>

#include "agent/runtime/lanes.h"
#include "agent/runtime/ops/plane.h"

/* sums[x] = the sum of in[y][x] over rows from, up to but not including, to. */
static inline __attribute__((always_inline)) void
sum_rows(const float *in, size_t width, size_t from, size_t to, float *restrict sums)
{
    in += from * width;
    if (from >= to) {
        memset(sums, 0, width * sizeof(*sums));
        return;
    }
    if (width < SL_LANES) {
        for (size_t x = 0; x < width; x++) {
            sums[x] = in[x] + 0.0f;
            for (size_t y = 1; y < to - from; y++)
                sums[x] += in[y * width + x];
        }
        return;
    }
    for (size_t x = 0; x < width; x = sl_lanes_next(x, width)) {
        const float *at = in + x;
        sl_lanes sum = sl_lanes_load(at) + sl_lanes_set(0.0f); /* never -0 */
#pragma clang loop unroll(disable)
        for (size_t rows = to - from - 1; rows > 0; rows--)
            sum += sl_lanes_load(at += width);
        sl_lanes_store(sums + x, sum);
    }
}

/* The sources of one row of averages: sums of the row with its padding, and the divisors. */
struct averages {
    const float *sums, *across;
    float down;
};

/* Columns x to x + 3. */
static inline __attribute__((always_inline)) void
average_four(const struct averages *a, size_t x, size_t kernel, size_t step, float *restrict out)
{
    const float *at = a->sums + x * step;
    sl_lanes sum = sl_lanes_every(at, step);
#pragma clang loop unroll(disable)
    for (size_t k = kernel - 1; k > 0; k--)
        sum += sl_lanes_every(++at, step);
    sl_lanes_store(out + x, sum / (sl_lanes_load(a->across + x) * sl_lanes_set(a->down)));
}

static inline __attribute__((always_inline)) void
average_row(const struct averages *a, size_t width, size_t kernel, size_t step, float *restrict out)
{
    if (width < SL_LANES) {
        for (size_t x = 0; x < width; x++) {
            float sum = a->sums[x * step];
            for (size_t k = 1; k < kernel; k++)
                sum += a->sums[x * step + k];
            out[x] = sum / (a->across[x] * a->down);
        }
        return;
    }
    for (size_t x = 0; x < width; x = sl_lanes_next(x, width))
        if (step == 1)
            average_four(a, x, kernel, 1, out);
        else if (step == 2)
            average_four(a, x, kernel, 2, out);
        else
            average_four(a, x, kernel, step, out);
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

/* Returns the factor of the divisor for one axis of a window; 1 if the window's sum is 0 anyway. */
static float weight(const struct sl_planes *p, size_t at, size_t in, size_t kernel, size_t stride,
                    size_t pad)
{
    size_t inside[2], padded = span(at, in, kernel, stride, pad, inside);
    size_t pixels = inside[1] > inside[0] ? inside[1] - inside[0] : 0;
    pixels = pixels != 0 && p->counts_padding ? padded : pixels;
    return pixels != 0 ? (float)pixels : 1.0f;
}

/* Elements of a row of sums with its padding, as far as windows reach. */
static size_t padded_width(const struct sl_planes *p)
{
    size_t reach = (p->out_w - 1) * p->stride_w + p->kernel_w, own = p->in_w + 2 * p->pad_w;
    return reach > own ? reach : own;
}

/* The divisors of a row of windows, then a row of sums. */
static bool take_scratch(struct sl_op_call *call, struct sl_planes *p)
{
    size_t reach, width;
    if (__builtin_mul_overflow(p->out_w, p->stride_w, &reach) || reach > INT32_MAX ||
        p->kernel_w > INT32_MAX || p->pad_w > INT32_MAX)
        return false;
    width = p->out_w + padded_width(p);
    p->scratch = sl_ref_scratch(call, width * sizeof(float)).offset;
    return true;
}

static void run_avg_pool(struct sl_op_call *call)
{
    const struct sl_planes *p = call->state;
    float *divisors = sl_plane_scratch(call, p), *padded = divisors + p->out_w;
    for (size_t x = 0; x < p->out_w; x++)
        divisors[x] = p->divisor != 0 ? (float)p->divisor
                                      : weight(p, x, p->in_w, p->kernel_w, p->stride_w, p->pad_w);
    memset(padded, 0, padded_width(p) * sizeof(float));
    for (size_t y = 0; y < p->out_h; y++) {
        size_t h[2];
        struct averages row = {padded, divisors, 1.0f};
        if (p->divisor == 0)
            row.down = weight(p, y, p->in_h, p->kernel_h, p->stride_h, p->pad_h);
        span(y, p->in_h, p->kernel_h, p->stride_h, p->pad_h, h);
        for (size_t i = 0; i < p->count; i++) {
            sum_rows(sl_plane_in(p, i), p->in_w, h[0], h[1], padded + p->pad_w);
            average_row(&row, p->out_w, p->kernel_w, p->stride_w,
                        sl_plane_out(p, i) + y * p->out_w);
        }
    }
}

/* Columns of a window of adaptive pooling: from left up to, but not including, right. */
struct adapted {
    size_t left, right;
};

/* Windows of equal width, side by side. */
static void run_divided(const struct sl_planes *p, float *across, float *sums)
{
    size_t kernel = p->in_w / p->out_w;
    for (size_t x = 0; x < p->out_w; x++)
        across[x] = (float)kernel;
    for (size_t y = 0; y < p->out_h; y++) {
        size_t from = y * p->in_h / p->out_h;
        size_t to = ((y + 1) * p->in_h + p->out_h - 1) / p->out_h;
        const struct averages row = {sums, across, (float)(to - from)};
        for (size_t i = 0; i < p->count; i++) {
            sum_rows(sl_plane_in(p, i), p->in_w, from, to, sums);
            average_row(&row, p->out_w, kernel, kernel, sl_plane_out(p, i) + y * p->out_w);
        }
    }
}

static void run_adaptive(struct sl_op_call *call)
{
    const struct sl_planes *p = call->state;
    if (p->in_w % p->out_w == 0) {
        float *space = sl_plane_scratch(call, p);
        run_divided(p, space, space + p->out_w);
        return;
    }
    struct adapted *spans = sl_plane_scratch(call, p);
    float *sums = (float *)(void *)(spans + p->out_w), *out = sl_plane_out(p, 0);
    for (size_t x = 0; x < p->out_w; x++)
        spans[x] =
            (struct adapted){x * p->in_w / p->out_w, ((x + 1) * p->in_w + p->out_w - 1) / p->out_w};
    for (size_t i = 0; i < p->count * p->out_h; i++) {
        size_t y = i % p->out_h, from = y * p->in_h / p->out_h;
        size_t to = ((y + 1) * p->in_h + p->out_h - 1) / p->out_h;
        sum_rows(sl_plane_in(p, i / p->out_h), p->in_w, from, to, sums);
        for (size_t x = 0; x < p->out_w; x++) {
            struct adapted s = spans[x];
            float sum = 0.0f;
#pragma clang loop vectorize(disable) unroll(disable)
            for (size_t k = s.left; k < s.right; k++)
                sum += sums[k];
            *out++ = sum / (float)((to - from) * (s.right - s.left));
        }
    }
}

/* Windows along one dimension; with `up` one that starts inside but ends beyond counts too. */
static size_t windows(size_t in, size_t kernel, size_t stride, size_t pad, bool up)
{
    if (kernel > in + 2 * pad || pad > kernel / 2)
        return 0;
    size_t count = (in + 2 * pad - kernel + (up ? stride - 1 : 0)) / stride + 1;
    return up && (count - 1) * stride >= in + pad ? count - 1 : count;
}

int sl_plane_avg_pool(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc;
    struct sl_planes *p = sl_plane_begin(call, diag, &rc);
    if (!p)
        return rc;
    bool fits = sl_plane_pair(call, 1, 1, &p->kernel_h, &p->kernel_w) && p->kernel_h != 0;
    p->stride_h = p->kernel_h;
    p->stride_w = p->kernel_w;
    fits = fits && sl_plane_pair(call, 2, 1, &p->stride_h, &p->stride_w) &&
           sl_plane_pair(call, 3, 0, &p->pad_h, &p->pad_w);
    if (!fits)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its parameters are not valid");
    p->counts_padding = sl_op_bool(call, 5);
    p->divisor = sl_op_int(call, 6, 0);
    p->out_h = windows(p->in_h, p->kernel_h, p->stride_h, p->pad_h, sl_op_bool(call, 4));
    p->out_w = windows(p->in_w, p->kernel_w, p->stride_w, p->pad_w, sl_op_bool(call, 4));
    if (p->out_h == 0 || p->out_w == 0 || !take_scratch(call, p))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its sizes are not valid");
    return sl_plane_finish(call, p, 7, "sl_plane_avg_pool_f32", run_avg_pool, diag);
}

int sl_plane_adaptive(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc;
    struct sl_planes *p = sl_plane_begin(call, diag, &rc);
    if (!p)
        return rc;
    if (!sl_plane_pair(call, 1, 1, &p->out_h, &p->out_w))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its output size is not valid");
    p->scratch =
        sl_ref_scratch(call, p->out_w * sizeof(struct adapted) + p->in_w * sizeof(float)).offset;
    return sl_plane_finish(call, p, 2, "sl_plane_adaptive_f32", run_adaptive, diag);
}
