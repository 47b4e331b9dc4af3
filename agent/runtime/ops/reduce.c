/* agent/runtime/ops/reduce.c: means, softmax and norms. */
#include <math.h>
#include <string.h>

#include "agent/runtime/ops/fold.h"
#include "common/format/scalar_type.h"
#include "kernels/cpu/isa.h"

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
static struct sl_ref gather(struct sl_op_call *call, const struct sl_tensor *in, struct sl_ref from,
                            size_t element_bytes, struct reduction *r)
{
    if (!r->permuted)
        return from;
    struct sl_ref moved = sl_ref_scratch(call, sl_tensor_count(in) * element_bytes);
    sl_step_permute_of(sl_op_step(call), call->isa, element_bytes, in->rank, r->dims, r->perm);
    sl_op_operands(call, from, sl_ref_none(), moved);
    r->outer *= r->inner;
    r->inner = 1;
    return moved;
}

/* The reduction's step, of the input's type: f32 or Half. Softmax, which delegates compute in
 * halves as XNNPACK does, is computed in f32 here and rounded once. */
static struct sl_step *add_reduction(struct sl_op_call *call, const struct sl_tensor *in, int op,
                                     const struct reduction *r)
{
    struct sl_step *step = sl_op_step(call);
    uint32_t isa = op == SL_REDUCE_SOFTMAX ? call->isa & ~(uint32_t)SL_ISA_FP16 : call->isa;
    sl_step_reduce(step, isa, sl_op_element(in), op, r->outer, r->reduced, r->inner);
    return step;
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

static bool is_of_truths(int op)
{
    return op == SL_FOLD_ANY || op == SL_FOLD_ALL;
}

static bool takes_types(const struct sl_tensor *in, const struct sl_tensor *out, int op)
{
    if (is_of_truths(op))
        return out->scalar_type == SL_SCALAR_BOOL &&
               (in->scalar_type == SL_SCALAR_FLOAT || in->scalar_type == SL_SCALAR_BOOL);
    if (op == SL_FOLD_VAR)
        return in->scalar_type == SL_SCALAR_FLOAT && out->scalar_type == SL_SCALAR_FLOAT;
    return (op == SL_FOLD_MEAN || op == SL_FOLD_SUM || op == SL_FOLD_MAX || op == SL_FOLD_MIN) &&
           (in->scalar_type == SL_SCALAR_FLOAT || in->scalar_type == SL_SCALAR_HALF) &&
           out->scalar_type == in->scalar_type;
}

/* True if kernels can reduce it: in logical order, and no indices are asked for. */
static bool takes_kernel(const struct sl_tensor *in, const struct sl_tensor *out,
                         const struct sl_fold_shape *shape)
{
    return takes_types(in, out, shape->op) && shape->index == 0 && shape->mask != 0 &&
           sl_tensor_contiguous(in) && sl_tensor_contiguous(out) && in->rank <= SL_STEP_MAX_RANK &&
           in->nbytes != 0;
}

/* Changes signs, before and after a largest that is to be the least. */
static struct sl_ref add_negation(struct sl_op_call *call, const struct sl_tensor *like,
                                  struct sl_ref from, struct sl_ref to)
{
    sl_step_unary(sl_op_step(call), call->isa, sl_op_element(like), SL_UNARY_NEGATE,
                  sl_tensor_count(like), 0.0f, 0.0f);
    sl_op_operands(call, from, sl_ref_none(), to);
    return to;
}

static int resize_reduced(struct sl_op_call *call, const struct sl_fold_shape *shape,
                          struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    int32_t sizes[SL_TENSOR_MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < in->rank; i++) {
        if ((shape->mask >> i & 1u) == 0)
            sizes[rank++] = in->sizes[i];
        else if (shape->keep)
            sizes[rank++] = 1;
    }
    return sl_tensor_resize(sl_op_tensor(call, shape->out), rank, sizes, diag);
}

/* Compares `count` numbers with 0: 1 or 0. */
static struct sl_ref add_comparison(struct sl_op_call *call, int op, size_t count,
                                    struct sl_ref from, struct sl_ref to)
{
    sl_step_binary(sl_op_step(call), call->isa, SL_F32, op, 1, &count, 0, NULL, 1, &count);
    sl_op_operands(call, from, sl_ref_number(call, 0.0f), to);
    return to;
}

static void add_conversion(struct sl_op_call *call, int op, size_t count, struct sl_ref from,
                           struct sl_ref to)
{
    const struct sl_quant unit = {.scale = 1.0f};
    sl_step_convert(sl_op_step(call), call->isa, op, count, unit, unit);
    sl_op_operands(call, from, sl_ref_none(), to);
}

/* Any is the largest of what is not 0; all, that none is 0. */
static void reduce_truths(struct sl_op_call *call, const struct sl_fold_shape *shape,
                          struct reduction *r)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0), *out = sl_op_tensor(call, shape->out);
    bool all = shape->op == SL_FOLD_ALL;
    size_t count = sl_tensor_count(in), left = sl_tensor_count(out);
    struct sl_ref from = sl_ref_tensor(in), room = sl_ref_scratch(call, count * sizeof(float));
    struct sl_ref lines = sl_ref_scratch(call, left * sizeof(float));
    if (in->scalar_type == SL_SCALAR_BOOL) {
        add_conversion(call, SL_CONVERT_F32_QS8, count, from, room);
        from = room;
    }
    from = add_comparison(call, all ? SL_BINARY_EQUAL : SL_BINARY_UNEQUAL, count, from, room);
    from = gather(call, in, from, sizeof(float), r);
    call->main_step = call->step_count;
    sl_step_reduce(sl_op_step(call), call->isa, SL_F32, SL_REDUCE_MAX, r->outer, r->reduced,
                   r->inner);
    sl_op_operands(call, from, sl_ref_none(), lines);
    if (all)
        add_comparison(call, SL_BINARY_EQUAL, left, lines, lines);
    add_conversion(call, SL_CONVERT_QS8_F32, left, lines, sl_ref_tensor(out));
}

static void reduce_by_kernel(struct sl_op_call *call, const struct sl_fold_shape *shape,
                             struct reduction *r)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0), *out = sl_op_tensor(call, shape->out);
    bool least = shape->op == SL_FOLD_MIN, extreme = least || shape->op == SL_FOLD_MAX;
    struct sl_ref from = gather(call, in, sl_ref_tensor(in), in->element_bytes, r);
    struct sl_ref to = sl_ref_tensor(out);
    if (least)
        from = add_negation(call, in, from, sl_ref_scratch(call, in->nbytes));
    call->main_step = call->step_count;
    struct sl_step *step = add_reduction(call, in, extreme ? SL_REDUCE_MAX : SL_REDUCE_MEAN, r);
    if (shape->op == SL_FOLD_SUM)
        step->reduce.args.scale = 1.0f;
    sl_op_operands(call, from, sl_ref_none(), to);
    if (least)
        add_negation(call, out, to, to);
}

static void add_pairs(struct sl_op_call *call, int op, size_t count, struct sl_ref a,
                      struct sl_ref b, struct sl_ref to)
{
    sl_step_binary(sl_op_step(call), call->isa, SL_F32, op, 1, &count, 1, &count, 1, &count);
    sl_op_operands(call, a, b, to);
}

static void add_sum(struct sl_op_call *call, const struct reduction *r, double scale,
                    struct sl_ref from, struct sl_ref to)
{
    struct sl_step *step = sl_op_step(call);
    sl_step_reduce(step, call->isa, SL_F32, SL_REDUCE_MEAN, r->outer, r->reduced, r->inner);
    step->reduce.args.scale = (float)scale;
    sl_op_operands(call, from, sl_ref_none(), to);
}

/* The sum of the squares of what is off the mean, less the square of their sum by their count,
 * which is what the mean's rounding added; over the count less the correction. */
static void reduce_variance(struct sl_op_call *call, const struct sl_fold_shape *shape,
                            struct reduction *r)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0), *out = sl_op_tensor(call, shape->out);
    struct sl_ref from = gather(call, in, sl_ref_tensor(in), in->element_bytes, r);
    struct sl_ref means = sl_ref_scratch(call, out->nbytes), off = sl_ref_scratch(call, in->nbytes);
    const size_t dims[3] = {r->outer, r->reduced, r->inner}, lines[3] = {r->outer, 1, r->inner};
    double count = (double)r->reduced, left = count - shape->correction;
    add_sum(call, r, 1.0 / count, from, means);
    sl_step_binary(sl_op_step(call), call->isa, SL_F32, SL_BINARY_SUBTRACT, 3, dims, 3, lines, 3,
                   dims);
    sl_op_operands(call, from, means, off);
    add_sum(call, r, 1.0 / sqrt(count * left), off, means);
    add_pairs(call, SL_BINARY_MULTIPLY, sl_tensor_count(in), off, off, off);
    call->main_step = call->step_count;
    add_sum(call, r, 1.0 / left, off, sl_ref_tensor(out));
    add_pairs(call, SL_BINARY_MULTIPLY, sl_tensor_count(out), means, means, means);
    add_pairs(call, SL_BINARY_SUBTRACT, sl_tensor_count(out), sl_ref_tensor(out), means,
              sl_ref_tensor(out));
    /* If all are equal, rounding may leave a hair below zero, and its root would be NaN. */
    sl_step_unary(sl_op_step(call), call->isa, SL_F32, SL_UNARY_ABS, sl_tensor_count(out), 0.0f,
                  0.0f);
    sl_op_operands(call, sl_ref_tensor(out), sl_ref_none(), sl_ref_tensor(out));
}

/* True where as many numbers are left as a variance needs. */
static bool is_defined(const struct sl_fold_shape *shape, const struct reduction *r)
{
    return shape->op != SL_FOLD_VAR || (double)r->reduced > shape->correction;
}

/* By a kernel, else by the engine. */
static int prepare_reduction(struct sl_op_call *call, struct sl_diag *diag)
{
    struct sl_fold_shape shape;
    int rc = sl_fold_read(call, call->op->data, &shape, diag);
    if (rc != 0)
        return rc;
    struct reduction r;
    bool kernel = takes_kernel(sl_op_tensor(call, 0), sl_op_tensor(call, shape.out), &shape);
    if (kernel)
        plan_reduction(sl_op_tensor(call, 0), shape.mask, &r);
    if (!kernel || !is_defined(&shape, &r))
        return sl_fold_prepare(call, &shape, diag);
    rc = resize_reduced(call, &shape, diag);
    if (rc != 0)
        return rc;
    (is_of_truths(shape.op)    ? reduce_truths
     : shape.op == SL_FOLD_VAR ? reduce_variance
                               : reduce_by_kernel)(call, &shape, &r);
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
    struct sl_ref moved = gather(call, in, sl_ref_tensor(in), in->element_bytes, r);
    add_reduction(call, in, SL_REDUCE_SOFTMAX, r);
    sl_op_operands(call, moved, sl_ref_none(), moved);
    sl_step_permute_of(sl_op_step(call), call->isa, in->element_bytes, in->rank, moved_dims, back);
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
    add_reduction(call, in, SL_REDUCE_SOFTMAX, &r);
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

static void *data_of(const struct sl_tensor *tensor)
{
    return tensor ? tensor->data : NULL;
}

static void add_layer_norm(struct sl_op_call *call, const struct sl_tensor *in, size_t rows,
                           size_t row)
{
    const struct reduction r = {.outer = rows, .reduced = row, .inner = 1};
    struct sl_step *step = add_reduction(call, in, SL_REDUCE_LAYER_NORM, &r);
    struct sl_reduce_args *args = &step->reduce.args;
    args->weight = data_of(sl_op_tensor(call, 2));
    args->bias = data_of(sl_op_tensor(call, 3));
    args->eps = (float)sl_op_number(call, 4, 0.0);
    args->mean = sl_op_tensor(call, 6)->data;
    args->rstd = sl_op_tensor(call, 7)->data;
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
    add_layer_norm(call, in, sl_tensor_count(in) / row, row);
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
    sl_step_binary(sl_op_step(call), call->isa, SL_F32, SL_BINARY_MULTIPLY, 3, dims, 2,
                   channel_dims, 3, dims);
    sl_op_operands(call, sl_ref_tensor(in), sl_ref_pointer(scale), sl_ref_tensor(out));
    sl_step_binary(sl_op_step(call), call->isa, SL_F32, SL_BINARY_ADD, 3, dims, 2, channel_dims, 3,
                   dims);
    sl_op_operands(call, sl_ref_tensor(out), sl_ref_pointer(scale + dims[1]), sl_ref_tensor(out));
    return 0;
}

#define REDUCTION_OF(op_name, letters, as, ...)                                                    \
    {                                                                                              \
        .name = op_name, .signature = letters, .prepare = prepare_reduction, .halves = as,         \
        .data = &(const struct sl_fold_spec)                                                       \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define REDUCTION(op_name, letters, ...)                                                           \
    REDUCTION_OF(op_name, letters, SL_OP_AS_THEY_ARE | SL_OP_WIDENED, __VA_ARGS__)

const struct sl_op sl_ops_reduce[] = {
    REDUCTION("aten::mean.out", "aVbIO", SL_FOLD_MEAN, 1, 2, -1, 4, 0, 0.0, false),
    REDUCTION("aten::mean.dtype_out", "aIO", SL_FOLD_MEAN, -1, -1, -1, 2, 0, 0.0, false),
    REDUCTION("aten::sum.IntList_out", "aVbIO", SL_FOLD_SUM, 1, 2, -1, 4, 0, 0.0, false),
    REDUCTION("aten::amax.out", "aVbO", SL_FOLD_MAX, 1, 2, -1, 3, 0, 0.0, false),
    REDUCTION("aten::amin.out", "aVbO", SL_FOLD_MIN, 1, 2, -1, 3, 0, 0.0, false),
    REDUCTION("aten::max.unary_out", "aO", SL_FOLD_MAX, -1, -1, -1, 1, 0, 0.0, false),
    REDUCTION("aten::min.unary_out", "aO", SL_FOLD_MIN, -1, -1, -1, 1, 0, 0.0, false),
    REDUCTION("aten::any.out", "aibO", SL_FOLD_ANY, 1, 2, -1, 3, 0, 0.0, false),
    REDUCTION("aten::any.dims_out", "aVbO", SL_FOLD_ANY, 1, 2, -1, 3, 0, 0.0, true),
    REDUCTION("aten::any.all_out", "aO", SL_FOLD_ANY, -1, -1, -1, 1, 0, 0.0, false),
    REDUCTION("aten::all.out", "aibO", SL_FOLD_ALL, 1, 2, -1, 3, 0, 0.0, false),
    REDUCTION("aten::all.dims_out", "aVbO", SL_FOLD_ALL, 1, 2, -1, 3, 0, 0.0, true),
    REDUCTION("aten::all.all_out", "aO", SL_FOLD_ALL, -1, -1, -1, 1, 0, 0.0, false),
    REDUCTION_OF("aten::var.correction_out", "aVNbO", SL_OP_WIDENED, SL_FOLD_VAR, 1, 3, 2, 4, 0,
                 1.0, false),
    REDUCTION_OF("aten::var.out", "aVbbO", SL_OP_WIDENED, SL_FOLD_VAR, 1, 3, 2, 4, 0, 1.0, false),
    {.name = "aten::_softmax.out",
     .signature = "tibo",
     .halves = SL_OP_AS_THEY_ARE,
     .prepare = prepare_softmax,
     .exact = sl_ops_exact_norm},
    {.name = "aten::native_layer_norm.out",
     .signature = "tvTTnooo",
     .halves = SL_OP_AS_THEY_ARE,
     .prepare = prepare_layer_norm,
     .exact = sl_ops_exact_norm},
    {.name = "aten::_native_batch_norm_legit_no_training.out",
     .signature = "tTTttnnooo",
     .in_place = true,
     .prepare = prepare_batch_norm,
     .exact = sl_ops_exact_norm},
    {0},
};
