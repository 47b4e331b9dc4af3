/* agent/runtime/step_window.c: pooling steps, and the arithmetic of windows. */
#include <math.h>

#include "agent/runtime/lanes.h"
#include "agent/runtime/runtime.h"
#include "agent/runtime/step.h"
#include "agent/runtime/step_split.h"

enum { MAX_WINDOW = 65536 }; /* pixels of one pooling window */
#define MAX_EXTENT ((size_t)1 << 31)

bool sl_window_ok(size_t in, size_t out, size_t kernel, size_t stride, size_t dilation, size_t pad)
{
    if (kernel == 0 || stride == 0 || dilation == 0 || in > MAX_EXTENT || out > MAX_EXTENT ||
        kernel > MAX_EXTENT || stride > MAX_EXTENT || dilation > MAX_EXTENT || pad > MAX_EXTENT)
        return false;
    /* The last pixel that the last window names must be countable. */
    return (kernel - 1) * dilation <= MAX_EXTENT && (out == 0 || (out - 1) * stride <= MAX_EXTENT);
}

size_t sl_window_out(size_t in, size_t pad_before, size_t pad_after, size_t kernel, size_t stride,
                     size_t dilation)
{
    if (!sl_window_ok(in, 0, kernel, stride, dilation, pad_before) || pad_after > MAX_EXTENT)
        return 0;
    size_t padded = in + pad_before + pad_after, extent = (kernel - 1) * dilation + 1;
    return padded > extent ? (padded - extent) / stride + 1 : 1;
}

/* True if each of the `out` windows has a pixel inside [0, in). */
static bool windows_touch(size_t in, size_t out, size_t kernel, size_t stride, size_t dilation,
                          size_t pad)
{
    for (size_t o = 0; o < out; o++) {
        size_t first = 0, at = o * stride; /* the window begins at at - pad */
        if (at < pad) {
            first = (pad - at + dilation - 1) / dilation;
            at += first * dilation;
        }
        if (first >= kernel || at - pad >= in)
            return false;
    }
    return true;
}

bool sl_pool_ok(const struct sl_pool_args *a)
{
    return sl_window_ok(a->in_h, a->out_h, a->kernel_h, a->stride_h, a->dilation_h, a->pad_top) &&
           sl_window_ok(a->in_w, a->out_w, a->kernel_w, a->stride_w, a->dilation_w, a->pad_left) &&
           a->kernel_h <= MAX_WINDOW / a->kernel_w &&
           windows_touch(a->in_h, a->out_h, a->kernel_h, a->stride_h, a->dilation_h, a->pad_top) &&
           windows_touch(a->in_w, a->out_w, a->kernel_w, a->stride_w, a->dilation_w, a->pad_left);
}

/* The first tap of a window at `at` (padding counted) that lies inside [0, in), and the tap after
 * the last one. */
static void valid_taps(size_t at, size_t in, size_t kernel, size_t dilation, size_t pad,
                       size_t *out_first, size_t *out_end)
{
    size_t first = at < pad ? (pad - at + dilation - 1) / dilation : 0;
    size_t end = (in + pad - at + dilation - 1) / dilation; /* at < in + pad: windows touch */
    *out_first = first;
    *out_end = end < kernel ? end : kernel;
}

/* Columns from, up to but not including, to of a row of output pixels; in a window the first
 * maximum wins, and a NaN above all. */
static void max_of_columns(const struct sl_pool_args *a, const float *plane, size_t oy, size_t from,
                           size_t to, float *out, int64_t *index)
{
    size_t y_first, y_end, x_first, x_end;
    valid_taps(oy * a->stride_h, a->in_h, a->kernel_h, a->dilation_h, a->pad_top, &y_first, &y_end);
    for (size_t ox = from; ox < to; ox++) {
        valid_taps(ox * a->stride_w, a->in_w, a->kernel_w, a->dilation_w, a->pad_left, &x_first,
                   &x_end);
        size_t x0 = ox * a->stride_w + x_first * a->dilation_w - a->pad_left;
        size_t y = oy * a->stride_h + y_first * a->dilation_h - a->pad_top;
        size_t best_at = y * a->in_w + x0;
        float best = plane[best_at];
        for (size_t ky = y_first; ky < y_end; ky++, y += a->dilation_h) {
            size_t at = y * a->in_w + x0;
            for (size_t taps = x_end - x_first; taps > 0; taps--, at += a->dilation_w) {
                float v = plane[at];
                if (!(v <= best) && !isnan(best)) { /* larger, or the first NaN */
                    best = v;
                    best_at = at;
                }
            }
        }
        out[ox] = best;
        index[ox] = (int64_t)best_at;
    }
}

/* The rows of a window that lie inside. */
struct inner {
    const float *plane;
    size_t first, rows; /* the first of them, and how many */
};

/* Four windows, `step` apart, that lie inside from left to right; the first begins at column x. */
static inline __attribute__((always_inline)) void max_of_four(const struct sl_pool_args *a,
                                                              const struct inner *w, size_t x,
                                                              size_t step, float *out,
                                                              int64_t *index)
{
    typedef uint64_t places __attribute__((vector_size(32)));
    size_t row = w->first * a->in_w + x;
    const uint32_t next = (uint32_t)step;
    const sl_lanes_u32 apart = {0, next, 2 * next, 3 * next};
    sl_lanes best = sl_lanes_every(w->plane + row, step);
    sl_lanes_u32 best_at = apart + (uint32_t)row;
    for (size_t y = w->rows; y > 0; y--, row += a->dilation_h * a->in_w)
        for (size_t at = row, taps = a->kernel_w; taps > 0; taps--, at += a->dilation_w) {
            sl_lanes v = sl_lanes_every(w->plane + at, step);
            sl_lanes_s32 better = ~(v <= best) & (best == best); /* larger, or the first NaN */
            best = sl_lanes_choose(better, v, best);
            best_at = (sl_lanes_u32)sl_lanes_choose(better, (sl_lanes)(apart + (uint32_t)at),
                                                    (sl_lanes)best_at);
        }
    sl_lanes_store(out, best);
    const places wide = __builtin_convertvector(best_at, places);
    memcpy(index, &wide, sizeof(wide));
}

/* Columns from, up to but not including, to: at least four. */
static void max_of_inner(const struct sl_pool_args *a, const float *plane, size_t oy, size_t from,
                         size_t to, float *out, int64_t *index)
{
    size_t y_first, y_end, step = a->stride_w;
    valid_taps(oy * a->stride_h, a->in_h, a->kernel_h, a->dilation_h, a->pad_top, &y_first, &y_end);
    const struct inner w = {plane, oy * a->stride_h + y_first * a->dilation_h - a->pad_top,
                            y_end - y_first};
    for (size_t i = 0; i < to - from; i = sl_lanes_next(i, to - from)) {
        size_t ox = from + i, x = ox * step - a->pad_left;
        if (step == 1)
            max_of_four(a, &w, x, 1, out + ox, index + ox);
        else if (step == 2)
            max_of_four(a, &w, x, 2, out + ox, index + ox);
        else
            max_of_four(a, &w, x, step, out + ox, index + ox);
    }
}

/* One row of output pixels: those whose windows leave the input one by one, the others together. */
static void max_of_row(const struct sl_pool_args *a, const float *plane, size_t oy, float *out,
                       int64_t *index)
{
    size_t extent = (a->kernel_w - 1) * a->dilation_w + 1, end = 0;
    size_t first = (a->pad_left + a->stride_w - 1) / a->stride_w;
    if (a->in_w + a->pad_left >= extent)
        end = (a->in_w + a->pad_left - extent) / a->stride_w + 1;
    end = end < a->out_w ? end : a->out_w;
    if (end < first + SL_LANES || a->in_h * a->in_w > UINT32_MAX) {
        max_of_columns(a, plane, oy, 0, a->out_w, out, index);
        return;
    }
    max_of_columns(a, plane, oy, 0, first, out, index);
    max_of_inner(a, plane, oy, first, end, out, index);
    max_of_columns(a, plane, oy, end, a->out_w, out, index);
}

/* By planes. */
static bool axis_pool_index(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    struct sl_pool_args *a = &step->pool_index.args;
    size_t plane = a->out_h * a->out_w;
    (void)crew;
    if (plane == 0)
        return false;
    sl_axis_of_rows(&a->batch, a->out, plane * sizeof(*a->out),
                    (uint64_t)plane * a->kernel_h * a->kernel_w * SL_WORK_TAP, out);
    sl_axis_move(out, &a->in, a->in_h * a->in_w * sizeof(*a->in));
    sl_axis_move(out, &a->out, plane * sizeof(*a->out));
    sl_axis_move(out, &step->pool_index.index, plane * sizeof(*step->pool_index.index));
    return true;
}

static void run_pool_index(const struct sl_step *step)
{
    const struct sl_pool_args *a = &step->pool_index.args;
    int64_t *index = step->pool_index.index;
    for (size_t row = 0; row < a->batch * a->out_h; row++)
        max_of_row(a, a->in + row / a->out_h * a->in_h * a->in_w, row % a->out_h,
                   a->out + row * a->out_w, index + row * a->out_w);
}

int sl_step_pool_index(struct sl_step *step, const struct sl_pool_args *shape)
{
    if (!sl_pool_ok(shape))
        return SL_ET_INVALID_ARGUMENT;
    *step = (struct sl_step){
        .run = run_pool_index,
        .axis = axis_pool_index,
        .kernel = "sl_max_pool2d_with_indices_f32_nchw_1x4",
        .kind = SL_STEP_POOL_INDEX,
        .places = {.a = SL_STEP_AT(pool_index.args.in),
                   .b = SL_STEP_AT(pool_index.index), /* an output */
                   .out = SL_STEP_AT(pool_index.args.out)},
        .pool_index = {.args = *shape},
    };
    return 0;
}

static void run_argmax(const struct sl_step *step)
{
    step->argmax.kernel->run(&step->argmax.args);
}

void sl_step_argmax(struct sl_step *step, uint32_t isa, const struct sl_argmax_args *shape)
{
    const struct sl_argmax *kernel = sl_argmax_select(isa);
    *step = (struct sl_step){
        .run = run_argmax,
        .kernel = kernel->name,
        .kind = SL_STEP_POOL_INDEX,
        .places = {.a = SL_STEP_AT(argmax.args.in),
                   .b = SL_STEP_AT(argmax.args.index), /* an output */
                   .out = SL_STEP_AT(argmax.args.out)},
        .argmax = {kernel, *shape},
    };
}
