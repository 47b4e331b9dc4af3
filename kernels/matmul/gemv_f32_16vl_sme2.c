/* kernels/matmul/gemv_f32_16vl_sme2.c: f32 matmul of a single row, SME2. */
#include "kernels/matmul/matmul.h"
#include "kernels/pack/pack_rhs_f32.h"

#define SL_TYPE f32
#define KERNEL sl_matmul_f32_f32_f32p16vlx1_1x16vl_sme2_mla
#define ROW_IN_PLACE
#include "kernels/matmul/gemv_16vl_sme2.inc"

static void pack_rhs(size_t n, size_t k, const void *rhs, bool transposed, const void *bias,
                     void *packed)
{
    const struct sl_pack_rhs_f32 job = {n, k, rhs, transposed, bias, 16, 4, packed};
    sl_pack_rhs_f32_sme2(&job);
}
