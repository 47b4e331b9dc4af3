/* host/analysis/workload_stand_in.c */
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/format/operands.h"
#include "host/analysis/workload.h"
#include "host/analysis/workload_parts.h"

enum { MAX_WINDOW = 9 };
enum like { LIKE_UNARY, LIKE_BINARY, LIKE_FOLD, LIKE_ROWS };

/* What stands for an operator of the portable library or of XNNPACK's graphs that has no kernel of
 * its own: the kernel's operation, over as many elements. Copies move what the cheapest unary one
 * moves. */
static const struct {
    const char *origin;
    enum like like;
    const char *op;
} stand_ins[] = {
    {"aten::log1p.out", LIKE_UNARY, "log"},
    {"aten::erf.out", LIKE_UNARY, "gelu"},
    {"aten::gelu.out", LIKE_UNARY, "gelu"},
    {"aten::expm1.out", LIKE_UNARY, "exp"},
    {"aten::round.out", LIKE_UNARY, "floor"},
    {"aten::sin.out", LIKE_UNARY, "tanh"},
    {"aten::cos.out", LIKE_UNARY, "tanh"},
    {"aten::reciprocal.out", LIKE_BINARY, "divide"},
    {"aten::pow.Tensor_Scalar_out", LIKE_BINARY, "multiply"},
    {"aten::remainder.Scalar_out", LIKE_BINARY, "divide"},
    {"aten::fmod.Scalar_out", LIKE_BINARY, "divide"},
    {"aten::div.out", LIKE_BINARY, "divide"},
    {"aten::div.out_mode", LIKE_BINARY, "divide"},
    {"aten::mul.out", LIKE_BINARY, "multiply"},
    {"aten::mul.Scalar_out", LIKE_BINARY, "multiply"},
    {"aten::add.out", LIKE_BINARY, "add"},
    {"aten::sub.out", LIKE_BINARY, "subtract"},
    {"aten::where.self_out", LIKE_BINARY, "maximum"},
    {"aten::cumsum.out", LIKE_BINARY, "add"},
    {"aten::upsample_nearest2d.vec_out", LIKE_UNARY, "abs"},
    {"aten::upsample_bilinear2d.vec_out", LIKE_BINARY, "add"},
    {"aten::sum.IntList_out", LIKE_FOLD, "mean"},
    {"aten::mean.out", LIKE_FOLD, "mean"},
    {"aten::mean.dim_out", LIKE_FOLD, "mean"},
    {"aten::amin.out", LIKE_FOLD, "mean"},
    {"aten::amax.out", LIKE_FOLD, "mean"},
    {"aten::prod.int_out", LIKE_FOLD, "mean"},
    {"aten::any.out", LIKE_FOLD, "mean"},
    {"aten::argmax.out", LIKE_FOLD, "mean"},
    {"aten::argmin.out", LIKE_FOLD, "mean"},
    {"aten::var.correction_out", LIKE_FOLD, "mean"},
    {"aten::_softmax.out", LIKE_ROWS, "softmax"},
    {"aten::_log_softmax.out", LIKE_ROWS, "softmax"},
    {"aten::native_layer_norm.out", LIKE_ROWS, "layer_norm"},
    {"aten::native_group_norm.out", LIKE_ROWS, "layer_norm"},
};

/* Beginnings of names: what only moves elements, then what compares or combines bits. */
static const char *const copies[] = {"dim_order_ops::",    "aten::expand_copy",
                                     "aten::view_copy",    "aten::slice_copy",
                                     "aten::select_copy",  "aten::unsqueeze_copy",
                                     "aten::squeeze_copy", "aten::permute_copy",
                                     "aten::clone",        "aten::cat.",
                                     "aten::stack.",       "aten::flip.",
                                     "aten::gather.",      "aten::index.",
                                     "aten::index_select", "aten::index_put",
                                     "aten::repeat.",      "aten::constant_pad",
                                     "aten::embedding.",   "aten::split_with_sizes",
                                     "aten::split_copy",   "aten::full",
                                     "aten::arange",       "aten::scalar_tensor",
                                     "aten::t_copy",       "aten::transpose_copy",
                                     "aten::copy",         "Copy",
                                     "Concatenate",        "EvenSplit",
                                     "StaticSlice",        "StaticConstantPad",
                                     "StaticReshape",      "StaticTranspose",
                                     "StaticExpandDims",   "StaticResize"};
static const char *const simple[] = {"aten::gt.", "aten::ge.",  "aten::lt.",      "aten::le.",
                                     "aten::eq.", "aten::ne.",  "aten::bitwise_", "aten::logical_",
                                     "aten::abs", "aten::neg.", "aten::sign.",    "aten::clamp."};

static bool begins_with_one(const char *origin, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(origin, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

__attribute__((format(printf, 3, 4))) static void put(struct sl_workload *work, uint64_t times,
                                                      const char *format, ...);

static void put(struct sl_workload *work, uint64_t times, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int len = vsnprintf(work->bench, SL_WORKLOAD_BENCH_BYTES, format, values);
    va_end(values);
    sl_workload_put(work, times, len);
    work->stands_in = work->times > 0;
}

/* OUTERxREDUCEDxINNER: the dimensions that are gone or 1 in the output. Where the output has lost
 * them all, or the place is not clear, rows of what is folded. */
static void put_fold(const struct sl_operands *s, const char *type, const char *op,
                     struct sl_workload *work)
{
    const struct sl_dims *in = &s->in[0], *out = &s->out;
    uint64_t all = sl_dims_count(in), kept = sl_dims_count(out), inner = 1;
    uint32_t at = in->rank, of = out->rank;
    if (s->count == 0 || kept == 0 || all < kept || all % kept != 0)
        return;
    while (at > 0 && of > 0 && in->of[at - 1] == out->of[of - 1] && inner < kept)
        inner *= in->of[--at], of--;
    inner = kept % inner == 0 ? inner : 1;
    put(work, 1, "%sreduce:%s-%" PRIu64 "x%" PRIu64 "x%" PRIu64, type, op, kept / inner, all / kept,
        inner);
}

static void put_like(enum like like, const char *op, const struct sl_operands *s, const char *type,
                     struct sl_workload *work)
{
    uint64_t count = sl_dims_count(&s->out);
    uint64_t row = s->out.rank > 0 ? s->out.of[s->out.rank - 1] : 1;
    if (like == LIKE_FOLD)
        put_fold(s, type, op, work);
    else if (like == LIKE_ROWS)
        put(work, 1, "%sreduce:%s-%" PRIu64 "x%" PRIu64 "x1", type, op, count / row, row);
    else
        put(work, 1, "%s%s:%s-%" PRIu64, type, like == LIKE_UNARY ? "unary" : "binary", op, count);
}

/* One sample of [n][channels][height][width], or of [n][height][width][channels]. */
struct image {
    uint64_t n, channels;
    uint32_t size[2];
};

static bool read_image(const struct sl_dims *dims, bool channels_first, struct image *out)
{
    if (dims->rank != 4)
        return false;
    *out = channels_first ? (struct image){dims->of[0], dims->of[1], {dims->of[2], dims->of[3]}}
                          : (struct image){dims->of[0], dims->of[3], {dims->of[1], dims->of[2]}};
    return out->channels > 0;
}

/* The window is not among the operands: the smallest square one that takes one size to the other.
 */
static void put_pool(const struct sl_operands *s, const char *type, const char *op,
                     struct sl_workload *work)
{
    struct image in, out;
    if (s->count < 1 || !read_image(&s->in[0], true, &in) || !read_image(&s->out, true, &out) ||
        out.size[0] == 0 || out.size[1] == 0)
        return;
    for (uint32_t k = 2; k <= MAX_WINDOW; k++) {
        uint32_t window[2] = {k, k};
        uint64_t stride, padding;
        if (!sl_workload_stride(in.size, out.size, window, &stride, &padding))
            continue;
        put(work, in.n,
            "%spool:%s-%" PRIu32 "x%" PRIu32 "x%" PRIu64 "-%" PRIu32 "x%" PRIu32 "-s%" PRIu64
            "-p%" PRIu64,
            type, op, in.size[0], in.size[1], in.channels, k, k, stride, padding);
        return;
    }
    put_fold(s, type, "mean", work); /* windows of several sizes */
}

/* A convolution of `groups`, each as one of its own; one that goes back as one with as many
 * multiply-accumulates at the input's size. */
static void put_groups(const struct image *in, const struct image *out, const uint32_t window[2],
                       uint64_t groups, const char *type, struct sl_workload *work)
{
    uint64_t stride, padding, in_group = in->channels / groups, out_group = out->channels / groups;
    if (in_group == 0 || out_group == 0)
        return;
    if (!sl_workload_stride(in->size, out->size, window, &stride, &padding)) {
        stride = 1;
        padding = (window[0] < window[1] ? window[0] : window[1]) / 2;
    }
    if (in_group == 1 && out_group == 1 && groups > 1) {
        put(work, in->n,
            "%sdepthwise:%" PRIu32 "x%" PRIu32 "x%" PRIu64 "-%" PRIu32 "x%" PRIu32 "-s%" PRIu64
            "-p%" PRIu64,
            type, in->size[0], in->size[1], in->channels, window[0], window[1], stride, padding);
        return;
    }
    put(work, in->n * groups,
        "%sconv:%" PRIu32 "x%" PRIu32 "x%" PRIu64 "-%" PRIu64 "-%" PRIu32 "x%" PRIu32 "-s%" PRIu64
        "-p%" PRIu64,
        type, in->size[0], in->size[1], in_group, out_group, window[0], window[1], stride, padding);
}

/* Makes images of height 1 out of one dimension. */
static struct sl_dims with_height(const struct sl_dims *dims)
{
    struct sl_dims made = *dims;
    if (dims->rank == 3)
        made = (struct sl_dims){4, {dims->of[0], dims->of[1], 1, dims->of[2]}};
    return made;
}

/* Weights stand as [out][in of a group][height][width] (first), or [out][height][width][in of a
 * group]; of those that go back the first is the input's channels. */
static void put_convolution(const struct sl_operands *s, bool first, const char *type,
                            struct sl_workload *work)
{
    struct image in, out;
    if (s->count < 2)
        return;
    struct sl_dims weights = with_height(&s->in[1]), from = with_height(&s->in[0]),
                   to = with_height(&s->out);
    if (weights.rank != 4 || !read_image(&from, first, &in) || !read_image(&to, first, &out))
        return;
    uint32_t window[2] = {weights.of[first ? 2 : 1], weights.of[first ? 3 : 2]};
    uint64_t inner = weights.of[first ? 1 : 3];
    bool back = weights.of[0] != out.channels && weights.of[0] == in.channels;
    uint64_t channels = back ? out.channels : in.channels;
    if (inner == 0 || channels % inner != 0 || window[0] == 0 || window[1] == 0)
        return;
    put_groups(&in, &out, window, channels / inner, type, work);
}

void sl_workload_stand_in(const char *origin, const struct sl_operands *s, const char *type,
                          struct sl_workload *work)
{
    if (strcmp(origin, "aten::convolution.out") == 0)
        put_convolution(s, true, type, work);
    else if (strcmp(origin, "Conv2d") == 0)
        put_convolution(s, false, type, work);
    else if (strstr(origin, "max_pool2d"))
        put_pool(s, type, "max", work);
    else if (strstr(origin, "avg_pool2d"))
        put_pool(s, type, "average", work);
    else if (begins_with_one(origin, copies, sizeof(copies) / sizeof(copies[0])))
        put_like(LIKE_UNARY, "abs", s, type, work);
    else if (begins_with_one(origin, simple, sizeof(simple) / sizeof(simple[0])))
        put_like(s->count > 1 ? LIKE_BINARY : LIKE_UNARY, s->count > 1 ? "maximum" : "abs", s, type,
                 work);
    for (size_t i = 0; i < sizeof(stand_ins) / sizeof(stand_ins[0]) && work->times == 0; i++)
        if (strcmp(origin, stand_ins[i].origin) == 0)
            put_like(stand_ins[i].like, stand_ins[i].op, s, type, work);
}
