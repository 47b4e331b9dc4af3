/* kernels/pool/pool_neon.c: pooling of f32. */
#include "kernels/pool/pool.h"

#define SL_TYPE f32
#define KERNEL(op) sl_pool_##op##_f32_f32_1x32_neon
#include "kernels/pool/pool_neon.inc"

static void average(const struct sl_pool_args *args)
{
    run(SL_POOL_AVERAGE, args);
}

const struct sl_pool sl_pool_average_f32_f32_1x32_neon = {
    .name = "sl_pool_average_f32_f32_1x32_neon",
    .needs = SL_ISA_NEON,
    .element = SL_F32,
    .op = SL_POOL_AVERAGE,
    .run = average,
};
