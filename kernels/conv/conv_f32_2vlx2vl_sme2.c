/* kernels/conv/conv_f32_2vlx2vl_sme2.c: f32 convolution by outer products, SME2.
 *
 * An output pixel is a row of the left operand. With the input padded once, its k elements lie at
 * the same distances from its first one for every pixel, so the packer takes a pointer for each
 * pixel and one list of segments for all. Nothing is gathered beyond a chunk that stays in cache.
 */
#include "kernels/conv/conv.h"

#include <arm_sme.h>
#include <arm_sve.h>
#include <math.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/matmul/matmul_mopa.h"
#include "kernels/pack/pack_f32.h"
#include "kernels/pack/pack_rhs_f32.h"

/* The workspace in order; all in bytes, all multiples of 64. */
struct plan {
    size_t padded_h, padded_w; /* pixels that the windows touch */
    size_t pixel_floats;       /* all groups */
    size_t k, segments, segment_length;
    size_t chunk_pixels; /* packed at a time, whole tiles */
    size_t rhs_floats;   /* packed weights of a group */
    size_t segment_bytes, image_bytes;
    bool in_place; /* no window leaves the input: nothing is padded */
};

static size_t round_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static size_t weights_bytes(const struct sl_conv_shape *s)
{
    size_t k = s->kernel_h * s->kernel_w * s->group_in_c;
    return s->groups * sl_mopa_f32_rhs_floats(s->group_out_c, k, svcntsw()) * sizeof(float);
}

static void pack_weights(const struct sl_conv_shape *s, const float *weights, const float *bias,
                         void *packed)
{
    size_t k = s->kernel_h * s->kernel_w * s->group_in_c, n = s->group_out_c;
    float *out = packed;
    for (size_t g = 0; g < s->groups; g++) {
        const struct sl_pack_rhs_f32 job = {
            n, k, weights + g * n * k, false, bias ? bias + g * n : NULL, 2, 1, out};
        sl_pack_rhs_f32_sme2(&job);
        out += sl_mopa_f32_rhs_floats(n, k, svcntsw());
    }
}

static struct plan plan_of(const struct sl_conv_shape *s)
{
    struct plan plan = {
        .padded_h = (s->out_h - 1) * s->stride_h + (s->kernel_h - 1) * s->dilation_h + 1,
        .padded_w = (s->out_w - 1) * s->stride_w + (s->kernel_w - 1) * s->dilation_w + 1,
        .pixel_floats = s->groups * s->group_in_c,
        .k = s->kernel_h * s->kernel_w * s->group_in_c,
    };
    plan.in_place =
        s->pad_top == 0 && s->pad_left == 0 && plan.padded_h <= s->in_h && plan.padded_w <= s->in_w;
    bool whole_rows =
        s->groups == 1 && s->dilation_w == 1; /* neighbours in x are neighbours in k */
    plan.segments = whole_rows ? s->kernel_h : s->kernel_h * s->kernel_w;
    plan.segment_length = plan.k / plan.segments;
    plan.segment_bytes = round_up(plan.segments * sizeof(int64_t));
    if (!plan.in_place)
        plan.image_bytes =
            round_up(plan.padded_h * plan.padded_w * plan.pixel_floats * sizeof(float));
    size_t vl = svcntsw(), tiles = (s->out_h * s->out_w + vl - 1) / vl;
    size_t rows = sl_pack_chunk_rows(plan.k, vl);
    plan.chunk_pixels = tiles * vl < rows ? tiles * vl : rows;
    plan.rhs_floats = sl_mopa_f32_rhs_floats(s->group_out_c, plan.k, vl);
    return plan;
}

static size_t workspace_bytes(const struct sl_conv_shape *s)
{
    struct plan plan = plan_of(s);
    return plan.segment_bytes + plan.image_bytes +
           round_up(plan.chunk_pixels * plan.k * sizeof(float));
}

static float *put_zeros(float *out, size_t count) __arm_streaming __arm_inout("za")
{
    svfloat32_t zero = svdup_f32(0);
    svfloat32x4_t zeros = svcreate4_f32(zero, zero, zero, zero);
    size_t quad = 4 * svcntw();
    for (; count > 2 * quad; count -= 2 * quad, out += 2 * quad) {
        svst1_f32_x4(svptrue_c32(), out, zeros);
        svst1_vnum_f32_x4(svptrue_c32(), out, 4, zeros);
    }
    svst1_f32_x4(svwhilelt_c32_u64(0, count, 4), out, zeros);
    svst1_vnum_f32_x4(svwhilelt_c32_u64(quad, count, 4), out, 4, zeros);
    return out + count;
}

static float *put_copy(float *out, const float *in, size_t count) __arm_streaming __arm_inout("za")
{
    svcount_t all = svptrue_c32();
    size_t quad = 4 * svcntw();
    for (; count >= 4 * quad; count -= 4 * quad, in += 4 * quad, out += 4 * quad) {
        svfloat32x4_t a = svld1_vnum_f32_x4(all, in, 0);
        svfloat32x4_t b = svld1_vnum_f32_x4(all, in, 4);
        svfloat32x4_t c = svld1_vnum_f32_x4(all, in, 8);
        svfloat32x4_t d = svld1_vnum_f32_x4(all, in, 12);
        svst1_vnum_f32_x4(all, out, 0, a);
        svst1_vnum_f32_x4(all, out, 4, b);
        svst1_vnum_f32_x4(all, out, 8, c);
        svst1_vnum_f32_x4(all, out, 12, d);
    }
    for (size_t i = 0; i < count; i += quad) {
        svcount_t p = svwhilelt_c32_u64(i, count, 4);
        svst1_f32_x4(p, out + i, svld1_f32_x4(p, in + i));
    }
    return out + count;
}

/* The part of one image that windows touch, with its border of zeros: the right one of a row and
 * the left one of the next are written together. */
static void pad_image(const struct sl_conv_shape *s, const struct plan *plan, const float *in,
                      float *out) __arm_streaming __arm_inout("za")
{
    size_t pixel = plan->pixel_floats, row = s->in_w * pixel, zeros = 0;
    size_t left = s->pad_left < plan->padded_w ? s->pad_left : plan->padded_w;
    size_t inner = plan->padded_w - left < s->in_w ? plan->padded_w - left : s->in_w;
    size_t right = plan->padded_w - left - inner;
    for (size_t y = 0; y < plan->padded_h; y++) {
        if (y < s->pad_top || y - s->pad_top >= s->in_h) {
            zeros += plan->padded_w * pixel;
            continue;
        }
        out = put_zeros(out, zeros + left * pixel);
        out = put_copy(out, in + (y - s->pad_top) * row, inner * pixel);
        zeros = right * pixel;
    }
    put_zeros(out, zeros);
}

static void list_segments(const struct sl_conv_shape *s, const struct plan *plan, size_t width,
                          int64_t *offsets) __arm_streaming __arm_inout("za")
{
    size_t across = plan->segments / s->kernel_h; /* 1 or kernel_w */
    for (size_t i = 0; i < plan->segments; i++) {
        size_t y = i / across * s->dilation_h, x = i % across * s->dilation_w;
        offsets[i] = (int64_t)((y * width + x) * plan->pixel_floats);
    }
}

/* First elements of the windows of `count` output pixels from pixel `first` on; the table is filled
 * up to whole tiles with the last one. */
static void list_pixels(const struct sl_conv_shape *s, const float *image, size_t pixel_floats,
                        size_t width, size_t first, size_t count,
                        const float **rows) __arm_streaming __arm_inout("za")
{
    size_t step = s->stride_w * pixel_floats * sizeof(float);
    size_t y = first / s->out_w, x = first % s->out_w, done = 0;
    uint64_t *out = (uint64_t *)(void *)rows;
    while (done < count) {
        size_t run = s->out_w - x < count - done ? s->out_w - x : count - done;
        const float *start = image + (y * s->stride_h * width + x * s->stride_w) * pixel_floats;
        svuint64_t at = svindex_u64((uint64_t)(uintptr_t)start, step);
        for (size_t i = 0; i < run; i += svcntd()) {
            svst1_u64(svwhilelt_b64_u64(i, run), out + done + i, at);
            at = svadd_n_u64_x(svptrue_b64(), at, svcntd() * step);
        }
        done += run;
        x = 0;
        y++;
    }
    for (size_t vl = svcntw(); done % vl != 0; done++)
        rows[done] = rows[count - 1];
}

/* One image, one group: packs a chunk of pixels, multiplies it, takes the next. */
static void run_group(const struct sl_conv_shape *s, const struct plan *plan, const float *image,
                      const int64_t *offsets, float *packed,
                      struct sl_mopa_f32 job) __arm_streaming __arm_inout("za")
{
    const float *rows[SL_PACK_TABLE_ROWS];
    size_t vl = svcntw(), pixels = s->out_h * s->out_w, chunk = plan->chunk_pixels;
    size_t width = plan->in_place ? s->in_w : plan->padded_w;
    for (size_t first = 0; first < pixels; first += chunk) {
        job.m = pixels - first < chunk ? pixels - first : chunk;
        list_pixels(s, image, plan->pixel_floats, width, first, job.m, rows);
        struct sl_pack_f32 pack = {
            rows, offsets, plan->segments, plan->segment_length, (job.m + vl - 1) / vl, packed};
        sl_pack_f32_1vl_sme2_asm(&pack);
        sl_mopa_f32_sme2_asm(&job);
        job.dst += job.m * job.dst_stride;
    }
}

struct planned {
    const struct sl_conv_args *args;
    struct plan plan;
};

static void run_body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct sl_conv_args *args = ((const struct planned *)pointer)->args;
    const struct plan *plan = &((const struct planned *)pointer)->plan;
    const struct sl_conv_shape *s = &args->shape;
    char *space = args->workspace;
    int64_t *offsets = (int64_t *)(void *)space;
    float *padded = (float *)(void *)(space + plan->segment_bytes);
    float *packed = (float *)(void *)(space + plan->segment_bytes + plan->image_bytes);
    list_segments(s, plan, plan->in_place ? s->in_w : plan->padded_w, offsets);
    struct sl_mopa_f32 job = {
        .lhs = packed,
        .dst_stride = s->groups * s->group_out_c,
        .n = s->group_out_c,
        .k = plan->k,
        .min = args->min,
        .max = args->max,
        .clamp = args->min > -INFINITY || args->max < INFINITY,
    };
    for (size_t b = 0; b < s->batch; b++) {
        const float *image = args->in + b * s->in_h * s->in_w * plan->pixel_floats;
        if (!plan->in_place) {
            pad_image(s, plan, image, padded);
            image = padded;
        }
        for (size_t g = 0; g < s->groups; g++) {
            job.rhs = (const float *)args->weights + g * plan->rhs_floats;
            job.dst = args->out + b * s->out_h * s->out_w * job.dst_stride + g * job.n;
            run_group(s, plan, image + g * s->group_in_c, offsets, packed, job);
        }
    }
}

static void run(const struct sl_conv_args *args)
{
    if (args->shape.out_h == 0 || args->shape.out_w == 0 || args->shape.group_out_c == 0)
        return;
    struct planned planned = {args, plan_of(&args->shape)};
    sl_streaming_run_za(run_body, &planned);
}

const struct sl_conv sl_conv_f32_f32p1vlx1_f32p2vlx1_2vlx2vl_sme2_mopa = {
    .name = "sl_conv_f32_f32p1vlx1_f32p2vlx1_2vlx2vl_sme2_mopa",
    .needs = SL_ISA_SME2,
    .weights_bytes = weights_bytes,
    .pack_weights = pack_weights,
    .workspace_bytes = workspace_bytes,
    .run = run,
};
