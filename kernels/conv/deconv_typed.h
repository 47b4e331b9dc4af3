/* kernels/conv/deconv_typed.h: transposed convolution by phases (deconv_phase.h), for the family of
 * convolutions that the including file names: KERNEL and ARGS, the structs; ELEMENT; CONSTANTS,
 * what its pack_weights() takes after the weights; OF(verb), the functions' names. */
#pragma once

#include <string.h>

#include "kernels/conv/deconv_phase.h"

static size_t rounded(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static size_t phases_of(const struct sl_conv_shape *shape)
{
    return shape->stride_h * shape->stride_w;
}

size_t OF(bytes)(const struct KERNEL *kernel, const struct sl_conv_shape *shape)
{
    size_t bytes = 0;
    for (size_t i = 0; i < phases_of(shape); i++) {
        struct sl_deconv_phase p = sl_deconv_phase_of(shape, i);
        bytes += rounded(kernel->weights_bytes(&p.shape));
    }
    return bytes;
}

/* The weights of one phase, its taps in the order of its inputs. */
static void gather(const struct sl_deconv_phase *p, const struct sl_conv_shape *s,
                   const ELEMENT *weights, ELEMENT *out)
{
    size_t ic = s->group_in_c, channels = s->groups * s->group_out_c;
    if (p->v.taps == 0 || p->h.taps == 0) {
        memset(out, 0, channels * ic * sizeof(ELEMENT));
        return;
    }
    for (size_t o = 0; o < channels; o++)
        for (size_t y = 0; y < p->v.taps; y++)
            for (size_t x = 0; x < p->h.taps; x++, out += ic) {
                size_t ky = p->v.first - y * p->v.step, kx = p->h.first - x * p->h.step;
                memcpy(out, weights + ((o * s->kernel_h + ky) * s->kernel_w + kx) * ic,
                       ic * sizeof(ELEMENT));
            }
}

void OF(pack)(const struct KERNEL *kernel, const struct sl_conv_shape *shape,
              const ELEMENT *weights, CONSTANTS constants, void *packed, ELEMENT *scratch)
{
    char *out = packed;
    for (size_t i = 0; i < phases_of(shape); i++) {
        struct sl_deconv_phase p = sl_deconv_phase_of(shape, i);
        gather(&p, shape, weights, scratch);
        kernel->pack_weights(&p.shape, scratch, constants, out);
        out += rounded(kernel->weights_bytes(&p.shape));
    }
}

/* The phase as it is computed: one image, and where columns are placed side by side, all of them.
 */
static struct sl_conv_shape plain_shape(const struct sl_deconv_phase *p,
                                        const struct sl_deconv_place *place)
{
    struct sl_conv_shape plain = p->shape;
    plain.batch = 1;
    if (place->through)
        plain.out_w = place->columns;
    return plain;
}

/* The rows of all phases come first; without `dense` there may be none. */
static size_t workspace_of(const struct KERNEL *kernel, const struct sl_conv_shape *shape,
                           bool dense)
{
    struct sl_deconv_place place = sl_deconv_place_of(shape, dense);
    size_t most = 0;
    for (size_t i = 0; i < phases_of(shape); i++) {
        struct sl_deconv_phase p = sl_deconv_phase_of(shape, i);
        if (p.v.outputs == 0 || p.h.outputs == 0)
            continue;
        struct sl_conv_shape plain = plain_shape(&p, &place);
        size_t bytes = kernel->workspace_bytes(&plain);
        most = bytes > most ? bytes : most;
    }
    return rounded(place.elements * sizeof(ELEMENT)) + most;
}

size_t OF(workspace_bytes)(const struct KERNEL *kernel, const struct sl_conv_shape *shape)
{
    size_t dense = workspace_of(kernel, shape, true), apart = workspace_of(kernel, shape, false);
    return dense > apart ? dense : apart;
}

static void copy_rows(const struct sl_conv_shape *s, const struct sl_deconv_place *place,
                      const ELEMENT *rows, ELEMENT *out, size_t out_row)
{
    size_t bytes = s->out_w * s->groups * s->group_out_c * sizeof(ELEMENT);
    for (size_t y = 0; y < s->out_h; y++, out += out_row) {
        size_t from = y % s->stride_h * place->rows + y / s->stride_h;
        memcpy(out, rows + from * place->row, bytes);
    }
}

static void run_image(const struct KERNEL *kernel, const struct ARGS *args,
                      const struct sl_deconv_place *place)
{
    const struct sl_conv_shape *s = &args->shape;
    struct ARGS plain = *args;
    const char *weights = args->weights;
    ELEMENT *rows = args->workspace;
    size_t row = place->through ? place->rows * place->row : args->out_row;
    plain.workspace = (char *)args->workspace + rounded(place->elements * sizeof(ELEMENT));
    plain.out_pixel = args->out_pixel * s->stride_w;
    plain.out_row = place->through ? place->row : args->out_row * s->stride_h;
    for (size_t i = 0; i < phases_of(s); i++) {
        struct sl_deconv_phase p = sl_deconv_phase_of(s, i);
        plain.shape = plain_shape(&p, place);
        plain.weights = weights;
        plain.out = (place->through ? rows : args->out) + i / s->stride_w * row +
                    i % s->stride_w * args->out_pixel;
        if (p.v.outputs > 0 && p.h.outputs > 0)
            kernel->run(&plain);
        weights += rounded(kernel->weights_bytes(&p.shape));
    }
    if (place->through)
        copy_rows(s, place, rows, args->out, args->out_row);
}

void OF(run)(const struct KERNEL *kernel, const struct ARGS *args)
{
    const struct sl_conv_shape *s = &args->shape;
    struct ARGS image = *args;
    size_t channels = s->groups * s->group_out_c;
    OF(strides)(&image);
    struct sl_deconv_place place = sl_deconv_place_of(s, image.out_pixel == channels);
    for (size_t b = 0; b < s->batch; b++) {
        run_image(kernel, &image, &place);
        image.in += s->in_h * s->in_w * s->groups * s->group_in_c;
        image.out += OF(image)(&image);
    }
}
