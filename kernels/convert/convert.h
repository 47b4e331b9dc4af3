/* kernels/convert/convert.h: elements of one type to another. Half and bfloat16 are uint16_t.
 * Rounding is to nearest even, but where a comment says otherwise. Not in place. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum sl_convert_op {
    SL_CONVERT_F16_F32, /* destination first: f16 from f32 */
    SL_CONVERT_F32_F16,
    SL_CONVERT_BF16_F32,
    SL_CONVERT_F32_BF16,
    SL_CONVERT_QS8_F32, /* clamp(round(x * (1 / out_scale)) + out_zero); a NaN becomes out_zero */
    SL_CONVERT_QS8_F16, /* the same of the half's value */
    SL_CONVERT_F32_QS8, /* (q - in_zero) * in_scale */
    SL_CONVERT_F16_QS8, /* the same, rounded to half */
    /* With m = round(256 * in_scale / out_scale):
     * clamp(((out_zero << 8) - m * in_zero + 128 + q * m) >> 8), so ties go up. m <= 2^15. */
    SL_CONVERT_QS8_QS8,
    SL_CONVERT_OP_END
};

struct sl_convert_args {
    size_t count;
    const void *in;
    void *out;
    float in_scale, out_scale; /* of an int8 in, an int8 out; else not read */
    int32_t in_zero, out_zero; /* their zero points */
};

struct sl_convert {
    const char *name;
    uint32_t needs;
    int op; /* enum sl_convert_op */
    void (*run)(const struct sl_convert_args *args);
};

/* The first kernel of the list for `op` whose needs `isa` meets; never NULL. */
const struct sl_convert *sl_convert_select(uint32_t isa, int op);
const struct sl_convert *sl_convert_at(size_t i);

/* Every kernel is an object of its own name; the list says which there are. */
#define SL_KERNEL(kernel) extern const struct sl_convert kernel;
#include "kernels/convert/convert.inc"
#undef SL_KERNEL
