/* kernels/layout/transpose_rows_scalar.c: the statement of what transposing some rows computes. */
#include "kernels/layout/transpose_rows.h"

void sl_transpose_rows_scalar(const struct sl_transpose_rows *job)
{
    for (size_t c = 0; c < job->columns; c++) {
        for (size_t r = 0; r < job->count; r++)
            job->out[c * job->out_stride + r] = job->rows[r][c];
    }
}

void sl_transpose_pairs_scalar(const struct sl_transpose_pairs *job)
{
    for (size_t c = 0; c < job->columns; c += 2) {
        for (size_t r = 0; r < job->count; r++) {
            uint32_t second = c + 1 < job->columns ? job->rows[r][c + 1] : 0;
            job->out[c / 2 * job->out_stride + r] = job->rows[r][c] | second << 16;
        }
    }
}
