/* agent/runtime/ops/exact_plane.c: pooling and resizing of integers and of doubles; resizing that
 * smooths, of all types. */
#include <math.h>
#include <string.h>

#include "agent/runtime/ops/exact.h"
#include "common/format/scalar_type.h"

#pragma STDC FP_CONTRACT OFF /* a sum that is cut to an integer must not be a more exact one */

enum { IN, OUT };
enum { MEAN, ADAPTIVE, BILINEAR, NEAREST, SMOOTH, MAXIMUM };

/* The call's state. Pairs are of height and width. */
struct planes {
    struct sl_exact exact, index;
    int kind;
    size_t count, in[2], out[2], kernel[2], stride[2], padding[2], dilation[2];
    bool rounds_up, counts_padding, aligns;
    int64_t divisor; /* 0: the window's own */
    float scale[2];  /* input pixels for an output pixel */
};

/* Returns the place in the input of tap k of window i; the tap must be inside. */
static size_t place(const struct planes *p, int d, size_t i, size_t k)
{
    return i * p->stride[d] + k * p->dilation[d] - p->padding[d];
}

/* Taps of window i that lie inside the input, however long the window is. */
static void taps_of(const struct planes *p, int d, size_t i, size_t *out_first, size_t *out_end)
{
    size_t start = i * p->stride[d], pad = p->padding[d], step = p->dilation[d];
    size_t end = p->in[d] + pad > start ? (p->in[d] + pad - start + step - 1) / step : 0;
    *out_first = pad > start ? (pad - start + step - 1) / step : 0;
    *out_end = end < p->kernel[d] ? end : p->kernel[d];
}

struct span {
    size_t first, end, padded; /* padded: how long it is where padding counts */
};

static struct span span_of(const struct planes *p, int d, size_t i)
{
    size_t low = i * p->stride[d], high = low + p->kernel[d], pad = p->padding[d];
    size_t most = p->in[d] + 2 * pad;
    high = high < most ? high : most;
    struct span s = {.padded = high - low};
    s.first = low > pad ? low - pad : 0;
    s.end = high > pad ? high - pad : 0;
    s.end = s.end < p->in[d] ? s.end : p->in[d];
    s.first = s.first < s.end ? s.first : s.end;
    return s;
}

static struct span adapted(const struct planes *p, int d, size_t i)
{
    return (struct span){.first = i * p->in[d] / p->out[d],
                         .end = ((i + 1) * p->in[d] + p->out[d] - 1) / p->out[d]};
}

/* Two input pixels and their weights. */
struct blend {
    size_t first, last;
    float before, after;
};

static struct blend blend_of(const struct planes *p, int d, size_t i)
{
    if (p->in[d] == p->out[d])
        return (struct blend){i, i, 1.0f, 0.0f};
    float at = p->scale[d] * (p->aligns ? (float)i : (float)i + 0.5f) - (p->aligns ? 0.0f : 0.5f);
    at = at < 0.0f ? 0.0f : at;
    size_t first = (size_t)floorf(at);
    first = first < p->in[d] ? first : p->in[d] - 1;
    float after = at - (float)first;
    after = after < 0.0f ? 0.0f : after > 1.0f ? 1.0f : after;
    return (struct blend){first, first + (first + 1 < p->in[d]), 1.0f - after, after};
}

static size_t nearest(const struct planes *p, int d, size_t i)
{
    size_t at = (size_t)floorf((float)i * p->scale[d]);
    return at < p->in[d] ? at : p->in[d] - 1;
}

/* The input pixels under a filter that falls off linearly from `centre`. */
struct cover {
    size_t first, end;
    float centre, inverse, total; /* total 0: one pixel alone */
};

static float slope(const struct cover *c, size_t i)
{
    float x = fabsf(((float)i - c->centre + 0.5f) * c->inverse);
    return x < 1.0f ? 1.0f - x : 0.0f;
}

static struct cover cover_of(const struct planes *p, int d, size_t i)
{
    float scale = p->scale[d], reach = scale >= 1.0f ? scale : 1.0f;
    struct cover c = {.centre = scale * ((float)i + 0.5f), .inverse = 1.0f / reach};
    float low = c.centre - reach + 0.5f, high = c.centre + reach + 0.5f;
    c.first = low > 0.0f ? (size_t)low : 0;
    c.end = high < (float)p->in[d] ? (size_t)high : p->in[d];
    for (size_t k = c.first; k < c.end; k++)
        c.total += slope(&c, k);
    if (c.total <= 0.0f) {
        c.total = 0.0f;
        c.first = c.centre < (float)p->in[d] ? (size_t)c.centre : p->in[d] - 1;
        c.first = c.first < p->in[d] ? c.first : p->in[d] - 1;
        c.end = c.first + 1;
    }
    return c;
}

static float share(const struct cover *c, size_t i)
{
    return c->total > 0.0f ? slope(c, i) / c->total : 1.0f;
}

/* The loops' arithmetic. Integers wrap modulo 2^64 and never meet C's undefined overflow. */
static double add_f64(double a, double b)
{
    return a + b;
}

static int64_t add_i64(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static double part_f64(double sum, int64_t count)
{
    return sum / (double)count;
}

static int64_t part_i64(int64_t sum, int64_t count)
{
    return count == -1 ? (int64_t)(0 - (uint64_t)sum) : sum / count;
}

static double whole_f64(double number)
{
    return number;
}

static int64_t whole_i64(float number)
{
    return sl_cast_to_int((double)number);
}

#define SL_NUMBER double
#define SL_REAL double
#define SL_TYPED(name) name##_f64
#include "agent/runtime/ops/exact_plane_typed.h"
#define SL_NUMBER int64_t
#define SL_REAL float
#define SL_TYPED(name) name##_i64
#include "agent/runtime/ops/exact_plane_typed.h"

static int invalid(struct sl_op_call *call, struct sl_diag *diag)
{
    return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its sizes are not valid");
}

static struct planes *begin(struct sl_op_call *call, int kind, struct sl_diag *diag, int *rc)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct planes *p = sl_exact_new(call, in, sizeof(*p), diag, rc);
    if (p &&
        (in->rank < 3 || in->rank > 4 || (in->rank == 3 && kind >= BILINEAR && kind != MAXIMUM)))
        *rc = invalid(call, diag);
    bool sums = kind == MEAN || kind == ADAPTIVE;
    if (*rc == 0 && sums && p->exact.class == SL_CAST_I64 && in->scalar_type != SL_SCALAR_LONG)
        *rc = sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                         "means are of floating point or of Long");
    if (*rc != 0)
        return NULL;
    p->kind = kind;
    for (uint32_t d = 0; d < 2; d++) {
        p->in[d] = (size_t)in->sizes[in->rank - 2 + d];
        p->stride[d] = p->dilation[d] = 1;
    }
    p->count = 1;
    for (uint32_t d = 0; d + 2 < in->rank; d++)
        p->count *= (size_t)in->sizes[d];
    *rc = p->in[0] == 0 || p->in[1] == 0 ? invalid(call, diag) : 0;
    return *rc == 0 ? p : NULL;
}

static int finish(struct sl_op_call *call, struct planes *p, uint32_t arg, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_tensor *out = sl_op_tensor(call, arg);
    struct sl_tensor *index = p->kind == MAXIMUM ? sl_op_tensor(call, arg + 1) : NULL;
    int32_t sizes[4];
    if (p->out[0] == 0 || p->out[1] == 0 || p->out[0] > INT32_MAX || p->out[1] > INT32_MAX)
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its output would be empty");
    memcpy(sizes, in->sizes, in->rank * sizeof(*sizes));
    sizes[in->rank - 2] = (int32_t)p->out[0];
    sizes[in->rank - 1] = (int32_t)p->out[1];
    int rc = sl_tensor_resize(out, in->rank, sizes, diag);
    if (rc == 0 && index)
        rc = sl_tensor_resize(index, in->rank, sizes, diag);
    sl_exact_hold(call, &p->exact, IN, in);
    sl_exact_hold(call, &p->exact, OUT, out);
    p->index.class = SL_CAST_I64;
    if (index)
        sl_exact_hold(call, &p->index, OUT, index);
    if (rc == 0)
        rc = sl_exact_same_type(call, &p->exact, diag);
    if (rc == 0 && p->count != 0)
        sl_op_own(call,
                  p->exact.class == SL_CAST_F64 ? "sl_planes_f64_scalar" : "sl_planes_i64_scalar",
                  p->exact.class == SL_CAST_F64 ? run_f64 : run_i64);
    return rc;
}

/* Both numbers of a list of one or two in [low, INT32_MAX]; an empty list leaves them. */
static bool read_pair(const struct sl_op_call *call, uint32_t arg, int64_t low, size_t *out)
{
    int64_t numbers[2];
    int count = sl_op_ints(call, arg, numbers, 2);
    for (int d = 0; d < 2 && count > 0; d++) {
        int64_t number = numbers[d < count ? d : 0];
        if (number < low || number > INT32_MAX)
            return false;
        out[d] = (size_t)number;
    }
    return count >= 0;
}

/* Windows along each dimension; none where padding is more than half of one. */
static bool count_windows(struct planes *p)
{
    for (int d = 0; d < 2; d++) {
        size_t extent = (p->kernel[d] - 1) * p->dilation[d], room = p->in[d] + 2 * p->padding[d];
        if (p->padding[d] > p->kernel[d] / 2 || extent >= room)
            return false;
        p->out[d] = (room - extent - 1 + (p->rounds_up ? p->stride[d] - 1 : 0)) / p->stride[d] + 1;
        if (p->rounds_up && (p->out[d] - 1) * p->stride[d] >= p->in[d] + p->padding[d])
            p->out[d]--;
    }
    return true;
}

static bool read_windows(const struct sl_op_call *call, struct planes *p)
{
    if (!read_pair(call, 1, 1, p->kernel) || p->kernel[0] == 0)
        return false;
    memcpy(p->stride, p->kernel, sizeof(p->stride));
    return read_pair(call, 2, 1, p->stride) && read_pair(call, 3, 0, p->padding);
}

static int prepare_mean(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc;
    struct planes *p = begin(call, MEAN, diag, &rc);
    if (!p)
        return rc;
    p->rounds_up = sl_op_bool(call, 4);
    p->counts_padding = sl_op_bool(call, 5);
    p->divisor = sl_op_int(call, 6, 0);
    return read_windows(call, p) && count_windows(p) ? finish(call, p, 7, diag)
                                                     : invalid(call, diag);
}

static int prepare_maximum(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc;
    struct planes *p = begin(call, MAXIMUM, diag, &rc);
    if (!p)
        return rc;
    p->rounds_up = sl_op_bool(call, 5);
    return read_windows(call, p) && read_pair(call, 4, 1, p->dilation) && count_windows(p)
               ? finish(call, p, 6, diag)
               : invalid(call, diag);
}

static int prepare_adaptive(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc;
    struct planes *p = begin(call, ADAPTIVE, diag, &rc);
    if (!p)
        return rc;
    return read_pair(call, 1, 1, p->out) ? finish(call, p, 2, diag) : invalid(call, diag);
}

/* Output sizes from the list at argument 1, or by these factors; what a pixel spans. */
static bool read_resize(const struct sl_op_call *call, struct planes *p, const double *factors)
{
    if (!read_pair(call, 1, 1, p->out))
        return false;
    for (int d = 0; d < 2; d++) {
        double in = (double)p->in[d], factor = factors ? factors[d] : 0.0;
        if (p->out[d] == 0 && factor > 0.0 && factor * in < INT32_MAX)
            p->out[d] = (size_t)(factor * in);
        if (p->out[d] == 0)
            return false;
        double out = (double)p->out[d];
        p->scale[d] = (float)(1.0 / (factors ? factor : out / in));
        if (p->aligns)
            p->scale[d] = p->out[d] > 1 ? (float)((in - 1.0) / (out - 1.0)) : 0.0f;
        if (!(p->scale[d] >= 0.0f && p->scale[d] <= (float)INT32_MAX))
            return false;
    }
    return true;
}

/* `at`: the argument of factors, before that of the output. */
static int resize(struct sl_op_call *call, int kind, uint32_t at, struct sl_diag *diag)
{
    int rc;
    const struct sl_method_value *factors = &call->method->values[call->args[at]];
    bool scaled = factors->kind == SL_PTE_DOUBLE_LIST && factors->list->list.count == 2;
    struct planes *p = begin(call, kind, diag, &rc);
    if (!p)
        return rc;
    p->aligns = kind == BILINEAR && sl_op_bool(call, 2);
    if (!read_resize(call, p, scaled ? factors->list->list.doubles : NULL))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its output size is not valid");
    return finish(call, p, at + 1, diag);
}

static int prepare_bilinear(struct sl_op_call *call, struct sl_diag *diag)
{
    return resize(call, BILINEAR, 3, diag);
}

static int prepare_nearest(struct sl_op_call *call, struct sl_diag *diag)
{
    return resize(call, NEAREST, 2, diag);
}

static int prepare_smooth(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc;
    double factors[2] = {sl_op_number(call, 3, 0.0), sl_op_number(call, 4, 0.0)};
    struct planes *p = begin(call, SMOOTH, diag, &rc);
    if (!p)
        return rc;
    p->aligns = sl_op_bool(call, 2);
    if (!read_resize(call, p, factors[0] > 0.0 && factors[1] > 0.0 ? factors : NULL))
        return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT, "its output size is not valid");
    return finish(call, p, 5, diag);
}

#define PLANES(id, letters, fn) {.name = "aten::" id, .signature = letters, .prepare = fn}
const struct sl_op sl_ops_exact_plane[] = {
    PLANES("avg_pool2d.out", "avvvbbIO", prepare_mean),
    PLANES("_adaptive_avg_pool2d.out", "avO", prepare_adaptive),
    PLANES("upsample_bilinear2d.vec_out", "aVbdO", prepare_bilinear),
    PLANES("upsample_nearest2d.vec_out", "aVdO", prepare_nearest),
    PLANES("_upsample_bilinear2d_aa.out", "avbNNO", prepare_smooth),
    PLANES("max_pool2d_with_indices.out", "avvvvbOl", prepare_maximum),
    {0},
};
