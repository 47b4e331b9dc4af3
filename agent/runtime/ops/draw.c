/* agent/runtime/ops/draw.c: random numbers, the same at every execution.
 *
 * ExecuTorch seeds its generators by chance and promises a distribution alone, and so does this;
 * but both sides of a comparison must be given the same numbers. */
#include <math.h>

#include "agent/runtime/ops/cast.h"
#include "agent/runtime/ops/op.h"

struct draw {
    const struct sl_tensor *out;
    sl_cast_store_fn store;
    uint64_t seed;
};

/* 53 bits of the number that i is mixed to. */
static double uniform(uint64_t seed, uint64_t i)
{
    uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static void run_rand(struct sl_op_call *call)
{
    const struct draw *d = call->state;
    double block[SL_CAST_BLOCK];
    size_t bytes = d->out->element_bytes, all = sl_tensor_count(d->out);
    for (size_t at = 0, count; at < all; at += count) {
        count = all - at < SL_CAST_BLOCK ? all - at : SL_CAST_BLOCK;
        for (size_t i = 0; i < count; i++)
            block[i] = uniform(d->seed, at + i);
        d->store(block, count, d->out->data + at * bytes, (ptrdiff_t)bytes);
    }
}

/* By the logarithm and the angle of two uniform numbers. */
static void run_randn(struct sl_op_call *call)
{
    const struct draw *d = call->state;
    size_t bytes = d->out->element_bytes, all = sl_tensor_count(d->out);
    for (size_t i = 0; i < all; i += 2) {
        double far = sqrt(-2.0 * log(1.0 - uniform(d->seed, i)));
        double angle = 2.0 * 3.14159265358979323846 * uniform(d->seed, i + 1);
        const double pair[2] = {far * cos(angle), far * sin(angle)};
        d->store(pair, all - i > 1 ? 2 : 1, d->out->data + i * bytes, (ptrdiff_t)bytes);
    }
}

static int prepare_draw(struct sl_op_call *call, struct sl_diag *diag)
{
    struct sl_tensor *out = sl_op_tensor(call, 1);
    int64_t sizes64[SL_TENSOR_MAX_RANK];
    int32_t sizes[SL_TENSOR_MAX_RANK];
    int rank = sl_op_ints(call, 0, sizes64, SL_TENSOR_MAX_RANK);
    bool fits = rank >= 0 && sl_cast_is_float(out->scalar_type);
    for (int i = 0; i < rank && fits; i++) {
        fits = sizes64[i] >= 0 && sizes64[i] <= INT32_MAX;
        sizes[i] = fits ? (int32_t)sizes64[i] : 0;
    }
    if (!fits)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its sizes or type are not valid");
    int rc = sl_tensor_resize(out, (uint32_t)rank, sizes, diag);
    struct draw *d = rc == 0 ? sl_op_state(call, sizeof(*d)) : NULL;
    if (rc != 0)
        return rc;
    if (!d)
        return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    *d = (struct draw){.out = out, .seed = call->args[1]}; /* each call has numbers of its own */
    d->store = sl_cast_store(SL_CAST_F64, out->scalar_type);
    bool normal = call->op->data != NULL;
    if (out->nbytes != 0)
        sl_op_own(call, normal ? "sl_randn_scalar" : "sl_rand_scalar",
                  normal ? run_randn : run_rand);
    return 0;
}

static const bool normal = true;
const struct sl_op sl_ops_draw[] = {
    {.name = "aten::rand.out", .signature = "vO", .prepare = prepare_draw},
    {.name = "aten::randn.out", .signature = "vO", .prepare = prepare_draw, .data = &normal},
    {0},
};
