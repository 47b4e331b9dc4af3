/* kernels/matmul/qd8_panels.h: the dynamic int8 product by blocks of 8 x 8 in ordinary registers:
 * one walk for portable C and NEON, which differ in the steps below. Internal to these kernels.
 *
 * k is padded with zeros to a multiple of 16. Left: for each 8 rows their parameters, then int8
 * [k / lhs_depth][8][lhs_depth]. Right: for each 8 columns a struct sl_qd8_columns, in groups their
 * scales float [k / group][8], then int8 [k / rhs_depth][8][rhs_depth], of int4 weights too: they
 * are unpacked once, at load. */
#pragma once

#include "kernels/convert/quantise_rows.h"
#include "kernels/matmul/eight_columns.h"
#include "kernels/matmul/matmul_qd8.h"

enum { SL_QD8_SIDE = 8, SL_QD8_BLOCK = 64, SL_QD8_K_STEP = 16 };

struct sl_qd8_columns {
    union {
        int32_t sum[SL_QD8_SIDE];      /* of the weights over k */
        float scaled_sum[SL_QD8_SIDE]; /* in groups: of scale times sum */
    };
    float scale[SL_QD8_SIDE]; /* in groups: not read */
    float bias[SL_QD8_SIDE];
};

/* The arguments that finish a block: up to 8 x 8 of the output. */
struct sl_qd8_tile {
    const struct sl_matmul_qd8_args *args;
    const struct sl_row_params *params; /* [8] */
    const struct sl_qd8_columns *columns;
    size_t row, column; /* of the output, the first */
    size_t rows;        /* 1 to 8; columns end with the output */
};

struct sl_qd8_engine {
    size_t lhs_depth, rhs_depth; /* consecutive k in a panel; the left is 4 or 8, the right 1 too */
    sl_eight_columns_fn eight_columns; /* NULL: by rows of a few */
    sl_quantise_row_fn quantise_row;
    /* The same, or a copy of int8 with `out_params`, to the row's place in a panel of eight: k
     * whole sixteens. NULL: by quantise_row() and memory between. */
    sl_quantise_row_fn pack_row;
    /* acc[8][8] = left * right over `steps` sixteens of k; at least the first `rows` rows. */
    void (*multiply)(size_t rows, size_t steps, const int8_t *left, const int8_t *right,
                     int32_t *acc);
    /* sums[i][j] = fma(acc[i][j], scale[j], sums[i][j]) for the first rows. */
    void (*fold)(size_t rows, const int32_t *acc, const float *scale, float *sums);
    /* multiply() and finish() in one, all rows of a panel of columns; may be NULL. `first` is its
     * first tile, `left` that tile's parameters; the next ones' are left_bytes further each. */
    void (*run_panel)(const struct sl_qd8_tile *first, size_t steps, const char *left,
                      size_t left_bytes, const int8_t *right);
    /* A tile of a product in groups, whose scales are [k / group][8]; may be NULL. */
    void (*product_groups)(const struct sl_qd8_tile *tile, const int8_t *left, const int8_t *right,
                           const float *scales);
    /* A tile's sums to its output; not called where run_panel() is. */
    void (*finish)(const struct sl_qd8_tile *tile, const int32_t *acc);
    void (*finish_sums)(const struct sl_qd8_tile *tile, const float *sums);
};

extern const struct sl_qd8_engine sl_qd8_engine_scalar;

size_t sl_qd8_panels_step(void);
size_t sl_qd8_panels_rhs_bytes(const struct sl_matmul_qd8 *self, size_t n, size_t k, size_t group);
void sl_qd8_panels_pack_rhs(const struct sl_matmul_qd8 *self, const struct sl_weights_qd8 *weights,
                            void *packed);
size_t sl_qd8_panels_workspace_bytes(const struct sl_matmul_qd8 *self, size_t m, size_t n,
                                     size_t k);
void sl_qd8_panels_pack_lhs(const struct sl_matmul_qd8 *self, size_t m, size_t k,
                            const struct sl_rows *lhs, void *workspace);
void sl_qd8_panels_run_packed(const struct sl_matmul_qd8 *self,
                              const struct sl_matmul_qd8_args *args);
void sl_qd8_panels_run(const struct sl_matmul_qd8 *self, const struct sl_matmul_qd8_args *args);

/* The kernel of an engine. */
#define SL_QD8_KERNEL(kernel, isa, is_q4, engine_name)                                             \
    const struct sl_matmul_qd8 kernel = {                                                          \
        .name = #kernel,                                                                           \
        .needs = isa,                                                                              \
        .q4 = is_q4,                                                                               \
        .engine = &engine_name,                                                                    \
        .m_step = sl_qd8_panels_step,                                                              \
        .n_step = sl_qd8_panels_step,                                                              \
        .rhs_bytes = sl_qd8_panels_rhs_bytes,                                                      \
        .pack_rhs = sl_qd8_panels_pack_rhs,                                                        \
        .workspace_bytes = sl_qd8_panels_workspace_bytes,                                          \
        .pack_lhs = sl_qd8_panels_pack_lhs,                                                        \
        .run_packed = sl_qd8_panels_run_packed,                                                    \
        .run = sl_qd8_panels_run,                                                                  \
    }
