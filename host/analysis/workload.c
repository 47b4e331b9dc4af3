/* host/analysis/workload.c */
#include "host/analysis/workload.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/base/saturate.h"
#include "common/format/operands.h"

enum { MAX_STRIDE = 8 };

/* The shape being written, and what the kernel's name said before it. */
struct bench {
    struct sl_workload *out;
    const struct sl_operands *s;
    const char *type; /* "", "f16/", "bf16/" or "qs8/" */
    char op[32];      /* "clamp" of sl_unary_clamp_... */
};

/* The shape to measure, so often; a text that was cut, or 0 times, is none. */
static void put_shape(struct sl_workload *work, uint64_t times, int len)
{
    bool fits = len > 0 && len < SL_WORKLOAD_BENCH_BYTES && times > 0;
    work->times = fits ? times : 0;
    if (!fits)
        work->bench[0] = '\0';
}

static void put(struct bench *b, uint64_t repeats, int len)
{
    put_shape(b->out, repeats, len);
}

/* `family` is "matmul" or one that names its types. */
static void put_product(struct bench *b, const char *family, const char *origin)
{
    const struct sl_operands *s = b->s;
    const struct sl_dims *left =
        origin && strcmp(origin, "aten::addmm.out") == 0 ? &s->in[1] : s->in;
    uint64_t n = sl_dims_back(&s->out, 0), k = sl_dims_back(left, 0), m = sl_dims_back(&s->out, 1),
             batch = 1;
    bool batched = origin && (strcmp(origin, "BatchMatrixMultiply") == 0 ||
                              strcmp(origin, "aten::bmm.out") == 0);
    if (batched)
        batch = sl_times(m, n) != 0 ? sl_dims_count(&s->out) / sl_times(m, n) : 0;
    else
        m = n != 0 ? sl_dims_count(&s->out) / n : 0;
    b->out->packs_right = batched;
    put(b, batch,
        snprintf(b->out->bench, SL_WORKLOAD_BENCH_BYTES, "%s%s:%" PRIu64 "x%" PRIu64 "x%" PRIu64,
                 b->type, family, m, n, k));
}

/* Finds the least stride, with the least padding, that takes `in` to `out` with a window of
 * `kernel`. */
static bool find_stride(const uint32_t in[2], const uint32_t out[2], const uint32_t kernel[2],
                        uint64_t *out_stride, uint64_t *out_padding)
{
    uint64_t most = kernel[0] < kernel[1] ? kernel[0] : kernel[1];
    for (uint64_t stride = 1; stride <= MAX_STRIDE; stride++) {
        for (uint64_t padding = 0; padding < most; padding++) {
            bool good = true;
            for (int i = 0; i < 2; i++) {
                uint64_t padded = (uint64_t)in[i] + 2 * padding;
                good = good && padded >= kernel[i] && (padded - kernel[i]) / stride + 1 == out[i];
            }
            *out_stride = stride;
            *out_padding = padding;
            if (good)
                return true;
        }
    }
    return false;
}

/* Images stand as [n][height][width][channels]; the window as "HxW" or in weights of rank 4. */
static void put_window(struct bench *b, const char *family, bool dense)
{
    const struct sl_dims *in = &b->s->in[0], *out = &b->s->out, *window = &b->s->in[1];
    uint32_t at = window->rank == 4 ? 1 : 0;
    uint64_t stride, padding, channels = sl_dims_back(in, 0);
    char outputs[32] = "";
    if (b->s->count < 2 || in->rank != 4 || out->rank != 4 ||
        (window->rank != 4 && window->rank != 2) ||
        !find_stride(&in->of[1], &out->of[1], &window->of[at], &stride, &padding) ||
        (dense && sl_dims_back(window, 0) != channels)) /* groups have no shape of their own */
        return;
    if (dense)
        snprintf(outputs, sizeof(outputs), "%" PRIu64 "-", sl_dims_back(out, 0));
    put(b, out->of[0],
        snprintf(b->out->bench, SL_WORKLOAD_BENCH_BYTES,
                 "%s%s:%s%s%" PRIu32 "x%" PRIu32 "x%" PRIu64 "-%s%" PRIu32 "x%" PRIu32 "-s%" PRIu64
                 "-p%" PRIu64,
                 b->type, family, b->op, b->op[0] ? "-" : "", in->of[1], in->of[2], channels,
                 outputs, window->of[at], window->of[at + 1], stride, padding));
}

static void put_elements(struct bench *b, const char *family, uint64_t count)
{
    put(b, count > 0,
        snprintf(b->out->bench, SL_WORKLOAD_BENCH_BYTES, "%s%s:%s-%" PRIu64, b->type, family, b->op,
                 count));
}

/* Reduces the innermost dimension; averages of images keep it. */
static void put_fold(struct bench *b)
{
    const struct sl_dims *in = &b->s->in[0], *out = &b->s->out;
    uint64_t inner = 1, reduced = sl_dims_back(in, 0), rest = sl_dims_count(in);
    if (b->s->count < 1 || reduced == 0)
        return;
    if (strcmp(b->op, "mean") == 0) {
        uint64_t kept = sl_dims_count(out);
        inner = sl_dims_back(out, 0) == reduced ? reduced : 1;
        if (kept == 0 || kept % inner != 0)
            return;
        reduced = rest / kept;
        rest = kept;
    } else {
        rest /= reduced;
    }
    put(b, reduced > 0,
        snprintf(b->out->bench, SL_WORKLOAD_BENCH_BYTES,
                 "%sreduce:%s-%" PRIu64 "x%" PRIu64 "x%" PRIu64, b->type, b->op, rest / inner,
                 reduced, inner));
}

/* A transposition that is one of a matrix: dimensions in front are equal, the rest is turned. */
static void put_transpose(struct bench *b, const char *type)
{
    const struct sl_dims *in = &b->s->in[0], *out = &b->s->out;
    uint32_t front = 0;
    if (b->s->count < 1 || in->rank != out->rank)
        return;
    while (front < in->rank && in->of[front] == out->of[front])
        front++;
    for (uint32_t cut = front + 1; cut < in->rank; cut++) {
        bool turned = true;
        for (uint32_t i = front; i < in->rank; i++) {
            uint32_t from = i + (cut - front);
            turned =
                turned && out->of[i] == in->of[from < in->rank ? from : from - in->rank + front];
        }
        if (!turned)
            continue;
        put(b, sl_dims_product(in, 0, front),
            snprintf(b->out->bench, SL_WORKLOAD_BENCH_BYTES, "%stranspose:%" PRIu64 "x%" PRIu64,
                     type, sl_dims_product(in, front, cut), sl_dims_product(in, cut, in->rank)));
        return;
    }
}

/* "clamp" of "clamp_f32_f32_...": what stands before the first word that is a type. */
static void take_op(struct bench *b, const char *words)
{
    static const char *const types[] = {"_f32_", "_f16_", "_qs8_"};
    const char *end = NULL;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        const char *found = strstr(words, types[i]);
        end = found && (!end || found < end) ? found : end;
    }
    size_t len = end ? (size_t)(end - words) : 0;
    if (len < sizeof(b->op))
        snprintf(b->op, sizeof(b->op), "%.*s", (int)len, words);
}

/* Reads the types of the kernel's operands from its name. */
static void take_type(struct bench *b, const char *kernel)
{
    struct sl_workload *out = b->out;
    bool bytes = strstr(kernel, "qs8") || strstr(kernel, "_q4_") || strstr(kernel, "_x8_");
    bool half = strstr(kernel, "_f16_") || strstr(kernel, "_x16_");
    b->type = "";
    if (strstr(kernel, "_qs8_qs8"))
        b->type = "qs8/";
    else if (strstr(kernel, "_f16_f16"))
        b->type = "f16/";
    else if (strstr(kernel, "_bf16"))
        b->type = "bf16/";
    out->element = bytes ? "s8" : strstr(kernel, "_bf16") ? "bf16" : half ? "f16" : "f32";
    out->element_bytes = bytes ? 1 : half || strstr(kernel, "_bf16") ? 2 : 4;
}

static bool begins(const char *kernel, const char *with, const char **rest)
{
    size_t len = strlen(with);
    *rest = kernel + len;
    return strncmp(kernel, with, len) == 0;
}

static bool holds(const char *name, uint32_t len, const char *word)
{
    size_t word_len = strlen(word);
    for (uint32_t i = 0; i + word_len <= len; i++)
        if (memcmp(name + i, word, word_len) == 0)
            return true;
    return false;
}

static void put_bench(struct bench *b, const char *origin, const char *kernel, const char *name,
                      uint32_t name_len)
{
    const char *rest;
    if (begins(kernel, "sl_matmul_qd8_", &rest)) {
        b->type = "";
        put_product(b,
                    strncmp(rest, "q4", 2) != 0     ? "matmul_qd8"
                    : holds(name, name_len, "QB4W") ? "matmul_q4_g32"
                                                    : "matmul_q4",
                    origin);
    } else if (begins(kernel, "sl_matmul_", &rest)) {
        put_product(b, "matmul", origin);
    } else if (begins(kernel, "sl_conv_", &rest)) {
        put_window(b, "conv", true);
    } else if (begins(kernel, "sl_depthwise_", &rest)) {
        put_window(b, "depthwise", false);
    } else if (begins(kernel, "sl_pool_", &rest)) {
        take_op(b, rest);
        put_window(b, "pool", false);
    } else if (begins(kernel, "sl_unary_", &rest)) {
        take_op(b, rest);
        put_elements(b, "unary", sl_dims_count(&b->s->out));
    } else if (begins(kernel, "sl_binary_", &rest)) {
        take_op(b, rest);
        put_elements(b, "binary", sl_dims_count(&b->s->out));
    } else if (begins(kernel, "sl_reduce_", &rest) || begins(kernel, "sl_mean_", &rest)) {
        take_op(b, kernel[3] == 'm' ? kernel + 3 : rest);
        put_fold(b);
    } else if (begins(kernel, "sl_transpose_x", &rest)) {
        if (*rest != '8')
            put_transpose(b, *rest == '1' ? "f16/" : "");
    } else if (begins(kernel, "sl_convert_", &rest)) {
        b->type = "";
        size_t first = strcspn(rest, "_") + 1; /* "f32_qs8" of "f32_qs8_neon" */
        size_t len = first + strcspn(rest + first - (rest[first - 1] == '\0'), "_");
        snprintf(b->op, sizeof(b->op), "%.*s", (int)(len < 16 ? len : 16), rest);
        put_elements(b, "convert", sl_dims_count(&b->s->out));
    }
}

/* --- operators that a kernel of another stands for --- */

enum { MAX_WINDOW = 9 };
enum like { LIKE_UNARY, LIKE_BINARY, LIKE_FOLD, LIKE_ROWS };

/* The kernel operation that stands for an operator of the portable library or of XNNPACK's graphs
 * without a kernel of its own, over as many elements. Copies move as much as the cheapest unary
 * one. */
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

__attribute__((format(printf, 3, 4))) static void
put_words(struct sl_workload *work, uint64_t times, const char *format, ...);

static void put_words(struct sl_workload *work, uint64_t times, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int len = vsnprintf(work->bench, SL_WORKLOAD_BENCH_BYTES, format, values);
    va_end(values);
    put_shape(work, times, len);
    work->stands_in = work->times > 0;
}

/* OUTERxREDUCEDxINNER: the dimensions that are gone or 1 in the output. Where the output has lost
 * them all, or the place is not clear, rows of what is folded. */
static void fold_like(const struct sl_operands *s, const char *type, const char *op,
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
    put_words(work, 1, "%sreduce:%s-%" PRIu64 "x%" PRIu64 "x%" PRIu64, type, op, kept / inner,
              all / kept, inner);
}

static void put_like(enum like like, const char *op, const struct sl_operands *s, const char *type,
                     struct sl_workload *work)
{
    uint64_t count = sl_dims_count(&s->out);
    uint64_t row = s->out.rank > 0 ? s->out.of[s->out.rank - 1] : 1;
    if (like == LIKE_FOLD)
        fold_like(s, type, op, work);
    else if (like == LIKE_ROWS)
        put_words(work, 1, "%sreduce:%s-%" PRIu64 "x%" PRIu64 "x1", type, op, count / row, row);
    else
        put_words(work, 1, "%s%s:%s-%" PRIu64, type, like == LIKE_UNARY ? "unary" : "binary", op,
                  count);
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
        if (!find_stride(in.size, out.size, window, &stride, &padding))
            continue;
        put_words(work, in.n,
                  "%spool:%s-%" PRIu32 "x%" PRIu32 "x%" PRIu64 "-%" PRIu32 "x%" PRIu32 "-s%" PRIu64
                  "-p%" PRIu64,
                  type, op, in.size[0], in.size[1], in.channels, k, k, stride, padding);
        return;
    }
    fold_like(s, type, "mean", work); /* windows of several sizes */
}

/* A convolution of `groups`, each as one of its own; one that goes back as one with as many
 * multiply-accumulates at the input's size. */
static void put_groups(const struct image *in, const struct image *out, const uint32_t window[2],
                       uint64_t groups, const char *type, struct sl_workload *work)
{
    uint64_t stride, padding, in_group = in->channels / groups, out_group = out->channels / groups;
    if (in_group == 0 || out_group == 0)
        return;
    if (!find_stride(in->size, out->size, window, &stride, &padding)) {
        stride = 1;
        padding = (window[0] < window[1] ? window[0] : window[1]) / 2;
    }
    if (in_group == 1 && out_group == 1 && groups > 1) {
        put_words(work, in->n,
                  "%sdepthwise:%" PRIu32 "x%" PRIu32 "x%" PRIu64 "-%" PRIu32 "x%" PRIu32
                  "-s%" PRIu64 "-p%" PRIu64,
                  type, in->size[0], in->size[1], in->channels, window[0], window[1], stride,
                  padding);
        return;
    }
    put_words(work, in->n * groups,
              "%sconv:%" PRIu32 "x%" PRIu32 "x%" PRIu64 "-%" PRIu64 "-%" PRIu32 "x%" PRIu32
              "-s%" PRIu64 "-p%" PRIu64,
              type, in->size[0], in->size[1], in_group, out_group, window[0], window[1], stride,
              padding);
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

static void stand_in(const char *origin, const struct sl_operands *s, const char *type,
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

/* --- the operator itself --- */

void sl_workload_read(const struct sl_operands *operands, const char *origin, const char *kernel,
                      const char *name, uint32_t name_len, struct sl_workload *out)
{
    struct bench b = {.out = out, .s = operands, .type = ""};
    *out = (struct sl_workload){.element = "f32", .element_bytes = 4};
    if (!operands || operands->out.rank == 0)
        return;
    out->known = true;
    out->macs = operands->macs;
    out->elements = sl_dims_count(&operands->out);
    for (uint32_t i = 0; i < operands->count; i++)
        out->elements = sl_plus(out->elements, sl_dims_count(&operands->in[i]));
    if (sl_dims_count(&operands->out) == 0)
        return;
    if (kernel) {
        take_type(&b, kernel);
        const char *type = b.type;
        put_bench(&b, origin, kernel, name, name_len);
        b.type = type;
    }
    if (out->times == 0 && origin)
        stand_in(origin, operands, b.type, out);
}

uint64_t sl_workload_least_neon(const struct sl_workload *work)
{
    uint64_t lanes = strcmp(work->element, "s8") == 0     ? 32
                     : strcmp(work->element, "bf16") == 0 ? 16
                     : strcmp(work->element, "f16") == 0  ? 8
                                                          : 4;
    uint64_t macs = work->macs / lanes, moves = sl_times(work->elements, work->element_bytes) / 32;
    return macs > moves ? macs : moves;
}

bool sl_workload_is_pointwise(const struct sl_operands *operands, const char *origin)
{
    bool xnn = origin && strcmp(origin, "Conv2d") == 0;
    bool aten = origin && strcmp(origin, "aten::convolution.out") == 0;
    if (!(xnn || aten) || !operands || operands->count < 2 || operands->in[1].rank < 3)
        return false;
    const struct sl_dims *w = &operands->in[1];
    uint32_t first = xnn ? 1 : 2, end = xnn ? w->rank - 1 : w->rank;
    return sl_dims_product(w, first, end) == 1;
}
