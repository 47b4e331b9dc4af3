/* agent/runtime/ops/map.c: the engine; map_ops.c has the functions. */
#include "agent/runtime/ops/map.h"

#include <string.h>

#include "agent/runtime/ops/broadcast.h"
#include "agent/runtime/ops/walk.h"
#include "common/format/scalar_type.h"

/* An operand's numbers in a block, aligned for any class. */
union block {
    float f32[SL_CAST_BLOCK];
    int64_t i64[SL_CAST_BLOCK];
    double f64[SL_CAST_BLOCK];
};

struct map {
    struct sl_map_shape shape;
    const struct sl_tensor *in[SL_MAP_INPUTS]; /* NULL: a number, which `block` is full of */
    const struct sl_tensor *out;
    sl_cast_load_fn load[SL_MAP_INPUTS]; /* NULL: read where it lies */
    sl_cast_store_fn store;              /* NULL: written where it lies */
    struct sl_walk walk;                 /* inputs, then the output */
    union block block[SL_MAP_INPUTS];
};

/* The type whose elements the class holds as they are. */
static int native_type(int class)
{
    return class == SL_CAST_F32   ? SL_SCALAR_FLOAT
           : class == SL_CAST_F64 ? SL_SCALAR_DOUBLE
                                  : SL_SCALAR_LONG;
}

static bool has_zero(const int64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] == 0)
            return true;
    return false;
}

/* One block of the innermost dimension. */
static void run_block(struct sl_op_call *call, struct map *m, const uint8_t *const *in,
                      uint8_t *out, size_t count)
{
    const void *operands[SL_MAP_INPUTS] = {NULL};
    union block result;
    for (uint32_t k = 0; k < m->shape.input_count; k++) {
        operands[k] = m->load[k] || !m->in[k] ? (const void *)&m->block[k] : in[k];
        if (m->load[k])
            m->load[k](in[k], m->walk.strides[k][0], count, &m->block[k]);
    }
    if (m->shape.no_zero_divisor && m->shape.class == SL_CAST_I64 && has_zero(operands[1], count)) {
        call->failure = "an integer is divided by zero";
        return;
    }
    m->shape.fn(count, operands, m->store ? (void *)&result : out, m->shape.numbers);
    if (m->store)
        m->store(&result, count, out, m->walk.strides[m->shape.input_count][0]);
}

static void run_row(struct sl_op_call *call, struct map *m, const struct sl_walk_at *at)
{
    const uint8_t *in[SL_MAP_INPUTS] = {NULL};
    uint32_t inputs = m->shape.input_count;
    uint8_t *out = m->out->data + at->offset[inputs];
    bool cast = m->store != NULL;
    for (uint32_t k = 0; k < inputs; k++) {
        in[k] = m->in[k] ? m->in[k]->data + at->offset[k] : NULL;
        cast = cast || m->load[k] || !m->in[k];
    }
    for (size_t left = m->walk.dims[0], count; left != 0; left -= count) {
        count = cast && left > SL_CAST_BLOCK ? SL_CAST_BLOCK : left;
        run_block(call, m, in, out, count);
        for (uint32_t k = 0; k < inputs; k++)
            in[k] = m->in[k] ? in[k] + (ptrdiff_t)count * m->walk.strides[k][0] : NULL;
        out += (ptrdiff_t)count * m->walk.strides[inputs][0];
    }
}

static void run_map(struct sl_op_call *call)
{
    struct map *m = call->state;
    struct sl_walk_at at = {{0}, {0}};
    do {
        run_row(call, m, &at);
    } while (sl_walk_next(&m->walk, &at));
}

int sl_map_class(const struct sl_op_call *call, uint32_t count, const uint32_t *args)
{
    int class = SL_CAST_I64;
    for (uint32_t i = 0; i < count; i++) {
        if (sl_op_is_double(call, args[i]))
            return SL_CAST_F64;
        class = sl_op_is_float(call, args[i]) ? SL_CAST_F32 : class;
    }
    return class;
}

/* A number beside integers as one of their type, which 300 beside bytes is not; beside Bools it
 * stays what it is. */
static int64_t as_element(const struct sl_op_call *call, const struct map *m, int64_t number)
{
    _Alignas(8) uint8_t element[8];
    for (uint32_t k = 0; k < m->shape.input_count; k++) {
        const struct sl_tensor *beside = sl_op_tensor(call, m->shape.inputs[k]);
        if (!beside || beside->scalar_type == SL_SCALAR_BOOL ||
            !sl_cast_store(SL_CAST_I64, beside->scalar_type))
            continue;
        sl_cast_store(SL_CAST_I64, beside->scalar_type)(&number, 1, element, 0);
        sl_cast_load(SL_CAST_I64, beside->scalar_type)(element, 0, 1, &number);
    }
    return number;
}

static void fill_f32(union block *block, float number)
{
    for (size_t i = 0; i < SL_CAST_BLOCK; i++)
        block->f32[i] = number;
}

static void fill_f64(union block *block, double number)
{
    for (size_t i = 0; i < SL_CAST_BLOCK; i++)
        block->f64[i] = number;
}

static void fill_i64(union block *block, int64_t number)
{
    for (size_t i = 0; i < SL_CAST_BLOCK; i++)
        block->i64[i] = number;
}

static int take_input(struct sl_op_call *call, struct map *m, uint32_t k, struct sl_diag *diag)
{
    uint32_t arg = m->shape.inputs[k];
    m->in[k] = sl_op_tensor(call, arg);
    if (m->in[k]) {
        m->load[k] = sl_cast_load(m->shape.class, m->in[k]->scalar_type);
        return m->load[k] ? 0
                          : sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED,
                                       "an input's element type is not supported");
    }
    double number = sl_op_number(call, arg, 0.0);
    if (m->shape.class == SL_CAST_I64)
        fill_i64(&m->block[k], as_element(call, m, sl_op_int(call, arg, sl_cast_to_int(number))));
    else if (m->shape.class == SL_CAST_F64)
        fill_f64(&m->block[k], number);
    else
        fill_f32(&m->block[k], (float)number);
    return 0;
}

/* False if there is nothing to do. */
static bool shape_walk(struct map *m)
{
    uint32_t inputs = m->shape.input_count, rank = m->out->rank;
    ptrdiff_t strides[SL_WALK_OPERANDS][SL_TENSOR_MAX_RANK] = {{0}}, column[SL_WALK_OPERANDS];
    m->walk.operands = inputs + 1;
    sl_walk_strides(m->out, strides[inputs]);
    for (uint32_t k = 0; k < inputs; k++)
        if (m->in[k])
            sl_walk_broadcast(m->in[k], rank, strides[k]);
    for (uint32_t d = 0; d < rank; d++) {
        for (uint32_t k = 0; k <= inputs; k++)
            column[k] = strides[k][d];
        sl_walk_add(&m->walk, (size_t)m->out->sizes[d], column);
    }
    return sl_walk_fold(&m->walk);
}

/* Operands that lie dense in the class's own type are neither loaded nor stored. */
static void skip_casts(struct map *m)
{
    uint32_t inputs = m->shape.input_count;
    int native = native_type(m->shape.class);
    ptrdiff_t dense = m->shape.class == SL_CAST_F32 ? sizeof(float) : sizeof(int64_t); /* or f64 */
    for (uint32_t k = 0; k < inputs; k++)
        if (m->in[k] && m->in[k]->scalar_type == native && m->walk.strides[k][0] == dense)
            m->load[k] = NULL;
    if (m->out->scalar_type == native &&
        (m->walk.strides[inputs][0] == dense || m->walk.dims[0] == 1))
        m->store = NULL;
}

int sl_map_prepare(struct sl_op_call *call, const struct sl_map_shape *shape, struct sl_diag *diag)
{
    struct map *m = sl_op_state(call, sizeof(*m));
    struct sl_tensor *out = sl_op_tensor(call, shape->out);
    if (!m)
        return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    m->shape = *shape;
    m->out = out;
    for (uint32_t k = 0; k < shape->input_count; k++) {
        int rc = take_input(call, m, k, diag);
        if (rc != 0)
            return rc;
    }
    m->store = sl_cast_store(shape->class, out->scalar_type);
    if (!m->store)
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED,
                          "its output's element type is not supported");
    bool any = m->in[0] || m->in[1] || m->in[2]; /* else the output keeps its sizes */
    int rc = any ? sl_broadcast_sizes(call, shape->input_count, m->in, out, diag) : 0;
    if (rc != 0 || !shape_walk(m))
        return rc;
    skip_casts(m);
    static const char *const kernels[SL_CAST_CLASSES] = {
        [SL_CAST_F32] = "sl_map_f32_scalar",
        [SL_CAST_I64] = "sl_map_s64_scalar",
        [SL_CAST_F64] = "sl_map_f64_scalar",
    };
    sl_op_own(call, kernels[shape->class], run_map);
    return 0;
}

static void copy_f32(size_t count, const void *const *in, void *out, const double *numbers)
{
    (void)numbers;
    memmove(out, in[0], count * sizeof(float));
}

/* Doubles too. */
static void copy_i64(size_t count, const void *const *in, void *out, const double *numbers)
{
    (void)numbers;
    memmove(out, in[0], count * sizeof(int64_t));
}

int sl_map_convert(struct sl_op_call *call, uint32_t in, uint32_t out, struct sl_diag *diag)
{
    static const sl_map_fn copies[SL_CAST_CLASSES] = {copy_f32, copy_i64, copy_i64};
    int class = sl_cast_class(sl_op_tensor(call, in)->scalar_type);
    const struct sl_map_shape shape = {
        .class = class,
        .fn = copies[class],
        .input_count = 1,
        .inputs = {in},
        .out = out,
    };
    return sl_map_prepare(call, &shape, diag);
}
