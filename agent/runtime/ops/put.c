/* agent/runtime/ops/put.c: operators that write into a part of a tensor: a box of it, or places
 * that tensors name. */
#include <string.h>

#include "agent/runtime/ops/cast.h"
#include "agent/runtime/ops/lookup.h"
#include "agent/runtime/ops/move.h"
#include "common/format/scalar_type.h"

static const char *const outside = "an index lies outside the dimension it writes";

static int no_memory(struct sl_op_call *call, struct sl_diag *diag)
{
    return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
}

/* Writes `count` elements of `bytes` together; adds where the sum of a type is asked for. */
typedef void (*put_fn)(uint8_t *out, const uint8_t *in, size_t bytes);

static void put_run(uint8_t *out, const uint8_t *in, size_t bytes)
{
    memcpy(out, in, bytes);
}

#define ADD_RUN(type)                                                                              \
    static void add_##type(uint8_t *out, const uint8_t *in, size_t bytes)                          \
    {                                                                                              \
        for (size_t at = 0; at < bytes; at += sizeof(type)) {                                      \
            type a, b;                                                                             \
            memcpy(&a, out + at, sizeof(type));                                                    \
            memcpy(&b, in + at, sizeof(type));                                                     \
            a = (type)(a + b);                                                                     \
            memcpy(out + at, &a, sizeof(type));                                                    \
        }                                                                                          \
    }

ADD_RUN(float)
ADD_RUN(double)
ADD_RUN(uint32_t) /* of integers, signed or not, the bits of a sum are the same */
ADD_RUN(uint64_t)

/* NULL: no sums of this type. */
static put_fn putter(int scalar_type, bool adds)
{
    return !adds                             ? put_run
           : scalar_type == SL_SCALAR_FLOAT  ? add_float
           : scalar_type == SL_SCALAR_DOUBLE ? add_double
           : scalar_type == SL_SCALAR_INT    ? add_uint32_t
           : scalar_type == SL_SCALAR_LONG   ? add_uint64_t
                                             : NULL;
}

static const char *const no_sum = "sums of this type are not supported";

/* The first step of most: the output is the input, before anything is written into it. */
static void copy_whole(const struct sl_tensor *in, const struct sl_tensor *out)
{
    if (in && out->nbytes != 0)
        memcpy(out->data, in->data, out->nbytes);
}

/* Sizes the output as the input, in the same memory order. */
static int like_input(struct sl_op_call *call, const struct sl_tensor *in, struct sl_tensor *out,
                      struct sl_diag *diag)
{
    int rc = sl_move_same_type(call, in, out, diag);
    if (rc == 0)
        rc = sl_tensor_resize(out, in->rank, in->sizes, diag);
    if (rc == 0 && memcmp(in->dim_order, out->dim_order, in->rank) != 0)
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "this memory order is not supported");
    return rc;
}

/* Copies the input, then the source into the box that begins at `start` of `dim` in steps. */
static int put_box(struct sl_op_call *call, uint32_t dim, int64_t start, int64_t step,
                   bool keeps_dim, struct sl_tensor *out, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0), *src = sl_op_tensor(call, 1);
    size_t dims[SL_PTE_MAX_RANK] = {0}, box[SL_PTE_MAX_RANK] = {0};
    int rc = like_input(call, in, out, diag);
    if (rc == 0)
        rc = sl_move_same_type(call, src, out, diag);
    if (rc != 0)
        return rc;
    struct sl_move *move = sl_move_new(call, 2);
    if (!move)
        return no_memory(call, diag);
    const struct sl_move_side from = sl_move_whole(in), part = sl_move_whole(src);
    struct sl_move_side to = sl_move_whole(out), read = {.tensor = src};
    for (uint32_t d = 0, s = 0; d < in->rank; d++) {
        dims[d] = (size_t)in->sizes[d];
        box[d] = d == dim && !keeps_dim ? 1 : (size_t)src->sizes[s];
        read.strides[d] = d == dim && !keeps_dim ? 0 : part.strides[s++];
    }
    sl_move_add(move, in->rank, dims, &from, &to);
    to.at = (ptrdiff_t)start * to.strides[dim];
    to.strides[dim] *= (ptrdiff_t)step;
    sl_move_add(move, in->rank, box, &read, &to);
    sl_move_end(call, move);
    return 0;
}

/* Whether the source has the input's sizes but in `dim`, where it has `count`, or is left out. */
static bool source_fits(const struct sl_tensor *in, const struct sl_tensor *src, uint32_t dim,
                        int64_t count)
{
    bool fits = src->rank + (count < 0) == in->rank;
    for (uint32_t d = 0, s = 0; fits && d < in->rank; d++) {
        if (d == dim && count < 0)
            continue;
        fits = src->sizes[s++] == (d == dim ? count : in->sizes[d]);
    }
    return fits;
}

static int prepare_select_scatter(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0), *src = sl_op_tensor(call, 1);
    int64_t at = sl_op_int(call, 3, 0);
    uint32_t dim = 0;
    bool fits = sl_op_dim(sl_op_int(call, 2, 0), in->rank, &dim) && in->rank > 0;
    if (fits && at < 0)
        at += in->sizes[dim];
    if (!fits || at < 0 || at >= in->sizes[dim] || !source_fits(in, src, dim, -1))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its source or place does not fit");
    return put_box(call, dim, at, 1, false, sl_op_tensor(call, 4), diag);
}

static int64_t clip(int64_t at, int64_t size)
{
    at += at < 0 ? size : 0;
    return at < 0 ? 0 : at > size ? size : at;
}

static int prepare_slice_scatter(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0), *src = sl_op_tensor(call, 1);
    int64_t step = sl_op_int(call, 5, 1), start, end;
    uint32_t dim = 0;
    if (!sl_op_dim(sl_op_int(call, 2, 0), in->rank, &dim) || in->rank == 0 || step <= 0)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its dim or step is not valid");
    start = clip(sl_op_int(call, 3, 0), in->sizes[dim]);
    end = clip(sl_op_int(call, 4, INT32_MAX), in->sizes[dim]);
    if (!source_fits(in, src, dim, end > start ? (end - start + step - 1) / step : 0))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its source does not fit the slice");
    return put_box(call, dim, start, step, true, sl_op_tensor(call, 6), diag);
}

/* out[i0, :, i1, ...] = values */
struct put {
    const struct sl_tensor *in; /* copied first; NULL: the output is the input */
    put_fn put;
    struct sl_lookup lookup; /* the whole is the output, the part the values */
};

static void put_places(const struct put *p, const ptrdiff_t *places, uint8_t *out,
                       const uint8_t *values)
{
    const struct sl_lookup *l = &p->lookup;
    struct sl_walk_at at = {{0}, {0}};
    do {
        const uint8_t *from = values + at.offset[l->count];
        for (size_t i = 0; i < l->places.dims[0]; i++, from += l->places.strides[l->count][0])
            p->put(out + *places++, from, l->bytes);
    } while (sl_walk_next(&l->places, &at));
}

static void run_put(struct sl_op_call *call)
{
    const struct put *p = call->state;
    const struct sl_lookup *l = &p->lookup;
    ptrdiff_t *places = (ptrdiff_t *)(void *)(call->method->workspace.base + l->table);
    struct sl_walk_at at = {{0}, {0}};
    if (!sl_lookup_list(l, places)) {
        call->failure = outside;
        return;
    }
    copy_whole(p->in, l->whole);
    do {
        uint8_t *out = l->whole->data + at.offset[0];
        const uint8_t *values = l->part->data + at.offset[1];
        for (size_t i = 0; i < l->box.dims[0]; i++) {
            put_places(p, places, out, values);
            out += l->box.strides[0][0];
            values += l->box.strides[1][0];
        }
    } while (sl_walk_next(&l->box, &at));
}

static void run_copy(struct sl_op_call *call)
{
    const struct put *p = call->state;
    copy_whole(p->in, p->lookup.whole);
}

static bool broadcasts(const struct sl_tensor *from, uint32_t rank, const int32_t *sizes)
{
    bool fits = from->rank <= rank;
    for (uint32_t i = 1; fits && i <= from->rank; i++)
        fits = from->sizes[from->rank - i] == 1 || from->sizes[from->rank - i] == sizes[rank - i];
    return fits;
}

/* Values along the box's innermost run that follow each other in both are written as one. */
static void join_run(struct sl_lookup *l)
{
    if (l->box.strides[0][0] != (ptrdiff_t)l->bytes || l->box.strides[1][0] != (ptrdiff_t)l->bytes)
        return;
    l->bytes *= l->box.dims[0];
    l->box.dims[0] = 1;
}

static int lay_put(struct sl_op_call *call, struct put *p, struct sl_diag *diag)
{
    struct sl_lookup *l = &p->lookup;
    int32_t sizes[2 * SL_PTE_MAX_RANK];
    ptrdiff_t strides[2 * SL_PTE_MAX_RANK];
    size_t places;
    if (!sl_lookup_read(call, 1, l))
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED,
                          "it takes one to three index tensors of Int or Long");
    int rank = sl_lookup_sizes(l, sizes);
    if (rank < 0 || rank > SL_PTE_MAX_RANK || !broadcasts(l->part, (uint32_t)rank, sizes))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                          "its indices or values do not broadcast");
    sl_walk_broadcast(l->part, (uint32_t)rank, strides);
    if (!sl_lookup_walk(l, sizes, strides, &places)) {
        if (p->in && l->whole->nbytes != 0)
            sl_op_own(call, "sl_put_scalar", run_copy);
        return 0;
    }
    l->table = sl_ref_scratch(call, places * sizeof(ptrdiff_t)).offset;
    join_run(l);
    sl_op_own(call, "sl_put_scalar", run_put);
    return 0;
}

static int prepare_index_put(struct sl_op_call *call, struct sl_diag *diag)
{
    bool in_place = call->op->signature[0] == 'O';
    struct sl_tensor *out = sl_op_tensor(call, in_place ? 0 : 4);
    const struct sl_tensor *in = sl_op_tensor(call, 0), *values = sl_op_tensor(call, 2);
    int rc = like_input(call, in, out, diag);
    if (rc == 0)
        rc = sl_move_same_type(call, values, out, diag);
    if (rc != 0)
        return rc;
    struct put *p = sl_op_state(call, sizeof(*p));
    if (!p)
        return no_memory(call, diag);
    *p = (struct put){.in = in_place ? NULL : in,
                      .put = putter(out->scalar_type, sl_op_bool(call, 3)),
                      .lookup = {.whole = out, .part = values, .bytes = out->element_bytes}};
    return p->put ? lay_put(call, p, diag) : sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, no_sum);
}

/* out[..][index[i][j][k]][..] = src[i][j][k] */
struct scatter {
    const struct sl_tensor *in, *index, *src, *out; /* src NULL: the value */
    size_t limit, bytes;
    ptrdiff_t stride; /* of the output along the dimension */
    sl_cast_load_fn load;
    put_fn put;
    _Alignas(8) uint8_t value[8];
    struct sl_walk walk; /* index, src, out */
};

static void run_scatter(struct sl_op_call *call)
{
    const struct scatter *s = call->state;
    struct sl_walk_at at = {{0}, {0}};
    copy_whole(s->in, s->out);
    do {
        const uint8_t *index = s->index->data + at.offset[0];
        const uint8_t *src = (s->src ? s->src->data : s->value) + at.offset[1];
        uint8_t *out = s->out->data + at.offset[2];
        for (size_t i = 0; i < s->walk.dims[0]; i++) {
            int64_t place;
            s->load(index, 0, 1, &place);
            if (place < 0 || (uint64_t)place >= s->limit) {
                call->failure = outside;
                return;
            }
            s->put(out + (ptrdiff_t)place * s->stride, src, s->bytes);
            index += s->walk.strides[0][0];
            src += s->walk.strides[1][0];
            out += s->walk.strides[2][0];
        }
    } while (sl_walk_next(&s->walk, &at));
}

static void run_scatter_nothing(struct sl_op_call *call)
{
    const struct scatter *s = call->state;
    copy_whole(s->in, s->out);
}

/* The index lies inside the output but along `dim`, and inside the source. */
static bool index_fits(const struct scatter *s, uint32_t dim)
{
    bool fits = s->index->rank == s->out->rank && (!s->src || s->src->rank == s->out->rank) &&
                (s->index->scalar_type == SL_SCALAR_LONG || s->index->scalar_type == SL_SCALAR_INT);
    for (uint32_t d = 0; fits && d < s->out->rank; d++)
        fits = (d == dim || s->index->sizes[d] <= s->out->sizes[d]) &&
               (!s->src || s->index->sizes[d] <= s->src->sizes[d]);
    return fits;
}

static void lay_scatter(struct sl_op_call *call, struct scatter *s, uint32_t dim)
{
    ptrdiff_t index[SL_PTE_MAX_RANK], src[SL_PTE_MAX_RANK] = {0}, out[SL_PTE_MAX_RANK];
    sl_walk_strides(s->index, index);
    sl_walk_strides(s->out, out);
    if (s->src)
        sl_walk_strides(s->src, src);
    s->limit = (size_t)s->out->sizes[dim];
    s->bytes = s->out->element_bytes;
    s->stride = out[dim];
    s->load = sl_cast_load(SL_CAST_I64, s->index->scalar_type);
    s->walk.operands = 3;
    for (uint32_t d = 0; d < s->out->rank; d++)
        sl_walk_add(&s->walk, (size_t)s->index->sizes[d],
                    (const ptrdiff_t[3]){index[d], src[d], d == dim ? 0 : out[d]});
    if (s->out->nbytes != 0)
        sl_op_own(call, "sl_scatter_scalar",
                  sl_walk_fold(&s->walk) ? run_scatter : run_scatter_nothing);
}

static int scatter_into(struct sl_op_call *call, const struct sl_tensor *src, bool adds,
                        struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_tensor *out = sl_op_tensor(call, 4);
    uint32_t dim = 0;
    int rc = like_input(call, in, out, diag);
    if (rc == 0 && src)
        rc = sl_move_same_type(call, src, out, diag);
    if (rc != 0)
        return rc;
    struct scatter *s = sl_op_state(call, sizeof(*s));
    if (!s)
        return no_memory(call, diag);
    *s = (struct scatter){.in = in, .index = sl_op_tensor(call, 2), .src = src, .out = out};
    s->put = putter(out->scalar_type, adds);
    if (!s->put || (!src && !sl_move_element(call, 3, out->scalar_type, s->value)))
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, no_sum);
    if (out->rank == 0 || !sl_op_dim(sl_op_int(call, 1, 0), out->rank, &dim) || !index_fits(s, dim))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its dim or index is not valid");
    lay_scatter(call, s, dim);
    return 0;
}

static int prepare_scatter(struct sl_op_call *call, struct sl_diag *diag)
{
    return scatter_into(call, sl_op_tensor(call, 3), false, diag);
}

static int prepare_scatter_add(struct sl_op_call *call, struct sl_diag *diag)
{
    return scatter_into(call, sl_op_tensor(call, 3), true, diag);
}

static int prepare_scatter_value(struct sl_op_call *call, struct sl_diag *diag)
{
    return scatter_into(call, NULL, false, diag);
}

const struct sl_op sl_ops_put[] = {
    {.name = "aten::index_put.out", .signature = "aPabO", .prepare = prepare_index_put},
    {.name = "aten::index_put_", .signature = "OPab", .prepare = prepare_index_put},
    {.name = "aten::slice_scatter.out", .signature = "aaiIIiO", .prepare = prepare_slice_scatter},
    {.name = "aten::select_scatter.out", .signature = "aaiiO", .prepare = prepare_select_scatter},
    {.name = "aten::scatter.src_out", .signature = "aiaaO", .prepare = prepare_scatter},
    {.name = "aten::scatter.value_out", .signature = "aianO", .prepare = prepare_scatter_value},
    {.name = "aten::scatter_add.out", .signature = "aiaaO", .prepare = prepare_scatter_add},
    {0},
};
