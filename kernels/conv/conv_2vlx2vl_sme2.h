/* kernels/conv/conv_2vlx2vl_sme2.h: convolution by outer products, SME2, of the type that the
 * including file names (kernels/cpu/element.h), the kernel KERNEL. That file defines
 * pack_weights().
 *
 * An output pixel is a row of the left operand. With the input padded once, its k elements lie at
 * the same distances from its first one for every pixel, so the packer takes a pointer for each
 * pixel and one list of segments for all. Nothing is gathered beyond a chunk that stays in cache.
 */
#pragma once

#include <arm_sme.h>
#include <arm_sve.h>
#include <math.h>

#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/matmul/matmul_mopa.h"
#include "kernels/pack/pack_f32.h"
#include "kernels/pack/pack_x16.h"

static size_t round_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* The runs of k that are consecutive in memory for every pixel: whole rows of the window where
 * neighbours in x are neighbours in k, and taps otherwise. */
struct runs {
    size_t count, length; /* length: elements */
    size_t lanes;         /* of k, in all runs */
};

static struct runs runs_of(const struct sl_conv_shape *s)
{
    bool whole_rows = s->groups == 1 && s->dilation_w == 1;
    size_t taps = s->kernel_h * s->kernel_w;
    struct runs runs = {.count = whole_rows ? s->kernel_h : taps};
    runs.length = taps * s->group_in_c / runs.count;
    runs.lanes = runs.count * SL_LANES(runs.length);
    return runs;
}

/* The workspace in order; all in bytes, all multiples of 64. */
struct plan {
    size_t padded_h, padded_w; /* pixels that the windows touch */
    size_t pixel;              /* elements of all groups */
    struct runs runs;
    size_t chunk_pixels; /* packed at a time, whole tiles */
    size_t rhs_floats;   /* packed weights of a group */
    size_t segment_bytes, image_bytes;
    bool in_place;                        /* no window leaves the input: nothing is padded */
    size_t pad_top, pad_left, in_h, in_w; /* of what lies at and beyond the first window */
    size_t skipped;                       /* elements of an image before that */
    size_t out_pixel, out_row;
    bool by_rows; /* rows of the output do not follow each other: a chunk is within one */
};

/* A negative padding is none, of an input that is smaller by what is left out. */
static size_t skip(size_t pad, size_t *in, size_t *out_pad)
{
    size_t left_out = pad > SIZE_MAX / 2 ? (size_t)0 - pad : 0;
    *out_pad = left_out ? 0 : pad;
    left_out = left_out < *in ? left_out : *in;
    *in -= left_out;
    return left_out;
}

static size_t weights_bytes(const struct sl_conv_shape *s)
{
    struct runs runs = runs_of(s);
    return s->groups * sl_mopa_f32_rhs_floats(s->group_out_c, runs.lanes, svcntsw()) *
           sizeof(float);
}

static struct plan plan_of(const struct sl_conv_shape *s)
{
    struct plan plan = {
        .padded_h = (s->out_h - 1) * s->stride_h + (s->kernel_h - 1) * s->dilation_h + 1,
        .padded_w = (s->out_w - 1) * s->stride_w + (s->kernel_w - 1) * s->dilation_w + 1,
        .pixel = s->groups * s->group_in_c,
        .runs = runs_of(s),
        .in_h = s->in_h,
        .in_w = s->in_w,
    };
    plan.skipped = skip(s->pad_top, &plan.in_h, &plan.pad_top) * s->in_w * plan.pixel;
    plan.skipped += skip(s->pad_left, &plan.in_w, &plan.pad_left) * plan.pixel;
    plan.in_place = plan.pad_top == 0 && plan.pad_left == 0 && plan.padded_h <= plan.in_h &&
                    plan.padded_w <= plan.in_w;
    plan.segment_bytes = round_up(plan.runs.count * sizeof(int64_t));
    if (!plan.in_place)
        plan.image_bytes =
            round_up(plan.padded_h * plan.padded_w * plan.pixel * sizeof(SL_ELEMENT));
    size_t vl = svcntsw(), tiles = (s->out_h * s->out_w + vl - 1) / vl;
    size_t rows = sl_pack_chunk_rows(plan.runs.lanes, vl);
    plan.chunk_pixels = tiles * vl < rows ? tiles * vl : rows;
    plan.rhs_floats = sl_mopa_f32_rhs_floats(s->group_out_c, plan.runs.lanes, vl);
    return plan;
}

static void pack_weights(const struct sl_conv_shape *s, const SL_ELEMENT *weights,
                         const SL_RESULT *bias, void *packed);

static size_t workspace_bytes(const struct sl_conv_shape *s)
{
    struct plan plan = plan_of(s);
    return plan.segment_bytes + plan.image_bytes +
           round_up(plan.chunk_pixels * plan.runs.lanes * sizeof(float));
}

/* Vectors are of bytes in these two, whatever the elements are. */
static SL_ELEMENT *put_zeros(SL_ELEMENT *to, size_t count) __arm_streaming __arm_inout("za")
{
    svuint8_t zero = svdup_u8(0);
    svuint8x4_t zeros = svcreate4_u8(zero, zero, zero, zero);
    size_t quad = 4 * svcntb(), bytes = count * sizeof(SL_ELEMENT);
    uint8_t *out = (uint8_t *)to;
    for (; bytes > 2 * quad; bytes -= 2 * quad, out += 2 * quad) {
        svst1_u8_x4(svptrue_c8(), out, zeros);
        svst1_vnum_u8_x4(svptrue_c8(), out, 4, zeros);
    }
    svst1_u8_x4(svwhilelt_c8_u64(0, bytes, 4), out, zeros);
    svst1_vnum_u8_x4(svwhilelt_c8_u64(quad, bytes, 4), out, 4, zeros);
    return to + count;
}

static SL_ELEMENT *put_copy(SL_ELEMENT *to, const SL_ELEMENT *from,
                            size_t count) __arm_streaming __arm_inout("za")
{
    svcount_t all = svptrue_c8();
    size_t quad = 4 * svcntb(), bytes = count * sizeof(SL_ELEMENT);
    const uint8_t *in = (const uint8_t *)from;
    uint8_t *out = (uint8_t *)to;
    for (; bytes > 2 * quad; bytes -= 2 * quad, in += 2 * quad, out += 2 * quad) {
        svuint8x4_t a = svld1_u8_x4(all, in), b = svld1_vnum_u8_x4(all, in, 4);
        svst1_u8_x4(all, out, a);
        svst1_vnum_u8_x4(all, out, 4, b);
    }
    svcount_t some = svwhilelt_c8_u64(0, bytes, 4), more = svwhilelt_c8_u64(quad, bytes, 4);
    svuint8x4_t a = svld1_u8_x4(some, in), b = svld1_vnum_u8_x4(more, in, 4);
    svst1_u8_x4(some, out, a);
    svst1_vnum_u8_x4(more, out, 4, b);
    return to + count;
}

/* The part of one image that windows touch, with its border of zeros: the right one of a row and
 * the left one of the next are written together. */
static void pad_image(const struct sl_conv_shape *s, const struct plan *plan, const SL_ELEMENT *in,
                      SL_ELEMENT *out) __arm_streaming __arm_inout("za")
{
    size_t pixel = plan->pixel, row = s->in_w * pixel, zeros = 0;
    size_t left = plan->pad_left < plan->padded_w ? plan->pad_left : plan->padded_w;
    size_t inner = plan->padded_w - left < plan->in_w ? plan->padded_w - left : plan->in_w;
    size_t right = plan->padded_w - left - inner;
    for (size_t y = 0; y < plan->padded_h; y++) {
        if (y < plan->pad_top || y - plan->pad_top >= plan->in_h) {
            zeros += plan->padded_w * pixel;
            continue;
        }
        out = put_zeros(out, zeros + left * pixel);
        out = put_copy(out, in + (y - plan->pad_top) * row, inner * pixel);
        zeros = right * pixel;
    }
    put_zeros(out, zeros);
}

static void list_segments(const struct sl_conv_shape *s, const struct plan *plan, size_t width,
                          int64_t *offsets) __arm_streaming __arm_inout("za")
{
    size_t across = plan->runs.count / s->kernel_h; /* 1 or kernel_w */
    for (size_t i = 0; i < plan->runs.count; i++) {
        size_t y = i / across * s->dilation_h, x = i % across * s->dilation_w;
        offsets[i] = (int64_t)((y * width + x) * plan->pixel);
    }
}

/* First elements of the windows of `count` output pixels from pixel `first` on; the table is filled
 * up to whole tiles with the last one. */
static void list_pixels(const struct sl_conv_shape *s, const SL_ELEMENT *image, size_t pixel,
                        size_t width, size_t first, size_t count,
                        const SL_ELEMENT **rows) __arm_streaming __arm_inout("za")
{
    size_t step = s->stride_w * pixel * sizeof(SL_ELEMENT), across = 2 * svcntd();
    size_t line = s->stride_h * width * pixel, x = first % s->out_w, done = 0;
    const SL_ELEMENT *row = image + first / s->out_w * line, *start = row + x * s->stride_w * pixel;
    uint64_t *out = (uint64_t *)(void *)rows;
    for (size_t run = s->out_w - x; done < count; done += run, run = s->out_w) {
        run = run < count - done ? run : count - done;
        svuint64_t at = svindex_u64((uint64_t)(uintptr_t)start, step);
        for (size_t i = 0; i < run; i += across) {
            svuint64_t more = svadd_n_u64_x(svptrue_b64(), at, svcntd() * step);
            svst1_u64_x2(svwhilelt_c64_u64(i, run, 2), out + done + i, svcreate2_u64(at, more));
            at = svadd_n_u64_x(svptrue_b64(), more, svcntd() * step);
        }
        row += line;
        start = row;
    }
    for (size_t vl = svcntw(); done % vl != 0; done++)
        rows[done] = rows[count - 1];
}

/* One image, one group: packs a chunk of pixels, multiplies it, takes the next. */
static void run_group(const struct sl_conv_shape *s, const struct plan *plan,
                      const SL_ELEMENT *image, const int64_t *offsets, void *packed,
                      struct SL_LANE_NAME(sl_mopa, ) job) __arm_streaming __arm_inout("za")
{
    const SL_ELEMENT *rows[SL_PACK_TABLE_ROWS];
    size_t vl = svcntw(), pixels = s->out_h * s->out_w, chunk = plan->chunk_pixels;
    size_t width = plan->in_place ? s->in_w : plan->padded_w;
    SL_RESULT *out = job.dst, *dst = out;
    for (size_t first = 0; first < pixels; first += job.m) {
        size_t left = plan->by_rows ? s->out_w - first % s->out_w : pixels - first;
        job.m = left < chunk ? left : chunk;
        if (plan->by_rows)
            dst = out + first / s->out_w * plan->out_row + first % s->out_w * plan->out_pixel;
        job.dst = dst;
        list_pixels(s, image, plan->pixel, width, first, job.m, rows);
        struct SL_LANE_NAME(sl_pack, ) pack = {
            rows, offsets, plan->runs.count, plan->runs.length, (job.m + vl - 1) / vl, packed};
        SL_LANE_NAME(sl_pack, _1vl_sme2_asm)(&pack);
        SL_TYPE_NAME(sl_mopa, _sme2_asm)(&job);
        dst += job.m * job.dst_stride;
    }
}

struct planned {
    const struct SL_NAME(sl_conv, _args) * args;
    struct plan plan;
};

static void run_body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct SL_NAME(sl_conv, _args) *args = ((const struct planned *)pointer)->args;
    const struct plan *plan = &((const struct planned *)pointer)->plan;
    const struct sl_conv_shape *s = &args->shape;
    char *space = args->workspace;
    int64_t *offsets = (int64_t *)(void *)space;
    SL_ELEMENT *padded = (SL_ELEMENT *)(void *)(space + plan->segment_bytes);
    void *packed = (void *)(space + plan->segment_bytes + plan->image_bytes);
    list_segments(s, plan, plan->in_place ? s->in_w : plan->padded_w, offsets);
    struct SL_LANE_NAME(sl_mopa, ) job = {
        .lhs = packed,
        .dst_stride = plan->out_pixel,
        .n = s->group_out_c,
        .k = plan->runs.lanes,
        .min = args->min,
        .max = args->max,
        .clamp = args->min > -INFINITY || args->max < INFINITY,
    };
    for (size_t b = 0; b < s->batch; b++) {
        const SL_ELEMENT *image = args->in + b * s->in_h * s->in_w * plan->pixel;
        image += plan->skipped;
        if (!plan->in_place) {
            pad_image(s, plan, image, padded);
            image = padded;
        }
        for (size_t g = 0; g < s->groups; g++) {
            job.rhs = (const float *)args->weights + g * plan->rhs_floats;
            job.dst = args->out + b * s->out_h * plan->out_row + g * job.n;
            run_group(s, plan, image + g * s->group_in_c, offsets, packed, job);
        }
    }
}

static void run(const struct SL_NAME(sl_conv, _args) * args)
{
    if (args->shape.out_h == 0 || args->shape.out_w == 0 || args->shape.group_out_c == 0)
        return;
    struct planned planned = {args, plan_of(&args->shape)};
    struct plan *plan = &planned.plan;
    plan->out_pixel = args->out_pixel;
    plan->out_row = args->out_row;
    sl_conv_strides(&args->shape, &plan->out_pixel, &plan->out_row);
    plan->by_rows = args->shape.out_h > 1 && plan->out_row != args->shape.out_w * plan->out_pixel;
    sl_streaming_run_za(run_body, &planned);
}

const struct SL_NAME(sl_conv, ) KERNEL = {
    .name = SL_TEXT(KERNEL),
    .needs = SL_ISA_SME2,
    .weights_bytes = weights_bytes,
    .pack_weights = pack_weights,
    .turn_packed = TURN_PACKED,
    .workspace_bytes = workspace_bytes,
    .run = run,
};
