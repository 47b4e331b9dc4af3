/* tests/unit/agent/runtime/ops/test_join.c: lists of tensors put together and taken apart, and
 * constant edges, against plain loops. */
#include <string.h>

#include "tests/support/program_case.h"
#include "tests/support/test.h"

static uint32_t add_list(uint32_t count, const uint32_t *tensors)
{
    uint32_t list = sl_program_add_list(0, NULL);
    sl_program.values[list].kind = SL_PTE_TENSOR_LIST;
    sl_program.values[list].list.count = count;
    for (uint32_t i = 0; i < count; i++)
        sl_program.lists[list][i] = tensors[i];
    return list;
}

TEST(tensors_are_joined_along_any_dimension)
{
    sl_program_begin();
    uint32_t a = sl_program_add_tensor(SL_SIZES(2, 3)), b = sl_program_add_tensor(SL_SIZES(2, 4)),
             c = sl_program_add_tensor(SL_SIZES(1, 3));
    uint32_t wide = sl_program_add_tensor(SL_SIZES(2, 7)),
             high = sl_program_add_tensor(SL_SIZES(3, 3));
    sl_program_add_call("aten::cat.out",
                        SL_ARGS(add_list(SL_ARGS(a, b)), sl_program_add_int(-1), wide));
    sl_program_add_call("aten::cat.out",
                        SL_ARGS(add_list(SL_ARGS(a, c)), sl_program_add_int(0), high));
    sl_program_run();
    for (int i = 0; i < 14; i++)
        sl_program_check_float(sl_program_floats(wide)[i],
                               (double)(i % 7 < 3 ? sl_program_floats(a)[i / 7 * 3 + i % 7]
                                                  : sl_program_floats(b)[i / 7 * 4 + i % 7 - 3]));
    for (int i = 0; i < 9; i++)
        sl_program_check_float(
            sl_program_floats(high)[i],
            (double)(i < 6 ? sl_program_floats(a)[i] : sl_program_floats(c)[i - 6]));
    sl_program_end();
}

TEST(a_stack_has_a_new_dimension)
{
    for (int dim = 0; dim < 3; dim++) {
        sl_program_begin();
        uint32_t a = sl_program_add_tensor(SL_SIZES(2, 3)),
                 b = sl_program_add_tensor(SL_SIZES(2, 3));
        int32_t sizes[3] = {dim == 0 ? 2 : 2, dim == 1 ? 2 : dim == 0 ? 2 : 3, dim == 2 ? 2 : 3};
        uint32_t y = sl_program_add_tensor(3, sizes);
        sl_program_add_call("aten::stack.out",
                            SL_ARGS(add_list(SL_ARGS(a, b)), sl_program_add_int(dim), y));
        sl_program_run();
        for (int i = 0; i < 12; i++) {
            int at[3] = {i / (sizes[1] * sizes[2]), i / sizes[2] % sizes[1], i % sizes[2]};
            int row = at[dim == 0 ? 1 : 0], column = at[dim == 2 ? 1 : 2];
            sl_program_check_float(sl_program_floats(y)[i],
                                   (double)sl_program_floats(at[dim] ? b : a)[row * 3 + column]);
        }
        sl_program_end();
    }
}

TEST(a_tensor_is_taken_apart)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(2, 5));
    uint32_t parts[] = {sl_program_add_tensor(SL_SIZES(2, 2)),
                        sl_program_add_tensor(SL_SIZES(2, 2)),
                        sl_program_add_tensor(SL_SIZES(2, 1))};
    uint32_t sized[] = {sl_program_add_tensor(SL_SIZES(2, 1)),
                        sl_program_add_tensor(SL_SIZES(2, 4))};
    uint32_t rows[] = {sl_program_add_tensor(SL_SIZES(5)), sl_program_add_tensor(SL_SIZES(5))};
    sl_program_add_call(
        "aten::split_copy.Tensor_out",
        SL_ARGS(x, sl_program_add_int(2), sl_program_add_int(1), add_list(3, parts)));
    sl_program_add_call("aten::split_with_sizes_copy.out",
                        SL_ARGS(x, sl_program_add_list(SL_SIZES(1, 4)), sl_program_add_int(-1),
                                add_list(2, sized)));
    sl_program_add_call("aten::unbind_copy.int_out",
                        SL_ARGS(x, sl_program_add_int(0), add_list(2, rows)));
    sl_program_run();
    for (int i = 0; i < 10; i++) {
        double want = (double)sl_program_floats(x)[i];
        int row = i / 5, column = i % 5;
        sl_program_check_float(
            sl_program_floats(parts[column / 2])[column < 4 ? row * 2 + column % 2 : row], want);
        sl_program_check_float(column < 1 ? sl_program_floats(sized[0])[row]
                                          : sl_program_floats(sized[1])[row * 4 + column - 1],
                               want);
        sl_program_check_float(sl_program_floats(rows[row])[column], want);
    }
    sl_program_end();
}

TEST(constant_edges_grow_and_cut)
{
    static const int32_t pads[][4] = {{1, 2, 0, 1}, {-1, 0, 2, 0}, {0, 0, -1, -1}, {3, -2, 0, 0}};
    for (size_t k = 0; k < sizeof(pads) / sizeof(pads[0]); k++) {
        int32_t h = 4 + pads[k][2] + pads[k][3], w = 5 + pads[k][0] + pads[k][1];
        sl_program_begin();
        uint32_t x = sl_program_add_tensor(SL_SIZES(4, 5)),
                 y = sl_program_add_tensor(SL_SIZES(h, w));
        sl_program_add_call("aten::constant_pad_nd.out", SL_ARGS(x, sl_program_add_list(4, pads[k]),
                                                                 sl_program_add_double(9.5), y));
        sl_program_run();
        for (int32_t i = 0; i < h * w; i++) {
            int32_t row = i / w - pads[k][2], column = i % w - pads[k][0];
            bool inside = row >= 0 && row < 4 && column >= 0 && column < 5;
            sl_program_check_float(sl_program_floats(y)[i],
                                   inside ? (double)sl_program_floats(x)[row * 5 + column] : 9.5);
        }
        sl_program_end();
    }
}

static int taken(const char *name, uint32_t count, const uint32_t *args)
{
    sl_program_add_call(name, count, args);
    return sl_program_attempt();
}

TEST(shapes_that_do_not_fit_are_refused)
{
    sl_program_begin();
    uint32_t a = sl_program_add_tensor(SL_SIZES(2, 3)), b = sl_program_add_tensor(SL_SIZES(3, 4)),
             y = sl_program_add_tensor(SL_SIZES(2, 7));
    assert_int_not_equal(
        taken("aten::cat.out", SL_ARGS(add_list(SL_ARGS(a, b)), sl_program_add_int(1), y)), 0);
    sl_program_begin();
    a = sl_program_add_tensor(SL_SIZES(2, 3)), b = sl_program_add_tensor(SL_SIZES(3, 2)),
    y = sl_program_add_tensor(SL_SIZES(2, 2, 3));
    assert_int_not_equal(
        taken("aten::stack.out", SL_ARGS(add_list(SL_ARGS(a, b)), sl_program_add_int(0), y)), 0);
    sl_program_begin();
    a = sl_program_add_tensor(SL_SIZES(2, 5)), b = sl_program_add_tensor(SL_SIZES(2, 2)),
    y = sl_program_add_tensor(SL_SIZES(2, 2));
    assert_int_not_equal(taken("aten::split_with_sizes_copy.out",
                               SL_ARGS(a, sl_program_add_list(SL_SIZES(2, 2)),
                                       sl_program_add_int(1), add_list(SL_ARGS(b, y)))),
                         0);
    sl_program_begin();
    a = sl_program_add_tensor(SL_SIZES(2, 5)), y = sl_program_add_tensor(SL_SIZES(2, 5));
    assert_int_not_equal(
        taken("aten::constant_pad_nd.out",
              SL_ARGS(a, sl_program_add_list(SL_SIZES(1, 1, 1)), sl_program_add_double(0), y)),
        0);
}
