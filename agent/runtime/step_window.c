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

/* True if the window that begins at `at` (padding counted) has a pixel inside [0, in). */
static bool window_touches(size_t in, size_t at, size_t kernel, size_t dilation, size_t pad)
{
    size_t first = at < pad ? (pad - at + dilation - 1) / dilation : 0;
    return first < kernel && at + first * dilation - pad < in;
}

/* The same of each of `out` windows. Of those that begin inside none does so later than the last.
 */
static bool windows_touch(size_t in, size_t out, size_t kernel, size_t stride, size_t dilation,
                          size_t pad)
{
    for (size_t o = 0; o < out && o * stride < pad; o++)
        if (!window_touches(in, o * stride, kernel, dilation, pad))
            return false;
    return out == 0 || window_touches(in, (out - 1) * stride, kernel, dilation, pad);
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

/* Columns from, up to but not including, to of a row of output pixels. In a window the first
 * maximum wins; as in ExecuTorch a NaN does if it is the window's first value, and never else. */
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
                if (v > best) {
                    best = v;
                    best_at = at;
                }
            }
        }
        out[ox] = best;
        index[ox] = (int64_t)best_at;
    }
}

enum { SPAN = 512 };

/* Holds the largest value of each column of a row of windows, and its place as the bits of a
 * uint32_t; -infinity and UINT32_MAX where the input has no such column. */
struct columns {
    float value[SPAN], place[SPAN];
};

static void leave(struct columns *c, size_t from, size_t to)
{
#pragma clang loop vectorize(disable) unroll(disable)
    for (size_t i = from; i < to; i++) {
        c->value[i] = -INFINITY;
        memset(&c->place[i], 0xff, sizeof(c->place[i]));
    }
}

/* The rows of `count` columns, at least four, of windows whose first row inside is `y`. False if
 * that row has a NaN, with which a window may begin. */
static bool max_down(const struct sl_pool_args *a, const float *plane, size_t y, size_t rows,
                     size_t x, size_t count, float *value, float *place)
{
    const size_t row = a->dilation_h * a->in_w;
    const sl_lanes_u32 apart = {0, 1, 2, 3}, next = apart * 0 + (uint32_t)row;
    sl_lanes_s32 numbers = {-1, -1, -1, -1};
    for (size_t i = 0; i < count; i = sl_lanes_next(i, count)) {
        const float *from = plane + y * a->in_w + x + i;
        sl_lanes best = sl_lanes_load(from);
        sl_lanes_u32 at = apart + (uint32_t)(from - plane), best_at = at;
        numbers &= best == best;
#pragma clang loop unroll(disable)
        for (size_t k = rows - 1; k > 0; k--) {
            sl_lanes v = sl_lanes_load(from += row);
            sl_lanes_s32 better = v > best;
            at += next;
            best = sl_lanes_choose(better, v, best);
            best_at = (sl_lanes_u32)sl_lanes_choose(better, (sl_lanes)at, (sl_lanes)best_at);
        }
        sl_lanes_store(value + i, best);
        sl_lanes_store(place + i, (sl_lanes)best_at);
    }
    return (numbers[0] & numbers[1] & numbers[2] & numbers[3]) != 0;
}

/* Four windows, `step` apart, of columns without NaNs. Of equal values the first place of the plane
 * wins. */
static inline __attribute__((always_inline)) void max_across(const struct sl_pool_args *a,
                                                             const struct columns *c, size_t x,
                                                             size_t step, float *out,
                                                             int64_t *index)
{
    typedef uint64_t places __attribute__((vector_size(32)));
    const float *value = c->value + x * step, *place = c->place + x * step;
    sl_lanes best = sl_lanes_every(value, step);
    sl_lanes_u32 best_at = (sl_lanes_u32)sl_lanes_every(place, step);
#pragma clang loop unroll(disable)
    for (size_t k = a->kernel_w - 1; k > 0; k--) {
        value += a->dilation_w;
        place += a->dilation_w;
        sl_lanes v = sl_lanes_every(value, step);
        sl_lanes_u32 at = (sl_lanes_u32)sl_lanes_every(place, step);
        sl_lanes_s32 earlier = (sl_lanes_s32)(at < best_at);
        sl_lanes_s32 better = (v > best) | ((v == best) & earlier);
        best = sl_lanes_choose(better, v, best);
        best_at = (sl_lanes_u32)sl_lanes_choose(better, (sl_lanes)at, (sl_lanes)best_at);
    }
    sl_lanes_store(out + x, best);
    const places wide = __builtin_convertvector(best_at, places);
    memcpy(index + x, &wide, sizeof(wide));
}

/* `count` windows, at least four, from column ox on, down and then across; false if they have less
 * than four columns, or may begin with a NaN. `width`: of all columns they name. */
static bool max_of_span(const struct sl_pool_args *a, const float *plane, size_t oy, size_t ox,
                        size_t count, size_t width, float *out, int64_t *index)
{
    struct columns c;
    size_t y_first, y_end, x = ox * a->stride_w, left = x < a->pad_left ? a->pad_left - x : 0;
    size_t end = a->in_w + a->pad_left - x; /* windows touch */
    end = end < width ? end : width;
    if (end < left + SL_LANES)
        return false;
    valid_taps(oy * a->stride_h, a->in_h, a->kernel_h, a->dilation_h, a->pad_top, &y_first, &y_end);
    leave(&c, 0, left);
    leave(&c, end, width);
    if (!max_down(a, plane, oy * a->stride_h + y_first * a->dilation_h - a->pad_top,
                  y_end - y_first, x + left - a->pad_left, end - left, c.value + left,
                  c.place + left))
        return false;
    for (size_t i = 0; i < count; i = sl_lanes_next(i, count))
        if (a->stride_w == 1)
            max_across(a, &c, i, 1, out + ox, index + ox);
        else if (a->stride_w == 2)
            max_across(a, &c, i, 2, out + ox, index + ox);
        else
            max_across(a, &c, i, a->stride_w, out + ox, index + ox);
    return true;
}

/* One row of output pixels. */
static void max_of_row(const struct sl_pool_args *a, const float *plane, size_t oy, float *out,
                       int64_t *index)
{
    size_t extent = (a->kernel_w - 1) * a->dilation_w + 1, most;
    most = extent < SPAN ? (SPAN - extent) / a->stride_w + 1 : 0;
    if (a->out_w < SL_LANES || most < SL_LANES || a->in_h * a->in_w >= UINT32_MAX) {
        max_of_columns(a, plane, oy, 0, a->out_w, out, index);
        return;
    }
    for (size_t x = 0, count; x < a->out_w; x += count) {
        x = x + SL_LANES <= a->out_w ? x : a->out_w - SL_LANES;
        count = a->out_w - x < most ? a->out_w - x : most;
        if (!max_of_span(a, plane, oy, x, count, (count - 1) * a->stride_w + extent, out, index))
            max_of_columns(a, plane, oy, x, x + count, out, index);
    }
}

/* By planes. */
static bool axis_pool_index(struct sl_step *step, uint32_t crew, struct sl_step_axis *out)
{
    struct sl_pool_args *a = &step->pool_index.args;
    size_t plane = a->out_h * a->out_w;
    (void)crew;
    if (plane == 0)
        return false;
    sl_axis_of_rows(&a->batch, a->out, plane * sizeof(float),
                    (uint64_t)plane * a->kernel_h * a->kernel_w * SL_WORK_TAP, out);
    sl_axis_move(out, &a->in, a->in_h * a->in_w * sizeof(float));
    sl_axis_move(out, &a->out, plane * sizeof(float));
    sl_axis_move(out, &step->pool_index.index, plane * sizeof(*step->pool_index.index));
    return true;
}

static void run_pool_index(const struct sl_step *step)
{
    const struct sl_pool_args *a = &step->pool_index.args;
    int64_t *index = step->pool_index.index;
    for (size_t row = 0; row < a->batch * a->out_h; row++)
        max_of_row(a, (const float *)a->in + row / a->out_h * a->in_h * a->in_w, row % a->out_h,
                   (float *)a->out + row * a->out_w, index + row * a->out_w);
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
