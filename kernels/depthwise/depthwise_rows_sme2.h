/* kernels/depthwise/depthwise_rows_sme2.h: depthwise convolution of few channels, SME2: what
 * kernels of all types share, which is the padded image and the order of weights. */
#pragma once

#include <arm_sme.h>
#include <arm_sve.h>
#include <string.h>

#include "kernels/depthwise/depthwise.h"
#include "kernels/depthwise/depthwise_rows.h"

/* The image as the streams read it: rows of `planes` planes, which have every planes-th column. */
struct rows_plan {
    size_t height, planes, columns; /* rows; columns of a plane */
    size_t left, inner;             /* columns of padding; of the image, as far as windows reach */
    size_t top, rows;               /* rows likewise */
};

/* out_h and out_w are at least 1. */
static inline struct rows_plan rows_plan_of(const struct sl_depthwise_shape *s,
                                            size_t rows_at_once) __arm_streaming_compatible
{
    size_t width = (s->out_w - 1) * s->stride_w + s->kernel_w;
    size_t out_h = (s->out_h + rows_at_once - 1) / rows_at_once * rows_at_once;
    struct rows_plan plan = {
        .height = (out_h - 1) * s->stride_h + s->kernel_h,
        .planes = s->stride_w,
        .columns = (width + s->stride_w - 1) / s->stride_w,
        .left = s->pad_left < width ? s->pad_left : width,
    };
    plan.top = s->pad_top < plan.height ? s->pad_top : plan.height;
    plan.inner = width - plan.left < s->in_w ? width - plan.left : s->in_w;
    plan.rows = plan.height - plan.top < s->in_h ? plan.height - plan.top : s->in_h;
    return plan;
}

static inline size_t rows_gcd(size_t a, size_t b) __arm_streaming_compatible
{
    while (b != 0) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

enum { ROWS_MOST_BYTES = 128 * 1024 };

/* Strips whose weights differ. */
static inline size_t rows_strips(size_t channels, size_t lanes) __arm_streaming_compatible
{
    return channels / rows_gcd(channels, lanes);
}

/* `bytes` of a row that repeats, from byte `first` on: once round, then what is there already. */
static inline void rows_repeat(const void *row, size_t row_bytes, size_t first, size_t bytes,
                               void *out)
{
    char *to = out;
    size_t at = first % row_bytes, done = row_bytes - at < bytes ? row_bytes - at : bytes;
    memcpy(to, (const char *)row + at, done);
    for (size_t part; done < bytes && done < row_bytes; done += part) {
        part = at < bytes - done ? at : bytes - done;
        memcpy(to + done, row, part);
    }
    for (size_t part; done < bytes; done += part) {
        size_t whole = done / row_bytes * row_bytes;
        part = whole < bytes - done ? whole : bytes - done;
        memcpy(to + done, to + done - whole, part);
    }
}

/* True if there is code for the window, at strides of up to `most`, a pixel fits into four vectors,
 * and the weights into some tens of KiB. */
static inline bool rows_take(const struct sl_depthwise_shape *s, size_t element_bytes, size_t most)
{
    size_t lanes = 4 * svcntsb() / element_bytes;
    return s->multiplier == 1 && s->kernel_h == s->kernel_w &&
           (s->kernel_h == 3 || s->kernel_h == 5) && s->dilation_h == 1 && s->dilation_w == 1 &&
           s->stride_h <= most && s->stride_w <= most && s->out_h > 0 && s->out_w > 0 &&
           s->channels > 0 && s->channels <= lanes &&
           rows_strips(s->channels, lanes) * s->kernel_h * s->kernel_w * 4 * svcntsb() <=
               ROWS_MOST_BYTES;
}

static inline size_t rows_workspace(const struct sl_depthwise_shape *s, size_t element_bytes,
                                    size_t rows_at_once)
{
    if (s->out_h == 0 || s->out_w == 0)
        return 0;
    struct rows_plan plan = rows_plan_of(s, rows_at_once);
    return plan.height * plan.planes * plan.columns * s->channels * element_bytes + 8 * svcntsb();
}

#define ROWS_MODE __arm_streaming __arm_inout("za")

static __attribute__((noinline)) void rows_fill(uint8_t *out, size_t bytes, uint8_t value) ROWS_MODE
{
    svuint8_t x = svdup_u8(value);
    svuint8x4_t quad = svcreate4_u8(x, x, x, x);
    size_t step = 4 * svcntb(), at = 0;
    svcount_t all = svptrue_c8();
    for (; bytes - at >= 2 * step && bytes >= 2 * step; at += 2 * step) {
        svst1_u8_x4(all, out + at, quad);
        svst1_vnum_u8_x4(all, out + at, 4, quad);
    }
    for (; at < bytes; at += step)
        svst1_u8_x4(svwhilelt_c8_u64(at, bytes, 4), out + at, quad);
}

/* Returns the function that deals several pixels of so many bytes at a time, or NULL. */
static inline sl_depthwise_rows_deal_fn *rows_dealer(size_t bytes) __arm_streaming_compatible
{
    switch (bytes) {
    case 1:
        return sl_depthwise_rows_deal_1_sme2_asm;
    case 2:
        return sl_depthwise_rows_deal_2_sme2_asm;
    case 4:
        return sl_depthwise_rows_deal_4_sme2_asm;
    case 8:
        return sl_depthwise_rows_deal_8_sme2_asm;
    case 16:
        return svcntsb() >= 32 ? sl_depthwise_rows_deal_16_sme2_asm : NULL;
    case 32:
        return svcntsb() >= 64 ? sl_depthwise_rows_deal_32_sme2_asm : NULL;
    default:
        return NULL;
    }
}

/* An image of which every second column lies in another plane, and its padding. */
static inline void rows_put_dealt(const struct sl_depthwise_shape *s, const struct rows_plan *plan,
                                  size_t pixel, const uint8_t *in, uint8_t *out,
                                  uint8_t zero) ROWS_MODE
{
    size_t plane = plan->columns * pixel, line = 2 * plane, odd = plan->left % 2;
    uint8_t *low = out + plan->top * line + (plan->left + odd) / 2 * pixel;
    size_t apart = odd ? plane - pixel : plane; /* from the lower plane's pixels to the other's */
    size_t evens = (plan->inner + 1) / 2 * pixel, odds = plan->inner / 2 * pixel;
    struct sl_depthwise_rows_deal job = {
        .in = in,
        .in_line = s->in_w * pixel,
        .even = odd ? low + apart : low,
        .odd = odd ? low : low + apart,
        .line = line,
        .bytes = plan->inner * pixel,
        .rows = plan->rows,
        .even_padding = (odd ? line - apart : apart) - evens,
        .odd_padding = (odd ? apart : line - apart) - odds,
        .value = zero,
        .pixel = pixel,
    };
    bool narrow =
        plan->rows > 0 && job.even_padding <= 2 * svcntb() && job.odd_padding <= 2 * svcntb();
    if (!narrow) {
        rows_fill(out, plan->height * line, zero);
        job.even_padding = job.odd_padding = 0;
    } else {
        uint8_t *behind = low + plan->rows * line, *end = out + plan->height * line;
        rows_fill(out, (size_t)(low - out), zero);
        if (behind < end)
            rows_fill(behind, (size_t)(end - behind), zero);
    }
    sl_depthwise_rows_deal_fn *deal = rows_dealer(pixel);
    if (plan->rows > 0)
        (deal ? deal : sl_depthwise_rows_deal_any_sme2_asm)(&job);
}

/* An image into the workspace, and its padding. */
static inline void rows_put(const struct sl_depthwise_shape *s, const struct rows_plan *plan,
                            size_t pixel, const uint8_t *in, uint8_t *out, uint8_t zero) ROWS_MODE
{
    if (plan->planes != 1) {
        rows_put_dealt(s, plan, pixel, in, out, zero);
        return;
    }
    size_t line = plan->columns * pixel;
    uint8_t *first = out + plan->top * line + plan->left * pixel;
    uint8_t *end = out + ((s->out_h - 1) * s->stride_h + s->kernel_h) * line;
    size_t bytes = plan->inner * pixel, padding = line - bytes;
    bool narrow = padding <= 8 * svcntb();
    struct sl_depthwise_rows_copy copy = {in,         s->in_w * pixel,      first, line, bytes,
                                          plan->rows, narrow ? padding : 0, zero};
    if (!narrow || plan->rows == 0)
        rows_fill(out, (size_t)(end - out), zero);
    else
        rows_fill(out, (size_t)(first - out), zero);
    if (plan->rows != 0)
        sl_depthwise_rows_copy_sme2_asm(&copy);
    first += plan->rows * line;
    if (narrow && first < end)
        rows_fill(first, (size_t)(end - first), zero);
}

/* All images. `job` has weights, bounds and the output; `zero` is what padding is, byte by byte. */
static inline void rows_run(const struct sl_depthwise_shape *s, size_t element_bytes,
                            size_t rows_at_once, const void *in, void *workspace, uint8_t zero,
                            struct sl_depthwise_rows *job, sl_depthwise_rows_fn *run) ROWS_MODE
{
    struct rows_plan plan = rows_plan_of(s, rows_at_once);
    size_t plane = plan.columns * s->channels, line = plan.planes * plane * element_bytes;
    size_t pixel = s->channels * element_bytes;
    const uint8_t *image = in;
    job->in = workspace;
    job->line = line;
    job->down = s->stride_h * line;
    job->elements = s->out_w * s->channels;
    job->rows = s->out_h;
    job->odd = plan.planes == 1 ? s->channels : plane;
    job->even = plan.planes == 1 ? s->channels : s->channels - plane;
    job->strips = rows_strips(s->channels, 4 * svcntb() / element_bytes);
    for (size_t n = 0; n < s->batch; n++) {
        rows_put(s, &plan, pixel, image, workspace, zero);
        run(job);
        image += s->in_h * s->in_w * pixel;
        job->out = (uint8_t *)job->out + s->out_h * job->elements * element_bytes;
    }
}
