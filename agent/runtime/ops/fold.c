/* agent/runtime/ops/fold.c */
#include "agent/runtime/ops/fold.h"

#include <math.h>
#include <string.h>

#include "agent/runtime/ops/cast.h"
#include "agent/runtime/ops/walk.h"
#include "common/format/scalar_type.h"

/* The result so far for the elements of one output. */
struct tally {
    double sum, squares;
    double f64; /* product or extreme of doubles */
    float f32;
    int64_t i64;
    int64_t index; /* of the extreme */
    bool seen;
};

struct fold {
    struct sl_fold_shape shape;
    int class;
    const struct sl_tensor *in, *out, *index;
    sl_cast_load_fn load;
    sl_cast_store_fn store, store_index;
    bool empty; /* nothing is reduced */
    bool bytes; /* any or all of bytes that lie together: looked at as they are */
    size_t count;
    struct sl_walk kept, reduced; /* kept: in, index, out; reduced: in */
};

enum { LANES = 8 }; /* sums that are kept apart, for vectors */

static void add_f32(struct tally *t, const float *x, size_t count)
{
    double sums[LANES] = {0}, squares[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t j = 0; j < LANES; j++) {
            double v = (double)x[i + j];
            sums[j] += v;
            squares[j] += v * v;
        }
    for (; i < count; i++) {
        t->sum += (double)x[i];
        t->squares += (double)x[i] * (double)x[i];
    }
    for (size_t j = 0; j < LANES; j++) {
        t->sum += sums[j];
        t->squares += squares[j];
    }
}

static void one_by_one(bool least, struct tally *t, const float *x, size_t count, int64_t first)
{
    for (size_t i = 0; i < count; i++) {
        float v = x[i];
        bool beyond = least ? v < t->f32 : v > t->f32;
        if (!t->seen || beyond || (v != v && t->f32 == t->f32)) {
            t->f32 = v;
            t->index = first + (int64_t)i;
            t->seen = true;
        }
    }
}

enum { PART = 64 }; /* elements that are looked over at once */

#define BEST(better)                                                                               \
    for (size_t i = 0; i < PART; i += LANES)                                                       \
        for (size_t j = 0; j < LANES; j++) {                                                       \
            float v = x[i + j];                                                                    \
            best[j] = v better best[j] ? v : best[j];                                              \
            nans[j] |= v != v;                                                                     \
        }

/* True if a part has a NaN, or a number beyond `than`, which is no NaN. */
static bool has_beyond(bool least, float than, const float *x)
{
    float best[LANES];
    int32_t nans[LANES] = {0};
    bool beyond = false;
    for (size_t j = 0; j < LANES; j++)
        best[j] = than;
    if (least)
        BEST(<)
    else
        BEST(>)
    for (size_t j = 0; j < LANES; j++)
        beyond = beyond || best[j] != than || nans[j] != 0;
    return beyond;
}

/* The first extreme, and the first NaN above all. */
static void extreme_f32(bool least, struct tally *t, const float *x, size_t count, int64_t first)
{
    if (count > 0)
        one_by_one(least, t, x, 1, first);
    for (; count >= PART; x += PART, count -= PART, first += PART)
        if (t->f32 == t->f32 && has_beyond(least, t->f32, x))
            one_by_one(least, t, x, PART, first);
    one_by_one(least, t, x, count, first);
}

static void take_f32(int op, struct tally *t, const float *x, size_t count, int64_t first)
{
    bool least = op == SL_FOLD_MIN || op == SL_FOLD_ARGMIN;
    switch (op) {
    case SL_FOLD_PROD:
        for (size_t i = 0; i < count; i++)
            t->f32 *= x[i];
        return;
    case SL_FOLD_MAX:
    case SL_FOLD_ARGMAX:
    case SL_FOLD_MIN:
    case SL_FOLD_ARGMIN:
        extreme_f32(least, t, x, count, first);
        return;
    case SL_FOLD_ANY:
        for (size_t i = 0; i < count; i++)
            t->i64 |= x[i] != 0.0f;
        return;
    case SL_FOLD_ALL:
        for (size_t i = 0; i < count; i++)
            t->i64 &= x[i] != 0.0f;
        return;
    default:
        add_f32(t, x, count);
        return;
    }
}

static bool is_extreme(int op)
{
    return op >= SL_FOLD_MAX && op <= SL_FOLD_ARGMIN;
}

static void take_i64(int op, struct tally *t, const int64_t *x, size_t count, int64_t first)
{
    for (size_t i = 0; i < count; i++) {
        int64_t v = x[i];
        bool better = false;
        switch (op) {
        case SL_FOLD_PROD:
            t->i64 = (int64_t)((uint64_t)t->i64 * (uint64_t)v);
            break;
        case SL_FOLD_MAX:
        case SL_FOLD_ARGMAX:
            better = !t->seen || v > t->i64;
            break;
        case SL_FOLD_MIN:
        case SL_FOLD_ARGMIN:
            better = !t->seen || v < t->i64;
            break;
        case SL_FOLD_ANY:
            t->i64 |= v != 0;
            break;
        case SL_FOLD_ALL:
            t->i64 &= v != 0;
            break;
        default:
            t->i64 = (int64_t)((uint64_t)t->i64 + (uint64_t)v);
            break;
        }
        t->i64 = better ? v : t->i64;
        t->index = better ? first + (int64_t)i : t->index;
        t->seen = t->seen || better;
    }
}

static void take_f64(int op, struct tally *t, const double *x, size_t count, int64_t first)
{
    bool least = op == SL_FOLD_MIN || op == SL_FOLD_ARGMIN;
    for (size_t i = 0; i < count; i++) {
        double v = x[i];
        bool beyond = least ? v < t->f64 : v > t->f64;
        if (op == SL_FOLD_PROD) {
            t->f64 *= v;
        } else if (op == SL_FOLD_ANY) {
            t->i64 |= v != 0.0;
        } else if (op == SL_FOLD_ALL) {
            t->i64 &= v != 0.0;
        } else if (op == SL_FOLD_VAR) { /* around the mean of those so far */
            double off = v - t->sum;
            t->sum += off / (double)(first + (int64_t)i + 1);
            t->squares += off * (v - t->sum);
        } else if (!is_extreme(op)) {
            t->sum += v;
        } else if (!t->seen || beyond || (v != v && t->f64 == t->f64)) {
            t->f64 = v;
            t->index = first + (int64_t)i;
            t->seen = true;
        }
    }
}

static void take_bytes(int op, struct tally *t, const uint8_t *x, size_t count)
{
    uint8_t some = 0, none = 0;
    for (size_t i = 0; i < count; i++) {
        some |= x[i];
        none |= x[i] == 0;
    }
    if (op == SL_FOLD_ANY)
        t->i64 |= some != 0;
    else
        t->i64 &= none == 0;
}

/* The least or the greatest number of an integer type: the extreme of nothing. */
static int64_t farthest(int scalar_type, bool least)
{
    static const int64_t ends[][2] = {
        [SL_SCALAR_BOOL] = {1, 0},
        [SL_SCALAR_BYTE] = {UINT8_MAX, 0},
        [SL_SCALAR_CHAR] = {INT8_MAX, INT8_MIN},
        [SL_SCALAR_SHORT] = {INT16_MAX, INT16_MIN},
        [SL_SCALAR_INT] = {INT32_MAX, INT32_MIN},
        [SL_SCALAR_LONG] = {INT64_MAX, INT64_MIN},
    };
    size_t known = sizeof(ends) / sizeof(ends[0]);
    return (size_t)scalar_type < known ? ends[scalar_type][least] : 0;
}

static struct tally start(const struct fold *f)
{
    bool one = f->shape.op == SL_FOLD_PROD || f->shape.op == SL_FOLD_ALL;
    struct tally t = {.f32 = one ? 1.0f : 0.0f, .f64 = one ? 1.0 : 0.0, .i64 = one};
    if (f->empty && is_extreme(f->shape.op)) {
        bool most = f->shape.op == SL_FOLD_MAX;
        t.f32 = most ? -INFINITY : INFINITY;
        t.f64 = (double)t.f32;
        t.i64 = farthest(f->out->scalar_type, most);
    }
    return t;
}

/* NaN where too few were seen, or one that is not finite. */
static double variance(const struct fold *f, const struct tally *t)
{
    double n = (double)f->count;
    double squares = f->class == SL_CAST_F64 ? t->squares : t->squares - t->sum * t->sum / n;
    squares = squares < 0.0 ? 0.0 : squares;
    return n > f->shape.correction ? squares / (n - f->shape.correction) : (double)NAN;
}

static union sl_cast_number result(const struct fold *f, const struct tally *t)
{
    double n = (double)f->count, value;
    union sl_cast_number out;
    int64_t integer = t->i64;
    switch (f->shape.op) {
    case SL_FOLD_SUM:
        value = t->sum;
        break;
    case SL_FOLD_MEAN:
        value = t->sum / n;
        break;
    case SL_FOLD_VAR:
        value = variance(f, t);
        break;
    case SL_FOLD_ARGMAX:
    case SL_FOLD_ARGMIN:
        value = (double)t->index;
        integer = t->index;
        break;
    case SL_FOLD_ANY:
    case SL_FOLD_ALL:
        value = (double)t->i64;
        break;
    default:
        value = f->class == SL_CAST_F64 ? t->f64 : (double)t->f32;
        break;
    }
    if (f->class == SL_CAST_F32)
        out.f32 = (float)value;
    else if (f->class == SL_CAST_F64)
        out.f64 = value;
    else
        out.i64 = integer;
    return out;
}

static void take_row(const struct fold *f, const uint8_t *in, int64_t first, struct tally *t)
{
    ptrdiff_t stride = f->reduced.strides[0][0];
    union {
        float f32[SL_CAST_BLOCK];
        int64_t i64[SL_CAST_BLOCK];
        double f64[SL_CAST_BLOCK];
    } block;
    if (f->bytes) {
        take_bytes(f->shape.op, t, in, f->reduced.dims[0]);
        return;
    }
    for (size_t left = f->reduced.dims[0], count; left != 0; left -= count) {
        count = left < SL_CAST_BLOCK ? left : SL_CAST_BLOCK;
        f->load(in, stride, count, &block);
        if (f->class == SL_CAST_F32)
            take_f32(f->shape.op, t, block.f32, count, first);
        else if (f->class == SL_CAST_F64)
            take_f64(f->shape.op, t, block.f64, count, first);
        else
            take_i64(f->shape.op, t, block.i64, count, first);
        in += (ptrdiff_t)count * stride;
        first += (int64_t)count;
    }
}

static void fold_one(const struct fold *f, const uint8_t *in, uint8_t *index, uint8_t *out)
{
    struct tally t = start(f);
    struct sl_walk_at at = {{0}, {0}};
    int64_t first = 0;
    if (!f->empty)
        do {
            take_row(f, in + at.offset[0], first, &t);
            first += (int64_t)f->reduced.dims[0];
        } while (sl_walk_next(&f->reduced, &at));
    union sl_cast_number number = result(f, &t);
    f->store(&number, 1, out, 0);
    if (f->index)
        f->store_index(&t.index, 1, index, 0);
}

/* Outputs that are tallied side by side, where single rows would be short or scattered. */
struct block {
    double sum[SL_CAST_BLOCK], squares[SL_CAST_BLOCK];
    float f32[SL_CAST_BLOCK];
};

static void take_block(int op, struct block *restrict b, const float *restrict x, size_t count)
{
    if (op == SL_FOLD_MAX)
        for (size_t i = 0; i < count; i++)
            b->f32[i] = x[i] > b->f32[i] || x[i] != x[i] ? x[i] : b->f32[i];
    else if (op == SL_FOLD_MIN)
        for (size_t i = 0; i < count; i++)
            b->f32[i] = x[i] < b->f32[i] || x[i] != x[i] ? x[i] : b->f32[i];
    else if (op == SL_FOLD_PROD)
        for (size_t i = 0; i < count; i++)
            b->f32[i] *= x[i];
    else
        for (size_t i = 0; i < count; i++)
            b->sum[i] += (double)x[i];
    if (op == SL_FOLD_VAR)
        for (size_t i = 0; i < count; i++)
            b->squares[i] += (double)x[i] * (double)x[i];
}

/* `count` outputs, neighbours along the innermost kept dimension. */
static void fold_block(const struct fold *f, const uint8_t *in, size_t count, uint8_t *out)
{
    ptrdiff_t across = f->kept.strides[0][0];
    struct sl_walk_at at = {{0}, {0}};
    struct tally t = start(f);
    struct block b;
    float row[SL_CAST_BLOCK];
    f->load(in, across, count, row);
    for (size_t i = 0; i < count; i++) {
        b.sum[i] = b.squares[i] = 0.0;
        b.f32[i] = f->shape.op == SL_FOLD_PROD ? 1.0f : row[i];
    }
    bool plain = f->in->scalar_type == SL_SCALAR_FLOAT && across == (ptrdiff_t)sizeof(float);
    do {
        const uint8_t *from = in + at.offset[0];
        for (size_t i = 0; i < f->reduced.dims[0]; i++, from += f->reduced.strides[0][0]) {
            if (!plain)
                f->load(from, across, count, row);
            take_block(f->shape.op, &b, plain ? (const float *)(const void *)from : row, count);
        }
    } while (sl_walk_next(&f->reduced, &at));
    for (size_t i = 0; f->shape.op == SL_FOLD_SUM && i < count; i++)
        row[i] = (float)b.sum[i];
    for (size_t i = 0; f->shape.op != SL_FOLD_SUM && i < count; i++) {
        t.sum = b.sum[i];
        t.squares = b.squares[i];
        t.f32 = b.f32[i];
        row[i] = result(f, &t).f32;
    }
    f->store(row, count, out, f->kept.strides[2][0]);
}

static void run_blocks(struct sl_op_call *call)
{
    const struct fold *f = call->state;
    struct sl_walk_at at = {{0}, {0}};
    do {
        const uint8_t *in = f->in->data + at.offset[0];
        uint8_t *out = f->out->data + at.offset[2];
        for (size_t left = f->kept.dims[0], count; left > 0; left -= count) {
            count = left < SL_CAST_BLOCK ? left : SL_CAST_BLOCK;
            fold_block(f, in, count, out);
            in += (ptrdiff_t)count * f->kept.strides[0][0];
            out += (ptrdiff_t)count * f->kept.strides[2][0];
        }
    } while (sl_walk_next(&f->kept, &at));
}

/* Neighbours lie together, or what is reduced is too short for a loop of its own. */
static bool wants_blocks(const struct fold *f)
{
    int op = f->shape.op;
    bool can = op == SL_FOLD_SUM || op == SL_FOLD_MEAN || op == SL_FOLD_VAR || op == SL_FOLD_PROD ||
               op == SL_FOLD_MAX || op == SL_FOLD_MIN;
    ptrdiff_t across = f->kept.strides[0][0], along = f->reduced.strides[0][0];
    return can && f->class == SL_CAST_F32 && !f->empty && !f->index && f->kept.dims[0] >= 4 &&
           (across == (ptrdiff_t)f->in->element_bytes || across < along || f->reduced.dims[0] < 64);
}

static void run_fold(struct sl_op_call *call)
{
    const struct fold *f = call->state;
    struct sl_walk_at at = {{0}, {0}};
    do {
        const uint8_t *in = f->in->data + at.offset[0];
        uint8_t *index = f->index ? f->index->data + at.offset[1] : NULL;
        uint8_t *out = f->out->data + at.offset[2];
        for (size_t i = 0; i < f->kept.dims[0]; i++) {
            fold_one(f, in, index, out);
            in += f->kept.strides[0][0];
            index = index ? index + f->kept.strides[1][0] : NULL;
            out += f->kept.strides[2][0];
        }
    } while (sl_walk_next(&f->kept, &at));
}

int sl_fold_mask(struct sl_op_call *call, uint32_t arg, unsigned *out, struct sl_diag *diag)
{
    uint32_t rank = sl_op_tensor(call, 0)->rank, dim;
    int64_t dims[SL_TENSOR_MAX_RANK], none = INT64_MIN, one = sl_op_int(call, arg, none);
    int count = one != none ? 1 : sl_op_ints(call, arg, dims, SL_TENSOR_MAX_RANK);
    unsigned mask = 0;
    if (one != none)
        dims[0] = one;
    for (int i = 0; i < count; i++) {
        if (rank == 0 && (dims[i] == 0 || dims[i] == -1))
            continue;
        if (!sl_op_dim(dims[i], rank, &dim) || (mask >> dim & 1u) != 0)
            return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its dims are not the input's");
        mask |= 1u << dim;
    }
    if (count < 0)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its dims are not the input's");
    *out = count == 0 ? (1u << rank) - 1 : mask;
    return 0;
}

/* Gives an output the sizes that stay; `strides` are its own, laid over the input's dimensions. */
static int shape_output(const struct fold *f, struct sl_tensor *out, ptrdiff_t *strides,
                        struct sl_diag *diag)
{
    int32_t sizes[SL_TENSOR_MAX_RANK];
    ptrdiff_t own[SL_TENSOR_MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t d = 0; d < f->in->rank; d++) {
        bool gone = (f->shape.mask >> d & 1u) != 0;
        if (!gone || f->shape.keep)
            sizes[rank++] = gone ? 1 : f->in->sizes[d];
    }
    int rc = sl_tensor_resize(out, rank, sizes, diag);
    if (rc != 0)
        return rc;
    sl_walk_strides(out, own);
    rank = 0;
    for (uint32_t d = 0; d < f->in->rank; d++) {
        bool gone = (f->shape.mask >> d & 1u) != 0;
        strides[d] = gone ? 0 : own[rank];
        rank += !gone || f->shape.keep;
    }
    return 0;
}

/* Chooses the types to compute in and to write. Sums and products compute in the output's class. */
static int choose_types(struct sl_op_call *call, struct fold *f, struct sl_diag *diag)
{
    int op = f->shape.op;
    bool moments = op == SL_FOLD_MEAN || op == SL_FOLD_VAR;
    bool sums = moments || op == SL_FOLD_SUM || op == SL_FOLD_PROD;
    f->class = sl_cast_class(sums ? f->out->scalar_type : f->in->scalar_type);
    if (moments && f->in->scalar_type == SL_SCALAR_DOUBLE)
        f->class = SL_CAST_F64;
    else if (moments && f->class == SL_CAST_I64)
        f->class = SL_CAST_F32;
    f->load = sl_cast_load(f->class, f->in->scalar_type);
    f->store = sl_cast_store(f->class, f->out->scalar_type);
    if (f->index)
        f->store_index = sl_cast_store(SL_CAST_I64, f->index->scalar_type);
    return f->load && f->store && (!f->index || f->store_index)
               ? 0
               : sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "its element types are not supported");
}

int sl_fold_prepare(struct sl_op_call *call, const struct sl_fold_shape *shape,
                    struct sl_diag *diag)
{
    struct fold *f = sl_op_state(call, sizeof(*f));
    struct sl_tensor *out = sl_op_tensor(call, shape->out);
    struct sl_tensor *index = shape->index != 0 ? sl_op_tensor(call, shape->index) : NULL;
    ptrdiff_t strides[3][SL_TENSOR_MAX_RANK] = {{0}};
    if (!f)
        return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    *f = (struct fold){.shape = *shape, .in = sl_op_tensor(call, 0), .out = out, .index = index};
    int rc = choose_types(call, f, diag);
    if (rc == 0 && index)
        rc = shape_output(f, index, strides[1], diag);
    if (rc == 0)
        rc = shape_output(f, out, strides[2], diag);
    if (rc != 0)
        return rc;
    sl_walk_strides(f->in, strides[0]);
    f->kept.operands = 3;
    f->reduced.operands = 1;
    f->count = 1;
    for (uint32_t d = 0; d < f->in->rank; d++) {
        size_t size = (size_t)f->in->sizes[d];
        if ((shape->mask >> d & 1u) != 0) {
            sl_walk_add(&f->reduced, size, &strides[0][d]);
            f->count *= size;
        } else {
            sl_walk_add(&f->kept, size,
                        (const ptrdiff_t[3]){strides[0][d], strides[1][d], strides[2][d]});
        }
    }
    f->empty = !sl_walk_fold(&f->reduced);
    f->bytes = (shape->op == SL_FOLD_ANY || shape->op == SL_FOLD_ALL) &&
               f->in->element_bytes == 1 && f->reduced.strides[0][0] == 1;
    if (!sl_walk_fold(&f->kept))
        return 0;
    if (f->empty && is_extreme(shape->op) && !shape->whole)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "nothing has no extreme");
    bool counts = index || shape->op == SL_FOLD_ARGMAX || shape->op == SL_FOLD_ARGMIN;
    if (counts && !sl_tensor_contiguous(f->in) && (shape->mask & (shape->mask - 1)) != 0)
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "this memory order is not supported");
    if (wants_blocks(f))
        sl_op_own(call, "sl_fold_f32_1x256_scalar", run_blocks);
    else
        sl_op_own(call, "sl_fold_scalar", run_fold);
    return 0;
}

int sl_fold_read(struct sl_op_call *call, const struct sl_fold_spec *spec,
                 struct sl_fold_shape *out, struct sl_diag *diag)
{
    *out = (struct sl_fold_shape){.op = spec->op, .out = spec->out, .index = spec->index};
    out->mask = (1u << sl_op_tensor(call, 0)->rank) - 1;
    out->whole = spec->dims < 0;
    out->keep = spec->keep >= 0 && sl_op_bool(call, (uint32_t)spec->keep);
    if (spec->correction >= 0)
        out->correction = sl_op_number(call, (uint32_t)spec->correction, spec->otherwise);
    int rc = spec->dims >= 0 ? sl_fold_mask(call, (uint32_t)spec->dims, &out->mask, diag) : 0;
    if (spec->none && sl_op_list_is_empty(call, (uint32_t)spec->dims))
        out->mask = 0;
    return rc;
}

static int prepare_fold(struct sl_op_call *call, struct sl_diag *diag)
{
    struct sl_fold_shape shape;
    int rc = sl_fold_read(call, call->op->data, &shape, diag);
    return rc != 0 ? rc : sl_fold_prepare(call, &shape, diag);
}

#define OP(op_name, letters, ...)                                                                  \
    {                                                                                              \
        .name = op_name, .signature = letters, .prepare = prepare_fold,                            \
        .data = &(const struct sl_fold_spec)                                                       \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

const struct sl_op sl_ops_fold[] = {
    OP("aten::prod.int_out", "aibIO", SL_FOLD_PROD, 1, 2, -1, 4, 0, 0.0, false),
    OP("aten::prod.out", "aIO", SL_FOLD_PROD, -1, -1, -1, 2, 0, 0.0, false),
    OP("aten::max.dim_max", "aibOO", SL_FOLD_MAX, 1, 2, -1, 3, 4, 0.0, false),
    OP("aten::min.dim_min", "aibOO", SL_FOLD_MIN, 1, 2, -1, 3, 4, 0.0, false),
    OP("aten::argmax.out", "aIbO", SL_FOLD_ARGMAX, 1, 2, -1, 3, 0, 0.0, false),
    OP("aten::argmin.out", "aIbO", SL_FOLD_ARGMIN, 1, 2, -1, 3, 0, 0.0, false),
    {0},
};
