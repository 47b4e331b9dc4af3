/* kernels/conv/conv_mla_neon.h: convolution as implicit GEMM by FMLA, blocks of 5 pixels by 4
 * vectors of channels; of the type that the including file names (kernels/cpu/element.h), the
 * kernel KERNEL.
 *
 * A pixel's window is read in segments that lie contiguous in the image: whole kernel rows when
 * nothing parts their pixels, else single taps. A table of segments' addresses serves some pixels
 * at a time and all panels of weights. Segments outside the image are a run of zeros; those that
 * are partly outside are copied, with zeros. */
#pragma once

#include <math.h>
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/matmul/mla_neon.h"

enum { MAX_BLOCKS = 24, COPY_ELEMENTS = 32768 };

/* How windows are cut up. */
struct cut {
    size_t taps;     /* pixels of one segment */
    size_t length;   /* elements of one segment */
    size_t segments; /* of one window */
    size_t pixels;   /* in the table at a time, a multiple of SL_MLA_MR */
};

static struct cut cut_of(const struct sl_conv_shape *s)
{
    struct cut c = {.taps = s->dilation_w == 1 && s->groups == 1 ? s->kernel_w : 1};
    c.length = c.taps * s->group_in_c;
    c.segments = s->kernel_h * s->kernel_w / c.taps;
    size_t blocks = COPY_ELEMENTS / (SL_MLA_MR * c.segments * c.length + 1);
    blocks = blocks < 1 ? 1 : blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS;
    c.pixels = blocks * SL_MLA_MR;
    return c;
}

static size_t window_elements(const struct sl_conv_shape *s)
{
    return s->kernel_h * s->kernel_w * s->group_in_c;
}

static size_t group_elements(const struct sl_conv_shape *s)
{
    return sl_mla_panels_elements(s->group_out_c, window_elements(s));
}

static size_t weights_bytes(const struct sl_conv_shape *shape)
{
    return shape->groups * group_elements(shape) * sizeof(SL_ELEMENT);
}

static void pack_weights(const struct sl_conv_shape *shape, const SL_ELEMENT *weights,
                         const SL_ELEMENT *bias, void *packed)
{
    size_t k = window_elements(shape), n = shape->group_out_c;
    for (size_t g = 0; g < shape->groups; g++)
        sl_mla_pack_panels(n, k, weights + g * n * k, k, 1, bias ? bias + g * n : NULL,
                           (SL_ELEMENT *)packed + g * group_elements(shape));
}

#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_f32
/* Rows of SL_MLA_NR floats, those of a tap after each other where those of a channel were. */
static void turn_whole_panel(size_t taps, size_t channels, const float *from, float *to)
{
    const size_t step = taps * SL_MLA_NR;
    for (size_t t = 0; t < taps; t++, from += SL_MLA_NR) {
        const float *row = from;
#pragma clang loop unroll_count(4)
        for (size_t i = 0; i < channels; i++, row += step, to += SL_MLA_NR)
            vst1q_f32_x4(to, vld1q_f32_x4(row));
    }
}

static void turn_packed(const struct sl_conv_shape *shape, const void *from, void *to)
{
    size_t taps = shape->kernel_h * shape->kernel_w, channels = shape->group_in_c;
    const float *in = from;
    float *out = to;
    for (size_t g = 0; g < shape->groups; g++)
        for (size_t j0 = 0, width; j0 < shape->group_out_c; j0 += width) {
            width = LANES * sl_mla_panel_vectors(shape->group_out_c, j0);
            memcpy(out, in, width * sizeof(*out));
            in += width;
            out += width;
            if (width == SL_MLA_NR)
                turn_whole_panel(taps, channels, in, out);
            else
                for (size_t i = 0; i < taps * channels; i++)
                    memcpy(out + i * width, in + (i % channels * taps + i / channels) * width,
                           width * sizeof(*out));
            in += taps * channels * width;
            out += taps * channels * width;
        }
}
#define TURN_PACKED turn_packed
#else
#define TURN_PACKED NULL
#endif

/* The table, the zeros of all groups, the copies. */
static size_t workspace_bytes(const struct sl_conv_shape *shape)
{
    struct cut c = cut_of(shape);
    size_t slots = c.segments * c.pixels;
    return slots * sizeof(SL_ELEMENT *) + (shape->groups + slots) * c.length * sizeof(SL_ELEMENT);
}

/* Some pixels of one image, and where their segments are, of the first group; those of the others
 * follow, for with several groups nothing is copied. */
struct window {
    const struct sl_conv_shape *shape;
    struct cut cut;
    const SL_ELEMENT *in;
    const SL_ELEMENT **table; /* [segments][pixels] */
    const SL_ELEMENT *zeros;
    SL_ELEMENT *copies; /* [segments][pixels][length] */
};

/* A segment that starts at column `x` (negative as wrapped) and is not wholly inside. */
static const SL_ELEMENT *border_segment(const struct window *w, const SL_ELEMENT *row, size_t x,
                                        SL_ELEMENT *copy)
{
    size_t in_w = w->shape->in_w, channels = w->shape->groups * w->shape->group_in_c;
    size_t first = x < in_w ? 0 : (size_t)0 - x; /* taps of the segment left of the image */
    if (first >= w->cut.taps)
        return w->zeros;
    size_t count = w->cut.taps - first, room = in_w - (x + first);
    count = count < room ? count : room;
    memset(copy, 0, w->cut.length * sizeof(SL_ELEMENT));
    memcpy(copy + first * channels, row + (x + first) * channels,
           count * channels * sizeof(SL_ELEMENT));
    return copy;
}

/* A segment of `count` pixels, the first at column `x` of an input row, into slots from `slot`. */
static void fill_segment(const struct window *w, const SL_ELEMENT *row, size_t x, size_t slot,
                         size_t count)
{
    size_t in_w = w->shape->in_w, taps = w->cut.taps, stride = w->shape->stride_w;
    size_t channels = w->shape->groups * w->shape->group_in_c;
    const SL_ELEMENT **table = w->table + slot;
    SL_ELEMENT *copy = w->copies + slot * w->cut.length;
    for (size_t i = 0; i < count;) {
        size_t inside = 0, left = count - i;
        if (x < in_w && in_w - x >= taps) {
            size_t room = in_w - x - taps; /* often enough for all: no division then */
            inside = room >= (left - 1) * stride ? left : room / stride + 1;
        }
        const SL_ELEMENT *from = row + x * channels;
#pragma clang loop unroll_count(8)
        for (size_t j = 0; j < inside; j++, from += stride * channels)
            table[i + j] = from;
        i += inside;
        x += inside * stride;
        if (i < count) {
            table[i] = border_segment(w, row, x, copy + i * w->cut.length);
            i++;
            x += stride;
        }
    }
}

/* All segments of `count` pixels of one output row from ox, into slots from `slot`. */
static void fill_run(const struct window *w, size_t oy, size_t ox, size_t slot, size_t count)
{
    const struct sl_conv_shape *s = w->shape;
    size_t row = s->in_w * s->groups * s->group_in_c, down = s->dilation_h;
    size_t across = w->cut.taps * s->dilation_w, per_row = s->kernel_w / w->cut.taps;
    size_t y = oy * s->stride_h - s->pad_top, x = ox * s->stride_w - s->pad_left; /* may wrap */
    for (size_t ky = s->kernel_h; ky > 0; ky--, y += down)
        for (size_t kx = 0; kx < per_row; kx++, slot += w->cut.pixels) {
            if (y < s->in_h)
                fill_segment(w, w->in + y * row, x + kx * across, slot, count);
            for (size_t i = 0; y >= s->in_h && i < count; i++)
                w->table[slot + i] = w->zeros;
        }
}

static void fill_table(const struct window *w, size_t pixel, size_t count)
{
    for (size_t slot = 0; slot < count;) {
        size_t oy = (pixel + slot) / w->shape->out_w, ox = (pixel + slot) % w->shape->out_w;
        size_t run = w->shape->out_w - ox;
        run = run < count - slot ? run : count - slot;
        fill_run(w, oy, ox, slot, run);
        slot += run;
    }
}

/* One panel's channels of all pixels in the table. */
struct panel {
    size_t pixels, columns; /* columns: those that are stored */
    struct cut cut;
    const SL_ELEMENT *const *table;
    const SL_ELEMENT *weights;
    SL_ELEMENT *dst;
    size_t dst_stride;
    bool clamp;
    float min, max;
};

SL_INLINE void block(size_t mr, size_t nv, const struct panel *p, const SL_ELEMENT *const *table,
                     SL_ELEMENT *dst)
{
    vec_t acc[SL_MLA_MOST_ROWS][SL_MLA_NV];
    sl_mla_start(mr, nv, p->weights, acc);
    const SL_ELEMENT *w = p->weights + LANES * nv;
    size_t length = p->cut.length, pixels = p->cut.pixels;
    for (size_t t = p->cut.segments; t > 0; t--, table += pixels)
        w = sl_mla_steps(mr, nv, length, table, w, acc);
    sl_mla_finish(mr, nv, p->clamp, p->min, p->max, p->columns, dst, p->dst_stride, acc);
}

SL_INLINE void pixels_of(size_t nv, const struct panel *p)
{
    const SL_ELEMENT *const *table = p->table;
    SL_ELEMENT *dst = p->dst;
    for (size_t left = p->pixels, mr; left > 0; left -= mr, table += mr) {
        mr = sl_mla_rows(nv, left);
        SL_MLA_BLOCK(block, mr, nv, p, table, dst);
        dst += mr * p->dst_stride;
    }
}

static void pixels_of_one(const struct panel *p)
{
    pixels_of(1, p);
}

static void pixels_of_two(const struct panel *p)
{
    pixels_of(2, p);
}

static void pixels_of_three(const struct panel *p)
{
    pixels_of(3, p);
}

static void pixels_of_four(const struct panel *p)
{
    pixels_of(4, p);
}

/* All channels of the group, for the pixels in the table. `dst` is the first one's output. */
static void run_panels(const struct SL_NAME(sl_conv, _args) * args, const struct window *w,
                       size_t pixels, size_t group, SL_ELEMENT *dst, size_t out_pixel)
{
    static void (*const by_vectors[])(const struct panel *) = {pixels_of_one, pixels_of_two,
                                                               pixels_of_three, pixels_of_four};
    size_t n = args->shape.group_out_c, k = window_elements(&args->shape);
    const SL_ELEMENT *weights =
        (const SL_ELEMENT *)args->weights + group * group_elements(&args->shape);
    for (size_t j = 0, width; j < n; j += width) {
        width = LANES * sl_mla_panel_vectors(n, j);
        struct panel panel = {
            .pixels = pixels,
            .columns = n - j < width ? n - j : width,
            .cut = w->cut,
            .table = w->table,
            .weights = weights + sl_mla_panel_offset(j, k),
            .dst = dst + j,
            .dst_stride = out_pixel,
            .clamp = args->min > -INFINITY || args->max < INFINITY,
            .min = args->min,
            .max = args->max,
        };
        by_vectors[width / LANES - 1](&panel);
    }
}

/* The segments of `count` pixels go on to the channels of the next group. */
static void shift_table(const struct window *w, size_t count)
{
    size_t bytes = w->shape->group_in_c * sizeof(SL_ELEMENT), segments = w->cut.segments;
    uintptr_t *table = (uintptr_t *)(void *)w->table;
    for (; segments > 0; segments--, table += w->cut.pixels)
        for (size_t i = 0; i < count; i++)
            table[i] += bytes;
}

/* One image. Where rows of the output do not follow each other, what is in the table at a time lies
 * in one row. */
static void run_image(const struct SL_NAME(sl_conv, _args) * args, const struct window *w,
                      SL_ELEMENT *out)
{
    const struct sl_conv_shape *s = &args->shape;
    size_t out_pixel = args->out_pixel, out_row = args->out_row, pixels = s->out_h * s->out_w;
    sl_conv_strides(s, &out_pixel, &out_row);
    bool by_rows = out_row != s->out_w * out_pixel;
    for (size_t pixel = 0, count; pixel < pixels; pixel += count) {
        size_t y = pixel / s->out_w, x = pixel % s->out_w;
        size_t left = by_rows ? s->out_w - x : pixels - pixel;
        SL_ELEMENT *dst = out + y * out_row + x * out_pixel;
        count = left < w->cut.pixels ? left : w->cut.pixels;
        fill_table(w, pixel, count);
        for (size_t g = 0; g < s->groups; g++) {
            if (g > 0)
                shift_table(w, count);
            run_panels(args, w, count, g, dst + g * s->group_out_c, out_pixel);
        }
    }
}

static void run(const struct SL_NAME(sl_conv, _args) * args)
{
    const struct sl_conv_shape *s = &args->shape;
    struct window w = {.shape = s, .cut = cut_of(s), .table = args->workspace};
    size_t slots = w.cut.segments * w.cut.pixels, zero_count = s->groups * w.cut.length;
    size_t out_pixel = args->out_pixel, out_row = args->out_row;
    SL_ELEMENT *zeros = (SL_ELEMENT *)(w.table + slots);
    sl_conv_strides(s, &out_pixel, &out_row);
    memset(zeros, 0, zero_count * sizeof(SL_ELEMENT));
    w.zeros = zeros;
    w.copies = zeros + zero_count;
    for (size_t n = 0; n < s->batch; n++) {
        w.in = args->in + n * s->in_h * s->in_w * s->groups * s->group_in_c;
        run_image(args, &w, args->out + n * s->out_h * out_row);
    }
}

const struct SL_NAME(sl_conv, ) KERNEL = {
    .name = SL_TEXT(KERNEL),
    .needs = SL_VECTOR_ISA,
    .weights_bytes = weights_bytes,
    .pack_weights = pack_weights,
    .turn_packed = TURN_PACKED,
#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_f32
    .pack_halves = sl_conv_pack_halves_neon,
#endif
    .workspace_bytes = workspace_bytes,
    .run = run,
};
