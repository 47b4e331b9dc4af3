/* agent/runtime/ops/truth.c */
#include "agent/runtime/ops/truth.h"

#include <math.h>

#include "agent/runtime/ops/broadcast.h"
#include "agent/runtime/ops/op.h"
#include "common/format/scalar_type.h"

/* An operand in f32. */
struct operand {
    struct sl_ref ref;
    uint32_t rank;
    size_t dims[SL_STEP_MAX_RANK];
};

static bool is_plain(const struct sl_tensor *tensor)
{
    return tensor->rank <= SL_STEP_MAX_RANK && sl_tensor_contiguous(tensor);
}

static bool connects(int op)
{
    return op >= SL_TRUTH_AND && op <= SL_TRUTH_NOT;
}

static bool takes_operand(const struct sl_op_call *call, int op, uint32_t arg)
{
    const struct sl_tensor *tensor = sl_op_tensor(call, arg);
    if (!tensor)
        return arg == 1;
    bool truths = connects(op) && tensor->scalar_type == SL_SCALAR_BOOL;
    return (tensor->scalar_type == SL_SCALAR_FLOAT || truths) && is_plain(tensor);
}

bool sl_truth_takes(const struct sl_op_call *call, int op, unsigned out_at)
{
    const struct sl_tensor *out = sl_op_tensor(call, out_at);
    return out->scalar_type == SL_SCALAR_BOOL && is_plain(out) && takes_operand(call, op, 0) &&
           (out_at == 1 || takes_operand(call, op, 1));
}

/* Out of Bools f32, or back. */
static void add_conversion(struct sl_op_call *call, int op, size_t count, struct sl_ref from,
                           struct sl_ref to)
{
    const struct sl_quant unit = {.scale = 1.0f};
    sl_step_convert(sl_op_step(call), call->isa, op, count, unit, unit);
    sl_op_operands(call, from, sl_ref_none(), to);
}

static size_t count_of(const struct operand *operand)
{
    size_t count = 1;
    for (uint32_t d = 0; d < operand->rank; d++)
        count *= operand->dims[d];
    return count;
}

static struct sl_ref room_for(struct sl_op_call *call, size_t count)
{
    return sl_ref_scratch(call, count * sizeof(float));
}

static struct operand operand_of(struct sl_op_call *call, uint32_t arg)
{
    const struct sl_tensor *tensor = sl_op_tensor(call, arg);
    struct operand operand = {.rank = tensor ? tensor->rank : 0};
    if (!tensor) {
        operand.ref = sl_ref_number(call, (float)sl_op_number(call, arg, 0.0));
        return operand;
    }
    for (uint32_t d = 0; d < tensor->rank; d++)
        operand.dims[d] = (size_t)tensor->sizes[d];
    operand.ref = sl_ref_tensor(tensor);
    if (tensor->scalar_type == SL_SCALAR_BOOL) {
        struct sl_ref room = room_for(call, sl_tensor_count(tensor));
        add_conversion(call, SL_CONVERT_F32_QS8, sl_tensor_count(tensor), operand.ref, room);
        operand.ref = room;
    }
    return operand;
}

/* Replaces `a` by a op number. */
static void compare_with(struct sl_op_call *call, int op, struct operand *a, float number)
{
    struct sl_ref room = room_for(call, count_of(a));
    sl_step_binary(sl_op_step(call), call->isa, SL_F32, op, a->rank, a->dims, 0, NULL, a->rank,
                   a->dims);
    sl_op_operands(call, a->ref, sl_ref_number(call, number), room);
    a->ref = room;
}

/* The operand as 1 and 0. */
static struct operand truth_of(struct sl_op_call *call, uint32_t arg)
{
    struct operand a = operand_of(call, arg);
    compare_with(call, SL_BINARY_UNEQUAL, &a, 0.0f);
    return a;
}

/* Two operands, `a` the first, into room for what they broadcast to, which may be less than the
 * output. */
static struct operand add_pair(struct sl_op_call *call, int op, const struct operand *a,
                               const struct operand *b)
{
    struct operand pair = {.rank = a->rank > b->rank ? a->rank : b->rank};
    for (uint32_t i = 1; i <= pair.rank; i++) { /* from the end */
        size_t m = i <= a->rank ? a->dims[a->rank - i] : 1;
        size_t n = i <= b->rank ? b->dims[b->rank - i] : 1;
        pair.dims[pair.rank - i] = m == 1 ? n : m;
    }
    pair.ref = room_for(call, count_of(&pair));
    sl_step_binary(sl_op_step(call), call->isa, SL_F32, op, a->rank, a->dims, b->rank, b->dims,
                   pair.rank, pair.dims);
    sl_op_operands(call, a->ref, b->ref, pair.ref);
    return pair;
}

/* Two operands into the output, which is what they broadcast to. */
static void add_last(struct sl_op_call *call, int op, const struct operand *a,
                     const struct operand *b, const struct sl_tensor *out)
{
    size_t dims[SL_STEP_MAX_RANK];
    for (uint32_t d = 0; d < out->rank; d++)
        dims[d] = (size_t)out->sizes[d];
    sl_step_binary(sl_op_step(call), call->isa, SL_F32, op, a->rank, a->dims, b->rank, b->dims,
                   out->rank, dims);
    sl_op_operands(call, a->ref, b->ref, sl_ref_tensor(out));
}

static struct sl_ref add_one(struct sl_op_call *call, int op)
{
    struct operand a = operand_of(call, 0);
    if (op == SL_TRUTH_NAN)
        return add_pair(call, SL_BINARY_UNEQUAL, &a, &a).ref;
    if (op == SL_TRUTH_INFINITE) {
        struct sl_ref room = room_for(call, count_of(&a));
        sl_step_unary(sl_op_step(call), call->isa, SL_F32, SL_UNARY_ABS, count_of(&a), 0.0f, 0.0f);
        sl_op_operands(call, a.ref, sl_ref_none(), room);
        a.ref = room;
    }
    compare_with(call, SL_BINARY_EQUAL, &a, op == SL_TRUTH_INFINITE ? INFINITY : 0.0f);
    return a.ref;
}

static struct sl_ref add_two(struct sl_op_call *call, int op)
{
    static const int kernels[] = {
        [SL_TRUTH_EQUAL] = SL_BINARY_EQUAL,  [SL_TRUTH_UNEQUAL] = SL_BINARY_UNEQUAL,
        [SL_TRUTH_LESS] = SL_BINARY_LESS,    [SL_TRUTH_ATMOST] = SL_BINARY_ATMOST,
        [SL_TRUTH_MORE] = SL_BINARY_LESS,    [SL_TRUTH_ATLEAST] = SL_BINARY_ATMOST,
        [SL_TRUTH_AND] = SL_BINARY_MULTIPLY, [SL_TRUTH_OR] = SL_BINARY_MAXIMUM,
        [SL_TRUTH_XOR] = SL_BINARY_UNEQUAL,
    };
    struct operand a = connects(op) ? truth_of(call, 0) : operand_of(call, 0);
    struct operand b = connects(op) ? truth_of(call, 1) : operand_of(call, 1);
    bool turned = op == SL_TRUTH_MORE || op == SL_TRUTH_ATLEAST;
    call->main_step = call->step_count;
    return add_pair(call, kernels[op], turned ? &b : &a, turned ? &a : &b).ref;
}

int sl_truth_prepare(struct sl_op_call *call, int op, unsigned out_at, struct sl_diag *diag)
{
    struct sl_tensor *out = sl_op_tensor(call, out_at);
    const struct sl_tensor *const inputs[2] = {sl_op_tensor(call, 0),
                                               out_at == 1 ? NULL : sl_op_tensor(call, 1)};
    int rc = sl_broadcast_sizes(call, 2, inputs, out, diag);
    if (rc != 0 || out->nbytes == 0)
        return rc;
    struct sl_ref truths = out_at == 1 ? add_one(call, op) : add_two(call, op);
    add_conversion(call, SL_CONVERT_QS8_F32, sl_tensor_count(out), truths, sl_ref_tensor(out));
    return 0;
}

static bool is_float(const struct sl_op_call *call, uint32_t arg)
{
    const struct sl_tensor *tensor = sl_op_tensor(call, arg);
    return !tensor || (tensor->scalar_type == SL_SCALAR_FLOAT && is_plain(tensor));
}

bool sl_truth_chooses(const struct sl_op_call *call, const struct sl_truth_choice *choice)
{
    return takes_operand(call, SL_TRUTH_NOT, choice->condition) && is_float(call, choice->yes) &&
           is_float(call, choice->no) && is_float(call, choice->out);
}

int sl_truth_choose(struct sl_op_call *call, const struct sl_truth_choice *choice,
                    struct sl_diag *diag)
{
    struct sl_tensor *out = sl_op_tensor(call, choice->out);
    const struct sl_tensor *const inputs[3] = {sl_op_tensor(call, choice->condition),
                                               sl_op_tensor(call, choice->yes),
                                               sl_op_tensor(call, choice->no)};
    int rc = sl_broadcast_sizes(call, 3, inputs, out, diag);
    if (rc != 0 || out->nbytes == 0)
        return rc;
    struct operand condition = operand_of(call, choice->condition);
    struct operand yes = operand_of(call, choice->yes), no = operand_of(call, choice->no);
    call->main_step = call->step_count;
    struct operand kept = add_pair(call, SL_BINARY_KEEP, &condition, &yes);
    struct operand dropped = add_pair(call, SL_BINARY_DROP, &condition, &no);
    add_last(call, SL_BINARY_ADD, &kept, &dropped, out);
    return 0;
}

bool sl_truth_bounds(const struct sl_op_call *call, const struct sl_bounds *bounds)
{
    return is_float(call, bounds->of) && is_float(call, bounds->least) &&
           is_float(call, bounds->most) && is_float(call, bounds->out);
}

int sl_truth_bound(struct sl_op_call *call, const struct sl_bounds *bounds, struct sl_diag *diag)
{
    struct sl_tensor *out = sl_op_tensor(call, bounds->out);
    const struct sl_tensor *const inputs[3] = {sl_op_tensor(call, bounds->of),
                                               sl_op_tensor(call, bounds->least),
                                               sl_op_tensor(call, bounds->most)};
    int rc = sl_broadcast_sizes(call, 3, inputs, out, diag);
    if (rc != 0 || out->nbytes == 0)
        return rc;
    struct operand x = operand_of(call, bounds->of), bound;
    if (inputs[1] && inputs[2]) {
        bound = operand_of(call, bounds->least);
        x = add_pair(call, SL_BINARY_MAXIMUM, &x, &bound);
    }
    bound = operand_of(call, inputs[2] ? bounds->most : bounds->least);
    add_last(call, inputs[2] ? SL_BINARY_MINIMUM : SL_BINARY_MAXIMUM, &x, &bound, out);
    return 0;
}
