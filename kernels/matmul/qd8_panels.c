/* kernels/matmul/qd8_panels.c: packing and the walk over blocks of 8 x 8. */
#include "kernels/matmul/qd8_panels.h"

#include <string.h>

#include "kernels/matmul/qd8_weights.h"

enum { SIDE = SL_QD8_SIDE };

static size_t padded(size_t k)
{
    return (k + SL_QD8_K_STEP - 1) / SL_QD8_K_STEP * SL_QD8_K_STEP;
}

static size_t panel_bytes(const struct sl_matmul_qd8 *self, size_t k, size_t group)
{
    size_t weights = padded(k) * SIDE / (self->q4 ? 2 : 1);
    return sizeof(struct sl_qd8_columns) + weights + (group ? k / group * SIDE * sizeof(float) : 0);
}

size_t sl_qd8_panels_step(void)
{
    return SIDE;
}

size_t sl_qd8_panels_rhs_bytes(const struct sl_matmul_qd8 *self, size_t n, size_t k, size_t group)
{
    return (n + SIDE - 1) / SIDE * panel_bytes(self, k, group);
}

/* Weight p of column j; columns past the last are zeros. */
static int8_t weight(const struct sl_matmul_qd8 *self, const struct sl_weights_qd8 *w, size_t j,
                     size_t p)
{
    if (j >= w->n)
        return 0;
    return self->q4 ? sl_weight_q4(w, j, p) : sl_weight_q8(w, j, p);
}

/* Weights [from, to) of 8 columns; returns what follows them. */
static uint8_t *pack_weights(const struct sl_matmul_qd8 *self, const struct sl_weights_qd8 *w,
                             size_t j0, size_t from, size_t to, uint8_t *out)
{
    const struct sl_qd8_engine *engine = self->engine;
    size_t depth = engine->rhs_depth, count = (to - from) * SIDE;
    for (size_t i = 0; i < count; i++) {
        size_t p = from + i / (SIDE * depth) * depth + i % depth;
        uint8_t value = (uint8_t)weight(self, w, j0 + i / depth % SIDE, p);
        if (!self->q4)
            out[i] = value;
        else if (i % 32 < 16)
            out[i / 32 * 16 + i % 16] = value & 15;
        else
            out[i / 32 * 16 + i % 16] |= (uint8_t)(value << 4);
    }
    return out + (self->q4 ? count / 2 : count);
}

static void pack_columns(const struct sl_matmul_qd8 *self, const struct sl_weights_qd8 *w,
                         size_t j0, struct sl_qd8_columns *out)
{
    *out = (struct sl_qd8_columns){.scale = {0}};
    for (size_t c = 0; c < SIDE && j0 + c < w->n; c++) {
        size_t j = j0 + c, length = w->group ? w->group : w->k;
        int32_t sum = 0;
        float scaled_sum = 0;
        for (size_t p = 0; p < w->k; p++) {
            sum += weight(self, w, j, p);
            if (w->group && (p + 1) % length == 0) {
                float part = (float)sum * sl_weight_scale(w, j, p / length);
                scaled_sum += part; /* apart: not one rounding on some machines, two on others */
                sum = 0;
            }
        }
        if (w->group)
            out->scaled_sum[c] = scaled_sum;
        else
            out->sum[c] = sum;
        out->scale[c] = w->group ? 0 : sl_weight_scale(w, j, 0);
        out->bias[c] = w->bias ? w->bias[j] : 0;
    }
}

void sl_qd8_panels_pack_rhs(const struct sl_matmul_qd8 *self, const struct sl_weights_qd8 *weights,
                            void *packed)
{
    uint8_t *out = packed;
    size_t k = weights->k, group = weights->group;
    for (size_t j0 = 0; j0 < weights->n; j0 += SIDE) {
        pack_columns(self, weights, j0, (struct sl_qd8_columns *)(void *)out);
        out += sizeof(struct sl_qd8_columns);
        if (group == 0)
            out = pack_weights(self, weights, j0, 0, padded(k), out);
        for (size_t g = 0; group > 0 && g < k / group; g++) {
            float *scale = (float *)(void *)out;
            for (size_t c = 0; c < SIDE; c++)
                scale[c] = j0 + c < weights->n ? sl_weight_scale(weights, j0 + c, g) : 0;
            out = pack_weights(self, weights, j0, g * group, (g + 1) * group,
                               out + SIDE * sizeof(float));
        }
    }
}

/* Of eight rows: their parameters and their panel. */
static size_t lhs_bytes(size_t k)
{
    return SIDE * (sizeof(struct sl_row_params) + padded(k));
}

size_t sl_qd8_panels_workspace_bytes(const struct sl_matmul_qd8 *self, size_t m, size_t n, size_t k)
{
    (void)self, (void)n;
    size_t scratch = padded(k) * SIDE; /* rows being packed, then weights decoded */
    return (m + SIDE - 1) / SIDE * lhs_bytes(k) + scratch;
}

/* Where the scratch begins: behind the packed rows. */
static int8_t *scratch_of(size_t m, size_t k, void *workspace)
{
    return (int8_t *)workspace + (m + SIDE - 1) / SIDE * lhs_bytes(k);
}

/* Eight rows of the scratch to one panel; inlined for each depth, so that copies have a fixed size.
 */
static inline __attribute__((always_inline)) void interleave(const int8_t *rows, size_t k,
                                                             size_t depth, int8_t *out)
{
    for (size_t p = 0; p < k; p += depth) {
        for (size_t i = 0; i < SIDE; i++, out += depth)
            memcpy(out, rows + i * k + p, depth);
    }
}

void sl_qd8_panels_pack_lhs(const struct sl_matmul_qd8 *self, size_t m, size_t k,
                            const struct sl_rows *lhs, void *workspace)
{
    const struct sl_qd8_engine *engine = self->engine;
    size_t k_padded = padded(k);
    int8_t *scratch = scratch_of(m, k, workspace);
    if (m > 0)
        memset(scratch, 0, SIDE * k_padded);
    for (size_t i0 = 0; i0 < m; i0 += SIDE) {
        char *panel = (char *)workspace + i0 / SIDE * lhs_bytes(k);
        struct sl_row_params *params = (struct sl_row_params *)(void *)panel;
        for (size_t i = 0; i < SIDE && i0 + i < m; i++) {
            const void *row = sl_rows_at(lhs, i0 + i);
            int8_t *out = scratch + i * k_padded;
            if (lhs->type != SL_ROWS_QD8) {
                engine->quantise_row(k, row, lhs->type, out, &params[i]);
                continue;
            }
            params[i] = lhs->params[i0 + i];
            if (k > 0)
                memcpy(out, row, k);
        }
        if (engine->lhs_depth == 8)
            interleave(scratch, k_padded, 8, (int8_t *)(params + SIDE));
        else
            interleave(scratch, k_padded, 4, (int8_t *)(params + SIDE));
    }
}

/* One block of a product in groups. */
static void run_groups(const struct sl_qd8_engine *engine, const struct sl_qd8_tile *tile,
                       const int8_t *left, const char *panel, const int8_t *right)
{
    size_t group = tile->args->group, step = SIDE * group;
    float sums[SL_QD8_BLOCK];
    int32_t acc[SL_QD8_BLOCK];
    for (size_t i = 0; i < SL_QD8_BLOCK; i++)
        sums[i] = 0;
    for (size_t i = 0; i < tile->rows; i++)
        for (size_t j = 0; j < SIDE; j++)
            sums[i * SIDE + j] = (float)-tile->params[i].zero_point * tile->columns->scaled_sum[j];
    for (size_t p = 0; p < tile->args->k; p += group, left += step, right += step) {
        engine->multiply(tile->rows, group / SL_QD8_K_STEP, left, right, acc);
        engine->fold(tile->rows, acc, (const float *)(const void *)panel, sums);
        panel += SIDE * sizeof(float) + step / 2;
    }
    engine->finish_sums(tile, sums);
}

/* All weights of a panel as int8. */
static const int8_t *decoded(const struct sl_matmul_qd8 *self, size_t k, size_t group,
                             const char *panel, int8_t *scratch)
{
    const struct sl_qd8_engine *engine = self->engine;
    if (!self->q4)
        return (const int8_t *)panel;
    size_t part = group ? group : padded(k), skipped = group ? SIDE * sizeof(float) : 0;
    int8_t *out = scratch;
    for (size_t p = 0; p < k; p += part, out += part * SIDE) {
        panel += skipped;
        engine->decode(part * SIDE / 2, (const uint8_t *)panel, out);
        panel += part * SIDE / 2;
    }
    return scratch;
}

void sl_qd8_panels_run_packed(const struct sl_matmul_qd8 *self,
                              const struct sl_matmul_qd8_args *args)
{
    const struct sl_qd8_engine *engine = self->engine;
    size_t bytes = panel_bytes(self, args->k, args->group);
    size_t steps = padded(args->k) / SL_QD8_K_STEP;
    int8_t *scratch = scratch_of(args->m, args->k, args->workspace);
    int32_t acc[SL_QD8_BLOCK];
    struct sl_qd8_tile tile = {.args = args};
    for (; args->m > 0 && tile.column < args->n; tile.column += SIDE) {
        const char *panel = (const char *)args->rhs + tile.column / SIDE * bytes;
        tile.columns = (const struct sl_qd8_columns *)(const void *)panel;
        panel += sizeof(struct sl_qd8_columns);
        const int8_t *right = decoded(self, args->k, args->group, panel, scratch);
        for (tile.row = 0; tile.row < args->m; tile.row += SIDE) {
            const char *left = (const char *)args->workspace + tile.row / SIDE * lhs_bytes(args->k);
            tile.params = (const struct sl_row_params *)(const void *)left;
            tile.rows = args->m - tile.row < SIDE ? args->m - tile.row : SIDE;
            const int8_t *values = (const int8_t *)(tile.params + SIDE);
            if (args->group > 0) {
                run_groups(engine, &tile, values, panel, right);
                continue;
            }
            if (engine->product && engine->product(&tile, steps, values, right))
                continue;
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
