/* agent/runtime/ops/spectrum.c: complex numbers, and the transforms of lines of real ones into the
 * half of their spectrum that is not the other's mirror image, and back. */
#include <math.h>

#include "agent/runtime/ops/cast.h"
#include "agent/runtime/ops/fourier.h"
#include "agent/runtime/ops/op.h"
#include "common/format/scalar_type.h"

enum { BY_NOTHING, BY_ROOT, BY_COUNT }; /* what a transform is divided by */

struct axis {
    size_t length; /* of the real tensor along it */
    size_t inner;  /* elements from one to the next */
    struct sl_complex *roots;
};

struct spectrum {
    const struct sl_tensor *real, *complex; /* one of them is written */
    sl_cast_load_fn load;
    sl_cast_store_fn store;
    bool back;
    uint32_t axes; /* the last is that of the real lines */
    struct axis axis[SL_TENSOR_MAX_RANK];
    double factor;
    size_t halves;                  /* elements of the spectrum along the last axis */
    size_t count;                   /* all its elements */
    size_t whole, line, work, temp; /* in the workspace: the spectrum; a line, what comes of it */
    struct sl_complex roots[];
};

static struct sl_complex *array(const struct sl_op_call *call, size_t at)
{
    return (struct sl_complex *)(void *)((uint8_t *)call->method->workspace.base + at);
}

/* The first element of line n of those that are `length` long. */
static size_t start_of(const struct axis *a, size_t length, size_t n)
{
    return n / a->inner * a->inner * length + n % a->inner;
}

/* Each line of the whole spectrum along an axis other than the last. */
static void turn_axis(const struct sl_op_call *call, const struct spectrum *s, const struct axis *a)
{
    struct sl_complex *line = array(call, s->line), *turned = array(call, s->work);
    for (size_t n = 0; n < s->count / a->length; n++) {
        struct sl_complex *at = array(call, s->whole) + start_of(a, a->length, n);
        for (size_t i = 0; i < a->length; i++)
            line[i] = at[i * a->inner];
        sl_fourier(a->length, s->back, a->roots, line, turned, array(call, s->temp));
        for (size_t i = 0; i < a->length; i++)
            at[i * a->inner] = turned[i];
    }
}

/* Real lines into the spectrum. */
static void turn_lines(const struct sl_op_call *call, const struct spectrum *s)
{
    const struct axis *a = &s->axis[s->axes - 1];
    struct sl_complex *line = array(call, s->line), *turned = array(call, s->work);
    double *numbers = &turned->re;
    size_t bytes = s->real->element_bytes;
    for (size_t n = 0; n < s->count / s->halves; n++) {
        struct sl_complex *to = array(call, s->whole) + start_of(a, s->halves, n);
        s->load(s->real->data + start_of(a, a->length, n) * bytes, (ptrdiff_t)(a->inner * bytes),
                a->length, numbers);
        for (size_t i = 0; i < a->length; i++)
            line[i] = (struct sl_complex){numbers[i], 0.0};
        sl_fourier(a->length, false, a->roots, line, turned, array(call, s->temp));
        for (size_t i = 0; i < s->halves; i++)
            to[i * a->inner] = turned[i];
    }
}

/* And back: the other half is the mirror image; what must be real is taken for that. */
static void turn_halves(const struct sl_op_call *call, const struct spectrum *s)
{
    const struct axis *a = &s->axis[s->axes - 1];
    struct sl_complex *line = array(call, s->line), *turned = array(call, s->work);
    double *numbers = &line->re;
    size_t bytes = s->real->element_bytes;
    for (size_t n = 0; n < s->count / s->halves; n++) {
        const struct sl_complex *from = array(call, s->whole) + start_of(a, s->halves, n);
        for (size_t i = 0; i < a->length; i++) {
            bool mirrored = i > a->length / 2, real = i == 0 || 2 * i == a->length;
            line[i] = from[(mirrored ? a->length - i : i) * a->inner];
            line[i].im = real ? 0.0 : mirrored ? -line[i].im : line[i].im;
        }
        sl_fourier(a->length, true, a->roots, line, turned, array(call, s->temp));
        for (size_t i = 0; i < a->length; i++)
            numbers[i] = turned[i].re * s->factor;
        s->store(numbers, a->length, s->real->data + start_of(a, a->length, n) * bytes,
                 (ptrdiff_t)(a->inner * bytes));
    }
}

static void run_forward(struct sl_op_call *call)
{
    const struct spectrum *s = call->state;
    double *numbers = &array(call, s->whole)->re;
    turn_lines(call, s);
    for (uint32_t i = 0; i + 1 < s->axes; i++)
        turn_axis(call, s, &s->axis[i]);
    for (size_t i = 0; i < 2 * s->count; i++)
        numbers[i] *= s->factor;
    s->store(numbers, 2 * s->count, s->complex->data, (ptrdiff_t)s->real->element_bytes);
}

static void run_back(struct sl_op_call *call)
{
    const struct spectrum *s = call->state;
    s->load(s->complex->data, (ptrdiff_t)s->real->element_bytes, 2 * s->count,
            array(call, s->whole));
    for (uint32_t i = 0; i + 1 < s->axes; i++)
        turn_axis(call, s, &s->axis[i]);
    turn_halves(call, s);
}

/* The type of the two numbers that one of a complex type has; -1 for another type. */
static int part_type(int scalar_type)
{
    return scalar_type == SL_SCALAR_COMPLEX32    ? SL_SCALAR_HALF
           : scalar_type == SL_SCALAR_COMPLEX64  ? SL_SCALAR_FLOAT
           : scalar_type == SL_SCALAR_COMPLEX128 ? SL_SCALAR_DOUBLE
                                                 : -1;
}

/* The axes of argument 1, each once: how many, or -1. */
static int read_axes(const struct sl_op_call *call, uint32_t rank, int64_t *out)
{
    int count = sl_op_ints(call, 1, out, SL_TENSOR_MAX_RANK);
    for (int i = 0; i < count; i++) {
        if (out[i] < 0 || out[i] >= rank)
            return -1;
        for (int k = 0; k < i; k++)
            if (out[k] == out[i])
                return -1;
    }
    return count > 0 ? count : -1;
}

/* The plan for the axes in `dims`, of a spectrum that has its sizes; NULL over the memory limit. */
static struct spectrum *lay_out(struct sl_op_call *call, const struct sl_tensor *real,
                                const struct sl_tensor *complex, int axes, const int64_t *dims)
{
    size_t roots = 0, longest = 0, work = 0, elements = 1;
    for (int i = 0; i < axes; i++) {
        size_t length = (size_t)real->sizes[dims[i]], factor = sl_fourier_workspace(length);
        roots += length;
        elements *= length;
        longest = length > longest ? length : longest;
        work = factor > work ? factor : work;
    }
    struct spectrum *s = sl_op_state(call, sizeof(*s) + roots * sizeof(s->roots[0]));
    if (!s)
        return NULL;
    *s = (struct spectrum){.real = real, .complex = complex, .axes = (uint32_t)axes};
    s->halves = (size_t)complex->sizes[dims[axes - 1]];
    s->count = sl_tensor_count(complex);
    s->whole = sl_ref_scratch(call, s->count * sizeof(struct sl_complex)).offset;
    s->line = sl_ref_scratch(call, longest * sizeof(struct sl_complex)).offset;
    s->work = sl_ref_scratch(call, longest * sizeof(struct sl_complex)).offset;
    s->temp = sl_ref_scratch(call, work * sizeof(struct sl_complex)).offset;
    roots = 0;
    for (int i = 0; i < axes; i++) {
        struct axis *a = &s->axis[i];
        *a = (struct axis){(size_t)real->sizes[dims[i]], 1, s->roots + roots};
        for (uint32_t d = (uint32_t)dims[i] + 1; d < real->rank; d++)
            a->inner *= (size_t)complex->sizes[d];
        sl_fourier_roots(a->length, a->roots);
        roots += a->length;
    }
    int64_t by = sl_op_int(call, 2, BY_NOTHING);
    s->factor = by == BY_COUNT  ? 1.0 / (double)elements
                : by == BY_ROOT ? 1.0 / sqrt((double)elements)
                                : 1.0;
    return s;
}

static int refuse(struct sl_op_call *call, struct sl_diag *diag)
{
    return sl_op_fail(call, diag, SL_ET_INVALID_ARGUMENT,
                      "its tensors, dims or normalization do not fit together");
}

/* `resized` is the one that is written; along the last axis it has `last` elements, of the spectrum
 * or of the lines, or with 0 as many of the spectrum as there must be. */
static int prepare_spectrum(struct sl_op_call *call, struct sl_tensor *real,
                            struct sl_tensor *complex, int64_t last, struct sl_diag *diag)
{
    bool back = last != 0;
    struct sl_tensor *from = back ? complex : real, *to = back ? real : complex;
    int64_t dims[SL_TENSOR_MAX_RANK], by = sl_op_int(call, 2, -1);
    int32_t sizes[SL_TENSOR_MAX_RANK];
    int axes = read_axes(call, from->rank, dims);
    if (axes < 0 || by < BY_NOTHING || by > BY_COUNT || last < 0 || last > INT32_MAX ||
        part_type(complex->scalar_type) != real->scalar_type ||
        real->scalar_type == SL_SCALAR_HALF || !sl_tensor_contiguous(from))
        return refuse(call, diag);
    for (uint32_t d = 0; d < from->rank; d++)
        sizes[d] = from->sizes[d];
    int32_t *along = &sizes[dims[axes - 1]];
    if (back && *along != last / 2 + 1)
        return refuse(call, diag);
    *along = back ? (int32_t)last : *along / 2 + 1;
    int rc = sl_tensor_resize(to, from->rank, sizes, diag);
    if (rc != 0)
        return rc;
    if (!sl_tensor_contiguous(to))
        return refuse(call, diag);
    if (real->nbytes == 0)
        return 0;
    struct spectrum *s = lay_out(call, real, complex, axes, dims);
    if (!s)
        return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    s->back = back;
    s->load = sl_cast_load(SL_CAST_F64, real->scalar_type);
    s->store = sl_cast_store(SL_CAST_F64, real->scalar_type);
    sl_op_own(call, "sl_fourier_f64_scalar", back ? run_back : run_forward);
    return 0;
}

static int prepare_forward(struct sl_op_call *call, struct sl_diag *diag)
{
    if (!sl_op_bool(call, 3))
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "both halves of a spectrum are asked");
    return prepare_spectrum(call, sl_op_tensor(call, 0), sl_op_tensor(call, 4), 0, diag);
}

static int prepare_back(struct sl_op_call *call, struct sl_diag *diag)
{
    int64_t last = sl_op_int(call, 3, 0);
    if (last < 1)
        return refuse(call, diag);
    return prepare_spectrum(call, sl_op_tensor(call, 4), sl_op_tensor(call, 0), last, diag);
}

struct parts {
    const struct sl_tensor *in, *out;
    bool mirrored; /* what is imaginary changes its sign */
    sl_cast_load_fn load;
    sl_cast_store_fn store;
    ptrdiff_t from, to; /* bytes of the numbers */
};

static void run_parts(struct sl_op_call *call)
{
    const struct parts *p = call->state;
    double block[SL_CAST_BLOCK];
    size_t left = 2 * sl_tensor_count(p->in);
    const uint8_t *in = p->in->data;
    uint8_t *out = p->out->data;
    for (size_t count; left != 0; left -= count) {
        count = left < SL_CAST_BLOCK ? left : SL_CAST_BLOCK;
        p->load(in, p->from, count, block);
        for (size_t i = 1; p->mirrored && i < count; i += 2)
            block[i] = -block[i];
        p->store(block, count, out, p->to);
        in += (ptrdiff_t)count * p->from;
        out += (ptrdiff_t)count * p->to;
    }
}

/* The numbers of the complex input, in the type `to` has for its own. */
static int add_parts(struct sl_op_call *call, bool mirrored, int to, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0), *out = sl_op_tensor(call, 1);
    int from = part_type(in->scalar_type);
    struct parts *p = sl_op_state(call, sizeof(*p));
    if (!p)
        return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED, "no memory for its plan");
    *p = (struct parts){.in = in, .out = out, .mirrored = mirrored};
    p->load = sl_cast_load(SL_CAST_F64, from);
    p->store = sl_cast_store(SL_CAST_F64, to);
    if (!p->load || !p->store || !sl_cast_is_float(to))
        return sl_op_fail(call, diag, SL_ET_NOT_SUPPORTED, "its element types are not supported");
    if (!sl_tensor_contiguous(in) || !sl_tensor_contiguous(out))
        return refuse(call, diag);
    p->from = (ptrdiff_t)sl_scalar_size(from);
    p->to = (ptrdiff_t)sl_scalar_size(to);
    if (in->nbytes != 0)
        sl_op_own(call, "sl_complex_scalar", run_parts);
    return 0;
}

static int prepare_as_real(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_tensor *out = sl_op_tensor(call, 1);
    int32_t sizes[SL_TENSOR_MAX_RANK] = {0};
    if (in->rank == SL_TENSOR_MAX_RANK)
        return refuse(call, diag);
    for (uint32_t d = 0; d < in->rank; d++)
        sizes[d] = in->sizes[d];
    sizes[in->rank] = 2;
    int rc = sl_tensor_resize(out, in->rank + 1, sizes, diag);
    return rc != 0 ? rc : add_parts(call, false, out->scalar_type, diag);
}

static int prepare_conjugate(struct sl_op_call *call, struct sl_diag *diag)
{
    const struct sl_tensor *in = sl_op_tensor(call, 0);
    struct sl_tensor *out = sl_op_tensor(call, 1);
    if (in->scalar_type != out->scalar_type)
        return refuse(call, diag);
    int rc = sl_tensor_resize(out, in->rank, in->sizes, diag);
    return rc != 0 ? rc : add_parts(call, true, part_type(in->scalar_type), diag);
}

const struct sl_op sl_ops_spectrum[] = {
    {.name = "aten::_fft_r2c.out", .signature = "avibO", .prepare = prepare_forward},
    {.name = "aten::_fft_c2r.out", .signature = "aviiO", .prepare = prepare_back},
    {.name = "aten::view_as_real_copy.out", .signature = "aO", .prepare = prepare_as_real},
    {.name = "aten::_conj_physical.out",
     .signature = "aO",
     .in_place = true,
     .prepare = prepare_conjugate},
    {0},
};
