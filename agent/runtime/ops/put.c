/* agent/runtime/ops/put.c: operators that write into a part of a tensor: a box of it, or places
 * that tensors name. */
#include <string.h>

#include "agent/runtime/ops/cast.h"
#include "agent/runtime/ops/lookup.h"
#include "agent/runtime/ops/move.h"
#include "common/format/scalar_type.h"
#include "kernels/cpu/half.h"

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

#define ADD_RUN(name, type, SUM)                                                                   \
    static void add_##name(uint8_t *out, const uint8_t *in, size_t bytes)                          \
    {                                                                                              \
        for (size_t at = 0; at < bytes; at += sizeof(type)) {                                      \
            type a, b;                                                                             \
            memcpy(&a, out + at, sizeof(type));                                                    \
            memcpy(&b, in + at, sizeof(type));                                                     \
            a = (type)(SUM(a, b));                                                                 \
            memcpy(out + at, &a, sizeof(type));                                                    \
        }                                                                                          \
    }
#define PLUS(a, b) ((a) + (b))
#define EITHER(a, b) ((a) | (b))
#define HALVES(a, b) sl_half_from_float(sl_half_to_float(a) + sl_half_to_float(b))
#define BFLOATS(a, b) sl_bfloat_from_float(sl_bfloat_to_float(a) + sl_bfloat_to_float(b))

ADD_RUN(f16, uint16_t, HALVES)
ADD_RUN(bf16, uint16_t, BFLOATS)
ADD_RUN(f32, float, PLUS)
ADD_RUN(f64, double, PLUS)
ADD_RUN(bool, uint8_t, EITHER)
ADD_RUN(1, uint8_t, PLUS) /* of integers, signed or not, the bits of a sum are the same */
ADD_RUN(2, uint16_t, PLUS)
ADD_RUN(4, uint32_t, PLUS)
ADD_RUN(8, uint64_t, PLUS)

/* NULL: no sums of this type. */
static put_fn putter(int scalar_type, bool adds)
{
    static const put_fn sums[] = {
        [SL_SCALAR_BYTE] = add_1,        [SL_SCALAR_CHAR] = add_1,     [SL_SCALAR_SHORT] = add_2,
        [SL_SCALAR_INT] = add_4,         [SL_SCALAR_LONG] = add_8,     [SL_SCALAR_HALF] = add_f16,
        [SL_SCALAR_FLOAT] = add_f32,     [SL_SCALAR_DOUBLE] = add_f64, [SL_SCALAR_BOOL] = add_bool,
        [SL_SCALAR_BFLOAT16] = add_bf16,
    };
    size_t known = sizeof(sums) / sizeof(sums[0]);
    return !adds ? put_run : (size_t)scalar_type < known ? sums[scalar_type] : NULL;
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

/* Copies the input, then the source, of any type, into the box that begins at `start` of `dim` in
 * steps. */
static int put_box(struct sl_op_call *call, uint32_t dim, int64_t start, int64_t step,
                   bool keeps_dim, struct sl_tensor *out, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0), *src = sl_op_tensor(call, 1);
    size_t dims[SL_TENSOR_MAX_RANK] = {0}, box[SL_TENSOR_MAX_RANK] = {0};
    int rc = like_input(call, in, out, diag);
    if (rc == 0 && !sl_move_converts(src, out))
        rc = sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "its source's type is not supported");
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

/* True if the source has the input's sizes but `count` in `dim`; count < 0: it lacks `dim`. */
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

static void run_copy(struct sl_op_call *call)
{
    const struct put *p = call->state;
    copy_whole(p->in, p->lookup.whole);
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

/* Lays the walks for what the indices are now. How many places there are, or -1. */
static ptrdiff_t lay_put(struct sl_lookup *l)
{
    int32_t sizes[2 * SL_TENSOR_MAX_RANK];
    ptrdiff_t strides[2 * SL_TENSOR_MAX_RANK];
    int rank = sl_lookup_sizes(l, sizes);
    if (rank < 0 || rank > SL_TENSOR_MAX_RANK || !broadcasts(l->part, (uint32_t)rank, sizes))
        return -1;
    sl_walk_broadcast(l->part, (uint32_t)rank, strides);
    size_t places = sl_lookup_walk(l, sizes, strides);
    l->bytes = l->whole->element_bytes;
    if (places != 0)
        join_run(l);
    return (ptrdiff_t)places;
}

static const char *const no_fit = "its indices or values do not broadcast";

static void run_masked(struct sl_op_call *call)
{
    struct put *p = call->state;
    sl_lookup_find(call, &p->lookup);
    ptrdiff_t places = lay_put(&p->lookup);
    if (places < 0)
        call->failure = no_fit;
    else if (places > 0)
        run_put(call);
    else
        run_copy(call);
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
                      .lookup = {.whole = out, .part = values}};
    if (!p->put)
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, no_sum);
    if (!sl_lookup_read(call, 1, &p->lookup))
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, SL_LOOKUP_TAKES);
    ptrdiff_t places = p->lookup.masked ? 0 : lay_put(&p->lookup);
    if (places < 0)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, no_fit);
    sl_op_own(call, "sl_put_scalar",
              p->lookup.masked ? run_masked
              : places > 0     ? run_put
                               : run_copy);
    return 0;
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

/* The index lies inside the output but along `dim`, and inside the source. False where it does not,
 * or a rank is another. */
static bool lay_scatter(struct scatter *s, int64_t dim64)
{
    ptrdiff_t strides[3][SL_TENSOR_MAX_RANK] = {{0}};
    int32_t sizes[3][SL_TENSOR_MAX_RANK];
    uint32_t dim, rank = sl_walk_shape(s->out, sizes[2], strides[2]);
    bool fits = sl_walk_shape(s->index, sizes[0], strides[0]) == rank &&
                (!s->src || sl_walk_shape(s->src, sizes[1], strides[1]) == rank) &&
                sl_op_dim(dim64, rank, &dim);
    for (uint32_t d = 0; fits && d < rank; d++) {
        fits = (d == dim || sizes[0][d] <= sizes[2][d]) && (!s->src || sizes[0][d] <= sizes[1][d]);
        sl_walk_add(
            &s->walk, (size_t)sizes[0][d],
            (const ptrdiff_t[3]){strides[0][d], strides[1][d], d == dim ? 0 : strides[2][d]});
    }
    if (!fits)
        return false;
    s->limit = (size_t)sizes[2][dim];
    s->stride = strides[2][dim];
    return true;
}

static int scatter_into(struct sl_op_call *call, const struct sl_tensor *src, bool adds,
                        struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0), *index = sl_op_tensor(call, 2);
    struct sl_tensor *out = sl_op_tensor(call, 4);
    int rc = like_input(call, in, out, diag);
    if (rc == 0 && src)
        rc = sl_move_same_type(call, src, out, diag);
    if (rc != 0)
        return rc;
    struct scatter *s = sl_op_state(call, sizeof(*s));
    if (!s)
        return no_memory(call, diag);
    *s = (struct scatter){.in = in, .index = index, .src = src, .out = out};
    s->bytes = out->element_bytes;
    s->walk.operands = 3;
    s->put = putter(out->scalar_type, adds);
    s->load = sl_cast_load(SL_CAST_I64, index->scalar_type);
    if (!s->put || (!src && !sl_move_element(call, 3, out->scalar_type, s->value)))
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, no_sum);
    bool places = index->scalar_type == SL_SCALAR_LONG || index->scalar_type == SL_SCALAR_INT;
    if (!places || !lay_scatter(s, sl_op_int(call, 1, 0)))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its dim or index is not valid");
    if (out->nbytes != 0)
        sl_op_own(call, "sl_scatter_scalar",
                  sl_walk_fold(&s->walk) ? run_scatter : run_scatter_nothing);
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
