/* kernels/matmul/qd8_rhs_sme2.c: weights to panels, with what stands at their head. */
#include "kernels/matmul/qd8_rhs.h"

#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/cpu/streaming.h"
#include "kernels/matmul/matmul_mopa.h"
#include "kernels/matmul/qd8_lines.h"
#include "kernels/matmul/qd8_weights.h"

const uint32_t sl_qd8_nibbles[16] = {0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff,
                                     0,    1,    2,    3,    4,    5,    6,    7};

/* How panels are cut: most_vl vectors of columns, the last one a multiple of least_vl. */
struct layout {
    size_t most_vl, least_vl;
    bool pairs; /* sums as corrections for outer products */
};

struct rhs {
    const struct sl_weights_qd8 *weights;
    struct layout layout;
    bool q4;
    char *packed;
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
    size_t width = (left + least - 1) / least * least;
    return width < most ? width : most;
}

/* Of a column of a panel. */
static size_t column_bytes(size_t k, size_t group, bool q4, bool pairs) __arm_streaming_compatible
{
    size_t words = (group ? k / 4 : sl_qd8_words(k)) * (q4 ? 2 : 4);
    size_t lines = group ? 2 + k / group : (pairs ? sl_qd8_corrections(k) : 1) + 2;
    return 4 * lines + words;
}

static size_t bytes_of(const struct layout *l, size_t n, size_t k, size_t group, bool q4)
{
    size_t vl = svcntsw(), most = l->most_vl * vl, whole = n / most * most;
    size_t columns = whole + (n > whole ? width_of(l, n - whole, vl) : 0);
    return columns * column_bytes(k, group, q4, l->pairs);
}

/* Up to two vectors of floats, those from `count` on 0. */
static void put_floats(const float *from, size_t count, size_t vectors, float added,
                       char *out) __arm_streaming __arm_inout("za")
{
    for (size_t v = 0; v < vectors; v++) {
        svbool_t some = svwhilelt_b32_u64(v * svcntw(), from ? count : 0);
        svfloat32_t x = svld1_f32(some, from + v * svcntw());
        svst1_f32(svptrue_b32(), (float *)(void *)out + v * svcntw(),
                  svadd_n_f32_x(svptrue_b32(), x, added));
    }
}

static void put_sums(const int32_t *sums, bool pairs, size_t vectors,
                     char *out) __arm_streaming __arm_inout("za")
{
    svbool_t all = svptrue_b32();
    for (size_t v = 0; v < vectors; v++) {
        svint32_t sum = svld1_s32(all, sums + v * svcntw()), low = svextb_s32_x(all, sum);
        svint32_t high = svasr_n_s32_x(all, svsub_s32_x(all, sum, low), 8);
        svint32_t pair =
            svorr_s32_x(all, svand_n_s32_x(all, low, 0xffff), svlsl_n_s32_x(all, high, 16));
        svst1_s32(all, (int32_t *)(void *)out + v * svcntw(), pairs ? pair : sum);
    }
}

static void put_channel_strip(const struct panel *p, const struct sl_qd8_strip *strip, char *out,
                              size_t vectors) __arm_streaming __arm_inout("za")
{
    const struct sl_weights_qd8 *w = strip->weights;
    int32_t sums[SL_QD8_MOST_COLUMNS];
    bool pairs = p->rhs->layout.pairs;
    size_t words = sl_qd8_words(w->k), lines = pairs ? sl_qd8_corrections(w->k) : 1;
    size_t step = lines > 1 ? SL_QD8_CORRECTION_K / 4 : words;
    char *weights = p->out + (lines + 2) * p->line + (size_t)(out - p->out) / (strip->q4 ? 2 : 1);
    for (size_t from = 0; from < words; from += step, out += p->line) {
        size_t to = words - from < step ? words : from + step;
        sl_qd8_pack_strip_sme2(strip, from, to, weights + from * p->words_line, p->words_line,
                               vectors, sums);
        put_sums(sums, pairs, vectors, out);
    }
    put_floats((const float *)w->scale + strip->first, strip->columns, vectors, 0, out);
    put_floats(w->bias ? w->bias + strip->first : NULL, strip->columns, vectors, sl_bias_error,
               out + p->line);
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
    put_floats(totals, 2 * svcntw(), 2, 0, out);
    put_floats(w->bias ? w->bias + strip->first : NULL, strip->columns, 2, sl_bias_error,
               out + p->line);
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

static void body(const void *args) __arm_streaming __arm_inout("za")
{
    const struct rhs *rhs = args;
    const struct sl_weights_qd8 *w = rhs->weights;
    const struct layout *l = &rhs->layout;
    struct panel p = {.rhs = rhs, .out = rhs->packed};
    for (; p.first < w->n; p.first += p.width) {
        p.width = width_of(l, w->n - p.first, svcntw());
        p.line = 4 * p.width;
        p.words_line = rhs->q4 ? 2 * p.width : 4 * p.width;
        put_panel(&p);
        p.out += p.width * column_bytes(w->k, w->group, rhs->q4, l->pairs);
    }
}

size_t sl_qd8_rhs_bytes(const struct sl_matmul_qd8 *self, size_t n, size_t k, size_t group)
{
    struct layout l = layout_of(self->gemv, self->q4, group);
    return bytes_of(&l, n, k, group, self->q4);
}

void sl_qd8_pack_rhs(const struct sl_matmul_qd8 *self, const struct sl_weights_qd8 *weights,
                     void *packed)
{
    struct rhs rhs = {weights, layout_of(self->gemv, self->q4, weights->group), self->q4, packed};
    sl_streaming_run_za(body, &rhs);
}
