/* agent/runtime/ops/remap.c: operators that read each dimension through a table of places: rolling,
 * and padding that repeats what is there; lower triangles. */
#include <string.h>

#include "agent/runtime/ops/move.h"

/* The call's state. Where each index of the output reads along its dimension, in bytes of the
 * input: sizes[0] places, then sizes[1], ... */
struct remap {
    const struct sl_tensor *in, *out;
    ptrdiff_t places[];
};

/* Copies one innermost row; places that follow one another go at once. */
static void copy_row(const uint8_t *in, const ptrdiff_t *places, size_t count, size_t bytes,
                     uint8_t *out)
{
    for (size_t i = 0, run; i < count; i += run) {
        for (run = 1; i + run < count && places[i + run] == places[i] + (ptrdiff_t)(run * bytes);)
            run++;
        memcpy(out + i * bytes, in + places[i], run * bytes);
    }
}

static void run_remap(struct sl_op_call *call)
{
    const struct remap *r = call->state;
    const int32_t *sizes = r->out->sizes;
    uint32_t last = r->out->rank - 1;
    size_t at[SL_TENSOR_MAX_RANK] = {0}, first[SL_TENSOR_MAX_RANK], bytes = r->out->element_bytes;
    size_t row = (size_t)sizes[last] * bytes;
    for (uint32_t d = 0, next = 0; d <= last; next += (uint32_t)sizes[d++])
        first[d] = next;
    for (uint8_t *out = r->out->data, *end = out + r->out->nbytes; out < end; out += row) {
        const uint8_t *in = r->in->data;
        for (uint32_t d = 0; d < last; d++)
            in += r->places[first[d] + at[d]];
        copy_row(in, r->places + first[last], (size_t)sizes[last], bytes, out);
        for (uint32_t d = last; d > 0 && ++at[d - 1] == (size_t)sizes[d - 1]; d--)
            at[d - 1] = 0;
    }
}

/* Returns the place along an input dimension that index i of the output reads; `with` is a number
 * of the operator, such as its shift. */
typedef int64_t (*place_fn)(int64_t i, int64_t size, int64_t with);

static int64_t place_rolled(int64_t i, int64_t size, int64_t shift)
{
    return ((i - shift) % size + size) % size;
}

static int64_t place_replicated(int64_t i, int64_t size, int64_t before)
{
    return i < before ? 0 : i < size + before ? i - before : size - 1;
}

static int64_t place_reflected(int64_t i, int64_t size, int64_t before)
{
    return i < before ? before - i : i < size + before ? i - before : 2 * size + before - i - 2;
}

/* Sizes the output and fills the tables; `with` has a number for each dimension. */
static int finish(struct sl_op_call *call, struct sl_tensor *out, const int32_t *sizes,
                  place_fn place, const int64_t *with, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    ptrdiff_t strides[SL_TENSOR_MAX_RANK];
    size_t count = 0;
    int rc = sl_move_same_type(call, in, out, diag);
    if (rc == 0)
        rc = sl_tensor_resize(out, in->rank, sizes, diag);
    if (rc == 0 && (!sl_tensor_contiguous(in) || !sl_tensor_contiguous(out)))
        rc = sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "this memory order is not supported");
    if (rc != 0 || out->nbytes == 0)
        return rc;
    for (uint32_t d = 0; d < in->rank; d++)
        count += (size_t)sizes[d];
    struct remap *r = sl_op_state(call, sizeof(*r) + count * sizeof(*r->places));
    if (!r)
        return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    r->in = in;
    r->out = out;
    sl_walk_strides(in, strides);
    ptrdiff_t *to = r->places;
    for (uint32_t d = 0; d < in->rank; d++)
        for (int64_t i = 0; i < sizes[d]; i++) {
            int64_t at = in->sizes[d] > 0 ? place(i, in->sizes[d], with[d]) : -1;
            if (at < 0 || at >= in->sizes[d])
                return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                                  "its padding leaves the input");
            *to++ = (ptrdiff_t)at * strides[d];
        }
    sl_op_own(call, "sl_remap_scalar", run_remap);
    return 0;
}

static int prepare_roll(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    int64_t shifts[SL_TENSOR_MAX_RANK], dims[SL_TENSOR_MAX_RANK], with[SL_TENSOR_MAX_RANK] = {0};
    int count = sl_op_ints(call, 1, shifts, SL_TENSOR_MAX_RANK);
    bool fits =
        count > 0 && sl_op_ints(call, 2, dims, SL_TENSOR_MAX_RANK) == count && in->rank != 0;
    for (int i = 0; i < count && fits; i++) {
        uint32_t dim;
        fits = sl_op_dim(dims[i], in->rank, &dim);
        if (fits && in->sizes[dim] > 0)
            with[dim] = (with[dim] + shifts[i] % in->sizes[dim]) % in->sizes[dim];
    }
    if (!fits)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                          "its dims are not the input's, one for each shift");
    return finish(call, sl_op_tensor(call, 3), in->sizes, place_rolled, with, diag);
}

/* Before and after each of the last dimensions, the last first. */
static int prepare_pad(struct sl_op_call *call, struct sl_diag *diag)
{
    const char *name = call->op->name;
    bool reflects = strncmp(name, "aten::reflection", 16) == 0;
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    int64_t list[6], with[SL_TENSOR_MAX_RANK] = {0};
    int32_t sizes[SL_TENSOR_MAX_RANK];
    int dims = name[strlen(name) - strlen("1d.out")] - '0';
    bool fits = sl_op_ints(call, 1, list, 6) == 2 * dims &&
                (in->rank == (uint32_t)dims + 1 || in->rank == (uint32_t)dims + 2);
    memcpy(sizes, in->sizes, sizeof(sizes));
    for (int i = 0; i < dims && fits; i++) {
        uint32_t d = in->rank - 1 - (uint32_t)i;
        int64_t size = in->sizes[d], before = list[2 * i], after = list[2 * i + 1];
        fits = before > -INT32_MAX && after > -INT32_MAX && before < INT32_MAX &&
               after < INT32_MAX && size + before + after >= 0 &&
               size + before + after <= INT32_MAX && (!reflects || (before < size && after < size));
        sizes[d] = fits ? (int32_t)(size + before + after) : 0;
        with[d] = before;
    }
    if (!fits)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                          "its padding does not fit the input's shape");
    return finish(call, sl_op_tensor(call, 2), sizes, reflects ? place_reflected : place_replicated,
                  with, diag);
}

struct triangle { /* the call's state */
    const struct sl_tensor *in, *out;
    int64_t diagonal;
};

static void run_tril(struct sl_op_call *call)
{
    const struct triangle *t = call->state;
    int64_t rows = t->in->sizes[t->in->rank - 2], columns = t->in->sizes[t->in->rank - 1];
    size_t bytes = t->in->element_bytes, row = (size_t)columns * bytes, at = 0;
    for (int64_t i = 0; at < t->in->nbytes; i = i + 1 < rows ? i + 1 : 0, at += row) {
        int64_t keep = t->diagonal >= columns ? columns : i + t->diagonal + 1;
        size_t kept = (size_t)(keep < 0 ? 0 : keep > columns ? columns : keep) * bytes;
        memcpy(t->out->data + at, t->in->data + at, kept);
        memset(t->out->data + at + kept, 0, row - kept);
    }
}

static int prepare_tril(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_tensor *out = sl_op_tensor(call, 2);
    struct triangle *t = sl_op_state(call, sizeof(*t));
    int64_t diagonal = sl_op_int(call, 1, 0);
    if (!t)
        return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    if (in->rank < 2)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its input is not of matrices");
    int rc = sl_move_same_type(call, in, out, diag);
    if (rc == 0)
        rc = sl_tensor_resize(out, in->rank, in->sizes, diag);
    if (rc == 0 && (!sl_tensor_contiguous(in) || !sl_tensor_contiguous(out)))
        rc = sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "this memory order is not supported");
    *t = (struct triangle){.in = in, .out = out};
    t->diagonal = diagonal < -INT32_MAX ? -INT32_MAX : diagonal;
    if (rc == 0 && in->nbytes != 0)
        sl_op_own(call, "sl_tril_scalar", run_tril);
    return rc;
}

#define PAD(id) {.name = "aten::" #id ".out", .signature = "avO", .prepare = prepare_pad}
const struct sl_op sl_ops_remap[] = {
    {.name = "aten::roll.out", .signature = "avvO", .prepare = prepare_roll},
    PAD(reflection_pad1d),
    PAD(reflection_pad2d),
    PAD(reflection_pad3d),
    PAD(replication_pad1d),
    PAD(replication_pad2d),
    PAD(replication_pad3d),
    {.name = "aten::tril.out", .signature = "aiO", .prepare = prepare_tril},
    {0},
};
