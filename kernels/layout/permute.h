/* kernels/layout/permute.h: any permutation as transposes and copies, for elements of SL_ELEMENT:
 * the function SL_PERMUTE. */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <string.h>

/* A permutation with its unit dimensions dropped and neighbours that stay together merged. */
struct plan {
    size_t rank;
    size_t dims[SL_LAYOUT_MAX_RANK]; /* of the output, outermost first */
    size_t in[SL_LAYOUT_MAX_RANK];   /* elements from one to the next of that dimension: input */
    size_t out[SL_LAYOUT_MAX_RANK];  /* and output */
};

static size_t plan_make(size_t rank, const size_t *dims, const size_t *perm, struct plan *out_plan)
{
    size_t strides[SL_LAYOUT_MAX_RANK], count = 1;
    for (size_t i = rank; i-- > 0;) {
        strides[i] = count;
        count *= dims[i];
    }
    struct plan plan = {.rank = 0};
    for (size_t j = 0; j < rank; j++) {
        size_t size = dims[perm[j]], stride = strides[perm[j]];
        if (size == 1)
            continue;
        if (plan.rank > 0 && plan.in[plan.rank - 1] == stride * size) {
            plan.dims[plan.rank - 1] *= size;
            plan.in[plan.rank - 1] = stride;
        } else {
            plan.dims[plan.rank] = size;
            plan.in[plan.rank++] = stride;
        }
    }
    size_t step = 1;
    for (size_t j = plan.rank; j-- > 0;) {
        plan.out[j] = step;
        step *= plan.dims[j];
    }
    *out_plan = plan;
    return count;
}

static void remove_dim(struct plan *plan, size_t at)
{
    plan->rank--;
    for (size_t j = at; j < plan->rank; j++) {
        plan->dims[j] = plan->dims[j + 1];
        plan->in[j] = plan->in[j + 1];
        plan->out[j] = plan->out[j + 1];
    }
}

/* Moves the offsets to the next index of the plan; false after the last. */
static bool advance(const struct plan *plan, size_t *index, size_t *in, size_t *out)
{
    for (size_t j = plan->rank; j-- > 0;) {
        *in += plan->in[j];
        *out += plan->out[j];
        if (++index[j] < plan->dims[j])
            return true;
        *in -= plan->in[j] * plan->dims[j];
        *out -= plan->out[j] * plan->dims[j];
        index[j] = 0;
    }
    return false;
}

/* The innermost dimension stays innermost: runs of it are copied. */
static void copy_runs(struct plan plan, const SL_ELEMENT *in, SL_ELEMENT *out)
{
    size_t run = plan.dims[plan.rank - 1];
    remove_dim(&plan, plan.rank - 1);
    size_t index[SL_LAYOUT_MAX_RANK] = {0}, from = 0, to = 0;
    do
        memcpy(out + to, in + from, run * sizeof(*out));
    while (advance(&plan, index, &from, &to));
}

/* The input's innermost dimension goes to `at`: a 2-D transpose of it and the output's innermost,
 * for each index of the others. The innermost of the others is the kernel's batch. */
static void transpose_planes(const struct SL_NAME(sl_transpose, ) * kernel, struct plan plan,
                             size_t at, const SL_ELEMENT *in, SL_ELEMENT *out)
{
    size_t last = plan.rank - 1;
    struct SL_NAME(sl_transpose, _args) args = {
        .batch = 1,
        .rows = plan.dims[last],
        .cols = plan.dims[at],
        .in_row_stride = plan.in[last],
        .out_row_stride = plan.out[at],
    };
    remove_dim(&plan, last);
    remove_dim(&plan, at);
    if (plan.rank > 0) {
        last = plan.rank - 1;
        args.batch = plan.dims[last];
        args.in_batch_stride = plan.in[last];
        args.out_batch_stride = plan.out[last];
        remove_dim(&plan, last);
    }
    size_t index[SL_LAYOUT_MAX_RANK] = {0}, from = 0, to = 0;
    do {
        args.in = in + from;
        args.out = out + to;
        kernel->run(&args);
    } while (advance(&plan, index, &from, &to));
}

void SL_PERMUTE(const struct SL_NAME(sl_transpose, ) * kernel, size_t rank, const size_t *dims,
                const size_t *perm, const SL_ELEMENT *in, SL_ELEMENT *out)
{
    assert(rank <= SL_LAYOUT_MAX_RANK);
    struct plan plan;
    size_t count = plan_make(rank, dims, perm, &plan);
    if (count == 0)
        return;
    if (plan.rank <= 1) {
        memcpy(out, in, count * sizeof(*out));
        return;
    }
    size_t at = 0;
    while (plan.in[at] != 1)
        at++; /* ends: the dimensions kept hold the input's innermost */
    if (at == plan.rank - 1)
        copy_runs(plan, in, out);
    else
        transpose_planes(kernel, plan, at, in, out);
}
