/* agent/runtime/ops/reduce.c: means, softmax and norms. */
#include <math.h>
#include <string.h>

#include "agent/runtime/ops/fold.h"
#include "common/format/scalar_type.h"

/* A tensor seen as [outer][reduced][inner]; when the reduced dimensions do not lie together, `perm`
 * puts them last first. */
struct reduction {
    size_t outer, reduced, inner;
    bool permuted;
    size_t dims[SL_STEP_MAX_RANK], perm[SL_STEP_MAX_RANK];
};

static void plan_reduction(const struct sl_tensor *in, unsigned mask, struct reduction *out)
{
    uint32_t kept = 0;
    int stage = 0; /* 0 before, 1 within, 2 after the reduced dimensions */
    *out = (struct reduction){.outer = 1, .reduced = 1, .inner = 1};
    for (uint32_t i = 0; i < in->rank; i++) {
        size_t size = (size_t)in->sizes[i];
        bool is_reduced = (mask >> i & 1u) != 0;
        out->dims[i] = size;
        if (!is_reduced)
            out->perm[kept++] = i;
        if (size == 1)
            continue;
        if (is_reduced) {
            out->permuted = out->permuted || stage == 2;
            stage = stage == 0 ? 1 : stage;
            out->reduced *= size;
        } else if (stage == 0) {
            out->outer *= size;
        } else {
            stage = 2;
            out->inner *= size;
        }
    }
    for (uint32_t i = 0; i < in->rank; i++)
        if (mask >> i & 1u)
            out->perm[kept++] = i;
}

/* Brings the reduced dimensions to the end in the workspace if they lie apart. */
static struct sl_ref gather(struct sl_op_call *call, const struct sl_tensor *in,
                            struct reduction *r)
{
    if (!r->permuted)
        return sl_ref_tensor(in);
    struct sl_ref moved = sl_ref_scratch(call, in->nbytes);
    sl_step_permute(sl_op_step(call), call->isa, in->rank, r->dims, r->perm);
    sl_op_operands(call, sl_ref_tensor(in), sl_ref_none(), moved);
    r->outer *= r->inner;
    r->inner = 1;
    return moved;
}

static int need_plain(struct sl_op_call *call, const struct sl_tensor *in,
                      const struct sl_tensor *out, struct sl_diag *diag)
{
    if (!sl_tensor_contiguous(in) || !sl_tensor_contiguous(out))
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "this memory order is not supported");
    if (in->rank > SL_STEP_MAX_RANK)
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "its rank is above 6");
    return 0;
}

/* The bits of the dimensions in the list of argument 1; all of them for none. */
static int dims_mask(struct sl_op_call *call, uint32_t rank, unsigned *out, struct sl_diag *diag)
{
    int64_t dims[SL_STEP_MAX_RANK];
    int count = sl_op_ints(call, 1, dims, SL_STEP_MAX_RANK);
    *out = 0;
    for (int i = 0; i < count; i++) {
        uint32_t dim;
        if (!sl_op_dim(dims[i], rank, &dim))
            count = -1;
        else
            *out |= 1u << dim;
    }
    if (count < 0)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its dims are not the input's");
    if (count == 0)
        *out = (1u << rank) - 1;
    return 0;
}

/* Whatever the kernels do not take. */
static int mean_by_fold(struct sl_op_call *call, struct sl_diag *diag)
{
    struct sl_fold_shape shape = {.op = SL_FOLD_MEAN, .keep = sl_op_bool(call, 2), .out = 4};
    int rc = sl_fold_mask(call, 1, &shape.mask, diag);
    return rc != 0 ? rc : sl_fold_prepare(call, &shape, diag);
}

static int prepare_mean(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_tensor *out = sl_op_tensor(call, 4);
    if (in->scalar_type != SL_SCALAR_FLOAT || out->scalar_type != SL_SCALAR_FLOAT ||
        !sl_tensor_contiguous(in) || !sl_tensor_contiguous(out) || in->rank > SL_STEP_MAX_RANK ||
        in->nbytes == 0 || in->rank == 0)
        return mean_by_fold(call, diag);
    struct reduction r;
    int32_t sizes[SL_TENSOR_MAX_RANK];
    unsigned mask = 0;
    uint32_t rank = 0;
    int rc = need_plain(call, in, out, diag);
    if (rc == 0)
        rc = dims_mask(call, in->rank, &mask, diag);
    if (rc != 0)
        return rc;
    for (uint32_t i = 0; i < in->rank; i++) {
        if ((mask >> i & 1u) == 0)
            sizes[rank++] = in->sizes[i];
        else if (sl_op_bool(call, 2))
            sizes[rank++] = 1;
    }
    rc = sl_tensor_resize(out, rank, sizes, diag);
    if (rc != 0)
        return rc;
    plan_reduction(in, mask, &r);
    struct sl_ref from = gather(call, in, &r);
    sl_step_reduce(sl_op_step(call), call->isa, SL_REDUCE_MEAN, r.outer, r.reduced, r.inner);
    sl_op_operands(call, from, sl_ref_none(), sl_ref_tensor(out));
    return 0;
}

/* Rows that are not innermost are brought there and back. */
static void softmax_apart(struct sl_op_call *call, const struct sl_tensor *in,
                          const struct sl_tensor *out, struct reduction *r)
{
    size_t moved_dims[SL_STEP_MAX_RANK], back[SL_STEP_MAX_RANK];
    for (uint32_t i = 0; i < in->rank; i++) {
        moved_dims[i] = r->dims[r->perm[i]];
        back[r->perm[i]] = i;
    }
    r->permuted = true;
    struct sl_ref moved = gather(call, in, r);
    sl_step_reduce(sl_op_step(call), call->isa, SL_REDUCE_SOFTMAX, r->outer, r->reduced, 1);
    sl_op_operands(call, moved, sl_ref_none(), moved);
    sl_step_permute(sl_op_step(call), call->isa, in->rank, moved_dims, back);
    sl_op_operands(call, moved, sl_ref_none(), sl_ref_tensor(out));
}

static int prepare_softmax(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_tensor *out = sl_op_tensor(call, 3);
    struct reduction r;
    uint32_t dim = 0;
    int rc = need_plain(call, in, out, diag);
    if (rc == 0 && in->rank != 0 && !sl_op_dim(sl_op_int(call, 1, 0), in->rank, &dim))
        rc = sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its dim is not one of the input's");
    if (rc == 0)
        rc = sl_tensor_resize(out, in->rank, in->sizes, diag);
    if (rc != 0 || in->nbytes == 0)
        return rc;
    plan_reduction(in, 1u << dim, &r);
    if (r.inner != 1) {
        softmax_apart(call, in, out, &r);
        return 0;
    }
    sl_step_reduce(sl_op_step(call), call->isa, SL_REDUCE_SOFTMAX, r.outer, r.reduced, 1);
    sl_op_operands(call, sl_ref_tensor(in), sl_ref_none(), sl_ref_tensor(out));
    return 0;
}

/* Statistics have the leading sizes, and ones where the norm went. */
static int resize_statistics(struct sl_op_call *call, const struct sl_tensor *in, uint32_t leading,
                             struct sl_diag *diag)
{
    int32_t sizes[SL_TENSOR_MAX_RANK];
    for (uint32_t i = 0; i < in->rank; i++)
        sizes[i] = i < leading ? in->sizes[i] : 1;
    for (uint32_t k = 6; k <= 7; k++) {
        struct sl_tensor *statistic = sl_op_tensor(call, k);
        uint32_t rank = statistic->rank == leading ? leading : in->rank;
        int rc = sl_tensor_resize(statistic, rank, sizes, diag);
        if (rc != 0)
            return rc;
        size_t rows = 1;
        for (uint32_t i = 0; i < leading; i++)
            rows *= (size_t)in->sizes[i];
        if (sl_tensor_count(statistic) != rows || !sl_tensor_contiguous(statistic))
            return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                              "its statistics do not have a number for each row");
    }
    return 0;
}

static int prepare_layer_norm(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0), *weight = sl_op_tensor(call, 2);
    const struct sl_tensor *bias = sl_op_tensor(call, 3);
    struct sl_tensor *out = sl_op_tensor(call, 5);
    int64_t shape[SL_STEP_MAX_RANK];
    int count = sl_op_ints(call, 1, shape, SL_STEP_MAX_RANK);
    int rc = need_plain(call, in, out, diag);
    if (rc != 0)
        return rc;
    if (count < 1 || (uint32_t)count > in->rank)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its shape is not the input's end");
    uint32_t leading = in->rank - (uint32_t)count;
    size_t row = 1;
    for (int i = 0; i < count; i++) {
        if (shape[i] != in->sizes[leading + (uint32_t)i])
            return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                              "its shape is not the input's end");
        row *= (size_t)shape[i];
    }
    if ((weight && sl_tensor_count(weight) != row) || (bias && sl_tensor_count(bias) != row))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                          "its weight or bias is not of its shape");
    rc = sl_tensor_resize(out, in->rank, in->sizes, diag);
    if (rc == 0)
        rc = resize_statistics(call, in, leading, diag);
    if (rc == 0 && in->nbytes == 0 && sl_op_tensor(call, 6)->nbytes != 0)
        return sl_op_exactly(call, diag); /* rows of no elements */
    if (rc != 0 || in->nbytes == 0)
        return rc;
    struct sl_step *step = sl_op_step(call);
    sl_step_reduce(step, call->isa, SL_REDUCE_LAYER_NORM, sl_tensor_count(in) / row, row, 1);
    step->f32.reduce.args.eps = (float)sl_op_number(call, 4, 0.0);
    step->f32.reduce.args.weight = weight ? (const float *)(const void *)weight->data : NULL;
    step->f32.reduce.args.bias = bias ? (const float *)(const void *)bias->data : NULL;
    step->f32.reduce.args.mean = (float *)(void *)sl_op_tensor(call, 6)->data;
    step->f32.reduce.args.rstd = (float *)(void *)sl_op_tensor(call, 7)->data;
    sl_op_operands(call, sl_ref_tensor(in), sl_ref_none(), sl_ref_tensor(out));
    return 0;
}

/* `folded`: weight and bias (or NULL), mean, variance. */
static void fold_channels(const float *const *folded, size_t channels, double eps,
                          float *restrict scale, float *restrict shift)
{
    const float *weight = folded[0], *bias = folded[1], *mean = folded[2], *variance = folded[3];
    if (!weight || !bias) {
        for (size_t c = 0; c < channels; c++) {
            double factor = (weight ? (double)weight[c] : 1.0) / sqrt((double)variance[c] + eps);
            scale[c] = (float)factor;
            shift[c] = (float)((bias ? (double)bias[c] : 0.0) - (double)mean[c] * factor);
        }
        return;
    }
    for (size_t c = 0; c < channels; c++) {
        double factor = (double)weight[c] / sqrt((double)variance[c] + eps);
        scale[c] = (float)factor;
        shift[c] = (float)((double)bias[c] - (double)mean[c] * factor);
    }
}

/* Weight, bias, mean and variance; false where they are not constants, one for each channel. */
static bool find_statistics(const struct sl_op_call *call, size_t channels, const float **out)
{
    for (uint32_t k = 1; k <= 4; k++) {
        const struct sl_tensor *tensor = sl_op_tensor(call, k);
        if (tensor && (!tensor->constant || tensor->nbytes > tensor->room_bytes ||
                       sl_tensor_count(tensor) != channels))
            return false;
        out[k - 1] = tensor ? (const float *)(const void *)tensor->data : NULL;
    }
    return true;
}

/* Scales and shifts of the channels, kept as the call's packed weights: [2][channels]. */
static int fold_statistics(struct sl_op_call *call, size_t channels, struct sl_diag *diag)
{
    const float *folded[4];
    if (!find_statistics(call, channels, folded))
        return sl_op_exactly(call, diag);
    double eps = sl_op_number(call, 6, 0.0);
    sl_weights_fini(&call->weights);
    float *scale = sl_budget_alloc(&call->method->budget, channels * 2 * sizeof(float));
    if (!scale)
        return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its scales");
    call->weights = (struct sl_weights){
        .packed = scale, .bytes = channels * 2 * sizeof(float), .budget = &call->method->budget};
    fold_channels(folded, channels, eps, scale, scale + channels);
    return 0;
}

static int prepare_batch_norm(struct sl_op_call *call, struct sl_diag *diag)
{
    static const int32_t none[1] = {0};
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_tensor *out = sl_op_tensor(call, 7);
    int rc = need_plain(call, in, out, diag);
    if (rc == 0 && in->rank < 2)
        rc = sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its input has no channels");
    if (rc == 0)
        rc = sl_tensor_resize(out, in->rank, in->sizes, diag);
    for (uint32_t k = 8; k <= 9 && rc == 0; k++)
        rc = sl_tensor_resize(sl_op_tensor(call, k), 1, none, diag);
    if (rc != 0 || in->nbytes == 0)
        return rc;
    uint32_t steps = call->step_count;
    size_t dims[3] = {(size_t)in->sizes[0], (size_t)in->sizes[1], 0};
    dims[2] = sl_tensor_count(in) / dims[0] / dims[1];
    rc = fold_statistics(call, dims[1], diag);
    if (rc != 0 || call->step_count != steps)
        return rc; /* or computed in another way */
    const float *scale = call->weights.packed;
    const size_t channel_dims[2] = {dims[1], 1};
    sl_step_binary(sl_op_step(call), call->isa, SL_BINARY_MULTIPLY, 3, dims, 2, channel_dims, 3,
                   dims);
    sl_op_operands(call, sl_ref_tensor(in), sl_ref_pointer(scale), sl_ref_tensor(out));
    sl_step_binary(sl_op_step(call), call->isa, SL_BINARY_ADD, 3, dims, 2, channel_dims, 3, dims);
    sl_op_operands(call, sl_ref_tensor(out), sl_ref_pointer(scale + dims[1]), sl_ref_tensor(out));
    return 0;
}

const struct sl_op sl_ops_reduce[] = {
    {.name = "aten::mean.out", .signature = "aVbIO", .prepare = prepare_mean},
    {.name = "aten::_softmax.out",
     .signature = "tibo",
     .prepare = prepare_softmax,
     .exact = sl_ops_exact_norm},
    {.name = "aten::native_layer_norm.out",
     .signature = "tvTTnooo",
     .prepare = prepare_layer_norm,
     .exact = sl_ops_exact_norm},
    {.name = "aten::_native_batch_norm_legit_no_training.out",
     .signature = "tTTttnnooo",
     .in_place = true,
     .prepare = prepare_batch_norm,
     .exact = sl_ops_exact_norm},
    {0},
};
