/* tests/unit/kernels/layout/transpose_dense.h: transposes and permutations of the elements that the
 * including file says: ELEMENT, and NAME(before, after) for names of that type. */
#pragma once

#include <string.h>

#include "kernels/cpu/isa.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

static void fill(ELEMENT *data, size_t count)
{
    for (size_t i = 0; i < count; i++)
        data[i] = (ELEMENT)(i * 37 + i / 251);
}

/* Two planes with gaps between rows; what lies in the gaps stays. */
static void check(const struct NAME(sl_transpose, ) * kernel, size_t rows, size_t cols, size_t gap)
{
    size_t in_plane = rows * (cols + gap), out_plane = cols * (rows + gap);
    ELEMENT *in = sl_guarded_new(2 * in_plane * sizeof(*in), sizeof(*in)),
            *out = sl_guarded_new(2 * out_plane * sizeof(*out), sizeof(*out));
    fill(in, 2 * in_plane);
    memset(out, 0xa5, 2 * out_plane * sizeof(*out));
    const struct NAME(sl_transpose, _args)
        args = {2, rows, cols, in, in_plane, cols + gap, out, out_plane, rows + gap};
    kernel->run(&args);
    for (size_t b = 0; b < 2; b++)
        for (size_t c = 0; c < cols; c++)
            for (size_t r = 0; r < rows + gap; r++)
                assert_int_equal(out[b * out_plane + c * (rows + gap) + r],
                                 r < rows ? in[b * in_plane + r * (cols + gap) + c]
                                          : (ELEMENT)0xa5a5);
    sl_guarded_free(in);
    sl_guarded_free(out);
}

TEST(planes_of_every_size_are_transposed)
{
    static const size_t sizes[] = {1, 2, 3, 4, 8, 15, 16, 17, 31, 33, 48, 70, 133};
    const struct NAME(sl_transpose, ) * kernel;
    for (size_t i = 0; (kernel = NAME(sl_transpose, _at)(i)) != NULL; i++)
        for (size_t r = 0; r < 13 && sl_case_may_run(kernel->name, kernel->needs); r++)
            for (size_t c = 0; c < 13; c++) {
                check(kernel, sizes[r], sizes[c], 0);
                check(kernel, sizes[r], sizes[c], 3);
            }
}

TEST(permutations_give_what_indices_say)
{
    static const size_t dims[] = {2, 3, 18, 20},
                        perms[][4] = {
                            {0, 2, 3, 1}, {0, 3, 1, 2}, {3, 2, 1, 0}, {0, 1, 2, 3}, {1, 0, 3, 2}};
    ELEMENT in[2160], out[2160];
    fill(in, sizeof(in) / sizeof(in[0]));
    for (size_t k = 0; k < 5; k++) {
        const size_t *p = perms[k];
        size_t at = 0, d[4];
        NAME(sl_permute, )(NAME(sl_transpose, _select)(sl_isa_detect()), 4, dims, p, in, out);
        for (d[p[0]] = 0; d[p[0]] < dims[p[0]]; d[p[0]]++)
            for (d[p[1]] = 0; d[p[1]] < dims[p[1]]; d[p[1]]++)
                for (d[p[2]] = 0; d[p[2]] < dims[p[2]]; d[p[2]]++)
                    for (d[p[3]] = 0; d[p[3]] < dims[p[3]]; d[p[3]]++)
                        assert_int_equal(
                            out[at++],
                            in[((d[0] * dims[1] + d[1]) * dims[2] + d[2]) * dims[3] + d[3]]);
    }
}
