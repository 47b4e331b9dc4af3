/* agent/runtime/step_window.c: pooling steps, and the arithmetic of windows. */
#include <math.h>

#include "agent/runtime/runtime.h"
#include "agent/runtime/step.h"
#include "agent/runtime/step_split.h"

enum {
    MAX_WINDOW = 65536, /* pixels of one pooling window */
    WORTH = 16,         /* windows side by side that vectors are worth */
};
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

/* The best of some windows next to each other, so far, and where it was. */
struct best {
    float value[64];
    uint32_t at[64];
};

#define TAKE(step)                                                                                 \
    for (size_t i = 0; i < count; i++) {                                                           \
        float v = plane[at + i * (step)], best = b->value[i];                                      \
        bool better = v > best || (v != v && best == best);                                        \
        b->value[i] = better ? v : best;                                                           \
        b->at[i] = better ? (uint32_t)(at + i * (step)) : b->at[i];                                \
    }

/* One tap of `count` windows, `stride` apart, the first of them at `at`. */
static void take_tap(size_t count, size_t stride, const float *restrict plane, size_t at,
                     struct best *restrict b)
{
    if (stride == 1)
        TAKE(1)
    else if (stride == 2)
        TAKE(2)
    else
        TAKE(stride)
}

/* `count` windows from column ox on that lie inside from left to right. */
static void max_of_inner(const struct sl_pool_args *a, const float *plane, size_t oy, size_t ox,
                         size_t count, float *out, int64_t *index)
{
    struct best b;
    size_t y_first, y_end, x = ox * a->stride_w - a->pad_left;
    valid_taps(oy * a->stride_h, a->in_h, a->kernel_h, a->dilation_h, a->pad_top, &y_first, &y_end);
    size_t y = oy * a->stride_h + y_first * a->dilation_h - a->pad_top;
    for (size_t i = 0; i < count; i++) {
        b.value[i] = -INFINITY;
        b.at[i] = (uint32_t)(y * a->in_w + x + i * a->stride_w);
    }
    for (size_t ky = y_first; ky < y_end; ky++, y += a->dilation_h)
        for (size_t kx = 0; kx < a->kernel_w; kx++)
            take_tap(count, a->stride_w, plane, y * a->in_w + x + kx * a->dilation_w, &b);
    for (size_t i = 0; i < count; i++) {
        out[ox + i] = b.value[i];
        index[ox + i] = b.at[i];
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
    if (end < first + WORTH || a->in_h * a->in_w > UINT32_MAX) {
        max_of_columns(a, plane, oy, 0, a->out_w, out, index);
        return;
    }
    max_of_columns(a, plane, oy, 0, first, out, index);
    for (size_t x = first, count; x < end; x += count) {
        count = end - x < 64 ? end - x : 64;
        max_of_inner(a, plane, oy, x, count, out, index);
    }
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
        .kernel = "sl_max_pool2d_with_indices_f32_nchw_scalar",
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
