/* kernels/depthwise/depthwise_3x3_neon.h: 3x3 windows of stride 1 or 2, one multiplier; of the type
 * that the including file names (kernels/cpu/element.h), the kernel KERNEL.
 *
 * A strip of up to 4 output rows is walked column by column, a vector of channels at a time. Each
 * input column is loaded once and added to the 2 or 3 output columns that see it, whose sums stay
 * in registers. Rows outside the image are read from a row of zeros in the workspace; columns
 * outside are left out. Packed weights are, for each vector of channels, its biases then
 * [ky][kx][LANES]. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/neon_vector.h"
#include "kernels/depthwise/depthwise_pack.h"

enum { TAPS = 9, STRIP = 4, MAX_INPUT_ROWS = 2 * STRIP + 1 };

static size_t blocks_of(const struct sl_depthwise_shape *s)
{
    return (s->channels + LANES - 1) / LANES;
}

static size_t weights_bytes(const struct sl_depthwise_shape *shape)
{
    return blocks_of(shape) * (TAPS + 1) * LANES * sizeof(SL_ELEMENT);
}

static void pack_weights(const struct sl_depthwise_shape *shape, const SL_ELEMENT *weights,
                         const SL_ELEMENT *bias, void *packed)
{
    size_t channels = shape->channels;
    for (size_t c = 0; c < channels; c += LANES) {
        packed = sl_depthwise_put(bias, sizeof(SL_ELEMENT), c, channels, LANES, packed);
        for (size_t t = 0; t < TAPS; t++)
            packed = sl_depthwise_put(weights + t * channels, sizeof(SL_ELEMENT), c, channels,
                                      LANES, packed);
    }
}

/* The row of zeros. */
static size_t workspace_bytes(const struct sl_depthwise_shape *shape)
{
    return shape->in_w * shape->channels * sizeof(SL_ELEMENT);
}

/* A strip of output rows at one block of channels. */
struct strip {
    const SL_ELEMENT *rows[MAX_INPUT_ROWS]; /* input rows at the block's first channel */
    SL_ELEMENT *outs[STRIP];                /* output rows, likewise */
    const SL_ELEMENT *weights;
    size_t in_w, out_w, pad_left;
    size_t step;     /* bytes from pixel to pixel, in and out */
    size_t channels; /* of this block: 1 to LANES */
    float min, max;
};

/* Sums of one output column: a vector of channels for each row of the strip. */
struct sums {
    vec_t row[STRIP];
};

struct taps {
    vec_t bias, w[TAPS], min, max;
};

SL_INLINE struct taps load_taps(const struct strip *s)
{
    struct taps t = {.bias = v_load(s->weights), .min = v_set(s->min), .max = v_set(s->max)};
    SL_UNROLL
    for (size_t i = 0; i < TAPS; i++)
        t.w[i] = v_load(s->weights + LANES * (i + 1));
    return t;
}

/* What every function below is told at compile time. */
#define FIXED size_t height, size_t stride, bool whole, bool clamp
#define PASS height, stride, whole, clamp

SL_INLINE void start(FIXED, const struct taps *t, struct sums *sums)
{
    (void)stride, (void)whole, (void)clamp;
    SL_UNROLL
    for (size_t r = 0; r < height; r++)
        sums->row[r] = t->bias;
}

/* Adds the input column at `bytes` to the output columns whose window has it at kx = 0, 1 and 2;
 * NULL where there is none. */
SL_INLINE void add_column(FIXED, const struct strip *s, const struct taps *t, size_t bytes,
                          struct sums *at_0, struct sums *at_1, struct sums *at_2)
{
    (void)clamp;
    SL_UNROLL
    for (size_t i = 0; i < (height - 1) * stride + 3; i++) {
        vec_t v = v_load_some((const SL_ELEMENT *)((const char *)s->rows[i] + bytes),
                              whole ? LANES : s->channels);
        SL_UNROLL
        for (size_t r = 0; r < height; r++) {
            size_t ky = i - r * stride; /* wraps when the row is above the window */
            if (ky >= 3)
                continue;
            if (at_2)
                at_2->row[r] = V(vfmaq)(at_2->row[r], v, t->w[ky * 3 + 2]);
            if (at_1)
                at_1->row[r] = V(vfmaq)(at_1->row[r], v, t->w[ky * 3 + 1]);
            if (at_0)
                at_0->row[r] = V(vfmaq)(at_0->row[r], v, t->w[ky * 3]);
        }
    }
}

/* Clamps and stores an output column, `bytes` from the rows' beginnings. */
SL_INLINE void finish(FIXED, const struct strip *s, const struct taps *t, size_t bytes,
                      const struct sums *sums)
{
    (void)stride;
    SL_UNROLL
    for (size_t r = 0; r < height; r++) {
        vec_t v = sums->row[r];
        if (clamp)
            v = v_clamp(v, t->min, t->max);
        v_store_some((SL_ELEMENT *)((char *)s->outs[r] + bytes), v, whole ? LANES : s->channels);
    }
}

/* The compiler is made to forget where the rows come from, so that each keeps a register and all
 * share one offset. */
SL_INLINE struct strip local_copy(FIXED, const struct strip *from)
{
    (void)whole, (void)clamp;
    struct strip s = *from;
    SL_UNROLL
    for (size_t i = 0; i < (height - 1) * stride + 3; i++)
        SL_FORGET(s.rows[i]);
    SL_UNROLL
    for (size_t r = 0; r < height; r++)
        SL_FORGET(s.outs[r]);
    return s;
}

/* Stride 1, the input column at `bytes`: ends output column a, goes on with b, begins c. */
SL_INLINE void step_one(FIXED, const struct strip *s, const struct taps *t, size_t bytes,
                        struct sums *a, struct sums *b, struct sums *c)
{
    start(PASS, t, c);
    add_column(PASS, s, t, bytes, c, b, a);
}

/* Columns are counted with the padding: column v is input column v - pad_left. */
SL_INLINE void walk_one(FIXED, const struct strip *strip)
{
    struct strip s = local_copy(PASS, strip);
    struct taps t = load_taps(&s);
    struct sums a, b, c;
    size_t end = s.in_w + s.pad_left, last = s.out_w + 2, v = s.pad_left, from = 0, to = 0;
    end = end < last ? end : last;
    start(PASS, &t, &a);
    start(PASS, &t, &b);
    for (; v < 2 && v < end; v++, from += s.step) {
        step_one(PASS, &s, &t, from, &a, &b, &c);
        a = b;
        b = c;
    }
#define NEXT(x, y, z)                                                                              \
    step_one(PASS, &s, &t, from, x, y, z);                                                         \
    finish(PASS, &s, &t, to, x);                                                                   \
    from += s.step;                                                                                \
    to += s.step;
    size_t left = end - v;
    for (; left >= 3; left -= 3) {
        NEXT(&a, &b, &c)
        NEXT(&b, &c, &a)
        NEXT(&c, &a, &b)
    }
    for (; left > 0; left--) {
        NEXT(&a, &b, &c)
        a = b;
        b = c;
    }
#undef NEXT
    if (end < last)
        finish(PASS, &s, &t, to, &a);
}

/* Stride 2: output column a has its first input column; the other two are at `bytes` and after.
 * The third is also the first of b. */
SL_INLINE void step_two(FIXED, const struct strip *s, const struct taps *t, size_t bytes,
                        struct sums *a, struct sums *b)
{
    add_column(PASS, s, t, bytes, NULL, a, NULL);
    start(PASS, t, b);
    add_column(PASS, s, t, bytes + s->step, b, NULL, a);
}

SL_INLINE void walk_two(FIXED, const struct strip *strip)
{
    struct strip s = local_copy(PASS, strip);
    struct taps t = load_taps(&s);
    struct sums a, b;
    size_t from = 0, to = 0, columns = s.in_w;
    start(PASS, &t, &a);
    if (s.pad_left == 0) {
        add_column(PASS, &s, &t, from, &a, NULL, NULL);
        from += s.step;
        columns--;
    }
    size_t left = columns / 2 < s.out_w ? columns / 2 : s.out_w, ragged = s.out_w - left;
#define NEXT(x, y)                                                                                 \
    step_two(PASS, &s, &t, from, x, y);                                                            \
    finish(PASS, &s, &t, to, x);                                                                   \
    from += 2 * s.step;                                                                            \
    to += s.step;
    for (; left >= 2; left -= 2) {
        NEXT(&a, &b)
        NEXT(&b, &a)
    }
    if (left > 0) {
        NEXT(&a, &b)
        a = b;
    }
#undef NEXT
    if (ragged > 0) { /* one column left at most: the window's third is outside */
        if (columns % 2 == 1)
            add_column(PASS, &s, &t, from, NULL, &a, NULL);
        finish(PASS, &s, &t, to, &a);
    }
}

#define WALK(height, stride, walk)                                                                 \
    static void walk##_##height##_rows(const struct strip *s)                                      \
    {                                                                                              \
        walk(height, stride, true, true, s);                                                       \
    }                                                                                              \
    static void walk##_##height##_rows_ragged(const struct strip *s)                               \
    {                                                                                              \
        walk(height, stride, false, true, s);                                                      \
    }                                                                                              \
    static void walk##_##height##_rows_unclamped(const struct strip *s)                            \
    {                                                                                              \
        walk(height, stride, true, false, s);                                                      \
    }

WALK(1, 1, walk_one)
WALK(2, 1, walk_one)
WALK(3, 1, walk_one)
WALK(4, 1, walk_one)
WALK(1, 2, walk_two)
WALK(2, 2, walk_two)
WALK(3, 2, walk_two)
WALK(4, 2, walk_two)

typedef void (*walk_fn)(const struct strip *s);

enum { WHOLE, UNCLAMPED, RAGGED, FORMS };

#define FORMS_OF(walk) {walk, walk##_unclamped, walk##_ragged}

static const walk_fn walks_one[STRIP][FORMS] = {
    FORMS_OF(walk_one_1_rows), FORMS_OF(walk_one_2_rows), FORMS_OF(walk_one_3_rows),
    FORMS_OF(walk_one_4_rows)};
static const walk_fn walks_two[STRIP][FORMS] = {
    FORMS_OF(walk_two_1_rows), FORMS_OF(walk_two_2_rows), FORMS_OF(walk_two_3_rows),
    FORMS_OF(walk_two_4_rows)};

/* The strip of `height` output rows from oy: one block of channels after the other. */
static void run_strip(const struct SL_NAME(sl_depthwise, _args) * args, const SL_ELEMENT *in,
                      SL_ELEMENT *out, size_t oy, size_t height)
{
    const struct sl_depthwise_shape *s = &args->shape;
    const walk_fn *walks = s->stride_h == 1 ? walks_one[height - 1] : walks_two[height - 1];
    bool clamp = args->min > -INFINITY || args->max < INFINITY;
    struct strip strip = {.weights = args->weights,
                          .in_w = s->in_w,
                          .out_w = s->out_w,
                          .pad_left = s->pad_left,
                          .step = s->channels * sizeof(SL_ELEMENT),
                          .min = args->min,
                          .max = args->max};
    size_t rows = (height - 1) * s->stride_h + 3;
    for (size_t i = 0; i < rows; i++) {
        size_t y = oy * s->stride_h + i - s->pad_top; /* wraps when outside */
        strip.rows[i] = y < s->in_h ? in + y * s->in_w * s->channels : args->workspace;
    }
    for (size_t r = 0; r < height; r++)
        strip.outs[r] = out + (oy + r) * s->out_w * s->channels;
    for (size_t left = s->channels; left > 0; left -= strip.channels) {
        strip.channels = left < LANES ? left : LANES;
        walks[left < LANES ? RAGGED : clamp ? WHOLE : UNCLAMPED](&strip);
        for (size_t i = 0; i < rows; i++)
            strip.rows[i] += LANES;
        for (size_t r = 0; r < height; r++)
            strip.outs[r] += LANES;
        strip.weights += LANES * (TAPS + 1);
    }
}

static void run(const struct SL_NAME(sl_depthwise, _args) * args)
{
    const struct sl_depthwise_shape *s = &args->shape;
    memset(args->workspace, 0, workspace_bytes(s));
    for (size_t n = 0; n < s->batch; n++) {
        const SL_ELEMENT *in = args->in + n * s->in_h * s->in_w * s->channels;
        SL_ELEMENT *out = args->out + n * s->out_h * s->out_w * s->channels;
        for (size_t oy = 0; oy < s->out_h; oy += STRIP)
            run_strip(args, in, out, oy, s->out_h - oy < STRIP ? s->out_h - oy : STRIP);
    }
}

/* At most one column of padding on either side of the row. */
static bool fits(const struct sl_depthwise_shape *s)
{
    return s->multiplier == 1 && s->kernel_h == 3 && s->kernel_w == 3 && s->dilation_h == 1 &&
           s->dilation_w == 1 && s->stride_h == s->stride_w && s->stride_h <= 2 &&
           s->pad_left <= 1 && (s->out_w - 1) * s->stride_w + 2 <= s->in_w + s->pad_left;
}

const struct SL_NAME(sl_depthwise, ) KERNEL = {
    .name = SL_TEXT(KERNEL),
    .needs = SL_VECTOR_ISA,
    .fits = fits,
    .weights_bytes = weights_bytes,
    .pack_weights = pack_weights,
    .workspace_bytes = workspace_bytes,
    .run = run,
};
