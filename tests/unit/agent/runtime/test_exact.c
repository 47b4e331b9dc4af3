/* tests/unit/agent/runtime/test_exact.c: operators of integers and doubles, and those whose sizes
 * follow from data: at their edges, and with data and numbers that they refuse. */
#include <math.h>
#include <string.h>

#include "common/format/scalar_type.h"
#include "kernels/cpu/isa.h"
#include "tests/support/program_case.h"
#include "tests/support/test.h"

static int execute(void)
{
    return sl_variant_execute(sl_program.variant, false, &sl_program.diag);
}

static void check_failure(const char *why)
{
    assert_int_equal(execute(), SL_ET_INVALID_ARGUMENT);
    assert_string_equal(sl_program.diag.what, why);
    sl_program_end();
}

static uint32_t add_dynamic(int scalar_type, uint32_t rank, const int32_t *sizes)
{
    uint32_t value = sl_program_add_typed(scalar_type, rank, sizes, true);
    sl_program.tensors[value].dynamism = SL_PTE_DYNAMIC_BOUND;
    return value;
}

TEST(products_of_int8_wrap_and_what_is_added_broadcasts)
{
    static const int8_t lhs[4] = {100, 3, -128, 7}, rhs[4] = {2, -1, 50, 9}, more[2] = {5, -3};
    sl_program_begin();
    uint32_t a = sl_program_add_typed(SL_SCALAR_CHAR, SL_SIZES(2, 2), true);
    uint32_t b = sl_program_add_typed(SL_SCALAR_CHAR, SL_SIZES(2, 2), true);
    uint32_t c = sl_program_add_typed(SL_SCALAR_CHAR, SL_SIZES(2, 1), true);
    uint32_t y = sl_program_add_typed(SL_SCALAR_CHAR, SL_SIZES(2, 2), true);
    sl_program_add_call("aten::addmm.out",
                        SL_ARGS(c, a, b, sl_program_add_int(2), sl_program_add_int(3), y));
    sl_program_must_load();
    memcpy(sl_program_bytes(a), lhs, sizeof(lhs));
    memcpy(sl_program_bytes(b), rhs, sizeof(rhs));
    memcpy(sl_program_bytes(c), more, sizeof(more));
    assert_int_equal(execute(), 0);
    for (int i = 0; i < 4; i++) {
        int product = lhs[i / 2 * 2] * rhs[i % 2] + lhs[i / 2 * 2 + 1] * rhs[2 + i % 2];
        assert_int_equal(((int8_t *)sl_program_bytes(y))[i],
                         (int8_t)(3 * product + 2 * more[i / 2]));
    }
    sl_program_end();
}

TEST(doubles_of_a_product_keep_their_bits)
{
    sl_program_begin();
    uint32_t a = sl_program_add_typed(SL_SCALAR_DOUBLE, SL_SIZES(1, 2), true);
    uint32_t b = sl_program_add_typed(SL_SCALAR_DOUBLE, SL_SIZES(2, 1), true);
    uint32_t y = sl_program_add_typed(SL_SCALAR_DOUBLE, SL_SIZES(1, 1), true);
    sl_program_add_call("aten::mm.out", SL_ARGS(a, b, y));
    sl_program_must_load();
    memcpy(sl_program_bytes(a), (const double[2]){1.0, 1e-12}, 16);
    memcpy(sl_program_bytes(b), (const double[2]){1.0, 1.0}, 16);
    assert_int_equal(execute(), 0);
    assert_true(*(double *)sl_program_bytes(y) == 1.0 + 1e-12); /* f32 would lose the second part */
    sl_program_end();
}

TEST(rows_of_no_elements_have_no_deviation)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(2, 0)), y = sl_program_add_tensor(SL_SIZES(2, 0));
    uint32_t mean = sl_program_add_tensor(SL_SIZES(2, 1));
    uint32_t rstd = sl_program_add_tensor(SL_SIZES(2, 1));
    uint32_t none = sl_program_add_null();
    sl_program_add_call("aten::native_layer_norm.out",
                        SL_ARGS(x, sl_program_add_list(SL_SIZES(0)), none, none,
                                sl_program_add_double(1e-5), y, mean, rstd));
    sl_program_run();
    for (int i = 0; i < 2; i++) {
        assert_true(sl_program_floats(mean)[i] == 0.0f);
        assert_true(isnan(sl_program_floats(rstd)[i]));
    }
    sl_program_end();
}

TEST(a_window_far_larger_than_the_input_ends)
{
    sl_program_begin();
    uint32_t x = sl_program_add_typed(SL_SCALAR_INT, SL_SIZES(1, 2, 2), true);
    uint32_t y = sl_program_add_typed(SL_SCALAR_INT, SL_SIZES(1, 1, 1), true);
    uint32_t at = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(1, 1, 1), true);
    uint32_t large = sl_program_add_list(SL_SIZES(INT32_MAX)),
             one = sl_program_add_list(SL_SIZES(1));
    sl_program_add_call("aten::max_pool2d_with_indices.out",
                        SL_ARGS(x, large, large, sl_program_add_list(SL_SIZES(INT32_MAX / 2)), one,
                                sl_program_add_bool(false), y, at));
    sl_program_must_load();
    memcpy(sl_program_bytes(x), (const int32_t[4]){-5, 3, 9, 9}, 16);
    assert_int_equal(execute(), 0);
    assert_int_equal(*(int32_t *)sl_program_bytes(y), 9);
    assert_int_equal(*(int64_t *)sl_program_bytes(at), 2);
    sl_program_end();
}

/* Six numbers, a mask of as many, and an output with room for `room`. */
static uint32_t begin_selection(int32_t room, uint32_t *out_mask)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(2, 3));
    uint32_t mask = sl_program_add_typed(SL_SCALAR_BOOL, SL_SIZES(2, 3), true);
    uint32_t y = add_dynamic(SL_SCALAR_FLOAT, SL_SIZES(room));
    sl_program_add_call("aten::masked_select.out", SL_ARGS(x, mask, y));
    sl_program_must_load();
    *out_mask = mask;
    for (int i = 0; i < 6; i++)
        sl_program_floats(x)[i] = (float)i;
    return y;
}

TEST(a_selection_has_the_size_that_its_mask_gives_each_time)
{
    static const uint8_t masks[3][6] = {{1, 1, 1, 1, 1, 1}, {0}, {0, 1, 0, 0, 1, 1}};
    static const int32_t sizes[3] = {6, 0, 3};
    uint32_t mask, y = begin_selection(6, &mask);
    for (int i = 0; i < 3; i++) {
        memcpy(sl_program_bytes(mask), masks[i], 6);
        assert_int_equal(execute(), 0);
        assert_int_equal(sl_method_tensor(sl_program.method, y)->sizes[0], sizes[i]);
    }
    assert_memory_equal(sl_program_bytes(y), ((const float[3]){1.0f, 4.0f, 5.0f}), 12);
    sl_program_end();
}

TEST(a_selection_that_has_no_room_stops_the_run)
{
    uint32_t mask;
    begin_selection(2, &mask);
    memset(sl_program_bytes(mask), 1, 6);
    check_failure("its output has no room for what the data select");
}

TEST(a_source_with_too_few_elements_stops_the_run)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(4)), y = sl_program_add_tensor(SL_SIZES(4));
    uint32_t mask = sl_program_add_typed(SL_SCALAR_BOOL, SL_SIZES(4), true);
    uint32_t source = sl_program_add_tensor(SL_SIZES(2));
    sl_program_add_call("aten::masked_scatter.out", SL_ARGS(x, mask, source, y));
    sl_program_must_load();
    memset(sl_program_bytes(mask), 1, 4);
    check_failure("its source has fewer elements than the mask selects");
}

TEST(places_of_numbers_are_listed_row_by_row)
{
    static const int64_t want[3][2] = {{0, 1}, {1, 0}, {1, 2}};
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(2, 3));
    uint32_t y = add_dynamic(SL_SCALAR_LONG, SL_SIZES(6, 2));
    sl_program_add_call("aten::nonzero.out", SL_ARGS(x, y));
    sl_program_must_load();
    memcpy(sl_program_bytes(x), (const float[6]){-0.0f, 2.0f, 0.0f, NAN, 0.0f, 1e-40f}, 24);
    assert_int_equal(execute(), 0);
    assert_int_equal(sl_method_tensor(sl_program.method, y)->sizes[0], 3);
    assert_memory_equal(sl_program_bytes(y), want, sizeof(want));
    sl_program_end();
}

TEST(negative_repeats_stop_the_run)
{
    sl_program_begin();
    uint32_t x = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(2), true);
    uint32_t y = add_dynamic(SL_SCALAR_LONG, SL_SIZES(8));
    sl_program_add_call("aten::repeat_interleave.Tensor_out", SL_ARGS(x, sl_program_add_null(), y));
    sl_program_must_load();
    memcpy(sl_program_bytes(x), (const int64_t[2]){3, -1}, 16);
    check_failure("its repeats are negative or too many");
}

TEST(padding_beyond_its_mirror_is_refused)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(1, 3)), y = sl_program_add_tensor(SL_SIZES(1, 6));
    sl_program_add_call("aten::reflection_pad1d.out",
                        SL_ARGS(x, sl_program_add_list(SL_SIZES(3, 0)), y));
    sl_program_must_load();
    check_failure("its padding does not fit the input's shape");
}

TEST(dropping_at_random_is_refused)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(4)), y = sl_program_add_tensor(SL_SIZES(4));
    uint32_t mask = sl_program_add_typed(SL_SCALAR_BOOL, SL_SIZES(4), true);
    sl_program_add_call("aten::native_dropout.out",
                        SL_ARGS(x, sl_program_add_double(0.5), sl_program_add_bool(true), y, mask));
    assert_int_equal(sl_program_load(sl_isa_detect()), SL_ET_NOT_SUPPORTED);
    assert_string_equal(sl_program.diag.what,
                        "dropping at random, as in training, is not supported");
    sl_program_end();
}

TEST(places_that_are_no_numbers_read_nothing)
{
    for (int64_t mode = 0; mode <= 1; mode++) {
        sl_program_begin();
        uint32_t x = sl_program_add_tensor(SL_SIZES(1, 1, 2, 2));
        uint32_t grid = sl_program_add_tensor(SL_SIZES(1, 1, 3, 2));
        uint32_t y = sl_program_add_tensor(SL_SIZES(1, 1, 1, 3));
        sl_program_add_call("aten::grid_sampler_2d.out",
                            SL_ARGS(x, grid, sl_program_add_int(mode), sl_program_add_int(0),
                                    sl_program_add_bool(true), y));
        sl_program_must_load();
        memcpy(sl_program_bytes(x), (const float[4]){1.0f, 2.0f, 3.0f, 4.0f}, 16);
        memcpy(sl_program_bytes(grid), (const float[6]){NAN, 0.0f, INFINITY, -1e30f, 1.0f, -1.0f},
               24);
        assert_int_equal(execute(), 0);
        assert_memory_equal(sl_program_bytes(y), ((const float[3]){0.0f, 0.0f, 2.0f}), 12);
        sl_program_end();
    }
}

TEST(reversed_differences_and_floored_quotients_of_integers_are_exact)
{
    static const int64_t a[4] = {INT64_MIN, -7, 7, 6}, b[4] = {-1, 2, -2, 3};
    static const int64_t quotients[4] = {INT64_MIN, -4, -4, 2};
    sl_program_begin();
    uint32_t x = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(4), true);
    uint32_t y = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(4), true);
    uint32_t less = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(4), true);
    uint32_t quotient = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(4), true);
    sl_program_add_call("aten::rsub.Scalar_out",
                        SL_ARGS(x, sl_program_add_int(5), sl_program_add_int(3), less));
    sl_program_add_call("aten::floor_divide.out", SL_ARGS(x, y, quotient));
    sl_program_must_load();
    memcpy(sl_program_bytes(x), a, sizeof(a));
    memcpy(sl_program_bytes(y), b, sizeof(b));
    assert_int_equal(execute(), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(((int64_t *)sl_program_bytes(less))[i],
                         (int64_t)(5u - 3u * (uint64_t)a[i]));
    assert_memory_equal(sl_program_bytes(quotient), quotients, sizeof(quotients));
    memset(sl_program_bytes(y), 0, sizeof(b));
    check_failure("an integer is divided by zero");
}

TEST(log_odds_stay_off_their_ends)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(3)), y = sl_program_add_tensor(SL_SIZES(3));
    uint32_t quotient = sl_program_add_tensor(SL_SIZES(3));
    sl_program_add_call("aten::logit.out", SL_ARGS(x, sl_program_add_double(0.25), y));
    sl_program_add_call("aten::floor_divide.out", SL_ARGS(y, x, quotient));
    sl_program_must_load();
    memcpy(sl_program_bytes(x), (const float[3]){0.0f, 0.5f, 2.0f}, 12);
    assert_int_equal(execute(), 0);
    sl_program_check_float(sl_program_floats(y)[0], -log(3.0));
    sl_program_check_float(sl_program_floats(y)[1], 0.0);
    sl_program_check_float(sl_program_floats(y)[2], log(3.0));
    assert_true(sl_program_floats(quotient)[0] == -INFINITY);
    assert_true(sl_program_floats(quotient)[2] == 0.0f);
    sl_program_end();
}

TEST(one_element_is_filled_and_nothing_behind_it)
{
    sl_program_begin();
    uint32_t list = sl_program_add_list(SL_SIZES(1));
    uint32_t one = sl_program_add_typed(SL_SCALAR_CHAR, SL_SIZES(1), true);
    uint32_t behind = sl_program_add_tensor(SL_SIZES(4));
    sl_program_add_call("aten::zeros.out", SL_ARGS(list, one));
    sl_program_must_load();
    int8_t *bytes = sl_program_bytes(one);
    assert_true((int8_t *)sl_program_bytes(behind) >= bytes + 1);
    memset(bytes, 0x55, 8);
    assert_int_equal(execute(), 0);
    assert_int_equal(bytes[0], 0);
    for (int i = 1; i < 8; i++)
        assert_int_equal(bytes[i], 0x55);
    sl_program_end();
}

TEST(tensors_are_filled_by_names_and_by_numbers_of_others)
{
    sl_program_begin();
    uint32_t list = sl_program_add_list(SL_SIZES(2, 2)), value = sl_program_add_tensor(0, NULL);
    uint32_t zeros = sl_program_add_tensor(SL_SIZES(2, 2));
    uint32_t ones = sl_program_add_typed(SL_SCALAR_DOUBLE, SL_SIZES(2, 2), true);
    uint32_t filled = sl_program_add_typed(SL_SCALAR_CHAR, SL_SIZES(2, 2), true);
    uint32_t like = sl_program_add_typed(SL_SCALAR_CHAR, SL_SIZES(2, 2), true);
    sl_program_add_call("aten::zeros.out", SL_ARGS(list, zeros));
    sl_program_add_call("aten::ones.out", SL_ARGS(list, ones));
    sl_program_add_call("aten::fill.Tensor_out", SL_ARGS(like, value, filled));
    sl_program_must_load();
    sl_program_floats(value)[0] = -2.75f;
    memset(sl_program_bytes(zeros), 0xff, 16);
    assert_int_equal(execute(), 0);
    for (int i = 0; i < 4; i++) {
        assert_true(sl_program_floats(zeros)[i] == 0.0f);
        assert_true(((double *)sl_program_bytes(ones))[i] == 1.0);
        assert_int_equal(((int8_t *)sl_program_bytes(filled))[i], -2);
    }
    sl_program_end();
}
