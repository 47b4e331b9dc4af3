/* host/cli/kernel_shapes.c */
#include "host/cli/kernel_shapes.h"

#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "host/analysis/random.h"
#include "host/cli/kernel_draw.h"

/* Where there are goals: the shapes that other libraries were counted on, and one of each kind. */
static const char *const goal_shapes[] = {
    "matmul:64x64x64",
    "matmul:128x128x128",
    "matmul:100x192x384",
    "matmul:784x128x64",
    "matmul:49x960x160",
    "matmul:1x1024x1024",
    "conv:28x28x64-128-3x3-s1-p1",
    "conv:14x14x64-64-3x3-s1-p1",
    "conv:224x224x3-32-3x3-s2-p1",
    "depthwise:28x28x128-3x3-s1-p1",
    "depthwise:14x14x512-3x3-s1-p1",
    "depthwise:28x28x128-3x3-s2-p1",
    "depthwise:28x28x128-5x5-s1-p2",
    "depthwise:28x28x128-7x7-s1-p3",
    "depthwise:56x56x128-7x7-s2-p3",
    "unary:clamp-65536",
    "unary:hardswish-65536",
    "unary:gelu-65536",
    "unary:sigmoid-65536",
    "unary:exp-65536",
    "binary:add-65536",
    "binary:add_clamped-65536",
    "pool:max-56x56x64-2x2-s2-p0",
    "pool:max-28x28x64-3x3-s1-p1",
    "pool:average-28x28x64-3x3-s1-p1",
    "reduce:softmax-64x1024x1",
    "reduce:softmax-1x65536x1",
    "reduce:layer_norm-64x1024x1",
    "reduce:rms_norm-64x1024x1",
    "reduce:mean-1x49x512",
    "reduce:max-1x65536x1",
    "transpose:256x256",
    "matmul_qd8:64x64x64",
    "matmul_qd8:128x128x128",
    "matmul_qd8:100x192x384",
    "matmul_qd8:784x128x64",
    "matmul_qd8:49x960x160",
    "matmul_qd8:1x1024x1024",
    "matmul_q4:64x64x64",
    "matmul_q4:128x128x128",
    "matmul_q4:784x128x64",
    "matmul_q4:49x960x160",
    "matmul_q4:1x1024x1024",
    "matmul_q4_g32:64x64x64",
    "matmul_q4_g32:128x128x128",
    "matmul_q4_g32:784x128x64",
    "matmul_q4_g32:49x960x160",
    "matmul_q4_g32:1x1024x1024",
    "convert:f32_qs8-65536",
    "convert:qs8_f32-65536",
    "convert:f16_f32-65536",
    "convert:f32_f16-65536",
    "qs8/matmul:64x64x64",
    "qs8/matmul:128x128x128",
    "qs8/matmul:256x256x256",
    "qs8/matmul:100x192x384",
    "qs8/matmul:784x128x64",
    "qs8/matmul:49x960x160",
    "qs8/matmul:1x1024x1024",
    "qs8/conv:28x28x64-128-3x3-s1-p1",
    "qs8/conv:14x14x64-64-3x3-s1-p1",
    "qs8/depthwise:28x28x128-3x3-s1-p1",
    "qs8/depthwise:14x14x512-3x3-s1-p1",
    "qs8/depthwise:28x28x128-3x3-s2-p1",
    "qs8/depthwise:28x28x128-5x5-s1-p2",
    "qs8/unary:clamp-65536",
    "qs8/unary:table-65536",
    "qs8/binary:add-65536",
    "qs8/binary:multiply-65536",
    "qs8/pool:max-56x56x64-2x2-s2-p0",
    "qs8/reduce:mean-1x49x512",
    "qs8/transpose:256x256",
    "f16/matmul:64x64x64",
    "f16/matmul:128x128x128",
    "f16/matmul:100x192x384",
    "f16/matmul:784x128x64",
    "f16/matmul:49x960x160",
    "f16/matmul:197x197x64", /* both products of an attention of 197 places, 64 channels a head */
    "f16/matmul:197x64x197",
    "f16/matmul:1x1024x1024",
    "f16/conv:28x28x64-128-3x3-s1-p1",
    "f16/conv:14x14x64-64-3x3-s1-p1",
    "f16/depthwise:28x28x128-3x3-s1-p1",
    "f16/depthwise:14x14x512-3x3-s1-p1",
    "f16/depthwise:28x28x128-3x3-s2-p1",
    "f16/depthwise:28x28x128-5x5-s1-p2",
    "f16/depthwise:28x28x128-7x7-s1-p3",
    "f16/unary:clamp-65536",
    "f16/unary:hardswish-65536",
    "f16/unary:gelu-65536",
    "f16/unary:sigmoid-65536",
    "f16/unary:exp-65536",
    "f16/binary:add-65536",
    "f16/binary:add_clamped-65536",
    "f16/pool:max-56x56x64-2x2-s2-p0",
    "f16/reduce:softmax-64x1024x1",
    "f16/reduce:layer_norm-64x1024x1",
    "f16/reduce:rms_norm-64x1024x1",
    "f16/reduce:mean-1x49x512",
    "f16/reduce:max-1x65536x1",
    "f16/transpose:256x256",
    "bf16/matmul:64x64x64",
    "bf16/matmul:128x128x128",
    "bf16/matmul:784x128x64",
    "bf16/matmul:49x960x160",
    "bf16/matmul:1x1024x1024",
};

/* What --type takes: the family that shapes without one are of, and whose goals --all measures. */
static const struct type {
    const char *name, *family;
} types[] = {
    {"f32", "matmul:"},           {"qd8", "matmul_qd8:"},   {"q4", "matmul_q4:"},
    {"q4_g32", "matmul_q4_g32:"}, {"convert", "convert:"},  {"qs8", "qs8/matmul:"},
    {"f16", "f16/matmul:"},       {"bf16", "bf16/matmul:"},
};

enum { TYPES = sizeof(types) / sizeof(types[0]) };

bool sl_kernel_shapes_know_type(const char *type)
{
    bool known = !type;
    for (size_t i = 0; i < TYPES; i++)
        known = known || strcmp(types[i].name, type) == 0;
    return known;
}

static const char *family_of(const struct sl_kernel_shapes *s)
{
    for (size_t i = 0; s->type && i < TYPES; i++)
        if (strcmp(types[i].name, s->type) == 0)
            return types[i].family;
    return types[0].family;
}

/* Whether --all with this --type, or none, measures the shape; f32 is what no other type is. */
static bool is_of_type(const struct sl_kernel_shapes *s, const char *shape)
{
    const char *family = types[0].family;
    for (size_t i = 1; i < TYPES; i++)
        if (strncmp(shape, types[i].family, strcspn(types[i].family, "/:") + 1) == 0)
            family = types[i].family;
    return !s->type || strcmp(family, family_of(s)) == 0;
}

static int add_shape(struct sl_kernel_shapes *s, const char *prefix, const char *shape,
                     const char *suffix, struct sl_diag *diag)
{
    if (s->count == SL_KERNEL_MAX_SHAPES)
        return sl_diag_set(diag, SL_E_LIMIT, "command line", "more than %d shapes",
                           SL_KERNEL_MAX_SHAPES);
    int len = snprintf(s->text[s->count], SL_KERNEL_SHAPE_BYTES, "%s%s%s", prefix, shape, suffix);
    if (len < 0 || len >= SL_KERNEL_SHAPE_BYTES)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line", "'%.40s...' is no shape", shape);
    s->count++;
    return 0;
}

/* Whether the type's name stands in its family's, as those that only some families have. */
static bool is_typed_family(const char *family)
{
    return strcmp(family, types[0].family) != 0 && !strchr(family, '/');
}

/* A layer of the type that --type says. */
static int add_layer(struct sl_kernel_shapes *s, const char *family, const char *shape,
                     struct sl_diag *diag)
{
    const char *own = family_of(s), *slash = strchr(own, '/');
    char prefix[SL_KERNEL_SHAPE_BYTES];
    size_t products = strlen(types[0].family);
    if (is_typed_family(own) && strncmp(shape, own, strlen(own)) == 0)
        return add_shape(s, "", shape, "", diag);
    if (is_typed_family(own) && strncmp(own, "matmul_", 7) == 0 &&
        strncmp(shape, types[0].family, products) == 0)
        return add_shape(s, own, shape + products, "", diag);
    if (is_typed_family(own)) {
        sl_diag_set(diag, SL_E_UNSUPPORTED, "--type", "'%s%.60s' has no kernels of type %s", family,
                    shape, s->type);
        sl_diag_hint(diag, "its shapes are written %s",
                     strcmp(own, "convert:") == 0 ? "convert:f32_qs8-65536"
                                                  : "64x64x64 or matmul:64x64x64");
        return SL_E_UNSUPPORTED;
    }
    snprintf(prefix, sizeof(prefix), "%.*s%s", slash ? (int)(slash + 1 - own) : 0, own, family);
    return add_shape(s, prefix, shape, "", diag);
}

/* N x K: a product with a single row. */
static int add_gemv(struct sl_kernel_shapes *s, struct sl_diag *diag)
{
    char prefix[SL_KERNEL_SHAPE_BYTES];
    snprintf(prefix, sizeof(prefix), "%s1x", family_of(s));
    return s->gemv ? add_shape(s, prefix, s->gemv, "", diag) : 0;
}

/* Of each family that a word names, else products. */
static int add_random(struct sl_kernel_shapes *s, const char *const *words, size_t count,
                      struct sl_diag *diag)
{
    struct sl_random random = {(uint64_t)s->seed};
    char shape[SL_KERNEL_SHAPE_BYTES];
    int rc = 0;
    bool layers = false;
    for (size_t w = 0; rc == 0 && s->random > 0 && w < count; w++) {
        if (!sl_kernel_draw_knows(words[w]))
            continue;
        layers = true;
        for (int64_t i = 0; rc == 0 && i < s->random; i++) {
            sl_kernel_draw_layer(&random, words[w], s->type, shape, sizeof(shape));
            rc = add_layer(s, "", shape, diag);
        }
    }
    if (s->random > 0 && !layers && strcmp(family_of(s), "convert:") == 0)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--random",
                           "conversions are not drawn: each costs by its elements alone");
    for (int64_t i = 0; rc == 0 && !layers && i < s->random; i++) {
        sl_kernel_draw_product(&random, s->type, shape, sizeof(shape));
        rc = add_shape(s, family_of(s), shape, "", diag);
    }
    return rc;
}

/* The goals of a family by its name alone, of the type that --type says; *out is how many. */
static int add_family(struct sl_kernel_shapes *s, const char *family, size_t *out,
                      struct sl_diag *diag)
{
    const char *own = family_of(s);
    if (strcmp(family, "matmul") == 0 && is_typed_family(own))
        family = own; /* products alone are of this type; up to its colon */
    size_t before = s->count, len = strcspn(family, ":");
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof(goal_shapes) / sizeof(goal_shapes[0]); i++) {
        const char *slash = strchr(goal_shapes[i], '/');
        const char *shape = slash ? slash + 1 : goal_shapes[i];
        if (strncmp(shape, family, len) == 0 && shape[len] == ':' && is_of_type(s, goal_shapes[i]))
            rc = add_shape(s, "", goal_shapes[i], "", diag);
    }
    *out = s->count - before;
    return rc;
}

/* A kernel by name, a family, a shape, or a shape of a family. */
static int add_word(struct sl_kernel_shapes *s, const char *word, struct sl_diag *diag)
{
    size_t goals = 0;
    if (s->random > 0 && sl_kernel_draw_knows(word))
        return 0; /* add_random() */
    if (strncmp(word, "sl_", 3) == 0) {
        s->kernel = word;
        return 0;
    }
    if (strchr(word, '/'))
        return add_shape(s, "", word, "", diag);
    if (strchr(word, ':'))
        return add_layer(s, "", word, diag);
    int rc = add_family(s, word, &goals, diag);
    return rc < 0 || goals > 0 ? rc : add_shape(s, family_of(s), word, "", diag);
}

int sl_kernel_shapes_collect(struct sl_kernel_shapes *s, const char *const *words, size_t count,
                             struct sl_diag *diag)
{
    int rc = 0;
    for (size_t i = 0; s->all && rc == 0 && i < sizeof(goal_shapes) / sizeof(goal_shapes[0]); i++)
        rc = is_of_type(s, goal_shapes[i]) ? add_shape(s, "", goal_shapes[i], "", diag) : 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = add_word(s, words[i], diag);
    if (rc == 0 && s->conv)
        rc = add_layer(s, "conv:", s->conv, diag);
    if (rc == 0 && s->depthwise)
        rc = add_layer(s, "depthwise:", s->depthwise, diag);
    if (rc == 0)
        rc = add_gemv(s, diag);
    if (rc == 0)
        rc = add_random(s, words, count, diag);
    if (rc == 0 && s->count == 0) {
        if (s->kernel && strncmp(s->kernel, "sl_conv", 7) == 0)
            return add_layer(s, "conv:", "28x28x64-128-3x3-s1-p1", diag);
        if (s->kernel && strncmp(s->kernel, "sl_depthwise", 12) == 0)
            return add_layer(s, "depthwise:", "28x28x128-3x3-s1-p1", diag);
        rc = add_shape(s, family_of(s),
                       s->kernel && strstr(s->kernel, "1x16vl") ? "1x1024x1024" : "128x128x128", "",
                       diag);
    }
    return rc;
}

size_t sl_kernel_shapes_batch(const struct sl_kernel_shapes *s, size_t i,
                              const char *out[SL_KERNEL_BATCH_ARGS + 1])
{
    size_t n = 0;
    for (; i < s->count && n < SL_KERNEL_BATCH_ARGS; i++) {
        out[n++] = "--bench";
        out[n++] = s->text[i];
    }
    out[n] = NULL;
    return i;
}
