/* agent/bench/usual.c */
#include "agent/bench/usual.h"

#include <stdio.h>
#include <string.h>

#include "agent/probe/kernel_list.h"

static bool is_type(const char *word, size_t len)
{
    static const char *const types[] = {"f32", "f16", "bf16", "qs8"};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (strlen(types[i]) == len && strncmp(types[i], word, len) == 0)
            return true;
    return false;
}

/* Finds the operation in the kernel's name: the words between "sl_FAMILY_" and the types, or both
 * types of a conversion. */
static size_t find_op(const struct sl_kernel_entry *kernel, const char **out)
{
    const char *at = kernel->name + strlen("sl_") + strlen(kernel->family) + 1;
    bool types = is_type(at, strcspn(at, "_"));
    size_t words = 0;
    *out = at;
    while (*at && (types ? words < 2 : !is_type(at, strcspn(at, "_")))) {
        at += strcspn(at, "_");
        at += *at == '_';
        words++;
    }
    return (size_t)(at - *out) - (at > *out && at[-1] == '_');
}

bool sl_bench_usual_shape(const struct sl_kernel_entry *kernel, size_t i,
                          char out[SL_BENCH_MAX_SHAPE])
{
    const char *at = kernel->shapes, *op;
    for (; i > 0 && *at; i--) {
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    size_t len = strcspn(at, " "), before = strcspn(at, "@");
    if (len == 0)
        return false;
    int size = snprintf(out, SL_BENCH_MAX_SHAPE, "%.*s", (int)len, at);
    if (before < len) {
        size_t op_length = find_op(kernel, &op);
        size = snprintf(out, SL_BENCH_MAX_SHAPE, "%.*s%.*s%.*s", (int)before, at, (int)op_length,
                        op, (int)(len - before - 1), at + before + 1);
    }
    return size > 0 && size < SL_BENCH_MAX_SHAPE;
}
