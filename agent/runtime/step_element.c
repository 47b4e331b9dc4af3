/* agent/runtime/step_element.c: elementwise steps, reductions, moves, and binding of all steps. */
#include <string.h>

#include "agent/runtime/runtime.h"
#include "agent/runtime/step.h"

static void run_broadcast(const struct sl_step *step)
{
    const struct sl_broadcast *b = &step->binary;
    struct sl_binary_args args = b->args;
    size_t at[SL_STEP_MAX_RANK] = {0};
    size_t a_offset = 0, b_offset = 0;
    for (;;) {
        args.a = b->args.a + a_offset;
        args.b = b->args.b + b_offset;
        b->kernel->run(&args);
        args.out += args.count;
        size_t d = b->rank;
        for (; d > 0; d--) {
            a_offset += b->a_strides[d - 1];
            b_offset += b->b_strides[d - 1];
            if (++at[d - 1] < b->dims[d - 1])
                break;
            a_offset -= b->a_strides[d - 1] * at[d - 1];
            b_offset -= b->b_strides[d - 1] * at[d - 1];
            at[d - 1] = 0;
        }
        if (d == 0)
            return;
    }
}

static void run_binary(const struct sl_step *step)
{
    step->binary.kernel->run(&step->binary.args);
}

static void run_none(const struct sl_step *step)
{
    (void)step;
}

/* Whether an operand of `dims` aligned at the end moves along dimension d of an output of rank. */
static int moves(size_t rank, const size_t *dims, size_t out_rank, size_t d)
{
    return rank + d >= out_rank && dims[rank + d - out_rank] != 1;
}

/* Merges output dimensions along which both operands behave alike, innermost first. Writes the
 * merged sizes with the two flags; returns their number, at least 1. */
static size_t merge_dims(size_t a_rank, const size_t *a_dims, size_t b_rank, const size_t *b_dims,
                         size_t out_rank, const size_t *out_dims, size_t *sizes, int *flags)
{
    size_t n = 0;
    for (size_t d = out_rank; d > 0; d--) {
        int flag = moves(a_rank, a_dims, out_rank, d - 1) | moves(b_rank, b_dims, out_rank, d - 1)
                                                                << 1;
        if (out_dims[d - 1] == 1)
            continue;
        if (n > 0 && flags[n - 1] == flag) {
            sizes[n - 1] *= out_dims[d - 1];
        } else {
            sizes[n] = out_dims[d - 1];
            flags[n++] = flag;
        }
    }
    if (n == 0) {
        sizes[n] = 1;
        flags[n++] = 3;
    }
    return n;
}

int sl_step_binary(struct sl_step *step, uint32_t isa, int op, size_t a_rank, const size_t *a_dims,
                   size_t b_rank, const size_t *b_dims, size_t out_rank, const size_t *out_dims)
{
    size_t sizes[SL_STEP_MAX_RANK + 1];
    int flags[SL_STEP_MAX_RANK + 1];
    for (size_t d = 0; d < out_rank; d++)
        if (out_dims[d] == 0) {
            sl_step_none(step);
            return 0;
        }
    size_t n = merge_dims(a_rank, a_dims, b_rank, b_dims, out_rank, out_dims, sizes, flags);
    const struct sl_binary *kernel = sl_binary_select(isa, op);
    *step = (struct sl_step){
        .run = n == 1 ? run_binary : run_broadcast, .kernel = kernel->name, .kind = SL_STEP_BINARY};
    struct sl_broadcast *b = &step->binary;
    b->kernel = kernel;
    b->args.count = sizes[0];
    b->args.a_step = flags[0] & 1;
    b->args.b_step = (size_t)flags[0] >> 1;
    b->rank = n - 1;
    size_t a_stride = b->args.a_step ? sizes[0] : 1, b_stride = b->args.b_step ? sizes[0] : 1;
    for (size_t i = 1; i < n; i++) { /* i counts from the inside, dims from the outside */
        size_t d = n - 1 - i;
        b->dims[d] = sizes[i];
        b->a_strides[d] = flags[i] & 1 ? a_stride : 0;
        b->b_strides[d] = flags[i] >> 1 ? b_stride : 0;
        a_stride *= flags[i] & 1 ? sizes[i] : 1;
        b_stride *= flags[i] >> 1 ? sizes[i] : 1;
    }
    sl_step_set_clamp(step, -__builtin_inff(), __builtin_inff());
    return 0;
}

static void run_unary(const struct sl_step *step)
{
    step->unary.kernel->run(step->unary.count, step->unary.in, step->unary.out, step->unary.a,
                            step->unary.b);
}

void sl_step_unary(struct sl_step *step, uint32_t isa, int op, size_t count, float a, float b)
{
    const struct sl_unary *kernel = sl_unary_select(isa, op);
    *step = (struct sl_step){
        .run = run_unary,
        .kernel = kernel->name,
        .kind = SL_STEP_UNARY,
        .unary = {.kernel = kernel, .count = count, .a = a, .b = b},
    };
}

void sl_step_clamp(struct sl_step *step, uint32_t isa, size_t count, float min, float max)
{
    sl_step_unary(step, isa, SL_UNARY_CLAMP, count, min, max);
}

static void run_reduce(const struct sl_step *step)
{
    step->reduce.kernel->run(&step->reduce.args);
}

void sl_step_reduce(struct sl_step *step, uint32_t isa, int op, size_t outer, size_t reduced,
                    size_t inner)
{
    const struct sl_reduce *kernel = sl_reduce_select(isa, op);
    *step = (struct sl_step){
        .run = run_reduce,
        .kernel = kernel->name,
        .kind = SL_STEP_REDUCE,
        .reduce = {kernel, {.outer = outer, .reduced = reduced, .inner = inner}},
    };
    step->reduce.args.scale = reduced != 0 ? 1.0f / (float)reduced : __builtin_nanf("");
}

static void run_permute(const struct sl_step *step)
{
    sl_permute_x32(step->permute.kernel, step->permute.rank, step->permute.dims, step->permute.perm,
                   step->permute.in, step->permute.out);
}

void sl_step_permute(struct sl_step *step, uint32_t isa, size_t rank, const size_t *dims,
                     const size_t *perm)
{
    const struct sl_transpose *kernel = sl_transpose_select(isa);
    *step = (struct sl_step){.run = run_permute,
                             .kernel = kernel->name,
                             .kind = SL_STEP_PERMUTE,
                             .permute = {.kernel = kernel, .rank = rank}};
    for (size_t i = 0; i < rank; i++) {
        step->permute.dims[i] = dims[i];
        step->permute.perm[i] = perm[i];
        if (dims[i] == 0)
            step->run = run_none;
    }
}

static void run_copy(const struct sl_step *step)
{
    const struct sl_copy *c = &step->copy;
    size_t at[SL_STEP_MAX_RANK] = {0};
    const uint8_t *in = c->in + c->in_offset;
    uint8_t *out = c->out + c->out_offset;
    for (;;) {
        memmove(out, in, c->row_bytes);
        size_t d = c->rank;
        for (; d > 0; d--) {
            in += c->in_strides[d - 1];
            out += c->out_strides[d - 1];
            if (++at[d - 1] < c->dims[d - 1])
                break;
            in -= c->in_strides[d - 1] * at[d - 1];
            out -= c->out_strides[d - 1] * at[d - 1];
            at[d - 1] = 0;
        }
        if (d == 0)
            return;
    }
}

void sl_step_copy_dense(struct sl_step *step, size_t bytes)
{
    *step = (struct sl_step){.run = bytes != 0 ? run_copy : run_none,
                             .kernel = "memmove",
                             .kind = SL_STEP_COPY,
                             .copy = {.row_bytes = bytes}};
}

void sl_step_copy_box(struct sl_step *step, size_t rank, const size_t *dims, const size_t *in_dims,
                      const size_t *in_at, const size_t *out_dims, const size_t *out_at)
{
    size_t in_stride = sizeof(float), out_stride = sizeof(float);
    sl_step_copy_dense(step, sizeof(float));
    struct sl_copy *c = &step->copy;
    bool whole = true; /* everything inside dimension d is one run on both sides */
    for (size_t d = rank; d > 0; d--) {
        if (dims[d - 1] == 0)
            step->run = run_none;
        c->in_offset += in_at[d - 1] * in_stride;
        c->out_offset += out_at[d - 1] * out_stride;
        if (whole) {
            c->row_bytes *= dims[d - 1];
        } else {
            memmove(c->dims + 1, c->dims, c->rank * sizeof(*c->dims));
            memmove(c->in_strides + 1, c->in_strides, c->rank * sizeof(*c->in_strides));
            memmove(c->out_strides + 1, c->out_strides, c->rank * sizeof(*c->out_strides));
            c->dims[0] = dims[d - 1];
            c->in_strides[0] = in_stride;
            c->out_strides[0] = out_stride;
            c->rank++;
        }
        whole = whole && dims[d - 1] == in_dims[d - 1] && dims[d - 1] == out_dims[d - 1];
        in_stride *= in_dims[d - 1];
        out_stride *= out_dims[d - 1];
    }
}

static void run_fill(const struct sl_step *step)
{
    for (size_t i = 0; i < step->fill.count; i++)
        step->fill.out[i] = step->fill.bits;
}

void sl_step_fill(struct sl_step *step, size_t count, float value)
{
    *step = (struct sl_step){.run = run_fill,
                             .kernel = "sl_fill_x32_scalar",
                             .kind = SL_STEP_FILL,
                             .fill = {.count = count}};
    memcpy(&step->fill.bits, &value, sizeof(value));
}

void sl_step_none(struct sl_step *step)
{
    *step = (struct sl_step){.run = run_none, .kernel = NULL, .kind = SL_STEP_NONE};
}
