/* kernels/peak/peak.h: loops that do one thing and as little else as they can: what a device can do
 * at most of outer products, loads, stores and changes of mode.
 *
 * Each executes `insns` instructions a turn, `work` of them the ones that are measured, and some at
 * its beginning and end that do not depend on the turns. They are written in assembly; what they
 * compute means nothing. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/isa.h"

enum sl_peak_kind {
    SL_PEAK_OUTER,      /* depth * (SVL / 32)^2 multiply-adds an instruction */
    SL_PEAK_MLA,        /* depth * vectors * SVL / 32 */
    SL_PEAK_NEAR,       /* the same few vectors again and again: vectors * SVL / 8 bytes */
    SL_PEAK_FAR,        /* through memory from its beginning, 16 vectors a turn */
    SL_PEAK_LEVEL,      /* round and round through `depth` KB, 16 vectors a turn */
    SL_PEAK_MODE,       /* changes of mode */
    SL_PEAK_HAND,       /* the core writes 1 KB, 16 streaming vectors are read */
    SL_PEAK_VECTOR,     /* arithmetic and moves whose operations are not told */
    SL_PEAK_NEON_MLA,   /* depth * 4 multiply-adds */
    SL_PEAK_NEON_NEAR,  /* vectors * 16 bytes */
    SL_PEAK_NEON_FAR,   /* 256 bytes a turn */
    SL_PEAK_NEON_LEVEL, /* the same, round and round through `depth` KB */
};

/* The work of a loop. */
struct sl_peak_job {
    size_t turns; /* at least 1 */
    void *memory; /* of FAR kinds all that the turns pass, else sl_peak_footprint(); 64-byte
                     aligned */
};

enum { SL_PEAK_NEAR_BYTES = 2 * 16 * 256, SL_PEAK_HAND_BYTES = 1024 };

struct sl_peak {
    const char *name;
    uint32_t needs;   /* enum sl_isa bits */
    const char *what; /* in words */
    int kind;         /* enum sl_peak_kind */
    unsigned insns, work, depth, vectors;
    void (*run)(const struct sl_peak_job *job);
};

/* The i-th loop, NULL past the last. */
const struct sl_peak *sl_peak_at(size_t i);

/* Multiply-adds (of MODE: changes) and bytes that one of the measured instructions does on a CPU
 * with these streaming vectors. */
uint64_t sl_peak_operations(const struct sl_peak *peak, size_t svl_bytes);
uint64_t sl_peak_bytes(const struct sl_peak *peak, size_t svl_bytes);

/* The bytes that a loop which does not pass through memory stays within. */
size_t sl_peak_footprint(const struct sl_peak *peak);

/* Turns that pass through so much memory; of kinds that stay near: as many as asked for. */
size_t sl_peak_turns(const struct sl_peak *peak, size_t svl_bytes, size_t memory_bytes,
                     size_t wanted);

#define SL_PEAK(kernel, needs, what, kind, insns, work, depth, vectors)                            \
    void kernel(const struct sl_peak_job *job);
#include "kernels/peak/peak.inc"
#undef SL_PEAK
