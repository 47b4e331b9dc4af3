/* tests/unit/agent/runtime/ops/test_hadamard.c: rows of the matrix that a transform is the product
 * with. */
#include <math.h>
#include <string.h>

#include "common/format/scalar_type.h"
#include "tests/support/program_case.h"
#include "tests/support/test.h"

/* Lines of ones with zeros around them, in `out`. */
static const double *transform(int32_t length)
{
    sl_program_begin();
    uint32_t in = sl_program_add_typed(SL_SCALAR_DOUBLE, SL_SIZES(length, length), true);
    uint32_t out = sl_program_add_typed(SL_SCALAR_DOUBLE, SL_SIZES(length, length), true);
    sl_program_add_call("llama::fast_hadamard_transform.out", SL_ARGS(in, out));
    sl_program_must_load();
    double *x = sl_program_bytes(in);
    for (int32_t i = 0; i < length * length; i++)
        x[i] = i % (length + 1) == 0;
    sl_program_must_execute();
    return sl_program_bytes(out);
}

/* Rows are of equal numbers but for signs, and at right angles; 28 keeps its ones. */
static void check(int32_t length, double one)
{
    const double *matrix = transform(length);
    for (int32_t i = 0; i < length; i++)
        for (int32_t j = 0; j < length; j++) {
            double product = 0.0;
            for (int32_t k = 0; k < length; k++)
                product += matrix[i * length + k] * matrix[j * length + k];
            assert_true(fabs(fabs(matrix[i * length + j]) - one) < 1e-12);
            assert_true(fabs(product - (i == j ? one * one * length : 0.0)) < 1e-9);
        }
    sl_program_end();
}

TEST(transforms_are_products_with_hadamard_matrices)
{
    check(1, 1.0);
    check(2, sqrt(0.5));
    check(64, 0.125);
    check(28, 1.0);
    check(56, sqrt(0.5));
}

TEST(lengths_that_have_no_matrix_are_refused)
{
    sl_program_begin();
    uint32_t in = sl_program_add_tensor(SL_SIZES(2, 12)),
             out = sl_program_add_tensor(SL_SIZES(2, 12));
    sl_program_add_call("llama::fast_hadamard_transform.out", SL_ARGS(in, out));
    assert_true(sl_program_load(0) != 0 || sl_program_execute() != 0);
    sl_program_end();
}
