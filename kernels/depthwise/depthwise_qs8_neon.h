/* kernels/depthwise/depthwise_qs8_neon.h: what a NEON engine of static int8 depthwise convolutions
 * is made of. The including file defines before: NAME, the end of the kernel's name; NEEDS; BLOCK
 * channels at a time; fits(); row_bytes(), those of the weights of a row of a window; place(),
 * which writes a weight there; and run_row(), which makes a row of outputs.
 *
 * The image is padded once by the input's zero point, with room behind it for what windows past the
 * last one touch. Packed weights are blocks of channels: starts of sums, scales, rows of weights.
 */
#pragma once

#include <string.h>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/requant_neon.h"
#include "kernels/depthwise/depthwise_qs8_plan.h"

enum { MOST_COLUMNS = 16 }; /* that a block of outputs reads past those it needs */

struct head {
    int32_t start[BLOCK];
    float scale[BLOCK];
};

/* A row of outputs, a block of channels. */
struct row {
    const struct sl_depthwise_shape *shape;
    const int8_t *in; /* the first window; columns are shape->channels apart */
    size_t down;      /* bytes from row to row of a window */
    const struct head *weights;
    int8_t *out;
    size_t channels; /* that there are, at least 1 */
    struct sl_requant_out quant;
};

static void run_row(const struct row *row);
static bool fits(const struct sl_depthwise_shape *shape);
static size_t row_bytes(const struct sl_depthwise_shape *shape);
static void place(const struct sl_depthwise_shape *shape, void *row, size_t tap, size_t channel,
                  int8_t weight);

static size_t block_bytes(const struct sl_depthwise_shape *s)
{
    return sizeof(struct head) + s->kernel_h * row_bytes(s);
}

static size_t weights_bytes(const struct sl_depthwise_shape *s)
{
    return (s->channels + BLOCK - 1) / BLOCK * block_bytes(s);
}

static void pack_weights(const struct sl_depthwise_shape *s, const int8_t *weights,
                         const struct sl_requant *requant, void *packed)
{
    size_t taps = s->kernel_h * s->kernel_w;
    memset(packed, 0, weights_bytes(s));
    for (size_t c = 0; c < s->channels; c++) {
        struct head *head = (void *)((char *)packed + c / BLOCK * block_bytes(s));
        int32_t sum = 0;
        for (size_t t = 0; t < taps; t++) {
            char *row = (char *)(head + 1) + t / s->kernel_w * row_bytes(s);
            place(s, row, t % s->kernel_w, c % BLOCK, weights[t * s->channels + c]);
            sum += weights[t * s->channels + c];
        }
        head->start[c % BLOCK] = sl_requant_start(requant, c, sum);
        head->scale[c % BLOCK] = requant->scale[c];
    }
}

static size_t workspace_bytes(const struct sl_depthwise_shape *s)
{
    if (s->out_h == 0 || s->out_w == 0)
        return 0;
    struct sl_depthwise_plan plan = sl_depthwise_plan_of(s);
    return (plan.height * plan.width + MOST_COLUMNS * s->stride_w) * s->channels + BLOCK;
}

static void pad_image(const struct sl_depthwise_qs8_args *args,
                      const struct sl_depthwise_plan *plan, const int8_t *in)
{
    const struct sl_depthwise_shape *s = &args->shape;
    int8_t *out = args->workspace;
    size_t line = plan->width * s->channels, left = plan->left * s->channels;
    size_t inner = plan->inner * s->channels;
    for (size_t y = 0; y < plan->height; y++, out += line) {
        size_t from = y - plan->top; /* wraps when outside */
        if (from >= s->in_h) {
            memset(out, args->in_zero, line);
            continue;
        }
        memset(out, args->in_zero, left);
        memcpy(out + left, in + from * s->in_w * s->channels, inner);
        memset(out + left + inner, args->in_zero, line - left - inner);
    }
    memset(out, args->in_zero, MOST_COLUMNS * s->stride_w * s->channels + BLOCK);
}

static void run(const struct sl_depthwise_qs8_args *args)
{
    const struct sl_depthwise_shape *s = &args->shape;
    if (s->out_h == 0 || s->out_w == 0)
        return;
    struct sl_depthwise_plan plan = sl_depthwise_plan_of(s);
    size_t line = plan.width * s->channels;
    struct row row = {.shape = s, .down = s->dilation_h * line, .quant = args->out_quant};
    for (size_t b = 0; b < s->batch; b++) {
        pad_image(args, &plan, args->in + b * s->in_h * s->in_w * s->channels);
        for (size_t oy = 0; oy < s->out_h; oy++)
            for (size_t c = 0; c < s->channels; c += BLOCK) {
                row.in = (const int8_t *)args->workspace + oy * s->stride_h * line + c;
                row.weights =
                    (const void *)((const char *)args->weights + c / BLOCK * block_bytes(s));
                row.out = args->out + (b * s->out_h + oy) * s->out_w * s->channels + c;
                row.channels = s->channels - c < BLOCK ? s->channels - c : BLOCK;
                run_row(&row);
            }
    }
}

#define JOINED(a, b) a##b
#define NAMED(begin, end) JOINED(begin, end)
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const struct sl_depthwise_qs8 NAMED(sl_depthwise_qs8_, NAME) = {
    .name = "sl_depthwise_qs8_" TEXT(NAME),
    .needs = NEEDS,
    .fits = fits,
    .weights_bytes = weights_bytes,
    .pack_weights = pack_weights,
    .workspace_bytes = workspace_bytes,
    .run = run,
};
