/* kernels/matmul/matmul_f16_2vlx2vl_sme2.c: f16 matmul by outer products with sums in f32, SME2. */
#include "kernels/matmul/matmul.h"
#include "kernels/pack/pack_rhs_x16.h"

#define SL_TYPE f16
#define KERNEL sl_matmul_f16_f16p1vlx2_f16p2vlx2_2vlx2vl_sme2_mopa
#define ROWS_IN_PLACE
#include "kernels/matmul/matmul_2vlx2vl_sme2.inc"

static void pack_rhs(size_t n, size_t k, const void *rhs, bool transposed, const void *bias,
                     void *packed)
{
    const struct sl_pack_rhs_x16 job = {n, k, 1, rhs, transposed, bias, true, 2, 1, packed};
    sl_pack_rhs_x16_sme2(&job);
}
