/* agent/runtime/ops/mask.c: operators whose output's size, or what they read, follows from data:
 * what masks select, where numbers are not zero, indices repeated. */
#include <string.h>

#include "agent/runtime/ops/cast.h"
#include "agent/runtime/ops/op.h"
#include "agent/runtime/ops/walk.h"
#include "common/format/scalar_type.h"

struct selection { /* the call's state */
    const struct sl_tensor *in, *mask, *source;
    struct sl_tensor *out;
    int64_t total;       /* repeated indices the program expects, or -1 */
    struct sl_walk walk; /* in, mask and maybe out, in logical order: it is not folded */
};

static const char *const no_room = "its output has no room for what the data select";

/* Gives the output its size while the program runs. */
static bool take_size(struct sl_op_call *call, struct sl_tensor *out, uint32_t rank,
                      const int32_t *sizes)
{
    if (sizes[0] >= 0 && sl_tensor_resize(out, rank, sizes, NULL) == 0 &&
        out->nbytes <= out->room_bytes)
        return true;
    call->failure = no_room;
    return false;
}

/* Walks two tensors of any strides over sizes that both broadcast to, the last dimension first. */
static void lay_walk(struct selection *s, uint32_t rank, const int32_t *sizes)
{
    ptrdiff_t strides[3][SL_TENSOR_MAX_RANK] = {{0}};
    s->walk = (struct sl_walk){.operands = 3};
    sl_walk_broadcast(s->in, rank, strides[0]);
    sl_walk_broadcast(s->mask, rank, strides[1]);
    if (s->source) /* then the output is as large */
        sl_walk_broadcast(s->out, rank, strides[2]);
    for (uint32_t d = rank; d > 0; d--)
        sl_walk_add(&s->walk, (size_t)sizes[d - 1],
                    (const ptrdiff_t[3]){strides[0][d - 1], strides[1][d - 1], strides[2][d - 1]});
    if (rank == 0)
        sl_walk_add(&s->walk, 1, (const ptrdiff_t[3]){0, 0, 0});
}

/* The sizes that both broadcast to; false: they do not. */
static bool broadcast(const struct sl_tensor *a, const struct sl_tensor *b, uint32_t *out_rank,
                      int32_t *out)
{
    uint32_t rank = a->rank > b->rank ? a->rank : b->rank;
    for (uint32_t i = 0; i < rank; i++) {
        int32_t x = i + a->rank >= rank ? a->sizes[i + a->rank - rank] : 1;
        int32_t y = i + b->rank >= rank ? b->sizes[i + b->rank - rank] : 1;
        if (x != y && x != 1 && y != 1)
            return false;
        out[i] = x == 1 ? y : x;
    }
    *out_rank = rank;
    return true;
}

static size_t count_true(const struct sl_tensor *mask)
{
    size_t count = 0;
    for (size_t i = 0; i < mask->nbytes; i++)
        count += mask->data[i] != 0;
    return count;
}

static void run_masked_select(struct sl_op_call *call)
{
    const struct selection *s = call->state;
    struct sl_walk_at at = {{0}, {0}};
    size_t places = 1, bytes = s->in->element_bytes;
    for (uint32_t d = 0; d < s->walk.rank; d++)
        places *= s->walk.dims[d];
    size_t times = places != 0 ? places / s->mask->nbytes : 0; /* the mask has this many copies */
    size_t count = count_true(s->mask) * times;
    const int32_t size = count <= INT32_MAX ? (int32_t)count : -1;
    if (!take_size(call, s->out, 1, &size) || count == 0)
        return;
    uint8_t *out = s->out->data;
    do {
        const uint8_t *in = s->in->data + at.offset[0], *mask = s->mask->data + at.offset[1];
        for (size_t i = 0; i < s->walk.dims[0]; i++) {
            if (*mask) {
                memcpy(out, in, bytes);
                out += bytes;
            }
            in += s->walk.strides[0][0];
            mask += s->walk.strides[1][0];
        }
    } while (sl_walk_next(&s->walk, &at));
}

static void run_masked_scatter(struct sl_op_call *call)
{
    const struct selection *s = call->state;
    struct sl_walk_at at = {{0}, {0}};
    size_t bytes = s->in->element_bytes, left = sl_tensor_count(s->source);
    const uint8_t *source = s->source->data;
    do {
        const uint8_t *in = s->in->data + at.offset[0], *mask = s->mask->data + at.offset[1];
        uint8_t *out = s->out->data + at.offset[2];
        for (size_t i = 0; i < s->walk.dims[0]; i++) {
            if (*mask && left == 0) {
                call->failure = "its source has fewer elements than the mask selects";
                return;
            }
            memcpy(out, *mask ? source : in, bytes);
            source += *mask ? bytes : 0;
            left -= *mask ? 1 : 0;
            in += s->walk.strides[0][0];
            mask += s->walk.strides[1][0];
            out += s->walk.strides[2][0];
        }
    } while (sl_walk_next(&s->walk, &at));
}

static int fail(struct sl_op_call *call, const char *what, struct sl_diag *diag)
{
    return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, what);
}

static struct selection *begin(struct sl_op_call *call, struct sl_diag *diag)
{
    struct selection *s = sl_op_state(call, sizeof(*s));
    if (!s)
        sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    return s;
}

/* Input, mask and output that fit together, with the sizes that they broadcast to. */
static int read_masked(struct sl_op_call *call, struct selection *s, uint32_t out, uint32_t *rank,
                       int32_t *sizes, struct sl_diag *diag)
{
    s->in = sl_op_tensor(call, 0);
    s->mask = sl_op_tensor(call, 1);
    s->out = sl_op_tensor(call, out);
    if (s->mask->scalar_type != SL_SCALAR_BOOL || s->out->scalar_type != s->in->scalar_type)
        return fail(call, "its mask is not of Bool, or its output of another type", diag);
    if (!broadcast(s->in, s->mask, rank, sizes))
        return fail(call, "its mask does not broadcast with its input", diag);
    return 0;
}

static int prepare_masked_select(struct sl_op_call *call, struct sl_diag *diag)
{
    static const int32_t none = 0;
    int32_t sizes[SL_TENSOR_MAX_RANK];
    uint32_t rank;
    struct selection *s = begin(call, diag);
    int rc = s ? read_masked(call, s, 2, &rank, sizes, diag) : SL_ET_MEMORY_ALLOCATION_FAILED;
    if (rc == 0 && s->out->rank != 1)
        rc = fail(call, "its output is not of rank 1", diag);
    if (rc != 0)
        return rc;
    if (s->in->nbytes == 0 || s->mask->nbytes == 0)
        return sl_tensor_resize(s->out, 1, &none, diag);
    lay_walk(s, rank, sizes);
    sl_op_own(call, "sl_masked_select_scalar", run_masked_select);
    return 0;
}

static int prepare_masked_scatter(struct sl_op_call *call, struct sl_diag *diag)
{
    int32_t sizes[SL_TENSOR_MAX_RANK];
    uint32_t rank;
    struct selection *s = begin(call, diag);
    int rc = s ? read_masked(call, s, 3, &rank, sizes, diag) : SL_ET_MEMORY_ALLOCATION_FAILED;
    if (rc != 0)
        return rc;
    s->source = sl_op_tensor(call, 2);
    if (s->source->scalar_type != s->in->scalar_type)
        return fail(call, "its source is of another type", diag);
    rc = sl_tensor_resize(s->out, rank, sizes, diag);
    if (rc != 0 || s->out->nbytes == 0)
        return rc;
    lay_walk(s, rank, sizes);
    sl_op_own(call, "sl_masked_scatter_scalar", run_masked_scatter);
    return 0;
}

/* True if an element is not zero; a float's -0 is zero. */
static bool is_set(const uint8_t *at, int class, sl_cast_load_fn load)
{
    union sl_cast_number number;
    load(at, 0, 1, &number);
    return class == SL_CAST_I64 ? number.i64 != 0 : number.f64 != 0.0;
}

static void run_nonzero(struct sl_op_call *call)
{
    const struct selection *s = call->state;
    const struct sl_tensor *in = s->in;
    int class = sl_cast_is_float(in->scalar_type) ? SL_CAST_F64 : SL_CAST_I64;
    sl_cast_load_fn load = sl_cast_load(class, in->scalar_type);
    size_t count = 0;
    int64_t at[SL_TENSOR_MAX_RANK] = {0};
    for (size_t i = 0; i < in->nbytes; i += in->element_bytes)
        count += is_set(in->data + i, class, load);
    const int32_t sizes[2] = {count <= INT32_MAX ? (int32_t)count : -1, (int32_t)in->rank};
    if (!take_size(call, s->out, 2, sizes))
        return;
    uint8_t *out = s->out->data;
    for (size_t i = 0; i < in->nbytes; i += in->element_bytes) {
        if (is_set(in->data + i, class, load)) {
            memcpy(out, at, in->rank * sizeof(*at));
            out += in->rank * sizeof(*at);
        }
        for (uint32_t d = in->rank; d > 0 && ++at[d - 1] == in->sizes[d - 1]; d--)
            at[d - 1] = 0;
    }
}

static int prepare_nonzero(struct sl_op_call *call, struct sl_diag *diag)
{
    struct selection *s = begin(call, diag);
    if (!s)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    s->in = sl_op_tensor(call, 0);
    s->out = sl_op_tensor(call, 1);
    if (s->out->rank != 2)
        return fail(call, "its output is not of rank 2", diag);
    /* Rows are written one after the other whatever the output's memory order: ExecuTorch does so
     * too, and exporters give it PyTorch's, columns first. */
    if (!sl_tensor_contiguous(s->in))
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "this memory order is not supported");
    sl_op_own(call, "sl_nonzero_scalar", run_nonzero);
    return 0;
}

static void run_repeat(struct sl_op_call *call)
{
    const struct selection *s = call->state;
    size_t bytes = s->in->element_bytes, count = sl_tensor_count(s->in);
    sl_cast_load_fn load = sl_cast_load(SL_CAST_I64, s->in->scalar_type);
    sl_cast_store_fn store = sl_cast_store(SL_CAST_I64, s->in->scalar_type);
    int64_t total = 0, times;
    for (size_t i = 0; i < count; i++) {
        load(s->in->data + i * bytes, 0, 1, &times);
        if (times < 0 || times > INT32_MAX || (total += times) > INT32_MAX) {
            call->failure = "its repeats are negative or too many";
            return;
        }
    }
    const int32_t size = (int32_t)total;
    if (s->total >= 0 && s->total != total) {
        call->failure = "its repeats do not add up to the output's size";
        return;
    }
    if (!take_size(call, s->out, 1, &size))
        return;
    uint8_t *out = s->out->data;
    for (size_t i = 0; i < count; i++) {
        const int64_t index = (int64_t)i;
        load(s->in->data + i * bytes, 0, 1, &times);
        for (; times > 0; times--, out += bytes)
            store(&index, 1, out, 0);
    }
}

static int prepare_repeat(struct sl_op_call *call, struct sl_diag *diag)
{
    struct selection *s = begin(call, diag);
    if (!s)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    s->in = sl_op_tensor(call, 0);
    s->total = sl_op_int(call, 1, -1);
    s->out = sl_op_tensor(call, 2);
    if ((s->in->scalar_type != SL_SCALAR_INT && s->in->scalar_type != SL_SCALAR_LONG) ||
        s->in->rank != 1 || s->out->rank != 1 || s->out->scalar_type != s->in->scalar_type)
        return fail(call, "its repeats are not a row of Int or Long, as its output is", diag);
    sl_op_own(call, "sl_repeat_interleave_scalar", run_repeat);
    return 0;
}

const struct sl_op sl_ops_mask[] = {
    {.name = "aten::masked_select.out", .signature = "aaO", .prepare = prepare_masked_select},
    {.name = "aten::masked_scatter.out", .signature = "aaaO", .prepare = prepare_masked_scatter},
    {.name = "aten::nonzero.out", .signature = "al", .prepare = prepare_nonzero},
    {.name = "aten::repeat_interleave.Tensor_out", .signature = "aIO", .prepare = prepare_repeat},
    {0},
};
