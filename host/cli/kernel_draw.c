/* host/cli/kernel_draw.c */
#include "host/cli/kernel_draw.h"

#include <stdio.h>
#include <string.h>

#include "host/analysis/random.h"

enum { MOST_DIM = 256, MOST_ELEMENTS = 65536 };

static size_t between(struct sl_random *random, size_t low, size_t high)
{
    return low + sl_random_below(random, high - low + 1);
}

/* Half of them few, as the first layers of a model have. */
static size_t channels(struct sl_random *random)
{
    return between(random, 0, 1) ? between(random, 1, 64) : between(random, 1, 512);
}

static bool is_int8(const char *type)
{
    return type && strcmp(type, "qs8") == 0;
}

/* Elements of k that share a scale of int4 weights; 1 where none do. */
static size_t group(const char *type)
{
    const char *at = type ? strstr(type, "_g") : NULL;
    return !at ? 1 : strcmp(at, "_g32") == 0 ? 32 : strcmp(at, "_g64") == 0 ? 64 : 128;
}

#define PICK(random, list) (list)[between(random, 0, sizeof(list) / sizeof((list)[0]) - 1)]

/* Windows of 1, 3 and 5, one or two apart along an axis of one row or of many; a quarter of them in
 * groups. */
static void draw_conv(struct sl_random *random, const char *type, char *out, size_t size)
{
    static const size_t windows[] = {1, 3, 3, 5}, parts[] = {1, 1, 1, 2, 4, 8};
    size_t side = between(random, 7, 28), high = between(random, 0, 5) > 0 ? side : 1;
    size_t kernel = PICK(random, windows), kernel_h = high > 1 ? kernel : 1;
    size_t groups = PICK(random, parts), dilation = between(random, 0, 3) > 0 ? 1 : 2;
    (void)type;
    snprintf(out, size, "conv:%zux%zux%zu-%zu-%zux%zu-s%zu-p%zux%zu-d%zu-g%zu", high, side,
             groups * between(random, 1, 128 / groups), groups * between(random, 1, 128 / groups),
             kernel_h, kernel, between(random, 1, 2), kernel_h / 2 * dilation,
             kernel / 2 * dilation, dilation, groups);
}

static void draw_deconv(struct sl_random *random, const char *type, char *out, size_t size)
{
    size_t side = between(random, 4, 20), stride = between(random, 1, 2);
    size_t kernel = between(random, stride, 4);
    (void)type;
    snprintf(out, size, "deconv:%zux%zux%zu-%zu-%zux%zu-s%zu-p%zu", side, side,
             between(random, 1, 64), between(random, 1, 64), kernel, kernel, stride,
             between(random, 0, kernel / 2));
}

/* One in four of them dilated, or with several outputs a channel. */
static void draw_depthwise(struct sl_random *random, const char *type, char *out, size_t size)
{
    size_t side = between(random, 7, 56), kernel = between(random, 0, 2) ? 3 : 5;
    size_t rare = between(random, 0, 7), dilation = rare == 1 ? 2 : 1;
    char tail[16] = "";
    (void)type;
    if (rare < 2)
        snprintf(tail, sizeof(tail), "%s", rare == 0 ? "-m2" : "-d2");
    snprintf(out, size, "depthwise:%zux%zux%zu-%zux%zu-s%zu-p%zu%s", side, side, channels(random),
             kernel, kernel, between(random, 1, 2), kernel / 2 * dilation, tail);
}

/* Half of them the largest of 2x2. */
static void draw_pool(struct sl_random *random, const char *type, char *out, size_t size)
{
    size_t side = 2 * between(random, 3, 56), wide = between(random, 1, 128);
    if (between(random, 0, 1)) {
        snprintf(out, size, "pool:max-%zux%zux%zu-2x2-s2-p0", side, side, wide);
        return;
    }
    bool average = between(random, 0, 1) && !is_int8(type);
    snprintf(out, size, "pool:%s-%zux%zux%zu-3x3-s%zu-p1", average ? "average" : "max", side / 2,
             side / 2, wide, between(random, 1, 2));
}

static void draw_argmax(struct sl_random *random, const char *type, char *out, size_t size)
{
    size_t kernel = between(random, 2, 3), side = kernel * between(random, 3, 28);
    (void)type;
    snprintf(out, size, "argmax:%zux%zux%zu-%zux%zu", side, side, between(random, 1, 128), kernel,
             kernel);
}

static void draw_resize(struct sl_random *random, const char *type, char *out, size_t size)
{
    (void)type;
    snprintf(out, size, "resize:%zux%zux%zu-%zux%zu", between(random, 4, 40),
             between(random, 4, 40), between(random, 1, 96), between(random, 4, 64),
             between(random, 4, 64));
}

static void draw_reduce(struct sl_random *random, const char *type, char *out, size_t size)
{
    static const char *const rows[] = {"softmax", "layer_norm", "rms_norm", "max"};
    size_t op = is_int8(type) ? 0 : between(random, 0, 4);
    if (op == 0)
        snprintf(out, size, "reduce:mean-1x%zux%zu", between(random, 4, 784),
                 between(random, 1, 1024));
    else
        snprintf(out, size, "reduce:%s-%zux%zux1", rows[op - 1], between(random, 8, 256),
                 between(random, 7, 1024));
}

static void draw_transpose(struct sl_random *random, const char *type, char *out, size_t size)
{
    (void)type;
    snprintf(out, size, "transpose:%zux%zu", between(random, 2, 1024),
             between(random, 2, MOST_DIM));
}

static void draw_permute(struct sl_random *random, const char *type, char *out, size_t size)
{
    static const char *const orders[] = {"021", "102", "120", "201", "210"};
    (void)type;
    snprintf(out, size, "permute:%zux%zux%zu-%s", between(random, 1, 32), between(random, 1, 64),
             between(random, 1, 64), PICK(random, orders));
}

static void draw_repeat(struct sl_random *random, const char *type, char *out, size_t size)
{
    (void)type;
    snprintf(out, size, "repeat:%zux%zu", between(random, 1, MOST_ELEMENTS / 4),
             between(random, 1, 8));
}

static void draw_unary(struct sl_random *random, const char *type, char *out, size_t size)
{
    static const char *const floats[] = {"clamp", "hardswish", "gelu",  "sigmoid", "exp",
                                         "tanh",  "elu",       "log",   "sqrt",    "rsqrt",
                                         "abs",   "negate",    "floor", "ceiling", "leaky_relu"},
                             *const bytes[] = {"clamp", "table"};
    const char *op = is_int8(type) ? PICK(random, bytes) : PICK(random, floats);
    snprintf(out, size, "unary:%s-%zu", op, between(random, 1, MOST_ELEMENTS));
}

static void draw_binary(struct sl_random *random, const char *type, char *out, size_t size)
{
    static const char *const floats[] = {"add",     "add_clamped", "subtract", "multiply",
                                         "maximum", "minimum",     "divide",   "prelu"},
                             *const bytes[] = {"add", "multiply"};
    const char *op = is_int8(type) ? PICK(random, bytes) : PICK(random, floats);
    snprintf(out, size, "binary:%s-%zu", op, between(random, 1, MOST_ELEMENTS));
}

static void draw_convert(struct sl_random *random, const char *type, char *out, size_t size)
{
    static const char *const types[] = {"f16_f32", "f32_f16", "bf16_f32", "f32_bf16", "qs8_f32",
                                        "qs8_f16", "f32_qs8", "f16_qs8",  "qs8_qs8"};
    (void)type;
    snprintf(out, size, "convert:%s-%zu", PICK(random, types), between(random, 1, MOST_ELEMENTS));
}

static void draw_quantise(struct sl_random *random, const char *type, char *out, size_t size)
{
    (void)type;
    snprintf(out, size, "quantise:%zux%zu", between(random, 1, 256), between(random, 1, 1024));
}

/* Single rows, whose K is whole groups where the type has any. */
static void draw_gemv(struct sl_random *random, const char *type, char *out, size_t size)
{
    size_t whole = group(type), k = between(random, 1, 8 * MOST_DIM);
    snprintf(out, size, "matmul:1x%zux%zu", between(random, 1, 4 * MOST_DIM),
             (k + whole - 1) / whole * whole);
}

/* Pairs of matrices; the right ones as they come, or of floats the other way round. */
static void draw_batch(struct sl_random *random, const char *type, char *out, size_t size)
{
    bool turned = between(random, 0, 1) && !(type && strcmp(type, "qd8") == 0);
    snprintf(out, size, "batch%s:%zux%zux%zux%zu", turned ? "_nk" : "", between(random, 1, 8),
             between(random, 1, MOST_DIM / 2), between(random, 1, MOST_DIM / 2),
             between(random, 1, MOST_DIM / 2));
}

static const struct family {
    const char *name;
    void (*draw)(struct sl_random *random, const char *type, char *out, size_t size);
} families[] = {
    {"conv", draw_conv},       {"deconv", draw_deconv},       {"depthwise", draw_depthwise},
    {"pool", draw_pool},       {"argmax", draw_argmax},       {"resize", draw_resize},
    {"reduce", draw_reduce},   {"transpose", draw_transpose}, {"permute", draw_permute},
    {"repeat", draw_repeat},   {"unary", draw_unary},         {"binary", draw_binary},
    {"convert", draw_convert}, {"quantise", draw_quantise},   {"gemv", draw_gemv},
    {"batch", draw_batch}};

static const struct family *find(const char *name)
{
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        if (strcmp(families[i].name, name) == 0)
            return &families[i];
    return NULL;
}

bool sl_kernel_draw_knows(const char *family)
{
    return find(family) != NULL;
}

void sl_kernel_draw_layer(struct sl_random *random, const char *family, const char *type, char *out,
                          size_t size)
{
    find(family)->draw(random, type, out, size);
}

void sl_kernel_draw_product(struct sl_random *random, const char *type, char *out, size_t size)
{
    size_t m = between(random, 1, MOST_DIM), n = between(random, 1, MOST_DIM);
    size_t k = between(random, 1, MOST_DIM), whole = group(type);
    snprintf(out, size, "%zux%zux%zu", m, n, (k + whole - 1) / whole * whole);
}
