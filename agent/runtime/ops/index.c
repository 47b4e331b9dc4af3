/* agent/runtime/ops/index.c: operators that read at places which tensors name. */
#include <string.h>

#include "agent/runtime/ops/cast.h"
#include "agent/runtime/ops/lookup.h"
#include "agent/runtime/ops/move.h"
#include "common/format/scalar_type.h"

/* Rows of bytes picked by numbers along one dimension: [outer][picked][row]. */
struct pick {
    const struct sl_tensor *in, *index, *out;
    size_t outer, limit, count, row_bytes; /* limit: rows there are */
    sl_cast_load_fn load;
};

static const char *const outside = "an index lies outside the dimension it reads";

static bool is_index(const struct sl_tensor *tensor)
{
    return tensor->scalar_type == SL_SCALAR_LONG || tensor->scalar_type == SL_SCALAR_INT;
}

static void run_pick(struct sl_op_call *call)
{
    const struct pick *p = call->state;
    for (size_t o = 0; o < p->outer; o++) {
        const uint8_t *in = p->in->data + o * p->limit * p->row_bytes;
        uint8_t *out = p->out->data + o * p->count * p->row_bytes;
        for (size_t i = 0; i < p->count; i++) {
            int64_t at;
            p->load(p->index->data + i * p->index->element_bytes, 0, 1, &at);
            if (at < 0 || (uint64_t)at >= p->limit) {
                call->failure = outside;
                return;
            }
            memcpy(out + i * p->row_bytes, in + (size_t)at * p->row_bytes, p->row_bytes);
        }
    }
}

static int no_memory(struct sl_op_call *call, struct sl_diag *diag)
{
    return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
}

static int need_plain(struct sl_op_call *call, const struct sl_tensor *in,
                      const struct sl_tensor *index, const struct sl_tensor *out,
                      struct sl_diag *diag)
{
    if (!sl_tensor_contiguous(in) || !sl_tensor_contiguous(index) || !sl_tensor_contiguous(out))
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "this memory order is not supported");
    if (!is_index(index))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its index is not of Int or Long");
    return sl_move_same_type(call, in, out, diag);
}

/* Picks along `dim` of the input, whose place the index's sizes take, of which `ranks` are new. */
static int prepare_pick(struct sl_op_call *call, const struct sl_tensor *in, uint32_t dim,
                        const struct sl_tensor *index, uint32_t ranks, struct sl_tensor *out,
                        struct sl_diag *diag)
{
    int32_t sizes[2 * SL_TENSOR_MAX_RANK];
    uint32_t rank = 0;
    int rc = need_plain(call, in, index, out, diag);
    if (rc != 0)
        return rc;
    struct pick *p = sl_op_state(call, sizeof(*p));
    if (!p)
        return no_memory(call, diag);
    *p = (struct pick){.in = in, .index = index, .out = out, .outer = 1};
    p->row_bytes = in->element_bytes;
    for (uint32_t d = 0; d < in->rank; d++) {
        if (d < dim)
            p->outer *= (size_t)in->sizes[d];
        if (d > dim)
            p->row_bytes *= (size_t)in->sizes[d];
        if (d != dim) {
            sizes[rank++] = in->sizes[d];
            continue;
        }
        sizes[rank] = 1; /* of an index of rank 0 */
        memcpy(sizes + rank, index->sizes, index->rank * sizeof(*sizes));
        rank += ranks;
    }
    p->limit = in->rank != 0 ? (size_t)in->sizes[dim] : 1;
    p->count = sl_tensor_count(index);
    p->load = sl_cast_load(SL_CAST_I64, index->scalar_type);
    rc = sl_tensor_resize(out, rank, sizes, diag);
    if (rc == 0 && out->nbytes != 0)
        sl_op_own(call, "sl_pick_scalar", run_pick);
    return rc;
}

static int prepare_embedding(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *weight = sl_op_tensor(call, 0);
    if (weight->rank != 2)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its weight is not of rank 2");
    const struct sl_tensor *index = sl_op_tensor(call, 1);
    return prepare_pick(call, weight, 0, index, index->rank, sl_op_tensor(call, 5), diag);
}

static int prepare_index_select(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0), *index = sl_op_tensor(call, 2);
    uint32_t dim;
    bool fits = sl_op_dim(sl_op_int(call, 1, 0), in->rank != 0 ? in->rank : 1, &dim);
    if (!fits || index->rank > 1 || (in->rank == 0 && sl_tensor_count(index) != 1))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its dim or index is not valid");
    return prepare_pick(call, in, dim, index, 1, sl_op_tensor(call, 3), diag);
}

/* out[i][j][k] = in[..][index[i][j][k]][..] */
struct gather {
    const struct sl_tensor *in, *index, *out;
    size_t limit, bytes;
    ptrdiff_t stride; /* of the input along the dimension */
    sl_cast_load_fn load;
    struct sl_walk walk; /* in, index, out */
};

static void run_gather(struct sl_op_call *call)
{
    const struct gather *g = call->state;
    struct sl_walk_at at = {{0}, {0}};
    do {
        const uint8_t *in = g->in->data + at.offset[0], *index = g->index->data + at.offset[1];
        uint8_t *out = g->out->data + at.offset[2];
        for (size_t i = 0; i < g->walk.dims[0]; i++) {
            int64_t place;
            g->load(index, 0, 1, &place);
            if (place < 0 || (uint64_t)place >= g->limit) {
                call->failure = outside;
                return;
            }
            memcpy(out, in + (ptrdiff_t)place * g->stride, g->bytes);
            in += g->walk.strides[0][0];
            index += g->walk.strides[1][0];
            out += g->walk.strides[2][0];
        }
    } while (sl_walk_next(&g->walk, &at));
}

static int prepare_gather(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0), *index = sl_op_tensor(call, 2);
    struct sl_tensor *out = sl_op_tensor(call, 4);
    ptrdiff_t strides[3][SL_TENSOR_MAX_RANK];
    int32_t sizes[SL_TENSOR_MAX_RANK], own[SL_TENSOR_MAX_RANK];
    uint32_t dim, rank = sl_walk_shape(in, sizes, strides[0]);
    int rc = need_plain(call, in, index, out, diag);
    if (rc != 0)
        return rc;
    bool fits = rank == sl_walk_shape(index, own, strides[1]) &&
                sl_op_dim(sl_op_int(call, 1, 0), rank, &dim);
    for (uint32_t d = 0; fits && d < rank; d++)
        fits = d == dim || own[d] <= sizes[d];
    if (!fits)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its dim or index is not valid");
    rc = sl_tensor_resize(out, index->rank, index->sizes, diag);
    if (rc != 0)
        return rc;
    struct gather *g = sl_op_state(call, sizeof(*g));
    if (!g)
        return no_memory(call, diag);
    *g = (struct gather){.in = in, .index = index, .out = out, .walk = {.operands = 3}};
    g->limit = (size_t)sizes[dim];
    g->bytes = in->element_bytes;
    g->stride = strides[0][dim];
    g->load = sl_cast_load(SL_CAST_I64, index->scalar_type);
    sl_walk_shape(out, own, strides[2]);
    for (uint32_t d = 0; d < rank; d++)
        sl_walk_add(
            &g->walk, (size_t)own[d],
            (const ptrdiff_t[3]){d == dim ? 0 : strides[0][d], strides[1][d], strides[2][d]});
    if (sl_walk_fold(&g->walk))
        sl_op_own(call, "sl_gather_scalar", run_gather);
    return 0;
}

/* in[i0, :, i1, ...] */
#define GATHER(size, step)                                                                         \
    _Pragma("clang loop unroll_count(4)") for (size_t i = 0; i < count; i++, out += step)          \
        memcpy(out, in + places[i], size)

static void gather_row(size_t count, size_t bytes, const uint8_t *restrict in,
                       const ptrdiff_t *restrict places, uint8_t *restrict out, ptrdiff_t step)
{
    if (bytes == 4 && step == 4)
        GATHER(4, 4);
    else if (bytes == 4)
        GATHER(4, step);
    else if (bytes == 2)
        GATHER(2, step);
    else if (bytes == 8)
        GATHER(8, step);
    else if (bytes == 1)
        GATHER(1, step);
    else
        GATHER(bytes, step);
}

/* One element, or one run of them, of the box at all places. */
static void gather_places(const struct sl_lookup *l, const ptrdiff_t *places, const uint8_t *in,
                          uint8_t *out)
{
    struct sl_walk_at at = {{0}, {0}};
    size_t count = l->places.dims[0];
    if (l->dense) {
        gather_row(l->dense, l->bytes, in, places, out, (ptrdiff_t)l->bytes);
        return;
    }
    do {
        gather_row(count, l->bytes, in, places, out + at.offset[l->count],
                   l->places.strides[l->count][0]);
        places += count;
    } while (sl_walk_next(&l->places, &at));
}

static void run_lookup(struct sl_op_call *call)
{
    const struct sl_lookup *l = call->state;
    ptrdiff_t *places = (ptrdiff_t *)(void *)(call->method->workspace.base + l->table);
    struct sl_walk_at at = {{0}, {0}};
    if (!sl_lookup_list(l, places)) {
        call->failure = outside;
        return;
    }
    do {
        const uint8_t *from = l->whole->data + at.offset[0];
        uint8_t *to = l->part->data + at.offset[1];
        for (size_t i = 0; i < l->box.dims[0]; i++) {
            gather_places(l, places, from, to);
            from += l->box.strides[0][0];
            to += l->box.strides[1][0];
        }
    } while (sl_walk_next(&l->box, &at));
}

/* Elements of the box that lie together in both tensors are moved as one. */
static void join_run(struct sl_lookup *l)
{
    ptrdiff_t bytes = (ptrdiff_t)l->bytes;
    if (l->box.strides[0][0] != bytes || l->box.strides[1][0] != bytes)
        return;
    l->bytes *= l->box.dims[0];
    l->box.dims[0] = 1;
}

/* True if the parts that the places write follow each other without gaps. */
static bool without_gaps(const struct sl_lookup *l)
{
    ptrdiff_t next = (ptrdiff_t)l->bytes;
    for (uint32_t d = 0; d < l->places.rank; d++) {
        if (l->places.strides[l->count][d] != next)
            return false;
        next *= (ptrdiff_t)l->places.dims[d];
    }
    return true;
}

/* Sizes the output for what the indices are now, and lays the walks. How many places there are, or
 * -1. */
static ptrdiff_t lay_index(struct sl_lookup *l, struct sl_tensor *out, struct sl_diag *diag)
{
    int32_t sizes[2 * SL_TENSOR_MAX_RANK];
    ptrdiff_t strides[SL_TENSOR_MAX_RANK];
    int rank = sl_lookup_sizes(l, sizes);
    if (rank < 0 || sl_tensor_resize(out, (uint32_t)rank, sizes, diag) != 0)
        return -1;
    sl_walk_strides(out, strides);
    size_t places = sl_lookup_walk(l, sizes, strides);
    l->bytes = out->element_bytes;
    if (places != 0) {
        join_run(l);
        l->dense = without_gaps(l) ? places : 0;
    }
    return (ptrdiff_t)places;
}

static void run_masked(struct sl_op_call *call)
{
    struct sl_lookup *l = call->state;
    sl_lookup_find(call, l);
    ptrdiff_t places = lay_index(l, sl_op_tensor(call, 2), NULL);
    if (places < 0)
        call->failure = "its masks and indices do not broadcast into its output";
    else if (places > 0)
        run_lookup(call);
}

static int prepare_index(struct sl_op_call *call, struct sl_diag *diag)
{
    struct sl_tensor *out = sl_op_tensor(call, 2);
    struct sl_lookup *l = sl_op_state(call, sizeof(*l));
    if (!l)
        return no_memory(call, diag);
    l->whole = sl_op_tensor(call, 0);
    l->part = out;
    int rc = sl_move_same_type(call, l->whole, out, diag);
    if (rc != 0)
        return rc;
    if (!sl_lookup_read(call, 1, l))
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, SL_LOOKUP_TAKES);
    if (l->masked) {
        sl_op_own(call, "sl_lookup_scalar", run_masked);
        return 0;
    }
    ptrdiff_t places = lay_index(l, out, diag);
    if (places < 0)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                          "its indices do not broadcast into its output");
    if (places > 0)
        sl_op_own(call, "sl_lookup_scalar", run_lookup);
    return 0;
}

const struct sl_op sl_ops_index[] = {
    {.name = "aten::embedding.out", .signature = "aaibbO", .prepare = prepare_embedding},
    {.name = "aten::index_select.out", .signature = "aiaO", .prepare = prepare_index_select},
    {.name = "aten::gather.out", .signature = "aiabO", .prepare = prepare_gather},
    {.name = "aten::index.Tensor_out", .signature = "aPO", .prepare = prepare_index},
    {0},
};
