/* kernels/cpu/element.h: what portable kernels that are written once for several float types are
 * told by the file that includes them.
 *
 * That file defines SL_TYPE as f32, f16 or bf16. Here follow SL_ELEMENT, how an operand lies in
 * memory, and SL_GET, which makes a float of it; SL_RESULT, SL_PUT and SL_BIAS, the same for
 * results and biases, which are f32 where the operands are bf16; and SL_NAME(before, after), which
 * puts the type's suffix, none for f32, between two parts of a name. Everything is computed in f32.
 */
#pragma once

#include "kernels/cpu/half.h"

#define SL_TYPE_f32 1
#define SL_TYPE_f16 2
#define SL_TYPE_bf16 3
#define SL_TYPE_CODE_2(type) SL_TYPE_##type
#define SL_TYPE_CODE(type) SL_TYPE_CODE_2(type)
#if SL_TYPE_CODE(SL_TYPE) == SL_TYPE_f16
#define SL_ELEMENT uint16_t
#define SL_RESULT uint16_t
#define SL_GET(x) sl_half_to_float(x)
#define SL_BIAS(x) sl_half_to_float(x)
#define SL_PUT(x) sl_half_from_float(x)
#define SL_NAME(before, after) before##_f16##after
#define SL_TYPE_NAME(before, after) before##_f16##after
#define SL_LANE_NAME(before, after) before##_x16##after
#define SL_LANES(k) (((k) + 1) / 2)
#elif SL_TYPE_CODE(SL_TYPE) == SL_TYPE_bf16
#define SL_ELEMENT uint16_t
#define SL_RESULT float
#define SL_GET(x) sl_bfloat_to_float(x)
#define SL_BIAS(x) (x)
#define SL_PUT(x) (x)
#define SL_NAME(before, after) before##_bf16##after
#define SL_TYPE_NAME(before, after) before##_bf16##after
#define SL_LANE_NAME(before, after) before##_x16##after
#define SL_LANES(k) (((k) + 1) / 2)
#else
#define SL_ELEMENT float
#define SL_RESULT float
#define SL_GET(x) (x)
#define SL_BIAS(x) (x)
#define SL_PUT(x) (x)
#define SL_NAME(before, after) before##after
#define SL_TYPE_NAME(before, after) before##_f32##after
#define SL_LANE_NAME(before, after) before##_f32##after
#define SL_LANES(k) (k)
#endif

#define SL_TEXT_2(name) #name
#define SL_TEXT(name) SL_TEXT_2(name)
