/* kernels/matmul/matmul_f32_2vlx2vl_sme2.c: f32 matmul by outer products, SME2. */
#include "kernels/matmul/matmul.h"
#include "kernels/pack/pack_rhs_f32.h"

#define SL_TYPE f32
#define KERNEL sl_matmul_f32_f32p1vlx1_f32p2vlx1_2vlx2vl_sme2_mopa
#define ROWS_IN_PLACE
#define FEW_IN_ONE_TILE
#include "kernels/matmul/matmul_2vlx2vl_sme2.inc"

static void pack_rhs(size_t n, size_t k, const void *rhs, bool transposed, const void *bias,
                     void *packed)
{
    const struct sl_pack_rhs_f32 job = {n, k, rhs, transposed, bias, 2, 1, packed};
    sl_pack_rhs_f32_sme2(&job);
}
