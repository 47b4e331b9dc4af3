/* tests/unit/agent/runtime/ops/test_prim.c: a program's own arithmetic, against C's and Python's.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/program_case.h"
#include "tests/support/test.h"

/* The result of an operator on numbers, which it puts to the last argument. */
static struct sl_method_value computed(const char *name, uint32_t count, const uint32_t *args,
                                       int *out_rc)
{
    sl_program_add_call(name, count, args);
    sl_program.code[0].arg_count--; /* prim ops repeat no return entry */
    sl_program_must_load();
    *out_rc = sl_variant_execute(sl_program.variant, false, &sl_program.diag);
    struct sl_method_value value = sl_program.method->values[args[count - 1]];
    sl_program_end();
    return value;
}

TEST(whole_numbers_compute_as_python_has_it)
{
    static const struct {
        const char *name;
        int64_t a, b, want;
    } cases[] = {
        {"add", INT64_MAX, 1, INT64_MIN},
        {"sub", 3, 10, -7},
        {"mul", -4, 6, -24},
        {"floordiv", -7, 2, -4},
        {"floordiv", 7, -2, -4},
        {"floordiv", -8, 2, -4},
        {"floordiv", INT64_MIN, -1, INT64_MIN},
        {"mod", 7, 4, 3},
        {"sym_max", -3, 5, 5},
        {"sym_max", 5, -3, 5},
        {"sym_min", -3, 5, -3},
        {"sym_min", 5, -3, -3},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char name[64];
        int rc;
        snprintf(name, sizeof(name), "executorch_prim::%s.Scalar", cases[i].name);
        sl_program_begin();
        uint32_t a = sl_program_add_int(cases[i].a), b = sl_program_add_int(cases[i].b),
                 out = sl_program_add_int(0);
        struct sl_method_value value = computed(name, SL_ARGS(a, b, out), &rc);
        assert_int_equal(rc, 0);
        if (value.int_value != cases[i].want)
            fail_msg("%s: case %zu gives %lld", name, i, (long long)value.int_value);
    }
}

TEST(a_division_by_zero_ends_the_execution_with_its_reason)
{
    static const char *const names[] = {"floordiv.Scalar", "truediv.Scalar", "mod.Scalar",
                                        "floordiv.int", "mod.int"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char name[64];
        int rc;
        snprintf(name, sizeof(name), "executorch_prim::%s", names[i]);
        sl_program_begin();
        uint32_t a = sl_program_add_int(7), zero = sl_program_add_int(0),
                 out = sl_program_add_int(0);
        computed(name, SL_ARGS(a, zero, out), &rc);
        if (rc == 0)
            fail_msg("%s divides by zero", name);
        assert_true(sl_program.diag.what[0] != '\0');
    }
}

TEST(reals_and_mixed_numbers_compute_in_double)
{
    static const struct {
        const char *name;
        double a, b, want;
    } cases[] = {
        {"add", 0.5, 0.25, 0.75},  {"sub", 0.5, 0.75, -0.25},   {"mul", -1.5, 4, -6},
        {"truediv", 1, 4, 0.25},   {"sym_max", -0.5, 0.5, 0.5}, {"sym_min", -0.5, 0.5, -0.5},
        {"floordiv", -7.5, 2, -4},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char name[64];
        int rc;
        snprintf(name, sizeof(name), "executorch_prim::%s.Scalar", cases[i].name);
        sl_program_begin();
        uint32_t a = sl_program_add_double(cases[i].a);
        uint32_t b = i % 2                             ? sl_program_add_double(cases[i].b)
                     : cases[i].b == floor(cases[i].b) ? sl_program_add_int((int64_t)cases[i].b)
                                                       : sl_program_add_double(cases[i].b);
        uint32_t out = sl_program_add_double(0);
        struct sl_method_value value = computed(name, SL_ARGS(a, b, out), &rc);
        assert_int_equal(rc, 0);
        if (fabs(value.double_value - cases[i].want) > 1e-12)
            fail_msg("%s: %g", name, value.double_value);
    }
}

TEST(comparisons_hold_or_not_and_never_of_a_nan)
{
    static const char *const names[] = {"eq", "lt", "le", "gt", "ge"};
    static const double numbers[] = {-1.5, 0, 2, NAN};
    for (size_t op = 0; op < 5; op++) {
        for (size_t i = 0; i < 16; i++) {
            double a = numbers[i / 4], b = numbers[i % 4];
            bool want = op == 0   ? a == b
                        : op == 1 ? a < b
                        : op == 2 ? a <= b
                        : op == 3 ? a > b
                                  : a >= b;
            char name[64];
            int rc;
            snprintf(name, sizeof(name), "executorch_prim::%s.Scalar", names[op]);
            sl_program_begin();
            uint32_t x = sl_program_add_double(a), y = sl_program_add_double(b),
                     out = sl_program_add_bool(!want);
            struct sl_method_value value = computed(name, SL_ARGS(x, y, out), &rc);
            assert_int_equal(rc, 0);
            if (value.bool_value != want)
                fail_msg("%g %s %g", a, names[op], b);
        }
    }
}

TEST(single_numbers_are_negated_and_rounded)
{
    static const struct {
        const char *name;
        double a, want;
        bool whole; /* the result is an integer */
    } cases[] = {
        {"neg", 2.5, -2.5, false}, {"ceil", 2.1, 3, true},  {"ceil", -2.1, -2, true},
        {"round", 2.5, 2, true},   {"round", 3.5, 4, true}, {"trunc", -2.9, -2, true},
        {"sym_int", 7.9, 7, true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char name[64];
        int rc;
        snprintf(name, sizeof(name), "executorch_prim::%s.Scalar", cases[i].name);
        sl_program_begin();
        uint32_t a = sl_program_add_double(cases[i].a),
                 out = cases[i].whole ? sl_program_add_int(0) : sl_program_add_double(0);
        struct sl_method_value value = computed(name, SL_ARGS(a, out), &rc);
        assert_int_equal(rc, 0);
        double have = value.kind == SL_PTE_INT ? (double)value.int_value : value.double_value;
        if (have != cases[i].want)
            fail_msg("%s of %g: %g", name, cases[i].a, have);
    }
    int rc;
    sl_program_begin();
    uint32_t a = sl_program_add_int(-3), out = sl_program_add_double(0);
    assert_true(computed("executorch_prim::sym_float.Scalar", SL_ARGS(a, out), &rc).double_value ==
                -3.0);
}

TEST(a_tensor_says_its_size_and_its_only_number)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(2, 3, 4)), one = sl_program_add_tensor(SL_SIZES(1));
    uint32_t size = sl_program_add_int(0), all = sl_program_add_int(0),
             item = sl_program_add_double(0);
    sl_program_add_call("aten::sym_size.int", SL_ARGS(x, sl_program_add_int(-1), size));
    sl_program_add_call("aten::sym_numel", SL_ARGS(x, all));
    sl_program_add_call("aten::_local_scalar_dense", SL_ARGS(one, item));
    for (int i = 0; i < 3; i++)
        sl_program.code[i].arg_count--;
    sl_program_must_load();
    sl_program_must_execute();
    const struct sl_method_value *values = sl_program.method->values;
    assert_int_equal(values[size].int_value, 4);
    assert_int_equal(values[all].int_value, 24);
    sl_program_check_float((float)values[item].double_value, (double)sl_program_floats(one)[0]);
    sl_program_end();
}
