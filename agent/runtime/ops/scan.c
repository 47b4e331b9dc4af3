/* agent/runtime/ops/scan.c: operators that run along one dimension and keep it. */
#include <math.h>
#include <string.h>

#include "agent/runtime/ops/cast.h"
#include "agent/runtime/ops/op.h"
#include "agent/runtime/ops/rank.h"
#include "agent/runtime/ops/walk.h"
#include "common/format/scalar_type.h"

/* Lines of so many times the elements they are to keep go through a heap. */
enum { LONG_FOR_A_HEAP = 64 };

/* Lines along one dimension: the walk goes over all others. */
struct scan {
    const struct sl_tensor *in, *out, *index;
    int class;
    size_t length, kept; /* elements of a line in the input and in the outputs */
    ptrdiff_t in_step, out_step, index_step;
    sl_cast_load_fn load;
    sl_cast_store_fn store;
    struct sl_rank_order order;
    bool sorted;
    size_t ranked;       /* elements of a line that are in the workspace at a time */
    struct sl_walk walk; /* in, index, out */
    size_t scratch;      /* of the workspace */
};

typedef void (*line_fn)(struct sl_op_call *call, const struct scan *s, const uint8_t *in,
                        uint8_t *index, uint8_t *out);

static void run_lines(struct sl_op_call *call, line_fn line)
{
    const struct scan *s = call->state;
    struct sl_walk_at at = {{0}, {0}};
    do {
        for (size_t i = 0; i < s->walk.dims[0]; i++) {
            ptrdiff_t n = (ptrdiff_t)i;
            line(call, s, s->in->data + at.offset[0] + n * s->walk.strides[0][0],
                 s->index ? s->index->data + at.offset[1] + n * s->walk.strides[1][0] : NULL,
                 s->out->data + at.offset[2] + n * s->walk.strides[2][0]);
        }
    } while (sl_walk_next(&s->walk, &at));
}

/* Sets up lines along `dim`, of which the outputs keep `kept` (SIZE_MAX: all). */
static int prepare_lines(struct sl_op_call *call, int64_t dim64, size_t kept,
                         struct sl_tensor *index, struct sl_tensor *out, sl_own_run_fn run,
                         struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct scan *s = sl_op_state(call, sizeof(*s));
    int32_t sizes[SL_TENSOR_MAX_RANK] = {0};
    ptrdiff_t strides[3][SL_TENSOR_MAX_RANK] = {{0}};
    uint32_t dim = 0;
    if (!s)
        return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    if (in->rank != 0 && !sl_op_dim(dim64, in->rank, &dim))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its dim is not one of the input's");
    memcpy(sizes, in->sizes, sizeof(sizes));
    *s = (struct scan){.in = in, .out = out, .index = index, .walk = {.operands = 3}};
    s->length = in->rank != 0 ? (size_t)in->sizes[dim] : 1;
    s->kept = kept < s->length ? kept : s->length;
    sizes[dim] = (int32_t)s->kept;
    int rc = sl_tensor_resize(out, in->rank, sizes, diag);
    if (rc == 0 && index)
        rc = sl_tensor_resize(index, in->rank, sizes, diag);
    s->class =
        sl_cast_class(out->scalar_type); /* elements are what the output's type has of them */
    s->load = sl_cast_load(s->class, in->scalar_type);
    s->store = sl_cast_store(s->class, out->scalar_type);
    if (rc == 0 && (!s->load || !s->store || (index && index->scalar_type != SL_SCALAR_LONG)))
        rc = sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "its element types are not supported");
    if (rc != 0)
        return rc;
    sl_walk_strides(in, strides[0]);
    if (index)
        sl_walk_strides(index, strides[1]);
    sl_walk_strides(out, strides[2]);
    s->in_step = strides[0][dim];
    s->index_step = strides[1][dim];
    s->out_step = strides[2][dim];
    for (uint32_t d = 0; d < in->rank; d++)
        if (d != dim)
            sl_walk_add(&s->walk, (size_t)in->sizes[d],
                        (const ptrdiff_t[3]){strides[0][d], strides[1][d], strides[2][d]});
    if (sl_walk_fold(&s->walk) && s->length != 0 && s->kept != 0)
        sl_op_own(call, "sl_scan_scalar", run);
    return 0;
}

union block {
    float f32[SL_CAST_BLOCK];
    int64_t i64[SL_CAST_BLOCK];
    double f64[SL_CAST_BLOCK];
};

static void sum_line(struct sl_op_call *call, const struct scan *s, const uint8_t *in,
                     uint8_t *index, uint8_t *out)
{
    union block block;
    float f32 = 0.0f;
    double f64 = 0.0;
    uint64_t i64 = 0;
    (void)call, (void)index;
    for (size_t left = s->length, count; left != 0; left -= count) {
        count = left < SL_CAST_BLOCK ? left : SL_CAST_BLOCK;
        s->load(in, s->in_step, count, &block);
        for (size_t i = 0; i < count; i++)
            if (s->class == SL_CAST_F32)
                block.f32[i] = f32 += block.f32[i];
            else if (s->class == SL_CAST_F64)
                block.f64[i] = f64 += block.f64[i];
            else
                block.i64[i] = (int64_t)(i64 += (uint64_t)block.i64[i]);
        s->store(&block, count, out, s->out_step);
        in += (ptrdiff_t)count * s->in_step;
        out += (ptrdiff_t)count * s->out_step;
    }
}

static void run_cumsum(struct sl_op_call *call)
{
    run_lines(call, sum_line);
}

static int prepare_cumsum(struct sl_op_call *call, struct sl_diag *diag)
{
    return prepare_lines(call, sl_op_int(call, 1, 0), SIZE_MAX, NULL, sl_op_tensor(call, 3),
                         run_cumsum, diag);
}

/* Element i of a line of floating point. */
static double real_at(const struct scan *s, const uint8_t *in, size_t i)
{
    union sl_cast_number value;
    s->load(in + (ptrdiff_t)i * s->in_step, 0, 1, &value);
    return s->class == SL_CAST_F64 ? value.f64 : (double)value.f32;
}

static void put_real(const struct scan *s, double value, uint8_t *out, size_t i)
{
    union sl_cast_number number;
    if (s->class == SL_CAST_F64)
        number.f64 = value;
    else
        number.f32 = (float)value;
    s->store(&number, 1, out + (ptrdiff_t)i * s->out_step, 0);
}

/* x - max - log(sum(exp(x - max))) */
static void log_softmax_line(struct sl_op_call *call, const struct scan *s, const uint8_t *in,
                             uint8_t *index, uint8_t *out)
{
    double top = real_at(s, in, 0), sum = 0.0;
    bool doubles = s->class == SL_CAST_F64;
    (void)call, (void)index;
    for (size_t i = 1; i < s->length; i++) {
        double v = real_at(s, in, i);
        top = v > top || v != v ? v : top;
    }
    for (size_t i = 0; i < s->length; i++) {
        double v = real_at(s, in, i) - top;
        sum += doubles ? exp(v) : (double)expf((float)v);
    }
    double less = log(sum);
    for (size_t i = 0; i < s->length; i++)
        put_real(s, real_at(s, in, i) - top - less, out, i);
}

static void run_log_softmax(struct sl_op_call *call)
{
    run_lines(call, log_softmax_line);
}

/* Takes what is left of each line from all of it: `from` less `what`, into the output. */
static void add_difference(struct sl_op_call *call, struct sl_ref from, struct sl_ref what,
                           const size_t dims[3], const struct sl_tensor *out)
{
    const size_t line_dims[3] = {dims[0], 1, dims[2]};
    sl_step_binary(sl_op_step(call), call->isa, SL_F32, SL_BINARY_SUBTRACT, 3, dims, 3, line_dims,
                   3, dims);
    sl_op_operands(call, from, what, sl_ref_tensor(out));
}

/* y = x - max, then y - log(sum(e^y)). */
static int log_softmax_by_kernels(struct sl_op_call *call, uint32_t dim, struct sl_tensor *out,
                                  struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    size_t dims[3] = {1, (size_t)in->sizes[dim], 1};
    int rc = sl_tensor_resize(out, in->rank, in->sizes, diag);
    if (rc != 0)
        return rc;
    for (uint32_t d = 0; d < in->rank; d++)
        if (d != dim)
            dims[d < dim ? 0 : 2] *= (size_t)in->sizes[d];
    struct sl_ref line = sl_ref_scratch(call, dims[0] * dims[2] * sizeof(float));
    struct sl_ref powers = sl_ref_scratch(call, in->nbytes), none = sl_ref_none();
    sl_step_reduce(sl_op_step(call), call->isa, SL_F32, SL_REDUCE_MAX, dims[0], dims[1], dims[2]);
    sl_op_operands(call, sl_ref_tensor(in), none, line);
    add_difference(call, sl_ref_tensor(in), line, dims, out);
    call->main_step = call->step_count;
    sl_step_unary(sl_op_step(call), call->isa, SL_F32, SL_UNARY_EXP, dims[0] * dims[1] * dims[2],
                  0.0f, 0.0f);
    sl_op_operands(call, sl_ref_tensor(out), none, powers);
    struct sl_step *sum = sl_op_step(call);
    sl_step_reduce(sum, call->isa, SL_F32, SL_REDUCE_MEAN, dims[0], dims[1], dims[2]);
    sum->reduce.args.scale = 1.0f;
    sl_op_operands(call, powers, none, line);
    sl_step_unary(sl_op_step(call), call->isa, SL_F32, SL_UNARY_LOG, dims[0] * dims[2], 0.0f, 0.0f);
    sl_op_operands(call, line, none, line);
    add_difference(call, sl_ref_tensor(out), line, dims, out);
    return 0;
}

static int prepare_log_softmax(struct sl_op_call *call, struct sl_diag *diag)
{
    struct sl_tensor *out = sl_op_tensor(call, 3);
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    uint32_t dim;
    if (!sl_op_is_float(call, 0) || !sl_cast_is_float(out->scalar_type))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "it is not of floating point");
    if (in->scalar_type == SL_SCALAR_FLOAT && out->scalar_type == SL_SCALAR_FLOAT &&
        sl_tensor_contiguous(in) && sl_tensor_contiguous(out) && in->nbytes != 0 &&
        sl_op_dim(sl_op_int(call, 1, 0), in->rank, &dim))
        return log_softmax_by_kernels(call, dim, out, diag);
    return prepare_lines(call, sl_op_int(call, 1, 0), SIZE_MAX, NULL, out, run_log_softmax, diag);
}

static struct sl_ranked ranked_at(const struct scan *s, const uint8_t *in, size_t i)
{
    struct sl_ranked one = {.index = (int64_t)i};
    if (s->order.whole)
        s->load(in + (ptrdiff_t)i * s->in_step, 0, 1, &one.value.whole);
    else
        one.value.real = real_at(s, in, i);
    return one;
}

/* A line that is long for its outputs goes through a heap of them, a shorter one is sorted as far
 * as it must be: as in ExecuTorch, for equal numbers keep the order which that gives them. */
static void top_line(struct sl_op_call *call, const struct scan *s, const uint8_t *in,
                     uint8_t *index, uint8_t *out)
{
    struct sl_ranked *best =
        (struct sl_ranked *)(void *)(call->method->workspace.base + s->scratch);
    size_t count = s->kept;
    if (count == 0)
        return;
    for (size_t i = 0; i < s->ranked; i++)
        best[i] = ranked_at(s, in, i);
    if (s->ranked < s->length) {
        sl_rank_heap(&s->order, best, count);
        for (size_t i = count; i < s->length; i++)
            sl_rank_offer(&s->order, best, count, ranked_at(s, in, i));
        sl_rank_sort_heap(&s->order, best, count);
    } else {
        sl_rank_select(&s->order, best, s->length, count, s->sorted);
    }
    for (size_t i = 0; i < count; i++) {
        ptrdiff_t at = (ptrdiff_t)i;
        if (s->order.whole)
            s->store(&best[i].value.whole, 1, out + at * s->out_step, 0);
        else
            put_real(s, best[i].value.real, out, i);
        memcpy(index + at * s->index_step, &best[i].index, sizeof(int64_t));
    }
}

static void run_topk(struct sl_op_call *call)
{
    run_lines(call, top_line);
}

static int prepare_topk(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    int64_t k = sl_op_int(call, 1, 0), dim64 = sl_op_int(call, 2, -1);
    uint32_t dim = 0;
    int64_t length = in->rank != 0 && sl_op_dim(dim64, in->rank, &dim) ? in->sizes[dim] : 1;
    if (k < 0 || k > length)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its k is outside the dimension");
    int rc = prepare_lines(call, dim64, (size_t)k, sl_op_tensor(call, 6), sl_op_tensor(call, 5),
                           run_topk, diag);
    if (rc != 0)
        return rc;
    struct scan *s = call->state;
    s->order.whole = s->class == SL_CAST_I64;
    s->order.largest = sl_op_bool(call, 3);
    s->sorted = sl_op_bool(call, 4);
    s->ranked = s->kept * LONG_FOR_A_HEAP <= s->length ? s->kept : s->length;
    s->scratch = sl_ref_scratch(call, s->ranked * sizeof(struct sl_ranked)).offset;
    return 0;
}

const struct sl_op sl_ops_scan[] = {
    {.name = "aten::cumsum.out", .signature = "aiIO", .prepare = prepare_cumsum},
    {.name = "aten::_log_softmax.out",
     .signature = "aibO",
     .halves = SL_OP_WIDENED,
     .prepare = prepare_log_softmax},
    {.name = "aten::topk.values", .signature = "aiibbOl", .prepare = prepare_topk},
    {0},
};
