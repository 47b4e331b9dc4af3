/* agent/runtime/ops/sample.c: images read at the places that a grid names. */
#include <math.h>

#include "agent/runtime/ops/exact.h"
#include "common/format/scalar_type.h"
#include "kernels/cpu/half.h"

enum { IN, GRID, OUT };
enum { LINEAR, NEAREST, CUBIC }; /* as programs number them */
enum { ZEROS, BORDER, REFLECTION };

/* The call's state. Pairs are of height and width. */
struct sampler {
    struct sl_exact exact;
    int64_t mode, padding;
    size_t batch, channels, in[2], out[2];
    int type; /* of the operands */
    bool aligns;
};

static bool is_inside(int64_t at, size_t size)
{
    return at >= 0 && (uint64_t)at < size;
}

static size_t clip_whole(int64_t at, size_t size)
{
    return at < 0 ? 0 : (uint64_t)at < size ? (size_t)at : size - 1;
}

/* A whole number; those beyond any plane become one that is still outside with its neighbours. */
static int64_t whole(double at)
{
    const double far = 1099511627776.0;
    return at >= far ? (int64_t)far : at >= -far ? (int64_t)at : -(int64_t)far;
}

/* Places of half precision are computed in it, except to blend pixels. */
static float keep(const struct sampler *s, float x)
{
    if (s->mode == LINEAR || s->type == SL_SCALAR_FLOAT)
        return x;
    return s->type == SL_SCALAR_HALF ? sl_half_to_float(sl_half_from_float(x))
                                     : sl_bfloat_to_float(sl_bfloat_from_float(x));
}

#define SL_REAL double
#define SL_TYPED(name) name##_f64
#define SL_KEEP(s, x) ((void)(s), (x))
#define SL_FUNCTION(name) name
#include "agent/runtime/ops/sample_typed.h"
#define SL_REAL float
#define SL_TYPED(name) name##_f32
#define SL_KEEP(s, x) keep(s, x)
#define SL_FUNCTION(name) name##f
#include "agent/runtime/ops/sample_typed.h"

static void run_sample(struct sl_op_call *call)
{
    const struct sampler *s = call->state;
    const double *in = sl_exact_read(call, &s->exact, IN);
    const double *grid = sl_exact_read(call, &s->exact, GRID);
    double *out = sl_exact_array(call, &s->exact, OUT);
    size_t image = s->channels * s->in[0] * s->in[1], places = s->out[0] * s->out[1];
    for (size_t n = 0; n < s->batch; n++)
        (s->type == SL_SCALAR_DOUBLE ? image_f64 : image_f32)(
            s, in + n * image, grid + n * places * 2, out + n * s->channels * places);
    sl_exact_write(call, &s->exact, OUT);
}

static bool read_shapes(struct sampler *s, const struct sl_tensor *in, const struct sl_tensor *grid)
{
    if (in->rank != 4 || grid->rank != 4 || !sl_tensor_contiguous(in) || grid->sizes[3] != 2 ||
        in->sizes[0] != grid->sizes[0] || s->mode < LINEAR || s->mode > CUBIC ||
        s->padding < ZEROS || s->padding > REFLECTION)
        return false;
    s->batch = (size_t)in->sizes[0];
    s->channels = (size_t)in->sizes[1];
    for (uint32_t d = 0; d < 2; d++) {
        s->in[d] = (size_t)in->sizes[2 + d];
        s->out[d] = (size_t)grid->sizes[1 + d];
    }
    return s->in[0] != 0 && s->in[1] != 0;
}

static int prepare_sample(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc;
    const struct sl_tensor *in = sl_op_tensor(call, 0), *grid = sl_op_tensor(call, 1);
    struct sl_tensor *out = sl_op_tensor(call, 5);
    struct sampler *s = sl_exact_new(call, in, sizeof(*s), diag, &rc);
    if (!s)
        return rc;
    s->mode = sl_op_int(call, 2, -1);
    s->padding = sl_op_int(call, 3, -1);
    s->aligns = sl_op_bool(call, 4);
    s->type = in->scalar_type;
    if (s->exact.class != SL_CAST_F64)
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "a grid of integers is not supported");
    if (!read_shapes(s, in, grid))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its operands do not fit together");
    const int32_t sizes[4] = {in->sizes[0], in->sizes[1], grid->sizes[1], grid->sizes[2]};
    rc = sl_tensor_resize(out, 4, sizes, diag);
    sl_exact_hold(call, &s->exact, IN, in);
    sl_exact_hold(call, &s->exact, GRID, grid);
    sl_exact_hold(call, &s->exact, OUT, out);
    if (rc == 0)
        rc = sl_exact_same_type(call, &s->exact, diag);
    if (rc == 0 && out->nbytes != 0)
        sl_op_own(call, "sl_grid_sample_scalar", run_sample);
    return rc;
}

const struct sl_op sl_ops_sample[] = {
    {.name = "aten::grid_sampler_2d.out", .signature = "aaiibO", .prepare = prepare_sample},
    {0},
};
