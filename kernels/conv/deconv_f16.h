/* kernels/conv/deconv_f16.h: deconv.h in half precision, by any kernel of conv_f16.h. */
#pragma once

#include "kernels/conv/conv_f16.h"

size_t sl_deconv_f16_bytes(const struct sl_conv_f16 *kernel, const struct sl_conv_shape *shape);

/* Packs all phases; `bias` [groups * group_out_c] or NULL; `scratch` holds as many halves as there
 * are weights. Of the shape neither batch nor sizes count. */
void sl_deconv_f16_pack(const struct sl_conv_f16 *kernel, const struct sl_conv_shape *shape,
                        const uint16_t *weights, const uint16_t *bias, void *packed,
                        uint16_t *scratch);

size_t sl_deconv_f16_workspace_bytes(const struct sl_conv_f16 *kernel,
                                     const struct sl_conv_shape *shape);

/* args->shape as above, args->weights as packed. */
void sl_deconv_f16_run(const struct sl_conv_f16 *kernel, const struct sl_conv_f16_args *args);
