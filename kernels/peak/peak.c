/* kernels/peak/peak.c: the list of loops, and what their instructions do. */
#include "kernels/peak/peak.h"

#include <stdbool.h>

#define END {.name = NULL}

static const struct sl_peak list[] = {
#define SL_PEAK(kernel, isa, in_words, of, in_a_turn, measured, products, moved)                   \
    {#kernel, isa, in_words, SL_PEAK_##of, in_a_turn, measured, products, moved, kernel},
#include "kernels/peak/peak.inc"
#undef SL_PEAK
    END,
};

const struct sl_peak *sl_peak_at(size_t i)
{
    return i < sizeof(list) / sizeof(list[0]) - 1 ? &list[i] : NULL;
}

uint64_t sl_peak_operations(const struct sl_peak *peak, size_t svl_bytes)
{
    uint64_t lanes = svl_bytes / 4;
    switch (peak->kind) {
    case SL_PEAK_OUTER:
        return peak->depth * lanes * lanes;
    case SL_PEAK_MLA:
        return peak->depth * peak->vectors * lanes;
    case SL_PEAK_NEON_MLA:
        return (uint64_t)peak->depth * 4;
    case SL_PEAK_MODE:
        return 1;
    default:
        return 0;
    }
}

uint64_t sl_peak_bytes(const struct sl_peak *peak, size_t svl_bytes)
{
    switch (peak->kind) {
    case SL_PEAK_NEAR:
    case SL_PEAK_FAR:
    case SL_PEAK_LEVEL:
        return peak->vectors * svl_bytes;
    case SL_PEAK_NEON_NEAR:
    case SL_PEAK_NEON_FAR:
    case SL_PEAK_NEON_LEVEL:
        return (uint64_t)peak->vectors * 16;
    case SL_PEAK_HAND:
        return 16 * svl_bytes < SL_PEAK_HAND_BYTES ? 16 * svl_bytes : SL_PEAK_HAND_BYTES;
    default:
        return 0;
    }
}

size_t sl_peak_footprint(const struct sl_peak *peak)
{
    bool level = peak->kind == SL_PEAK_LEVEL || peak->kind == SL_PEAK_NEON_LEVEL;
    return level ? (size_t)peak->depth << 10 : SL_PEAK_NEAR_BYTES;
}

size_t sl_peak_turns(const struct sl_peak *peak, size_t svl_bytes, size_t memory_bytes,
                     size_t wanted)
{
    if (peak->kind != SL_PEAK_FAR && peak->kind != SL_PEAK_NEON_FAR)
        return wanted;
    size_t bytes = (size_t)sl_peak_bytes(peak, svl_bytes) * peak->work;
    return memory_bytes / bytes;
}
