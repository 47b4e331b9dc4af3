/* kernels/pack/pack_columns_sme2.c: weights of any type into panels of columns. */
#include "kernels/pack/pack_columns.h"

#include "kernels/pack/pack_short_sme2.h"
#include "kernels/pack/pack_x8.h"

enum { PANEL = 2 * SL_PACK_SHORT_VL, LINE_BYTES = 4 * PANEL };

/* The distances that all panels share: bytes from a load to the next three and to the next tile. */
struct walk {
    size_t bytes, steps[4];
};

/* Lines first to first + 3 of `words`: one vector of either tile. */
INLINE void put_lines(size_t first, size_t words, svuint8x4_t left, svuint8x4_t right,
                      uint8_t *out) __arm_streaming {
#define PUT(i)                                                                                     \
    if (first + (i) < words) {                                                                     \
        svst1_vnum_u8(svptrue_b8(), out, 2 * (int64_t)(first + (i)), svget4_u8(left, i));          \
        svst1_vnum_u8(svptrue_b8(), out, 2 * (int64_t)(first + (i)) + 1, svget4_u8(right, i));     \
    }
    PUT(0) PUT(1) PUT(2) PUT(3)
#undef PUT
}

/* Panels of rows of up to four words, while more than 16 columns are left. */
INLINE void few_panels(size_t words, const struct sl_pack_columns *job,
                       const struct walk *w) __arm_streaming
{
    const uint8_t *at = job->weights;
    uint8_t *out = (uint8_t *)job->packed + job->head_bytes;
    svuint8_t source = source_of(words < 3 ? words : 4, w->bytes, 0);
    size_t left = job->n, step = w->steps[0], end = PANEL * w->bytes;
#define SOME(i) svwhilelt_b8_u64((i) * step, end)
    svbool_t p0 = SOME(0), p1 = SOME(1), p2 = SOME(2), p3 = SOME(3);
    svbool_t p4 = SOME(4), p5 = SOME(5), p6 = SOME(6), p7 = SOME(7);
    for (; left > SL_PACK_SHORT_VL;
         at += PANEL * w->bytes, out += job->head_bytes + words * LINE_BYTES) {
        if (left < PANEL) {
            end = left * w->bytes;
            p0 = SOME(0), p1 = SOME(1), p2 = SOME(2), p3 = SOME(3);
            p4 = SOME(4), p5 = SOME(5), p6 = SOME(6), p7 = SOME(7);
        }
        left -= left < PANEL ? left : PANEL;
        svuint8x4_t a = few_words(words, at, w->steps, p0, p1, p2, p3, source);
        if (words == 1)
            put_lines(
                0, 1, a,
                svcreate4_u8(svget4_u8(a, 1), svget4_u8(a, 1), svget4_u8(a, 1), svget4_u8(a, 1)),
                out);
        else if (words == 2)
            put_lines(
                0, 2, a,
                svcreate4_u8(svget4_u8(a, 2), svget4_u8(a, 3), svget4_u8(a, 2), svget4_u8(a, 3)),
                out);
        else
            put_lines(0, words, a,
                      few_words(words, at + w->steps[3], w->steps, p4, p5, p6, p7, source), out);
    }
#undef SOME
}

/* A panel of rows of five to eight words, by c0 to c7. */
INLINE void one_of_more(size_t words, const struct walk *w, const uint8_t *at, svuint8_t low,
                        svuint8_t high, svcount_t c0, svcount_t c1, svcount_t c2, svcount_t c3,
                        svcount_t c4, svcount_t c5, svcount_t c6, svcount_t c7,
                        uint8_t *out) __arm_streaming
{
    const uint8_t *next = at + w->steps[3];
    svuint8x4_t a = more_words(at, w->steps, c0, c1, c2, c3, low);
    svuint8x4_t b = more_words(at, w->steps, c0, c1, c2, c3, high);
    svuint8x4_t d = more_words(next, w->steps, c4, c5, c6, c7, low);
    svuint8x4_t e = more_words(next, w->steps, c4, c5, c6, c7, high);
    put_lines(0, words, a, d, out);
    put_lines(4, words, b, e, out);
}

/* The same of five to eight words. */
INLINE void more_panels(size_t words, const struct sl_pack_columns *job,
                        const struct walk *w) __arm_streaming
{
    const uint8_t *at = job->weights;
    uint8_t *out = (uint8_t *)job->packed + job->head_bytes;
    svuint8_t low = source_of(4, w->bytes, 0), high = source_of(4, w->bytes, 4);
    size_t left = job->n, step = w->steps[0], panel = job->head_bytes + words * LINE_BYTES;
    svcount_t c = svwhilelt_c8_u64(0, step, 2);
    for (; left >= PANEL; left -= PANEL, at += PANEL * w->bytes, out += panel)
        one_of_more(words, w, at, low, high, c, c, c, c, c, c, c, c, out);
    if (left <= SL_PACK_SHORT_VL)
        return;
    size_t end = left * w->bytes;
#define SOME(i) svwhilelt_c8_u64((i) * step, end, 2)
    one_of_more(words, w, at, low, high, SOME(0), SOME(1), SOME(2), SOME(3), SOME(4), SOME(5),
                SOME(6), SOME(7), out);
#undef SOME
}

/* Panels of rows of up to eight words. */
static void pack_short_panels(const struct sl_pack_columns *job, size_t words) __arm_streaming
{
    size_t bytes = job->row_bytes, step = rows_of_load(words) * bytes;
    struct walk w = {bytes, {step, 2 * step, 3 * step, 16 * bytes}};
    KEPT(w.steps[0]);
    KEPT(w.steps[1]);
    KEPT(w.steps[2]);
    KEPT(w.steps[3]);
    switch (words) {
    case 1:
        few_panels(1, job, &w);
        break;
    case 2:
        few_panels(2, job, &w);
        break;
    case 3:
        few_panels(3, job, &w);
        break;
    case 4:
        few_panels(4, job, &w);
        break;
    case 5:
        more_panels(5, job, &w);
        break;
    case 6:
        more_panels(6, job, &w);
        break;
    case 7:
        more_panels(7, job, &w);
        break;
    default:
        more_panels(8, job, &w);
        break;
    }
}

/* Up to 16 columns, which need no more than a panel of 16. */
static void narrow_panel(const void *rows, size_t bytes, size_t count,
                         void *packed) __arm_streaming __arm_inout("za")
{
    const struct sl_pack_short few = {rows, bytes, bytes, count, packed};
    const struct sl_pack_lhs_x8 any = {rows, bytes, count, bytes, packed};
    if (bytes <= SL_PACK_VECTOR_BYTES)
        sl_pack_short_sme2(&few);
    else
        sl_pack_x8_16_sme2_asm(&any);
}

void sl_pack_columns_sme2(const struct sl_pack_columns *job) __arm_streaming __arm_inout("za")
{
    size_t bytes = job->row_bytes, words = (bytes + 3) / 4, left = job->n % PANEL;
    left = left > SL_PACK_SHORT_VL ? 0 : left;
    if (bytes <= SL_PACK_SHORT_BYTES) {
        pack_short_panels(job, words);
    } else if (job->n > left) {
        struct sl_pack_columns whole = *job;
        whole.n -= left;
        sl_pack_columns_16_sme2_asm(&whole);
    }
    if (left == 0)
        return;
    const uint8_t *rows = (const uint8_t *)job->weights + (job->n - left) * bytes;
    uint8_t *out =
        (uint8_t *)job->packed + (job->n - left) / PANEL * (job->head_bytes + words * LINE_BYTES);
    narrow_panel(rows, bytes, left, out + job->head_bytes / 2);
}
