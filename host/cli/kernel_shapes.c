/* host/cli/kernel_shapes.c */
#include "host/cli/kernel_shapes.h"

#include <stdio.h>
#include <string.h>

#include "common/base/error.h"

/* The words of --type, each with the family of shapes that name none. */
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

/* True if the shape's family belongs to the type of --type. */
static bool is_of_type(const struct sl_kernel_shapes *s, const char *shape)
{
    bool of_type = begins(shape, family_of(s));
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        of_type =
            of_type || (strcmp(others[i].name, s->type) == 0 && begins(shape, others[i].family));
    return of_type;
}

static int add_shape(struct sl_kernel_shapes *s, const char *prefix, const char *shape,
                     struct sl_diag *diag)
{
    if (s->count == SL_KERNEL_MAX_SHAPES)
        return sl_diag_set(diag, SL_E_LIMIT, "command line", "more than %d shapes",
                           SL_KERNEL_MAX_SHAPES);
    int len = snprintf(s->text[s->count], SL_KERNEL_SHAPE_BYTES, "%s%s", prefix, shape);
    if (len < 0 || len >= SL_KERNEL_SHAPE_BYTES)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "command line", "'%.40s...' is no shape", shape);
    s->count++;
    return 0;
}

/* True if the family's name includes the type, because only some families have that type. */
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
            return add_shape(s, "", shape, diag);
        if (begins(own, "matmul_") && begins(shape, types[0].family))
            return add_shape(s, own, shape + strlen(types[0].family), diag);
        if (strcmp(s->type, "qd8") == 0 && begins(shape, "batch:"))
            return add_shape(s, "batch_qd8:", shape + strlen("batch:"), diag);
        return refuse_layer(s, family, shape, diag);
    }
    snprintf(prefix, sizeof(prefix), "%.*s%s", slash ? (int)(slash + 1 - own) : 0, own, family);
    return add_shape(s, prefix, shape, diag);
}

/* N x K: a product with a single row. */
static int add_gemv(struct sl_kernel_shapes *s, struct sl_diag *diag)
{
    char prefix[SL_KERNEL_SHAPE_BYTES];
    snprintf(prefix, sizeof(prefix), "%s1x", family_of(s));
    return s->gemv ? add_shape(s, prefix, s->gemv, diag) : 0;
}

/* A kernel by name, a shape, or a shape of a family. */
static int add_word(struct sl_kernel_shapes *s, const char *word, struct sl_diag *diag)
{
    if (strncmp(word, "sl_", 3) == 0) {
        s->kernel = word;
        return 0;
    }
    if (strchr(word, '/'))
        return add_shape(s, "", word, diag);
    if (strchr(word, ':'))
        return add_layer(s, "", word, diag);
    return add_shape(s, family_of(s), word, diag);
}

int sl_kernel_shapes_collect(struct sl_kernel_shapes *s, const char *const *words, size_t count,
                             struct sl_diag *diag)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = add_word(s, words[i], diag);
    if (rc == 0 && s->conv)
        rc = add_layer(s, "conv:", s->conv, diag);
    if (rc == 0 && s->depthwise)
        rc = add_layer(s, "depthwise:", s->depthwise, diag);
    if (rc == 0)
        rc = add_gemv(s, diag);
    if (rc == 0 && s->count == 0 && !s->kernel)
        rc = add_shape(s, family_of(s), "128x128x128", diag);
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
