/* host/cli/kernel_shapes.c */
#include "host/cli/kernel_shapes.h"

#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "host/analysis/random.h"
#include "host/cli/kernel_draw.h"
#include "host/cli/kernel_shape_list.h"

/* What --type takes: the family that shapes without one are of, and whose goals --all measures. */
static const struct type {
    const char *name, *family;
} types[] = {
    {"f32", "matmul:"},           {"qd8", "matmul_qd8:"},       {"q4", "matmul_q4:"},
    {"q4_g32", "matmul_q4_g32:"}, {"q4_g64", "matmul_q4_g64:"}, {"q4_g128", "matmul_q4_g128:"},
    {"convert", "convert:"},      {"qs8", "qs8/matmul:"},       {"f16", "f16/matmul:"},
    {"bf16", "bf16/matmul:"},
};

/* Families that name no type and yet are of one, by its name. */
static const struct type others[] = {{"qd8", "batch_qd8:"}, {"convert", "quantise:"}};

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

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Whether --all with this --type, or none, measures the shape; f32 is what no other type is. */
static bool is_of_type(const struct sl_kernel_shapes *s, const char *shape)
{
    const char *type = types[0].name;
    for (size_t i = 1; i < TYPES; i++)
        if (strncmp(shape, types[i].family, strcspn(types[i].family, "/:") + 1) == 0)
            type = types[i].name;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (begins(shape, others[i].family))
            type = others[i].name;
    return !s->type || strcmp(type, s->type) == 0;
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

static int refuse_layer(const struct sl_kernel_shapes *s, const char *family, const char *shape,
                        struct sl_diag *diag)
{
    sl_diag_set(diag, SL_E_UNSUPPORTED, "--type", "'%s%.60s' has no kernels of type %s", family,
                shape, s->type);
    sl_diag_hint(diag, "its shapes are written %s",
                 strcmp(s->type, "convert") == 0 ? "convert:f32_qs8-65536"
                                                 : "64x64x64 or matmul:64x64x64");
    return SL_E_UNSUPPORTED;
}

/* A layer of the type that --type says. */
static int add_layer(struct sl_kernel_shapes *s, const char *family, const char *shape,
                     struct sl_diag *diag)
{
    const char *own = family_of(s), *slash = strchr(own, '/');
    char prefix[SL_KERNEL_SHAPE_BYTES];
    if (is_typed_family(own)) {
        if (family[0] == '\0' && is_of_type(s, shape))
            return add_shape(s, "", shape, "", diag);
        if (begins(own, "matmul_") && begins(shape, types[0].family))
            return add_shape(s, own, shape + strlen(types[0].family), "", diag);
        if (strcmp(s->type, "qd8") == 0 && begins(shape, "batch:"))
            return add_shape(s, "batch_qd8:", shape + strlen("batch:"), "", diag);
        return refuse_layer(s, family, shape, diag);
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
                           "name the family that is to be drawn: convert or quantise");
    for (int64_t i = 0; rc == 0 && !layers && i < s->random; i++) {
        sl_kernel_draw_product(&random, s->type, shape, sizeof(shape));
        rc = add_shape(s, family_of(s), shape, "", diag);
    }
    return rc;
}

/* Those of the list that are of the family and of the type that --type says; the family's name may
 * go on behind a '_' where `longer`. */
static int add_listed(struct sl_kernel_shapes *s, const char *family, bool longer,
                      const char *const *list, size_t count, struct sl_diag *diag)
{
    size_t len = strcspn(family, ":");
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        const char *slash = strchr(list[i], '/'), *shape = slash ? slash + 1 : list[i];
        if (strncmp(shape, family, len) == 0 &&
            (shape[len] == ':' || (longer && shape[len] == '_')) && is_of_type(s, list[i]))
            rc = add_shape(s, "", list[i], "", diag);
    }
    return rc;
}

/* The goals of a family by its name alone, then its other shapes; *out is how many. */
static int add_family(struct sl_kernel_shapes *s, const char *family, size_t *out,
                      struct sl_diag *diag)
{
    const char *own = family_of(s);
    if (strcmp(family, "matmul") == 0 && is_typed_family(own))
        family = own; /* products alone are of this type; up to its colon */
    size_t before = s->count;
    int rc = add_listed(s, family, false, sl_kernel_goal_shapes, sl_kernel_goal_shape_count, diag);
    if (rc == 0)
        rc = add_listed(s, family, strcmp(family, "batch") == 0, sl_kernel_other_shapes,
                        sl_kernel_other_shape_count, diag);
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
    for (size_t i = 0; s->all && rc == 0 && i < sl_kernel_goal_shape_count; i++)
        rc = is_of_type(s, sl_kernel_goal_shapes[i])
                 ? add_shape(s, "", sl_kernel_goal_shapes[i], "", diag)
                 : 0;
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
    if (rc == 0 && s->count == 0 && !s->kernel)
        rc = add_shape(s, family_of(s), "128x128x128", "", diag);
    return rc;
}

bool sl_kernel_shapes_name(struct sl_kernel_shapes *s, size_t i)
{
    const struct sl_kernel_named_goal *goal = &sl_kernel_named_goals[i];
    if (!is_of_type(s, goal->shape))
        return false;
    s->kernel = goal->kernel;
    s->count = 1;
    snprintf(s->text[0], SL_KERNEL_SHAPE_BYTES, "%s", goal->shape);
    return true;
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
