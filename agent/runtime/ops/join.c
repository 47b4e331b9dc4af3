/* agent/runtime/ops/join.c: putting tensors together, taking them apart, padding. */
#include <string.h>

#include "agent/runtime/ops/cast.h"
#include "agent/runtime/ops/move.h"
#include "common/format/scalar_type.h"

static int no_memory(struct sl_op_call *call, struct sl_diag *diag)
{
    return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
}

static void dims_of(const struct sl_tensor *tensor, size_t *dims)
{
    for (uint32_t i = 0; i < tensor->rank; i++)
        dims[i] = (size_t)tensor->sizes[i];
}

/* An old shape: [0] joins with anything. */
static bool is_nothing(const struct sl_tensor *tensor)
{
    return tensor->rank == 1 && tensor->sizes[0] == 0;
}

/* The joined sizes, or false if the tensors do not fit. */
static bool join_sizes(const struct sl_op_call *call, uint32_t dim, uint32_t rank, int32_t *sizes)
{
    int64_t total = 0;
    bool first = true;
    for (uint32_t k = 0; k < sl_op_list_count(call, 0); k++) {
        const struct sl_tensor *in = sl_op_list_tensor(call, 0, k);
        if (is_nothing(in))
            continue;
        if (in->rank != rank)
            return false;
        for (uint32_t d = 0; d < rank; d++)
            if (!first && d != dim && in->sizes[d] != sizes[d])
                return false;
        memcpy(sizes, in->sizes, rank * sizeof(*sizes));
        total += in->sizes[dim];
        first = false;
    }
    if (total > INT32_MAX)
        return false;
    sizes[dim] = (int32_t)total;
    return true;
}

/* Every element is there and converts to the output's type. */
static int check_list(struct sl_op_call *call, const struct sl_tensor *out, struct sl_diag *diag)
{
    for (uint32_t k = 0; k < sl_op_list_count(call, 0); k++) {
        const struct sl_tensor *in = sl_op_list_tensor(call, 0, k);
        if (!in)
            return sl_op_fail(call, diag, SL_ET_INVALID_PROGRAM, "its list has a gap");
        if (!is_nothing(in) && !sl_move_converts(in, out))
            return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED,
                              "a type in its list is not supported");
    }
    return 0;
}

static int prepare_cat(struct sl_op_call *call, struct sl_diag *diag)
{
    struct sl_tensor *out = sl_op_tensor(call, 2);
    int32_t sizes[SL_TENSOR_MAX_RANK] = {0};
    size_t dims[SL_TENSOR_MAX_RANK];
    uint32_t dim = 0;
    int rc = check_list(call, out, diag);
    if (rc != 0)
        return rc;
    if (!sl_op_dim(sl_op_int(call, 1, 0), out->rank, &dim) ||
        !join_sizes(call, dim, out->rank, sizes))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its inputs do not fit together");
    rc = sl_tensor_resize(out, out->rank, sizes, diag);
    if (rc != 0)
        return rc;
    struct sl_move *move = sl_move_new(call, sl_op_list_count(call, 0));
    if (!move)
        return no_memory(call, diag);
    struct sl_move_side to = sl_move_whole(out);
    for (uint32_t k = 0; k < sl_op_list_count(call, 0); k++) {
        const struct sl_tensor *in = sl_op_list_tensor(call, 0, k);
        if (is_nothing(in))
            continue;
        const struct sl_move_side from = sl_move_whole(in);
        dims_of(in, dims);
        sl_move_add(move, in->rank, dims, &from, &to);
        to.at += to.strides[dim] * in->sizes[dim];
    }
    sl_move_end(call, move);
    return 0;
}

static int prepare_stack(struct sl_op_call *call, struct sl_diag *diag)
{
    struct sl_tensor *out = sl_op_tensor(call, 2);
    int32_t sizes[SL_TENSOR_MAX_RANK] = {0};
    size_t dims[SL_TENSOR_MAX_RANK];
    uint32_t dim = 0, count = sl_op_list_count(call, 0);
    int rc = check_list(call, out, diag);
    if (rc != 0)
        return rc;
    const struct sl_tensor *first = count != 0 ? sl_op_list_tensor(call, 0, 0) : NULL;
    bool fits =
        first && first->rank + 1 == out->rank && sl_op_dim(sl_op_int(call, 1, 0), out->rank, &dim);
    for (uint32_t k = 0; fits && k < count; k++) {
        const struct sl_tensor *in = sl_op_list_tensor(call, 0, k);
        fits = in->rank == first->rank &&
               memcmp(in->sizes, first->sizes, in->rank * sizeof(*in->sizes)) == 0;
    }
    if (!fits)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its inputs do not fit together");
    for (uint32_t d = 0; d < out->rank; d++)
        sizes[d] = d == dim ? (int32_t)count : first->sizes[d < dim ? d : d - 1];
    rc = sl_tensor_resize(out, out->rank, sizes, diag);
    struct sl_move *move = rc == 0 ? sl_move_new(call, count) : NULL;
    if (!move)
        return rc != 0 ? rc : no_memory(call, diag);
    struct sl_move_side to = sl_move_whole(out);
    ptrdiff_t next = to.strides[dim];
    memmove(to.strides + dim, to.strides + dim + 1, (out->rank - 1 - dim) * sizeof(*to.strides));
    for (uint32_t k = 0; k < count; k++, to.at += next) {
        const struct sl_move_side from = sl_move_whole(sl_op_list_tensor(call, 0, k));
        dims_of(from.tensor, dims);
        sl_move_add(move, from.tensor->rank, dims, &from, &to);
    }
    sl_move_end(call, move);
    return 0;
}

/* Takes `size` of dimension dim, from *at on, into the k-th output of the list at `list`. */
static int take_part(struct sl_op_call *call, struct sl_move *move, struct sl_move_side *from,
                     uint32_t dim, int64_t size, struct sl_tensor *out, struct sl_diag *diag)
{
    int32_t sizes[SL_TENSOR_MAX_RANK] = {0};
    size_t dims[SL_TENSOR_MAX_RANK];
    const struct sl_tensor *in = from->tensor;
    int rc = sl_move_same_type(call, in, out, diag);
    memcpy(sizes, in->sizes, sizeof(sizes));
    sizes[dim] = (int32_t)size;
    if (rc == 0)
        rc = sl_tensor_resize(out, in->rank, sizes, diag);
    if (rc != 0)
        return rc;
    const struct sl_move_side to = sl_move_whole(out);
    dims_of(out, dims);
    sl_move_add(move, out->rank, dims, from, &to);
    from->at += from->strides[dim] * (ptrdiff_t)size;
    return 0;
}

/* Splits dimension argument 2 into the outputs of argument 3; sizes[k], or `each` with a rest. */
static int split(struct sl_op_call *call, const int64_t *sizes, int64_t each, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_move_side from = sl_move_whole(in);
    uint32_t count = sl_op_list_count(call, 3), dim;
    if (!sl_op_dim(sl_op_int(call, 2, 0), in->rank, &dim))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its dim is not one of the input's");
    struct sl_move *move = sl_move_new(call, count);
    if (!move)
        return no_memory(call, diag);
    int64_t left = in->sizes[dim];
    for (uint32_t k = 0; k < count; k++) {
        int64_t size = sizes ? sizes[k] : each < left ? each : left;
        if (size < 0 || size > left)
            return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                              "its parts are not the whole input");
        int rc = take_part(call, move, &from, dim, size, sl_op_list_tensor(call, 3, k), diag);
        if (rc != 0)
            return rc;
        left -= size;
    }
    if (left != 0)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its parts are not the whole input");
    sl_move_end(call, move);
    return 0;
}

static int prepare_split_sizes(struct sl_op_call *call, struct sl_diag *diag)
{
    int64_t sizes[256];
    int count = sl_op_ints(call, 1, sizes, 256);
    if (count < 0 || (uint32_t)count != sl_op_list_count(call, 3))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                          "its sizes are not as many as its outputs, or more than 256");
    return split(call, sizes, 0, diag);
}

static int prepare_split(struct sl_op_call *call, struct sl_diag *diag)
{
    int64_t each = sl_op_int(call, 1, 0);
    if (each < 0)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its size is negative");
    return split(call, NULL, each, diag);
}

static int prepare_unbind(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_move_side from = sl_move_whole(in);
    uint32_t count = sl_op_list_count(call, 2), dim;
    int32_t sizes[SL_TENSOR_MAX_RANK];
    size_t dims[SL_TENSOR_MAX_RANK];
    if (!sl_op_dim(sl_op_int(call, 1, 0), in->rank, &dim) || (uint32_t)in->sizes[dim] != count)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its outputs are not its input's");
    struct sl_move *move = sl_move_new(call, count);
    if (!move)
        return no_memory(call, diag);
    ptrdiff_t next = from.strides[dim];
    for (uint32_t d = 0, k = 0; d < in->rank; d++)
        if (d != dim) {
            from.strides[k] = from.strides[d];
            dims[k] = (size_t)in->sizes[d];
            sizes[k++] = in->sizes[d];
        }
    for (uint32_t k = 0; k < count; k++, from.at += next) {
        struct sl_tensor *out = sl_op_list_tensor(call, 2, k);
        int rc = sl_move_same_type(call, in, out, diag);
        if (rc == 0)
            rc = sl_tensor_resize(out, in->rank - 1, sizes, diag);
        if (rc != 0)
            return rc;
        const struct sl_move_side to = sl_move_whole(out);
        sl_move_add(move, out->rank, dims, &from, &to);
    }
    sl_move_end(call, move);
    return 0;
}

/* Negative padding crops. */
static int prepare_pad(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_tensor *out = sl_op_tensor(call, 3);
    struct sl_move_side from = sl_move_whole(in);
    int64_t pads[2 * SL_TENSOR_MAX_RANK], before[SL_TENSOR_MAX_RANK] = {0};
    int32_t sizes[SL_TENSOR_MAX_RANK] = {0};
    size_t dims[SL_TENSOR_MAX_RANK];
    _Alignas(8) uint8_t pattern[8];
    int count = sl_op_ints(call, 1, pads, 2 * SL_TENSOR_MAX_RANK);
    bool fits = count >= 0 && count % 2 == 0 && (uint32_t)count / 2 <= in->rank;
    for (uint32_t d = 0; fits && d < in->rank; d++) {
        uint32_t i = in->rank - 1 - d; /* the last dimension comes first */
        bool padded = i < (uint32_t)count / 2;
        int64_t low = padded ? pads[2 * i] : 0, high = padded ? pads[2 * i + 1] : 0;
        int64_t size = in->sizes[d];
        fits = low >= -size && high >= -size && low <= INT32_MAX && high <= INT32_MAX &&
               size + low + high >= 0 && size + low + high <= INT32_MAX;
        before[d] = low;
        sizes[d] = (int32_t)(fits ? size + low + high : 0);
        int64_t kept = size + (low < 0 ? low : 0) + (high < 0 ? high : 0);
        dims[d] = kept > 0 ? (size_t)kept : 0;
    }
    if (!fits || !sl_move_element(call, 2, out->scalar_type, pattern))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its padding is not valid");
    int rc = sl_move_same_type(call, in, out, diag);
    if (rc == 0)
        rc = sl_tensor_resize(out, in->rank, sizes, diag);
    struct sl_move *move = rc == 0 ? sl_move_new(call, 1) : NULL;
    if (!move)
        return rc != 0 ? rc : no_memory(call, diag);
    struct sl_move_side to = sl_move_whole(out);
    for (uint32_t d = 0; d < in->rank; d++) {
        from.at += before[d] < 0 ? from.strides[d] * (ptrdiff_t)-before[d] : 0;
        to.at += before[d] > 0 ? to.strides[d] * (ptrdiff_t)before[d] : 0;
    }
    sl_move_fill(move, out, pattern);
    sl_move_add(move, in->rank, dims, &from, &to);
    sl_move_end(call, move);
    return 0;
}

const struct sl_op sl_ops_join[] = {
    {.name = "aten::cat.out", .signature = "LiO", .prepare = prepare_cat},
    {.name = "aten::stack.out", .signature = "LiO", .prepare = prepare_stack},
    {.name = "aten::split_with_sizes_copy.out",
     .signature = "aviM",
     .prepare = prepare_split_sizes},
    {.name = "aten::split_copy.Tensor_out", .signature = "aiiM", .prepare = prepare_split},
    {.name = "aten::unbind_copy.int_out", .signature = "aiM", .prepare = prepare_unbind},
    {.name = "aten::constant_pad_nd.out", .signature = "avnO", .prepare = prepare_pad},
    {0},
};
