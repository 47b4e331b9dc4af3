/* kernels/conv/conv_halves_neon.h: weights of half precision into the panels of the f32 convolution
 * in NEON. Internal to it. */
#pragma once

#include "kernels/conv/conv.h"

/* struct sl_conv's pack_halves() (conv.h). */
void sl_conv_pack_halves_neon(const struct sl_conv_shape *shape, const uint16_t *weights,
                              const float *bias, bool planar, void *scratch, void *packed);
