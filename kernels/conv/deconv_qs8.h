/* kernels/conv/deconv_qs8.h: transposed convolution in static int8, by any kernel of conv_qs8.h.
 *
 * Output rows and columns that lie a stride apart see the same taps: each such phase is a plain
 * convolution of stride 1 with some of the taps, in reverse, written to its own places. */
#pragma once

#include "kernels/conv/conv_qs8.h"

/* `shape`: input and output are the transposed convolution's own, weights [groups *
 * group_out_c][kernel_h][kernel_w][group_in_c]:
 * y[iy * sh + ky * dh - pt][ix * sw + kx * dw - pl] += x[iy][ix] * w[ky][kx].
 * Nothing in it but the batch, sizes and pads may be 0. */
size_t sl_deconv_qs8_bytes(const struct sl_conv_qs8 *kernel, const struct sl_conv_shape *shape);

/* Packs all phases; `scratch` holds kernel_h * kernel_w * group_in_c * groups * group_out_c bytes.
 */
void sl_deconv_qs8_pack(const struct sl_conv_qs8 *kernel, const struct sl_conv_shape *shape,
                        const void *weights, const struct sl_requant *requant, void *packed,
                        void *scratch);

size_t sl_deconv_qs8_workspace_bytes(const struct sl_conv_qs8 *kernel,
                                     const struct sl_conv_shape *shape);

/* args->shape as above; args->weights as packed; strides of a dense output are as
 * sl_conv_qs8_dense() sets them. */
void sl_deconv_qs8_run(const struct sl_conv_qs8 *kernel, const struct sl_conv_qs8_args *args);
