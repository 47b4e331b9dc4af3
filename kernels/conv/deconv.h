/* kernels/conv/deconv.h: transposed convolution in f32 or half precision, by any kernel of conv.h
 * that fits the phases (deconv_phase.h). */
#pragma once

#include "kernels/conv/conv.h"

/* `shape`: input and output are the transposed convolution's own, weights [groups *
 * group_out_c][kernel_h][kernel_w][group_in_c]:
 * y[iy * sh + ky * dh - pt][ix * sw + kx * dw - pl] += x[iy][ix] * w[ky][kx].
 * Nothing in it but the batch, sizes and pads may be 0. */
size_t sl_deconv_bytes(const struct sl_conv *kernel, const struct sl_conv_shape *shape);

/* Packs all phases of weights and bias of the kernel's type; `bias` [groups * group_out_c] or NULL;
 * `scratch` holds as many elements as there are weights. Of the shape neither batch nor sizes
 * count. */
void sl_deconv_pack(const struct sl_conv *kernel, const struct sl_conv_shape *shape,
                    const void *weights, const void *bias, void *packed, void *scratch);

size_t sl_deconv_workspace_bytes(const struct sl_conv *kernel, const struct sl_conv_shape *shape);

/* args->shape as above, args->weights as packed. */
void sl_deconv_run(const struct sl_conv *kernel, const struct sl_conv_args *args);
