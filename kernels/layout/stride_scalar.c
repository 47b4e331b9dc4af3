/* kernels/layout/stride_scalar.c: elements one by one. */
#include "kernels/cpu/isa.h"
#include "kernels/layout/stride.h"

#define STRIDE(type)                                                                               \
    for (size_t i = 0; i < count; i++)                                                             \
        ((type *)out)[i] = ((const type *)in)[(ptrdiff_t)i * step];

static void run(size_t count, size_t element_bytes, ptrdiff_t step, const void *in, void *out)
{
    if (element_bytes == 8)
        STRIDE(uint64_t)
    else if (element_bytes == 4)
        STRIDE(uint32_t)
    else if (element_bytes == 2)
        STRIDE(uint16_t)
    else
        STRIDE(uint8_t)
}

const struct sl_stride sl_stride_1x1_scalar = {"sl_stride_1x1_scalar", SL_ISA_NONE, 0, SIZE_MAX,
                                               run};
