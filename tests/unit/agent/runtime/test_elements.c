/* tests/unit/agent/runtime/test_elements.c: elementwise operators where types meet, as the real
 * runtime has it (tests/interop/check_operators.py compares many more with it). */
#include <math.h>
#include <string.h>

#include "common/format/scalar_type.h"
#include "kernels/cpu/isa.h"
#include "tests/support/program_case.h"
#include "tests/support/test.h"

/* A program of one operator on x and perhaps y, into out. */
static void begin(const char *name, int x_type, int y_type, int out_type, int64_t number)
{
    sl_program_begin();
    uint32_t x = sl_program_add_typed(x_type, SL_SIZES(4), true);
    uint32_t y =
        y_type >= 0 ? sl_program_add_typed(y_type, SL_SIZES(4), true) : sl_program_add_int(number);
    uint32_t out = sl_program_add_typed(out_type, SL_SIZES(4), true);
    sl_program_add_call(name, SL_ARGS(x, y, out));
}

static void run(const void *x, size_t x_bytes, const void *y, size_t y_bytes)
{
    sl_program_must_load();
    memcpy(sl_program_bytes(0), x, x_bytes);
    if (y)
        memcpy(sl_program_bytes(1), y, y_bytes);
    sl_program_must_execute();
}

/* By products, and one over them; past those by the library. */
TEST(whole_powers_are_products_to_rounding)
{
    static const float x[4] = {-1.75f, 0.8125f, 3.0f, -0.5f};
    for (int64_t exponent = -18; exponent <= 18; exponent++) {
        begin("aten::pow.Tensor_Scalar_out", SL_SCALAR_FLOAT, -1, SL_SCALAR_FLOAT, exponent);
        run(x, sizeof(x), NULL, 0);
        const float *power = sl_program_bytes(2);
        for (size_t i = 0; i < 4; i++) {
            double want = pow((double)x[i], (double)exponent);
            assert_true(fabs((double)power[i] / want - 1.0) < 2e-6);
        }
        sl_program_end();
    }
}

/* PyTorch wraps powers around and refuses rests by zero; ExecuTorch computes both in doubles. */
TEST(powers_and_rests_of_integers_are_those_of_doubles)
{
    static const int32_t x[4] = {3, -2, 0, 100000}, y[4] = {4, 3, -1, 3};
    static const int64_t a[4] = {7, -7, 1, INT64_MAX}, b[4] = {3, 3, 0, 10};
    begin("aten::pow.Tensor_Tensor_out", SL_SCALAR_INT, SL_SCALAR_INT, SL_SCALAR_INT, 0);
    run(x, sizeof(x), y, sizeof(y));
    const int32_t *power = sl_program_bytes(2);
    assert_int_equal(power[0], 81);
    assert_int_equal(power[1], -8);
    assert_int_equal(power[2], INT32_MAX); /* infinity, held in range */
    assert_int_equal(power[3], INT32_MAX);
    sl_program_end();
    begin("aten::fmod.Tensor_out", SL_SCALAR_LONG, SL_SCALAR_LONG, SL_SCALAR_LONG, 0);
    run(a, sizeof(a), b, sizeof(b));
    const int64_t *rest = sl_program_bytes(2);
    assert_int_equal(rest[0], 1);
    assert_int_equal(rest[1], -1);
    assert_int_equal(rest[2], 0); /* a NaN */
    assert_int_equal(rest[3], 8); /* of 2^63 */
    sl_program_end();
}

TEST(a_number_beside_integers_becomes_one_of_their_type)
{
    static const uint8_t x[4] = {0, 252, 253, 255};
    begin("aten::lt.Scalar_out", SL_SCALAR_BYTE, -1, SL_SCALAR_BOOL, -3); /* 253 */
    run(x, sizeof(x), NULL, 0);
    const uint8_t *less = sl_program_bytes(2);
    assert_true(less[0] == 1 && less[1] == 1 && less[2] == 0 && less[3] == 0);
    sl_program_end();
}

TEST(shifts_take_counts_as_cpus_take_them)
{
    static const int32_t x[4] = {1, 1, -64, 5}, y[4] = {31, 33, 2, -31};
    static const int64_t a[4] = {1, 1, -64, 5}, b[4] = {62, 65, 66, -63};
    begin("aten::bitwise_left_shift.Tensor_out", SL_SCALAR_INT, SL_SCALAR_INT, SL_SCALAR_INT, 0);
    run(x, sizeof(x), y, sizeof(y));
    const int32_t *narrow = sl_program_bytes(2);
    assert_true(narrow[0] == INT32_MIN && narrow[1] == 2 && narrow[2] == -256 && narrow[3] == 10);
    sl_program_end();
    begin("aten::bitwise_right_shift.Tensor_out", SL_SCALAR_LONG, SL_SCALAR_LONG, SL_SCALAR_LONG,
          0);
    run(a, sizeof(a), b, sizeof(b));
    const int64_t *wide = sl_program_bytes(2);
    assert_true(wide[0] == 0 && wide[1] == 0 && wide[2] == -16 && wide[3] == 2);
    sl_program_end();
}

TEST(remainders_of_doubles_are_single_precision)
{
    static const double x[4] = {7.1, -7.1, 1e300, 0.3}, y[4] = {2.3, 2.3, 7e299, 0.2};
    begin("aten::remainder.Tensor_out", SL_SCALAR_DOUBLE, SL_SCALAR_DOUBLE, SL_SCALAR_DOUBLE, 0);
    run(x, sizeof(x), y, sizeof(y));
    const double *rest = sl_program_bytes(2);
    assert_true(rest[0] == (double)(float)fmod(7.1, 2.3));
    assert_true(rest[1] == (double)(float)((double)(float)fmod(-7.1, 2.3) + 2.3));
    assert_true(isinf(rest[2]));
    assert_true(rest[3] == (double)(float)fmod(0.3, 0.2));
    sl_program_end();
}

/* ExecuTorch rounds integers as floats; a Bool it does not take. */
TEST(rounding_integers_goes_through_single_precision)
{
    static const int32_t x[4] = {16777217, -5, INT32_MAX, INT32_MIN};
    for (int bools = 0; bools < 2; bools++) {
        sl_program_begin();
        int type = bools ? SL_SCALAR_BOOL : SL_SCALAR_INT;
        uint32_t in = sl_program_add_typed(type, SL_SIZES(4), true);
        uint32_t out = sl_program_add_typed(type, SL_SIZES(4), true);
        sl_program_add_call("aten::floor.out", SL_ARGS(in, out));
        if (bools) {
            assert_int_equal(sl_program_load(sl_isa_detect()), SL_ET_OPERATOR_MISSING);
        } else {
            run(x, sizeof(x), NULL, 0);
            const int32_t *floors = sl_program_bytes(1);
            assert_true(floors[0] == 16777216 && floors[1] == -5);
            assert_true(floors[2] == INT32_MAX && floors[3] == INT32_MIN);
        }
        sl_program_end();
    }
}

TEST(clamping_between_crossed_bounds_gives_the_upper)
{
    static const int64_t x[4] = {-9, 2, 3, 9};
    for (int64_t high = 1; high <= 300; high += 299) {
        int type = high == 1 ? SL_SCALAR_LONG : SL_SCALAR_CHAR;
        sl_program_begin();
        uint32_t in = sl_program_add_typed(type, SL_SIZES(4), true);
        uint32_t low = sl_program_add_int(3), up = sl_program_add_int(high);
        uint32_t out = sl_program_add_typed(type, SL_SIZES(4), true);
        sl_program_add_call("aten::clamp.out", SL_ARGS(in, low, up, out));
        if (high == 1) {
            run(x, sizeof(x), NULL, 0);
            for (int i = 0; i < 4; i++)
                assert_int_equal(((int64_t *)sl_program_bytes(out))[i], 1);
        } else { /* 300 is no int8 */
            assert_int_equal(sl_program_load(sl_isa_detect()), 0);
            assert_int_equal(sl_program_execute(), SL_ET_INVALID_ARGUMENT);
        }
        sl_program_end();
    }
}
