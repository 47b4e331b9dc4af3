/* host/inspect/why.c */
#include "host/inspect/why.h"

#include <ctype.h>
#include <string.h>

#include "host/inspect/inspect.h"

int sl_engine_of(const char *kernel)
{
    if (kernel[0] == '\0')
        return SL_ENGINE_NONE;
    if (strstr(kernel, "_sme2"))
        return SL_ENGINE_SME2;
    return strstr(kernel, "_neon") ? SL_ENGINE_NEON : SL_ENGINE_PORTABLE;
}

const char *sl_engine_name(int engine)
{
    static const char *const names[] = {"none", "sme2", "neon", "portable"};
    return names[engine];
}

bool sl_kernel_moves(const char *kernel)
{
    static const char *const movers[] = {"memmove",   "sl_move_",  "sl_fill_",   "sl_widen_",
                                         "sl_narrow", "sl_pick_",  "sl_spread_", "sl_range_",
                                         "sl_gather", "sl_lookup", "sl_plane_"};
    for (size_t i = 0; i < sizeof(movers) / sizeof(movers[0]); i++)
        if (strncmp(kernel, movers[i], strlen(movers[i])) == 0)
            return true;
    return kernel[0] == '\0';
}

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

static int nearest_kernel(const char *kernel, const struct sl_sme2_kernels *kernels)
{
    size_t stem, types;
    int why = SL_WHY_KIND;
    split(kernel, &stem, &types);
    for (size_t i = 0; i < kernels->count; i++) {
        const char *other = kernels->names[i];
        size_t other_stem, other_types;
        split(other, &other_stem, &other_types);
        if (other_stem != stem || strncmp(kernel, other, stem) != 0)
            continue;
        if (same_types(kernel + stem, kernel + types, other + other_stem, other + other_types))
            return SL_WHY_SHAPE;
        why = SL_WHY_TYPE;
    }
    return why;
}

int sl_why_of(const struct sl_inspect_node *node, const struct sl_sme2_kernels *kernels)
{
    if (node->on.engine == SL_ENGINE_SME2)
        return SL_WHY_SERVED;
    if (node->delegate >= 0 && node->on.operators == 0)
        return SL_WHY_MERGED;
    if (sl_kernel_moves(node->on.kernel))
        return SL_WHY_MOVES;
    int why = nearest_kernel(node->on.kernel, kernels);
    return node->delegate < 0 ? SL_WHY_NOT_DELEGATED : why;
}

static const struct reason {
    const char *name, *words;
} reasons[SL_WHY_END] = {
    [SL_WHY_SERVED] = {"served", "SME2 serves it"},
    [SL_WHY_UNKNOWN] = {"unknown", "not known: no agent was asked"},
    [SL_WHY_MERGED] = {"merged", "another operator does its work"},
    [SL_WHY_MOVES] = {"moves", "it only moves bytes or reckons sizes: SME2 has nothing to add"},
    [SL_WHY_NOT_DELEGATED] = {"not delegated",
                              "not delegated, and what runs it outside has no SME2 kernel"},
    [SL_WHY_TYPE] = {"type", "of its type: the SME2 kernels of this operation are for others"},
    [SL_WHY_SHAPE] = {"shape", "of its shape: the SME2 kernel of its type does not take it"},
    [SL_WHY_KIND] = {"no kernel", "no SME2 kernel does this operation"},
    [SL_WHY_REFUSED] = {"refused", "the method does not load"},
};

const char *sl_why_words(int why)
{
    return why >= 0 && why < SL_WHY_END ? reasons[why].words : "?";
}

const char *sl_why_name(int why)
{
    return why >= 0 && why < SL_WHY_END ? reasons[why].name : "?";
}
