/* kernels/pool/pool_f16.h: 2-D pooling in half precision: pool.h with other elements. Averages are
 * summed in f32. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/pool/pool.h"

struct sl_pool_f16_args {
    int op; /* enum sl_pool_op */
    size_t batch, in_h, in_w, out_h, out_w, channels;
    size_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
    const uint16_t *in; /* [batch][in_h][in_w][channels] */
    uint16_t *out;      /* [batch][out_h][out_w][channels] */
    float min, max;     /* clamp */
};

/* Pixels outside are ignored: MAX over the valid ones, AVERAGE divides by their number. Every
 * window has at least one. A NaN wins a MAX. */
struct sl_pool_f16 {
    const char *name;
    uint32_t needs;
    int op;
    void (*run)(const struct sl_pool_f16_args *args);
};

const struct sl_pool_f16 *sl_pool_f16_select(uint32_t isa, int op);
const struct sl_pool_f16 *sl_pool_f16_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_POOL_F16(kernel) extern const struct sl_pool_f16 kernel;
#include "kernels/pool/pool_f16.inc"
#undef SL_POOL_F16
