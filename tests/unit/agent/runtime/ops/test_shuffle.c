/* tests/unit/agent/runtime/ops/test_shuffle.c: pixels exchanged with channels, diagonals, windows
 * and parts of dimensions, against plain loops. */
#include "tests/support/program_case.h"
#include "tests/support/test.h"

TEST(channels_become_pixels_and_pixels_channels)
{
    enum { R = 2, C = 3, H = 2, W = 4 };
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(2, C * R * R, H, W)),
             y = sl_program_add_tensor(SL_SIZES(2, C, H * R, W * R)),
             back = sl_program_add_tensor(SL_SIZES(2, C * R * R, H, W));
    sl_program_add_call("aten::pixel_shuffle.out", SL_ARGS(x, sl_program_add_int(R), y));
    sl_program_add_call("aten::pixel_unshuffle.out", SL_ARGS(y, sl_program_add_int(R), back));
    sl_program_run();
    for (int i = 0; i < 2 * C * H * R * W * R; i++) {
        int column = i % (W * R), row = i / (W * R) % (H * R), plane = i / (W * R * H * R);
        int channel = (plane % C * R + row % R) * R + column % R;
        int from = ((plane / C * C * R * R + channel) * H + row / R) * W + column / R;
        sl_program_check_float(sl_program_floats(y)[i], (double)sl_program_floats(x)[from]);
        sl_program_check_float(sl_program_floats(back)[i], (double)sl_program_floats(x)[i]);
    }
    sl_program_end();
}

TEST(a_diagonal_comes_last)
{
    static const int offsets[] = {0, 1, -2};
    for (int k = 0; k < 3; k++) {
        int length = offsets[k] == 0 ? 3 : offsets[k] == 1 ? 3 : 1;
        sl_program_begin();
        uint32_t x = sl_program_add_tensor(SL_SIZES(3, 2, 4)),
                 y = sl_program_add_tensor(SL_SIZES(2, length));
        sl_program_add_call("aten::diagonal_copy.out",
                            SL_ARGS(x, sl_program_add_int(offsets[k]), sl_program_add_int(0),
                                    sl_program_add_int(-1), y));
        sl_program_run();
        for (int i = 0; i < 2 * length; i++) {
            int at = i % length, row = at + (offsets[k] < 0 ? -offsets[k] : 0),
                column = at + (offsets[k] > 0 ? offsets[k] : 0);
            sl_program_check_float(
                sl_program_floats(y)[i],
                (double)sl_program_floats(x)[(row * 2 + i / length) * 4 + column]);
        }
        sl_program_end();
    }
}

TEST(windows_slide_over_a_dimension)
{
    enum { SIZE = 3, STEP = 2, COUNT = 3 };
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(2, 8)),
             y = sl_program_add_tensor(SL_SIZES(2, COUNT, SIZE));
    sl_program_add_call(
        "aten::unfold_copy.out",
        SL_ARGS(x, sl_program_add_int(1), sl_program_add_int(SIZE), sl_program_add_int(STEP), y));
    sl_program_run();
    for (int i = 0; i < 2 * COUNT * SIZE; i++)
        sl_program_check_float(sl_program_floats(y)[i],
                               (double)sl_program_floats(
                                   x)[i / (COUNT * SIZE) * 8 + i / SIZE % COUNT * STEP + i % SIZE]);
    sl_program_end();
}

TEST(a_part_of_a_dimension_is_copied)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(3, 5)), y = sl_program_add_tensor(SL_SIZES(3, 2)),
             z = sl_program_add_tensor(SL_SIZES(1, 5));
    sl_program_add_call(
        "aten::narrow_copy.out",
        SL_ARGS(x, sl_program_add_int(-1), sl_program_add_int(2), sl_program_add_int(2), y));
    sl_program_add_call(
        "aten::narrow_copy.out",
        SL_ARGS(x, sl_program_add_int(0), sl_program_add_int(2), sl_program_add_int(1), z));
    sl_program_run();
    for (int i = 0; i < 6; i++)
        sl_program_check_float(sl_program_floats(y)[i],
                               (double)sl_program_floats(x)[i / 2 * 5 + 2 + i % 2]);
    for (int i = 0; i < 5; i++)
        sl_program_check_float(sl_program_floats(z)[i], (double)sl_program_floats(x)[10 + i]);
    sl_program_end();
}

/* Loads one call of three numbers and gives what loading or executing says. */
static int taken(const char *name, int64_t a, int64_t b, int64_t c)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(3, 5)), y = sl_program_add_tensor(SL_SIZES(3, 5));
    sl_program_add_call(
        name, SL_ARGS(x, sl_program_add_int(a), sl_program_add_int(b), sl_program_add_int(c), y));
    return sl_program_attempt();
}

TEST(arguments_outside_of_the_shape_are_refused)
{
    assert_int_not_equal(taken("aten::diagonal_copy.out", 0, 0, 0),
                         0); /* the same dimension twice */
    assert_int_not_equal(taken("aten::diagonal_copy.out", 0, 0, 2), 0);
    assert_int_not_equal(taken("aten::unfold_copy.out", 2, 1, 1), 0);
    assert_int_not_equal(taken("aten::unfold_copy.out", 1, 6, 1), 0);
    assert_int_not_equal(taken("aten::unfold_copy.out", 1, 2, 0), 0);
    assert_int_not_equal(taken("aten::narrow_copy.out", 1, 4, 2), 0);
    assert_int_not_equal(taken("aten::narrow_copy.out", 1, 0, -1), 0);
    assert_int_not_equal(taken("aten::narrow_copy.out", 3, 0, 1), 0);
    assert_int_not_equal(taken("aten::narrow_copy.out", 0, -1, 1),
                         0); /* as ExecuTorch fails then */
}
