/* agent/runtime/ops/move.c: the engine, and the operators that are another view of one input. */
#include "agent/runtime/ops/move.h"

#include <string.h>

#include "agent/runtime/ops/cast.h"
#include "agent/runtime/ops/map.h"
#include "common/format/scalar_type.h"
#include "kernels/layout/stride.h"

struct piece {
    const struct sl_tensor *in, *out;
    sl_cast_load_fn load; /* NULL: of one type */
    sl_cast_store_fn store;
    struct sl_walk_at start;
    struct sl_walk walk; /* in, out */
};

struct sl_move {
    size_t element_bytes;
    const struct sl_stride *stride; /* for rows of the input that are not dense */
    const struct sl_tensor *filled; /* NULL: nothing is filled first */
    uint8_t pattern[8];
    uint32_t count;
    struct piece pieces[];
};

/* One element again and again: as much as there is, as often as it fits. */
static void repeat(const uint8_t *in, uint8_t *out, size_t bytes, size_t element_bytes)
{
    if (bytes == 0) /* what is filled has one element */
        return;
    memcpy(out, in, element_bytes);
    for (size_t done = element_bytes, more; done < bytes; done += more) {
        more = done < bytes - done ? done : bytes - done;
        memcpy(out + done, out, more);
    }
}

#define MOVE_ROW(type)                                                                             \
    for (size_t i = 0; i < count; i++, in += in_step, out += out_step)                             \
    *(type *)(void *)out = *(const type *)(const void *)in

static void move_row(const uint8_t *in, ptrdiff_t in_step, uint8_t *out, ptrdiff_t out_step,
                     size_t count, size_t element_bytes)
{
    if (in_step == (ptrdiff_t)element_bytes && out_step == in_step) {
        memcpy(out, in, count * element_bytes);
        return;
    }
    if (in_step == 0 && out_step == (ptrdiff_t)element_bytes) {
        repeat(in, out, count * element_bytes, element_bytes);
        return;
    }
    switch (element_bytes) {
    case 1:
        MOVE_ROW(uint8_t);
        break;
    case 2:
        MOVE_ROW(uint16_t);
        break;
    case 4:
        MOVE_ROW(uint32_t);
        break;
    case 8:
        MOVE_ROW(uint64_t);
        break;
    default:
        for (size_t i = 0; i < count; i++, in += in_step, out += out_step)
            memcpy(out, in, element_bytes);
        break;
    }
}

static void convert_row(const struct piece *p, const uint8_t *in, uint8_t *out)
{
    double block[SL_CAST_BLOCK]; /* numbers of any class */
    ptrdiff_t in_step = p->walk.strides[0][0], out_step = p->walk.strides[1][0];
    for (size_t left = p->walk.dims[0], count; left != 0; left -= count) {
        count = left < SL_CAST_BLOCK ? left : SL_CAST_BLOCK;
        p->load(in, in_step, count, block);
        p->store(block, count, out, out_step);
        in += (ptrdiff_t)count * in_step;
        out += (ptrdiff_t)count * out_step;
    }
}

static void fill(const struct sl_move *move)
{
    uint8_t *out = move->filled->data;
    size_t bytes = move->element_bytes, count = sl_tensor_count(move->filled);
    if (count == 0)
        return;
    memcpy(out, move->pattern, bytes);
    move_row(out, 0, out + bytes, (ptrdiff_t)bytes, count - 1, bytes);
}

/* True if elements that lie apart become a dense row. */
static bool gathers(const struct piece *p, size_t element_bytes)
{
    ptrdiff_t bytes = (ptrdiff_t)element_bytes, in = p->walk.strides[0][0];
    return !p->load && bytes <= 8 && p->walk.strides[1][0] == bytes && in != 0 && in != bytes &&
           in % bytes == 0;
}

static void run_move(struct sl_op_call *call)
{
    const struct sl_move *move = call->state;
    if (move->filled)
        fill(move);
    for (const struct piece *p = move->pieces; p < move->pieces + move->count; p++) {
        struct sl_walk_at at = p->start;
        bool apart = gathers(p, move->element_bytes);
        ptrdiff_t step = p->walk.strides[0][0] / (ptrdiff_t)move->element_bytes;
        do {
            const uint8_t *in = p->in->data + at.offset[0];
            uint8_t *out = p->out->data + at.offset[1];
            if (p->load)
                convert_row(p, in, out);
            else if (apart)
                move->stride->run(p->walk.dims[0], move->element_bytes, step, in, out);
            else
                move_row(in, p->walk.strides[0][0], out, p->walk.strides[1][0], p->walk.dims[0],
                         move->element_bytes);
        } while (sl_walk_next(&p->walk, &at));
    }
}

struct sl_move *sl_move_new(struct sl_op_call *call, uint32_t pieces)
{
    return sl_op_state(call, sizeof(struct sl_move) + pieces * sizeof(struct piece));
}

void sl_move_fill(struct sl_move *move, const struct sl_tensor *out, const void *pattern)
{
    move->filled = out;
    move->element_bytes = out->element_bytes;
    memcpy(move->pattern, pattern, out->element_bytes);
}

void sl_move_add(struct sl_move *move, uint32_t rank, const size_t *dims,
                 const struct sl_move_side *in, const struct sl_move_side *out)
{
    struct piece *p = &move->pieces[move->count];
    *p = (struct piece){.in = in->tensor, .out = out->tensor, .walk = {.operands = 2}};
    if (in->tensor->scalar_type != out->tensor->scalar_type) {
        int class = sl_cast_class(in->tensor->scalar_type);
        p->load = sl_cast_load(class, in->tensor->scalar_type);
        p->store = sl_cast_store(class, out->tensor->scalar_type);
    }
    for (uint32_t d = 0; d < rank; d++)
        sl_walk_add(&p->walk, dims[d], (const ptrdiff_t[2]){in->strides[d], out->strides[d]});
    if (!sl_walk_fold(&p->walk))
        return; /* an empty box */
    p->start.offset[0] = in->at;
    p->start.offset[1] = out->at;
    move->element_bytes = out->tensor->element_bytes;
    move->count++;
}

/* The dimensions of a walk by one operand's strides, innermost first; false unless they lie densely
 * so. */
static bool dense_order(const struct sl_walk *walk, uint32_t operand, size_t element_bytes,
                        uint32_t *order)
{
    const ptrdiff_t *strides = walk->strides[operand];
    for (uint32_t d = 0; d < walk->rank; d++) {
        uint32_t i = d;
        for (; i > 0 && strides[order[i - 1]] > strides[d]; i--)
            order[i] = order[i - 1];
        order[i] = d;
    }
    ptrdiff_t next = (ptrdiff_t)element_bytes;
    for (uint32_t i = 0; i < walk->rank; i++) {
        if (strides[order[i]] != next)
            return false;
        next *= (ptrdiff_t)walk->dims[order[i]];
    }
    return true;
}

/* Adds a kernel's step where whole elements change their order; false where they do not. */
static bool add_permutation(struct sl_op_call *call, const struct piece *p, size_t element_bytes)
{
    uint32_t from[SL_WALK_RANK], to[SL_WALK_RANK], rank = p->walk.rank;
    size_t dims[SL_LAYOUT_MAX_RANK], perm[SL_LAYOUT_MAX_RANK];
    if (p->load || element_bytes > 4 || rank > SL_LAYOUT_MAX_RANK || p->start.offset[0] != 0 ||
        p->start.offset[1] != 0 || !dense_order(&p->walk, 0, element_bytes, from) ||
        !dense_order(&p->walk, 1, element_bytes, to))
        return false;
    for (uint32_t i = 0; i < rank; i++) { /* outermost first */
        dims[i] = p->walk.dims[from[rank - 1 - i]];
        for (uint32_t k = 0; k < rank; k++)
            if (from[rank - 1 - k] == to[rank - 1 - i])
                perm[i] = k;
    }
    struct sl_step *step = sl_op_step(call);
    if (rank == 1)
        sl_step_copy_dense(step, dims[0] * element_bytes);
    else
        sl_step_permute_of(step, call->isa, element_bytes, rank, dims, perm);
    sl_op_operands(call, sl_ref_tensor(p->in), sl_ref_none(), sl_ref_tensor(p->out));
    return true;
}

/* True if every piece moves dense rows, or repeats one element. */
static bool moves_rows(const struct sl_move *move)
{
    ptrdiff_t bytes = (ptrdiff_t)move->element_bytes;
    for (const struct piece *p = move->pieces; p < move->pieces + move->count; p++) {
        ptrdiff_t in = p->walk.strides[0][0], out = p->walk.strides[1][0];
        if (p->load || (p->walk.dims[0] > 1 && (out != bytes || (in != bytes && in != 0))))
            return false;
    }
    return true;
}

/* The name of what moves most: rows as they lie, rows brought together, or single elements. */
static const char *kernel_of(const struct sl_op_call *call, struct sl_move *move)
{
    const struct piece *p = move->pieces;
    size_t bytes = move->element_bytes;
    bool apart = move->count != 0 && gathers(p, bytes);
    move->stride = sl_stride_select(call->isa, apart ? p->walk.dims[0] : 0, apart ? bytes : 1,
                                    apart ? p->walk.strides[0][0] / (ptrdiff_t)bytes : 0);
    for (uint32_t i = 1; i < move->count && apart; i++)
        apart = gathers(&p[i], bytes);
    return moves_rows(move) ? "memcpy" : apart ? move->stride->name : "sl_move_scalar";
}

void sl_move_end(struct sl_op_call *call, struct sl_move *move)
{
    if (move->count == 1 && !move->filled &&
        add_permutation(call, move->pieces, move->element_bytes))
        return;
    if (move->count != 0 || move->filled)
        sl_op_own(call, kernel_of(call, move), run_move);
}

struct sl_move_side sl_move_whole(const struct sl_tensor *tensor)
{
    struct sl_move_side side = {.tensor = tensor};
    sl_walk_strides(tensor, side.strides);
    return side;
}

int sl_move_same_type(struct sl_op_call *call, const struct sl_tensor *in,
                      const struct sl_tensor *out, struct sl_diag *diag)
{
    return in->scalar_type == out->scalar_type
               ? 0
               : sl_op_fail(call, diag, SL_ET_INVALID_TYPE, "input and output differ in type");
}

bool sl_move_converts(const struct sl_tensor *in, const struct sl_tensor *out)
{
    int class = sl_cast_class(in->scalar_type);
    return in->scalar_type == out->scalar_type ||
           (sl_cast_load(class, in->scalar_type) && sl_cast_store(class, out->scalar_type));
}

int sl_move_view(struct sl_op_call *call, const struct sl_move_side *in, struct sl_tensor *out,
                 uint32_t rank, const int32_t *sizes, struct sl_diag *diag)
{
    int rc = sl_move_same_type(call, in->tensor, out, diag);
    return rc != 0 ? rc : sl_move_converted(call, in, out, rank, sizes, diag);
}

int sl_move_converted(struct sl_op_call *call, const struct sl_move_side *in, struct sl_tensor *out,
                      uint32_t rank, const int32_t *sizes, struct sl_diag *diag)
{
    size_t dims[SL_TENSOR_MAX_RANK];
    int rc = sl_tensor_resize(out, rank, sizes, diag);
    if (rc == 0 && !sl_move_converts(in->tensor, out))
        rc = sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "its element types are not supported");
    if (rc != 0)
        return rc;
    struct sl_move *move = sl_move_new(call, 1);
    if (!move)
        return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    for (uint32_t d = 0; d < rank; d++)
        dims[d] = (size_t)sizes[d];
    const struct sl_move_side to = sl_move_whole(out);
    sl_move_add(move, rank, dims, in, &to);
    sl_move_end(call, move);
    return 0;
}

static int no_dim(struct sl_op_call *call, struct sl_diag *diag)
{
    return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its dim is not one of the input's");
}

static int prepare_select(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_move_side side = sl_move_whole(in);
    int32_t sizes[SL_TENSOR_MAX_RANK];
    uint32_t dim, at;
    if (!sl_op_dim(sl_op_int(call, 1, 0), in->rank, &dim))
        return no_dim(call, diag);
    if (!sl_op_dim(sl_op_int(call, 2, 0), (uint32_t)in->sizes[dim], &at))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its index is outside the input");
    side.at = (ptrdiff_t)at * side.strides[dim];
    for (uint32_t d = 0, k = 0; d < in->rank; d++) {
        if (d == dim)
            continue;
        sizes[k] = in->sizes[d];
        side.strides[k++] = side.strides[d];
    }
    return sl_move_view(call, &side, sl_op_tensor(call, 3), in->rank - 1, sizes, diag);
}

/* A slice's end, counted from the end when negative, held inside the dimension. */
static int64_t bound(int64_t at, int64_t size)
{
    at = at < 0 ? at + size : at;
    return at < 0 ? 0 : at > size ? size : at;
}

static int prepare_slice(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_move_side side = sl_move_whole(in);
    int32_t sizes[SL_TENSOR_MAX_RANK] = {0};
    int64_t step = sl_op_int(call, 4, 1);
    uint32_t dim;
    if (!sl_op_dim(sl_op_int(call, 1, 0), in->rank, &dim))
        return no_dim(call, diag);
    if (step <= 0)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its step is not positive");
    int64_t size = in->sizes[dim], first = bound(sl_op_int(call, 2, 0), size);
    int64_t end = bound(sl_op_int(call, 3, INT64_MAX), size);
    int64_t length = end > first ? (end - first - 1) / step + 1 : 0;
    memcpy(sizes, in->sizes, sizeof(sizes));
    sizes[dim] = (int32_t)length;
    side.at = (ptrdiff_t)first * side.strides[dim];
    side.strides[dim] *= length > 1 ? (ptrdiff_t)step : 0;
    return sl_move_view(call, &side, sl_op_tensor(call, 5), in->rank, sizes, diag);
}

static int prepare_expand(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_move_side side = {.tensor = in};
    int64_t list[SL_TENSOR_MAX_RANK];
    int32_t sizes[SL_TENSOR_MAX_RANK];
    int rank = sl_op_ints(call, 1, list, SL_TENSOR_MAX_RANK);
    bool fits = rank >= 0 && (uint32_t)rank >= in->rank;
    for (uint32_t i = 0; fits && i < (uint32_t)rank; i++) {
        bool old = i + in->rank >= (uint32_t)rank;
        int32_t own = old ? in->sizes[i + in->rank - (uint32_t)rank] : 1;
        int64_t size = list[i] == -1 && old ? own : list[i];
        fits = size >= 0 && size <= INT32_MAX && (own == 1 || own == size);
        sizes[i] = (int32_t)size;
    }
    if (!fits)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                          "its input does not expand to its sizes");
    sl_walk_broadcast(in, (uint32_t)rank, side.strides);
    return sl_move_view(call, &side, sl_op_tensor(call, 3), (uint32_t)rank, sizes, diag);
}

static int prepare_flip(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_move_side side = sl_move_whole(in);
    int64_t dims[SL_TENSOR_MAX_RANK];
    unsigned seen = 0;
    int count = sl_op_ints(call, 1, dims, SL_TENSOR_MAX_RANK);
    for (int i = 0; i < count; i++) {
        uint32_t d;
        if (!sl_op_dim(dims[i], in->rank != 0 ? in->rank : 1, &d) || (seen & 1u << d) != 0)
            return no_dim(call, diag);
        seen |= 1u << d;
        if (in->rank == 0)
            continue; /* a number has one way round */
        side.at += side.strides[d] * (in->sizes[d] > 0 ? in->sizes[d] - 1 : 0);
        side.strides[d] = -side.strides[d];
    }
    return count < 0 ? no_dim(call, diag)
                     : sl_move_view(call, &side, sl_op_tensor(call, 2), in->rank, in->sizes, diag);
}

/* Sizes, strides and offset, in elements, that stay inside the input's memory. */
static int prepare_as_strided(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_move_side side = {.tensor = in};
    int64_t list[SL_TENSOR_MAX_RANK], strides[SL_TENSOR_MAX_RANK], last = sl_op_int(call, 3, 0);
    int32_t sizes[SL_TENSOR_MAX_RANK];
    int rank = sl_op_ints(call, 1, list, SL_TENSOR_MAX_RANK);
    int64_t elements = (int64_t)sl_tensor_count(in);
    bool fits = rank >= 0 && sl_op_ints(call, 2, strides, SL_TENSOR_MAX_RANK) == rank && last >= 0;
    side.at = fits && last < elements ? (ptrdiff_t)last * (ptrdiff_t)in->element_bytes : 0;
    bool empty = false;
    for (int i = 0; fits && i < rank; i++) {
        int64_t span = 0;
        fits = list[i] >= 0 && list[i] <= INT32_MAX && strides[i] >= 0 && strides[i] <= INT32_MAX;
        span = fits && list[i] > 0 ? (list[i] - 1) * strides[i] : 0;
        fits = fits && !__builtin_add_overflow(last, span, &last);
        empty = empty || list[i] == 0;
        sizes[i] = (int32_t)list[i];
        side.strides[i] = fits ? (ptrdiff_t)strides[i] * (ptrdiff_t)in->element_bytes : 0;
    }
    if (!fits || (!empty && last >= elements))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                          "its sizes and strides leave the input's memory");
    return sl_move_view(call, &side, sl_op_tensor(call, 4), (uint32_t)rank, sizes, diag);
}

/* Repeated dimensions become two: how often, which stands still in the input, and the input's own;
 * the output is written through the same two. */
static int prepare_repeat(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_tensor *out = sl_op_tensor(call, 2);
    struct sl_move_side from = {.tensor = in}, to = {.tensor = out};
    int64_t times[SL_TENSOR_MAX_RANK];
    int32_t sizes[SL_TENSOR_MAX_RANK];
    size_t dims[SL_WALK_RANK];
    ptrdiff_t own[SL_TENSOR_MAX_RANK], strides[SL_TENSOR_MAX_RANK];
    int rank = sl_op_ints(call, 1, times, SL_TENSOR_MAX_RANK);
    bool fits = rank >= 0 && (uint32_t)rank >= in->rank;
    uint32_t added = fits ? (uint32_t)rank - in->rank : 0;
    for (uint32_t i = 0; fits && i < (uint32_t)rank; i++) {
        int64_t size = i < added ? 1 : in->sizes[i - added];
        fits = times[i] >= 0 && times[i] <= INT32_MAX && size * times[i] <= INT32_MAX;
        sizes[i] = (int32_t)(fits ? size * times[i] : 0);
    }
    if (!fits)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its repeats are not valid");
    int rc = sl_move_same_type(call, in, out, diag);
    if (rc == 0)
        rc = sl_tensor_resize(out, (uint32_t)rank, sizes, diag);
    struct sl_move *move = rc == 0 ? sl_move_new(call, 1) : NULL;
    if (!move)
        return rc != 0 ? rc : SL_ET_MEMORY_ALLOCATION_FAILED;
    sl_walk_strides(in, own);
    sl_walk_strides(out, strides);
    for (uint32_t i = 0; i < (uint32_t)rank; i++) {
        int32_t size = i < added ? 1 : in->sizes[i - added];
        dims[2 * i] = (size_t)times[i];
        dims[2 * i + 1] = (size_t)size;
        from.strides[2 * i] = 0;
        from.strides[2 * i + 1] = i < added ? 0 : own[i - added];
        to.strides[2 * i] = strides[i] * size;
        to.strides[2 * i + 1] = strides[i];
    }
    sl_move_add(move, 2 * (uint32_t)rank, dims, &from, &to);
    sl_move_end(call, move);
    return 0;
}

bool sl_move_element(const struct sl_op_call *call, uint32_t arg, int scalar_type, void *out)
{
    double number = sl_op_number(call, arg, 0.0);
    int64_t integer = sl_op_int(call, arg, sl_cast_to_int(number));
    float narrow = (float)number;
    int class = sl_cast_is_float(scalar_type) ? SL_CAST_F32 : SL_CAST_I64;
    sl_cast_store_fn store = sl_cast_store(class, scalar_type);
    if (scalar_type == SL_SCALAR_DOUBLE)
        memcpy(out, &number, sizeof(number));
    else if (store)
        store(class == SL_CAST_F32 ? (const void *)&narrow : &integer, 1, out, 0);
    return store != NULL;
}

/* True if halves become f32 or f32 becomes halves, in one memory order. */
static bool changes_width(const struct sl_tensor *in, const struct sl_tensor *out)
{
    const struct sl_tensor *wide = in->scalar_type == SL_SCALAR_FLOAT ? in : out;
    return wide->scalar_type == SL_SCALAR_FLOAT &&
           sl_cast_is_half((wide == in ? out : in)->scalar_type) && in->rank == out->rank &&
           memcmp(in->dim_order, out->dim_order, in->rank) == 0;
}

/* Copies into another memory order or type; the argument before the return entry is the output. */
static int prepare_to_copy(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    uint32_t at = call->arg_count - 2;
    struct sl_tensor *out = sl_op_tensor(call, at);
    if (changes_width(in, out)) {
        int rc = sl_tensor_resize(out, in->rank, in->sizes, diag);
        if (rc == 0)
            sl_op_convert(call, in, out);
        return rc;
    }
    if (in->scalar_type != out->scalar_type)
        return sl_map_convert(call, 0, at, diag);
    const struct sl_move_side side = sl_move_whole(in);
    return sl_move_view(call, &side, out, in->rank, in->sizes, diag);
}

/* The source, argument 1, broadcast to the shape of argument 0, into argument `at`. */
static int copy_into(struct sl_op_call *call, uint32_t at, struct sl_diag *diag)
{
    const struct sl_tensor *like = sl_op_tensor(call, 0), *in = sl_op_tensor(call, 1);
    struct sl_tensor *out = sl_op_tensor(call, at);
    struct sl_move_side side = {.tensor = in};
    bool fits = in->rank <= like->rank;
    for (uint32_t i = 1; fits && i <= in->rank; i++)
        fits =
            in->sizes[in->rank - i] == 1 || in->sizes[in->rank - i] == like->sizes[like->rank - i];
    if (!fits)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its source does not broadcast");
    sl_walk_broadcast(in, like->rank, side.strides);
    return sl_move_converted(call, &side, out, like->rank, like->sizes, diag);
}

static int prepare_copy(struct sl_op_call *call, struct sl_diag *diag)
{
    return copy_into(call, 3, diag);
}

/* How a program writes its mutable buffers. */
static int prepare_copy_in_place(struct sl_op_call *call, struct sl_diag *diag)
{
    return copy_into(call, 0, diag);
}

const struct sl_op sl_ops_move[] = {
    {.name = "aten::select_copy.int_out", .signature = "aiiO", .prepare = prepare_select},
    {.name = "aten::slice_copy.Tensor_out", .signature = "aiIIiO", .prepare = prepare_slice},
    {.name = "aten::expand_copy.out", .signature = "avbO", .prepare = prepare_expand},
    {.name = "aten::flip.out", .signature = "avO", .prepare = prepare_flip},
    {.name = "aten::as_strided_copy.out", .signature = "avvIO", .prepare = prepare_as_strided},
    {.name = "aten::repeat.out", .signature = "avO", .prepare = prepare_repeat},
    {.name = "aten::clone.out", .signature = "aIO", .prepare = prepare_to_copy},
    {.name = "aten::detach_copy.out", .signature = "aO", .prepare = prepare_to_copy},
    {.name = "aten::alias_copy.out", .signature = "aO", .prepare = prepare_to_copy},
    {.name = "aten::lift_fresh_copy.out", .signature = "aO", .prepare = prepare_to_copy},
    {.name = "aten::_to_copy.out", .signature = "abIO", .prepare = prepare_to_copy},
    {.name = "dim_order_ops::_to_dim_order_copy.out",
     .signature = "absO",
     .prepare = prepare_to_copy},
    {.name = "dim_order_ops::_clone_dim_order.out",
     .signature = "absO",
     .prepare = prepare_to_copy},
    {.name = "aten::copy.out", .signature = "aabO", .prepare = prepare_copy},
    {.name = "aten::copy_", .signature = "Oab", .in_place = true, .prepare = prepare_copy_in_place},
    {0},
};
