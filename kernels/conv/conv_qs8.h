/* kernels/conv/conv_qs8.h: 2-D convolution in static int8, NHWC, as conv.h has it in f32.
 *
 * Pixels outside count as the input's zero point. kernels/cpu/requant.h says the arithmetic; all
 * kernels give the same bytes. */
#pragma once

#include "kernels/conv/conv.h"
#include "kernels/cpu/requant.h"

struct sl_conv_qs8_args {
    struct sl_conv_shape shape; /* pad_top and pad_left may be negative (wrapped): windows then
                                   begin inside the image */
    const int8_t *in;           /* [batch][in_h][in_w][groups * group_in_c], dense */
    int8_t in_zero;             /* as packed */
    const void *weights;        /* as pack_weights() left them */
    int8_t *out;                /* the first output pixel */
    size_t out_pixel, out_row, out_image; /* elements from pixel to pixel, row to row, image to
                                             image; a pixel is groups * group_out_c */
    struct sl_requant_out out_quant;
    void *workspace; /* workspace_bytes(), 64-byte aligned */
};

/* Sets the strides of a dense output. */
void sl_conv_qs8_dense(struct sl_conv_qs8_args *args);

/* Members as of struct sl_conv (conv.h); any shape fits. requant has a bias and a scale for each of
 * groups * group_out_c channels. */
struct sl_conv_qs8 {
    const char *name;
    uint32_t needs;
    size_t (*weights_bytes)(const struct sl_conv_shape *shape);
    void (*pack_weights)(const struct sl_conv_shape *shape, const int8_t *weights,
                         const struct sl_requant *requant, void *packed);
    size_t (*workspace_bytes)(const struct sl_conv_shape *shape);
    void (*run)(const struct sl_conv_qs8_args *args);
};

/* The first kernel of the list that `isa` allows for the shape. Never NULL. */
const struct sl_conv_qs8 *sl_conv_qs8_select(uint32_t isa, const struct sl_conv_shape *shape);
const struct sl_conv_qs8 *sl_conv_qs8_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_conv_qs8 kernel;
#include "kernels/conv/conv_qs8.inc"
#undef SL_KERNEL
