/* host/inspect/why.c */
#include "host/inspect/why.h"

#include <ctype.h>
#include <string.h>

#include "host/inspect/inspect.h"
#include "host/report/kernel_likeness.h"

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

static int nearest_kernel(const char *kernel, const struct sl_sme2_kernels *kernels)
{
    int why = SL_WHY_KIND;
    for (size_t i = 0; i < kernels->count; i++) {
        int likeness = sl_kernel_likeness(kernel, kernels->names[i]);
        if (likeness == SL_KERNEL_SAME_TYPES)
            return SL_WHY_SHAPE;
        why = likeness == SL_KERNEL_SAME_WORK ? SL_WHY_TYPE : why;
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
