/* kernels/binary/binary_scalar.c: portable binary operators. */
#include "kernels/binary/binary.h"
#include "kernels/cpu/clamp.h"
#include "kernels/cpu/isa.h"

/* `expression` of x and y, which are one element of each operand. */
#define SL_BINARY_SCALAR(verb, code, expression)                                                   \
    static void verb(const struct sl_binary_args *args)                                            \
    {                                                                                              \
        for (size_t i = 0; i < args->count; i++) {                                                 \
            float x = args->a[i * args->a_step];                                                   \
            float y = args->b[i * args->b_step];                                                   \
            args->out[i] = sl_clamp((expression), args->min, args->max);                           \
        }                                                                                          \
    }                                                                                              \
    const struct sl_binary sl_binary_##verb##_f32_f32_f32_1x1_scalar = {                           \
        .name = "sl_binary_" #verb "_f32_f32_f32_1x1_scalar",                                      \
        .needs = SL_ISA_NONE,                                                                      \
        .op = code,                                                                                \
        .run = verb,                                                                               \
    };

SL_BINARY_SCALAR(add, SL_BINARY_ADD, x + y)
SL_BINARY_SCALAR(subtract, SL_BINARY_SUBTRACT, x - y)
SL_BINARY_SCALAR(multiply, SL_BINARY_MULTIPLY, (x * y))
SL_BINARY_SCALAR(divide, SL_BINARY_DIVIDE, x / y)
/* A NaN of either operand is the result. */
SL_BINARY_SCALAR(maximum, SL_BINARY_MAXIMUM, x > y || x != x ? x : y)
SL_BINARY_SCALAR(minimum, SL_BINARY_MINIMUM, x < y || x != x ? x : y)
SL_BINARY_SCALAR(prelu, SL_BINARY_PRELU, (x < 0 ? x * y : x))
