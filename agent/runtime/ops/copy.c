/* agent/runtime/ops/copy.c: operators that only move elements. */
#include <string.h>

#include "agent/runtime/ops/fold.h"
#include "agent/runtime/ops/move.h"

/* Sizes from a list that may hold one -1. */
static int view_sizes(struct sl_op_call *call, const struct sl_tensor *in, int32_t *out,
                      struct sl_diag *diag)
{
    int64_t sizes[SL_TENSOR_MAX_RANK];
    int rank = sl_op_ints(call, 1, sizes, SL_TENSOR_MAX_RANK), open = -1;
    uint64_t known = 1, count = sl_tensor_count(in);
    for (int i = 0; i < rank; i++) {
        if (sizes[i] == -1 && open < 0) {
            open = i;
            continue;
        }
        if (sizes[i] < 0 || sizes[i] > INT32_MAX ||
            __builtin_mul_overflow(known, (uint64_t)sizes[i], &known))
            rank = -1;
    }
    if (rank >= 0 && open >= 0 && known != 0 && count / known <= INT32_MAX) {
        sizes[open] = (int64_t)(count / known);
        known *= count / known;
    } else if (open >= 0) {
        rank = -1;
    }
    if (rank < 0 || known != count) {
        sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                   "its sizes do not hold the input's elements");
        return -1;
    }
    for (int i = 0; i < rank; i++)
        out[i] = (int32_t)sizes[i];
    return rank;
}

static int check_types(struct sl_op_call *call, const struct sl_tensor *in,
                       const struct sl_tensor *out, struct sl_diag *diag)
{
    return in->scalar_type == out->scalar_type
               ? 0
               : sl_op_fail(call, diag, SL_ET_INVALID_TYPE, "input and output differ in type");
}

static int copy_whole(struct sl_op_call *call, const struct sl_tensor *in, struct sl_tensor *out,
                      uint32_t rank, const int32_t *sizes, struct sl_diag *diag)
{
    int rc = check_types(call, in, out, diag);
    if (rc == 0)
        rc = sl_tensor_resize(out, rank, sizes, diag);
    if (rc == 0 && out->nbytes != in->nbytes)
        rc = sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "input and output differ in size");
    if (rc != 0)
        return rc;
    sl_step_copy_dense(sl_op_step(call), in->nbytes);
    sl_op_operands(call, sl_ref_tensor(in), sl_ref_none(), sl_ref_tensor(out));
    return 0;
}

static int need_plain(struct sl_op_call *call, const struct sl_tensor *in,
                      const struct sl_tensor *out, struct sl_diag *diag)
{
    return sl_tensor_contiguous(in) && sl_tensor_contiguous(out)
               ? 0
               : sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "this memory order is not supported");
}

static int prepare_view(struct sl_op_call *call, struct sl_diag *diag)
{
    struct sl_tensor *in = sl_op_tensor(call, 0), *out = sl_op_tensor(call, 2);
    int32_t sizes[SL_TENSOR_MAX_RANK];
    int rank = view_sizes(call, in, sizes, diag);
    if (rank < 0)
        return SL_ET_INVALID_ARGUMENT;
    int rc = need_plain(call, in, out, diag);
    return rc != 0 ? rc : copy_whole(call, in, out, (uint32_t)rank, sizes, diag);
}

/* The output becomes another view of the input's memory. */
static int prepare_et_view(struct sl_op_call *call, struct sl_diag *diag)
{
    struct sl_tensor *in = sl_op_tensor(call, 0), *out = sl_op_tensor(call, 2);
    int32_t sizes[SL_TENSOR_MAX_RANK];
    int rank = view_sizes(call, in, sizes, diag);
    if (rank < 0)
        return SL_ET_INVALID_ARGUMENT;
    int rc = check_types(call, in, out, diag);
    if (rc == 0)
        rc = sl_tensor_resize(out, (uint32_t)rank, sizes, diag);
    if (rc == 0 && out->constant && !in->constant)
        rc = sl_op_fail(call, diag, SL_ET_INVALID_PROGRAM, "its output has memory of its own");
    if (rc != 0)
        return rc;
    out->constant = in->constant;
    sl_tensor_bind(out, in->data, in->room_bytes);
    sl_step_none(sl_op_step(call));
    sl_op_operands(call, sl_ref_none(), sl_ref_none(), sl_ref_none());
    return 0;
}

static int prepare_unsqueeze(struct sl_op_call *call, struct sl_diag *diag)
{
    struct sl_tensor *in = sl_op_tensor(call, 0), *out = sl_op_tensor(call, 2);
    int32_t sizes[SL_TENSOR_MAX_RANK + 1];
    uint32_t dim;
    if (!sl_op_dim(sl_op_int(call, 1, 0), in->rank + 1, &dim))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its dim is not one of the output's");
    for (uint32_t d = 0; d <= in->rank; d++)
        sizes[d] = d == dim ? 1 : in->sizes[d < dim ? d : d - 1];
    /* As ExecuTorch does, the bytes as they lie, whatever the two memory orders are. */
    return copy_whole(call, in, out, in->rank + 1, sizes, diag);
}

/* The dimensions in argument 1, an Int or a list, go where their size is 1. */
static int prepare_squeeze(struct sl_op_call *call, struct sl_diag *diag)
{
    struct sl_tensor *in = sl_op_tensor(call, 0), *out = sl_op_tensor(call, 2);
    int32_t sizes[SL_TENSOR_MAX_RANK];
    uint32_t rank = 0;
    unsigned mask = 0;
    int rc = sl_fold_mask(call, 1, &mask, diag);
    if (rc == 0)
        rc = need_plain(call, in, out, diag);
    for (uint32_t d = 0; d < in->rank; d++)
        if ((mask >> d & 1u) == 0 || in->sizes[d] != 1)
            sizes[rank++] = in->sizes[d];
    return rc != 0 ? rc : copy_whole(call, in, out, rank, sizes, diag);
}

static int permute(struct sl_op_call *call, const struct sl_tensor *in, struct sl_tensor *out,
                   const size_t *perm, struct sl_diag *diag)
{
    struct sl_move_side side = {.tensor = in};
    int32_t sizes[SL_TENSOR_MAX_RANK];
    ptrdiff_t strides[SL_TENSOR_MAX_RANK];
    sl_walk_strides(in, strides);
    for (uint32_t i = 0; i < in->rank; i++) {
        sizes[i] = in->sizes[perm[i]];
        side.strides[i] = strides[perm[i]];
    }
    return sl_move_view(call, &side, out, in->rank, sizes, diag);
}

static int prepare_permute(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    int64_t dims[SL_TENSOR_MAX_RANK];
    size_t perm[SL_TENSOR_MAX_RANK];
    unsigned seen = 0;
    int rank = sl_op_ints(call, 1, dims, SL_TENSOR_MAX_RANK);
    if (rank < 0 || (uint32_t)rank != in->rank)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                          "its dims are not as many as the input's");
    for (uint32_t i = 0; i < in->rank; i++) {
        uint32_t dim;
        if (!sl_op_dim(dims[i], in->rank, &dim) || (seen & 1u << dim) != 0)
            return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its dims are no permutation");
        seen |= 1u << dim;
        perm[i] = dim;
    }
    return permute(call, in, sl_op_tensor(call, 2), perm, diag);
}

static int swap(struct sl_op_call *call, int64_t dim0, int64_t dim1, struct sl_tensor *out,
                struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    size_t perm[SL_TENSOR_MAX_RANK];
    uint32_t a, b;
    uint32_t ranks = in->rank != 0 ? in->rank : 1; /* a number's dims are 0 and -1 */
    if (!sl_op_dim(dim0, ranks, &a) || !sl_op_dim(dim1, ranks, &b))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its dims are not the input's");
    for (uint32_t i = 0; i < in->rank; i++)
        perm[i] = i;
    perm[a] = b;
    perm[b] = a;
    return permute(call, in, out, perm, diag);
}

static int prepare_transpose(struct sl_op_call *call, struct sl_diag *diag)
{
    return swap(call, sl_op_int(call, 1, 0), sl_op_int(call, 2, 0), sl_op_tensor(call, 3), diag);
}

static int prepare_t(struct sl_op_call *call, struct sl_diag *diag)
{
    uint32_t rank = sl_op_tensor(call, 0)->rank;
    if (rank > 2)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its input is of more than rank 2");
    return swap(call, 0, rank == 2 ? 1 : 0, sl_op_tensor(call, 1), diag);
}

const struct sl_op sl_ops_copy[] = {
    {.name = "aten::view_copy.out", .signature = "avO", .prepare = prepare_view},
    {.name = "executorch_prim::et_view.default",
     .signature = "avO",
     .prim = true,
     .view = true,
     .prepare = prepare_et_view},
    {.name = "aten::permute_copy.out", .signature = "avO", .prepare = prepare_permute},
    {.name = "aten::transpose_copy.int_out", .signature = "aiiO", .prepare = prepare_transpose},
    {.name = "aten::t_copy.out", .signature = "aO", .prepare = prepare_t},
    {.name = "aten::unsqueeze_copy.out", .signature = "aiO", .prepare = prepare_unsqueeze},
    {.name = "aten::squeeze_copy.dim_out", .signature = "aiO", .prepare = prepare_squeeze},
    {.name = "aten::squeeze_copy.dims_out", .signature = "avO", .prepare = prepare_squeeze},
    {0},
};
