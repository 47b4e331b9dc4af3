/* tests/unit/kernels/layout/test_transpose.c: every transpose of the list, and permutations. */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/cpu/isa.h"
#include "kernels/layout/layout.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

static uint32_t *numbered(size_t count)
{
    uint32_t *data = sl_guarded_new(count * sizeof(*data), sizeof(*data));
    for (size_t i = 0; i < count; i++)
        data[i] = (uint32_t)i + 1;
    return data;
}

static void check(const struct sl_transpose *kernel, struct sl_transpose_args a)
{
    size_t in_count = (a.batch - 1) * a.in_batch_stride + (a.rows - 1) * a.in_row_stride + a.cols;
    size_t out_count =
        (a.batch - 1) * a.out_batch_stride + (a.cols - 1) * a.out_row_stride + a.rows;
    uint32_t *in = numbered(in_count), *out = sl_guarded_new(out_count * sizeof(*out), 4);
    uint32_t *want = calloc(out_count, sizeof(*want));
    for (size_t b = 0; b < a.batch; b++)
        for (size_t r = 0; r < a.rows; r++)
            for (size_t c = 0; c < a.cols; c++)
                want[b * a.out_batch_stride + c * a.out_row_stride + r] =
                    in[b * a.in_batch_stride + r * a.in_row_stride + c];
    a.in = in;
    a.out = out;
    kernel->run(&a);
    for (size_t i = 0; i < out_count; i++)
        if (out[i] != want[i])
            fail_msg("%s, %zu of %zux%zu: element %zu is %u, want %u", kernel->name, a.batch,
                     a.rows, a.cols, i, out[i], want[i]);
    free(want);
    sl_guarded_free(in);
    sl_guarded_free(out);
}

TEST(sizes_one_to_forty_with_gaps_are_transposed)
{
    const struct sl_transpose *kernel;
    for (size_t i = 0; (kernel = sl_transpose_at(i)) != NULL; i++) {
        uint32_t seed = 13;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (int n = 0; n < 400; n++) {
            struct sl_transpose_args a = {.batch = sl_case_pick(&seed, 1, 3),
                                          .rows = sl_case_pick(&seed, 1, 40),
                                          .cols = n % 3 ? sl_case_pick(&seed, 1, 40)
                                                        : sl_case_pick(&seed, 1, 5)};
            a.rows = n % 7 ? a.rows : sl_case_pick(&seed, 1, 4);
            a.rows = n % 11 ? a.rows : sl_case_pick(&seed, 60, 200); /* of few columns, too */
            a.in_row_stride = a.cols + sl_case_pick(&seed, 0, 2);
            a.out_row_stride = a.rows + sl_case_pick(&seed, 0, 2);
            a.in_batch_stride = a.rows * a.in_row_stride + sl_case_pick(&seed, 0, 2);
            a.out_batch_stride = a.cols * a.out_row_stride + sl_case_pick(&seed, 0, 2);
            check(kernel, a);
        }
    }
}

static void check_permutation(const struct sl_transpose *kernel, size_t rank, const size_t *dims,
                              const size_t *perm)
{
    size_t strides[SL_LAYOUT_MAX_RANK], count = 1, index[SL_LAYOUT_MAX_RANK] = {0};
    for (size_t d = rank; d-- > 0; count *= dims[d])
        strides[d] = count;
    uint32_t *in = numbered(count), *out = sl_guarded_new(count * sizeof(*out), 4);
    sl_permute_x32(kernel, rank, dims, perm, in, out);
    for (size_t i = 0; i < count; i++) {
        size_t from = 0;
        for (size_t j = 0; j < rank; j++)
            from += index[j] * strides[perm[j]];
        if (out[i] != in[from])
            fail_msg("%s, rank %zu: element %zu is %u, want %u", kernel->name, rank, i, out[i],
                     in[from]);
        for (size_t j = rank; j-- > 0;) {
            if (++index[j] < dims[perm[j]])
                break;
            index[j] = 0;
        }
    }
    sl_guarded_free(in);
    sl_guarded_free(out);
}

TEST(any_permutation_up_to_rank_six_moves_every_element)
{
    const struct sl_transpose *kernel;
    for (size_t i = 0; (kernel = sl_transpose_at(i)) != NULL; i++) {
        uint32_t seed = 17;
        if (!sl_case_may_run(kernel->name, kernel->needs))
            continue;
        for (int n = 0; n < 400; n++) {
            size_t rank = sl_case_pick(&seed, 0, SL_LAYOUT_MAX_RANK), dims[SL_LAYOUT_MAX_RANK],
                   perm[SL_LAYOUT_MAX_RANK];
            for (size_t d = 0; d < rank; d++) {
                dims[d] = sl_case_pick(&seed, rank < 4 ? 0 : 1, rank < 4 ? 20 : 6);
                size_t at = sl_case_pick(&seed, 0, d);
                perm[d] = perm[at];
                perm[at] = d;
            }
            check_permutation(kernel, rank, dims, perm);
        }
    }
}
