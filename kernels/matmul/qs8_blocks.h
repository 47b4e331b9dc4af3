/* kernels/matmul/qs8_blocks.h: static int8 products and convolutions in NEON registers, blocks of 8
 * rows by 8 columns, for each NEON engine. Internal to the NEON kernels.
 *
 * Packed weights are panels of 8 columns: 8 starts of sums, 8 scales, then the columns' bytes in
 * the engine's order, k filled up with zeros to whole SL_QS8_DEPTH. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/conv/conv_qs8.h"
#include "kernels/matmul/eight_columns.h"
#include "kernels/matmul/matmul_qs8.h"

enum { SL_QS8_MR = 8, SL_QS8_NR = 8, SL_QS8_DEPTH = 16 };

struct sl_qs8_head {
    int32_t start[SL_QS8_NR];
    float scale[SL_QS8_NR];
};

/* Up to SL_QS8_MR rows times all panels. */
struct sl_qs8_rows {
    size_t count, n, depth;        /* depth: whole SL_QS8_DEPTH, at least one */
    const int8_t *rows[SL_QS8_MR]; /* each `depth` bytes; any past `count` are those of the last */
    /* The same for engines that take rows in runs: row r is runs[r * run_count] and those behind
     * it, each of run_bytes, whole SL_QS8_DEPTH. */
    const int8_t *const *runs;
    size_t run_count, run_bytes;
    size_t tail; /* bytes of a row behind its only run, of at least SL_QS8_DEPTH */
    const void *panels;
    int8_t *dst;
    size_t dst_stride;
    struct sl_requant_out out;
    void *scratch; /* as many bytes as the rows, 64-byte aligned */
};

/* The engines differ in these. */
struct sl_qs8_engine {
    size_t weight_bytes; /* of one weight in a panel */
    /* Returns the index of weight (k, column) in a panel. */
    size_t (*place)(size_t k, size_t column);
    void (*run)(const struct sl_qs8_rows *rows);
    bool takes_runs;                   /* else rows[] is where it looks */
    sl_eight_columns_fn eight_columns; /* NULL: one by one */
    /* Computes a product of few columns, or returns false; NULL: never. */
    bool (*narrow)(const struct sl_matmul_qs8_args *args);
};

bool sl_qs8_narrow_i8mm(const struct sl_matmul_qs8_args *args);

/* k filled up to whole SL_QS8_DEPTH; at least one, so that loops over k need no test before them.
 */
size_t sl_qs8_whole(size_t k);
/* Copies of rows, or what the engine makes of them: whole 64 bytes, and some behind the last. */
size_t sl_qs8_rows_bytes(size_t k);

size_t sl_qs8_panels_bytes(const struct sl_qs8_engine *engine, size_t n, size_t k);

/* Weight (k, c) is at c * column_stride + k * k_stride. */
void sl_qs8_pack_panels(const struct sl_qs8_engine *engine, size_t n, size_t k,
                        const int8_t *weights, size_t column_stride, size_t k_stride,
                        const struct sl_requant *requant, void *packed);

size_t sl_qs8_matmul_workspace(size_t k);
void sl_qs8_matmul_run(const struct sl_qs8_engine *engine, const struct sl_matmul_qs8_args *args);

size_t sl_qs8_conv_bytes(const struct sl_qs8_engine *engine, const struct sl_conv_shape *shape);
void sl_qs8_conv_pack(const struct sl_qs8_engine *engine, const struct sl_conv_shape *shape,
                      const int8_t *weights, const struct sl_requant *requant, void *packed);
size_t sl_qs8_conv_workspace(const struct sl_conv_shape *shape);
void sl_qs8_conv_run(const struct sl_qs8_engine *engine, const struct sl_conv_qs8_args *args);
