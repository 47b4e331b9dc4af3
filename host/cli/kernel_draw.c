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

static void draw_depthwise(struct sl_random *random, bool is_int8, char *out, size_t size)
{
    size_t side = between(random, 7, 56), kernel = between(random, 0, 2) ? 3 : 5;
    (void)is_int8;
    snprintf(out, size, "depthwise:%zux%zux%zu-%zux%zu-s%zu-p%zu", side, side, channels(random),
             kernel, kernel, between(random, 1, 2), kernel / 2);
}

static void draw_pool(struct sl_random *random, bool is_int8, char *out, size_t size)
{
    size_t side = 2 * between(random, 3, 56);
    (void)is_int8;
    snprintf(out, size, "pool:max-%zux%zux%zu-2x2-s2-p0", side, side, between(random, 1, 128));
}

static void draw_reduce(struct sl_random *random, bool is_int8, char *out, size_t size)
{
    static const char *const rows[] = {"softmax", "layer_norm"};
    size_t op = is_int8 ? 0 : between(random, 0, 2);
    if (op == 0)
        snprintf(out, size, "reduce:mean-1x%zux%zu", between(random, 4, 784),
                 between(random, 1, 1024));
    else
        snprintf(out, size, "reduce:%s-%zux%zux1", rows[op - 1], between(random, 8, 256),
                 between(random, 7, 1024));
}

static void draw_transpose(struct sl_random *random, bool is_int8, char *out, size_t size)
{
    (void)is_int8;
    snprintf(out, size, "transpose:%zux%zu", between(random, 2, 1024),
             between(random, 2, MOST_DIM));
}

static void draw_unary(struct sl_random *random, bool is_int8, char *out, size_t size)
{
    static const char *const floats[] = {"clamp", "hardswish", "gelu", "sigmoid", "exp"},
                             *const bytes[] = {"clamp", "table"};
    const char *op = is_int8 ? bytes[between(random, 0, 1)] : floats[between(random, 0, 4)];
    snprintf(out, size, "unary:%s-%zu", op, between(random, 1, MOST_ELEMENTS));
}

static void draw_binary(struct sl_random *random, bool is_int8, char *out, size_t size)
{
    static const char *const floats[] = {"add", "add_clamped"}, *const bytes[] = {"add",
                                                                                  "multiply"};
    const char *op = (is_int8 ? bytes : floats)[between(random, 0, 1)];
    snprintf(out, size, "binary:%s-%zu", op, between(random, 1, MOST_ELEMENTS));
}

static const struct family {
    const char *name;
    void (*draw)(struct sl_random *random, bool is_int8, char *out, size_t size);
} families[] = {{"depthwise", draw_depthwise}, {"pool", draw_pool},   {"reduce", draw_reduce},
                {"transpose", draw_transpose}, {"unary", draw_unary}, {"binary", draw_binary}};

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
    find(family)->draw(random, type && strcmp(type, "qs8") == 0, out, size);
}

void sl_kernel_draw_product(struct sl_random *random, const char *type, char *out, size_t size)
{
    size_t m = between(random, 1, MOST_DIM), n = between(random, 1, MOST_DIM);
    size_t k = between(random, 1, MOST_DIM);
    k = type && strstr(type, "_g32") ? (k + 31) / 32 * 32 : k;
    snprintf(out, size, "%zux%zux%zu", m, n, k);
}
