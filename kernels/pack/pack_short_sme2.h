/* kernels/pack/pack_short_sme2.h: tiles of 16 short rows that lie one behind the other, as lines of
 * words. A vector takes 16, 8 or 4 rows (of up to 1, 2 and 4 words), two vectors take 4 rows of up
 * to 8; a table look-up puts their words next to each other and fills the last of each row up. */
#pragma once

#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/pack/pack_short.h"

#define INLINE static inline __attribute__((always_inline))

/* Keeps the compiler from deriving a distance from another one in a loop. */
#define KEPT(distance) __asm__("" : "+r"(distance))

/* The rows of a load, by the words of a row. */
INLINE size_t rows_of_load(size_t words) __arm_streaming
{
    return words == 1 ? 16 : words == 2 ? 8 : 4;
}

/* Returns for each byte b of a packed load the byte it comes from: of 4 (2, 1) words of 4 (8, 16)
 * rows, from word `first` on. Bytes past the end of a row get no source. */
INLINE svuint8_t source_of(size_t words, size_t bytes, size_t first) __arm_streaming
{
    svbool_t all = svptrue_b8();
    svuint8_t b = svindex_u8(0, 1), high = svlsr_n_u8_x(all, b, 4);
    svuint8_t row = svand_n_u8_x(all, svlsr_n_u8_x(all, b, 2), words == 1 ? 15 : 3);
    svuint8_t word = words == 1 ? svdup_u8(0) : high;
    if (words == 2) {
        word = svand_n_u8_x(all, high, 1);
        row = svadd_u8_x(all, row, svlsl_n_u8_x(all, svlsr_n_u8_x(all, high, 1), 2));
    }
    svuint8_t at = svadd_u8_x(all, svlsl_n_u8_x(all, word, 2), svand_n_u8_x(all, b, 3));
    at = svadd_n_u8_x(all, at, (uint8_t)(4 * first));
    svuint8_t from = svmla_n_u8_x(all, at, row, (uint8_t)bytes);
    return svsel_u8(svcmplt_n_u8(all, at, (uint8_t)bytes), from, svdup_u8(255));
}

/* Four loads of rows, `step` bytes apart, by p0 to p3: four tiles of one word, two tiles of two, or
 * one of up to 4 words, line by line. */
INLINE svuint8x4_t few_words(size_t words, const uint8_t *at, const size_t *steps, svbool_t p0,
                             svbool_t p1, svbool_t p2, svbool_t p3,
                             svuint8_t source) __arm_streaming
{
    svuint8_t a = svtbl_u8(svld1_u8(p0, at), source);
    svuint8_t b = svtbl_u8(svld1_u8(p1, at + steps[0]), source);
    svuint8_t c = svtbl_u8(svld1_u8(p2, at + steps[1]), source);
    svuint8_t d = svtbl_u8(svld1_u8(p3, at + steps[2]), source);
    if (words == 1)
        return svcreate4_u8(a, b, c, d);
    if (words > 2)
        return svzipq_u8_x4(svcreate4_u8(a, b, c, d));
    svuint8x2_t first = svuzpq_u8_x2(svcreate2_u8(a, b)), second = svuzpq_u8_x2(svcreate2_u8(c, d));
    return svcreate4_u8(svget2_u8(first, 0), svget2_u8(first, 1), svget2_u8(second, 0),
                        svget2_u8(second, 1));
}

/* Four lines of a tile of 5 to 8 words. */
INLINE svuint8x4_t more_words(const uint8_t *at, const size_t *steps, svcount_t c0, svcount_t c1,
                              svcount_t c2, svcount_t c3, svuint8_t source) __arm_streaming
{
    return svzipq_u8_x4(svcreate4_u8(svtbl2_u8(svld1_u8_x2(c0, at), source),
                                     svtbl2_u8(svld1_u8_x2(c1, at + steps[0]), source),
                                     svtbl2_u8(svld1_u8_x2(c2, at + steps[1]), source),
                                     svtbl2_u8(svld1_u8_x2(c3, at + steps[2]), source)));
}
