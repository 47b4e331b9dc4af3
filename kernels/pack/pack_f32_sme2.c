/* kernels/pack/pack_f32_sme2.c: the packing of the left operand, with tables of row pointers where
 * the vector length has no packing of its own. */
#include "kernels/pack/pack_f32.h"

#include <arm_sme.h>
#include <arm_sve.h>

void sl_pack_rows_sme2(const float **rows, const float *base, size_t stride_bytes, size_t count,
                       size_t padded) __arm_streaming __arm_inout("za")
{
    svbool_t all = svptrue_b64();
    svuint64_t start = svdup_u64((uint64_t)(uintptr_t)base);
    svuint64_t index = svindex_u64(0, 1);
    for (size_t i = 0; i < padded; i += svcntd()) {
        svuint64_t row = svmin_n_u64_x(all, index, count - 1);
        svst1_u64(all, (uint64_t *)(void *)(rows + i),
                  svmla_n_u64_x(all, start, row, stride_bytes));
        index = svadd_n_u64_x(all, index, svcntd());
    }
}

/* Rows `first` to `first + count`, at most SL_PACK_TABLE_ROWS. */
static void pack_by_table(const struct sl_pack_lhs_f32 *job, size_t first,
                          size_t count) __arm_streaming __arm_inout("za")
{
    static const int64_t start = 0;
    const float *rows[SL_PACK_TABLE_ROWS];
    size_t tiles = (count + svcntw() - 1) / svcntw();
    sl_pack_rows_sme2(rows, job->lhs + first * job->stride, job->stride * sizeof(float), count,
                      tiles * svcntw());
    struct sl_pack_f32 pack = {rows, &start, 1, job->k, tiles, job->packed + first * job->k};
    sl_pack_f32_1vl_sme2_asm(&pack);
}

void sl_pack_lhs_f32_sme2(const struct sl_pack_lhs_f32 *job) __arm_streaming __arm_inout("za")
{
    if (svcntw() == SL_PACK_16) {
        sl_pack_f32_16_sme2_asm(job);
        return;
    }
    for (size_t row = 0; row < job->m; row += SL_PACK_TABLE_ROWS) {
        size_t left = job->m - row; /* whole tiles, but for the last turn */
        pack_by_table(job, row, left < SL_PACK_TABLE_ROWS ? left : SL_PACK_TABLE_ROWS);
    }
}
