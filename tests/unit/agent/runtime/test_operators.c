/* tests/unit/agent/runtime/test_operators.c: portable operators against plain loops. */
#include <math.h>
#include <string.h>

#include "common/format/scalar_type.h"
#include "tests/support/program_case.h"
#include "tests/support/test.h"

TEST(clamps_pass_what_lies_between)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(3, 5)), y = sl_program_add_tensor(SL_SIZES(3, 5)),
             z = sl_program_add_tensor(SL_SIZES(3, 5));
    uint32_t w = sl_program_add_tensor(SL_SIZES(3, 5)), low = sl_program_add_double(-0.5),
             high = sl_program_add_int(1);
    sl_program_add_call("aten::relu.out", SL_ARGS(x, y));
    sl_program_add_call("aten::hardtanh.out", SL_ARGS(x, low, high, z));
    sl_program_add_call("aten::clamp.out", SL_ARGS(x, sl_program_add_null(), high, w));
    sl_program_run();
    for (size_t i = 0; i < 15; i++) {
        double v = (double)sl_program_sample(i + x);
        sl_program_check_float(sl_program_floats(y)[i], fmax(v, 0.0));
        sl_program_check_float(sl_program_floats(z)[i], fmin(fmax(v, -0.5), 1.0));
        sl_program_check_float(sl_program_floats(w)[i], fmin(v, 1.0));
    }
    sl_program_end();
}

TEST(arithmetic_broadcasts_and_scales)
{
    sl_program_begin();
    uint32_t a = sl_program_add_tensor(SL_SIZES(2, 3, 4)),
             b = sl_program_add_tensor(SL_SIZES(3, 1)), two = sl_program_add_double(2.0);
    uint32_t sum = sl_program_add_tensor(SL_SIZES(2, 3, 4)),
             product = sl_program_add_tensor(SL_SIZES(2, 3, 4));
    uint32_t less = sl_program_add_tensor(SL_SIZES(2, 3, 4)),
             same = sl_program_add_tensor(SL_SIZES(2, 3, 4));
    sl_program_add_call("aten::add.out", SL_ARGS(a, b, two, sum));
    sl_program_add_call("aten::mul.out", SL_ARGS(b, a, product));
    sl_program_add_call("aten::sub.Scalar_out", SL_ARGS(a, sl_program_add_int(3), two, less));
    sl_program_add_call("aten::div.out", SL_ARGS(a, a, same));
    sl_program_run();
    for (size_t i = 0; i < 24; i++) {
        double v = (double)sl_program_sample(i + a), w = (double)sl_program_sample(i / 4 % 3 + b);
        sl_program_check_float(sl_program_floats(sum)[i], v + 2.0 * w);
        sl_program_check_float(sl_program_floats(product)[i], v * w);
        sl_program_check_float(sl_program_floats(less)[i], v - 6.0);
    }
    sl_program_end();
}

TEST(views_and_permutations_move_elements)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(2, 3, 4)),
             flat = sl_program_add_tensor(SL_SIZES(6, 4));
    uint32_t turned = sl_program_add_tensor(SL_SIZES(4, 2, 3)),
             swapped = sl_program_add_tensor(SL_SIZES(2, 4, 3));
    uint32_t seen = sl_program_add_typed(SL_SCALAR_FLOAT, SL_SIZES(24), false),
             t = sl_program_add_tensor(SL_SIZES(4, 6));
    uint32_t positive = sl_program_add_tensor(SL_SIZES(24));
    sl_program_add_call("aten::view_copy.out",
                        SL_ARGS(x, sl_program_add_list(SL_SIZES(-1, 4)), flat));
    sl_program_add_call("aten::permute_copy.out",
                        SL_ARGS(x, sl_program_add_list(SL_SIZES(2, 0, 1)), turned));
    sl_program_add_call("aten::transpose_copy.int_out",
                        SL_ARGS(x, sl_program_add_int(1), sl_program_add_int(-1), swapped));
    sl_program_add_call("aten::t_copy.out", SL_ARGS(flat, t));
    sl_program_add_call("executorch_prim::et_view.default",
                        SL_ARGS(x, sl_program_add_list(SL_SIZES(24)), seen));
    sl_program_add_call("aten::relu.out", SL_ARGS(seen, positive));
    sl_program_run();
    for (size_t i = 0; i < 24; i++) {
        sl_program_check_float(sl_program_floats(flat)[i], (double)sl_program_sample(i + x));
        sl_program_check_float(sl_program_floats(turned)[i],
                               (double)sl_program_sample(i % 6 * 4 + i / 6 + x));
        sl_program_check_float(sl_program_floats(swapped)[i],
                               (double)sl_program_sample(i / 12 * 12 + i % 3 * 4 + i / 3 % 4 + x));
        sl_program_check_float(sl_program_floats(t)[i],
                               (double)sl_program_sample(i % 6 * 4 + i / 6 + x));
        sl_program_check_float(sl_program_floats(positive)[i],
                               fmax((double)sl_program_sample(i + x), 0.0));
    }
    assert_ptr_equal(sl_program_floats(seen), sl_program_floats(x));
    sl_program_end();
}

static void check_mean(uint32_t dim_count, const int32_t *dims, unsigned mask, bool keep,
                       uint32_t out_rank, const int32_t *out_sizes)
{
    double sums[120] = {0};
    size_t out_count = 1;
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(2, 3, 4, 5)),
             y = sl_program_add_tensor(out_rank, out_sizes);
    uint32_t list = dim_count != 0 ? sl_program_add_list(dim_count, dims) : sl_program_add_null();
    sl_program_add_call("aten::mean.out",
                        SL_ARGS(x, list, sl_program_add_bool(keep), sl_program_add_null(), y));
    sl_program_run();
    static const size_t sizes[4] = {2, 3, 4, 5};
    for (int d = 0; d < 4; d++)
        out_count *= mask >> d & 1u ? 1 : sizes[d];
    for (size_t i = 0; i < 120; i++) {
        const size_t at[4] = {i / 60, i / 20 % 3, i / 5 % 4, i % 5};
        size_t to = 0;
        for (int d = 0; d < 4; d++)
            to = mask >> d & 1u ? to : to * sizes[d] + at[d];
        sums[to] += (double)sl_program_sample(i + x);
    }
    for (size_t i = 0; i < out_count; i++)
        sl_program_check_float(sl_program_floats(y)[i], sums[i] * (double)out_count / 120.0);
    sl_program_end();
}

TEST(means_reduce_any_dimensions)
{
    check_mean(SL_SIZES(-1, -2), 0xc, true, SL_SIZES(2, 3, 1, 1));
    check_mean(SL_SIZES(2, 3), 0xc, false, SL_SIZES(2, 3));
    check_mean(SL_SIZES(1), 0x2, false, SL_SIZES(2, 4, 5));
    check_mean(SL_SIZES(0, 2), 0x5, true, SL_SIZES(1, 3, 1, 5));
    check_mean(SL_SIZES(1, 3), 0xa, false, SL_SIZES(2, 4));
    check_mean(0, NULL, 0xf, false, 0, NULL);
}

TEST(softmax_works_along_any_dimension)
{
    for (int64_t dim = 1; dim <= 2; dim++) {
        sl_program_begin();
        uint32_t x = sl_program_add_tensor(SL_SIZES(2, 3, 4)),
                 y = sl_program_add_tensor(SL_SIZES(2, 3, 4));
        sl_program_add_call("aten::_softmax.out",
                            SL_ARGS(x, sl_program_add_int(dim), sl_program_add_bool(false), y));
        sl_program_run();
        for (size_t i = 0; i < 24; i++) {
            size_t n = dim == 1 ? 3 : 4, step = dim == 1 ? 4 : 1;
            size_t first = dim == 1 ? i / 12 * 12 + i % 4 : i / 4 * 4;
            double total = 0.0;
            for (size_t k = 0; k < n; k++)
                total += exp((double)sl_program_sample(first + k * step + x));
            sl_program_check_float(sl_program_floats(y)[i],
                                   exp((double)sl_program_sample(i + x)) / total);
        }
        sl_program_end();
    }
}

TEST(layer_norm_normalises_rows)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(3, 8)), w = sl_program_add_constant(SL_SIZES(8)),
             y = sl_program_add_tensor(SL_SIZES(3, 8));
    uint32_t mean = sl_program_add_tensor(SL_SIZES(3, 1)),
             rstd = sl_program_add_tensor(SL_SIZES(3, 1));
    sl_program_add_call("aten::native_layer_norm.out",
                        SL_ARGS(x, sl_program_add_list(SL_SIZES(8)), w, sl_program_add_null(),
                                sl_program_add_double(1e-5), y, mean, rstd));
    sl_program_run();
    for (size_t row = 0; row < 3; row++) {
        double sum = 0.0, squares = 0.0;
        for (size_t i = 0; i < 8; i++)
            sum += (double)sl_program_sample(row * 8 + i + x);
        for (size_t i = 0; i < 8; i++)
            squares += pow((double)sl_program_sample(row * 8 + i + x) - sum / 8.0, 2.0);
        double scale = 1.0 / sqrt(squares / 8.0 + 1e-5);
        sl_program_check_float(sl_program_floats(mean)[row], sum / 8.0);
        sl_program_check_float(sl_program_floats(rstd)[row], scale);
        for (size_t i = 0; i < 8; i++)
            sl_program_check_float(sl_program_floats(y)[row * 8 + i],
                                   ((double)sl_program_sample(row * 8 + i + x) - sum / 8.0) *
                                       scale * (double)sl_program_constant(w)[i]);
    }
    sl_program_end();
}

TEST(batch_norm_scales_channels)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(2, 3, 4)),
             y = sl_program_add_tensor(SL_SIZES(2, 3, 4));
    uint32_t w = sl_program_add_constant(SL_SIZES(3)), b = sl_program_add_constant(SL_SIZES(3)),
             m = sl_program_add_constant(SL_SIZES(3));
    uint32_t v = sl_program_add_constant(SL_SIZES(3)), s = sl_program_add_tensor(SL_SIZES(0)),
             t = sl_program_add_tensor(SL_SIZES(0));
    for (int i = 0; i < 3; i++)
        sl_program.constants[sl_program.constant_offsets[v + 1] / 4 + (size_t)i] = 0.5f + (float)i;
    sl_program_add_call(
        "aten::_native_batch_norm_legit_no_training.out",
        SL_ARGS(x, w, b, m, v, sl_program_add_double(0.1), sl_program_add_double(1e-3), y, s, t));
    sl_program_run();
    for (size_t i = 0; i < 24; i++) {
        size_t c = i / 4 % 3;
        sl_program_check_float(
            sl_program_floats(y)[i],
            ((double)sl_program_sample(i + x) - (double)sl_program_constant(m)[c]) /
                    sqrt((double)sl_program_constant(v)[c] + 1e-3) *
                    (double)sl_program_constant(w)[c] +
                (double)sl_program_constant(b)[c]);
    }
    sl_program_end();
}

struct conv_case {
    int32_t groups, in_c, out_c, kernel, stride, pad, dilation;
    bool constant_weights, bias, nhwc_in, nhwc_out, nhwc_weights;
};

static double conv_at(const struct conv_case *k, const float *x, const float *w, int32_t o,
                      int32_t oy, int32_t ox)
{
    int32_t ic = k->in_c / k->groups, g = o / (k->out_c / k->groups);
    double sum = 0.0;
    for (int32_t c = 0; c < ic; c++)
        for (int32_t ky = 0; ky < k->kernel; ky++)
            for (int32_t kx = 0; kx < k->kernel; kx++) {
                int32_t y = oy * k->stride + ky * k->dilation - k->pad;
                int32_t z = ox * k->stride + kx * k->dilation - k->pad, ch = g * ic + c;
                if (y < 0 || y >= 6 || z < 0 || z >= 7)
                    continue;
                size_t at =
                    (size_t)(k->nhwc_in ? (y * 7 + z) * k->in_c + ch : (ch * 6 + y) * 7 + z);
                int32_t tap = ky * k->kernel + kx, taps = k->kernel * k->kernel;
                int32_t weight = k->nhwc_weights ? tap * ic + c : c * taps + tap;
                sum += (double)x[at] * (double)w[o * ic * taps + weight];
            }
    return sum;
}

static void check_convolution(const struct conv_case *k)
{
    int32_t extent = (k->kernel - 1) * k->dilation + 1;
    int32_t oh = (6 + 2 * k->pad - extent) / k->stride + 1;
    int32_t ow = (7 + 2 * k->pad - extent) / k->stride + 1;
    const int32_t w_sizes[4] = {k->out_c, k->in_c / k->groups, k->kernel, k->kernel};
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(1, k->in_c, 6, 7)),
             y = sl_program_add_tensor(SL_SIZES(1, k->out_c, oh, ow));
    uint32_t w = k->constant_weights ? sl_program_add_constant(4, w_sizes)
                                     : sl_program_add_tensor(4, w_sizes);
    uint32_t b = k->bias ? sl_program_add_constant(SL_SIZES(k->out_c)) : sl_program_add_null();
    sl_program.tensors[x].dim_order = sl_program_order_of(4, k->nhwc_in);
    sl_program.tensors[y].dim_order = sl_program_order_of(4, k->nhwc_out);
    sl_program.tensors[w].dim_order = sl_program_order_of(4, k->nhwc_weights);
    sl_program_add_call("aten::convolution.out",
                        SL_ARGS(x, w, b, sl_program_add_list(SL_SIZES(k->stride, k->stride)),
                                sl_program_add_list(SL_SIZES(k->pad, k->pad)),
                                sl_program_add_list(SL_SIZES(k->dilation, k->dilation)),
                                sl_program_add_bool(false), sl_program_add_list(SL_SIZES(0, 0)),
                                sl_program_add_int(k->groups), y));
    sl_program_run();
    for (int32_t o = 0; o < k->out_c; o++)
        for (int32_t i = 0; i < oh * ow; i++) {
            double want = conv_at(k, sl_program_floats(x), sl_program_floats(w), o, i / ow, i % ow);
            size_t at = (size_t)(k->nhwc_out ? i * k->out_c + o : o * oh * ow + i);
            sl_program_check_float(sl_program_floats(y)[at],
                                   want + (k->bias ? (double)sl_program_constant(b)[o] : 0.0));
        }
    sl_program_end();
}

TEST(convolutions_of_all_kinds_agree_with_loops)
{
    static const struct conv_case cases[] = {
        {1, 3, 5, 3, 1, 1, 1, true, true, false, false, false},
        {1, 4, 8, 1, 1, 0, 1, true, false, false, false, false},
        {1, 4, 8, 1, 2, 0, 1, true, true, false, false, false},
        {2, 4, 6, 3, 2, 1, 1, true, true, false, false, false},
        {4, 4, 4, 3, 1, 1, 1, true, true, false, false, false},
        {4, 4, 8, 3, 1, 0, 1, true, true, false, false, false},
        {1, 3, 5, 3, 1, 2, 2, true, true, false, false, false},
        {1, 1, 2, 3, 1, 1, 1, true, true, false, false, false},
        {1, 3, 5, 3, 1, 1, 1, false, true, false, false, false},
        {4, 4, 4, 3, 1, 1, 1, false, false, false, false, false},
        {1, 3, 5, 3, 1, 1, 1, true, true, true, false, false},
        {1, 3, 5, 3, 1, 1, 1, true, true, true, true, false},
        {2, 4, 6, 3, 1, 1, 1, true, true, true, true, true},
        {4, 4, 8, 3, 1, 1, 1, true, true, true, true, true},
        {1, 3, 5, 3, 2, 1, 1, false, true, false, true, true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_convolution(&cases[i]);
}

TEST(max_pool_tells_where_the_maxima_are)
{
    for (int ceil_mode = 0; ceil_mode < 2; ceil_mode++) {
        sl_program_begin();
        int32_t side = ceil_mode ? 4 : 3;
        uint32_t x = sl_program_add_tensor(SL_SIZES(1, 2, 6, 6)),
                 y = sl_program_add_tensor(SL_SIZES(1, 2, side, side));
        uint32_t index = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(1, 2, side, side), true);
        sl_program_add_call(
            "aten::max_pool2d_with_indices.out",
            SL_ARGS(x, sl_program_add_list(SL_SIZES(3, 3)), sl_program_add_list(SL_SIZES(2, 2)),
                    sl_program_add_list(SL_SIZES(1, 1)), sl_program_add_list(SL_SIZES(1, 1)),
                    sl_program_add_bool(ceil_mode != 0), y, index));
        sl_program_run();
        const int64_t *places = (const int64_t *)(const void *)sl_program_floats(index);
        for (int32_t i = 0; i < 2 * side * side; i++) {
            int32_t oy = i / side % side, ox = i % side, best = -1;
            const float *plane = sl_program_floats(x) + i / (side * side) * 36;
            for (int32_t k = 0; k < 36; k++)
                if (k / 6 >= oy * 2 - 1 && k / 6 <= oy * 2 + 1 && k % 6 >= ox * 2 - 1 &&
                    k % 6 <= ox * 2 + 1 && (best < 0 || plane[k] > plane[best]))
                    best = k;
            assert_int_equal(places[i], best);
            sl_program_check_float(sl_program_floats(y)[i], (double)plane[best]);
        }
        sl_program_end();
    }
}

static void check_product(const char *name, bool constant_rhs, double beta, double alpha)
{
    sl_program_begin();
    bool addmm = strcmp(name, "aten::addmm.out") == 0,
         linear = strcmp(name, "aten::linear.out") == 0;
    uint32_t a = sl_program_add_tensor(SL_SIZES(3, 5)), y = sl_program_add_tensor(SL_SIZES(3, 7));
    uint32_t b = linear         ? sl_program_add_constant(SL_SIZES(7, 5))
                 : constant_rhs ? sl_program_add_constant(SL_SIZES(5, 7))
                                : sl_program_add_tensor(SL_SIZES(5, 7));
    uint32_t c = sl_program_add_tensor(SL_SIZES(7));
    if (addmm)
        sl_program_add_call(
            name, SL_ARGS(c, a, b, sl_program_add_double(beta), sl_program_add_double(alpha), y));
    else if (linear)
        sl_program_add_call(name, SL_ARGS(a, b, c, y));
    else
        sl_program_add_call(name, SL_ARGS(a, b, y));
    sl_program_run();
    for (size_t i = 0; i < 21; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < 5; k++)
            sum += (double)sl_program_floats(a)[i / 7 * 5 + k] *
                   (double)sl_program_floats(b)[linear ? i % 7 * 5 + k : k * 7 + i % 7];
        double other = addmm || linear ? (double)sl_program_floats(c)[i % 7] : 0.0;
        sl_program_check_float(sl_program_floats(y)[i], alpha * sum + beta * other);
    }
    sl_program_end();
}

TEST(products_agree_with_loops)
{
    check_product("aten::mm.out", true, 0.0, 1.0);
    check_product("aten::mm.out", false, 0.0, 1.0);
    check_product("aten::linear.out", true, 1.0, 1.0);
    check_product("aten::addmm.out", true, 1.0, 1.0);
    check_product("aten::addmm.out", false, 1.0, 1.0);
    check_product("aten::addmm.out", true, 0.5, 3.0);
}

TEST(addmm_without_its_first_operand_is_refused)
{
    sl_program_begin();
    uint32_t a = sl_program_add_tensor(SL_SIZES(3, 5)), b = sl_program_add_tensor(SL_SIZES(5, 7));
    uint32_t one = sl_program_add_double(1.0), y = sl_program_add_tensor(SL_SIZES(3, 7));
    sl_program_add_call("aten::addmm.out", SL_ARGS(sl_program_add_null(), a, b, one, one, y));
    assert_int_equal(sl_program_load(0), 0);
    assert_int_equal(sl_program_execute(), SL_ET_INVALID_ARGUMENT);
    sl_program_end();
}

TEST(any_and_all_of_truths_see_every_byte_of_a_row)
{
    enum { ROWS = 6, LONG = 37 };
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(ROWS, LONG)), limits[2];
    uint32_t dim = sl_program_add_int(1), keep = sl_program_add_bool(false);
    uint32_t any[2], all[2], truths;
    static const double at[] = {-1e9, 0.3}; /* all, some */
    for (size_t i = 0; i < 2; i++) {
        limits[i] = sl_program_add_double(at[i]);
        truths = sl_program_add_typed(SL_SCALAR_BOOL, SL_SIZES(ROWS, LONG), true);
        any[i] = sl_program_add_typed(SL_SCALAR_BOOL, SL_SIZES(ROWS), true);
        all[i] = sl_program_add_typed(SL_SCALAR_BOOL, SL_SIZES(ROWS), true);
        sl_program_add_call("aten::gt.Scalar_out", SL_ARGS(x, limits[i], truths));
        sl_program_add_call("aten::any.out", SL_ARGS(truths, dim, keep, any[i]));
        sl_program_add_call("aten::all.out", SL_ARGS(truths, dim, keep, all[i]));
    }
    sl_program_run();
    for (size_t i = 0; i < 2; i++) {
        for (size_t r = 0; r < ROWS; r++) {
            bool some = false, every = true;
            for (size_t k = 0; k < LONG; k++) {
                bool truth = (double)sl_program_sample(r * LONG + k + x) > at[i];
                some = some || truth;
                every = every && truth;
            }
            assert_int_equal(((const uint8_t *)sl_program_floats(any[i]))[r], some);
            assert_int_equal(((const uint8_t *)sl_program_floats(all[i]))[r], every);
        }
    }
    sl_program_end();
}

TEST(many_short_rows_meet_one_row)
{
    enum { ROWS = 43, SHORT = 6 }; /* more than are taken at once, and some are left */
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(ROWS, SHORT)),
             row = sl_program_add_tensor(SL_SIZES(1, SHORT)), one = sl_program_add_int(1);
    uint32_t less = sl_program_add_tensor(SL_SIZES(ROWS, SHORT)),
             more = sl_program_add_tensor(SL_SIZES(ROWS, SHORT)),
             product = sl_program_add_tensor(SL_SIZES(ROWS, SHORT));
    sl_program_add_call("aten::sub.out", SL_ARGS(x, row, one, less));
    sl_program_add_call("aten::sub.out", SL_ARGS(row, x, one, more));
    sl_program_add_call("aten::mul.out", SL_ARGS(x, row, product));
    sl_program_run();
    for (size_t i = 0; i < ROWS * SHORT; i++) {
        double v = (double)sl_program_sample(i + x), w = (double)sl_program_sample(i % SHORT + row);
        sl_program_check_float(sl_program_floats(less)[i], v - w);
        sl_program_check_float(sl_program_floats(more)[i], w - v);
        sl_program_check_float(sl_program_floats(product)[i], v * w);
    }
    sl_program_end();
}
