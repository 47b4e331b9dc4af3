/* kernels/matmul/qd8_lines_sme2.c: [n][k] through ZA, int8 by assembly, and [k][n] by interleaving.
 */
#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/matmul/qd8_lines.h"

/* Lines of nibbles: what they lack to whole words of k becomes 8, the nibble of 0. */
static inline __attribute__((always_inline)) svuint16_t
whole_nibbles(svuint16_t v, size_t k_of_word) __arm_streaming
{
    uint16_t kept = (uint16_t)((1u << (4 * k_of_word)) - 1);
    return svorr_n_u16_x(svptrue_b16(), svand_n_u16_x(svptrue_b16(), v, kept),
                         (uint16_t)(0x8888u & ~(unsigned)kept));
}

static inline __attribute__((always_inline)) svuint16_t nibbles_of(svuint16_t v) __arm_streaming
{
    svbool_t all = svptrue_b16();
    svuint16_t high = svand_n_u16_x(all, svlsr_n_u16_x(all, v, 4), 0x0f0f);
    v = svadd_u16_x(all, svand_n_u16_x(all, v, 0x0f0f), high);
    return svand_n_u16_x(all, svadd_u16_x(all, v, svlsr_n_u16_x(all, v, 8)), 0xff);
}

#define WRITE_NIBBLES(tile, a, b, c, d)                                                            \
    svwrite_hor_za16_u16_vg4(                                                                      \
        tile, r,                                                                                   \
        svreinterpret_u16_u8_x4(svcreate4_u8(svget2_u8(a, tile), svget2_u8(b, tile),               \
                                             svget2_u8(c, tile), svget2_u8(d, tile))))

/* Two tiles of halfwords: 2VL columns, up to 4VL words of each. */
static void nibbles_in(const struct sl_qd8_lines *l, size_t from) __arm_streaming __arm_inout("za")
{
    svcount_t some = svwhilelt_c8_u64(from, l->to, 2);
    for (uint32_t r = 0; r < svcnth(); r += 4) {
        const uint8_t *const *rows = (const uint8_t *const *)(const void *)(l->rows + r);
        svuint8x2_t a = svld1_u8_x2(some, rows[0] + from), b = svld1_u8_x2(some, rows[1] + from);
        svuint8x2_t c = svld1_u8_x2(some, rows[2] + from), d = svld1_u8_x2(some, rows[3] + from);
        WRITE_NIBBLES(0, a, b, c, d);
        WRITE_NIBBLES(1, a, b, c, d);
    }
}

#define NIBBLES_OUT(tile)                                                                          \
    for (uint32_t w = 0; w < 2 * vl && left > 0; w++, out += l->line_bytes) {                      \
        svuint16_t v = svread_ver_za16_u16_m(svdup_u16(0), svptrue_b16(), tile, w);                \
        if (--left == 0 && last_k < 4)                                                             \
            v = whole_nibbles(v, last_k);                                                          \
        svst1_u16(svptrue_b16(), (uint16_t *)(void *)out, v);                                      \
        v = nibbles_of(v);                                                                         \
        even = svaddwb_u32(even, v);                                                               \
        odd = svaddwt_u32(odd, v);                                                                 \
    }

/* last_k: how many k the last word of these has. */
static void pack_nibbles(const struct sl_qd8_lines *l, size_t words, size_t last_k,
                         int32_t *out_sums) __arm_streaming __arm_inout("za")
{
    size_t vl = svcntw(), left = words;
    svuint32_t even = svdup_u32(0), odd = svdup_u32(0);
    char *out = l->out;
    for (size_t at = l->from; left > 0; at += 8 * vl) {
        nibbles_in(l, at);
        NIBBLES_OUT(0)
        NIBBLES_OUT(1)
    }
    svuint32x2_t sums = svzip_u32_x2(svcreate2_u32(even, odd));
    svint32_t offset = svdup_s32((int32_t)(words * 4 * 8));
    for (int i = 0; i < 2; i++) {
        svint32_t sum = svreinterpret_s32_u32(i ? svget2_u32(sums, 1) : svget2_u32(sums, 0));
        svst1_s32(svptrue_b32(), out_sums + (size_t)i * vl,
                  svsub_s32_x(svptrue_b32(), sum, offset));
    }
}

/* Weights [k][n]: four lines of k make a line of words. */
static void pack_transposed(const struct sl_qd8_strip *strip, size_t from, size_t to, char *out,
                            size_t line_bytes, size_t vectors,
                            int32_t *out_sums) __arm_streaming __arm_inout("za")
{
    const struct sl_weights_qd8 *w = strip->weights;
    const int8_t *at = (const int8_t *)w->data + strip->first + 4 * from * w->n;
    svbool_t some = svwhilelt_b8_u64(0, strip->columns), none = svpfalse_b();
    svint32_t low = svdup_s32(0), high = svdup_s32(0);
    svint8_t one = svdup_s8(1);
    for (size_t word = from; word < to; word++, at += 4 * w->n, out += line_bytes) {
        size_t p = 4 * word;
        svint8_t a = svld1_s8(p < w->k ? some : none, at);
        svint8_t b = svld1_s8(p + 1 < w->k ? some : none, at + w->n);
        svint8_t c = svld1_s8(p + 2 < w->k ? some : none, at + 2 * w->n);
        svint8_t d = svld1_s8(p + 3 < w->k ? some : none, at + 3 * w->n);
        svint8x4_t words = svzip_s8_x4(svcreate4_s8(a, b, c, d));
        svst1_s8(svptrue_b8(), (int8_t *)out, svget4_s8(words, 0));
        low = svdot_s32(low, svget4_s8(words, 0), one);
        if (vectors > 1)
            svst1_s8(svptrue_b8(), (int8_t *)out + svcntb(), svget4_s8(words, 1));
        high = svdot_s32(high, svget4_s8(words, 1), one);
    }
    svst1_s32(svptrue_b32(), out_sums, low);
    svst1_s32(svptrue_b32(), out_sums + svcntw(), high);
}

void sl_qd8_pack_strip_sme2(const struct sl_qd8_strip *strip, size_t from, size_t to, char *out,
                            size_t line_bytes, size_t vectors,
                            int32_t *out_sums) __arm_streaming __arm_inout("za")
{
    const struct sl_weights_qd8 *w = strip->weights;
    const char *rows[SL_QD8_MOST_COLUMNS];
    size_t vl = svcntw(), row_bytes = strip->q4 ? (w->k + 1) / 2 : w->k;
    if (w->transposed && !strip->q4) {
        pack_transposed(strip, from, to, out, line_bytes, vectors, out_sums);
        return;
    }
    sl_qd8_put_rows(rows, (const char *)w->data + strip->first * row_bytes, row_bytes,
                    strip->columns);
    struct sl_qd8_lines lines = {rows, from * (strip->q4 ? 2 : 4), row_bytes, out, line_bytes};
    if (strip->q4) {
        pack_nibbles(&lines, to - from, 4 * to > w->k ? w->k - 4 * (to - 1) : 4, out_sums);
        return;
    }
    sl_qd8_pack_words_sme2(&lines, to - from, out_sums);
    lines.rows += vl;
    lines.out += 4 * vl;
    if (vectors > 1)
        sl_qd8_pack_words_sme2(&lines, to - from, out_sums + vl);
}
