/* tests/unit/agent/runtime/test_truth.c: comparisons and connections against plain ones. */
#include "agent/runtime/ops/truth.h"

#include <math.h>
#include <string.h>

#include "agent/runtime/ops/broadcast.h"
#include "agent/runtime/variant.h"
#include "common/format/scalar_type.h"
#include "kernels/cpu/half.h"
#include "tests/support/program_case.h"
#include "tests/support/test.h"

static const float values[6] = {1.5f, -1.5f, 0.0f, NAN, INFINITY, -INFINITY};

static bool holds(int op, float a, float b)
{
    switch (op) {
    case SL_TRUTH_EQUAL:
        return a == b;
    case SL_TRUTH_UNEQUAL:
        return a != b;
    case SL_TRUTH_LESS:
        return a < b;
    case SL_TRUTH_ATMOST:
        return a <= b;
    case SL_TRUTH_MORE:
        return a > b;
    case SL_TRUTH_ATLEAST:
        return a >= b;
    case SL_TRUTH_AND:
        return a != 0 && b != 0;
    case SL_TRUTH_OR:
        return a != 0 || b != 0;
    case SL_TRUTH_XOR:
        return (a != 0) != (b != 0);
    case SL_TRUTH_NOT:
        return a == 0;
    case SL_TRUTH_NAN:
        return isnan(a);
    default:
        return isinf(a);
    }
}

static const char *const names[] = {
    "aten::eq.Tensor_out",   "aten::ne.Tensor_out",  "aten::lt.Tensor_out",
    "aten::le.Tensor_out",   "aten::gt.Tensor_out",  "aten::ge.Tensor_out",
    "aten::logical_and.out", "aten::logical_or.out", "aten::logical_xor.out",
    "aten::logical_not.out", "aten::isnan.out",      "aten::isinf.out"};

static void put(int type, uint32_t tensor, size_t i, float value)
{
    uint8_t *bytes = sl_program_bytes(tensor);
    uint16_t half = sl_half_from_float(value);
    if (type == SL_SCALAR_FLOAT)
        memcpy(bytes + i * 4, &value, 4);
    else if (type == SL_SCALAR_HALF)
        memcpy(bytes + i * 2, &half, 2);
    else
        bytes[i] = value != 0;
}

/* Every value in rows with every other in columns. */
static void check(int op, int type)
{
    bool one = op >= SL_TRUTH_NOT;
    sl_program_begin();
    uint32_t x = sl_program_add_typed(type, SL_SIZES(6, 1), true);
    uint32_t y = sl_program_add_typed(type, SL_SIZES(2, 1, 6), true);
    uint32_t out = one ? sl_program_add_typed(SL_SCALAR_BOOL, SL_SIZES(6, 1), true)
                       : sl_program_add_typed(SL_SCALAR_BOOL, SL_SIZES(2, 6, 6), true);
    if (one)
        sl_program_add_call(names[op], SL_ARGS(x, out));
    else
        sl_program_add_call(names[op], SL_ARGS(x, y, out));
    sl_program_must_load();
    for (size_t i = 0; i < 12; i++) {
        put(type, y, i, values[i % 6]);
        if (i < 6)
            put(type, x, i, values[i]);
    }
    sl_program_must_execute();
    const struct sl_op_call *call = sl_program.variant->calls;
    assert_null(strstr(call->steps[call->main_step].kernel, "_map_"));
    const uint8_t *got = sl_program_bytes(out);
    for (size_t i = 0; i < (one ? 6 : 72); i++) {
        float a = values[one ? i : i / 6 % 6], b = values[i % 6];
        if (type == SL_SCALAR_BOOL) {
            a = a != 0;
            b = b != 0;
        }
        if (got[i] != holds(op, a, b))
            fail_msg("%s of %g and %g is %d", names[op], (double)a, (double)b, got[i]);
    }
    sl_program_end();
}

TEST(truths_of_every_pair_are_those_of_c)
{
    for (int op = SL_TRUTH_EQUAL; op <= SL_TRUTH_INFINITE; op++) {
        check(op, SL_SCALAR_FLOAT);
        check(op, SL_SCALAR_HALF);
        if (op >= SL_TRUTH_AND && op <= SL_TRUTH_NOT)
            check(op, SL_SCALAR_BOOL);
    }
}

TEST(a_number_is_compared_with_each_element)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(6));
    uint32_t more = sl_program_add_typed(SL_SCALAR_BOOL, SL_SIZES(6), true);
    sl_program_add_call("aten::gt.Scalar_out", SL_ARGS(x, sl_program_add_int(-1), more));
    sl_program_must_load();
    memcpy(sl_program_bytes(x), values, sizeof(values));
    sl_program_must_execute();
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(((uint8_t *)sl_program_bytes(more))[i], values[i] > -1);
    sl_program_end();
}

/* Chooses between tensors that broadcast, and a number; compares bits, so that zeros keep their
 * signs. */
static void check_choice(int type)
{
    static const float zeros[6] = {-0.0f, 0.0f, 1.0f, NAN, -INFINITY, -2.0f};
    sl_program_begin();
    uint32_t x = sl_program_add_typed(type, SL_SIZES(6), true);
    uint32_t y = sl_program_add_typed(type, SL_SIZES(2, 6), true);
    uint32_t which = sl_program_add_typed(SL_SCALAR_BOOL, SL_SIZES(2, 1), true);
    uint32_t chosen = sl_program_add_typed(type, SL_SIZES(2, 6), true);
    uint32_t filled = sl_program_add_typed(type, SL_SIZES(2, 6), true);
    sl_program_add_call("aten::where.self_out", SL_ARGS(which, x, y, chosen));
    sl_program_add_call("aten::masked_fill.Scalar_out",
                        SL_ARGS(y, which, sl_program_add_int(3), filled));
    sl_program_must_load();
    for (size_t i = 0; i < 12; i++) {
        put(type, y, i, values[(i + 1) % 6]);
        put(type, x, i % 6, zeros[i % 6]);
    }
    put(SL_SCALAR_BOOL, which, 0, 1);
    put(SL_SCALAR_BOOL, which, 1, 0);
    sl_program_must_execute();
    for (size_t k = 0; k < 2; k++) {
        const struct sl_op_call *call = &sl_program.variant->calls[k];
        assert_non_null(strstr(call->steps[call->main_step].kernel, "sl_binary_keep_f32"));
    }
    size_t bytes = type == SL_SCALAR_FLOAT ? 4 : 2, row = 6 * bytes;
    const uint8_t *got = sl_program_bytes(chosen), *rest = sl_program_bytes(filled);
    const uint8_t *second = (uint8_t *)sl_program_bytes(y) + row;
    assert_memory_equal(got, sl_program_bytes(x), row);
    assert_memory_equal(got + row, second, row);
    assert_memory_equal(rest + row, second, row);
    put(type, x, 0, 3);
    assert_memory_equal(rest + 5 * bytes, sl_program_bytes(x), bytes);
    sl_program_end();
}

TEST(choices_are_exact_to_the_bit)
{
    check_choice(SL_SCALAR_FLOAT);
    check_choice(SL_SCALAR_HALF);
}

/* Lines of 5 with one number that differs, and none: along any dimensions, of f32 and of Bools. */
static void check_any_and_all(int type, uint32_t dim_count, const int32_t *dims, unsigned mask)
{
    static const int32_t sizes[3] = {2, 3, 5};
    int32_t kept[3];
    size_t strides[3], left = 1;
    for (int d = 3; d-- > 0;) {
        kept[d] = mask >> d & 1 ? 1 : sizes[d];
        strides[d] = mask >> d & 1 ? 0 : left;
        left *= (size_t)kept[d];
    }
    for (int all = 0; all < 2; all++) {
        bool want[30];
        sl_program_begin();
        uint32_t x = sl_program_add_typed(type, 3, sizes, true);
        uint32_t y = sl_program_add_typed(SL_SCALAR_BOOL, 3, kept, true);
        sl_program_add_call(
            all ? "aten::all.dims_out" : "aten::any.dims_out",
            SL_ARGS(x, sl_program_add_list(dim_count, dims), sl_program_add_bool(true), y));
        sl_program_must_load();
        for (size_t i = 0; i < left; i++)
            want[i] = all;
        for (size_t i = 0; i < 30; i++) {
            bool odd = i == 7 || i == 21;
            size_t at = i / 15 * strides[0] + i / 5 % 3 * strides[1] + i % 5 * strides[2];
            put(type, x, i, odd != all ? NAN : 0);
            want[at] = odd ? !all : want[at];
        }
        sl_program_must_execute();
        assert_memory_equal(sl_program_bytes(y), want, left);
        sl_program_end();
    }
}

TEST(any_and_all_are_found_along_any_dimensions)
{
    static const int types[] = {SL_SCALAR_FLOAT, SL_SCALAR_HALF, SL_SCALAR_BOOL};
    for (size_t k = 0; k < 3; k++) {
        check_any_and_all(types[k], SL_SIZES(2), 4);
        check_any_and_all(types[k], SL_SIZES(0), 1);
        check_any_and_all(types[k], SL_SIZES(0, -1), 5);
        check_any_and_all(types[k], SL_SIZES(0, 1, 2), 7);
    }
}

TEST(tensors_broadcast_from_the_end_or_are_refused)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(2, 1, 4)),
             y = sl_program_add_tensor(SL_SIZES(3, 1)),
             z = sl_program_add_tensor(SL_SIZES(2, 3, 4)), w = sl_program_add_tensor(SL_SIZES(2));
    sl_program_add_call("aten::mul.out", SL_ARGS(x, y, z));
    sl_program_must_load();
    struct sl_op_call *call = sl_program.variant->calls;
    const struct sl_tensor *inputs[3] = {sl_method_tensor(sl_program.method, x), NULL,
                                         sl_method_tensor(sl_program.method, y)};
    struct sl_tensor *out = sl_method_tensor(sl_program.method, z);
    assert_int_equal(sl_broadcast_sizes(call, 3, inputs, out, &sl_program.diag), 0);
    inputs[1] = sl_method_tensor(sl_program.method, w);
    assert_int_equal(sl_broadcast_sizes(call, 3, inputs, out, &sl_program.diag),
                     SL_ET_INVALID_ARGUMENT);
    assert_string_equal(sl_program.diag.what, "its inputs do not broadcast");
    sl_program_end();
}
