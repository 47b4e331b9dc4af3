/* agent/runtime/ops/distance.c: distances between rows, and gated halves: of all floating point
 * types, computed in double precision. */
#include <math.h>
#include <string.h>

#include "agent/runtime/ops/exact.h"
#include "common/format/scalar_type.h"

enum { A, B, OUT };

struct rows { /* the call's state */
    struct sl_exact exact;
    double power;
    size_t batch, a_count, b_count, length; /* rows of each matrix, and their length */
    uint32_t rank;                          /* of the batch */
    size_t sizes[SL_TENSOR_MAX_RANK];       /* of the batch */
    size_t steps[2][SL_TENSOR_MAX_RANK];    /* rows along the batch, 0 where one is repeated */
};

static double distance(const double *a, const double *b, size_t length, double p)
{
    double sum = 0.0;
    for (size_t i = 0; i < length; i++) {
        double apart = fabs(a[i] - b[i]);
        if (p == 0.0)
            sum += apart != 0.0;
        else if (p == 1.0)
            sum += apart;
        else if (p == 2.0)
            sum += apart * apart;
        else if (isinf(p))
            sum = sum < apart ? apart : sum;
        else
            sum += pow(apart, p);
    }
    return p == 2.0 ? sqrt(sum) : p == 0.0 || p == 1.0 || isinf(p) ? sum : pow(sum, 1.0 / p);
}

static void run_pairs(struct sl_op_call *call)
{
    const struct rows *r = call->state;
    const double *in = sl_exact_read(call, &r->exact, A);
    double *out = sl_exact_array(call, &r->exact, OUT);
    for (size_t i = 0; i < r->a_count; i++)
        for (size_t k = i + 1; k < r->a_count; k++)
            *out++ = distance(in + i * r->length, in + k * r->length, r->length, r->power);
    sl_exact_write(call, &r->exact, OUT);
}

static void run_distances(struct sl_op_call *call)
{
    const struct rows *r = call->state;
    const double *a = sl_exact_read(call, &r->exact, A), *b = sl_exact_read(call, &r->exact, B);
    double *out = sl_exact_array(call, &r->exact, OUT);
    for (size_t n = 0; n < r->batch; n++) {
        size_t rest = n, first[2] = {0, 0};
        for (uint32_t d = r->rank; d > 0; rest /= r->sizes[--d])
            for (int side = 0; side < 2; side++)
                first[side] += rest % r->sizes[d - 1] * r->steps[side][d - 1];
        for (size_t i = 0; i < r->a_count; i++)
            for (size_t k = 0; k < r->b_count; k++)
                *out++ = distance(a + (first[0] + i) * r->length, b + (first[1] + k) * r->length,
                                  r->length, r->power);
    }
    sl_exact_write(call, &r->exact, OUT);
}

static int misfit(struct sl_op_call *call, struct sl_diag *diag)
{
    return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its operands do not fit together");
}

/* Takes floating point only. Returns NULL with *rc set on failure. */
static struct rows *begin(struct sl_op_call *call, struct sl_diag *diag, int *rc)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct rows *r = sl_exact_new(call, in, sizeof(*r), diag, rc);
    if (!r || r->exact.class == SL_CAST_F64)
        return r;
    *rc = sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "it is not of floating point");
    return NULL;
}

static int finish(struct sl_op_call *call, struct rows *r, struct sl_tensor *out, uint32_t rank,
                  const int32_t *sizes, const char *kernel, sl_own_run_fn run, struct sl_diag *diag)
{
    int rc = sl_tensor_resize(out, rank, sizes, diag);
    sl_exact_hold(call, &r->exact, OUT, out);
    if (rc == 0)
        rc = sl_exact_same_type(call, &r->exact, diag);
    if (rc == 0 && out->nbytes != 0)
        sl_op_own(call, kernel, run);
    return rc;
}

static int prepare_pairs(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc;
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct rows *r = begin(call, diag, &rc);
    if (!r)
        return rc;
    r->power = sl_op_number(call, 1, 2.0);
    if (in->rank != 2 || !(r->power >= 0.0))
        return misfit(call, diag);
    r->a_count = (size_t)in->sizes[0];
    r->length = (size_t)in->sizes[1];
    size_t pairs = r->a_count != 0 ? r->a_count * (r->a_count - 1) / 2 : 0;
    if (pairs > INT32_MAX)
        return misfit(call, diag);
    const int32_t size = (int32_t)pairs;
    sl_exact_hold(call, &r->exact, A, in);
    return finish(call, r, sl_op_tensor(call, 2), 1, &size, "sl_pdist_f64_scalar", run_pairs, diag);
}

/* The batch that both broadcast to; false: they do not. Also its sizes, of the output's rank. */
static bool read_batch(struct rows *r, const struct sl_tensor *const *in, int32_t *sizes)
{
    uint32_t rank = in[0]->rank > in[1]->rank ? in[0]->rank : in[1]->rank;
    size_t steps[2] = {r->a_count, r->b_count};
    r->rank = rank - 2;
    r->batch = 1;
    for (uint32_t d = r->rank; d > 0; d--) {
        sizes[d - 1] = 1;
        for (int side = 0; side < 2; side++) {
            bool has = d + in[side]->rank > rank;
            int32_t size = has ? in[side]->sizes[d + in[side]->rank - rank - 1] : 1;
            r->steps[side][d - 1] = size == 1 ? 0 : steps[side];
            steps[side] *= (size_t)size;
            if (size != 1 && sizes[d - 1] != 1 && size != sizes[d - 1])
                return false;
            sizes[d - 1] = size == 1 ? sizes[d - 1] : size;
        }
        r->sizes[d - 1] = (size_t)sizes[d - 1];
        r->batch *= r->sizes[d - 1];
    }
    sizes[rank - 2] = (int32_t)r->a_count;
    sizes[rank - 1] = (int32_t)r->b_count;
    return true;
}

static int prepare_distances(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc;
    int32_t sizes[SL_TENSOR_MAX_RANK];
    const struct sl_tensor *const in[2] = {sl_op_tensor(call, 0), sl_op_tensor(call, 1)};
    struct rows *r = begin(call, diag, &rc);
    int64_t mode = sl_op_int(call, 3, 0);
    if (!r)
        return rc;
    r->power = sl_op_number(call, 2, 2.0);
    if (in[0]->rank < 2 || in[1]->rank < 2 || !(r->power >= 0.0) || mode < 0 || mode > 2 ||
        in[0]->sizes[in[0]->rank - 1] != in[1]->sizes[in[1]->rank - 1])
        return misfit(call, diag);
    r->a_count = (size_t)in[0]->sizes[in[0]->rank - 2];
    r->b_count = (size_t)in[1]->sizes[in[1]->rank - 2];
    r->length = (size_t)in[0]->sizes[in[0]->rank - 1];
    if (!read_batch(r, in, sizes))
        return misfit(call, diag);
    sl_exact_hold(call, &r->exact, A, in[0]);
    sl_exact_hold(call, &r->exact, B, in[1]);
    return finish(call, r, sl_op_tensor(call, 4), r->rank + 2, sizes, "sl_cdist_f64_scalar",
                  run_distances, diag);
}

/* [batch][2][length]: the first half by the sigmoid of the second. */
static void run_glu(struct sl_op_call *call)
{
    const struct rows *r = call->state;
    const double *in = sl_exact_read(call, &r->exact, A);
    double *out = sl_exact_array(call, &r->exact, OUT);
    for (size_t n = 0; n < r->batch; n++, in += r->length)
        for (size_t i = 0; i < r->length; i++, in++)
            *out++ = *in / (1.0 + exp(-in[r->length]));
    sl_exact_write(call, &r->exact, OUT);
}

static int prepare_glu(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc;
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_tensor *out = sl_op_tensor(call, 2);
    int32_t sizes[SL_TENSOR_MAX_RANK];
    uint32_t dim = 0;
    struct rows *r = begin(call, diag, &rc);
    if (!r)
        return rc;
    if (in->rank == 0 || !sl_op_dim(sl_op_int(call, 1, -1), in->rank, &dim) ||
        in->sizes[dim] % 2 != 0 || !sl_cast_is_float(out->scalar_type))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its dim does not split in halves");
    memcpy(sizes, in->sizes, sizeof(sizes));
    sizes[dim] /= 2;
    r->batch = r->length = 1;
    for (uint32_t d = 0; d < in->rank; d++)
        *(d < dim ? &r->batch : &r->length) *= (size_t)sizes[d];
    rc = sl_tensor_resize(out, in->rank, sizes, diag);
    sl_exact_hold(call, &r->exact, A, in);
    sl_exact_hold(call, &r->exact, OUT, out);
    if (rc == 0 && out->nbytes != 0)
        sl_op_own(call, "sl_glu_f64_scalar", run_glu);
    return rc;
}

const struct sl_op sl_ops_distance[] = {
    {.name = "aten::_cdist_forward.out", .signature = "aanIO", .prepare = prepare_distances},
    {.name = "aten::_pdist_forward.out", .signature = "anO", .prepare = prepare_pairs},
    {.name = "aten::glu.out", .signature = "aiO", .prepare = prepare_glu},
    {0},
};
