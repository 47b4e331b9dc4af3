/* tests/unit/agent/runtime/test_types.c: operators over other types than f32, numbers that programs
 * compute, and data that operators do not take. */
#include <math.h>
#include <string.h>

#include "common/format/scalar_type.h"
#include "tests/support/program_case.h"
#include "tests/support/test.h"

TEST(integers_stay_integers_and_wrap)
{
    static const int32_t a[4] = {INT32_MAX, -7, 7, 0};
    static const int64_t b[4] = {1, 5, -5, INT64_C(1) << 40};
    sl_program_begin();
    uint32_t x = sl_program_add_typed(SL_SCALAR_INT, SL_SIZES(4), true);
    uint32_t y = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(4), true);
    uint32_t sum = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(4), true);
    uint32_t narrow = sl_program_add_typed(SL_SCALAR_INT, SL_SIZES(4), true);
    uint32_t rest = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(4), true);
    uint32_t ratio = sl_program_add_tensor(SL_SIZES(4));
    uint32_t one = sl_program_add_int(1);
    sl_program_add_call("aten::add.out", SL_ARGS(x, y, one, sum));
    sl_program_add_call("aten::add.Scalar_out", SL_ARGS(x, one, one, narrow));
    sl_program_add_call("aten::remainder.Tensor_out", SL_ARGS(x, y, rest));
    sl_program_add_call("aten::div.out", SL_ARGS(x, y, ratio));
    sl_program_must_load();
    memcpy(sl_program_bytes(x), a, sizeof(a));
    memcpy(sl_program_bytes(y), b, sizeof(b));
    sl_program_must_execute();
    assert_int_equal(((int64_t *)sl_program_bytes(sum))[0], INT64_C(2147483648));
    assert_int_equal(((int64_t *)sl_program_bytes(sum))[3], b[3]);
    assert_int_equal(((int32_t *)sl_program_bytes(narrow))[0], INT32_MIN);
    /* ExecuTorch's rest has the dividend's sign, PyTorch's the divisor's. */
    assert_int_equal(((int64_t *)sl_program_bytes(rest))[1], -2);
    assert_int_equal(((int64_t *)sl_program_bytes(rest))[2], 2);
    sl_program_check_float(sl_program_floats(ratio)[1], -1.4);
    sl_program_end();
}

TEST(integer_division_by_zero_fails_with_its_reason)
{
    sl_program_begin();
    uint32_t x = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(4), true);
    uint32_t y = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(4), true);
    uint32_t z = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(4), true);
    sl_program_add_call("aten::remainder.Tensor_out", SL_ARGS(x, y, z));
    sl_program_must_load();
    memset(sl_program_bytes(y), 0, 32);
    assert_int_equal(sl_variant_execute(sl_program.variant, false, &sl_program.diag),
                     SL_ET_INVALID_ARGUMENT);
    assert_string_equal(sl_program.diag.what, "an integer is divided by zero");
    assert_non_null(strstr(
        sl_program.log,
        "KernelCall failed at instruction 0:0 in operator aten::remainder.Tensor_out: 0x12"));
    sl_program_end();
}

/* Each operator that reads at places is given one place that is not there. */
TEST(places_outside_a_tensor_are_refused)
{
    static const int64_t bad[] = {3, -4, INT64_MAX, INT64_MIN};
    for (unsigned which = 0; which < 4; which++)
        for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
            sl_program_begin();
            uint32_t x = sl_program_add_tensor(SL_SIZES(3, 3)),
                     y = sl_program_add_tensor(SL_SIZES(2, 3));
            uint32_t at = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(2), true);
            uint32_t wide = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(2, 3), true);
            uint32_t zero = sl_program_add_int(0), no = sl_program_add_bool(false);
            uint32_t list = sl_program_add_list(0, NULL);
            sl_program.values[list].kind = SL_PTE_OPTIONAL_TENSOR_LIST;
            sl_program.values[list].list.count = 1;
            sl_program.lists[list][0] = at;
            if (which == 0)
                sl_program_add_call("aten::embedding.out", SL_ARGS(x, at, zero, no, no, y));
            else if (which == 1)
                sl_program_add_call("aten::index_select.out", SL_ARGS(x, zero, at, y));
            else if (which == 2)
                sl_program_add_call("aten::index.Tensor_out", SL_ARGS(x, list, y));
            else
                sl_program_add_call("aten::gather.out", SL_ARGS(x, zero, wide, no, y));
            sl_program_must_load();
            memset(sl_program_bytes(at), 0, 16);
            memset(sl_program_bytes(wide), 0, 48);
            sl_program_must_execute();
            memcpy((uint8_t *)sl_program_bytes(at) + 8, &bad[k], 8);
            memcpy((uint8_t *)sl_program_bytes(wide) + 40, &bad[k], 8);
            assert_int_equal(sl_variant_execute(sl_program.variant, false, &sl_program.diag),
                             SL_ET_INVALID_ARGUMENT);
            assert_string_equal(sl_program.diag.what,
                                "an index lies outside the dimension it reads");
            sl_program_end();
        }
}

TEST(sizes_that_the_program_computes_are_followed)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(5, 2)), y = sl_program_add_tensor(SL_SIZES(5, 2));
    uint32_t size = sl_program_add_int(0), less = sl_program_add_int(0);
    uint32_t zero = sl_program_add_int(0), one = sl_program_add_int(1);
    sl_program.tensors[x].dynamism = sl_program.tensors[y].dynamism = SL_PTE_DYNAMIC_BOUND;
    sl_program_add_call("aten::sym_size.int", SL_ARGS(x, zero, size));
    sl_program_add_call("executorch_prim::sub.Scalar", SL_ARGS(size, one, less));
    sl_program.code[0].arg_count = sl_program.code[1].arg_count = 3;
    sl_program_add_call("aten::slice_copy.Tensor_out", SL_ARGS(x, zero, zero, less, one, y));
    sl_program_must_load();
    struct sl_tensor *in = sl_method_tensor(sl_program.method, x);
    for (int32_t n = 5; n >= 1; n--) {
        assert_int_equal(sl_tensor_resize(in, 2, (const int32_t[2]){n, 2}, NULL), 0);
        sl_program_must_execute();
        assert_int_equal(sl_program.method->values[less].int_value, n - 1);
        assert_int_equal(sl_method_tensor(sl_program.method, y)->sizes[0], n - 1);
    }
    sl_program_end();
}

TEST(parameters_beyond_the_input_are_refused)
{
    for (int64_t k = 0; k < 6; k++) {
        sl_program_begin();
        uint32_t x = sl_program_add_tensor(SL_SIZES(2, 3)),
                 y = sl_program_add_tensor(SL_SIZES(2, 3));
        uint32_t big = sl_program_add_int(k % 2 == 0 ? INT64_MAX : INT64_MIN);
        uint32_t zero = sl_program_add_int(0), huge = sl_program_add_list(SL_SIZES(INT32_MAX, 2));
        uint32_t strides = sl_program_add_list(SL_SIZES(4, 1)), no = sl_program_add_bool(false);
        if (k < 2)
            sl_program_add_call("aten::select_copy.int_out", SL_ARGS(x, zero, big, y));
        else if (k < 4)
            sl_program_add_call("aten::cumsum.out", SL_ARGS(x, big, sl_program_add_null(), y));
        else if (k == 4)
            sl_program_add_call("aten::as_strided_copy.out",
                                SL_ARGS(x, sl_program_add_list(SL_SIZES(2, 3)), strides, zero, y));
        else
            sl_program_add_call("aten::expand_copy.out", SL_ARGS(x, huge, no, y));
        sl_program_must_load();
        assert_int_equal(sl_program_execute(), SL_ET_INVALID_ARGUMENT);
        sl_program_end();
    }
}

TEST(doubles_are_computed_as_doubles)
{
    static const double a[3] = {1e300, 16777217.0, 0.1};
    sl_program_begin();
    uint32_t x = sl_program_add_typed(SL_SCALAR_DOUBLE, SL_SIZES(3), true);
    uint32_t y = sl_program_add_tensor(SL_SIZES(3));
    uint32_t sum = sl_program_add_typed(SL_SCALAR_DOUBLE, SL_SIZES(3), true);
    uint32_t whole = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(3), true);
    uint32_t root = sl_program_add_typed(SL_SCALAR_DOUBLE, SL_SIZES(3), true);
    uint32_t total = sl_program_add_typed(SL_SCALAR_DOUBLE, SL_SIZES(1), true);
    uint32_t running = sl_program_add_typed(SL_SCALAR_DOUBLE, SL_SIZES(3), true);
    uint32_t one = sl_program_add_int(1), zero = sl_program_add_int(0);
    uint32_t none = sl_program_add_null(), keep = sl_program_add_bool(true);
    uint32_t dims = sl_program_add_list(1, (const int32_t[]){0});
    sl_program_add_call("aten::add.out", SL_ARGS(x, y, one, sum));
    sl_program_add_call("aten::_to_copy.out", SL_ARGS(x, keep, none, whole));
    sl_program_add_call("aten::sqrt.out", SL_ARGS(x, root));
    sl_program_add_call("aten::sum.IntList_out", SL_ARGS(x, dims, keep, none, total));
    sl_program_add_call("aten::cumsum.out", SL_ARGS(x, zero, none, running));
    sl_program_must_load();
    memcpy(sl_program_bytes(x), a, sizeof(a));
    for (int i = 0; i < 3; i++)
        sl_program_floats(y)[i] = 0.5f;
    sl_program_must_execute();
    assert_true(((double *)sl_program_bytes(sum))[1] == 16777217.5);
    assert_true(((double *)sl_program_bytes(sum))[2] == 0.1 + 0.5);
    assert_int_equal(((int64_t *)sl_program_bytes(whole))[1], 16777217);
    assert_true(((double *)sl_program_bytes(root))[0] == sqrt(1e300));
    assert_true(((double *)sl_program_bytes(total))[0] == 1e300);
    assert_true(((double *)sl_program_bytes(running))[2] == 1e300);
    sl_program_end();
}

TEST(sums_into_integers_cut_each_element)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(2, 3));
    uint32_t sum = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(2), true);
    uint32_t product = sl_program_add_typed(SL_SCALAR_INT, SL_SIZES(2), true);
    uint32_t running = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(2, 3), true);
    uint32_t last = sl_program_add_list(1, (const int32_t[]){-1});
    uint32_t no = sl_program_add_bool(false), one = sl_program_add_int(1);
    uint32_t type = sl_program_add_int(SL_SCALAR_LONG);
    sl_program_add_call("aten::sum.IntList_out", SL_ARGS(x, last, no, type, sum));
    sl_program_add_call("aten::prod.int_out", SL_ARGS(x, one, no, type, product));
    sl_program_add_call("aten::cumsum.out", SL_ARGS(x, one, type, running));
    sl_program_must_load();
    for (int i = 0; i < 6; i++)
        sl_program_floats(x)[i] = 1.6f + (float)i; /* 1.6, 2.6, ... */
    sl_program_must_execute();
    assert_int_equal(((int64_t *)sl_program_bytes(sum))[0], 1 + 2 + 3);
    assert_int_equal(((int32_t *)sl_program_bytes(product))[1], 4 * 5 * 6);
    assert_int_equal(((int64_t *)sl_program_bytes(running))[4], 4 + 5);
    sl_program_end();
}

/* PyTorch has NaN, -inf and NaN for the last three. */
TEST(floor_division_by_zero_and_infinity_is_as_executorch_has_it)
{
    static const float a[6] = {7.0f, -7.0f, 0.5f, 0.5f, 0.0f, 2.5f};
    static const float b[6] = {-2.0f, 2.0f, 0.0f, -0.0f, 0.0f, -INFINITY};
    static const float want[6] = {-4.0f, -4.0f, INFINITY, INFINITY, INFINITY, -1.0f};
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(6)), y = sl_program_add_tensor(SL_SIZES(6));
    uint32_t z = sl_program_add_tensor(SL_SIZES(6)), floors = sl_program_add_string("floor");
    sl_program_add_call("aten::div.out_mode", SL_ARGS(x, y, floors, z));
    sl_program_must_load();
    memcpy(sl_program_bytes(x), a, sizeof(a));
    memcpy(sl_program_bytes(y), b, sizeof(b));
    sl_program_must_execute();
    for (int i = 0; i < 6; i++)
        assert_true(sl_program_floats(z)[i] == want[i]);
    sl_program_end();
}

TEST(bounds_may_be_tensors_and_one_may_be_missing)
{
    static const float a[4] = {-3.0f, 0.5f, 9.0f, NAN};
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(4)), low = sl_program_add_tensor(SL_SIZES(1));
    uint32_t high = sl_program_add_tensor(SL_SIZES(4)), both = sl_program_add_tensor(SL_SIZES(4));
    uint32_t above = sl_program_add_tensor(SL_SIZES(4)), below = sl_program_add_tensor(SL_SIZES(4));
    uint32_t none = sl_program_add_null();
    sl_program_add_call("aten::clamp.Tensor_out", SL_ARGS(x, low, high, both));
    sl_program_add_call("aten::clamp.Tensor_out", SL_ARGS(x, low, none, above));
    sl_program_add_call("aten::clamp.Tensor_out", SL_ARGS(x, none, high, below));
    sl_program_must_load();
    memcpy(sl_program_bytes(x), a, sizeof(a));
    sl_program_floats(low)[0] = -1.0f;
    for (int i = 0; i < 4; i++)
        sl_program_floats(high)[i] = 2.0f;
    sl_program_must_execute();
    assert_true(sl_program_floats(both)[0] == -1.0f && sl_program_floats(both)[1] == 0.5f);
    assert_true(sl_program_floats(both)[2] == 2.0f && isnan(sl_program_floats(both)[3]));
    assert_true(sl_program_floats(above)[0] == -1.0f && sl_program_floats(above)[2] == 9.0f);
    assert_true(sl_program_floats(below)[0] == -3.0f && sl_program_floats(below)[2] == 2.0f);
    sl_program_end();
}

TEST(nothing_sums_to_zero_and_no_rows_are_no_work)
{
    sl_program_begin();
    uint32_t a = sl_program_add_tensor(SL_SIZES(2, 0)), b = sl_program_add_tensor(SL_SIZES(0, 3));
    uint32_t zeros = sl_program_add_tensor(SL_SIZES(2, 3));
    uint32_t none = sl_program_add_tensor(SL_SIZES(0, 3)),
             same = sl_program_add_tensor(SL_SIZES(0, 3));
    uint32_t dim = sl_program_add_int(1), no = sl_program_add_bool(false);
    uint32_t mean = sl_program_add_tensor(0, NULL), null = sl_program_add_null();
    sl_program_add_call("aten::mm.out", SL_ARGS(a, b, zeros));
    sl_program_add_call("aten::_softmax.out", SL_ARGS(none, dim, no, same));
    sl_program_add_call("aten::mean.dtype_out", SL_ARGS(zeros, null, mean));
    sl_program_must_load();
    for (int i = 0; i < 6; i++)
        sl_program_floats(zeros)[i] = 5.0f;
    sl_program_floats(mean)[0] = 5.0f;
    sl_program_must_execute();
    for (int i = 0; i < 6; i++)
        assert_true(sl_program_floats(zeros)[i] == 0.0f);
    assert_true(sl_program_floats(mean)[0] == 0.0f);
    sl_program_end();
}

TEST(doubles_stand_where_single_precision_is_computed)
{
    sl_program_begin();
    uint32_t x = sl_program_add_typed(SL_SCALAR_DOUBLE, SL_SIZES(2, 3), true);
    uint32_t y = sl_program_add_typed(SL_SCALAR_DOUBLE, SL_SIZES(2, 3), true);
    uint32_t dim = sl_program_add_int(1), no = sl_program_add_bool(false);
    sl_program_add_call("aten::_softmax.out", SL_ARGS(x, dim, no, y));
    sl_program_must_load();
    for (int i = 0; i < 6; i++)
        ((double *)sl_program_bytes(x))[i] = i % 3;
    sl_program_must_execute();
    for (int i = 0; i < 6; i++)
        sl_program_check_float((float)((double *)sl_program_bytes(y))[i],
                               exp(i % 3) / (1.0 + exp(1.0) + exp(2.0)));
    sl_program_end();
}

/* The program's eps, 1e-9, is not looked at: a small scale is held at 6.1e-5, none becomes 0.1. */
TEST(scales_are_chosen_as_executorch_chooses_them)
{
    static const float most[3] = {25.5f, 1e-4f, 0.0f};
    static const double want[3] = {25.5 / 255.0, (double)6.1e-5f, 0.1};
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(2)), low = sl_program_add_int(-128);
    uint32_t high = sl_program_add_int(127), eps = sl_program_add_double(1e-9);
    uint32_t type = sl_program_add_int(SL_SCALAR_CHAR);
    uint32_t scale = sl_program_add_typed(SL_SCALAR_DOUBLE, SL_SIZES(1), true);
    uint32_t zero = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(1), true);
    sl_program_add_call("quantized_decomposed::choose_qparams.Tensor_out",
                        SL_ARGS(x, low, high, eps, type, scale, zero));
    sl_program_must_load();
    for (int k = 0; k < 3; k++) {
        sl_program_floats(x)[0] = 0.0f;
        sl_program_floats(x)[1] = most[k];
        sl_program_must_execute();
        assert_true(fabs(*(double *)sl_program_bytes(scale) - want[k]) < 1e-9);
        assert_int_equal(*(int64_t *)sl_program_bytes(zero), k == 2 ? 127 : -128);
    }
    sl_program_end();
}

TEST(each_row_has_a_scale_and_a_zero_of_its_own)
{
    static const float in[6] = {0.0f, 25.5f, -1.0f, -3.0f, 0.0f, 0.0f};
    static const double scales[3] = {25.5 / 255.0, 3.0 / 255.0, 0.1};
    static const int64_t zeros[3] = {-128, 127, 127};
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(3, 2)), type = sl_program_add_int(SL_SCALAR_CHAR);
    uint32_t scale = sl_program_add_typed(SL_SCALAR_DOUBLE, SL_SIZES(3, 1), true);
    uint32_t zero = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(3, 1), true);
    sl_program_add_call("quantized_decomposed::choose_qparams_per_token_asymmetric.out",
                        SL_ARGS(x, type, scale, zero));
    sl_program_must_load();
    memcpy(sl_program_floats(x), in, sizeof(in));
    sl_program_must_execute();
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(((double *)sl_program_bytes(scale))[i] - scales[i]) < 1e-9);
        assert_int_equal(((int64_t *)sl_program_bytes(zero))[i], zeros[i]);
    }
    sl_program_end();
}

TEST(tables_of_two_bits_begin_with_the_lowest)
{
    static const float want[8] = {2.0f, -4.0f, -2.0f, 0.0f, 0.0f, 0.0f, 0.5f, -1.0f};
    sl_program_begin();
    uint32_t table = sl_program_add_typed(SL_SCALAR_BYTE, SL_SIZES(2, 1), true);
    uint32_t scales = sl_program_add_tensor(SL_SIZES(2)), none = sl_program_add_null();
    uint32_t index = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(2), true);
    uint32_t low = sl_program_add_int(-2), high = sl_program_add_int(1);
    uint32_t out = sl_program_add_tensor(SL_SIZES(2, 4));
    sl_program_add_call("quantized_decomposed::embedding_2bit.out",
                        SL_ARGS(table, scales, none, low, high, index, out));
    sl_program_must_load();
    memcpy(sl_program_bytes(table), (const uint8_t[]){0x3a, 0x93}, 2); /* 0 0 1 -2; 1 -2 -1 0 */
    memcpy(sl_program_floats(scales), (const float[]){0.5f, 2.0f}, 8);
    memcpy(sl_program_bytes(index), (const int64_t[]){1, 0}, 16);
    sl_program_must_execute();
    for (int i = 0; i < 8; i++)
        assert_true(sl_program_floats(out)[i] == want[i]);
    sl_program_end();
}

/* PyTorch would turn them back into logical order here. */
TEST(a_new_dimension_keeps_the_bytes_of_channels_last)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(1, 3, 2, 2)), at = sl_program_add_int(0);
    uint32_t y = sl_program_add_tensor(SL_SIZES(1, 1, 3, 2, 2));
    sl_program.tensors[x].dim_order = sl_program_order_of(4, true);
    sl_program_add_call("aten::unsqueeze_copy.out", SL_ARGS(x, at, y));
    sl_program_run();
    assert_memory_equal(sl_program_floats(y), sl_program_floats(x), 12 * sizeof(float));
    sl_program_end();
}

/* Computes with the program's numbers a and b, and the truth of a < b. */
static void check_numbers(int64_t a, int64_t b, int64_t quotient, int64_t rest, bool less)
{
    sl_program_begin();
    uint32_t x = sl_program_add_int(a), y = sl_program_add_int(b);
    uint32_t q = sl_program_add_int(0), r = sl_program_add_int(0), c = sl_program_add_bool(false);
    uint32_t n = sl_program_add_bool(false), chosen = sl_program_add_int(0);
    sl_program_add_call("executorch_prim::floordiv.int", SL_ARGS(x, y, q));
    sl_program_add_call("executorch_prim::mod.int", SL_ARGS(x, y, r));
    sl_program_add_call("executorch_prim::lt.Scalar", SL_ARGS(x, y, c));
    sl_program_add_call("executorch_prim::sym_not.Scalar", SL_ARGS(c, n));
    sl_program_add_call("executorch_prim::sym_ite.Scalar", SL_ARGS(n, x, y, chosen));
    for (int i = 0; i < 5; i++)
        sl_program.code[i].arg_count--; /* prim ops repeat no return entry */
    sl_program_run();
    const struct sl_method_value *values = sl_program.method->values;
    assert_int_equal(values[q].int_value, quotient);
    assert_int_equal(values[r].int_value, rest);
    assert_int_equal(values[n].bool_value, !less);
    assert_int_equal(values[chosen].int_value, less ? b : a);
    sl_program_end();
}

/* ExecuTorch's floordiv.int is C's, unlike floordiv.Scalar. */
TEST(numbers_divide_towards_zero_and_a_truth_chooses)
{
    check_numbers(-7, 2, -3, -1, true);
    check_numbers(7, -2, -3, 1, false);
    check_numbers(INT64_MIN, -1, INT64_MIN, 0, true);
}

TEST(a_choice_by_a_number_fails_with_its_reason)
{
    sl_program_begin();
    uint32_t x = sl_program_add_int(1), out = sl_program_add_int(0);
    sl_program_add_call("executorch_prim::sym_ite.Scalar", SL_ARGS(x, x, x, out));
    sl_program.code[0].arg_count--;
    sl_program_must_load();
    assert_int_not_equal(sl_variant_execute(sl_program.variant, false, &sl_program.diag), 0);
    assert_non_null(strstr(sl_program.diag.what, "not a Bool"));
    sl_program_end();
}

TEST(int32_takes_quantised_numbers_too)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(3)), one = sl_program_add_double(0.5);
    uint32_t zero = sl_program_add_int(3), type = sl_program_add_int(SL_SCALAR_INT);
    uint32_t low = sl_program_add_int(INT32_MIN), high = sl_program_add_int(INT32_MAX);
    uint32_t out = sl_program_add_typed(SL_SCALAR_INT, SL_SIZES(3), true);
    sl_program_add_call("quantized_decomposed::quantize_per_tensor.out",
                        SL_ARGS(x, one, zero, low, high, type, out));
    sl_program_must_load();
    sl_program_floats(x)[0] = 100000.25f;
    sl_program_floats(x)[1] = -4e9f;
    sl_program_floats(x)[2] = NAN;
    sl_program_must_execute();
    const int32_t *to = sl_program_bytes(out);
    assert_true(to[0] == 200003 && to[1] == INT32_MIN && to[2] == INT32_MIN);
    sl_program_end();
}
