/* tests/unit/agent/runtime/ops/test_remap.c: rolling, mirroring and repeating edges, and triangles,
 * against plain loops. */
#include "tests/support/program_case.h"
#include "tests/support/test.h"

/* The place in the line that position `at` of the padded one comes from. */
static int32_t source(int32_t at, int32_t before, int32_t size, bool reflects)
{
    int32_t from = at - before;
    if (!reflects)
        return from < 0 ? 0 : from >= size ? size - 1 : from;
    return from < 0 ? -from : from >= size ? 2 * (size - 1) - from : from;
}

static void check_pad_2d(const char *name, bool reflects, const int32_t pads[4])
{
    enum { C = 3, H = 4, W = 5 };
    const int32_t h = H + pads[2] + pads[3], w = W + pads[0] + pads[1];
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(2, C, H, W)),
             y = sl_program_add_tensor(SL_SIZES(2, C, h, w));
    sl_program_add_call(name, SL_ARGS(x, sl_program_add_list(4, pads), y));
    sl_program_run();
    for (int32_t i = 0; i < 2 * C * h * w; i++) {
        int32_t plane = i / (h * w), row = source(i / w % h, pads[2], H, reflects),
                column = source(i % w, pads[0], W, reflects);
        sl_program_check_float(sl_program_floats(y)[i],
                               (double)sl_program_floats(x)[(plane * H + row) * W + column]);
    }
    sl_program_end();
}

TEST(edges_are_mirrored_or_repeated_in_two_dimensions)
{
    static const int32_t pads[][4] = {{1, 2, 3, 0}, {0, 0, 1, 1}, {4, 4, 3, 3}, {-1, 2, 0, -2}};
    for (size_t i = 0; i < sizeof(pads) / sizeof(pads[0]); i++) {
        check_pad_2d("aten::reflection_pad2d.out", true, pads[i]);
        check_pad_2d("aten::replication_pad2d.out", false, pads[i]);
    }
}

TEST(edges_are_mirrored_or_repeated_in_one_and_three)
{
    for (int reflects = 0; reflects < 2; reflects++) {
        sl_program_begin();
        uint32_t x = sl_program_add_tensor(SL_SIZES(2, 6)),
                 y = sl_program_add_tensor(SL_SIZES(2, 11));
        uint32_t v = sl_program_add_tensor(SL_SIZES(1, 2, 3, 4)),
                 u = sl_program_add_tensor(SL_SIZES(1, 4, 4, 6));
        sl_program_add_call(reflects ? "aten::reflection_pad1d.out" : "aten::replication_pad1d.out",
                            SL_ARGS(x, sl_program_add_list(SL_SIZES(2, 3)), y));
        sl_program_add_call(reflects ? "aten::reflection_pad3d.out" : "aten::replication_pad3d.out",
                            SL_ARGS(v, sl_program_add_list(SL_SIZES(1, 1, 0, 1, 1, 1)), u));
        sl_program_run();
        for (int32_t i = 0; i < 22; i++)
            sl_program_check_float(
                sl_program_floats(y)[i],
                (double)sl_program_floats(x)[i / 11 * 6 + source(i % 11, 2, 6, reflects)]);
        for (int32_t i = 0; i < 96; i++) {
            int32_t d = source(i / 24, 1, 2, reflects), r = source(i / 6 % 4, 0, 3, reflects),
                    c = source(i % 6, 1, 4, reflects);
            sl_program_check_float(sl_program_floats(u)[i],
                                   (double)sl_program_floats(v)[(d * 3 + r) * 4 + c]);
        }
        sl_program_end();
    }
}

TEST(a_roll_goes_round_in_each_dimension)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(3, 4)), y = sl_program_add_tensor(SL_SIZES(3, 4));
    sl_program_add_call("aten::roll.out", SL_ARGS(x, sl_program_add_list(SL_SIZES(1, -6)),
                                                  sl_program_add_list(SL_SIZES(0, -1)), y));
    sl_program_run();
    for (int32_t i = 0; i < 12; i++) {
        int32_t row = (i / 4 + 2) % 3, column = (i % 4 + 6) % 4;
        sl_program_check_float(sl_program_floats(y)[i],
                               (double)sl_program_floats(x)[row * 4 + column]);
    }
    sl_program_end();
}

TEST(a_triangle_keeps_what_is_on_or_below_its_diagonal)
{
    static const int64_t diagonals[] = {0, 1, -1, 7, -7, INT64_MIN, INT64_MAX};
    for (size_t d = 0; d < sizeof(diagonals) / sizeof(diagonals[0]); d++) {
        sl_program_begin();
        uint32_t x = sl_program_add_tensor(SL_SIZES(2, 3, 4)),
                 y = sl_program_add_tensor(SL_SIZES(2, 3, 4));
        sl_program_add_call("aten::tril.out", SL_ARGS(x, sl_program_add_int(diagonals[d]), y));
        sl_program_run();
        for (int32_t i = 0; i < 24; i++) {
            bool kept = i % 4 - i / 4 % 3 <= diagonals[d];
            sl_program_check_float(sl_program_floats(y)[i],
                                   kept ? (double)sl_program_floats(x)[i] : 0.0);
        }
        sl_program_end();
    }
}

/* Loads one call and gives what loading says. */
static int refused(const char *name, uint32_t pads, const int32_t *pad, int32_t out)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(2, 6)), y = sl_program_add_tensor(SL_SIZES(2, out));
    sl_program_add_call(name, SL_ARGS(x, sl_program_add_list(pads, pad), y));
    return sl_program_attempt();
}

TEST(padding_that_does_not_fit_is_refused)
{
    assert_int_not_equal(refused("aten::reflection_pad1d.out", SL_SIZES(6, 0), 12),
                         0); /* as wide as the line */
    assert_int_not_equal(refused("aten::reflection_pad1d.out", SL_SIZES(1), 7), 0);
    assert_int_not_equal(refused("aten::reflection_pad2d.out", SL_SIZES(1, 1, 1, 1), 8),
                         0); /* no plane */
    assert_int_not_equal(refused("aten::replication_pad1d.out", SL_SIZES(-4, -4), 0), 0);
    assert_int_equal(refused("aten::replication_pad1d.out", SL_SIZES(6, 0), 12), 0);
}
