/* tests/unit/agent/runtime/test_operators.c: programs made by hand: portable operators against
 * plain loops, instructions, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "agent/runtime/method.h"
#include "common/base/error.h"
#include "common/format/scalar_type.h"
#include "kernels/cpu/isa.h"

enum { MAX_VALUES = 40, MAX_FLOATS = 2048, MAX_ARGS = 16, MAX_CODE = 8, BUFFER_BYTES = 1 << 18 };

struct program {
    struct sl_pte_value values[MAX_VALUES];
    struct sl_pte_tensor tensors[MAX_VALUES];
    int32_t sizes[MAX_VALUES][SL_PTE_MAX_RANK];
    int64_t lists[MAX_VALUES][8];
    uint32_t value_count, args[MAX_CODE][MAX_ARGS], inputs[4], outputs[4];
    struct sl_pte_instruction code[MAX_CODE];
    struct sl_pte_operator operators[MAX_CODE];
    struct sl_pte_chain chain;
    struct sl_pte_plan plan;
    uint64_t planned_bytes, buffer_bytes, constant_offsets[MAX_VALUES], constant_bytes;
    _Alignas(16) float constants[8 * MAX_FLOATS];
    struct sl_model model;
    char log[1024];
    struct sl_method *method;
    struct sl_variant *variant;
    struct sl_diag diag;
};

static struct program p; /* too large for a stack; begin() clears it */

static void take_log(void *user, char level, const char *file, int line, const char *message)
{
    size_t len = strlen(p.log);
    (void)user, (void)level, (void)file, (void)line;
    snprintf(p.log + len, sizeof(p.log) - len, "%s\n", message);
}

static void begin(void)
{
    memset(&p, 0, sizeof(p));
    p.buffer_bytes = BUFFER_BYTES;
    p.model.limits = (struct sl_runtime_limits){64 << 20, 1000};
    p.model.log.log = take_log;
}

static const uint8_t *order_of(uint32_t rank, bool nhwc)
{
    static const uint8_t plain[] = {0, 1, 2, 3, 4, 5}, last[] = {0, 2, 3, 1};
    return nhwc && rank == 4 ? last : plain;
}

static uint32_t add_typed(int scalar_type, uint32_t rank, const int32_t *sizes, bool planned)
{
    uint32_t i = p.value_count++;
    size_t bytes = sl_scalar_size(scalar_type);
    for (uint32_t d = 0; d < rank; d++) {
        p.sizes[i][d] = sizes[d];
        bytes *= (size_t)sizes[d];
    }
    p.tensors[i] = (struct sl_pte_tensor){.scalar_type = scalar_type,
                                          .rank = rank,
                                          .sizes = p.sizes[i],
                                          .dim_order = order_of(rank, false),
                                          .planned = planned,
                                          .memory_id = 1,
                                          .memory_offset = p.planned_bytes};
    p.values[i].kind = SL_PTE_TENSOR;
    p.values[i].tensor = &p.tensors[i];
    if (planned)
        p.planned_bytes += (bytes + 63) / 64 * 64;
    assert_true(p.planned_bytes <= BUFFER_BYTES);
    return i;
}

#define SIZES(...) sizeof((int32_t[]){__VA_ARGS__}) / 4, ((const int32_t[]){__VA_ARGS__})

static uint32_t add_tensor(uint32_t rank, const int32_t *sizes)
{
    return add_typed(SL_SCALAR_FLOAT, rank, sizes, true);
}

static float sample(size_t i)
{
    return (float)(i * 17 % 31) / 8.0f - 1.75f;
}

static uint32_t add_constant(uint32_t rank, const int32_t *sizes)
{
    uint32_t i = add_typed(SL_SCALAR_FLOAT, rank, sizes, false);
    size_t count = 1, first = p.constant_bytes / sizeof(float);
    for (uint32_t d = 0; d < rank; d++)
        count *= (size_t)sizes[d];
    for (size_t k = 0; k < count; k++)
        p.constants[first + k] = sample(k + 5);
    p.tensors[i].data_buffer_idx = i + 1;
    p.constant_offsets[i + 1] = p.constant_bytes;
    p.constant_bytes += (count * sizeof(float) + 15) / 16 * 16;
    return i;
}

static const float *constant(uint32_t i)
{
    return p.constants + p.constant_offsets[i + 1] / sizeof(float);
}

static uint32_t add_int(int64_t number)
{
    p.values[p.value_count] = (struct sl_pte_value){.kind = SL_PTE_INT, .int_value = number};
    return p.value_count++;
}

static uint32_t add_double(double number)
{
    p.values[p.value_count] = (struct sl_pte_value){.kind = SL_PTE_DOUBLE, .double_value = number};
    return p.value_count++;
}

static uint32_t add_bool(bool truth)
{
    p.values[p.value_count] = (struct sl_pte_value){.kind = SL_PTE_BOOL, .bool_value = truth};
    return p.value_count++;
}

static uint32_t add_null(void)
{
    p.values[p.value_count].kind = SL_PTE_NULL;
    return p.value_count++;
}

static uint32_t add_list(uint32_t count, const int32_t *numbers)
{
    int64_t items[8];
    for (uint32_t i = 0; i < count; i++)
        items[i] = add_int(numbers[i]);
    uint32_t at = p.value_count++;
    memcpy(p.lists[at], items, count * sizeof(*items));
    p.values[at].kind = SL_PTE_INT_LIST;
    p.values[at].list.count = count;
    p.values[at].list.ints = p.lists[at];
    return at;
}

/* Calls an operator; the return entry repeats the last argument. */
static void add_call(const char *name, uint32_t count, const uint32_t *args)
{
    uint32_t i = p.chain.count++;
    p.operators[i].name = name;
    memcpy(p.args[i], args, count * sizeof(*args));
    p.args[i][count] = args[count - 1];
    p.code[i] = (struct sl_pte_instruction){
        .kind = SL_PTE_KERNEL_CALL, .index = i, .arg_count = count + 1, .args = p.args[i]};
}

#define ARGS(...) sizeof((uint32_t[]){__VA_ARGS__}) / 4, ((const uint32_t[]){__VA_ARGS__})

static int load(uint32_t isa)
{
    p.chain.instructions = p.code;
    p.plan = (struct sl_pte_plan){
        .name = "forward",
        .value_count = p.value_count,
        .input_count = p.plan.input_count,
        .output_count = p.plan.output_count,
        .chain_count = 1,
        .operator_count = p.chain.count,
        .values = p.values,
        .inputs = p.inputs,
        .outputs = p.outputs,
        .chains = &p.chain,
        .operators = p.operators,
        .buffer_count = 1,
        .buffer_bytes = &p.buffer_bytes,
    };
    p.model.pte.plan_count = 1;
    p.model.pte.plans = &p.plan;
    p.model.pte.constants = (struct sl_bytes){(const uint8_t *)p.constants, sizeof(p.constants)};
    p.model.pte.constant_count = MAX_VALUES;
    p.model.pte.constant_offsets = p.constant_offsets;
    int rc = sl_method_new(&p.model, NULL, &p.method, &p.diag);
    if (rc == 0)
        rc = sl_variant_new(p.method, isa, 0, NULL, &p.variant, &p.diag);
    return rc;
}

static float *floats(uint32_t i)
{
    return (float *)(void *)sl_method_tensor(p.method, i)->data;
}

/* Fills every planned tensor with samples, then executes. */
static int execute(void)
{
    for (uint32_t i = 0; i < p.value_count; i++) {
        struct sl_tensor *tensor = sl_method_tensor(p.method, i);
        for (size_t k = 0; tensor && tensor->planned && k < tensor->nbytes / sizeof(float); k++)
            floats(i)[k] = sample(k + i);
    }
    return sl_variant_execute(p.variant, false, &p.diag);
}

static void run(void)
{
    if (load(sl_isa_detect()) != 0 || execute() != 0)
        fail_msg("%s (%s)\n%s", p.diag.what, p.diag.where, p.log);
}

static void end(void)
{
    sl_variant_free(p.variant);
    sl_method_free(p.method);
}

static void check_float(float have, double want)
{
    if (!(fabs((double)have - want) <= 2e-5 * fmax(1.0, fabs(want))))
        fail_msg("%g where %g was expected", (double)have, want);
}

static void clamps_pass_what_lies_between(void **state)
{
    (void)state;
    begin();
    uint32_t x = add_tensor(SIZES(3, 5)), y = add_tensor(SIZES(3, 5)), z = add_tensor(SIZES(3, 5));
    uint32_t w = add_tensor(SIZES(3, 5)), low = add_double(-0.5), high = add_int(1);
    add_call("aten::relu.out", ARGS(x, y));
    add_call("aten::hardtanh.out", ARGS(x, low, high, z));
    add_call("aten::clamp.out", ARGS(x, add_null(), high, w));
    run();
    for (size_t i = 0; i < 15; i++) {
        double v = (double)sample(i + x);
        check_float(floats(y)[i], fmax(v, 0.0));
        check_float(floats(z)[i], fmin(fmax(v, -0.5), 1.0));
        check_float(floats(w)[i], fmin(v, 1.0));
    }
    end();
}

static void arithmetic_broadcasts_and_scales(void **state)
{
    (void)state;
    begin();
    uint32_t a = add_tensor(SIZES(2, 3, 4)), b = add_tensor(SIZES(3, 1)), two = add_double(2.0);
    uint32_t sum = add_tensor(SIZES(2, 3, 4)), product = add_tensor(SIZES(2, 3, 4));
    uint32_t less = add_tensor(SIZES(2, 3, 4)), same = add_tensor(SIZES(2, 3, 4));
    add_call("aten::add.out", ARGS(a, b, two, sum));
    add_call("aten::mul.out", ARGS(b, a, product));
    add_call("aten::sub.Scalar_out", ARGS(a, add_int(3), two, less));
    add_call("aten::div.out", ARGS(a, a, same));
    run();
    for (size_t i = 0; i < 24; i++) {
        double v = (double)sample(i + a), w = (double)sample(i / 4 % 3 + b);
        check_float(floats(sum)[i], v + 2.0 * w);
        check_float(floats(product)[i], v * w);
        check_float(floats(less)[i], v - 6.0);
    }
    end();
}

static void views_and_permutations_move_elements(void **state)
{
    (void)state;
    begin();
    uint32_t x = add_tensor(SIZES(2, 3, 4)), flat = add_tensor(SIZES(6, 4));
    uint32_t turned = add_tensor(SIZES(4, 2, 3)), swapped = add_tensor(SIZES(2, 4, 3));
    uint32_t seen = add_typed(SL_SCALAR_FLOAT, SIZES(24), false), t = add_tensor(SIZES(4, 6));
    uint32_t positive = add_tensor(SIZES(24));
    add_call("aten::view_copy.out", ARGS(x, add_list(SIZES(-1, 4)), flat));
    add_call("aten::permute_copy.out", ARGS(x, add_list(SIZES(2, 0, 1)), turned));
    add_call("aten::transpose_copy.int_out", ARGS(x, add_int(1), add_int(-1), swapped));
    add_call("aten::t_copy.out", ARGS(flat, t));
    add_call("executorch_prim::et_view.default", ARGS(x, add_list(SIZES(24)), seen));
    add_call("aten::relu.out", ARGS(seen, positive));
    run();
    for (size_t i = 0; i < 24; i++) {
        check_float(floats(flat)[i], (double)sample(i + x));
        check_float(floats(turned)[i], (double)sample(i % 6 * 4 + i / 6 + x));
        check_float(floats(swapped)[i], (double)sample(i / 12 * 12 + i % 3 * 4 + i / 3 % 4 + x));
        check_float(floats(t)[i], (double)sample(i % 6 * 4 + i / 6 + x));
        check_float(floats(positive)[i], fmax((double)sample(i + x), 0.0));
    }
    assert_ptr_equal(floats(seen), floats(x));
    end();
}

static void check_mean(uint32_t dim_count, const int32_t *dims, unsigned mask, bool keep,
                       uint32_t out_rank, const int32_t *out_sizes)
{
    double sums[120] = {0};
    size_t out_count = 1;
    begin();
    uint32_t x = add_tensor(SIZES(2, 3, 4, 5)), y = add_tensor(out_rank, out_sizes);
    uint32_t list = dim_count != 0 ? add_list(dim_count, dims) : add_null();
    add_call("aten::mean.out", ARGS(x, list, add_bool(keep), add_null(), y));
    run();
    static const size_t sizes[4] = {2, 3, 4, 5};
    for (int d = 0; d < 4; d++)
        out_count *= mask >> d & 1u ? 1 : sizes[d];
    for (size_t i = 0; i < 120; i++) {
        const size_t at[4] = {i / 60, i / 20 % 3, i / 5 % 4, i % 5};
        size_t to = 0;
        for (int d = 0; d < 4; d++)
            to = mask >> d & 1u ? to : to * sizes[d] + at[d];
        sums[to] += (double)sample(i + x);
    }
    for (size_t i = 0; i < out_count; i++)
        check_float(floats(y)[i], sums[i] * (double)out_count / 120.0);
    end();
}

static void means_reduce_any_dimensions(void **state)
{
    (void)state;
    check_mean(SIZES(-1, -2), 0xc, true, SIZES(2, 3, 1, 1));
    check_mean(SIZES(2, 3), 0xc, false, SIZES(2, 3));
    check_mean(SIZES(1), 0x2, false, SIZES(2, 4, 5));
    check_mean(SIZES(0, 2), 0x5, true, SIZES(1, 3, 1, 5));
    check_mean(SIZES(1, 3), 0xa, false, SIZES(2, 4));
    check_mean(0, NULL, 0xf, false, 0, NULL);
}

static void softmax_works_along_any_dimension(void **state)
{
    (void)state;
    for (int64_t dim = 1; dim <= 2; dim++) {
        begin();
        uint32_t x = add_tensor(SIZES(2, 3, 4)), y = add_tensor(SIZES(2, 3, 4));
        add_call("aten::_softmax.out", ARGS(x, add_int(dim), add_bool(false), y));
        run();
        for (size_t i = 0; i < 24; i++) {
            size_t n = dim == 1 ? 3 : 4, step = dim == 1 ? 4 : 1;
            size_t first = dim == 1 ? i / 12 * 12 + i % 4 : i / 4 * 4;
            double total = 0.0;
            for (size_t k = 0; k < n; k++)
                total += exp((double)sample(first + k * step + x));
            check_float(floats(y)[i], exp((double)sample(i + x)) / total);
        }
        end();
    }
}

static void layer_norm_normalises_rows(void **state)
{
    (void)state;
    begin();
    uint32_t x = add_tensor(SIZES(3, 8)), w = add_constant(SIZES(8)), y = add_tensor(SIZES(3, 8));
    uint32_t mean = add_tensor(SIZES(3, 1)), rstd = add_tensor(SIZES(3, 1));
    add_call("aten::native_layer_norm.out",
             ARGS(x, add_list(SIZES(8)), w, add_null(), add_double(1e-5), y, mean, rstd));
    run();
    for (size_t row = 0; row < 3; row++) {
        double sum = 0.0, squares = 0.0;
        for (size_t i = 0; i < 8; i++)
            sum += (double)sample(row * 8 + i + x);
        for (size_t i = 0; i < 8; i++)
            squares += pow((double)sample(row * 8 + i + x) - sum / 8.0, 2.0);
        double scale = 1.0 / sqrt(squares / 8.0 + 1e-5);
        check_float(floats(mean)[row], sum / 8.0);
        check_float(floats(rstd)[row], scale);
        for (size_t i = 0; i < 8; i++)
            check_float(floats(y)[row * 8 + i], ((double)sample(row * 8 + i + x) - sum / 8.0) *
                                                    scale * (double)constant(w)[i]);
    }
    end();
}

static void batch_norm_scales_channels(void **state)
{
    (void)state;
    begin();
    uint32_t x = add_tensor(SIZES(2, 3, 4)), y = add_tensor(SIZES(2, 3, 4));
    uint32_t w = add_constant(SIZES(3)), b = add_constant(SIZES(3)), m = add_constant(SIZES(3));
    uint32_t v = add_constant(SIZES(3)), s = add_tensor(SIZES(0)), t = add_tensor(SIZES(0));
    for (int i = 0; i < 3; i++)
        p.constants[p.constant_offsets[v + 1] / 4 + (size_t)i] = 0.5f + (float)i;
    add_call("aten::_native_batch_norm_legit_no_training.out",
             ARGS(x, w, b, m, v, add_double(0.1), add_double(1e-3), y, s, t));
    run();
    for (size_t i = 0; i < 24; i++) {
        size_t c = i / 4 % 3;
        check_float(floats(y)[i], ((double)sample(i + x) - (double)constant(m)[c]) /
                                          sqrt((double)constant(v)[c] + 1e-3) *
                                          (double)constant(w)[c] +
                                      (double)constant(b)[c]);
    }
    end();
}

struct conv_case {
    int32_t groups, in_c, out_c, kernel, stride, pad, dilation;
    bool constant_weights, bias, nhwc_in, nhwc_out;
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
                sum += (double)x[at] * (double)w[((o * ic + c) * k->kernel + ky) * k->kernel + kx];
            }
    return sum;
}

static void check_convolution(const struct conv_case *k)
{
    int32_t extent = (k->kernel - 1) * k->dilation + 1;
    int32_t oh = (6 + 2 * k->pad - extent) / k->stride + 1;
    int32_t ow = (7 + 2 * k->pad - extent) / k->stride + 1;
    const int32_t w_sizes[4] = {k->out_c, k->in_c / k->groups, k->kernel, k->kernel};
    begin();
    uint32_t x = add_tensor(SIZES(1, k->in_c, 6, 7)), y = add_tensor(SIZES(1, k->out_c, oh, ow));
    uint32_t w = k->constant_weights ? add_constant(4, w_sizes) : add_tensor(4, w_sizes);
    uint32_t b = k->bias ? add_constant(SIZES(k->out_c)) : add_null();
    p.tensors[x].dim_order = order_of(4, k->nhwc_in);
    p.tensors[y].dim_order = order_of(4, k->nhwc_out);
    add_call("aten::convolution.out",
             ARGS(x, w, b, add_list(SIZES(k->stride, k->stride)), add_list(SIZES(k->pad, k->pad)),
                  add_list(SIZES(k->dilation, k->dilation)), add_bool(false), add_list(SIZES(0, 0)),
                  add_int(k->groups), y));
    run();
    for (int32_t o = 0; o < k->out_c; o++)
        for (int32_t i = 0; i < oh * ow; i++) {
            double want = conv_at(k, floats(x), floats(w), o, i / ow, i % ow);
            size_t at = (size_t)(k->nhwc_out ? i * k->out_c + o : o * oh * ow + i);
            check_float(floats(y)[at], want + (k->bias ? (double)constant(b)[o] : 0.0));
        }
    end();
}

static void convolutions_of_all_kinds_agree_with_loops(void **state)
{
    static const struct conv_case cases[] = {
        {1, 3, 5, 3, 1, 1, 1, true, true, false, false},
        {1, 4, 8, 1, 1, 0, 1, true, false, false, false},
        {1, 4, 8, 1, 2, 0, 1, true, true, false, false},
        {2, 4, 6, 3, 2, 1, 1, true, true, false, false},
        {4, 4, 4, 3, 1, 1, 1, true, true, false, false},
        {4, 4, 8, 3, 1, 0, 1, true, true, false, false},
        {1, 3, 5, 3, 1, 2, 2, true, true, false, false},
        {1, 1, 2, 3, 1, 1, 1, true, true, false, false},
        {1, 3, 5, 3, 1, 1, 1, false, true, false, false},
        {4, 4, 4, 3, 1, 1, 1, false, false, false, false},
        {1, 3, 5, 3, 1, 1, 1, true, true, true, false},
        {1, 3, 5, 3, 1, 1, 1, true, true, true, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_convolution(&cases[i]);
}

static void max_pool_tells_where_the_maxima_are(void **state)
{
    (void)state;
    for (int ceil_mode = 0; ceil_mode < 2; ceil_mode++) {
        begin();
        int32_t side = ceil_mode ? 4 : 3;
        uint32_t x = add_tensor(SIZES(1, 2, 6, 6)), y = add_tensor(SIZES(1, 2, side, side));
        uint32_t index = add_typed(SL_SCALAR_LONG, SIZES(1, 2, side, side), true);
        add_call("aten::max_pool2d_with_indices.out",
                 ARGS(x, add_list(SIZES(3, 3)), add_list(SIZES(2, 2)), add_list(SIZES(1, 1)),
                      add_list(SIZES(1, 1)), add_bool(ceil_mode != 0), y, index));
        run();
        const int64_t *places = (const int64_t *)(const void *)floats(index);
        for (int32_t i = 0; i < 2 * side * side; i++) {
            int32_t oy = i / side % side, ox = i % side, best = -1;
            const float *plane = floats(x) + i / (side * side) * 36;
            for (int32_t k = 0; k < 36; k++)
                if (k / 6 >= oy * 2 - 1 && k / 6 <= oy * 2 + 1 && k % 6 >= ox * 2 - 1 &&
                    k % 6 <= ox * 2 + 1 && (best < 0 || plane[k] > plane[best]))
                    best = k;
            assert_int_equal(places[i], best);
            check_float(floats(y)[i], (double)plane[best]);
        }
        end();
    }
}

static void check_product(const char *name, bool constant_rhs, double beta, double alpha)
{
    begin();
    bool addmm = strcmp(name, "aten::addmm.out") == 0,
         linear = strcmp(name, "aten::linear.out") == 0;
    uint32_t a = add_tensor(SIZES(3, 5)), y = add_tensor(SIZES(3, 7));
    uint32_t b = linear         ? add_constant(SIZES(7, 5))
                 : constant_rhs ? add_constant(SIZES(5, 7))
                                : add_tensor(SIZES(5, 7));
    uint32_t c = add_tensor(SIZES(7));
    if (addmm)
        add_call(name, ARGS(c, a, b, add_double(beta), add_double(alpha), y));
    else if (linear)
        add_call(name, ARGS(a, b, c, y));
    else
        add_call(name, ARGS(a, b, y));
    run();
    for (size_t i = 0; i < 21; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < 5; k++)
            sum += (double)floats(a)[i / 7 * 5 + k] *
                   (double)floats(b)[linear ? i % 7 * 5 + k : k * 7 + i % 7];
        double other = addmm || linear ? (double)floats(c)[i % 7] : 0.0;
        check_float(floats(y)[i], alpha * sum + beta * other);
    }
    end();
}

static void products_agree_with_loops(void **state)
{
    (void)state;
    check_product("aten::mm.out", true, 0.0, 1.0);
    check_product("aten::mm.out", false, 0.0, 1.0);
    check_product("aten::linear.out", true, 1.0, 1.0);
    check_product("aten::addmm.out", true, 1.0, 1.0);
    check_product("aten::addmm.out", false, 1.0, 1.0);
    check_product("aten::addmm.out", true, 0.5, 3.0);
}

static void jump_backwards_for_ever_is_stopped(void **state)
{
    (void)state;
    begin();
    p.code[0] = (struct sl_pte_instruction){
        .kind = SL_PTE_JUMP_FALSE_CALL, .from = add_bool(false), .to = 0};
    p.chain.count = 1;
    assert_int_equal(load(SL_ISA_NONE), 0);
    assert_int_equal(execute(), SL_ET_INVALID_PROGRAM);
    assert_string_equal(p.diag.what, "the method ran more than 1000 instructions");
    end();
}

static void jump_skips_and_move_renames(void **state)
{
    (void)state;
    begin();
    uint32_t x = add_tensor(SIZES(4)), y = add_tensor(SIZES(4)), z = add_tensor(SIZES(4));
    uint32_t in = add_tensor(SIZES(4)), no = add_bool(false);
    add_call("aten::relu.out", ARGS(in, z));
    add_call("aten::relu.out", ARGS(y, z));
    p.code[2] = p.code[1]; /* skipped */
    p.code[1] = (struct sl_pte_instruction){.kind = SL_PTE_JUMP_FALSE_CALL, .from = no, .to = 3};
    p.code[3] = (struct sl_pte_instruction){.kind = SL_PTE_MOVE_CALL, .from = x, .to = in};
    p.code[4] = (struct sl_pte_instruction){.kind = SL_PTE_FREE_CALL, .index = y};
    p.chain.count = 5;
    run();
    for (size_t i = 0; i < 4; i++)
        check_float(floats(z)[i], fmax((double)sample(i + in), 0.0));
    assert_ptr_equal(sl_method_tensor(p.method, in), sl_method_tensor(p.method, x));
    assert_int_equal(execute(), 0); /* now the first instruction reads x */
    for (size_t i = 0; i < 4; i++)
        check_float(floats(z)[i], fmax((double)floats(x)[i], 0.0));
    end();
}

static void half_precision_operand_fails_at_load_by_name(void **state)
{
    (void)state;
    begin();
    uint32_t x = add_typed(SL_SCALAR_HALF, SIZES(4), true), y = add_tensor(SIZES(4));
    add_call("aten::relu.out", ARGS(x, y));
    assert_int_equal(load(SL_ISA_NONE), SL_ET_OPERATOR_MISSING);
    assert_non_null(strstr(p.log, "Missing operator: [0] aten::relu.out"));
    assert_non_null(strstr(p.log, "Half"));
    assert_string_equal(p.diag.where, "operator aten::relu.out");
    end();
}

static void hostile_operands_are_refused(void **state)
{
    (void)state;
    begin(); /* output over half of the input */
    uint32_t x = add_tensor(SIZES(64)), y = add_tensor(SIZES(64));
    p.tensors[y].memory_offset = 128;
    add_call("aten::relu.out", ARGS(x, y));
    assert_int_equal(load(SL_ISA_NONE), 0);
    assert_int_equal(execute(), SL_ET_INVALID_PROGRAM);
    end();
    begin(); /* a constant as output */
    x = add_tensor(SIZES(4));
    add_call("aten::relu.out", ARGS(x, add_constant(SIZES(4))));
    assert_int_equal(load(SL_ISA_NONE), SL_ET_OPERATOR_MISSING);
    end();
    begin(); /* an output without memory */
    x = add_tensor(SIZES(4));
    add_call("aten::relu.out", ARGS(x, add_typed(SL_SCALAR_FLOAT, SIZES(4), false)));
    assert_int_equal(load(SL_ISA_NONE), 0);
    assert_int_equal(execute(), SL_ET_INVALID_PROGRAM);
    end();
    begin(); /* an output of another shape */
    x = add_tensor(SIZES(4));
    add_call("aten::relu.out", ARGS(x, add_tensor(SIZES(5))));
    assert_int_equal(load(SL_ISA_NONE), SL_ET_NOT_SUPPORTED);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clamps_pass_what_lies_between),
        cmocka_unit_test(arithmetic_broadcasts_and_scales),
        cmocka_unit_test(views_and_permutations_move_elements),
        cmocka_unit_test(means_reduce_any_dimensions),
        cmocka_unit_test(softmax_works_along_any_dimension),
        cmocka_unit_test(layer_norm_normalises_rows),
        cmocka_unit_test(batch_norm_scales_channels),
        cmocka_unit_test(convolutions_of_all_kinds_agree_with_loops),
        cmocka_unit_test(max_pool_tells_where_the_maxima_are),
        cmocka_unit_test(products_agree_with_loops),
        cmocka_unit_test(jump_backwards_for_ever_is_stopped),
        cmocka_unit_test(jump_skips_and_move_renames),
        cmocka_unit_test(half_precision_operand_fails_at_load_by_name),
        cmocka_unit_test(hostile_operands_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
