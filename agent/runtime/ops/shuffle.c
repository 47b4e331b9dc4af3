/* agent/runtime/ops/shuffle.c: more operators that are another view of one input: pixels and
 * channels exchanged, diagonals, windows, narrow parts; dropout that drops nothing. */
#include <string.h>

#include "agent/runtime/ops/move.h"
#include "common/format/scalar_type.h"

enum { FINE = 5 }; /* dimensions that the last three are seen as */

static int misfit(struct sl_op_call *call, struct sl_diag *diag)
{
    return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                      "its numbers do not fit its input's shape");
}

/* The tensor with finer pixels as [..][channel][y][down][x][across], and the one with more channels
 * by strides in the same order. `factor`: down and across. */
static void see_pixels(const struct sl_tensor *fine, int64_t factor, struct sl_move_side *out_fine,
                       struct sl_move_side *out_deep, size_t *dims)
{
    uint32_t lead = fine->rank - 3;
    size_t n = (size_t)factor, c = (size_t)fine->sizes[lead];
    size_t h = (size_t)fine->sizes[lead + 1] / n, w = (size_t)fine->sizes[lead + 2] / n;
    const size_t inner[FINE] = {c, h, n, w, n};
    const size_t deep[FINE] = {n * n * h * w, w, n * h * w, 1, h * w};
    size_t step = fine->element_bytes;
    for (uint32_t d = FINE; d > 0; d--) {
        dims[lead + d - 1] = inner[d - 1];
        out_fine->strides[lead + d - 1] = (ptrdiff_t)step;
        out_deep->strides[lead + d - 1] = (ptrdiff_t)(deep[d - 1] * fine->element_bytes);
        step *= inner[d - 1];
    }
    for (uint32_t d = lead; d > 0; d--) {
        dims[d - 1] = (size_t)fine->sizes[d - 1];
        out_fine->strides[d - 1] = out_deep->strides[d - 1] = (ptrdiff_t)step;
        step *= dims[d - 1];
    }
}

/* Sizes after the exchange; false where they do not divide. */
static bool exchange_sizes(const struct sl_tensor *in, int64_t factor, bool deepens, int32_t *sizes)
{
    if (in->rank < 3 || factor < 1 || factor > INT16_MAX)
        return false;
    int32_t *last = sizes + in->rank - 3, n = (int32_t)factor;
    memcpy(sizes, in->sizes, in->rank * sizeof(*sizes));
    int64_t channels = last[0], h = last[1], w = last[2];
    if (deepens ? h % n != 0 || w % n != 0 : channels % ((int64_t)n * n) != 0)
        return false;
    channels = deepens ? channels * n * n : channels / n / n;
    h = deepens ? h / n : h * n;
    w = deepens ? w / n : w * n;
    last[0] = (int32_t)channels;
    last[1] = (int32_t)h;
    last[2] = (int32_t)w;
    return channels <= INT32_MAX && h <= INT32_MAX && w <= INT32_MAX;
}

static int exchange(struct sl_op_call *call, bool deepens, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_tensor *out = sl_op_tensor(call, 2);
    struct sl_move_side from = {.tensor = in}, to = {.tensor = out};
    int64_t factor = sl_op_int(call, 1, 0);
    int32_t sizes[SL_TENSOR_MAX_RANK];
    size_t dims[SL_WALK_RANK];
    if (!exchange_sizes(in, factor, deepens, sizes))
        return misfit(call, diag);
    int rc = sl_move_same_type(call, in, out, diag);
    if (rc == 0)
        rc = sl_tensor_resize(out, in->rank, sizes, diag);
    if (rc == 0 && (!sl_tensor_contiguous(in) || !sl_tensor_contiguous(out)))
        rc = sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "this memory order is not supported");
    struct sl_move *move = rc == 0 ? sl_move_new(call, 1) : NULL;
    if (!move)
        return rc != 0 ? rc : SL_ET_MEMORY_ALLOCATION_FAILED;
    see_pixels(deepens ? in : out, factor, deepens ? &from : &to, deepens ? &to : &from, dims);
    sl_move_add(move, in->rank - 3 + FINE, dims, &from, &to);
    sl_move_end(call, move);
    return 0;
}

static int prepare_pixel_shuffle(struct sl_op_call *call, struct sl_diag *diag)
{
    return exchange(call, false, diag);
}

static int prepare_pixel_unshuffle(struct sl_op_call *call, struct sl_diag *diag)
{
    return exchange(call, true, diag);
}

/* Dimensions dim1 and dim2 go; the diagonal comes last. */
static int prepare_diagonal(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_move_side side = {.tensor = in};
    ptrdiff_t strides[SL_TENSOR_MAX_RANK];
    int32_t sizes[SL_TENSOR_MAX_RANK];
    int64_t offset = sl_op_int(call, 1, 0);
    uint32_t rows, columns, rank = 0;
    if (in->rank < 2 || !sl_op_dim(sl_op_int(call, 2, 0), in->rank, &rows) ||
        !sl_op_dim(sl_op_int(call, 3, 1), in->rank, &columns) || rows == columns)
        return misfit(call, diag);
    sl_walk_strides(in, strides);
    for (uint32_t d = 0; d < in->rank; d++) {
        if (d == rows || d == columns)
            continue;
        sizes[rank] = in->sizes[d];
        side.strides[rank++] = strides[d];
    }
    bool outside = offset >= in->sizes[columns] || offset <= -(int64_t)in->sizes[rows];
    int64_t height = in->sizes[rows], width = in->sizes[columns];
    height += offset < 0 && !outside ? offset : 0;
    width -= offset > 0 && !outside ? offset : 0;
    sizes[rank] = outside ? 0 : (int32_t)(height < width ? height : width);
    side.strides[rank++] = strides[rows] + strides[columns];
    if (!outside)
        side.at = (ptrdiff_t)(offset < 0 ? -offset : offset) * strides[offset < 0 ? rows : columns];
    return sl_move_view(call, &side, sl_op_tensor(call, 4), rank, sizes, diag);
}

/* Windows of `size` elements, `step` apart, whose inside becomes the last dimension. */
static int prepare_unfold(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_move_side side = sl_move_whole(in);
    int64_t size = sl_op_int(call, 2, 0), step = sl_op_int(call, 3, 0);
    int32_t sizes[SL_TENSOR_MAX_RANK];
    uint32_t dim;
    if (!sl_op_dim(sl_op_int(call, 1, 0), in->rank, &dim) || size < 0 || size > in->sizes[dim] ||
        step < 1 || in->rank == SL_TENSOR_MAX_RANK)
        return misfit(call, diag);
    int64_t more = (in->sizes[dim] - size) / step; /* windows but the first */
    memcpy(sizes, in->sizes, in->rank * sizeof(*sizes));
    sizes[dim] = (int32_t)more + 1;
    sizes[in->rank] = (int32_t)size;
    side.strides[in->rank] = side.strides[dim];
    side.strides[dim] *= more > 0 ? (ptrdiff_t)step : 0;
    return sl_move_view(call, &side, sl_op_tensor(call, 4), in->rank + 1, sizes, diag);
}

static int prepare_narrow(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_move_side side = sl_move_whole(in);
    int64_t start = sl_op_int(call, 2, 0), length = sl_op_int(call, 3, 0);
    int32_t sizes[SL_TENSOR_MAX_RANK];
    uint32_t dim;
    /* A start counted from the end passes ExecuTorch's checks, and then fails. */
    if (!sl_op_dim(sl_op_int(call, 1, 0), in->rank, &dim) || start < 0 || start > in->sizes[dim] ||
        length < 0 || length > in->sizes[dim] - start)
        return misfit(call, diag);
    memcpy(sizes, in->sizes, in->rank * sizeof(*sizes));
    sizes[dim] = (int32_t)length;
    side.at = (ptrdiff_t)start * side.strides[dim];
    return sl_move_view(call, &side, sl_op_tensor(call, 4), in->rank, sizes, diag);
}

struct dropout { /* the call's state */
    const struct sl_tensor *in, *out, *mask;
};

static void run_dropout(struct sl_op_call *call)
{
    const struct dropout *d = call->state;
    memcpy(d->out->data, d->in->data, d->in->nbytes);
    memset(d->mask->data, 1, d->mask->nbytes);
}

/* Without training, or with a probability of 0, everything stays. */
static int prepare_dropout(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_tensor *out = sl_op_tensor(call, 3), *mask = sl_op_tensor(call, 4);
    bool trains = call->method->values[call->args[2]].kind != SL_PTE_BOOL || sl_op_bool(call, 2);
    struct dropout *d = sl_op_state(call, sizeof(*d));
    if (!d)
        return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    if (trains && sl_op_number(call, 1, 0.0) != 0.0)
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED,
                          "dropping at random, as in training, is not supported");
    if (mask->scalar_type != SL_SCALAR_BOOL || memcmp(in->dim_order, out->dim_order, in->rank) != 0)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                          "its mask is not of Bool, or its outputs' memory order is another");
    int rc = sl_move_same_type(call, in, out, diag);
    if (rc == 0)
        rc = sl_tensor_resize(out, in->rank, in->sizes, diag);
    if (rc == 0)
        rc = sl_tensor_resize(mask, in->rank, in->sizes, diag);
    *d = (struct dropout){.in = in, .out = out, .mask = mask};
    if (rc == 0 && in->nbytes != 0)
        sl_op_own(call, "sl_dropout_scalar", run_dropout);
    return rc;
}

const struct sl_op sl_ops_shuffle[] = {
    {.name = "aten::pixel_shuffle.out", .signature = "aiO", .prepare = prepare_pixel_shuffle},
    {.name = "aten::pixel_unshuffle.out", .signature = "aiO", .prepare = prepare_pixel_unshuffle},
    {.name = "aten::diagonal_copy.out", .signature = "aiiiO", .prepare = prepare_diagonal},
    {.name = "aten::unfold_copy.out", .signature = "aiiiO", .prepare = prepare_unfold},
    {.name = "aten::narrow_copy.out", .signature = "aiiiO", .prepare = prepare_narrow},
    {.name = "aten::native_dropout.out", .signature = "anNOO", .prepare = prepare_dropout},
    {0},
};
