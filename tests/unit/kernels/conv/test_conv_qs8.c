/* tests/unit/kernels/conv/test_conv_qs8.c: every static int8 convolution of the list, and
 * transposed ones by it, against plain ones, to the bit. */
#include <stdio.h>
#include <string.h>

#include "kernels/conv/conv_qs8.h"
#include "kernels/conv/deconv_qs8.h"
#include "kernels/cpu/isa.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/qs8_case.h"
#include "tests/support/test.h"
#include "tests/support/window_case.h"

enum { GAP = 77 };

/* The products that reach output (oy, ox) of channel c of group g; `deconv`: transposed. */
static int64_t sum_of(const struct sl_conv_shape *s, bool deconv, const int8_t *in, int in_zero,
                      const int8_t *weights, size_t c, size_t oy, size_t ox)
{
    size_t g = c / s->group_out_c, channels = s->groups * s->group_in_c;
    int64_t sum = 0;
    for (size_t t = 0; t < s->kernel_h * s->kernel_w; t++) {
        size_t ky = t / s->kernel_w, kx = t % s->kernel_w;
        size_t y = oy * s->stride_h + ky * s->dilation_h - s->pad_top;
        size_t x = ox * s->stride_w + kx * s->dilation_w - s->pad_left;
        if (deconv) {
            size_t down = oy + s->pad_top - ky * s->dilation_h;
            size_t across = ox + s->pad_left - kx * s->dilation_w;
            y = down % s->stride_h == 0 && down < 1u << 20 ? down / s->stride_h : s->in_h;
            x = across % s->stride_w == 0 && across < 1u << 20 ? across / s->stride_w : s->in_w;
        }
        if (y >= s->in_h || x >= s->in_w)
            continue;
        for (size_t i = 0; i < s->group_in_c; i++)
            sum += (in[(y * s->in_w + x) * channels + g * s->group_in_c + i] - in_zero) *
                   weights[(c * s->kernel_h * s->kernel_w + t) * s->group_in_c + i];
    }
    return sum;
}

static void reference(const struct sl_conv_qs8_args *a, bool deconv,
                      const struct sl_qs8_case *layer, const int8_t *weights, int8_t *want)
{
    const struct sl_conv_shape *s = &a->shape;
    size_t in_image = s->in_h * s->in_w * s->groups * s->group_in_c;
    for (size_t b = 0; b < s->batch; b++)
        for (size_t oy = 0; oy < s->out_h; oy++)
            for (size_t ox = 0; ox < s->out_w; ox++)
                for (size_t c = 0; c < s->groups * s->group_out_c; c++)
                    want[b * a->out_image + oy * a->out_row + ox * a->out_pixel + c] =
                        sl_qs8_case_value(layer, c,
                                          sum_of(s, deconv, a->in + b * in_image, a->in_zero,
                                                 weights, c, oy, ox));
}

static void check(const struct sl_conv_qs8 *kernel, const struct sl_conv_shape *s, bool deconv,
                  size_t gap, uint32_t *seed)
{
    char text[160];
    size_t out_c = s->groups * s->group_out_c, taps = s->kernel_h * s->kernel_w;
    struct sl_qs8_case layer = sl_qs8_case_new(seed, out_c, taps * s->group_in_c);
    struct sl_conv_qs8_args a = {.shape = *s, .out_quant = layer.out};
    size_t in_count = s->batch * s->in_h * s->in_w * s->groups * s->group_in_c;
    size_t w_count = out_c * taps * s->group_in_c;
    int8_t *in = sl_case_bytes(seed, in_count), *weights = sl_case_bytes(seed, w_count);
    sl_conv_qs8_dense(&a);
    a.out_pixel += gap;
    a.out_row = s->out_w * a.out_pixel + gap;
    a.out_image = s->out_h * a.out_row;
    size_t count = s->batch * a.out_image;
    int8_t *want = sl_case_same_bytes(count, GAP), *out = sl_case_same_bytes(count, GAP);
    int8_t *scratch = sl_guarded_new(w_count, 1);
    void *packed =
        sl_guarded_new(deconv ? sl_deconv_qs8_bytes(kernel, s) : kernel->weights_bytes(s), 64);
    a.workspace = sl_guarded_new(
        deconv ? sl_deconv_qs8_workspace_bytes(kernel, s) : kernel->workspace_bytes(s), 64);
    a.in = in;
    a.in_zero = layer.requant.in_zero;
    a.weights = packed;
    a.out = out;
    reference(&a, deconv, &layer, weights, want);
    if (deconv) {
        sl_deconv_qs8_pack(kernel, s, weights, &layer.requant, packed, scratch);
        sl_deconv_qs8_run(kernel, &a);
    } else {
        kernel->pack_weights(s, weights, &layer.requant, packed);
        kernel->run(&a);
    }
    snprintf(text, sizeof(text),
             "%s in %zux%zu out %zux%zu c %zux%zu-%zu k %zux%zu s %zux%zu d %zux%zu p %zd,%zd",
             deconv ? "deconv" : "conv", s->in_h, s->in_w, s->out_h, s->out_w, s->groups,
             s->group_in_c, s->group_out_c, s->kernel_h, s->kernel_w, s->stride_h, s->stride_w,
             s->dilation_h, s->dilation_w, s->pad_top, s->pad_left);
    sl_qs8_case_equal(kernel->name, text, out, want, count);
    sl_case_free(7, (void *[]){in, weights, want, out, scratch, packed, a.workspace});
    sl_qs8_case_free(&layer);
}

static struct sl_conv_shape random_shape(uint32_t *seed)
{
    struct sl_conv_shape s = {
        .batch = sl_case_pick(seed, 1, 2),
        .in_h = sl_case_pick(seed, 1, 9),
        .in_w = sl_case_pick(seed, 1, 9),
        .groups = sl_case_pick(seed, 0, 3) ? 1 : 3,
        .group_in_c = sl_case_pick(seed, 1, 9),
        .group_out_c = sl_case_pick(seed, 1, 20),
        .kernel_h = sl_case_pick(seed, 1, 4),
        .kernel_w = sl_case_pick(seed, 1, 4),
        .stride_h = sl_case_pick(seed, 1, 3),
        .stride_w = sl_case_pick(seed, 1, 3),
        .dilation_h = sl_case_pick(seed, 1, 2),
        .dilation_w = sl_case_pick(seed, 1, 2),
        .pad_top = sl_case_pick(seed, 0, 3),
        .pad_left = sl_case_pick(seed, 0, 3),
    };
    return s;
}

TEST(random_convolutions_equal_the_reference)
{
    const struct sl_conv_qs8 *kernel;
    for (size_t i = 0; (kernel = sl_conv_qs8_at(i)) != NULL; i++) {
        uint32_t seed = 1;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t n = 0; n < 120; n++) {
            struct sl_conv_shape s = random_shape(&seed);
            if (n % 7 == 0)
                s.pad_top = (size_t)0 - sl_case_pick(&seed, 0, 2); /* begins inside */
            s.out_h = sl_case_pick(&seed, 0, 6);
            s.out_w = sl_case_pick(&seed, 0, 6);
            check(kernel, &s, false, n % 3, &seed);
        }
        struct sl_conv_shape first = {1, 11, 13, 6, 7, 1, 3, 32, 3, 3, 2, 2, 1, 1, 1, 1};
        check(kernel, &first, false, 0, &seed);
        struct sl_conv_shape wide = {1, 5, 37, 5, 37, 1, 64, 35, 3, 3, 1, 1, 1, 1, 1, 1};
        check(kernel, &wide, false, 0, &seed);
        struct sl_conv_shape one = {1, 6, 7, 6, 7, 1, 70, 19, 1, 1, 1, 1, 1, 1, 0, 0};
        check(kernel, &one, false, 0, &seed);
    }
}

TEST(sizes_up_to_two_blocks_equal_the_reference)
{
    SL_CASE_CONV_SIZED(conv_qs8, true, check(kernel, &shape, false, size % 3, &seed));
}

TEST(random_transposed_convolutions_equal_the_reference)
{
    const struct sl_conv_qs8 *kernel;
    for (size_t i = 0; (kernel = sl_conv_qs8_at(i)) != NULL; i++) {
        uint32_t seed = 2;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t n = 0; n < 80; n++) {
            struct sl_conv_shape s = random_shape(&seed);
            s.out_h = sl_case_pick(&seed, 0, 14);
            s.out_w = sl_case_pick(&seed, 0, 14);
            check(kernel, &s, true, n % 3, &seed);
        }
        struct sl_conv_shape usual = {1, 6, 7, 12, 14, 1, 16, 8, 2, 2, 2, 2, 1, 1, 0, 0};
        check(kernel, &usual, true, 0, &seed);
    }
}
