/* kernels/conv/deconv.h: transposed convolution in f32 or half precision, by any kernel of conv.h
 * that fits the phases (deconv_phase.h). */
#pragma once

#include "kernels/conv/conv.h"

#define SL_TEMPLATE "kernels/conv/deconv_head.inc"
#include "kernels/cpu/floats.inc"
