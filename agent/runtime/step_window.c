/* agent/runtime/step_window.c: pooling steps, and the arithmetic of windows. */
#include <math.h>

#include "agent/runtime/runtime.h"
#include "agent/runtime/step.h"

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

static bool pool_ok(const struct sl_pool_args *a)
{
    return sl_window_ok(a->in_h, a->out_h, a->kernel_h, a->stride_h, a->dilation_h, a->pad_top) &&
           sl_window_ok(a->in_w, a->out_w, a->kernel_w, a->stride_w, a->dilation_w, a->pad_left) &&
           a->kernel_h <= MAX_WINDOW / a->kernel_w &&
           windows_touch(a->in_h, a->out_h, a->kernel_h, a->stride_h, a->dilation_h, a->pad_top) &&
           windows_touch(a->in_w, a->out_w, a->kernel_w, a->stride_w, a->dilation_w, a->pad_left);
}

static void run_pool(const struct sl_step *step)
{
    step->pool.kernel->run(&step->pool.args);
}

int sl_step_pool(struct sl_step *step, uint32_t isa, const struct sl_pool_args *shape)
{
    if (!pool_ok(shape))
        return SL_ET_INVALID_ARGUMENT;
    const struct sl_pool *kernel = sl_pool_select(isa, shape->op);
    *step = (struct sl_step){
        .run = run_pool, .kernel = kernel->name, .kind = SL_STEP_POOL, .pool = {kernel, *shape}};
    sl_step_set_clamp(step, -INFINITY, INFINITY);
    return 0;
}

/* One window of one plane; the first maximum wins, and a NaN above all. */
static float max_of_window(const struct sl_pool_args *a, const float *plane, size_t oy, size_t ox,
                           int64_t *out_index)
{
    float best = -INFINITY;
    int64_t index = -1;
    for (size_t ky = 0; ky < a->kernel_h; ky++) {
        size_t y = oy * a->stride_h + ky * a->dilation_h - a->pad_top; /* wraps above in_h */
        if (y >= a->in_h)
            continue;
        for (size_t kx = 0; kx < a->kernel_w; kx++) {
            size_t x = ox * a->stride_w + kx * a->dilation_w - a->pad_left;
            if (x >= a->in_w)
                continue;
            float value = plane[y * a->in_w + x];
            if (index < 0 || value > best || (isnan(value) && !isnan(best))) {
                best = value;
                index = (int64_t)(y * a->in_w + x);
            }
        }
    }
    *out_index = index;
    return best;
}

static void run_pool_index(const struct sl_step *step)
{
    const struct sl_pool_args *a = &step->pool_index.args;
    size_t out = 0;
    for (size_t plane = 0; plane < a->batch; plane++)
        for (size_t oy = 0; oy < a->out_h; oy++)
            for (size_t ox = 0; ox < a->out_w; ox++, out++)
                a->out[out] = max_of_window(a, a->in + plane * a->in_h * a->in_w, oy, ox,
                                            &step->pool_index.index[out]);
}

int sl_step_pool_index(struct sl_step *step, const struct sl_pool_args *shape)
{
    if (!pool_ok(shape))
        return SL_ET_INVALID_ARGUMENT;
    *step = (struct sl_step){.run = run_pool_index,
                             .kernel = "sl_max_pool2d_with_indices_f32_nchw_scalar",
                             .kind = SL_STEP_POOL_INDEX,
                             .pool_index = {.args = *shape}};
    return 0;
}
