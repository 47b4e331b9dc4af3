/* kernels/pack/pack_short.h: short rows of any type into panels of words, for vectors of 16 words:
 * several rows a load. Internal to the SME2 kernels and their tests. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SL_PACK_SHORT_VL = 16,     /* words of a vector */
    SL_PACK_SHORT_BYTES = 32,  /* of a row: eight words */
    SL_PACK_VECTOR_BYTES = 64, /* of a row that is read on its own */
};

/* Rows of bytes; a word is four of one row, the last filled up with zeros. */
struct sl_pack_short {
    const void *rows;
    size_t stride, bytes; /* of a row: to the next, and its own, 1 to SL_PACK_VECTOR_BYTES */
    size_t count;         /* rows, at least 1 */
    void *packed;         /* [ceil(count / 16)][words][16] words; behind the last row: anything */
};

/* Eight rows of bytes as lines of eight words, one of each row; the last words are filled up with
 * zeros. */
struct sl_pack_eights {
    const void *rows;
    size_t stride, bytes; /* of a row: to the next, and its own, at least 1 */
    void *packed;         /* [ceil(bytes / 4)][8] words */
};

#if defined(__ARM_FEATURE_SME2)
#include <arm_sme.h>

/* Only where a vector holds four words: then the eight are two vectors. */
static inline __attribute__((always_inline)) bool
sl_pack_eights_serves(size_t columns, size_t width) __arm_streaming_compatible
{
    return svcntsw() == 4 && columns == 8 && width == 8;
}

void sl_pack_eights_sme2_asm(const struct sl_pack_eights *job) __arm_streaming __arm_inout("za");

void sl_pack_short_sme2(const struct sl_pack_short *job) __arm_streaming __arm_inout("za");
void sl_pack_rows_16_sme2_asm(const struct sl_pack_short *job) __arm_streaming __arm_inout("za");
#endif
