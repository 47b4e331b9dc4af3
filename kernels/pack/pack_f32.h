/* kernels/pack/pack_f32.h: the left operand of outer products: rows of floats, anywhere in memory,
 * into panels that hold one vector of rows for each k. Internal to the SME2 kernels and their
 * tests. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Tile t covers rows [t * VL, t * VL + VL) of the table. k runs over the segments: segment s is
 * `segment_length` consecutive elements of each row from element segment_offsets[s] on. The panel
 * of a tile is [k][VL], panels lie one after the other. VL is the number of floats in a streaming
 * vector. A table whose rows end inside a tile is filled up with any readable row. */
struct sl_pack_f32 {
    const float *const *rows;        /* [tiles * VL], borrowed */
    const int64_t *segment_offsets;  /* [segments], borrowed */
    size_t segments, segment_length; /* at least 1 each */
    size_t tiles;                    /* at least 1 */
    float *packed;                   /* [tiles][segments * segment_length][VL] */
};

/* The same panels of rows at equal distances, `stride` elements from each to the next; behind the
 * last row its own elements again. */
struct sl_pack_lhs_f32 {
    const float *lhs;
    size_t stride;
    size_t m, k; /* at least 1 each */
    float *packed;
};

enum {
    SL_PACK_TABLE_ROWS = 1024, /* row pointers of one job; a multiple of the longest VL */
    SL_PACK_16 = 16,
    SL_PACK_CHUNK_BYTES = 256 * 1024, /* packed rows at a time: they stay in a second-level cache */
};

/* The streaming forms in plain C. */
void sl_pack_f32_1vl_scalar(const struct sl_pack_f32 *job, size_t vl);

#if defined(__ARM_FEATURE_SME2)
#include <arm_sme.h>

void sl_pack_f32_1vl_sme2_asm(const struct sl_pack_f32 *job) __arm_streaming __arm_inout("za");

/* Only where a vector holds SL_PACK_16 floats. */
void sl_pack_f32_16_sme2_asm(const struct sl_pack_lhs_f32 *job) __arm_streaming __arm_inout("za");

/* The left operand of a product, by whichever of them serves the vector length. */
void sl_pack_lhs_f32_sme2(const struct sl_pack_lhs_f32 *job) __arm_streaming __arm_inout("za");

/* Rows to pack at a time: whole blocks of `block` rows, a power of two of at most four vectors, as
 * many as the cache and one table take. k counts words. */
static inline __attribute__((always_inline)) size_t
sl_pack_chunk_rows(size_t k, size_t block) __arm_streaming_compatible
{
    size_t rows = k ? SL_PACK_CHUNK_BYTES / (k * sizeof(float)) : SL_PACK_TABLE_ROWS;
    rows = rows < SL_PACK_TABLE_ROWS ? rows : SL_PACK_TABLE_ROWS;
    return rows > block ? rows / block * block : block;
}

/* Fills the pointers rows[0 .. padded) with base + min(i, count - 1) * stride; stride in bytes,
 * padded a multiple of VL. */
void sl_pack_rows_sme2(void *rows, const void *base, size_t stride_bytes, size_t count,
                       size_t padded) __arm_streaming __arm_inout("za");
#endif
