/* agent/runtime/ops/exact_norm.c: norms and softmax of doubles, by ExecuTorch's own precision: it
 * sums up in single precision for layer, group and channel norms. */
#include <math.h>
#include <string.h>

#include "agent/runtime/ops/exact.h"

enum { IN, WEIGHT, BIAS, MEAN, VARIANCE, OUT, OUT_MEAN, OUT_RSTD };

struct norm { /* the call's state */
    struct sl_exact exact;
    size_t outer, channels, inner; /* inner: of each channel, or elements of a row */
    size_t groups;                 /* channels are split into */
    double eps;
};

/* Arrays of the operands, NULL for none. */
struct arrays {
    const double *in, *weight, *bias, *mean, *variance;
    double *out, *out_mean, *out_rstd;
};

static struct arrays read_arrays(const struct sl_op_call *call, const struct sl_exact *exact)
{
    return (struct arrays){.in = sl_exact_read(call, exact, IN),
                           .weight = sl_exact_read(call, exact, WEIGHT),
                           .bias = sl_exact_read(call, exact, BIAS),
                           .mean = sl_exact_read(call, exact, MEAN),
                           .variance = sl_exact_read(call, exact, VARIANCE),
                           .out = sl_exact_array(call, exact, OUT),
                           .out_mean = sl_exact_array(call, exact, OUT_MEAN),
                           .out_rstd = sl_exact_array(call, exact, OUT_RSTD)};
}

static void write_arrays(const struct sl_op_call *call, const struct sl_exact *exact)
{
    for (uint32_t slot = OUT; slot <= OUT_RSTD; slot++)
        sl_exact_write(call, exact, slot);
}

struct sums {
    float sum, squares;
};

static struct sums sum_up(const double *in, size_t count)
{
    struct sums s = {0.0f, 0.0f};
    for (size_t i = 0; i < count; i++) {
        s.sum = (float)((double)s.sum + in[i]);
        s.squares = (float)((double)s.squares + (double)(float)in[i] * in[i]);
    }
    return s;
}

static void run_layer_norm(struct sl_op_call *call)
{
    const struct norm *n = call->state;
    const struct arrays a = read_arrays(call, &n->exact);
    float count = (float)n->inner;
    for (size_t i = 0; i < n->outer; i++) {
        const double *in = a.in + i * n->inner;
        double *out = a.out + i * n->inner;
        const struct sums s = sum_up(in, n->inner);
        float mean = s.sum / count,
              deviation = sqrtf(s.squares / count - mean * mean + (float)n->eps);
        for (size_t k = 0; k < n->inner; k++)
            out[k] = (in[k] - (double)mean) / (double)deviation * (a.weight ? a.weight[k] : 1.0) +
                     (a.bias ? a.bias[k] : 0.0);
        a.out_mean[i] = n->inner != 0 ? (double)mean : 0.0;
        a.out_rstd[i] = n->inner != 0 ? 1.0 / (double)deviation : (double)NAN;
    }
    write_arrays(call, &n->exact);
}

static void run_group_norm(struct sl_op_call *call)
{
    const struct norm *n = call->state;
    const struct arrays a = read_arrays(call, &n->exact);
    size_t channels = n->channels / n->groups, each = channels * n->inner;
    for (size_t i = 0; i < n->outer * n->groups; i++) {
        const struct sums s = sum_up(a.in + i * each, each);
        double mean = (double)s.sum / (double)each;
        double rstd = 1.0 / sqrt((double)s.squares / (double)each - mean * mean + n->eps);
        for (size_t k = 0; k < each; k++) {
            size_t channel = i % n->groups * channels + k / n->inner;
            double scale = rstd * (a.weight ? a.weight[channel] : 1.0);
            double shift = (a.bias ? a.bias[channel] : 0.0) - scale * mean;
            a.out[i * each + k] = scale * a.in[i * each + k] + shift;
        }
        a.out_mean[i] = each != 0 ? mean : 0.0;
        a.out_rstd[i] = each != 0 ? rstd : (double)NAN;
    }
    write_arrays(call, &n->exact);
}

/* Plane i of the planes of all channels. */
static void apply(const struct norm *n, const struct arrays *a, size_t i, double mean, double rstd)
{
    size_t channel = i % n->channels;
    double weight = a->weight ? a->weight[channel] : 1.0;
    double bias = a->bias ? a->bias[channel] : 0.0;
    for (size_t k = i * n->inner; k < (i + 1) * n->inner; k++)
        a->out[k] = (a->in[k] - mean) * rstd * weight + bias;
}

static void run_channel_norm(struct sl_op_call *call)
{
    const struct norm *n = call->state;
    const struct arrays a = read_arrays(call, &n->exact);
    double count = (double)(n->outer * n->inner);
    for (size_t c = 0; c < n->channels; c++) {
        double sum = 0.0, squares = 0.0;
        for (size_t i = c; i < n->outer * n->channels; i += n->channels) {
            const struct sums s = sum_up(a.in + i * n->inner, n->inner);
            sum += (double)s.sum;
            squares += (double)s.squares;
        }
        a.out_mean[c] = sum / count;
        a.out_rstd[c] = 1.0 / sqrt(squares / count - a.out_mean[c] * a.out_mean[c] + n->eps);
        for (size_t i = c; i < n->outer * n->channels; i += n->channels)
            apply(n, &a, i, a.out_mean[c], a.out_rstd[c]);
    }
    write_arrays(call, &n->exact);
}

static void run_batch_norm(struct sl_op_call *call)
{
    const struct norm *n = call->state;
    const struct arrays a = read_arrays(call, &n->exact);
    for (size_t i = 0; i < n->outer * n->channels; i++)
        apply(n, &a, i, a.mean[i % n->channels], 1.0 / sqrt(a.variance[i % n->channels] + n->eps));
    write_arrays(call, &n->exact);
}

/* Lines of `channels` elements, `inner` apart. */
static void run_softmax(struct sl_op_call *call)
{
    const struct norm *n = call->state;
    const struct arrays a = read_arrays(call, &n->exact);
    for (size_t i = 0; i < n->outer * n->inner; i++) {
        size_t first = i / n->inner * n->channels * n->inner + i % n->inner;
        size_t end = first + n->channels * n->inner;
        double top = a.in[first], sum = 0.0;
        for (size_t k = first; k < end; k += n->inner)
            top = a.in[k] > top || a.in[k] != a.in[k] ? a.in[k] : top;
        for (size_t k = first; k < end; k += n->inner)
            sum += a.out[k] = exp(a.in[k] - top);
        for (size_t k = first; k < end; k += n->inner)
            a.out[k] /= sum;
    }
    write_arrays(call, &n->exact);
}

static int misfit(struct sl_op_call *call, struct sl_diag *diag)
{
    return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its shapes do not fit together");
}

/* The input and what is as large, for floating point in logical order. */
static struct norm *begin(struct sl_op_call *call, uint32_t out_arg, struct sl_diag *diag, int *rc)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_tensor *out = sl_op_tensor(call, out_arg);
    struct norm *n = sl_exact_new(call, in, sizeof(*n), diag, rc);
    if (n && n->exact.class != SL_CAST_F64)
        *rc = sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "it is not of floating point");
    if (*rc == 0)
        *rc = sl_tensor_resize(out, in->rank, in->sizes, diag);
    if (*rc != 0)
        return NULL;
    sl_exact_hold(call, &n->exact, IN, in);
    sl_exact_hold(call, &n->exact, OUT, out);
    return n;
}

/* Sets the operands that are numbers for each of `count` channels or elements; NULL: none. */
static bool hold_vector(struct sl_op_call *call, struct norm *n, uint32_t slot, uint32_t arg,
                        size_t count)
{
    const struct sl_tensor *tensor = sl_op_tensor(call, arg);
    sl_exact_hold(call, &n->exact, slot, tensor);
    return !tensor || sl_tensor_count(tensor) == count;
}

/* Both statistics, the arguments after the output. */
static int hold_statistics(struct sl_op_call *call, struct norm *n, uint32_t arg, uint32_t rank,
                           const int32_t *sizes, struct sl_diag *diag)
{
    int rc = 0;
    for (uint32_t i = 0; i < 2 && rc == 0; i++) {
        struct sl_tensor *tensor = sl_op_tensor(call, arg + i);
        rc = sl_tensor_resize(tensor, rank, sizes, diag);
        sl_exact_hold(call, &n->exact, OUT_MEAN + i, tensor);
    }
    return rc == 0 ? sl_exact_same_type(call, &n->exact, diag) : rc;
}

static int prepare_layer_norm(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc;
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct norm *n = begin(call, 5, diag, &rc);
    int64_t shape[SL_TENSOR_MAX_RANK];
    int32_t sizes[SL_TENSOR_MAX_RANK];
    int count = sl_op_ints(call, 1, shape, SL_TENSOR_MAX_RANK);
    if (!n)
        return rc;
    if (count < 1 || (uint32_t)count > in->rank || !sl_tensor_contiguous(in))
        return misfit(call, diag);
    n->outer = n->inner = 1;
    n->eps = sl_op_number(call, 4, 0.0);
    for (uint32_t d = 0, leading = in->rank - (uint32_t)count; d < in->rank; d++) {
        sizes[d] = d < leading ? in->sizes[d] : 1;
        *(d < leading ? &n->outer : &n->inner) *= (size_t)in->sizes[d];
        if (d >= leading && shape[d - leading] != in->sizes[d])
            return misfit(call, diag);
    }
    if (!hold_vector(call, n, WEIGHT, 2, n->inner) || !hold_vector(call, n, BIAS, 3, n->inner))
        return misfit(call, diag);
    rc = hold_statistics(call, n, 6, in->rank, sizes, diag);
    if (rc == 0 && n->outer != 0)
        sl_op_own(call, "sl_layer_norm_f64_scalar", run_layer_norm);
    return rc;
}

/* [outer][channels][inner] of an input that has channels. */
static bool read_channels(const struct sl_tensor *in, struct norm *n)
{
    if (in->rank < 2 || !sl_tensor_contiguous(in))
        return false;
    n->outer = (size_t)in->sizes[0];
    n->channels = (size_t)in->sizes[1];
    n->inner = 1;
    for (uint32_t d = 2; d < in->rank; d++)
        n->inner *= (size_t)in->sizes[d];
    return true;
}

static int prepare_group_norm(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc;
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct norm *n = begin(call, 8, diag, &rc);
    int64_t groups = sl_op_int(call, 6, 0);
    if (!n)
        return rc;
    if (!read_channels(in, n) || groups < 1 || groups > INT32_MAX ||
        (int64_t)n->outer != sl_op_int(call, 3, -1) ||
        (int64_t)n->channels != sl_op_int(call, 4, -1) ||
        (sl_tensor_count(in) != 0 && (int64_t)n->inner != sl_op_int(call, 5, -1)) ||
        n->channels % (size_t)groups != 0 || !hold_vector(call, n, WEIGHT, 1, n->channels) ||
        !hold_vector(call, n, BIAS, 2, n->channels))
        return misfit(call, diag);
    n->groups = (size_t)groups;
    n->eps = sl_op_number(call, 7, 0.0);
    const int32_t sizes[2] = {in->sizes[0], (int32_t)groups};
    rc = hold_statistics(call, n, 9, 2, sizes, diag);
    if (rc == 0 && n->outer != 0)
        sl_op_own(call, "sl_group_norm_f64_scalar", run_group_norm);
    return rc;
}

static int prepare_channel_norm(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc;
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct norm *n = begin(call, 6, diag, &rc);
    if (!n)
        return rc;
    if (!read_channels(in, n) || !hold_vector(call, n, WEIGHT, 1, n->channels) ||
        !hold_vector(call, n, BIAS, 2, n->channels))
        return misfit(call, diag);
    n->eps = sl_op_number(call, 5, 0.0);
    rc = hold_statistics(call, n, 7, 1, &in->sizes[1], diag);
    if (rc == 0 && n->channels != 0)
        sl_op_own(call, "sl_channel_norm_f64_scalar", run_channel_norm);
    return rc;
}

/* Also for training, whose flag stands before the last two numbers: it must be off. */
static int prepare_batch_norm(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc;
    static const int32_t none[1] = {0};
    bool has_flag = call->op->signature[5] == 'b';
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    uint32_t out = has_flag ? 8 : 7;
    struct norm *n = begin(call, out, diag, &rc);
    if (!n)
        return rc;
    if (has_flag && sl_op_bool(call, 5))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                          "it is for inference, and does not train");
    bool fits = read_channels(in, n);
    for (uint32_t i = 0; i < 4 && fits; i++)
        fits = hold_vector(call, n, WEIGHT + i, 1 + i, n->channels);
    if (!fits)
        return misfit(call, diag);
    n->eps = sl_op_number(call, out - 1, 0.0);
    rc = hold_statistics(call, n, out + 1, 1, none, diag);
    if (rc == 0 && in->nbytes != 0)
        sl_op_own(call, "sl_batch_norm_f64_scalar", run_batch_norm);
    return rc;
}

static int prepare_softmax(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc;
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct norm *n = begin(call, 3, diag, &rc);
    uint32_t dim = 0;
    if (!n)
        return rc;
    if (in->rank != 0 && !sl_op_dim(sl_op_int(call, 1, 0), in->rank, &dim))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its dim is not one of the input's");
    n->outer = n->channels = n->inner = 1;
    for (uint32_t d = 0; d < in->rank; d++)
        *(d < dim ? &n->outer : d == dim ? &n->channels : &n->inner) *= (size_t)in->sizes[d];
    rc = sl_exact_same_type(call, &n->exact, diag);
    if (rc == 0 && in->nbytes != 0)
        sl_op_own(call, "sl_softmax_f64_scalar", run_softmax);
    return rc;
}

#define NORM(id, letters, fn) {.name = "aten::" id, .signature = letters, .prepare = fn}
const struct sl_op sl_ops_exact_norm[] = {
    NORM("_softmax.out", "aibO", prepare_softmax),
    NORM("native_layer_norm.out", "avAAnOOO", prepare_layer_norm),
    NORM("native_group_norm.out", "aAAiiiinOOO", prepare_group_norm),
    NORM("_native_batch_norm_legit.no_stats_out", "aAAbnnOOO", prepare_channel_norm),
    NORM("_native_batch_norm_legit_no_training.out", "aAAaannOOO", prepare_batch_norm),
    NORM("_native_batch_norm_legit.out", "aAAaabnnOOO", prepare_batch_norm),
    {0},
};
