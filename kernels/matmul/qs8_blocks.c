/* kernels/matmul/qs8_blocks.c: what the NEON engines of static int8 share: panels, and rows found
 * in matrices and images. */
#include "kernels/matmul/qs8_blocks.h"

#include <string.h>

size_t sl_qs8_whole(size_t k)
{
    if (k == 0)
        return SL_QS8_DEPTH;
    return (k + SL_QS8_DEPTH - 1) / SL_QS8_DEPTH * SL_QS8_DEPTH;
}

static size_t panel_bytes(const struct sl_qs8_engine *engine, size_t k)
{
    return sizeof(struct sl_qs8_head) + SL_QS8_NR * sl_qs8_whole(k) * engine->weight_bytes;
}

size_t sl_qs8_panels_bytes(const struct sl_qs8_engine *engine, size_t n, size_t k)
{
    return (n + SL_QS8_NR - 1) / SL_QS8_NR * panel_bytes(engine, k);
}

/* How many k of a column follow each other in a panel; 1 where weights are widened. */
static size_t depth_of(const struct sl_qs8_engine *engine)
{
    size_t depth = 1;
    while (engine->weight_bytes == 1 && depth < 8 && engine->place(depth, 0) == depth)
        depth++;
    return depth;
}

/* One column's weights, which lie side by side, a whole `depth` at a time; inlined for each depth,
 * so that copies have a fixed size. Returns how many. */
static inline __attribute__((always_inline)) size_t spread(const int8_t *column, size_t k,
                                                           size_t depth, int8_t *out)
{
    size_t p = 0;
    for (; p + depth <= k; p += depth, out += SL_QS8_NR * depth)
        memcpy(out, column + p, depth);
    return p;
}

static int32_t sum_of(const int8_t *column, size_t k)
{
    int32_t sum = 0;
    for (size_t p = 0; p < k; p++)
        sum += column[p];
    return sum;
}

/* From k `from` on. Returns the sum of these. */
static int32_t pack_column(const struct sl_qs8_engine *engine, size_t depth, size_t from, size_t k,
                           const int8_t *column, size_t k_stride, size_t c, void *out)
{
    int8_t *narrow = out;
    int16_t *wide = out;
    int32_t sum = 0;
    size_t p = from;
    if (k_stride == 1 && depth == 8)
        p += spread(column + from, k - from, 8, narrow + engine->place(from, c));
    else if (k_stride == 1 && depth == 4)
        p += spread(column + from, k - from, 4, narrow + engine->place(from, c));
    sum = sum_of(column + from, p - from);
    for (; p < k; p++) {
        int8_t w = column[p * k_stride];
        if (engine->weight_bytes == 1)
            narrow[engine->place(p, c)] = w;
        else
            wide[engine->place(p, c)] = w;
        sum += w;
    }
    return sum;
}

void sl_qs8_pack_panels(const struct sl_qs8_engine *engine, size_t n, size_t k,
                        const int8_t *weights, size_t column_stride, size_t k_stride,
                        const struct sl_requant *requant, void *packed)
{
    size_t depth = depth_of(engine), done = 0;
    int32_t sums[SL_QS8_NR] = {0};
    memset(packed, 0, sl_qs8_panels_bytes(engine, n, k));
    for (size_t c = 0; c < n; c++) {
        char *panel = (char *)packed + c / SL_QS8_NR * panel_bytes(engine, k);
        struct sl_qs8_head *head = (struct sl_qs8_head *)(void *)panel;
        const int8_t *column = weights + c * column_stride;
        if (c % SL_QS8_NR == 0) {
            bool eight = engine->eight_columns && k_stride == 1 && c + SL_QS8_NR <= n;
            memset(sums, 0, sizeof(sums));
            done = eight
                       ? engine->eight_columns(column, column_stride, k, (int8_t *)(head + 1), sums)
                       : 0;
        }
        int32_t sum = sums[c % SL_QS8_NR];
        if (done < k)
            sum += pack_column(engine, depth, done, k, column, k_stride, c % SL_QS8_NR, head + 1);
        head->start[c % SL_QS8_NR] = sl_requant_start(requant, c, sum);
        head->scale[c % SL_QS8_NR] = requant->scale[c];
    }
}

size_t sl_qs8_rows_bytes(size_t k)
{
    return SL_QS8_MR * (sl_qs8_whole(k) + 64);
}

size_t sl_qs8_matmul_workspace(size_t k)
{
    return 2 * sl_qs8_rows_bytes(k);
}

void sl_qs8_matmul_run(const struct sl_qs8_engine *engine, const struct sl_matmul_qs8_args *args)
{
    size_t k = args->k, depth = sl_qs8_whole(k);
    bool copied = depth != k && !(engine->takes_runs && k > SL_QS8_DEPTH);
    int8_t *copies = args->workspace;
    if (engine->narrow && engine->narrow(args))
        return;
    struct sl_qs8_rows job = {.n = args->n,
                              .depth = depth,
                              .run_count = 1,
                              .run_bytes = copied ? depth : k / SL_QS8_DEPTH * SL_QS8_DEPTH,
                              .tail = copied ? 0 : k % SL_QS8_DEPTH,
                              .panels = args->rhs,
                              .dst_stride = args->dst_stride,
                              .out = args->out,
                              .scratch = copies + sl_qs8_rows_bytes(k)};
    if (copied)
        memset(copies, 0, SL_QS8_MR * depth);
    for (size_t i = 0; i < args->m; i += job.count) {
        job.count = args->m - i < SL_QS8_MR ? args->m - i : SL_QS8_MR;
        job.dst = args->dst + i * args->dst_stride;
        for (size_t r = 0; r < SL_QS8_MR; r++) {
            size_t row = r < job.count ? r : job.count - 1;
            job.rows[r] = args->lhs + (i + row) * args->lhs_stride;
            if (!copied)
                continue;
            if (r == row)
                memcpy(copies + r * depth, job.rows[r], k);
            job.rows[r] = copies + row * depth;
        }
        job.runs = job.rows;
        engine->run(&job);
    }
}

static size_t window_bytes(const struct sl_conv_shape *s)
{
    return s->kernel_h * s->kernel_w * s->group_in_c;
}

size_t sl_qs8_conv_bytes(const struct sl_qs8_engine *engine, const struct sl_conv_shape *shape)
{
    return shape->groups * sl_qs8_panels_bytes(engine, shape->group_out_c, window_bytes(shape));
}

void sl_qs8_conv_pack(const struct sl_qs8_engine *engine, const struct sl_conv_shape *shape,
                      const int8_t *weights, const struct sl_requant *requant, void *packed)
{
    size_t n = shape->group_out_c, k = window_bytes(shape);
    for (size_t g = 0; g < shape->groups; g++) {
        const struct sl_requant part = {requant->bias ? requant->bias + g * n : NULL,
                                        requant->scale + g * n, requant->in_zero};
        sl_qs8_pack_panels(engine, n, k, weights + g * n * k, k, 1, &part,
                           (char *)packed + g * sl_qs8_panels_bytes(engine, n, k));
    }
}
