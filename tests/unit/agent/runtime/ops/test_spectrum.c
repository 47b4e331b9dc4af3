/* tests/unit/agent/runtime/ops/test_spectrum.c: operators on complex tensors
 * (tests/interop/check_operators.py compares more of them with the real runtime). */
#include <math.h>
#include <string.h>

#include "common/format/scalar_type.h"
#include "tests/support/program_case.h"
#include "tests/support/test.h"

static uint32_t out;

/* x into `out` along `dims`; the last number is that of c2r, or tells r2c that one half is all. */
static void begin(const char *name, int type, const int32_t *sizes, int out_type,
                  const int32_t *out_sizes, int64_t by, int64_t last)
{
    sl_program_begin();
    uint32_t x = sl_program_add_typed(type, 2, sizes, true);
    uint32_t dims = sl_program_add_list(1, (const int32_t[]){1});
    uint32_t divided = sl_program_add_int(by);
    uint32_t number = last == 0 ? sl_program_add_bool(true) : sl_program_add_int(last);
    out = sl_program_add_typed(out_type, 2, out_sizes, true);
    sl_program_add_call(name, SL_ARGS(x, dims, divided, number, out));
}

static void assert_near(const float *got, const float *want, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fabsf(got[i] - want[i]) > 1e-6f)
            fail_msg("element %zu: %g, not %g", i, (double)got[i], (double)want[i]);
}

/* 1, i, -1, -i are the roots of order 4. */
TEST(lines_become_half_a_spectrum_and_lines_again)
{
    static const float x[8] = {1, 2, 3, 4, 0, 1, 0, 0};
    static const float spectrum[12] = {10, 0, -2, 2, -2, 0, 1, 0, 0, -1, -1, 0};
    begin("aten::_fft_r2c.out", SL_SCALAR_FLOAT, (const int32_t[]){2, 4}, SL_SCALAR_COMPLEX64,
          (const int32_t[]){2, 3}, 0, 0);
    sl_program_must_load();
    memcpy(sl_program_bytes(0), x, sizeof(x));
    sl_program_must_execute();
    assert_near(sl_program_bytes(out), spectrum, 12);
    sl_program_end();
    begin("aten::_fft_c2r.out", SL_SCALAR_COMPLEX64, (const int32_t[]){2, 3}, SL_SCALAR_FLOAT,
          (const int32_t[]){2, 4}, 2, 4);
    sl_program_must_load();
    memcpy(sl_program_bytes(0), spectrum, sizeof(spectrum));
    sl_program_must_execute();
    assert_near(sl_program_bytes(out), x, 8);
    sl_program_end();
}

TEST(transforms_that_do_not_fit_are_refused)
{
    static const int32_t four[2] = {2, 4}, three[2] = {2, 3};
    /* a type that is not the input's; half a spectrum that is too short; division by what is not */
    begin("aten::_fft_r2c.out", SL_SCALAR_FLOAT, four, SL_SCALAR_COMPLEX128, three, 0, 0);
    assert_true(sl_program_load(0) != 0 || sl_program_execute() != 0);
    sl_program_end();
    begin("aten::_fft_c2r.out", SL_SCALAR_COMPLEX64, three, SL_SCALAR_FLOAT, four, 0, 8);
    assert_true(sl_program_load(0) != 0 || sl_program_execute() != 0);
    sl_program_end();
    begin("aten::_fft_r2c.out", SL_SCALAR_FLOAT, four, SL_SCALAR_COMPLEX64, three, 3, 0);
    assert_true(sl_program_load(0) != 0 || sl_program_execute() != 0);
    sl_program_end();
}

TEST(complex_numbers_have_two_parts_and_a_mirror_image)
{
    static const float x[6] = {1, 2, -3, 4, 5, -6}, image[6] = {1, -2, -3, -4, 5, 6};
    sl_program_begin();
    uint32_t in = sl_program_add_typed(SL_SCALAR_COMPLEX64, SL_SIZES(3), true);
    uint32_t mirrored = sl_program_add_typed(SL_SCALAR_COMPLEX64, SL_SIZES(3), true);
    uint32_t real = sl_program_add_typed(SL_SCALAR_DOUBLE, SL_SIZES(3, 2), true);
    sl_program_add_call("aten::_conj_physical.out", SL_ARGS(in, mirrored));
    sl_program_add_call("aten::view_as_real_copy.out", SL_ARGS(mirrored, real));
    sl_program_must_load();
    memcpy(sl_program_bytes(in), x, sizeof(x));
    sl_program_must_execute();
    assert_memory_equal(sl_program_bytes(mirrored), image, sizeof(image));
    for (size_t i = 0; i < 6; i++)
        assert_true(((const double *)sl_program_bytes(real))[i] == (double)image[i]);
    sl_program_end();
}

/* Elements of 16 bytes are moved whole, also where they lie apart. */
TEST(complex_doubles_are_moved_whole)
{
    sl_program_begin();
    uint32_t in = sl_program_add_typed(SL_SCALAR_COMPLEX128, SL_SIZES(2, 3), true);
    uint32_t order = sl_program_add_list(2, (const int32_t[]){1, 0});
    out = sl_program_add_typed(SL_SCALAR_COMPLEX128, SL_SIZES(3, 2), true);
    sl_program_add_call("aten::permute_copy.out", SL_ARGS(in, order, out));
    sl_program_must_load();
    double *x = sl_program_bytes(in);
    for (int i = 0; i < 12; i++)
        x[i] = i;
    sl_program_must_execute();
    static const double want[12] = {0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11};
    assert_memory_equal(sl_program_bytes(out), want, sizeof(want));
    sl_program_end();
}
