/* tests/unit/kernels/layout/test_resize.c: bilinear resizing against the formula in f64, of int8
 * against XNNPACK's steps. */
#include <math.h>
#include <stdio.h>

#include "kernels/cpu/isa.h"
#include "kernels/layout/resize.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

static double source(size_t o, size_t in, size_t out, bool corners)
{
    double at = corners ? (out == 1 ? 0 : (double)o * (double)(in - 1) / (double)(out - 1))
                        : ((double)o + 0.5) * (double)in / (double)out - 0.5;
    return at<0 ? 0 : at>(double)(in - 1) ? (double)(in - 1) : at;
}

static double pixel(const struct sl_resize_args *a, size_t n, size_t oy, size_t ox, size_t c)
{
    double y = source(oy, a->in_h, a->out_h, a->align_corners);
    double x = source(ox, a->in_w, a->out_w, a->align_corners);
    const float *in = a->in;
    double sum = 0;
    for (size_t iy = 0; iy < a->in_h; iy++)
        for (size_t ix = 0; ix < a->in_w; ix++) {
            double wy = 1 - fabs(y - (double)iy), wx = 1 - fabs(x - (double)ix);
            if (wy > 0 && wx > 0)
                sum += wy * wx * (double)in[((n * a->in_h + iy) * a->in_w + ix) * a->channels + c];
        }
    return sum;
}

static void check(const struct sl_resize *kernel, struct sl_resize_args a)
{
    static double want[32768];
    uint32_t seed = (uint32_t)(a.in_h * 7 + a.out_w);
    size_t count = a.batch * a.out_h * a.out_w * a.channels;
    float *in = sl_case_floats(&seed, a.batch * a.in_h * a.in_w * a.channels);
    float *out = sl_case_constant(count, 77);
    assert_true(count <= 32768);
    a.in = in;
    a.out = out;
    for (size_t i = 0; i < count; i++)
        want[i] = pixel(&a, i / a.channels / a.out_w / a.out_h, i / a.channels / a.out_w % a.out_h,
                        i / a.channels % a.out_w, i % a.channels);
    kernel->run(&a);
    sl_case_close(kernel->name, a.align_corners ? "corners" : "half pixels", out, want, count,
                  1e-5);
    sl_guarded_free(in);
    sl_guarded_free(out);
}

/* In half precision, against the portable kernel of f32 on the same numbers. */
static void check_f16(const struct sl_resize *kernel, const struct sl_resize_args *shape)
{
    struct sl_resize_args wide = *shape;
    uint32_t seed = (uint32_t)(wide.in_h * 7 + wide.out_w);
    size_t count = wide.batch * wide.out_h * wide.out_w * wide.channels;
    size_t in_count = wide.batch * wide.in_h * wide.in_w * wide.channels;
    uint16_t *in = sl_case_halves(&seed, in_count, false);
    uint16_t *out = sl_case_constant_halves(count, 0x7777);
    float *in_f32 = sl_case_widen(in, in_count), *want = sl_case_constant(count, 0);
    wide.in = in_f32;
    wide.out = want;
    sl_resize_select(SL_ISA_NONE, SL_F32)->run(&wide);
    struct sl_resize_args args = *shape;
    args.in = in;
    args.out = out;
    kernel->run(&args);
    sl_case_close_to_f32(kernel->name, "", out, want, count, 4e-3);
#if defined(__aarch64__)
    if ((kernel->needs & SL_ISA_SME2) != 0 && (sl_isa_detect() & SL_ISA_FP16) != 0) {
        uint16_t *same = sl_case_constant_halves(count, 0x7777);
        args.out = same;
        sl_resize_f16_f16_1x8_neon.run(&args);
        assert_memory_equal(out, same, count * sizeof(*out));
        sl_guarded_free(same);
    }
#endif
    sl_case_free(4, (void *[]){in, out, in_f32, want});
}

static const size_t sizes[][4] = {{5, 4, 10, 8}, {5, 4, 3, 2},   {1, 1, 3, 3},
                                  {6, 3, 7, 20}, {4, 4, 4, 4},   {3, 5, 1, 1},
                                  {2, 2, 9, 1},  {3, 2, 130, 1}, {2, 60, 1, 140}};
static const size_t channels[] = {3, 8, 37, 100};

TEST(halves_are_blended_between_their_neighbours)
{
    const struct sl_resize *kernel;
    SL_EACH (kernel, resize, SL_F16) {
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
            for (size_t c = 0; c < 8; c++) {
                const size_t *s = sizes[k];
                check_f16(kernel, &(struct sl_resize_args){2, s[0], s[1], s[2], s[3],
                                                           channels[c / 2], c % 2, NULL, NULL});
            }
    }
}

TEST(pixels_are_blended_between_their_neighbours)
{
    const struct sl_resize *kernel;
    SL_EACH (kernel, resize, SL_F32) {
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
            for (size_t c = 0; c < 8; c++) {
                const size_t *s = sizes[k];
                check(kernel, (struct sl_resize_args){2, s[0], s[1], s[2], s[3], channels[c / 2],
                                                      c % 2, NULL, NULL});
            }
    }
}

/* Computes as XNNPACK's kernel of int8 does, step by step: XNNPACK, src/s8-ibilinear, and
 * src/indirection.c for the places. */
static int8_t int8_pixel(const struct sl_resize_args *a, size_t n, size_t oy, size_t ox, size_t c)
{
    const size_t at[2] = {oy, ox}, in[2] = {a->in_h, a->in_w}, out[2] = {a->out_h, a->out_w};
    size_t first[2], second[2];
    long weight[2];
    for (int i = 0; i < 2; i++) {
        bool ends = a->align_corners && out[i] != 1;
        float scale = (float)(in[i] - ends) / (float)(out[i] - ends);
        float offset = 0.5f * scale - 0.5f;
        float from = (float)at[i] * scale + (a->align_corners ? 0 : offset);
        from = fminf(fmaxf(from, 0), (float)(in[i] - 1));
        first[i] = (size_t)from;
        second[i] = first[i] + 1 < in[i] ? first[i] + 1 : in[i] - 1;
        weight[i] = lrintf((from - (float)first[i]) * 2048);
    }
    const int8_t *image = (const int8_t *)a->in + n * in[0] * in[1] * a->channels + c;
#define PIXEL(y, x) image[((y) * in[1] + (x)) * a->channels]
    long top = PIXEL(first[0], first[1]), bottom = PIXEL(second[0], first[1]);
    top = top * 2048 + (PIXEL(first[0], second[1]) - top) * weight[1];
    bottom = bottom * 2048 + (PIXEL(second[0], second[1]) - bottom) * weight[1];
#undef PIXEL
    double sum = (double)(top * 2048 + (bottom - top) * weight[0] + (1 << 21));
    return (int8_t)floor(sum / (1 << 22));
}

static void check_int8(const struct sl_resize *kernel, struct sl_resize_args a)
{
    uint32_t seed = (uint32_t)(a.in_h * 7 + a.out_w);
    size_t count = a.batch * a.out_h * a.out_w * a.channels;
    size_t in_count = a.batch * a.in_h * a.in_w * a.channels;
    int8_t *in = sl_guarded_new(in_count, 1), *out = sl_guarded_new(count, 1);
    for (size_t i = 0; i < in_count; i++) {
        seed = seed * 1664525u + 1013904223u;
        in[i] = i % 5 == 0 ? (int8_t)(seed >> 31 ? 127 : -128) : (int8_t)(seed >> 24);
    }
    a.in = in;
    a.out = out;
    kernel->run(&a);
    for (size_t i = 0; i < count; i++) {
        size_t p = i / a.channels;
        int8_t want = int8_pixel(&a, p / a.out_w / a.out_h, p / a.out_w % a.out_h, p % a.out_w,
                                 i % a.channels);
        if (out[i] != want)
            fail_msg("%s: %zux%zu to %zux%zu, %zu channels: [%zu] is %d, not %d", kernel->name,
                     a.in_h, a.in_w, a.out_h, a.out_w, a.channels, i, out[i], want);
    }
    sl_guarded_free(in);
    sl_guarded_free(out);
}

TEST(int8_is_blended_to_the_bit_as_xnnpack_does)
{
    static const size_t counts[] = {1, 3, 16, 21, 64, 259};
    const struct sl_resize *kernel;
    SL_EACH (kernel, resize, SL_QS8) {
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
            for (size_t c = 0; c < 12; c++) {
                const size_t *s = sizes[k];
                check_int8(kernel, (struct sl_resize_args){2, s[0], s[1], s[2], s[3], counts[c / 2],
                                                           c % 2, NULL, NULL});
            }
    }
}
