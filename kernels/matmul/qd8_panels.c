/* kernels/matmul/qd8_panels.c: packing and the walk over blocks of 8 x 8. */
#include "kernels/matmul/qd8_panels.h"

#include <string.h>

#include "kernels/matmul/qd8_weights.h"

enum { SIDE = SL_QD8_SIDE };

static size_t padded(size_t k)
{
    return (k + SL_QD8_K_STEP - 1) / SL_QD8_K_STEP * SL_QD8_K_STEP;
}

static size_t panel_bytes(size_t k, size_t group)
{
    size_t scales = group ? k / group * SIDE * sizeof(float) : 0;
    return sizeof(struct sl_qd8_columns) + scales + padded(k) * SIDE;
}

size_t sl_qd8_panels_step(void)
{
    return SIDE;
}

size_t sl_qd8_panels_rhs_bytes(const struct sl_matmul_qd8 *self, size_t n, size_t k, size_t group)
{
    (void)self;
    return (n + SIDE - 1) / SIDE * panel_bytes(k, group);
}

/* The first `count` of eight rows of `k` to one panel; inlined for each depth, so that copies have
 * a fixed size. */
static inline __attribute__((always_inline)) void interleave(size_t count, const int8_t *rows,
                                                             size_t k, size_t depth, int8_t *out)
{
    for (size_t p = 0; p < k; p += depth, out += SIDE * depth) {
        for (size_t i = 0; i < count; i++)
            memcpy(out + i * depth, rows + i * k + p, depth);
    }
}

static void pack_panel(const int8_t *rows, size_t k, size_t depth, int8_t *out)
{
    if (depth == 8)
        interleave(SIDE, rows, k, 8, out);
    else if (depth == 4)
        interleave(SIDE, rows, k, 4, out);
    else
        interleave(SIDE, rows, k, depth, out);
}

/* A single row, with no others to its panel: what stands in their places is multiplied with it, and
 * not stored. */
static void pack_one(const int8_t *row, size_t k, size_t depth, int8_t *out)
{
    if (depth == 8)
        interleave(1, row, k, 8, out);
    else
        interleave(1, row, k, 4, out);
}

/* Whole pairs of nibbles; inlined, so that a group's usual number of them needs no loop. */
static inline __attribute__((always_inline)) int32_t decode_pairs(const uint8_t *restrict pairs,
                                                                  size_t count,
                                                                  int8_t *restrict out)
{
    int32_t sum = 0;
#pragma clang loop unroll(disable)
    for (size_t i = 0; i < count / 2; i++) {
        out[2 * i] = (int8_t)((pairs[i] & 15) - 8);
        out[2 * i + 1] = (int8_t)((pairs[i] >> 4) - 8);
    }
#pragma clang loop unroll(disable)
    for (size_t i = 0; i < count; i++)
        sum += out[i];
    return sum;
}

/* `count` weights of column j from an even `from` on: zeros where there are none. Their sum. */
static int32_t read_column(const struct sl_matmul_qd8 *self, const struct sl_weights_qd8 *w,
                           size_t j, size_t from, size_t count, int8_t *out)
{
    size_t left = j < w->n && from < w->k ? w->k - from : 0, there = left < count ? left : count;
    const uint8_t *pairs = (const uint8_t *)w->data + j * ((w->k + 1) / 2) + from / 2;
    const int8_t *bytes =
        (const int8_t *)w->data + (w->transposed ? from * w->n + j : j * w->k + from);
    int32_t sum = 0;
    if (self->q4 && there == 32 && count == 32)
        return decode_pairs(pairs, 32, out);
    for (size_t i = 0; self->q4 && i < there / 2; i++) {
        out[2 * i] = (int8_t)((pairs[i] & 15) - 8);
        out[2 * i + 1] = (int8_t)((pairs[i] >> 4) - 8);
    }
    if (self->q4 && there % 2 != 0)
        out[there - 1] = (int8_t)((pairs[there / 2] & 15) - 8);
    if (!self->q4 && !w->transposed && there != 0)
        memcpy(out, bytes, there);
    for (size_t i = 0; !self->q4 && w->transposed && i < there; i++)
        out[i] = bytes[i * w->n];
    memset(out + there, 0, count - there);
    for (size_t i = 0; i < count; i++)
        sum += out[i];
    return sum;
}

/* Weights [from, to) of 8 columns, adding to their sums; returns what follows them. */
static uint8_t *pack_weights(const struct sl_matmul_qd8 *self, const struct sl_weights_qd8 *w,
                             size_t j0, size_t from, size_t to, int32_t sums[SIDE], uint8_t *out)
{
    enum { CHUNK = 256 }; /* a multiple of what k is padded to */
    const struct sl_qd8_engine *engine = self->engine;
    int8_t rows[SIDE * CHUNK];
    for (size_t p = from; p < to; p += CHUNK) {
        size_t count = to - p < CHUNK ? to - p : CHUNK;
        for (size_t c = 0; c < SIDE; c++)
            sums[c] += read_column(self, w, j0 + c, p, count, rows + c * count);
        pack_panel(rows, count, engine->rhs_depth, (int8_t *)out);
        out += SIDE * count;
    }
    return out;
}

/* All weights of 8 columns that have a scale each. */
static uint8_t *pack_channels(const struct sl_matmul_qd8 *self, const struct sl_weights_qd8 *w,
                              size_t j0, int32_t sums[SIDE], uint8_t *out)
{
    const struct sl_qd8_engine *engine = self->engine;
    const int8_t *columns = (const int8_t *)w->data + j0 * w->k;
    size_t done = 0;
    if (engine->eight_columns && !self->q4 && !w->transposed && j0 + SIDE <= w->n)
        done = engine->eight_columns(columns, w->k, w->k, (int8_t *)out, sums);
    return pack_weights(self, w, j0, done, padded(w->k), sums, out + SIDE * done);
}

/* A group's weights and scales; the sums of columns add up. */
static uint8_t *pack_group(const struct sl_matmul_qd8 *self, const struct sl_weights_qd8 *w,
                           size_t j0, size_t g, struct sl_qd8_columns *columns, float *scale,
                           uint8_t *out)
{
    int32_t sums[SIDE] = {0};
    out = pack_weights(self, w, j0, g * w->group, (g + 1) * w->group, sums, out);
    for (size_t c = 0; c < SIDE; c++) {
        scale[c] = j0 + c < w->n ? sl_weight_scale(w, j0 + c, g) : 0;
        float part = (float)sums[c] * scale[c];
        columns->scaled_sum[c] +=
            part; /* apart: not one rounding on some machines, two on others */
    }
    return out;
}

void sl_qd8_panels_pack_rhs(const struct sl_matmul_qd8 *self, const struct sl_weights_qd8 *weights,
                            void *packed)
{
    uint8_t *out = packed;
    size_t k = weights->k, group = weights->group, n = weights->n;
    for (size_t j0 = 0; j0 < n; j0 += SIDE) {
        struct sl_qd8_columns columns = {.scale = {0}};
        uint8_t *head = out;
        for (size_t c = 0; c < SIDE && j0 + c < n; c++) {
            columns.scale[c] = group ? 0 : sl_weight_scale(weights, j0 + c, 0);
            columns.bias[c] = weights->bias ? weights->bias[j0 + c] : 0;
        }
        out += sizeof(columns);
        float *scales = (float *)(void *)out;
        if (group == 0)
            out = pack_channels(self, weights, j0, columns.sum, out);
        else
            out += k / group * SIDE * sizeof(float);
        for (size_t g = 0; group > 0 && g < k / group; g++)
            out = pack_group(self, weights, j0, g, &columns, scales + g * SIDE, out);
        memcpy(head, &columns, sizeof(columns));
    }
}

/* Eight rows need their parameters and their panel. */
static size_t lhs_bytes(size_t k)
{
    return SIDE * (sizeof(struct sl_row_params) + padded(k));
}

size_t sl_qd8_panels_workspace_bytes(const struct sl_matmul_qd8 *self, size_t m, size_t n, size_t k)
{
    (void)self, (void)n;
    size_t scratch = padded(k) * SIDE; /* rows being packed */
    return (m + SIDE - 1) / SIDE * lhs_bytes(k) + scratch;
}

/* Returns the scratch memory, which follows the packed rows. */
static int8_t *scratch_of(size_t m, size_t k, void *workspace)
{
    return (int8_t *)workspace + (m + SIDE - 1) / SIDE * lhs_bytes(k);
}

/* Up to eight rows by way of the scratch. */
static void pack_rows(const struct sl_qd8_engine *engine, size_t m, size_t k,
                      const struct sl_rows *lhs, size_t first, int8_t *scratch,
                      struct sl_row_params *params)
{
    size_t k_padded = padded(k);
    for (size_t i = 0; i < SIDE && first + i < m; i++) {
        const void *row = sl_rows_at(lhs, first + i);
        int8_t *out = scratch + i * k_padded;
        if (lhs->type != SL_ROWS_QD8) {
            engine->quantise_row(k, row, lhs->type, out, &params[i]);
            continue;
        }
        params[i] = lhs->params[first + i];
        if (k > 0)
            memcpy(out, row, k);
    }
    if (m == 1)
        pack_one(scratch, k_padded, engine->lhs_depth, (int8_t *)(params + SIDE));
    else
        pack_panel(scratch, k_padded, engine->lhs_depth, (int8_t *)(params + SIDE));
}

/* The same, each row straight to its place. */
static void pack_in_place(const struct sl_qd8_engine *engine, size_t m, size_t k,
                          const struct sl_rows *lhs, size_t first, struct sl_row_params *params)
{
    int8_t *out = (int8_t *)(params + SIDE);
    for (size_t i = 0; i < SIDE && first + i < m; i++, out += engine->lhs_depth) {
        if (lhs->type == SL_ROWS_QD8)
            params[i] = lhs->params[first + i];
        engine->pack_row(k, sl_rows_at(lhs, first + i), lhs->type, out, &params[i]);
    }
}

void sl_qd8_panels_pack_lhs(const struct sl_matmul_qd8 *self, size_t m, size_t k,
                            const struct sl_rows *lhs, void *workspace)
{
    const struct sl_qd8_engine *engine = self->engine;
    int8_t *scratch = scratch_of(m, k, workspace);
    if (m > 0 && !engine->pack_row)
        memset(scratch, 0, (m == 1 ? 1 : SIDE) * padded(k));
    for (size_t i0 = 0; i0 < m; i0 += SIDE) {
        char *panel = (char *)workspace + i0 / SIDE * lhs_bytes(k);
        struct sl_row_params *params = (struct sl_row_params *)(void *)panel;
        if (engine->pack_row)
            pack_in_place(engine, m, k, lhs, i0, params);
        else
            pack_rows(engine, m, k, lhs, i0, scratch, params);
    }
}

/* One block of a product in groups; their scales are [k / group][8]. */
static void run_groups(const struct sl_qd8_engine *engine, const struct sl_qd8_tile *tile,
                       const int8_t *left, const float *scales, const int8_t *right)
{
    size_t group = tile->args->group, step = SIDE * group;
    float sums[SL_QD8_BLOCK];
    int32_t acc[SL_QD8_BLOCK];
    if (engine->product_groups) {
        engine->product_groups(tile, left, right, scales);
        return;
    }
    for (size_t i = 0; i < SL_QD8_BLOCK; i++)
        sums[i] = 0;
    for (size_t i = 0; i < tile->rows; i++)
        for (size_t j = 0; j < SIDE; j++)
            sums[i * SIDE + j] = (float)-tile->params[i].zero_point * tile->columns->scaled_sum[j];
    for (size_t p = 0; p < tile->args->k; p += group, left += step, right += step, scales += SIDE) {
        engine->multiply(tile->rows, group / SL_QD8_K_STEP, left, right, acc);
        engine->fold(tile->rows, acc, scales, sums);
    }
    engine->finish_sums(tile, sums);
}

void sl_qd8_panels_run_packed(const struct sl_matmul_qd8 *self,
                              const struct sl_matmul_qd8_args *args)
{
    const struct sl_qd8_engine *engine = self->engine;
    size_t bytes = panel_bytes(args->k, args->group);
    size_t steps = padded(args->k) / SL_QD8_K_STEP;
    size_t scales = args->group ? args->k / args->group * SIDE : 0;
    int32_t acc[SL_QD8_BLOCK];
    struct sl_qd8_tile tile = {.args = args};
    for (; args->m > 0 && tile.column < args->n; tile.column += SIDE) {
        const char *panel = (const char *)args->rhs + tile.column / SIDE * bytes;
        tile.columns = (const struct sl_qd8_columns *)(const void *)panel;
        const float *scale = (const float *)(const void *)(tile.columns + 1);
        const int8_t *right = (const int8_t *)(scale + scales);
        if (args->group == 0 && engine->run_panel) {
            tile.row = 0;
            engine->run_panel(&tile, steps, args->workspace, lhs_bytes(args->k), right);
            continue;
        }
        for (tile.row = 0; tile.row < args->m; tile.row += SIDE) {
            const char *left = (const char *)args->workspace + tile.row / SIDE * lhs_bytes(args->k);
            tile.params = (const struct sl_row_params *)(const void *)left;
            tile.rows = args->m - tile.row < SIDE ? args->m - tile.row : SIDE;
            const int8_t *values = (const int8_t *)(tile.params + SIDE);
            if (args->group > 0) {
                run_groups(engine, &tile, values, scale, right);
                continue;
            }
            engine->multiply(tile.rows, steps, values, right, acc);
            engine->finish(&tile, acc);
        }
    }
}

void sl_qd8_panels_run(const struct sl_matmul_qd8 *self, const struct sl_matmul_qd8_args *args)
{
    sl_qd8_panels_pack_lhs(self, args->m, args->k, &args->lhs, args->workspace);
    sl_qd8_panels_run_packed(self, args);
}
