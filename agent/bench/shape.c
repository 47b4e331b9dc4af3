/* agent/bench/shape.c */
#include "agent/bench/shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/base/error.h"

/* How the shapes of a family are written behind its name: capitals are fields (below), '@' an
 * operation, '~' the rest of a window, '%' a permutation; others stand for themselves. */
static const struct grammar {
    const char *name, *pattern;
} grammars[SL_BENCH_FAMILY_END] = {
    [SL_BENCH_MATMUL] = {"matmul", "MxNxK"},
    [SL_BENCH_CONV] = {"conv", "HxWxC-O-AxB~"},
    [SL_BENCH_DEPTHWISE] = {"depthwise", "HxWxC-AxB~"},
    [SL_BENCH_UNARY] = {"unary", "@-E"},
    [SL_BENCH_BINARY] = {"binary", "@-E"},
    [SL_BENCH_POOL] = {"pool", "@-HxWxC-AxB~"},
    [SL_BENCH_REDUCE] = {"reduce", "@-MxKxN"},
    [SL_BENCH_TRANSPOSE] = {"transpose", "MxN"},
    [SL_BENCH_CONVERT] = {"convert", "@-E"},
    [SL_BENCH_MATMUL_QD8] = {"matmul_qd8", "MxNxK"},
    [SL_BENCH_MATMUL_Q4] = {"matmul_q4", "MxNxK"},
    [SL_BENCH_MATMUL_Q4_G32] = {"matmul_q4_g32", "MxNxK"},
    [SL_BENCH_MATMUL_Q4_G64] = {"matmul_q4_g64", "MxNxK"},
    [SL_BENCH_MATMUL_Q4_G128] = {"matmul_q4_g128", "MxNxK"},
    [SL_BENCH_DECONV] = {"deconv", "HxWxC-O-AxB~"},
    [SL_BENCH_BATCH] = {"batch", "IxMxNxK"},
    [SL_BENCH_BATCH_NK] = {"batch_nk", "IxMxNxK"},
    [SL_BENCH_BATCH_QD8] = {"batch_qd8", "IxMxNxK"},
    [SL_BENCH_ARGMAX] = {"argmax", "HxWxC-AxB"},
    [SL_BENCH_RESIZE] = {"resize", "HxWxC-YxX"},
    [SL_BENCH_QUANTISE] = {"quantise", "MxN"},
    [SL_BENCH_REPEAT] = {"repeat", "MxN"},
    [SL_BENCH_STRIDE] = {"stride", "MxN"},
    [SL_BENCH_PERMUTE] = {"permute", "%"},
};

const char *sl_bench_family_name(int family)
{
    return grammars[family].name;
}

/* A number from 0 to `most` at *text, which moves behind it. */
static bool take_number(const char **text, size_t most, size_t *out)
{
    size_t value = 0;
    const char *at = *text;
    for (; *at >= '0' && *at <= '9'; at++) {
        value = value * 10 + (size_t)(*at - '0');
        if (value > most)
            return false;
    }
    bool some = at != *text;
    *text = at;
    *out = value;
    return some;
}

/* Letters, digits and '_'. */
static bool take_op(const char **text, char *out)
{
    size_t len = strspn(*text, "abcdefghijklmnopqrstuvwxyz_0123456789");
    if (len == 0 || len >= SL_BENCH_MAX_OP)
        return false;
    memcpy(out, *text, len);
    out[len] = '\0';
    *text += len;
    return true;
}

/* "-", the letter, and a number for both axes or, with an "x" between them, one for each; `w` NULL:
 * one number. Where something else stands, nothing is taken; false for what is no number. */
static bool take_axes(const char **text, char letter, size_t *h, size_t *w)
{
    if ((*text)[0] != '-' || (*text)[1] != letter)
        return true;
    *text += 2;
    if (!take_number(text, SL_BENCH_MAX_DIM, h))
        return false;
    if (w)
        *w = *h;
    if (!w || **text != 'x')
        return true;
    ++*text;
    return take_number(text, SL_BENCH_MAX_DIM, w);
}

/* "-sS-pP", then "-dD" for a dilation, "-gG" for groups or "-mM" for a multiplier. */
static bool take_window(const char **text, struct sl_bench_shape *s)
{
    s->stride_h = s->pad_h = SIZE_MAX;
    return take_axes(text, 's', &s->stride_h, &s->stride_w) &&
           take_axes(text, 'p', &s->pad_h, &s->pad_w) && s->stride_h != SIZE_MAX &&
           s->pad_h != SIZE_MAX && take_axes(text, 'd', &s->dilation_h, &s->dilation_w) &&
           take_axes(text, 'g', &s->groups, NULL) && take_axes(text, 'm', &s->multiplier, NULL);
}

/* "8x64x96-201": the input's dimensions, and which of them each of the output's is. */
static bool take_permutation(const char **text, struct sl_bench_shape *s)
{
    unsigned seen = 0;
    s->n = 1;
    for (s->rank = 0; s->rank < SL_BENCH_MAX_RANK; ++*text) {
        size_t *dim = &s->dims[s->rank++];
        if (!take_number(text, SL_BENCH_MAX_DIM, dim))
            return false;
        s->n = s->n > SL_BENCH_MAX_ELEMENTS ? s->n : s->n * *dim;
        if (**text != 'x')
            break;
    }
    if (*(*text)++ != '-')
        return false;
    for (size_t i = 0; i < s->rank; i++, ++*text) {
        s->perm[i] = (size_t)(**text - '0'); /* wraps where no digit stands */
        if (s->perm[i] >= s->rank || (seen & 1u << s->perm[i]) != 0)
            return false;
        seen |= 1u << s->perm[i];
    }
    return true;
}

/* The fields that the capitals of a pattern mean; 'E' may be large. */
static const struct field {
    char letter;
    size_t at;
} fields[] = {
#define FIELD(letter, name) {letter, offsetof(struct sl_bench_shape, name)}
    FIELD('M', m),        FIELD('N', n),        FIELD('E', n),     FIELD('K', k),
    FIELD('H', in_h),     FIELD('W', in_w),     FIELD('C', in_c),  FIELD('O', out_c),
    FIELD('A', kernel_h), FIELD('B', kernel_w), FIELD('Y', out_h), FIELD('X', out_w),
    FIELD('I', batch),
#undef FIELD
};

static size_t *field_of(struct sl_bench_shape *s, char letter)
{
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        if (fields[i].letter == letter)
            return (size_t *)(void *)((char *)s + fields[i].at);
    return NULL;
}

static bool take(const char *text, const char *pattern, struct sl_bench_shape *s)
{
    bool good = true;
    for (; good && *pattern; pattern++) {
        size_t *field = field_of(s, *pattern);
        size_t most = *pattern == 'E' ? SL_BENCH_MAX_ELEMENTS : SL_BENCH_MAX_DIM;
        good = field             ? take_number(&text, most, field)
               : *pattern == '@' ? take_op(&text, s->op)
               : *pattern == '~' ? take_window(&text, s)
               : *pattern == '%' ? take_permutation(&text, s)
                                 : *text++ == *pattern;
    }
    return good && *text == '\0';
}

static size_t extent(size_t taps, size_t dilation)
{
    return taps == 0 ? 0 : (taps - 1) * dilation + 1;
}

/* Along one axis; 0 for what is no window. */
static size_t outputs(size_t in, size_t taps, size_t stride, size_t pad, size_t dilation)
{
    size_t window = extent(taps, dilation), padded = in + 2 * pad;
    return stride == 0 || window == 0 || dilation == 0 || window > padded || pad >= window
               ? 0
               : (padded - window) / stride + 1;
}

/* The output size of a transposed convolution. */
static size_t spread(size_t in, size_t taps, size_t stride, size_t pad, size_t dilation)
{
    size_t window = extent(taps, dilation), whole = (in - 1) * stride + window;
    return in == 0 || stride == 0 || window == 0 || dilation == 0 || pad >= window ||
                   whole <= 2 * pad
               ? 0
               : whole - 2 * pad;
}

/* A window's outputs, and the product it comes to; m is 0 where there are none. */
static void finish_window(struct sl_bench_shape *s)
{
    bool deconv = s->family == SL_BENCH_DECONV, conv = s->family == SL_BENCH_CONV || deconv;
    size_t (*axis)(size_t, size_t, size_t, size_t, size_t) = deconv ? spread : outputs;
    s->out_h = axis(s->in_h, s->kernel_h, s->stride_h, s->pad_h, s->dilation_h);
    s->out_w = axis(s->in_w, s->kernel_w, s->stride_w, s->pad_w, s->dilation_w);
    s->m = s->out_h * s->out_w;
    if (s->groups == 0 || (s->groups > 1 && !conv) || s->multiplier == 0 ||
        (s->multiplier > 1 && s->family != SL_BENCH_DEPTHWISE) || s->in_c % s->groups != 0 ||
        s->out_c % s->groups != 0)
        s->m = 0;
    else if (deconv && s->m > 0)
        s->m = s->in_h * s->in_w;
    s->out_c = conv ? s->out_c : s->in_c * s->multiplier;
    s->n = s->out_c;
    s->k = s->kernel_h * s->kernel_w * (conv && s->groups > 0 ? s->in_c / s->groups : 1);
}

/* Windows side by side that fill the image. */
static void finish_argmax(struct sl_bench_shape *s)
{
    bool whole = s->kernel_h > 0 && s->kernel_w > 0 && s->in_h % s->kernel_h == 0 &&
                 s->in_w % s->kernel_w == 0;
    s->out_h = whole ? s->in_h / s->kernel_h : 0;
    s->out_w = whole ? s->in_w / s->kernel_w : 0;
    s->m = s->out_h * s->out_w;
    s->n = s->out_c = s->in_c;
    s->k = s->kernel_h * s->kernel_w;
}

static void finish(struct sl_bench_shape *s)
{
    if (strchr(grammars[s->family].pattern, '~')) {
        finish_window(s);
    } else if (s->family == SL_BENCH_ARGMAX) {
        finish_argmax(s);
    } else if (s->family == SL_BENCH_RESIZE) {
        s->m = s->in_h * s->in_w == 0 ? 0 : s->out_h * s->out_w;
        s->n = s->out_c = s->in_c;
    } else if (s->family >= SL_BENCH_BATCH && s->family <= SL_BENCH_BATCH_QD8) {
        s->m *= s->batch;
    }
    size_t group = sl_bench_shape_group(s);
    if (group > 0 && s->k % group != 0)
        s->m = 0; /* no whole groups */
}

size_t sl_bench_shape_group(const struct sl_bench_shape *s)
{
    return s->family == SL_BENCH_MATMUL_Q4_G32    ? 32
           : s->family == SL_BENCH_MATMUL_Q4_G64  ? 64
           : s->family == SL_BENCH_MATMUL_Q4_G128 ? 128
                                                  : 0;
}

size_t sl_bench_shape_in(const struct sl_bench_shape *s)
{
    if (s->in_c > 0)
        return s->in_h * s->in_w * s->in_c;
    bool rows = s->family == SL_BENCH_REPEAT || strchr(grammars[s->family].pattern, 'K');
    return s->family == SL_BENCH_REDUCE ? s->m * s->n * s->k : rows ? s->m * s->k : s->m * s->n;
}

size_t sl_bench_shape_out(const struct sl_bench_shape *s)
{
    if (s->family == SL_BENCH_DECONV)
        return s->out_h * s->out_w * s->out_c;
    if (s->family == SL_BENCH_STRIDE)
        return s->m;
    return s->m * s->n * (s->family == SL_BENCH_REDUCE ? s->k : 1);
}

static bool is_small(size_t a, size_t b)
{
    return a <= SL_BENCH_MAX_ELEMENTS && b <= SL_BENCH_MAX_ELEMENTS &&
           a * b <= SL_BENCH_MAX_ELEMENTS; /* both up to 2^27: no overflow */
}

static int check(const struct sl_bench_shape *s)
{
    if (s->m == 0 || s->n == 0 || s->k == 0)
        return SL_E_FORMAT;
    bool fits = is_small(s->m, s->k) && is_small(s->n, s->k) && is_small(s->m, s->n) &&
                (s->family != SL_BENCH_REDUCE || is_small(s->m * s->n, s->k)) &&
                is_small(s->n * s->k, s->batch);
    if (s->in_c > 0)
        fits =
            fits && is_small(s->in_h * s->in_w, s->in_c) && is_small(s->out_h * s->out_w, s->out_c);
    return fits ? 0 : SL_E_LIMIT;
}

static const char *const types[SL_BENCH_TYPE_END] = {"f32", "qs8", "f16", "bf16"};

const char *sl_bench_type_name(int type)
{
    return types[type];
}

/* "TYPE/" before a shape, which is passed over. */
static int take_type(const char **text)
{
    for (int type = 0; type < SL_BENCH_TYPE_END; type++) {
        size_t len = strlen(types[type]);
        if (strncmp(*text, types[type], len) == 0 && (*text)[len] == '/') {
            *text += len + 1;
            return type;
        }
    }
    return SL_BENCH_F32;
}

int sl_bench_shape_parse(const char *text, struct sl_bench_shape *out)
{
    int type = take_type(&text);
    for (int family = 0; family < SL_BENCH_FAMILY_END; family++) {
        struct sl_bench_shape s = {.type = type,
                                   .family = family,
                                   .m = 1,
                                   .k = 1,
                                   .groups = 1,
                                   .multiplier = 1,
                                   .batch = 1,
                                   .dilation_h = 1,
                                   .dilation_w = 1};
        size_t len = strlen(grammars[family].name);
        if (strncmp(text, grammars[family].name, len) != 0 || text[len] != ':')
            continue;
        if (!take(text + len + 1, grammars[family].pattern, &s))
            return SL_E_FORMAT;
        finish(&s);
        int rc = check(&s);
        if (rc == 0)
            *out = s;
        return rc;
    }
    return SL_E_FORMAT;
}
