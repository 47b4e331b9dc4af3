/* kernels/pack/pack_f32_sme2.c: the packing of the left operand, and tables of row pointers. */
#include <arm_sve.h>

#define SL_TYPE f32
#include "kernels/pack/pack_lhs_sme2.inc"

void sl_pack_rows_sme2(void *rows, const void *base, size_t stride_bytes, size_t count,
                       size_t padded) __arm_streaming __arm_inout("za")
{
    svbool_t all = svptrue_b64();
    svuint64_t start = svdup_u64((uint64_t)(uintptr_t)base);
    svuint64_t index = svindex_u64(0, 1);
    for (size_t i = 0; i < padded; i += svcntd()) {
        svuint64_t row = svmin_n_u64_x(all, index, count - 1);
        svst1_u64(all, (uint64_t *)rows + i, svmla_n_u64_x(all, start, row, stride_bytes));
        index = svadd_n_u64_x(all, index, svcntd());
    }
}
