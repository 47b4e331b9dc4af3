/* kernels/matmul/qd8_rhs_sme2.c: weights to panels, with what stands at their head. */
#include "kernels/matmul/qd8_rhs_sme2.h"

#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/cpu/streaming.h"
#include "kernels/matmul/line_sums_sme2.h"
#include "kernels/matmul/qd8_lines.h"
#include "kernels/matmul/qd8_weights.h"
#include "kernels/pack/pack_columns.h"
#include "kernels/pack/pack_short.h"

const uint32_t sl_qd8_nibbles[16] = {0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff,
                                     0,    1,    2,    3,    4,    5,    6,    7};

/* How panels are cut: most_vl vectors of columns, the last one a multiple of least_vl. */
struct layout {
    size_t most_vl, least_vl;
    bool outer; /* for outer products */
};

struct rhs {
    const struct sl_weights_qd8 *weights;
    struct layout layout;
    bool q4;
    char *packed;
    size_t words, lines; /* of k, in 32 bits or nibbles; of 32 bits, all that are not words */
};

struct panel {
    const struct rhs *rhs;
    size_t first, width;     /* columns */
    size_t line, words_line; /* bytes of a line of 32 bits, and of one of weights */
    char *out;
};

static struct layout layout_of(bool gemv, bool q4, size_t group)
{
    if (gemv)
        return (struct layout){group ? 8 : 16, q4 ? 8 : 4, false};
    return (struct layout){2, q4 ? 2 : 1, true};
}

static size_t width_of(const struct layout *l, size_t left, size_t vl) __arm_streaming_compatible
{
    size_t least = l->least_vl * vl, most = l->most_vl * vl;
    return left >= most ? most : (left + least - 1) / least * least;
}

static struct rhs rhs_of(const struct sl_matmul_qd8 *self, size_t k, size_t group)
{
    struct layout l = layout_of(self->gemv, self->q4, group);
    return (struct rhs){.layout = l,
                        .q4 = self->q4,
                        .words = group ? k / 4 : sl_qd8_words(k),
                        .lines = 2 + (group ? k / group : sl_qd8_corrections(k))};
}

static size_t column_bytes(const struct rhs *rhs) __arm_streaming_compatible
{
    return 4 * rhs->lines + (rhs->q4 ? 2 : 4) * rhs->words;
}

/* Up to two vectors of floats, those from `count` on 0. */
static inline __attribute__((always_inline)) void
put_floats(const float *from, size_t count, size_t vectors,
           char *out) __arm_streaming __arm_inout("za")
{
    svfloat32x2_t x = svld1_f32_x2(svwhilelt_c32_u64(0, from ? count : 0, 2), from);
    if (vectors > 1)
        svst1_f32_x2(svptrue_c32(), (float *)(void *)out, x);
    else
        svst1_f32(svptrue_b32(), (float *)(void *)out, svget2_f32(x, 0));
}

static inline __attribute__((always_inline)) svint32_t pair_of(svint32_t sum) __arm_streaming
{
    svbool_t all = svptrue_b32();
    svint32_t low = svextb_s32_x(all, sum);
    svint32_t high = svsub_s32_x(all, sum, low); /* its lower 8 bits are 0 */
    return svorr_s32_x(all, svand_n_s32_x(all, low, 0xffff), svlsl_n_s32_x(all, high, 8));
}

static inline __attribute__((always_inline)) void
put_sums(const int32_t *sums, size_t vectors, char *out) __arm_streaming __arm_inout("za")
{
    svint32_t low = pair_of(svld1_s32(svptrue_b32(), sums));
    svint32_t high = pair_of(svld1_s32(svptrue_b32(), sums + svcntw()));
    if (vectors > 1)
        svst1_s32_x2(svptrue_c32(), (int32_t *)(void *)out, svcreate2_s32(low, high));
    else
        svst1_s32(svptrue_b32(), (int32_t *)(void *)out, low);
}

static void put_channel_strip(const struct panel *p, const struct sl_qd8_strip *strip, char *out,
                              size_t vectors) __arm_streaming __arm_inout("za")
{
    const struct sl_weights_qd8 *w = strip->weights;
    int32_t sums[SL_QD8_MOST_COLUMNS];
    size_t words = p->rhs->words, lines = p->rhs->lines - 2, offset = (size_t)(out - p->out);
    size_t step = lines > 1 ? SL_QD8_CORRECTION_K / 4 : words;
    char *weights = p->out + (lines + 2) * p->line + (strip->q4 ? offset / 2 : offset);
    for (size_t from = 0; from < words; from += step, out += p->line) {
        size_t to = words - from < step ? words : from + step;
        sl_qd8_pack_strip_sme2(strip, from, to, weights + from * p->words_line, p->words_line,
                               vectors, sums);
        put_sums(sums, vectors, out);
    }
    put_floats((const float *)w->scale + strip->first, strip->columns, vectors, out);
    put_floats(w->bias ? w->bias + strip->first : NULL, strip->columns, vectors, out + p->line);
}

/* The scales of group g of a strip; adds scale times sum to the totals. */
static void put_group(const struct sl_qd8_strip *strip, size_t g, const int32_t *sums, char *out,
                      float *totals) __arm_streaming __arm_inout("za")
{
    float *scales = (float *)(void *)out;
    svbool_t all = svptrue_b32();
    for (size_t j = 0; j < 2 * svcntw(); j++)
        scales[j] = j < strip->columns ? sl_weight_scale(strip->weights, strip->first + j, g) : 0;
    for (size_t j = 0; j < 2 * svcntw(); j += svcntw()) {
        svfloat32_t sum = svcvt_f32_s32_x(all, svld1_s32(all, sums + j));
        svfloat32_t part = svmul_f32_x(all, sum, svld1_f32(all, scales + j));
        svst1_f32(all, totals + j, svadd_f32_x(all, svld1_f32(all, totals + j), part));
    }
}

static void put_group_strip(const struct panel *p, const struct sl_qd8_strip *strip,
                            char *out) __arm_streaming __arm_inout("za")
{
    const struct sl_weights_qd8 *w = strip->weights;
    int32_t sums[SL_QD8_MOST_COLUMNS];
    float totals[SL_QD8_MOST_COLUMNS];
    size_t words = w->group / 4, offset = (size_t)(out - p->out);
    char *at = p->out + 2 * p->line;
    for (size_t j = 0; j < 2 * svcntw(); j++)
        totals[j] = 0;
    for (size_t g = 0; g < w->k / w->group; g++, at += p->line + words * p->words_line) {
        sl_qd8_pack_strip_sme2(strip, g * words, (g + 1) * words, at + p->line + offset / 2,
                               p->words_line, 2, sums);
        put_group(strip, g, sums, at + offset, totals);
    }
    put_floats(totals, 2 * svcntw(), 2, out);
    put_floats(w->bias ? w->bias + strip->first : NULL, strip->columns, 2, out + p->line);
}

static void put_panel(const struct panel *p) __arm_streaming __arm_inout("za")
{
    const struct sl_weights_qd8 *w = p->rhs->weights;
    size_t vl = svcntw();
    for (size_t j = 0; j < p->width; j += 2 * vl) {
        struct sl_qd8_strip strip = {w, p->first + j, 2 * vl, p->rhs->q4};
        if (strip.first >= w->n) /* wholly past the end: any column will do */
            strip.first = w->n - 1;
        if (w->n - strip.first < strip.columns)
            strip.columns = w->n - strip.first;
        if (w->group)
            put_group_strip(p, &strip, p->out + 4 * j);
        else
            put_channel_strip(p, &strip, p->out + 4 * j, p->width - j > vl ? 2 : 1);
    }
}

/* Does the same as the general way, for int8 [n][k] of at most SL_QD8_CORRECTION_K. So many panels
 * have so few weights each that the calls on the general way would cost much. */
static void put_plain_panels(const struct rhs *rhs) __arm_streaming __arm_inout("za")
{
    const struct sl_weights_qd8 *w = rhs->weights;
    const char *rows[SL_QD8_MOST_COLUMNS];
    int32_t sums[SL_QD8_MOST_COLUMNS];
    size_t vl = svcntw(), words = rhs->words, line = 8 * vl;
    char *out = rhs->packed;
    for (size_t first = 0; first < w->n; first += 2 * vl) {
        size_t columns = w->n - first < 2 * vl ? w->n - first : 2 * vl;
        size_t vectors = columns > vl ? 2 : 1;
        line = vectors * 4 * vl;
        struct sl_qd8_lines lines = {rows, 0, w->k, out + 3 * line, line};
        sl_qd8_put_rows(rows, (const char *)w->data + first * w->k, w->k, columns);
        sl_qd8_pack_words_sme2(&lines, words, sums);
        lines.rows += vl;
        lines.out += 4 * vl;
        if (vectors > 1)
            sl_qd8_pack_words_sme2(&lines, words, sums + vl);
        put_sums(sums, vectors, out);
        put_floats((const float *)w->scale + first, columns, vectors, out + line);
        put_floats(w->bias ? w->bias + first : NULL, columns, vectors, out + 2 * line);
        out += (3 + words) * line;
    }
}

/* The same where a vector holds 16 words: all lines at once, then the heads. */
static void put_panels_16(const void *args) __arm_streaming __arm_inout("za")
{
    const struct rhs *rhs = args;
    const struct sl_weights_qd8 *w = rhs->weights;
    const struct sl_pack_columns columns = {w->data, w->k, w->n, 384, rhs->packed};
    size_t words = rhs->words, biases = w->bias ? w->n : 0, end = (w->n + 15) / 16 * 16;
    const float *scale = w->scale, *bias = w->bias;
    char *out = rhs->packed;
    sl_pack_columns_sme2(&columns);
    for (size_t at = 0; at < end; at += 32, out += 128 * (3 + words)) {
        bool narrow = end - at == 16;
        size_t line = narrow ? 64 : 128;
        svcount_t both = svwhilelt_c32_u64(at, end, 2);
        svint32x2_t sums = sums_of_lines((const int8_t *)out + 3 * line, words, narrow);
        svst1_s32_x2(both, (int32_t *)(void *)out,
                     svcreate2_s32(pair_of(svget2_s32(sums, 0)), pair_of(svget2_s32(sums, 1))));
        svst1_f32_x2(both, (float *)(void *)(out + line),
                     svld1_f32_x2(svwhilelt_c32_u64(at, w->n, 2), scale + at));
        svst1_f32_x2(both, (float *)(void *)(out + 2 * line),
                     svld1_f32_x2(svwhilelt_c32_u64(at, biases, 2), bias + at));
    }
}

static void body(const void *args) __arm_streaming __arm_inout("za")
{
    const struct rhs *rhs = args;
    struct panel p = {.rhs = rhs, .out = rhs->packed};
    if (rhs->layout.outer && !rhs->q4 && !rhs->weights->transposed && rhs->lines == 3) {
        put_plain_panels(rhs);
        return;
    }
    for (; p.first < rhs->weights->n; p.first += p.width) {
        p.width = width_of(&rhs->layout, rhs->weights->n - p.first, svcntw());
        p.line = 4 * p.width;
        p.words_line = rhs->q4 ? 2 * p.width : 4 * p.width;
        put_panel(&p);
        p.out += p.width * column_bytes(rhs);
    }
}

size_t sl_qd8_rhs_bytes(const struct sl_matmul_qd8 *self, size_t n, size_t k, size_t group)
{
    struct rhs rhs = rhs_of(self, k, group);
    size_t vl = svcntsw(), most = rhs.layout.most_vl * vl, whole = n / most * most;
    size_t columns = whole + (n > whole ? width_of(&rhs.layout, n - whole, vl) : 0);
    return columns * column_bytes(&rhs);
}

void sl_qd8_pack_rhs(const struct sl_matmul_qd8 *self, const struct sl_weights_qd8 *weights,
                     void *packed)
{
    struct rhs rhs = rhs_of(self, weights->k, weights->group);
    rhs.weights = weights;
    rhs.packed = packed;
    bool columns = svcntsw() == SL_PACK_SHORT_VL && rhs.layout.outer && !rhs.q4 &&
                   !weights->transposed && rhs.lines == 3 && weights->k > 0;
    if (weights->n > 0)
        sl_streaming_run_za(columns ? put_panels_16 : body, &rhs);
}
