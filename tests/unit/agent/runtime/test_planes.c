/* tests/unit/agent/runtime/test_planes.c: pooling, resizing and lookups outside delegates against
 * plain loops, at widths that vectors are for and at those that they are not. */
#include <math.h>
#include <string.h>

#include "common/format/scalar_type.h"
#include "kernels/cpu/isa.h"
#include "tests/support/program_case.h"
#include "tests/support/test.h"

enum { PLANES = 2, HEIGHT = 5 };

static uint32_t pair(int32_t h, int32_t w)
{
    return sl_program_add_list(SL_SIZES(h, w));
}

/* Few values, so that many are equal; whole windows of -infinity; some NaNs. */
static void fill_with_ties(float *x, int32_t count)
{
    static const float values[] = {-0.0f, 0.0f, 1.0f, 1.0f, -INFINITY, NAN};
    for (int32_t i = 0, state = 1; i < count; i++) {
        state = (state * 75 + 74) % 65537;
        x[i] = i % 59 < 30 ? values[state % (i % 7 ? 4 : 6)] : -INFINITY;
    }
}

static void check_max_pool(int32_t width, int32_t kernel, int32_t stride, bool ties)
{
    int32_t pad = kernel / 2, high = (HEIGHT + 2 * pad - kernel) / stride + 1;
    int32_t wide = (width + 2 * pad - kernel) / stride + 1;
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(1, PLANES, HEIGHT, width));
    uint32_t y = sl_program_add_tensor(SL_SIZES(1, PLANES, high, wide));
    uint32_t index = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(1, PLANES, high, wide), true);
    sl_program_add_call("aten::max_pool2d_with_indices.out",
                        SL_ARGS(x, pair(kernel, kernel), pair(stride, stride), pair(pad, pad),
                                pair(1, 1), sl_program_add_bool(false), y, index));
    sl_program_run();
    if (ties) {
        fill_with_ties(sl_program_floats(x), PLANES * HEIGHT * width);
        assert_int_equal(sl_variant_execute(sl_program.variant, false, &sl_program.diag), 0);
    }
    const int64_t *places = (const int64_t *)(const void *)sl_program_floats(index);
    for (int32_t i = 0; i < PLANES * high * wide; i++) {
        const float *plane = sl_program_floats(x) + i / (high * wide) * HEIGHT * width;
        int32_t top = i / wide % high * stride - pad, left = i % wide * stride - pad, best = -1;
        for (int32_t k = 0; k < HEIGHT * width; k++)
            if (k / width >= top && k / width < top + kernel && k % width >= left &&
                k % width < left + kernel &&
                (best < 0 || plane[k] > plane[best])) /* no number is more than a first NaN */
                best = k;
        assert_int_equal(places[i], best);
        assert_memory_equal(&sl_program_floats(y)[i], &plane[best], sizeof(float));
    }
    sl_program_end();
}

TEST(max_pool_names_the_first_maximum)
{
    for (int32_t kernel = 1; kernel < 4; kernel++)
        for (int32_t stride = 1; stride < 4; stride++)
            for (int32_t width = 7; width < 120; width += 37) {
                check_max_pool(width, kernel, stride, false);
                check_max_pool(width, kernel, stride, true);
            }
    check_max_pool(1300, 3, 1, true); /* more columns than are taken at once */
    check_max_pool(1300, 2, 2, true);
}

/* As ExecuTorch has it, unlike PyTorch, where each NaN wins. */
TEST(max_pool_gives_a_nan_only_where_a_window_begins_with_it)
{
    enum { WIDTH = 16 };
    static const int64_t places[WIDTH / 2] = {0, 3, 5, 22, 9, 10, 29, 15};
    static const bool nans[WIDTH / 2] = {true, false, false, false, false, true, false, false};
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(1, 1, 2, WIDTH));
    uint32_t y = sl_program_add_tensor(SL_SIZES(1, 1, 1, WIDTH / 2));
    uint32_t index = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(1, 1, 1, WIDTH / 2), true);
    sl_program_add_call("aten::max_pool2d_with_indices.out",
                        SL_ARGS(x, pair(2, 2), pair(2, 2), pair(0, 0), pair(1, 1),
                                sl_program_add_bool(false), y, index));
    sl_program_run();
    for (int filled = 0; filled < 2; filled++) { /* no NaN in the first row; some */
        float *in = sl_program_floats(x);
        for (int32_t i = 0; i < 2 * WIDTH; i++)
            in[i] = 1.0f;
        in[3] = in[5] = in[22] = in[9] = in[29] = in[15] = 2.0f;
        in[18] = in[20] = in[28] = in[31] = NAN; /* all in the second row */
        if (filled)
            in[0] = in[7] = in[10] = NAN;
        else
            in[0] = in[10] = 2.0f;
        assert_int_equal(sl_variant_execute(sl_program.variant, false, &sl_program.diag), 0);
        const int64_t *at = (const int64_t *)(const void *)sl_program_floats(index);
        for (int32_t i = 0; i < WIDTH / 2; i++) {
            assert_int_equal(at[i], places[i]);
            assert_int_equal(isnan(sl_program_floats(y)[i]), filled && nans[i]);
            assert_true(isnan(sl_program_floats(y)[i]) || sl_program_floats(y)[i] == 2.0f);
        }
    }
    sl_program_end();
}

static void check_average_pool(int32_t width, int32_t kernel, int32_t stride, bool padding_counts)
{
    int32_t pad = kernel / 2, high = (HEIGHT + 2 * pad - kernel) / stride + 1;
    int32_t wide = (width + 2 * pad - kernel) / stride + 1;
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(1, PLANES, HEIGHT, width));
    uint32_t y = sl_program_add_tensor(SL_SIZES(1, PLANES, high, wide));
    uint32_t no = sl_program_add_bool(false), counts = sl_program_add_bool(padding_counts);
    sl_program_add_call("aten::avg_pool2d.out",
                        SL_ARGS(x, pair(kernel, kernel), pair(stride, stride), pair(pad, pad), no,
                                counts, sl_program_add_null(), y));
    sl_program_run();
    for (int32_t i = 0; i < PLANES * high * wide; i++) {
        const float *plane = sl_program_floats(x) + i / (high * wide) * HEIGHT * width;
        int32_t top = i / wide % high * stride - pad, left = i % wide * stride - pad, count = 0;
        double sum = 0.0;
        for (int32_t k = 0; k < HEIGHT * width; k++)
            if (k / width >= top && k / width < top + kernel && k % width >= left &&
                k % width < left + kernel) {
                sum += (double)plane[k];
                count++;
            }
        sl_program_check_float(sl_program_floats(y)[i],
                               sum / (padding_counts ? kernel * kernel : count));
    }
    sl_program_end();
}

TEST(average_pool_divides_by_what_counts)
{
    for (int32_t kernel = 1; kernel < 4; kernel++)
        for (int32_t stride = 1; stride < 4; stride++) {
            check_average_pool(7, kernel, stride, stride % 2);
            check_average_pool(41, kernel, stride, kernel % 2);
        }
}

static void check_adaptive(int32_t width, int32_t high, int32_t wide)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(1, PLANES, HEIGHT, width));
    uint32_t y = sl_program_add_tensor(SL_SIZES(1, PLANES, high, wide));
    sl_program_add_call("aten::_adaptive_avg_pool2d.out", SL_ARGS(x, pair(high, wide), y));
    sl_program_run();
    for (int32_t i = 0; i < PLANES * high * wide; i++) {
        const float *plane = sl_program_floats(x) + i / (high * wide) * HEIGHT * width;
        int32_t row = i / wide % high, column = i % wide, count = 0;
        double sum = 0.0;
        for (int32_t r = row * HEIGHT / high; r * high < (row + 1) * HEIGHT; r++)
            for (int32_t c = column * width / wide; c * wide < (column + 1) * width; c++, count++)
                sum += (double)plane[r * width + c];
        sl_program_check_float(sl_program_floats(y)[i], sum / count);
    }
    sl_program_end();
}

TEST(adaptive_pool_covers_all_pixels)
{
    for (int32_t high = 1; high < 8; high += 2)
        for (int32_t wide = 1; wide < 20; wide += 3) {
            check_adaptive(7, high, wide);
            check_adaptive(33, high, wide);
        }
}

/* The two places around output place `at`, and how much of the second. */
static double between(int32_t at, int32_t in, int32_t out, bool corners, int32_t *places)
{
    float scale = corners ? (float)(in - 1) / (float)(out - 1) : (float)in / (float)out;
    float from = corners ? (float)at * scale : ((float)at + 0.5f) * scale - 0.5f;
    from = from > 0.0f ? from : 0.0f;
    places[0] = (int32_t)from < in ? (int32_t)from : in - 1;
    places[1] = places[0] + 1 < in ? places[0] + 1 : places[0];
    return (double)from - places[0];
}

static void check_resize(int32_t high, int32_t wide, bool corners)
{
    enum { WIDTH = 7 };
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(1, PLANES, HEIGHT, WIDTH)),
             none = sl_program_add_null();
    uint32_t y = sl_program_add_tensor(SL_SIZES(1, PLANES, high, wide));
    uint32_t near = sl_program_add_tensor(SL_SIZES(1, PLANES, high, wide));
    uint32_t size = pair(high, wide);
    sl_program_add_call("aten::upsample_bilinear2d.vec_out",
                        SL_ARGS(x, size, sl_program_add_bool(corners), none, y));
    sl_program_add_call("aten::upsample_nearest2d.vec_out", SL_ARGS(x, size, none, near));
    sl_program_run();
    for (int32_t i = 0; i < PLANES * high * wide; i++) {
        const float *plane = sl_program_floats(x) + i / (high * wide) * HEIGHT * WIDTH;
        int32_t h[2], w[2], row = i / wide % high, column = i % wide;
        double down = between(row, HEIGHT, high, corners, h);
        double right = between(column, WIDTH, wide, corners, w), lines[2];
        for (int k = 0; k < 2; k++)
            lines[k] = (double)plane[h[k] * WIDTH + w[0]] * (1 - right) +
                       (double)plane[h[k] * WIDTH + w[1]] * right;
        sl_program_check_float(sl_program_floats(y)[i], lines[0] * (1 - down) + lines[1] * down);
        int32_t from = (int32_t)((float)row * ((float)HEIGHT / (float)high)) * WIDTH;
        from += (int32_t)((float)column * ((float)WIDTH / (float)wide));
        assert_true(sl_program_floats(near)[i] == plane[from]);
    }
    sl_program_end();
}

TEST(resizing_mixes_neighbours)
{
    for (int32_t high = 2; high < 18; high += 3)
        for (int32_t wide = 2; wide < 50; wide += 11)
            for (int corners = 0; corners < 2; corners++)
                check_resize(high, wide, corners != 0);
}

/* x[:, rows, columns] where `both`, else x[:, rows]; rows are counted from the end by turns. */
static void check_lookup(int32_t count, bool both)
{
    enum { DEPTH = 3, WIDTH = 6 };
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(DEPTH, HEIGHT, WIDTH));
    uint32_t y = both ? sl_program_add_tensor(SL_SIZES(DEPTH, count))
                      : sl_program_add_tensor(SL_SIZES(DEPTH, count, WIDTH));
    uint32_t rows = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(count), true);
    uint32_t columns = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(count), true);
    uint32_t list = sl_program_add_list(0, NULL);
    sl_program.values[list].kind = SL_PTE_OPTIONAL_TENSOR_LIST;
    sl_program.values[list].list.count = both ? 3 : 2;
    sl_program.lists[list][0] = -1;
    sl_program.lists[list][1] = rows;
    sl_program.lists[list][2] = columns;
    sl_program_add_call("aten::index.Tensor_out", SL_ARGS(x, list, y));
    assert_int_equal(sl_program_load(sl_isa_detect()), 0);
    int64_t *row = (int64_t *)(void *)sl_program_floats(rows);
    int64_t *column = (int64_t *)(void *)sl_program_floats(columns);
    for (int32_t i = 0; i < count; i++) {
        row[i] = i * 7 % HEIGHT - (i % 2 ? HEIGHT : 0);
        column[i] = i * 5 % WIDTH;
    }
    for (size_t i = 0; i < DEPTH * HEIGHT * WIDTH; i++)
        sl_program_floats(x)[i] = (float)i;
    assert_int_equal(sl_variant_execute(sl_program.variant, false, &sl_program.diag), 0);
    for (int32_t i = 0; i < DEPTH * count * (both ? 1 : WIDTH); i++) {
        int32_t inner = both ? 1 : WIDTH, at = i / inner % count;
        int32_t from = (i / inner / count * HEIGHT + at * 7 % HEIGHT) * WIDTH;
        from += both ? at * 5 % WIDTH : i % WIDTH;
        assert_int_equal((int)sl_program_floats(y)[i], from);
    }
    sl_program_end();
}

TEST(lookups_read_where_the_indices_say)
{
    for (int32_t count = 1; count < 300; count += 97) {
        check_lookup(count, true);
        check_lookup(count, false);
    }
}

/* Two images of three channels: each channel's statistics go over both. */
TEST(channels_are_normalised_over_the_batch)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(2, 3, 5)),
             y = sl_program_add_tensor(SL_SIZES(2, 3, 5));
    uint32_t weight = sl_program_add_constant(SL_SIZES(3)), none = sl_program_add_null();
    uint32_t mean = sl_program_add_tensor(SL_SIZES(3)), rstd = sl_program_add_tensor(SL_SIZES(3));
    uint32_t yes = sl_program_add_bool(true), momentum = sl_program_add_double(0.1),
             eps = sl_program_add_double(1e-3);
    sl_program_add_call("aten::_native_batch_norm_legit.no_stats_out",
                        SL_ARGS(x, weight, none, yes, momentum, eps, y, mean, rstd));
    sl_program_run();
    const float *in = sl_program_floats(x), *out = sl_program_floats(y);
    for (size_t c = 0; c < 3; c++) {
        double sum = 0.0, squares = 0.0;
        for (size_t i = 0; i < 10; i++)
            sum += (double)in[i / 5 * 15 + c * 5 + i % 5];
        for (size_t i = 0; i < 10; i++)
            squares += pow((double)in[i / 5 * 15 + c * 5 + i % 5] - sum / 10.0, 2.0);
        double by = 1.0 / sqrt(squares / 10.0 + 1e-3);
        sl_program_check_float(sl_program_floats(mean)[c], sum / 10.0);
        sl_program_check_float(sl_program_floats(rstd)[c], by);
        for (size_t i = 0; i < 10; i++) {
            size_t at = i / 5 * 15 + c * 5 + i % 5;
            sl_program_check_float(out[at], ((double)in[at] - sum / 10.0) * by *
                                                (double)sl_program_constant(weight)[c]);
        }
    }
    sl_program_end();
}

/* Channels last in and out: values and places as in planes. */
TEST(max_pool_takes_channels_last)
{
    enum { C = 3, H = 5, W = 7, OH = 3, OW = 4 };
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(2, C, H, W));
    uint32_t y = sl_program_add_tensor(SL_SIZES(2, C, OH, OW));
    uint32_t index = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(2, C, OH, OW), true);
    for (uint32_t i = x; i <= index; i++)
        sl_program.tensors[i].dim_order = sl_program_order_of(4, true);
    sl_program_add_call("aten::max_pool2d_with_indices.out",
                        SL_ARGS(x, pair(3, 3), pair(2, 2), pair(1, 1), pair(1, 1),
                                sl_program_add_bool(false), y, index));
    sl_program_run();
    const int64_t *places =
        (const int64_t *)(const void *)sl_method_tensor(sl_program.method, index)->data;
    for (int i = 0; i < 2 * OH * OW * C; i++) {
        int c = i % C, ox = i / C % OW, oy = i / C / OW % OH, n = i / C / OW / OH, best = -1;
        const float *image = sl_program_floats(x) + n * H * W * C + c;
        for (int k = 0; k < 9; k++) {
            int iy = oy * 2 - 1 + k / 3, ix = ox * 2 - 1 + k % 3;
            if (iy < 0 || iy >= H || ix < 0 || ix >= W)
                continue;
            if (best < 0 || image[(iy * W + ix) * C] > image[best * C])
                best = iy * W + ix;
        }
        assert_true(sl_program_floats(y)[i] == image[best * C]);
        assert_int_equal(places[i], best);
    }
    sl_program_end();
}

/* One operator over the same numbers in planes and with channels last. */
static void check_channels_last(const char *name, int32_t oh, int32_t ow)
{
    enum { C = 3, H = 4, W = 6 };
    uint32_t x[2], y[2];
    sl_program_begin();
    uint32_t no = sl_program_add_bool(false), none = sl_program_add_null(), size = pair(oh, ow);
    uint32_t two = pair(2, 2), zero = pair(0, 0);
    for (int last = 0; last < 2; last++) {
        x[last] = sl_program_add_tensor(SL_SIZES(2, C, H, W));
        y[last] = sl_program_add_tensor(SL_SIZES(2, C, oh, ow));
        sl_program.tensors[x[last]].dim_order = sl_program_order_of(4, last);
        sl_program.tensors[y[last]].dim_order = sl_program_order_of(4, last);
        if (strstr(name, "avg_pool2d.out") == name + 6)
            sl_program_add_call(name, SL_ARGS(x[last], two, two, zero, no, no, none, y[last]));
        else if (strstr(name, "bilinear"))
            sl_program_add_call(name, SL_ARGS(x[last], size, no, none, y[last]));
        else if (strstr(name, "adaptive"))
            sl_program_add_call(name, SL_ARGS(x[last], size, y[last]));
        else
            sl_program_add_call(name, SL_ARGS(x[last], size, none, y[last]));
    }
    if (sl_program_load(sl_isa_detect()) != 0)
        fail_msg("%s (%s)\n%s", sl_program.diag.what, sl_program.diag.where, sl_program.log);
    for (int i = 0; i < 2 * C * H * W; i++) { /* as the second lies */
        int c = i % C, at = i / C % (H * W), n = i / C / (H * W);
        sl_program_floats(x[1])[i] = sl_program_sample((size_t)i);
        sl_program_floats(x[0])[(n * C + c) * H * W + at] = sl_program_sample((size_t)i);
    }
    assert_int_equal(sl_variant_execute(sl_program.variant, false, &sl_program.diag), 0);
    for (int i = 0; i < 2 * C * oh * ow; i++) {
        int c = i % C, at = i / C % (oh * ow), n = i / C / (oh * ow);
        assert_true(sl_program_floats(y[1])[i] ==
                    sl_program_floats(y[0])[(n * C + c) * oh * ow + at]);
    }
    sl_program_end();
}

TEST(planes_may_lie_with_their_channels_last)
{
    check_channels_last("aten::upsample_nearest2d.vec_out", 7, 9);
    check_channels_last("aten::upsample_bilinear2d.vec_out", 7, 9);
    check_channels_last("aten::avg_pool2d.out", 2, 3);
    check_channels_last("aten::_adaptive_avg_pool2d.out", 3, 4);
}
