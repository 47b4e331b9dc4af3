/* host/report/kernel_likeness.c */
#include "host/report/kernel_likeness.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A word that is a type, perhaps of a packed operand: "f32", "qs8p8x4", "x16", "bf16p1vlx2". */
static bool is_type(const char *word, size_t len)
{
    static const char *const types[] = {"f32", "f16", "bf16", "qs8", "qd8",
                                        "q4",  "x32", "x16",  "x8",  "s64"};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        size_t width = strlen(types[i]);
        if (len >= width && strncmp(word, types[i], width) == 0 &&
            (len == width || word[width] == 'p'))
            return true;
    }
    return false;
}

/* A kernel's name up to its first type, and from there to the last one. */
static void split(const char *kernel, size_t *out_stem, size_t *out_types)
{
    size_t at = 0, stem = 0, end = 0;
    while (kernel[at] != '\0') {
        size_t len = strcspn(kernel + at, "_");
        if (is_type(kernel + at, len)) {
            stem = stem == 0 ? at : stem;
            end = at + len;
        }
        at += len + (kernel[at + len] == '_' ? 1 : 0);
    }
    *out_stem = stem == 0 ? at : stem;
    *out_types = end < *out_stem ? *out_stem : end;
}

/* The types without how their operands are packed. */
static bool same_types(const char *a, const char *a_end, const char *b, const char *b_end)
{
    while (a < a_end && b < b_end) {
        size_t a_len = strcspn(a, "_"), b_len = strcspn(b, "_");
        size_t a_type = strcspn(a, "_p"), b_type = strcspn(b, "_p");
        if (a_type != b_type || strncmp(a, b, a_type) != 0)
            return false;
        a += a_len + 1;
        b += b_len + 1;
    }
    return a >= a_end && b >= b_end;
}

int sl_kernel_likeness(const char *a, const char *b)
{
    size_t a_stem, a_types, b_stem, b_types;
    split(a, &a_stem, &a_types);
    split(b, &b_stem, &b_types);
    if (a_stem != b_stem || strncmp(a, b, a_stem) != 0)
        return SL_KERNEL_UNLIKE;
    return same_types(a + a_stem, a + a_types, b + b_stem, b + b_types) ? SL_KERNEL_SAME_TYPES
                                                                        : SL_KERNEL_SAME_WORK;
}
