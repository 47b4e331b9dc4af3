/* kernels/pack/pack_lhs_sme2.h: the left operand of a product into panels, for the type that the
 * including file names (kernels/cpu/element.h): with a table of row pointers where the vector
 * length has no packing of its own. */
#pragma once

#include <arm_sme.h>

#include "kernels/cpu/element.h"
#include "kernels/pack/pack_f32.h"
#include "kernels/pack/pack_short.h"
#include "kernels/pack/pack_x16.h"

/* Elements that the words of k elements take. */
#define LANE_ELEMENTS(k) (SL_LANES(k) * sizeof(float) / sizeof(SL_ELEMENT))

/* Rows `first` to `first + count`, at most SL_PACK_TABLE_ROWS. */
static void pack_by_table(const struct SL_LANE_NAME(sl_pack_lhs, ) * job, size_t first,
                          size_t count) __arm_streaming __arm_inout("za")
{
    static const int64_t start = 0;
    const SL_ELEMENT *rows[SL_PACK_TABLE_ROWS];
    size_t tiles = (count + svcntw() - 1) / svcntw();
    sl_pack_rows_sme2(rows, job->lhs + first * job->stride, job->stride * sizeof(SL_ELEMENT), count,
                      tiles * svcntw());
    struct SL_LANE_NAME(sl_pack, )
        pack = {rows, &start, 1, job->k, tiles, job->packed + first * LANE_ELEMENTS(job->k)};
    SL_LANE_NAME(sl_pack, _1vl_sme2_asm)(&pack);
}

void SL_LANE_NAME(sl_pack_lhs, _sme2)(const struct SL_LANE_NAME(sl_pack_lhs, ) *
                                      job) __arm_streaming __arm_inout("za")
{
    const size_t size = sizeof(SL_ELEMENT);
    if (svcntw() == SL_PACK_16 && job->k * size <= SL_PACK_VECTOR_BYTES) {
        struct sl_pack_short rows = {job->lhs, job->stride * size, job->k * size, job->m,
                                     job->packed};
        sl_pack_short_sme2(&rows);
        return;
    }
    if (svcntw() == SL_PACK_16) {
        SL_LANE_NAME(sl_pack, _16_sme2_asm)(job);
        return;
    }
    for (size_t row = 0; row < job->m; row += SL_PACK_TABLE_ROWS) {
        size_t left = job->m - row; /* whole tiles, but for the last turn */
        pack_by_table(job, row, left < SL_PACK_TABLE_ROWS ? left : SL_PACK_TABLE_ROWS);
    }
}
