/* kernels/layout/repeat_scalar.c: elements repeated one by one. */
#include "kernels/cpu/isa.h"
#include "kernels/layout/repeat.h"

#define REPEAT(type)                                                                               \
    for (size_t i = 0; i < count; i++)                                                             \
        for (size_t j = 0; j < times; j++)                                                         \
            ((type *)out)[i * times + j] = ((const type *)in)[i];

static void run(size_t count, size_t element_bytes, size_t times, const void *in, void *out)
{
    if (element_bytes == 4)
        REPEAT(uint32_t)
    else if (element_bytes == 2)
        REPEAT(uint16_t)
    else
        REPEAT(uint8_t)
}

const struct sl_repeat sl_repeat_1x1_scalar = {"sl_repeat_1x1_scalar", SL_ISA_NONE, run};
