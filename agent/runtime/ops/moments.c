/* agent/runtime/ops/moments.c: variances and their means at once, in double precision. */
#include <math.h>

#include "agent/runtime/ops/exact.h"
#include "agent/runtime/ops/fold.h"

enum { IN, VARIANCE, MEAN };

struct moments { /* the call's state */
    struct sl_exact exact;
    uint32_t rank;
    size_t count;                     /* elements of each output */
    double divisor;                   /* of the variance */
    size_t steps[SL_TENSOR_MAX_RANK]; /* in the outputs along the input's dimensions; 0: reduced */
};

/* Adds each element of the input, or the square of what it is off `mean`, where it belongs. */
static void add_all(const struct moments *m, const double *in, const double *mean, double *out)
{
    const struct sl_tensor *tensor = m->exact.tensors[IN];
    int32_t at[SL_TENSOR_MAX_RANK] = {0};
    size_t place = 0;
    for (size_t i = 0, count = sl_tensor_count(tensor); i < count; i++) {
        double off = mean ? in[i] - mean[place] : 0.0;
        out[place] += mean ? off * off : in[i];
        for (uint32_t d = m->rank; d > 0; d--) {
            place += m->steps[d - 1];
            if (++at[d - 1] < tensor->sizes[d - 1])
                break;
            at[d - 1] = 0;
            place -= m->steps[d - 1] * (size_t)tensor->sizes[d - 1];
        }
    }
}

static void run_moments(struct sl_op_call *call)
{
    const struct moments *m = call->state;
    const double *in = sl_exact_read(call, &m->exact, IN);
    double *variance = sl_exact_array(call, &m->exact, VARIANCE);
    double *mean = sl_exact_array(call, &m->exact, MEAN);
    size_t outputs = sl_tensor_count(m->exact.tensors[MEAN]);
    bool defined = m->count != 0 && m->divisor > 0.0;
    for (size_t i = 0; i < outputs; i++)
        variance[i] = mean[i] = defined ? 0.0 : (double)NAN;
    if (defined) {
        add_all(m, in, NULL, mean);
        for (size_t i = 0; i < outputs; i++)
            mean[i] /= (double)m->count;
        add_all(m, in, mean, variance);
        for (size_t i = 0; i < outputs; i++)
            variance[i] /= m->divisor;
    }
    sl_exact_write(call, &m->exact, VARIANCE);
    sl_exact_write(call, &m->exact, MEAN);
}

static int prepare_moments(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc;
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_tensor *const out[2] = {sl_op_tensor(call, 4), sl_op_tensor(call, 5)};
    struct moments *m = sl_exact_new(call, in, sizeof(*m), diag, &rc);
    int32_t sizes[SL_TENSOR_MAX_RANK];
    uint32_t rank = 0;
    unsigned mask = 0;
    if (!m)
        return rc;
    if (m->exact.class != SL_CAST_F64 || !sl_cast_is_float(out[0]->scalar_type) ||
        !sl_cast_is_float(out[1]->scalar_type))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "it is not of floating point");
    rc = sl_fold_mask(call, 1, &mask, diag);
    m->rank = in->rank;
    m->count = 1;
    for (uint32_t d = 0; d < in->rank; d++) {
        bool goes = (mask >> d & 1u) != 0;
        m->count *= goes ? (size_t)in->sizes[d] : 1;
        if (!goes || sl_op_bool(call, 3))
            sizes[rank++] = goes ? 1 : in->sizes[d];
    }
    size_t step = 1;
    for (uint32_t d = in->rank; d > 0; d--)
        if ((mask >> (d - 1) & 1u) == 0) {
            m->steps[d - 1] = step;
            step *= (size_t)in->sizes[d - 1];
        }
    m->divisor = (double)m->count - sl_op_number(call, 2, 1.0);
    sl_exact_hold(call, &m->exact, IN, in);
    for (uint32_t i = 0; i < 2 && rc == 0; i++) {
        rc = sl_tensor_resize(out[i], rank, sizes, diag);
        sl_exact_hold(call, &m->exact, VARIANCE + i, out[i]);
    }
    if (rc == 0 && out[0]->nbytes != 0)
        sl_op_own(call, "sl_moments_f64_scalar", run_moments);
    return rc;
}

const struct sl_op sl_ops_moments[] = {
    {.name = "aten::var_mean.correction_out", .signature = "aVNbOO", .prepare = prepare_moments},
    {0},
};
