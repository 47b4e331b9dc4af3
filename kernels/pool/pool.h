/* kernels/pool/pool.h: 2-D pooling in f32 or half precision, NHWC. Averages are summed in f32. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sl_pool_op { SL_POOL_MAX, SL_POOL_AVERAGE };

#define SL_TEMPLATE "kernels/pool/pool_head.inc"
#include "kernels/cpu/floats.inc"
