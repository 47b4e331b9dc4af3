/* kernels/binary/binary_scalar.h: portable binary operators of the type that the including file
 * names (kernels/cpu/element.h). */
#pragma once

#include "kernels/cpu/clamp.h"
#include "kernels/cpu/element.h"
#include "kernels/cpu/isa.h"

#define SL_BINARY_NAME_2(verb, type) sl_binary_##verb##_##type##_##type##_##type##_1x1_scalar
#define SL_BINARY_NAME(verb, type) SL_BINARY_NAME_2(verb, type)

/* `expression` of x and y, which are one element of each operand. */
#define SL_BINARY_SCALAR(verb, code, expression)                                                   \
    static void verb(const struct SL_NAME(sl_binary, _args) * args)                                \
    {                                                                                              \
        for (size_t i = 0; i < args->count; i++) {                                                 \
            float x = SL_GET(args->a[i * args->a_step]);                                           \
            float y = SL_GET(args->b[i * args->b_step]);                                           \
            args->out[i] = SL_PUT(sl_clamp((expression), args->min, args->max));                   \
        }                                                                                          \
    }                                                                                              \
    const struct SL_NAME(sl_binary, ) SL_BINARY_NAME(verb, SL_TYPE) = {                            \
        .name = SL_TEXT(SL_BINARY_NAME(verb, SL_TYPE)),                                            \
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
SL_BINARY_SCALAR(equal, SL_BINARY_EQUAL, x == y ? 1.0f : 0.0f)
SL_BINARY_SCALAR(unequal, SL_BINARY_UNEQUAL, x != y ? 1.0f : 0.0f)
SL_BINARY_SCALAR(less, SL_BINARY_LESS, x < y ? 1.0f : 0.0f)
SL_BINARY_SCALAR(atmost, SL_BINARY_ATMOST, x <= y ? 1.0f : 0.0f)
SL_BINARY_SCALAR(keep, SL_BINARY_KEEP, x != 0 ? y : -0.0f)
SL_BINARY_SCALAR(drop, SL_BINARY_DROP, x == 0 ? y : -0.0f)
