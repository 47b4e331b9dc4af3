/* agent/bench/shape.c */
#include "agent/bench/shape.h"

#include <stdbool.h>
#include <string.h>

#include "common/base/error.h"

static const char *const families[] = {"matmul",  "conv",       "depthwise", "unary",
                                       "binary",  "pool",       "reduce",    "transpose",
                                       "convert", "matmul_qd8", "matmul_q4", "matmul_q4_g32"};

const char *sl_bench_family_name(int family)
{
    return families[family];
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

/* Letters, digits and '_' up to a '-', which is passed over. */
static bool take_op(const char **text, char *out)
{
    size_t len = strspn(*text, "abcdefghijklmnopqrstuvwxyz_0123456789");
    if (len == 0 || len >= SL_BENCH_MAX_OP || (*text)[len] != '-')
        return false;
    memcpy(out, *text, len);
    out[len] = '\0';
    *text += len + 1;
    return true;
}

/* `pattern` stands for itself but '#', which takes a dimension into the next of `into`, and '*',
 * which takes a number of elements. */
static bool take(const char *text, const char *pattern, size_t *const *into)
{
    for (; *pattern; pattern++) {
        if (*pattern == '#' || *pattern == '*') {
            size_t most = *pattern == '#' ? SL_BENCH_MAX_DIM : SL_BENCH_MAX_ELEMENTS;
            if (!take_number(&text, most, *into++))
                return false;
        } else if (*text++ != *pattern) {
            return false;
        }
    }
    return *text == '\0';
}

static int finish_window(struct sl_bench_shape *s)
{
    size_t padded_h = s->in_h + 2 * s->padding;
    size_t padded_w = s->in_w + 2 * s->padding;
    if (s->stride == 0 || s->kernel_h == 0 || s->kernel_w == 0 || s->kernel_h > padded_h ||
        s->kernel_w > padded_w || s->padding >= s->kernel_h || s->padding >= s->kernel_w)
        return SL_E_FORMAT;
    s->out_h = (padded_h - s->kernel_h) / s->stride + 1;
    s->out_w = (padded_w - s->kernel_w) / s->stride + 1;
    s->m = s->out_h * s->out_w;
    s->n = s->out_c;
    s->k = s->kernel_h * s->kernel_w * (s->family == SL_BENCH_CONV ? s->in_c : 1);
    return 0;
}

static bool is_small(size_t a, size_t b)
{
    return a <= SL_BENCH_MAX_ELEMENTS && b <= SL_BENCH_MAX_ELEMENTS &&
           a * b <= SL_BENCH_MAX_ELEMENTS; /* both below 2^27: no overflow */
}

static int check(const struct sl_bench_shape *s)
{
    if (s->m == 0 || s->n == 0 || s->k == 0)
        return SL_E_FORMAT;
    bool fits = is_small(s->m, s->k) && is_small(s->n, s->k) && is_small(s->m, s->n) &&
                is_small(s->m * s->n, s->k > 0 && s->family >= SL_BENCH_UNARY ? s->k : 1);
    if (s->in_c > 0)
        fits = fits && is_small(s->in_h * s->in_w, s->in_c);
    return fits ? 0 : SL_E_LIMIT;
}

/* The families whose kernels are one operation each: "family:op-" and then numbers. */
static int parse_elements(const char *text, struct sl_bench_shape *s)
{
    static const char *const patterns[] = {
        [SL_BENCH_UNARY] = "*",      [SL_BENCH_BINARY] = "*",  [SL_BENCH_POOL] = "#x#x#-#x#-s#-p#",
        [SL_BENCH_REDUCE] = "#x#x#", [SL_BENCH_CONVERT] = "*",
    };
    size_t *const elements[] = {&s->n};
    size_t *const rows[] = {&s->m, &s->k, &s->n};
    size_t *const window[] = {&s->in_h,     &s->in_w,   &s->in_c,   &s->kernel_h,
                              &s->kernel_w, &s->stride, &s->padding};
    size_t *const *const into[] = {[SL_BENCH_UNARY] = elements,
                                   [SL_BENCH_BINARY] = elements,
                                   [SL_BENCH_POOL] = window,
                                   [SL_BENCH_REDUCE] = rows,
                                   [SL_BENCH_CONVERT] = elements};
    for (int family = SL_BENCH_UNARY; family <= SL_BENCH_CONVERT; family++) {
        size_t len = strlen(families[family]);
        const char *at = text + len + 1;
        if (!patterns[family] || strncmp(text, families[family], len) != 0 || text[len] != ':')
            continue;
        s->family = family;
        s->m = s->k = 1;
        if (!take_op(&at, s->op) || !take(at, patterns[family], into[family]))
            return SL_E_FORMAT;
        s->out_c = s->in_c;
        return family == SL_BENCH_POOL ? finish_window(s) : 0;
    }
    return SL_E_FORMAT;
}

/* Products whose type stands in the family's name. */
static bool take_typed_product(const char *text, struct sl_bench_shape *s)
{
    size_t *const gemm[] = {&s->m, &s->n, &s->k};
    for (int family = SL_BENCH_MATMUL_QD8; family <= SL_BENCH_MATMUL_Q4_G32; family++) {
        size_t len = strlen(families[family]);
        if (strncmp(text, families[family], len) == 0 && take(text + len, ":#x#x#", gemm)) {
            s->family = family;
            return family != SL_BENCH_MATMUL_Q4_G32 || s->k % 32 == 0;
        }
    }
    return false;
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
    struct sl_bench_shape s = {.type = take_type(&text), .family = SL_BENCH_MATMUL};
    size_t *const gemm[] = {&s.m, &s.n, &s.k};
    size_t *const conv[] = {&s.in_h,     &s.in_w,     &s.in_c,   &s.out_c,
                            &s.kernel_h, &s.kernel_w, &s.stride, &s.padding};
    size_t *const depthwise[] = {&s.in_h,     &s.in_w,   &s.in_c,   &s.kernel_h,
                                 &s.kernel_w, &s.stride, &s.padding};
    int rc = 0;
    if (take(text, "matmul:#x#x#", gemm) || take_typed_product(text, &s)) {
        rc = 0;
    } else if (take(text, "conv:#x#x#-#-#x#-s#-p#", conv)) {
        s.family = SL_BENCH_CONV;
        rc = finish_window(&s);
    } else if (take(text, "depthwise:#x#x#-#x#-s#-p#", depthwise)) {
        s.family = SL_BENCH_DEPTHWISE;
        s.out_c = s.in_c;
        rc = finish_window(&s);
    } else if (take(text, "transpose:#x#", gemm)) {
        s.family = SL_BENCH_TRANSPOSE;
        s.k = 1;
    } else {
        rc = parse_elements(text, &s);
    }
    if (rc == 0)
        rc = check(&s);
    if (rc == 0)
        *out = s;
    return rc;
}
