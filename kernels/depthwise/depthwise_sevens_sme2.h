/* kernels/depthwise/depthwise_sevens_sme2.h: depthwise windows of seven columns side by side, of
 * stride 1 or 2: the weights of a row of taps stay in registers, and each input is loaded once for
 * all windows of the row that it lies in. Included by depthwise_any_sme2.inc, which see for the
 * names used; needs eight groups of ZA (256 bits). */
#pragma once

#define SL_SEVENS (8 / PER_PIXEL) /* windows at a time */

/* Up to SL_SEVENS windows: column `j` of theirs is in[first + j * channels], and lies inside when
 * bit j of `inside` is set; `first` wraps around where it does not. */
struct sevens {
    const SL_ELEMENT *in, *weights; /* of the first row inside */
    size_t first, rows, channels, in_row;
    uint32_t inside;
};

static bool takes_sevens(const struct sl_depthwise_shape *s) MODE
{
    return s->kernel_w == 7 && s->dilation_w == 1 && s->stride_w <= 2 && svcntsw() >= 8;
}

static struct sevens sevens_of(const struct line *line, const SL_ELEMENT *weights, size_t c,
                               size_t left, size_t count) MODE
{
    const struct sl_depthwise_shape *s = &line->args->shape;
    size_t columns = (count - 1) * s->stride_w + 7, pad = s->pad_left;
    size_t low = left < pad ? pad - left : 0, high = s->in_w + pad;
    high = left < high ? high - left : 0;
    high = high < columns ? high : columns;
    return (struct sevens){
        .in = line->in + c,
        .weights = weights,
        .first = (left - pad) * s->channels,
        .rows = line->v.end - line->v.first,
        .channels = s->channels,
        .in_row = s->dilation_h * s->in_w * s->channels,
        .inside = low < high ? (UINT32_C(1) << high) - (UINT32_C(1) << low) : 0,
    };
}

#define SL_SEVEN_WEIGHTS QUAD w0, QUAD w1, QUAD w2, QUAD w3, QUAD w4, QUAD w5, QUAD w6

/* A column's input times tap `kx`, which is known when this is compiled, as `group` is but for what
 * it is counted from. */
INLINE void seven_tap(uint32_t group, size_t kx, QUAD x, SL_SEVEN_WEIGHTS) MODE
{
    if (kx == 0)
        add(group, x, w0);
    else if (kx == 1)
        add(group, x, w1);
    else if (kx == 2)
        add(group, x, w2);
    else if (kx == 3)
        add(group, x, w3);
    else if (kx == 4)
        add(group, x, w4);
    else if (kx == 5)
        add(group, x, w5);
    else if (kx == 6)
        add(group, x, w6);
}

/* A row of taps. */
INLINE void seven_row(const struct sevens *w, size_t at, const SL_ELEMENT *weights, svcount_t some,
                      size_t stride) MODE
{
    uint32_t group = 0;
    size_t quad = 4 * WIDTH();
    QUAD w0 = load(ALL(), weights), w1 = load(ALL(), weights + quad);
    QUAD w2 = load(ALL(), weights + 2 * quad), w3 = load(ALL(), weights + 3 * quad);
    QUAD w4 = load(ALL(), weights + 4 * quad), w5 = load(ALL(), weights + 5 * quad);
    QUAD w6 = load(ALL(), weights + 6 * quad);
#pragma clang loop unroll(full)
    for (uint32_t j = 0; j < (SL_SEVENS - 1) * stride + 7; j++, at += w->channels) {
        if ((w->inside >> j & 1) == 0)
            continue;
        QUAD x = load(some, w->in + at);
        __asm__("" : "+r"(group)); /* opaque, so that groups become offsets in the instruction */
#pragma clang loop unroll(full)
        for (uint32_t p = 0; p < SL_SEVENS; p++)
            seven_tap(group + p * PER_PIXEL, j - p * stride, x, w0, w1, w2, w3, w4, w5, w6);
    }
}

INLINE void seven_rows(const struct sevens *w, svcount_t some, size_t stride) MODE
{
    const SL_ELEMENT *weights = w->weights;
    size_t at = w->first;
    for (size_t y = 0; y < w->rows; y++, at += w->in_row, weights += 7 * 4 * WIDTH())
        seven_row(w, at, weights, some, stride);
}

/* A block of channels from c on of an output row. */
static void seven_block(const struct line *line, const float *biases, const SL_ELEMENT *weights,
                        size_t c, svcount_t some) MODE
{
    const struct sl_depthwise_shape *s = &line->args->shape;
    SL_ELEMENT *out = line->out + c;
    for (size_t ox = 0, count; ox < s->out_w; ox += count) {
        count = s->out_w - ox < SL_SEVENS ? s->out_w - ox : SL_SEVENS;
        for (uint32_t p = 0; p < SL_SEVENS; p++)
            start(p * PER_PIXEL, biases);
        struct sevens sevens = sevens_of(line, weights, c, ox * s->stride_w, count);
        if (s->stride_w == 1)
            seven_rows(&sevens, some, 1);
        else
            seven_rows(&sevens, some, 2);
        for (uint32_t p = 0; p < count; p++, out += s->channels)
            finish(p * PER_PIXEL, some, line->args->min, line->args->max, out);
    }
}
