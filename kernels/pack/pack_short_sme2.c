/* kernels/pack/pack_short_sme2.c: short rows of the left operand. */
#include "kernels/pack/pack_short_sme2.h"

/* Rows of one word, two, or up to 4 (`words` is 4 then): a turn is four loads and one store. */
INLINE void few(size_t words, const struct sl_pack_short *job) __arm_streaming __arm_inout("za")
{
    size_t bytes = job->bytes, rows = 4 * rows_of_load(words), left = job->count;
    size_t line_bytes = words < 4 ? 256 : 64 * ((bytes + 3) / 4), step = rows / 4 * bytes;
    size_t steps[] = {step, 2 * step, 3 * step};
    const uint8_t *at = job->rows;
    uint8_t *out = job->packed;
    svuint8_t source = source_of(words, bytes, 0);
    svbool_t p = svwhilelt_b8_u64(0, step);
    svcount_t some = svwhilelt_c8_u64(0, line_bytes, 4);
    KEPT(steps[0]);
    KEPT(steps[1]);
    KEPT(steps[2]);
    for (; left >= rows; left -= rows, at += rows * bytes, out += line_bytes)
        svst1_u8_x4(some, out, few_words(words, at, steps, p, p, p, p, source));
    if (left == 0)
        return;
    size_t end = left * bytes, tiles = (left + 15) / 16;
    svbool_t p0 = svwhilelt_b8_u64(0, end), p1 = svwhilelt_b8_u64(steps[0], end);
    svbool_t p2 = svwhilelt_b8_u64(steps[1], end), p3 = svwhilelt_b8_u64(steps[2], end);
    some = svwhilelt_c8_u64(0, words < 4 ? 64 * words * tiles : line_bytes, 4);
    svst1_u8_x4(some, out, few_words(words, at, steps, p0, p1, p2, p3, source));
}

/* Rows of 5 to 8 words: a turn is a tile. */
static void more(const struct sl_pack_short *job) __arm_streaming __arm_inout("za")
{
    size_t bytes = job->bytes, left = job->count, step = 4 * bytes;
    size_t line_bytes = 64 * ((bytes + 3) / 4);
    size_t steps[] = {step, 2 * step, 3 * step};
    const uint8_t *at = job->rows;
    uint8_t *out = job->packed;
    svuint8_t low = source_of(4, bytes, 0), high = source_of(4, bytes, 4);
    svcount_t c = svwhilelt_c8_u64(0, step, 2), all = svptrue_c8();
    svcount_t some = svwhilelt_c8_u64(0, line_bytes - 256, 4);
    KEPT(steps[0]);
    KEPT(steps[1]);
    KEPT(steps[2]);
    for (; left >= 16; left -= 16, at += 16 * bytes, out += line_bytes) {
        svuint8x4_t a = more_words(at, steps, c, c, c, c, low);
        svuint8x4_t b = more_words(at, steps, c, c, c, c, high);
        svst1_u8_x4(all, out, a);
        svst1_vnum_u8_x4(some, out, 4, b);
    }
    if (left == 0)
        return;
    size_t end = left * bytes;
    svcount_t c0 = svwhilelt_c8_u64(0, end, 2), c1 = svwhilelt_c8_u64(steps[0], end, 2);
    svcount_t c2 = svwhilelt_c8_u64(steps[1], end, 2), c3 = svwhilelt_c8_u64(steps[2], end, 2);
    svuint8x4_t a = more_words(at, steps, c0, c1, c2, c3, low);
    svuint8x4_t b = more_words(at, steps, c0, c1, c2, c3, high);
    svst1_u8_x4(all, out, a);
    svst1_vnum_u8_x4(some, out, 4, b);
}

void sl_pack_short_sme2(const struct sl_pack_short *job) __arm_streaming __arm_inout("za")
{
    if (job->stride != job->bytes || job->bytes > SL_PACK_SHORT_BYTES)
        sl_pack_rows_16_sme2_asm(job);
    else if (job->bytes > 16)
        more(job);
    else if (job->bytes > 8)
        few(4, job);
    else if (job->bytes > 4)
        few(2, job);
    else
        few(1, job);
}
