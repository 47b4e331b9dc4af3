/* kernels/conv/conv_qs8_2vlx2vl_sme2.c: int8 convolution by outer products, SME2.
 *
 * As in f32 (conv_f32_2vlx2vl_sme2.c): with the input padded once, by its zero point, the segments
 * of all windows lie at the same distances from their first byte, and a chunk of pixels is packed
 * just in time for the product. */
#include "kernels/conv/conv_qs8.h"

#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/matmul/mopa_qs8.h"
#include "kernels/pack/pack_f32.h"
#include "kernels/pack/pack_x8.h"

/* The workspace in order: offsets of segments, the padded image, packed pixels; all in bytes,
 * multiples of 64. */
struct plan {
    ptrdiff_t top, left;            /* padding; negative: windows begin inside */
    size_t padded_h, padded_w;      /* pixels from the first that windows touch to the last */
    size_t pixel;                   /* bytes, all groups */
    size_t segments, length, steps; /* of a window; bytes of a segment; words of all */
    size_t chunk;                   /* pixels packed at a time */
    size_t segment_bytes, image_bytes, group_bytes;
    bool in_place; /* no window leaves the input: nothing is padded */
    bool rows;     /* rows of the output do not follow each other: a chunk is within one */
};

static size_t round_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Neighbours in x are neighbours in k: a segment is a row of the window. */
static bool whole_rows(const struct sl_conv_shape *s)
{
    return s->groups == 1 && s->dilation_w == 1;
}

static void cut(const struct sl_conv_shape *s, size_t *segments, size_t *length)
{
    *segments = whole_rows(s) ? s->kernel_h : s->kernel_h * s->kernel_w;
    *length = whole_rows(s) ? s->kernel_w * s->group_in_c : s->group_in_c;
}

static size_t group_bytes(const struct sl_conv_shape *s)
{
    size_t segments, length;
    cut(s, &segments, &length);
    return sl_rhs_qs8_bytes(s->group_out_c, sl_rhs_qs8_steps(segments, length), 1, svcntsw());
}

static size_t weights_bytes(const struct sl_conv_shape *s)
{
    return s->groups * group_bytes(s);
}

static void pack_weights(const struct sl_conv_shape *s, const int8_t *weights,
                         const struct sl_requant *requant, void *packed)
{
    size_t segments, length, n = s->group_out_c;
    cut(s, &segments, &length);
    for (size_t g = 0; g < s->groups; g++) {
        const struct sl_requant part = {requant->bias ? requant->bias + g * n : NULL,
                                        requant->scale + g * n, requant->in_zero};
        const struct sl_rhs_qs8 job = {
            n,     segments, length, weights + g * n * segments * length, false,
            &part, 2,        1,      (char *)packed + g * group_bytes(s)};
        sl_rhs_qs8_pack_sme2(&job);
    }
}

static struct plan plan_of(const struct sl_conv_shape *s)
{
    struct plan plan = {
        .top = (ptrdiff_t)s->pad_top,
        .left = (ptrdiff_t)s->pad_left,
        .padded_h = (s->out_h - 1) * s->stride_h + (s->kernel_h - 1) * s->dilation_h + 1,
        .padded_w = (s->out_w - 1) * s->stride_w + (s->kernel_w - 1) * s->dilation_w + 1,
        .pixel = s->groups * s->group_in_c,
        .group_bytes = group_bytes(s),
    };
    cut(s, &plan.segments, &plan.length);
    plan.steps = sl_rhs_qs8_steps(plan.segments, plan.length);
    plan.in_place = plan.top <= 0 && plan.left <= 0 &&
                    plan.padded_h + (size_t)-plan.top <= s->in_h &&
                    plan.padded_w + (size_t)-plan.left <= s->in_w;
    plan.segment_bytes = round_up(plan.segments * sizeof(int64_t));
    if (!plan.in_place)
        plan.image_bytes = round_up(plan.padded_h * plan.padded_w * plan.pixel);
    size_t vl = svcntsw(), pixels = (s->out_h * s->out_w + vl - 1) / vl * vl;
    size_t most = sl_pack_chunk_rows(plan.steps, 2 * vl);
    plan.chunk = pixels < most ? pixels : most;
    return plan;
}

static size_t workspace_bytes(const struct sl_conv_shape *s)
{
    if (s->out_h == 0 || s->out_w == 0)
        return 0;
    struct plan plan = plan_of(s);
    return plan.segment_bytes + plan.image_bytes + round_up(plan.chunk * plan.steps * 4);
}

static int8_t *put_zeros(int8_t *out, size_t count, svint8_t zero) __arm_streaming __arm_inout("za")
{
    svint8x4_t zeros = svcreate4_s8(zero, zero, zero, zero);
    for (size_t i = 0; i < count; i += 4 * svcntb())
        svst1_s8_x4(svwhilelt_c8_u64(i, count, 4), out + i, zeros);
    return out + count;
}

static int8_t *put_copy(int8_t *out, const int8_t *in,
                        size_t count) __arm_streaming __arm_inout("za")
{
    size_t quad = 4 * svcntb(), i = 0;
    for (svcount_t all = svptrue_c8(); i + 2 * quad <= count; i += 2 * quad) {
        svint8x4_t a = svld1_s8_x4(all, in + i), b = svld1_vnum_s8_x4(all, in + i, 4);
        svst1_s8_x4(all, out + i, a);
        svst1_vnum_s8_x4(all, out + i, 4, b);
    }
    for (; i < count; i += quad) {
        svcount_t some = svwhilelt_c8_u64(i, count, 4);
        svst1_s8_x4(some, out + i, svld1_s8_x4(some, in + i));
    }
    return out + count;
}

/* How many of `count` places from `start` on lie before 0 (out_before) and inside [0, size). */
static size_t inside(ptrdiff_t start, size_t count, size_t size,
                     size_t *out_before) __arm_streaming __arm_inout("za")
{
    ptrdiff_t end = start + (ptrdiff_t)count, last = (ptrdiff_t)size;
    ptrdiff_t from = start < 0 ? 0 : start, to = end < last ? end : last;
    from = from < end ? from : end;
    *out_before = (size_t)(from - start);
    return to > from ? (size_t)(to - from) : 0;
}

/* The part of one image that windows touch, with its border. Borders that follow each other, right
 * of a row and left of the next, are written at once. */
static void pack_image(const struct sl_conv_qs8_args *args, const struct plan *plan,
                       const int8_t *in, int8_t *out) __arm_streaming __arm_inout("za")
{
    const struct sl_conv_shape *s = &args->shape;
    size_t above, left, rows = inside(-plan->top, plan->padded_h, s->in_h, &above);
    size_t columns = inside(-plan->left, plan->padded_w, s->in_w, &left), width = plan->padded_w;
    svint8_t zero = svdup_s8(args->in_zero);
    size_t border = above * width + left; /* pixels not yet written */
    size_t total = plan->padded_h * width * plan->pixel, done = 0;
    const int8_t *from =
        in + (((ptrdiff_t)above - plan->top) * (ptrdiff_t)s->in_w + (ptrdiff_t)left - plan->left) *
                 (ptrdiff_t)plan->pixel;
    for (size_t y = 0; y < rows; y++, from += s->in_w * plan->pixel) {
        put_zeros(out + done, border * plan->pixel, zero);
        done += border * plan->pixel;
        put_copy(out + done, from, columns * plan->pixel);
        done += columns * plan->pixel;
        border = width - columns;
    }
    put_zeros(out + done, total - done, zero);
}

static void list_segments(const struct sl_conv_shape *s, const struct plan *plan, size_t width,
                          int64_t *offsets) __arm_streaming __arm_inout("za")
{
    size_t across = plan->segments / s->kernel_h; /* 1 or kernel_w */
    for (size_t y = 0; y < s->kernel_h; y++)
        for (size_t x = 0; x < across; x++)
            *offsets++ = (int64_t)((y * s->dilation_h * width + x * s->dilation_w) * plan->pixel);
}

/* Shared by the pixels of one image and group. */
struct pixels {
    const struct sl_conv_qs8_args *args;
    const struct plan *plan;
    const int8_t *image; /* padded, at the group's first channel */
    size_t width;
    const int64_t *offsets;
};

/* First bytes of the windows of `count` output pixels from pixel `first` on, filled up to whole
 * tiles. */
static void list_pixels(const struct pixels *p, size_t first, size_t count,
                        const int8_t **rows) __arm_streaming __arm_inout("za")
{
    const struct sl_conv_shape *s = &p->args->shape;
    size_t step = s->stride_w * p->plan->pixel, row = s->stride_h * p->width * p->plan->pixel;
    size_t x = first % s->out_w, done = 0;
    const int8_t *line = p->image + first / s->out_w * row;
    uint64_t *out = (uint64_t *)(void *)rows;
    while (done < count) {
        size_t run = s->out_w - x < count - done ? s->out_w - x : count - done;
        svuint64_t at = svindex_u64((uint64_t)(uintptr_t)(line + x * step), step);
        for (size_t i = 0; i < run;
             i += svcntd(), at = svadd_n_u64_x(svptrue_b64(), at, svcntd() * step))
            svst1_u64(svwhilelt_b64_u64(i, run), out + done + i, at);
        done += run;
        line += row;
        x = 0;
    }
    for (size_t vl = svcntw(); done % vl != 0; done++)
        rows[done] = rows[count - 1];
}

/* `out` is the group's first channel of the image's first pixel. */
static void run_group(const struct pixels *p, void *packed, struct sl_mopa_qs8 job,
                      int8_t *out) __arm_streaming __arm_inout("za")
{
    const struct sl_conv_qs8_args *args = p->args;
    const struct plan *plan = p->plan;
    const int8_t *rows[SL_PACK_TABLE_ROWS];
    size_t vl = svcntw(), out_w = args->shape.out_w, pixels = args->shape.out_h * out_w;
    for (size_t first = 0; first < pixels; first += job.m) {
        size_t room = plan->rows ? out_w - first % out_w : pixels - first;
        job.m = room < plan->chunk ? room : plan->chunk;
        list_pixels(p, first, job.m, rows);
        struct sl_pack_x8 pack = {
            rows, p->offsets, plan->segments, plan->length, (job.m + vl - 1) / vl, packed};
        if (plan->steps > 0)
            sl_pack_x8_1vl_sme2_asm(&pack);
        job.dst = out + first / out_w * args->out_row + first % out_w * args->out_pixel;
        sl_mopa_qs8_sme2_asm(&job);
    }
}

struct planned {
    const struct sl_conv_qs8_args *args;
    struct plan plan;
};

static void run_body(const void *pointer) __arm_streaming __arm_inout("za")
{
    const struct sl_conv_qs8_args *args = ((const struct planned *)pointer)->args;
    const struct plan *plan = &((const struct planned *)pointer)->plan;
    const struct sl_conv_shape *s = &args->shape;
    struct sl_requant_out quant = args->out_quant;
    char *space = args->workspace;
    int64_t *offsets = (int64_t *)(void *)space;
    int8_t *padded = (int8_t *)space + plan->segment_bytes;
    struct pixels p = {.args = args, .plan = plan, .offsets = offsets};
    p.width = plan->in_place ? s->in_w : plan->padded_w;
    list_segments(s, plan, p.width, offsets);
    struct sl_mopa_qs8 job = {.lhs = padded + plan->image_bytes,
                              .dst_stride = args->out_pixel,
                              .n = s->group_out_c,
                              .steps = plan->steps,
                              .min = quant.min - quant.zero,
                              .max = quant.max - quant.zero,
                              .zero = quant.zero};
    for (size_t b = 0; b < s->batch; b++) {
        const int8_t *image = args->in + b * s->in_h * s->in_w * plan->pixel;
        if (plan->in_place)
            image += (size_t)(-plan->top * (ptrdiff_t)s->in_w - plan->left) * plan->pixel;
        else
            pack_image(args, plan, image, padded);
        for (size_t g = 0; g < s->groups; g++) {
            p.image = (plan->in_place ? image : padded) + g * s->group_in_c;
            job.rhs = (const char *)args->weights + g * plan->group_bytes;
            run_group(&p, padded + plan->image_bytes, job,
                      args->out + b * args->out_image + g * job.n);
        }
    }
}

static void run(const struct sl_conv_qs8_args *args)
{
    const struct sl_conv_shape *s = &args->shape;
    if (s->out_h == 0 || s->out_w == 0 || s->group_out_c == 0)
        return;
    struct planned planned = {args, plan_of(s)};
    planned.plan.rows = s->out_h > 1 && args->out_row != s->out_w * args->out_pixel;
    sl_streaming_run_za(run_body, &planned);
}

const struct sl_conv_qs8 sl_conv_qs8_qs8p1vlx4_qs8p2vlx4_2vlx2vl_sme2_mopa = {
    .name = "sl_conv_qs8_qs8p1vlx4_qs8p2vlx4_2vlx2vl_sme2_mopa",
    .needs = SL_ISA_SME2,
    .weights_bytes = weights_bytes,
    .pack_weights = pack_weights,
    .workspace_bytes = workspace_bytes,
    .run = run,
};
